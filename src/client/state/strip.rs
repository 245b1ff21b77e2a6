//! The prompt strip as data: a line, and the panes that it is for.

use super::State;
use crate::client::field::Field;
use crate::protocol::ids::PaneId;
use std::collections::BTreeSet;

/// Which panes get the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Targets {
    /// The focused one.
    #[default]
    Focused,
    /// Those of the focused tab.
    Tab,
    /// All that agents run in.
    Agents,
    /// Those that the person picked.
    Picked,
}

impl Targets {
    /// The next one or the one before, around the end.
    #[must_use]
    pub fn beside(self, forward: bool) -> Self {
        const ALL: [Targets; 4] = [Targets::Focused, Targets::Tab, Targets::Agents, Targets::Picked];
        let at = ALL.iter().position(|targets| *targets == self).unwrap_or(0);
        ALL[(at + if forward { 1 } else { ALL.len() - 1 }) % ALL.len()]
    }

    /// What it is called.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Focused => "the focused pane",
            Self::Tab => "all panes of the tab",
            Self::Agents => "all agents",
            Self::Picked => "picked panes",
        }
    }
}

/// The strip.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Strip {
    /// The line.
    pub field: Field,
    /// Whom it is for.
    pub targets: Targets,
    /// The picked panes.
    pub picked: BTreeSet<PaneId>,
    /// The row of the list that the next pick is for.
    pub at: usize,
}

impl Strip {
    /// The panes that get the line, as the session is now.
    #[must_use]
    pub fn panes(&self, state: &State) -> Vec<PaneId> {
        let Some(scene) = state.scene() else { return Vec::new() };
        let tab = scene.tab().map(|tab| tab.id);
        let all = scene.panes.iter();
        match self.targets {
            Targets::Focused => scene.layout.focused.into_iter().collect(),
            Targets::Tab => all.filter(|pane| Some(pane.tab) == tab).map(|pane| pane.id).collect(),
            Targets::Agents => {
                let agent = |pane: &&crate::protocol::scene::PaneScene| {
                    pane.agent.as_ref().is_some_and(|agent| agent.kind.is_some())
                };
                all.filter(agent).map(|pane| pane.id).collect()
            }
            Targets::Picked => all.map(|pane| pane.id).filter(|pane| self.picked.contains(pane)).collect(),
        }
    }

    /// Forgets panes that are gone.
    pub fn keep(&mut self, panes: &[PaneId]) {
        self.picked.retain(|pane| panes.contains(pane));
        self.at = self.at.min(panes.len().saturating_sub(1));
    }
}
