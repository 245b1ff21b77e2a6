//! Everything that can go wrong, as it is written on the wire (`uhp.md` sections 1.1, 1.2, 10, 14).

use crate::protocol::params::ParamError;
use serde::Serialize;
use serde_json::Value;

/// The longest message, in characters (`uhp.md` section 1.1).
const MESSAGE_CHARS: usize = 512;

/// How far a failed mutation got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dispatch {
    /// Refused before any effect: correct and retry.
    NotStarted,
    /// Target or state refused it; nothing happened.
    Rejected,
    /// A terminal was started, then discarded: never retry by itself.
    Started,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $dispatch:ident;)*) => {
        /// A code of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode { $($(#[$doc])* $name,)* }

        impl ErrorCode {
            /// Every code of this build.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// As it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it says of a mutation, unless the method knows better.
            #[must_use]
            pub const fn dispatch(self) -> Dispatch {
                match self { $(Self::$name => Dispatch::$dispatch,)* }
            }
        }
    };
}

codes! {
    /// JSON or envelope is broken.
    InvalidRequest = "invalid_request", NotStarted;
    /// Params break the method's schema.
    InvalidParams = "invalid_params", NotStarted;
    /// No authority for that.
    Forbidden = "forbidden", NotStarted;
    /// A frame over 1 MiB.
    FrameTooLarge = "frame_too_large", NotStarted;
    /// A method that this build does not have.
    UnsupportedCapability = "unsupported_capability", NotStarted;
    /// Another server life.
    StaleServer = "stale_server", Rejected;
    /// No such terminal.
    StaleTerminal = "stale_terminal", Rejected;
    /// The terminal is in another pane.
    StaleRoute = "stale_route", Rejected;
    /// The child has not started yet.
    TerminalNotReady = "terminal_not_ready", Rejected;
    /// The root process is another one.
    ProcessMismatch = "process_mismatch", Rejected;
    /// The terminal went away.
    TerminalGone = "terminal_gone", Rejected;
    /// A capture that cannot fit into a frame.
    CaptureTooLarge = "capture_too_large", Rejected;
    /// Text over `input_bytes`.
    InputTooLarge = "input_too_large", NotStarted;
    /// The input queue refused.
    SendFailed = "send_failed", Rejected;
    /// A terminal could not be made.
    CreateFailed = "create_failed", Rejected;
    /// A terminal could not be closed.
    CloseFailed = "close_failed", Rejected;
    /// Not now.
    Unavailable = "unavailable", Rejected;
    /// A counted limit is reached.
    LimitExceeded = "limit_exceeded", Rejected;
    /// Another stream controls the terminal.
    ControlConflict = "control_conflict", Rejected;
    /// A wait ran out.
    Timeout = "timeout", Rejected;
    /// Part 2: no such workspace, tab or pane.
    NotFound = "not_found", Rejected;
    /// Part 2: the session has no panes.
    NoSession = "no_session", Rejected;
    /// Part 2: the name belongs to somebody else.
    OwnershipConflict = "ownership_conflict", Rejected;
    /// Part 2: something else changed first.
    RevisionConflict = "revision_conflict", Rejected;
    /// Part 2: the events after that number are not kept any more.
    ResyncRequired = "resync_required", Rejected;
    /// Part 2: something cannot be written to a file.
    PersistenceFailed = "persistence_failed", Rejected;
    /// Part 2: busy panes are in the way.
    Busy = "busy", Rejected;
    /// Part 2: a child could not be started.
    SpawnFailed = "spawn_failed", Rejected;
    /// Part 2: several agents go by that name.
    AmbiguousTarget = "ambiguous_target", Rejected;
    /// Part 2: another source holds the authority over an agent's state.
    AuthorityConflict = "authority_conflict", Rejected;
    /// Part 2: the agent takes no input now, or there is none.
    AgentNotReady = "agent_not_ready", Rejected;
    /// Part 2: the agent is gone.
    AgentNotRunning = "agent_not_running", Rejected;
    /// Part 2: somebody waits for another prompt.
    AgentPromptBusy = "agent_prompt_busy", Rejected;
    /// Part 2: the terminal's content is not what it was.
    ContentRevisionConflict = "content_revision_conflict", Rejected;
    /// Part 2: that kind of agent cannot do it.
    UnsupportedAgent = "unsupported_agent", Rejected;
    /// Part 2: no conversation is known that could be meant.
    SessionUnknown = "session_unknown", Rejected;
    /// Anything unexpected.
    Internal = "internal", Rejected;
}

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct Failure {
    /// What kind.
    pub code: ErrorCode,
    /// For people; never input content.
    pub message: String,
    /// How far it got, where the code alone does not say.
    pub dispatch: Option<Dispatch>,
    /// What a client can go on with.
    pub data: Option<Value>,
}

impl Failure {
    /// A failure with the code's own dispatch class.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self { code, message: message.chars().take(MESSAGE_CHARS).collect(), dispatch: None, data: None }
    }

    /// The same with another dispatch class.
    #[must_use]
    pub fn with(self, dispatch: Dispatch) -> Self {
        Self { dispatch: Some(dispatch), ..self }
    }

    /// The same with what a client can go on with.
    #[must_use]
    pub fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Self {
        Self::new(ErrorCode::InvalidParams, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_messages_bounded() {
        let mut texts: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
        assert_eq!(Failure::new(ErrorCode::Internal, "é".repeat(600)).message.chars().count(), 512);
    }
}
