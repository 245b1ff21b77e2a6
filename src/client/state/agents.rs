//! Which agents there are, as a person asks: by urgency, in this workspace or all, the next that waits; and after
//! them the conversations that could be gone on with.

use super::State;
use crate::protocol::agent::{AgentScene, AgentState, Conversation};
use crate::protocol::ids::PaneId;
use crate::protocol::scene::{PaneScene, Scene};
use std::cmp::Reverse;
use std::path::Path;

const MINUTE_MS: u64 = 60_000;
/// Conversations that the dock lists: the newest are what one looks for.
const RECENT: usize = 20;

/// A row of a list of agents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Listed<'s> {
    /// An agent in its pane.
    Agent(&'s PaneScene, &'s AgentScene),
    /// A conversation that no pane goes on with.
    Past(&'s Conversation),
}

impl<'s> Listed<'s> {
    /// The pane of an agent.
    #[must_use]
    pub fn pane(&self) -> Option<PaneId> {
        match self {
            Self::Agent(pane, _) => Some(pane.id),
            Self::Past(_) => None,
        }
    }

    /// The agent in its pane.
    #[must_use]
    pub fn agent(self) -> Option<(&'s PaneScene, &'s AgentScene)> {
        match self {
            Self::Agent(pane, agent) => Some((pane, agent)),
            Self::Past(_) => None,
        }
    }
}

/// What the AGENTS dock lists: the agents, and unless only active ones are wanted what could be gone on with.
#[must_use]
pub fn dock_agents(state: &State) -> Vec<Listed<'_>> {
    let Some(scene) = state.scene() else { return Vec::new() };
    let agents = agents(scene, state.agents_here).into_iter();
    let mut listed: Vec<_> = agents.map(|(pane, agent)| Listed::Agent(pane, agent)).collect();
    if !state.agents_active {
        listed.extend(past(state, scene, state.agents_here).take(RECENT).map(Listed::Past));
    }
    listed
}

/// The conversations that no pane goes on with, of all folders or of the focused workspace's.
pub fn past<'s>(
    state: &'s State,
    scene: &'s Scene,
    this_workspace: bool,
) -> impl Iterator<Item = &'s Conversation> {
    let root = scene.workspace().map(|workspace| workspace.root.as_str());
    let inside = move |past: &&Conversation| {
        !this_workspace
            || past.cwd.as_deref().zip(root).is_some_and(|(cwd, root)| Path::new(cwd).starts_with(root))
    };
    state.conversations.iter().filter(inside)
}

/// The agents of a session, or of its focused workspace, those that need a person first and of these the
/// one that has waited longest.
#[must_use]
pub fn agents(scene: &Scene, this_workspace: bool) -> Vec<(&PaneScene, &AgentScene)> {
    let here = scene.workspace().map(|workspace| workspace.id);
    let mut found: Vec<_> = scene
        .panes
        .iter()
        .filter(|pane| !this_workspace || Some(pane.workspace) == here)
        .filter_map(|pane| Some((pane, pane.agent.as_ref()?)))
        .collect();
    found.sort_by_key(|(_, agent)| (Reverse(agent.state), agent.since_ms));
    found
}

/// Agents that wait for a person in other workspaces.
#[must_use]
pub fn blocked_elsewhere(scene: &Scene) -> Vec<PaneId> {
    let here = scene.workspace().map(|workspace| workspace.id);
    let all = agents(scene, false).into_iter();
    all.filter(|(pane, agent)| agent.state == AgentState::Blocked && Some(pane.workspace) != here)
        .map(|(pane, _)| pane.id)
        .collect()
}

/// The next agent in a state after the focused one, around the end.
#[must_use]
pub fn next_in(scene: &Scene, state: AgentState) -> Option<PaneId> {
    let waiting: Vec<PaneId> = agents(scene, false)
        .into_iter()
        .filter(|(_, agent)| agent.state == state)
        .map(|(pane, _)| pane.id)
        .collect();
    let here = waiting.iter().position(|pane| Some(*pane) == scene.layout.focused);
    waiting.get(here.map_or(0, |here| (here + 1) % waiting.len())).copied()
}

/// How many agents are in a state.
#[must_use]
pub fn count_in(scene: &Scene, state: AgentState) -> usize {
    scene.panes.iter().filter(|pane| pane.agent.as_ref().is_some_and(|agent| agent.state == state)).count()
}

/// Time in a state, to the minute (`spec/README.md` point 36).
#[must_use]
pub fn age(now_ms: u64, since_ms: u64) -> String {
    match now_ms.saturating_sub(since_ms) / MINUTE_MS {
        0 => "now".to_owned(),
        minutes @ 1..60 => format!("{minutes}m"),
        minutes @ 60..1440 => format!("{}h", minutes / 60),
        minutes => format!("{}d", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_to_the_minute() {
        let told: Vec<String> =
            [0, 59_999, 60_000, 3_599_999, 3_600_000, 90_000_000].map(|ms| age(ms, 0)).into();
        assert_eq!(told, ["now", "now", "1m", "59m", "1h", "1d"]);
        assert_eq!(age(5, 10), "now", "clocks may differ");
    }
}
