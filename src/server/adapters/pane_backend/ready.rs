//! When a pane is ready (`pane-backend.md` 3.1).
//!
//! Invariant: a timer exists only while a wait does, and only once there was output.

use crate::protocol::agent::AgentState;
use crate::server::hub::Snapshot;
use crate::server::terminal::handle::{PaneHandle, Written};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// So long without output after some is quiet.
const QUIET: Duration = Duration::from_millis(500);
/// The least time between two looks.
pub const LOOKS_APART: Duration = Duration::from_millis(20);

/// What a pane was when it was ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// How that is known: `prompt`, `agent` or `quiet`.
    pub source: &'static str,
    /// The version of its output.
    pub version: u64,
}

/// Whether it is ready, or when it may be without anything new.
enum Look {
    Ready(Ready),
    At(Instant),
    Later,
}

fn look(written: Written, agent: bool, now: Instant) -> Look {
    let ready = |source| Look::Ready(Ready { source, version: written.version });
    match written.at_prompt {
        Some(true) => ready("prompt"),
        _ if agent => ready("agent"),
        // By its own marks a command runs, however quiet it is.
        Some(false) => Look::Later,
        None if written.version == 0 => Look::Later,
        None => {
            let due = Instant::from_std(written.at) + QUIET;
            if due <= now { ready("quiet") } else { Look::At(due) }
        }
    }
}

/// Waits until the pane is ready, which it may be already. A pane that ended never is.
pub async fn wait(handle: &PaneHandle, mut snapshots: watch::Receiver<Snapshot>) -> Ready {
    let mut written = handle.written();
    loop {
        let now = *written.borrow_and_update();
        let agent = is_agent_ready(handle, &snapshots.borrow_and_update());
        let looked = Instant::now();
        match look(now, agent, looked) {
            _ if now.over => std::future::pending::<()>().await,
            Look::Ready(ready) => return ready,
            Look::At(due) => tokio::select! {
                () = sleep_until(due) => continue,
                _ = written.changed() => {}
                Ok(()) = snapshots.changed() => {}
            },
            Look::Later => tokio::select! {
                Ok(()) = written.changed() => {}
                Ok(()) = snapshots.changed() => {}
                else => std::future::pending().await,
            },
        }
        // A flood is not looked at chunk by chunk.
        sleep_until(looked + LOOKS_APART).await;
    }
}

/// Whether an agent was recognised in the pane that does nothing by itself at present.
fn is_agent_ready(handle: &PaneHandle, snapshot: &Snapshot) -> bool {
    let agent = snapshot.agents.get(&handle.pane()).filter(|agent| agent.identity.is_some());
    agent.is_some_and(|agent| match agent.state {
        AgentState::Idle | AgentState::Done | AgentState::Blocked => true,
        AgentState::Working | AgentState::Unknown => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_beat_quiet_and_nothing_is_not_quiet() {
        let now = Instant::now();
        let written = |version, at_prompt| Written {
            version,
            at: (now - Duration::from_secs(5)).into_std(),
            at_prompt,
            over: false,
        };
        let source_with = |written, agent| match look(written, agent, now) {
            Look::Ready(ready) => ready.source,
            Look::At(_) => "at",
            Look::Later => "later",
        };
        let source = |written| source_with(written, false);
        assert_eq!(source_with(written(3, Some(false)), true), "agent");
        assert_eq!(source(written(0, None)), "later");
        assert_eq!(source(written(3, None)), "quiet");
        assert_eq!(source(written(3, Some(false))), "later");
        assert_eq!(source(written(3, Some(true))), "prompt");
        assert_eq!(source(Written { at: now.into_std(), ..written(1, None) }), "at");
    }
}
