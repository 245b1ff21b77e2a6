//! What is known of the program in a pane that works for a person: states, and what clients draw of it.
//!
//! Invariant: machine words are English and never change; only their order of urgency is a rule.

use serde::{Deserialize, Serialize};

/// What an agent does (`product.md` section 6). Greater is more urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// Nobody can tell.
    Unknown,
    /// Quiet, and seen.
    Idle,
    /// Generating.
    Working,
    /// Finished, not yet seen.
    Done,
    /// Waits for a person.
    Blocked,
}

impl AgentState {
    /// Every state, the most urgent first.
    pub const ALL: [Self; 5] = [Self::Blocked, Self::Done, Self::Working, Self::Idle, Self::Unknown];

    /// The machine's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }

    /// One of the four states that results may name: what nobody can tell counts as quiet.
    #[must_use]
    pub const fn presented(self) -> Self {
        match self {
            Self::Unknown => Self::Idle,
            state => state,
        }
    }

    /// Whether nothing goes on.
    #[must_use]
    pub const fn is_quiet(self) -> bool {
        matches!(self, Self::Idle | Self::Done)
    }
}

/// What a blocked agent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockedKind {
    /// A yes or no to something that it is about to do.
    Permission,
    /// An answer.
    Question,
    /// A sign-in.
    Auth,
}

impl BlockedKind {
    /// The machine's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Auth => "auth",
        }
    }
}

/// What clients draw of the program in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentScene {
    /// The recognised kind; `None` for a program that only reports its state.
    pub kind: Option<String>,
    /// What it is called in lists: the kind, or what the program calls itself.
    pub label: String,
    /// Its state.
    pub state: AgentState,
    /// What it waits for, if that is known.
    pub blocked: Option<BlockedKind>,
    /// What it asks or says, plain and on one line.
    pub hint: Option<String>,
    /// Since when it is in that state, in milliseconds since 1970.
    pub since_ms: u64,
    /// Whether `blocked` or `done` has not been looked at.
    pub unread: bool,
    /// Progress in percent, if it tells.
    pub progress: Option<u8>,
    /// The title of its conversation.
    pub title: Option<String>,
    /// The counters of its conversation, if it tells them.
    pub usage: Option<UsageScene>,
}

/// How much of a model's context a conversation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContextUsed {
    /// So many percent of it.
    Percent(u8),
    /// So many tokens of one whose size is not known.
    Tokens(u64),
}

/// Counters of a conversation as they are drawn: what is not told is absent, and nothing is estimated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageScene {
    /// Tokens that went in and came out.
    pub tokens: u64,
    /// What its context holds.
    pub context: Option<ContextUsed>,
    /// What it cost, in millionths of the currency.
    pub cost_micros: Option<u64>,
    /// What it costs in an hour, from samples that can be compared.
    pub burn_micros: Option<u64>,
}

/// A conversation that no pane goes on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The agent's kind.
    pub agent: String,
    /// The conversation's exact id.
    pub id: String,
    /// Where the agent ran.
    pub cwd: Option<String>,
    /// Its title, plain and on one line.
    pub title: Option<String>,
    /// When it went on last, in milliseconds since 1970, if that is known.
    pub at_ms: Option<u64>,
}

/// The most urgent of several states.
#[must_use]
pub fn roll_up(states: impl IntoIterator<Item = AgentState>) -> Option<AgentState> {
    states.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_state_wins() {
        use AgentState::{Blocked, Done, Idle, Unknown, Working};
        assert_eq!(roll_up([Idle, Working, Unknown]), Some(Working));
        assert_eq!(roll_up([Working, Done]), Some(Done));
        assert_eq!(roll_up([Done, Blocked, Idle]), Some(Blocked));
        assert_eq!(roll_up([Unknown, Idle]), Some(Idle));
        assert_eq!(roll_up([]), None);
        assert!(AgentState::ALL.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn results_know_four_states() {
        assert_eq!(AgentState::Unknown.presented(), AgentState::Idle);
        assert_eq!(AgentState::Done.presented(), AgentState::Done);
    }
}
