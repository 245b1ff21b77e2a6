//! Inner errors and their codes, once, without a wildcard arm.

use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use crate::server::exec::ExecError;
use crate::server::hub::HubError;
use crate::server::model::ModelError;
use crate::server::terminal::handle::{Gone, InputError};
use serde_json::{Value, json};

/// No pane has that context id.
pub fn no_pane(context: &str) -> Failure {
    Failure::new(ErrorCode::PaneNotFound, "no such pane").with(json!({"context_id": context}))
}

/// The hub would not make a pane.
pub fn of_spawn(error: &HubError) -> Failure {
    match error {
        HubError::Model(model) => of_model(model),
        HubError::StartFailed(_) => spawn_failed("program", &error.to_string()),
        HubError::Closed(_) => spawn_failed("pty", &error.to_string()),
        HubError::Stopping => stopping(),
        HubError::Busy(_)
        | HubError::TooManyFacts(_)
        | HubError::TooManyClients
        | HubError::Attached
        | HubError::Changed(_)
        | HubError::BadSettings(_)
        | HubError::Unreadable(_)
        | HubError::NotSaved => Failure::new(ErrorCode::Internal, error.to_string()),
    }
}

fn of_model(error: &ModelError) -> Failure {
    match error {
        ModelError::Full => spawn_failed("limit", &error.to_string()),
        ModelError::TooSmall => Failure::new(ErrorCode::PaneTooSmall, error.to_string()),
        ModelError::NoWorkspace(_)
        | ModelError::NoTab(_)
        | ModelError::NoPane(_)
        | ModelError::Empty
        | ModelError::NoNeighbour
        | ModelError::NotSplit
        | ModelError::NoSplit
        | ModelError::BadName(_)
        | ModelError::NameTaken(..)
        | ModelError::OutOfRange(_)
        | ModelError::Apart(_)
        | ModelError::BadLayout(_)
        | ModelError::BadRatio => Failure::new(ErrorCode::Internal, error.to_string()),
    }
}

/// The hub would not change or end a pane that was named.
pub fn of_change(error: &HubError, context: &str) -> Failure {
    match error {
        HubError::Model(ModelError::NoPane(_)) => no_pane(context),
        HubError::Stopping => stopping(),
        error => of_spawn(error),
    }
}

/// A pane that could not be made.
pub fn spawn_failed(reason: &str, message: &str) -> Failure {
    Failure::new(ErrorCode::SpawnFailed, message).with(json!({"reason": reason}))
}

/// The server ends.
pub fn stopping() -> Failure {
    internal("shutting_down", "the server is stopping")
}

fn internal(reason: &str, message: &str) -> Failure {
    Failure::new(ErrorCode::Internal, message).with(json!({"reason": reason}))
}

/// Input was not queued.
pub fn of_input(error: InputError, context: &str) -> Failure {
    match error {
        InputError::QueueFull => internal("input_queue_full", &error.to_string()),
        InputError::Closed => no_pane(context),
    }
}

/// The pane went while it was looked at.
pub fn of_gone(_: Gone, context: &str) -> Failure {
    no_pane(context)
}

/// A child outside any pane did not come to its end.
pub fn of_exec(error: &ExecError) -> Failure {
    match error {
        ExecError::Start(_) | ExecError::Broken(_) => command_failed(&error.to_string(), error.os_error()),
        ExecError::Busy => internal("too_many_requests", &error.to_string()),
        ExecError::Stopping => stopping(),
    }
}

/// A command that could not be started.
pub fn command_failed(message: &str, os_error: Option<i32>) -> Failure {
    let data: Value = json!({"os_error": os_error});
    Failure::new(ErrorCode::CommandFailed, message).with(data)
}
