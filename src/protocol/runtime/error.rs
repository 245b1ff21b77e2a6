//! Error codes (`runtime.md` section 11).

use crate::protocol::params::ParamError;
use serde_json::{Value, json};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// A code of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode { $($(#[$doc])* $name,)* }

        impl ErrorCode {
            /// As it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The envelope is wrong.
    InvalidRequest = "invalid_request";
    /// The request line is too long.
    RequestTooLarge = "request_too_large";
    /// Another protocol or version.
    ProtocolVersionMismatch = "protocol_version_mismatch";
    /// Unknown or not served.
    MethodNotFound = "method_not_found";
    /// Type, bounds, unknown key, forbidden text.
    InvalidParams = "invalid_params";
    /// A step refers to what it cannot.
    InvalidReference = "invalid_reference";
    /// Window, tab, pane or agent is gone or never was.
    TargetNotFound = "target_not_found";
    /// A window must be named.
    AmbiguousTarget = "ambiguous_target";
    /// The action does not fit the state of the target.
    InvalidState = "invalid_state";
    /// A busy pane would be closed.
    ConfirmationRequired = "confirmation_required";
    /// Creation or write failed.
    ActionFailed = "action_failed";
    /// The previous input is not completely written.
    InputInProgress = "input_in_progress";
    /// Bracketed paste is off.
    UnsafeInputMode = "unsafe_input_mode";
    /// The pane's child has ended.
    PaneExited = "pane_exited";
    /// The pane was closed.
    PaneClosed = "pane_closed";
    /// An active agent has the name.
    AgentNameConflict = "agent_name_conflict";
    /// The agent has another generation.
    AgentIdentityMismatch = "agent_identity_mismatch";
    /// The agent has ended.
    AgentExited = "agent_exited";
    /// Another agent runs in its pane.
    AgentReplaced = "agent_replaced";
    /// The agent was not ready in time.
    AgentReadyTimeout = "agent_ready_timeout";
    /// The source has changes that are not committed.
    DirtySource = "dirty_source";
    /// The branch exists.
    BranchConflict = "branch_conflict";
    /// The place of the worktree is taken.
    WorktreePathConflict = "worktree_path_conflict";
    /// No git, or no repository.
    GitUnavailable = "git_unavailable";
    /// The base is no commit.
    InvalidBase = "invalid_base";
    /// The branch cannot have that name.
    InvalidBranch = "invalid_branch";
    /// The shell tells no exit codes, or told none.
    ExitCodeUnavailable = "exit_code_unavailable";
    /// The shell did not say that the command began.
    RunStartTimeout = "run_start_timeout";
    /// The pane went before the command ended.
    RunAborted = "run_aborted";
    /// A wait or a run came to its deadline.
    Timeout = "timeout";
    /// The core did not answer.
    RuntimeTimeout = "runtime_timeout";
    /// The server is stopping.
    RuntimeUnavailable = "runtime_unavailable";
}

/// A failed request.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct Failure {
    /// What kind.
    pub code: ErrorCode,
    /// For people; never input content.
    pub message: String,
    /// More, for programs.
    pub details: Option<Value>,
}

impl Failure {
    /// A failure without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None }
    }

    /// The same with details.
    #[must_use]
    pub fn with(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Self {
        let details = json!({"field": error.field});
        Self::new(ErrorCode::InvalidParams, error.to_string()).with(details)
    }
}
