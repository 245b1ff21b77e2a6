//! `pane.wait` (`runtime.md` section 6.5): no race between a submit and the wait for its end.
//!
//! Invariant: the present is looked at before anything is waited for, and every transition after the
//! baseline that is still known counts, also one that was left again at once.

use super::counts::{Transition, Wanted};
use super::{Context, target};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::RUNTIME_WAIT_MS;
use crate::protocol::params::{ParamError, Params, integer, word};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::runtime::snapshot::{Snapshot, TaskState};
use crate::server::hub::PaneEnd;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Every state that can be waited for.
pub const STATES: &[(&str, Wanted)] = &[
    ("idle", Wanted::State(TaskState::Idle)),
    ("running", Wanted::State(TaskState::Running)),
    ("waiting_input", Wanted::State(TaskState::WaitingInput)),
    ("attention", Wanted::State(TaskState::Attention)),
    ("finished", Wanted::State(TaskState::Finished)),
    ("failed", Wanted::State(TaskState::Failed)),
    ("settled", Wanted::Settled),
];

/// What to wait for, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// The state.
    pub wanted: Wanted,
    /// How long.
    pub timeout: Duration,
    /// Only transitions after this one count.
    pub after: Option<u64>,
}

impl Wish {
    /// Reads `state`, `timeout_ms` and `after_seq`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(params: &mut Params) -> Result<Self, ParamError> {
        Ok(Self {
            wanted: params.required("state", word(STATES))?,
            timeout: Duration::from_millis(params.required("timeout_ms", integer(1..=RUNTIME_WAIT_MS))?),
            after: params.nullable("after_seq", integer(1..=u64::MAX))?,
        })
    }
}

/// How a wait was met.
#[derive(Debug)]
pub struct Met {
    /// The transition.
    pub transition: Transition,
    /// The state of the server then.
    pub snapshot: Snapshot,
}

/// `pane.wait`
pub async fn wait(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let wish = Wish::read(&mut params)?;
    params.finish()?;
    let pane = known(context, window, pane)?;
    let met = until(context, pane, wish, || Ok(())).await?;
    let row = met.snapshot.pane(pane.0);
    Ok(json!({
        "window_id": row.map(|(window, _)| window),
        "pane_id": pane.0,
        "state": met.transition.state,
        "state_change_seq": met.transition.seq,
        "pane": row.map(|(_, pane)| pane),
        "revision": met.snapshot.revision,
    }))
}

/// A pane that is there, or was: the wait for one that is gone says how it went.
pub fn known(context: &Context, window: Option<u64>, pane: u64) -> Result<PaneId, Failure> {
    let view = context.hub.snapshot();
    let refused = match target::pane(&view.scene, window, pane) {
        Ok(found) => return Ok(found.id),
        Err(refused) => refused,
    };
    let here = |ended: &&crate::server::hub::Lifecycle| {
        u64::from(ended.pane.0) == pane
            && window.is_none_or(|window| window == u64::from(ended.workspace.0))
            && view.scene.pane(ended.pane).is_none()
    };
    view.lifecycles.iter().find(here).map(|ended| ended.pane).ok_or(refused)
}

/// Waits. `check` is asked at each look, before the state is.
///
/// # Errors
/// `timeout`, the end of the pane, the end of the server, or what `check` refuses with.
pub async fn until(
    context: &Context,
    pane: PaneId,
    wish: Wish,
    check: impl Fn() -> Result<(), Failure>,
) -> Result<Met, Failure> {
    let deadline = Instant::now() + wish.timeout;
    let mut looks = context.tracker.looks();
    loop {
        let stopped = looks.borrow_and_update().stopped;
        check()?;
        let (met, present) = context.tracker.met(&context.hub, pane, wish.after, wish.wanted);
        let view = context.hub.snapshot();
        let row = view.scene.pane(pane);
        if let Some(transition) = met.filter(|_| row.is_some()) {
            return Ok(Met { transition, snapshot: context.tracker.snapshot(&context.hub) });
        }
        if row.is_none_or(|row| row.exited.is_some()) {
            return Err(gone(&view, pane));
        }
        if stopped {
            return Err(Failure::new(ErrorCode::RuntimeUnavailable, "the server is stopping"));
        }
        match timeout_at(deadline, looks.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(Failure::new(ErrorCode::RuntimeUnavailable, "the server is stopping")),
            Err(_) => return Err(late(wish, present)),
        }
    }
}

/// How a pane ended that somebody waited for.
pub fn gone(view: &crate::server::hub::Snapshot, pane: PaneId) -> Failure {
    let exited = view.lifecycles.iter().any(|ended| ended.pane == pane && ended.end == PaneEnd::Exited);
    if exited {
        Failure::new(ErrorCode::PaneExited, "the pane's program has ended")
    } else {
        Failure::new(ErrorCode::PaneClosed, "the pane was closed")
    }
}

fn late(wish: Wish, present: Transition) -> Failure {
    let message = format!("the state was not reached within {} ms", wish.timeout.as_millis());
    Failure::new(ErrorCode::Timeout, message).with(json!({
        "after_seq": wish.after,
        "observed_state_change_seq": present.seq,
        "observed_state": present.state,
    }))
}
