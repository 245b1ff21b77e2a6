//! Mission Control: every agent at once, what could be gone on with, and what the chosen one shows.

use super::State;
use super::agents::{Listed, agents, past};
use crate::client::field::Field;
use crate::protocol::agent::{AgentScene, AgentState};
use crate::protocol::attach::message::Peek;
use crate::protocol::ids::PaneId;
use crate::protocol::scene::PaneScene;

/// Which rows are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// All agents, and after them what could be gone on with.
    #[default]
    All,
    /// Those that wait for a person, and those that are done, unseen.
    Waiting,
    /// Those that work.
    Working,
    /// Conversations that no pane goes on with.
    Resumable,
}

impl Filter {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all states",
            Self::Waiting => "waiting for you",
            Self::Working => "working",
            Self::Resumable => "to resume",
        }
    }

    /// The next one, around the end.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::All => Self::Waiting,
            Self::Waiting => Self::Working,
            Self::Working => Self::Resumable,
            Self::Resumable => Self::All,
        }
    }

    fn shows(self, state: AgentState) -> bool {
        match self {
            Self::All => true,
            Self::Waiting => matches!(state, AgentState::Blocked | AgentState::Done),
            Self::Working => state == AgentState::Working,
            Self::Resumable => false,
        }
    }

    fn shows_past(self) -> bool {
        matches!(self, Self::All | Self::Resumable)
    }
}

/// What keys are typed into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A prompt for the agent.
    Prompt(Field),
    /// Names of keys for it.
    Keys(Field),
}

/// A row that is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// The agent of a pane.
    Agent(PaneId),
    /// The conversation of that id.
    Past(String),
}

impl Chosen {
    /// That row.
    #[must_use]
    pub fn of(listed: &Listed<'_>) -> Self {
        match listed {
            Listed::Agent(pane, _) => Self::Agent(pane.id),
            Listed::Past(past) => Self::Past(past.id.clone()),
        }
    }
}

/// The overlay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mission {
    /// The chosen row; the first one, if it is not listed.
    pub chosen: Option<Chosen>,
    /// Whether only this workspace's agents are listed.
    pub this_workspace: bool,
    /// Which states are listed.
    pub filter: Filter,
    /// What the chosen agent's screen shows, as far as it was looked at.
    pub peek: Option<Peek>,
    /// The line that is being typed.
    pub entry: Option<Entry>,
}

impl Mission {
    /// What is listed: the agents by urgency, then conversations.
    #[must_use]
    pub fn rows<'s>(&self, state: &'s State) -> Vec<Listed<'s>> {
        let Some(scene) = state.scene() else { return Vec::new() };
        let agents = agents(scene, self.this_workspace).into_iter();
        let agents = agents.filter(|(_, agent)| self.filter.shows(agent.state));
        let mut rows: Vec<_> = agents.map(|(pane, agent)| Listed::Agent(pane, agent)).collect();
        if self.filter.shows_past() {
            rows.extend(past(state, scene, self.this_workspace).map(Listed::Past));
        }
        rows
    }

    /// The index of the chosen row.
    #[must_use]
    pub fn row(&self, rows: &[Listed<'_>]) -> usize {
        rows.iter().position(|row| Some(Chosen::of(row)) == self.chosen).unwrap_or(0)
    }

    /// What is chosen.
    #[must_use]
    pub fn listed<'s>(&self, state: &'s State) -> Option<Listed<'s>> {
        let rows = self.rows(state);
        rows.get(self.row(&rows)).copied()
    }

    /// The chosen agent.
    #[must_use]
    pub fn agent<'s>(&self, state: &'s State) -> Option<(&'s PaneScene, &'s AgentScene)> {
        self.listed(state)?.agent()
    }

    /// What was looked at, if it is the chosen agent's.
    #[must_use]
    pub fn seen(&self, state: &State) -> Option<&Peek> {
        let (pane, _) = self.agent(state)?;
        self.peek.as_ref().filter(|peek| peek.pane == pane.id && Some(peek.terminal) == pane.terminal)
    }
}
