//! Inner errors and their codes, once, without a wildcard arm.

use super::close::confirmation;
use super::tracker::SubmitError;
use crate::protocol::ids::PaneId;
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::runtime::snapshot::Snapshot;
use crate::server::hub::HubError;
use crate::server::model::ModelError;
use crate::server::terminal::handle::InputError;
use serde_json::json;

/// The hub refused a command.
pub fn of_hub(error: &HubError, present: &Snapshot) -> Failure {
    match error {
        HubError::Model(model) => of_model(model),
        HubError::Busy(panes) => confirmation(present, |pane| panes.contains(&PaneId(pane))),
        HubError::StartFailed(_) => failed(error, "start_failed"),
        HubError::Closed(_) => failed(error, "ended"),
        HubError::TooManyClients
        | HubError::Attached
        | HubError::Changed(_)
        | HubError::BadSettings(_)
        | HubError::TooManyFacts(_)
        | HubError::Unreadable(_)
        | HubError::NotSaved
        | HubError::Stopping => Failure::new(ErrorCode::RuntimeUnavailable, error.to_string()),
    }
}

fn of_model(error: &ModelError) -> Failure {
    let code = match error {
        ModelError::NoWorkspace(_)
        | ModelError::NoTab(_)
        | ModelError::NoPane(_)
        | ModelError::Empty
        | ModelError::OutOfRange(_) => ErrorCode::TargetNotFound,
        ModelError::NoNeighbour | ModelError::NotSplit | ModelError::NoSplit | ModelError::Apart(_) => {
            ErrorCode::InvalidState
        }
        ModelError::BadName(_)
        | ModelError::NameTaken(..)
        | ModelError::BadLayout(_)
        | ModelError::BadRatio => ErrorCode::InvalidParams,
        ModelError::TooSmall => return failed(error, "too_small"),
        ModelError::Full => return failed(error, "too_many_panes"),
    };
    Failure::new(code, error.to_string())
}

fn failed(error: &impl ToString, reason: &str) -> Failure {
    Failure::new(ErrorCode::ActionFailed, error.to_string()).with(json!({"reason": reason}))
}

/// An action was not queued.
pub fn of_submit(error: SubmitError) -> Failure {
    match error {
        SubmitError::InProgress => {
            let message = "the previous input is not completely written; try again in a moment";
            Failure::new(ErrorCode::InputInProgress, message)
        }
        SubmitError::Input(error) => of_input(error),
    }
}

/// Input was not queued.
pub fn of_input(error: InputError) -> Failure {
    match error {
        InputError::QueueFull => failed(&error, "input_queue_full"),
        InputError::Closed => Failure::new(ErrorCode::PaneExited, error.to_string()),
    }
}
