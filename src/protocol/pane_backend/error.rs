//! The closed list of error codes (`pane-backend.md` 2.1).

use crate::protocol::params::ParamError;
use serde_json::{Value, json};

/// Every code that a response can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// Not JSON, or too long.
    Parse,
    /// An unknown method.
    MethodNotFound,
    /// Params that cannot be.
    InvalidParams,
    /// What is nobody's fault but ours, or a limit.
    Internal,
    /// No pane with that context id.
    PaneNotFound,
    /// The pane could not be made.
    SpawnFailed,
    /// No room for a split.
    PaneTooSmall,
    /// The pane was made and was not ready in time.
    SpawnTimeout,
    /// Nothing newer came in time.
    CaptureTimeout,
    /// Another session was asked for.
    SessionNotFound,
    /// The command took too long.
    CommandTimeout,
    /// The command could not be started.
    CommandFailed,
}

impl ErrorCode {
    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Parse => -32700,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::PaneNotFound => -32001,
            Self::SpawnFailed => -32002,
            Self::PaneTooSmall => -32003,
            Self::SpawnTimeout => -32004,
            Self::CaptureTimeout => -32005,
            Self::SessionNotFound => -32006,
            Self::CommandTimeout => -32007,
            Self::CommandFailed => -32008,
        }
    }
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Its code.
    pub code: ErrorCode,
    /// For people; never what was sent.
    pub message: String,
    /// For programs.
    pub data: Option<Value>,
}

impl Failure {
    /// A failure without data.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same with data.
    #[must_use]
    pub fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Self {
        Self::new(ErrorCode::InvalidParams, error.to_string()).with(json!({"field": error.field}))
    }
}
