//! Inner errors and their codes, once, without a wildcard arm.

use crate::protocol::uhp::error::{Dispatch, ErrorCode, Failure};
use crate::server::hub::{Conflict, Ended, HubError, SubscribeError};
use crate::server::model::ModelError;
use crate::server::terminal::handle::{Gone, InputError};
use crate::server::wait::Waited;
use serde_json::json;

/// The hub refused a command.
pub fn of_hub(error: &HubError) -> Failure {
    let code = match error {
        HubError::Model(model) => of_model(model),
        HubError::Busy(_) => ErrorCode::Busy,
        HubError::StartFailed(_) | HubError::Closed(_) => ErrorCode::SpawnFailed,
        HubError::TooManyClients => ErrorCode::LimitExceeded,
        HubError::Changed(_) => ErrorCode::RevisionConflict,
        HubError::BadSettings(_) => ErrorCode::InvalidParams,
        HubError::TooManyFacts(_) => ErrorCode::LimitExceeded,
        HubError::NotSaved => ErrorCode::PersistenceFailed,
        HubError::Unreadable(_) => ErrorCode::Unavailable,
        HubError::Attached | HubError::Stopping => ErrorCode::Unavailable,
    };
    let failure = Failure::new(code, error.to_string());
    match error {
        HubError::Changed(Conflict { sequence, .. }) => failure.with_data(json!({"revision": sequence})),
        _ => failure,
    }
}

/// A viewport could not be set.
pub fn of_viewport(error: &HubError) -> Failure {
    match error {
        HubError::Model(_) => gone(Gone),
        error => of_hub(error),
    }
}

fn of_model(error: &ModelError) -> ErrorCode {
    match error {
        ModelError::NoWorkspace(_)
        | ModelError::NoTab(_)
        | ModelError::NoPane(_)
        | ModelError::NoNeighbour
        | ModelError::NoSplit
        | ModelError::OutOfRange(_) => ErrorCode::NotFound,
        ModelError::Empty => ErrorCode::NoSession,
        ModelError::TooSmall | ModelError::NotSplit => ErrorCode::Unavailable,
        ModelError::BadName(_) | ModelError::Apart(_) | ModelError::BadLayout(_) | ModelError::BadRatio => {
            ErrorCode::InvalidParams
        }
        ModelError::NameTaken(..) => ErrorCode::OwnershipConflict,
        ModelError::Full => ErrorCode::LimitExceeded,
    }
}

/// A terminal could not be made (`uhp.md` section 7.12).
pub fn of_create(error: &HubError) -> Failure {
    let dispatch = match error {
        HubError::StartFailed(_) => Dispatch::NotStarted,
        HubError::Closed(_) => Dispatch::Started,
        HubError::Model(ModelError::Full) => return of_hub(error),
        HubError::Model(_)
        | HubError::Busy(_)
        | HubError::TooManyClients
        | HubError::Attached
        | HubError::Changed(_)
        | HubError::BadSettings(_)
        | HubError::TooManyFacts(_)
        | HubError::Unreadable(_)
        | HubError::NotSaved
        | HubError::Stopping => Dispatch::Rejected,
    };
    let message = match error {
        // Its reason names the program, and what was sent is not repeated (`uhp.md` section 1.1).
        HubError::StartFailed(_) => "the program cannot be started".to_owned(),
        other => other.to_string(),
    };
    Failure::new(ErrorCode::CreateFailed, message).with(dispatch)
}

/// A terminal could not be closed: it passed every check a moment ago.
pub fn of_close(error: &HubError) -> Failure {
    let code = match error {
        HubError::Model(ModelError::NoPane(_)) => ErrorCode::TerminalGone,
        HubError::Model(_)
        | HubError::Busy(_)
        | HubError::StartFailed(_)
        | HubError::Closed(_)
        | HubError::TooManyClients
        | HubError::Attached
        | HubError::Changed(_)
        | HubError::BadSettings(_)
        | HubError::TooManyFacts(_)
        | HubError::Unreadable(_)
        | HubError::NotSaved
        | HubError::Stopping => ErrorCode::CloseFailed,
    };
    Failure::new(code, error.to_string())
}

/// There is no subscription.
pub fn of_subscribe(error: SubscribeError) -> Failure {
    match error {
        SubscribeError::Full | SubscribeError::Stopping => {
            Failure::new(ErrorCode::Unavailable, error.to_string())
        }
        SubscribeError::NotKept { sequence } => resync_required(error.to_string(), sequence),
    }
}

/// A wait lost its subscription.
pub fn of_subscription(ended: Ended, sequence: u64) -> Failure {
    match ended {
        Ended::Lost => resync_required(ended.to_string(), sequence),
        Ended::Stopping => Failure::new(ErrorCode::Unavailable, ended.to_string()),
    }
}

fn resync_required(message: String, sequence: u64) -> Failure {
    Failure::new(ErrorCode::ResyncRequired, message).with_data(json!({"sequence": sequence}))
}

/// Input was not queued.
pub fn of_input(error: InputError) -> Failure {
    let code = match error {
        InputError::QueueFull => ErrorCode::SendFailed,
        InputError::Closed => ErrorCode::TerminalGone,
    };
    Failure::new(code, error.to_string())
}

/// The terminal went away during a call.
pub fn gone(gone: Gone) -> Failure {
    Failure::new(ErrorCode::TerminalGone, gone.to_string())
}

/// The revision at which a wait came true.
pub fn of_wait(waited: Waited) -> Result<u64, Failure> {
    match waited {
        Waited::At(revision) => Ok(revision),
        Waited::Gone => Err(gone(Gone)),
        Waited::TimedOut => Err(Failure::new(ErrorCode::Timeout, "the time ran out")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ids::PaneId;

    #[test]
    fn a_failed_create_says_how_far_it_got() {
        let of = |error| {
            let failure = of_create(&error);
            (failure.code, failure.dispatch.unwrap_or_else(|| failure.code.dispatch()))
        };
        assert_eq!(of(HubError::StartFailed("x".into())), (ErrorCode::CreateFailed, Dispatch::NotStarted));
        assert!(
            !of_create(&HubError::StartFailed("`secret` was not found".into())).message.contains("secret")
        );
        assert_eq!(of(HubError::Closed(PaneId(1))), (ErrorCode::CreateFailed, Dispatch::Started));
        assert_eq!(of(ModelError::TooSmall.into()), (ErrorCode::CreateFailed, Dispatch::Rejected));
        assert_eq!(of(ModelError::Full.into()), (ErrorCode::LimitExceeded, Dispatch::Rejected));
    }

    #[test]
    fn a_full_queue_is_named_so() {
        let failure = of_input(InputError::QueueFull);
        assert_eq!(failure.code, ErrorCode::SendFailed);
        assert!(failure.message.contains("queue is full"));
        assert_eq!(of_input(InputError::Closed).code, ErrorCode::TerminalGone);
    }

    #[test]
    fn a_pane_that_vanished_before_its_close_is_gone() {
        assert_eq!(of_close(&ModelError::NoPane(PaneId(1)).into()).code, ErrorCode::TerminalGone);
        assert_eq!(of_close(&HubError::Stopping).code, ErrorCode::CloseFailed);
        assert_eq!(of_hub(&ModelError::NoPane(PaneId(1)).into()).code, ErrorCode::NotFound);
    }
}
