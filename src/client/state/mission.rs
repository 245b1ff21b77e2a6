//! Mission Control: every agent at once, and what the chosen one shows.

use super::agents::agents;
use crate::client::field::Field;
use crate::protocol::agent::{AgentScene, AgentState};
use crate::protocol::attach::message::Peek;
use crate::protocol::ids::PaneId;
use crate::protocol::scene::{PaneScene, Scene};

/// Which agents are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// All.
    #[default]
    All,
    /// Those that wait for a person, and those that are done, unseen.
    Waiting,
    /// Those that work.
    Working,
}

impl Filter {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all states",
            Self::Waiting => "waiting for you",
            Self::Working => "working",
        }
    }

    /// The next one, around the end.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::All => Self::Waiting,
            Self::Waiting => Self::Working,
            Self::Working => Self::All,
        }
    }

    fn shows(self, state: AgentState) -> bool {
        match self {
            Self::All => true,
            Self::Waiting => matches!(state, AgentState::Blocked | AgentState::Done),
            Self::Working => state == AgentState::Working,
        }
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

/// The overlay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mission {
    /// The chosen agent's pane; the first one, if it is not listed.
    pub chosen: Option<PaneId>,
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
    /// The agents listed, by urgency.
    #[must_use]
    pub fn rows<'s>(&self, scene: &'s Scene) -> Vec<(&'s PaneScene, &'s AgentScene)> {
        let mut rows = agents(scene, self.this_workspace);
        rows.retain(|(_, agent)| self.filter.shows(agent.state));
        rows
    }

    /// The chosen row.
    #[must_use]
    pub fn row(&self, scene: &Scene) -> usize {
        let rows = self.rows(scene);
        rows.iter().position(|(pane, _)| Some(pane.id) == self.chosen).unwrap_or(0)
    }

    /// The chosen agent.
    #[must_use]
    pub fn agent<'s>(&self, scene: &'s Scene) -> Option<(&'s PaneScene, &'s AgentScene)> {
        self.rows(scene).get(self.row(scene)).copied()
    }

    /// What was looked at, if it is the chosen agent's.
    #[must_use]
    pub fn seen(&self, scene: &Scene) -> Option<&Peek> {
        let (pane, _) = self.agent(scene)?;
        self.peek.as_ref().filter(|peek| peek.pane == pane.id && Some(peek.terminal) == pane.terminal)
    }
}
