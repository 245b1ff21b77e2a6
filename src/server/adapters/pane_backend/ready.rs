//! When a pane is ready (`pane-backend.md` 3.1).
//!
//! Invariant: a timer exists only while a wait does, and only once there was output.

use crate::server::terminal::handle::{PaneHandle, Written};
use std::time::Duration;
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

fn look(written: Written, now: Instant) -> Look {
    let ready = |source| Look::Ready(Ready { source, version: written.version });
    match written.at_prompt {
        Some(true) => ready("prompt"),
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
pub async fn wait(handle: &PaneHandle) -> Ready {
    let mut written = handle.written();
    loop {
        let now = *written.borrow_and_update();
        let looked = Instant::now();
        match look(now, looked) {
            _ if now.over => std::future::pending::<()>().await,
            Look::Ready(ready) => return ready,
            Look::At(due) => tokio::select! {
                () = sleep_until(due) => continue,
                _ = written.changed() => {}
            },
            Look::Later => {
                if written.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
        // A flood is not looked at chunk by chunk.
        sleep_until(looked + LOOKS_APART).await;
    }
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
        let source = |written| match look(written, now) {
            Look::Ready(ready) => ready.source,
            Look::At(_) => "at",
            Look::Later => "later",
        };
        assert_eq!(source(written(0, None)), "later");
        assert_eq!(source(written(3, None)), "quiet");
        assert_eq!(source(written(3, Some(false))), "later");
        assert_eq!(source(written(3, Some(true))), "prompt");
        assert_eq!(source(Written { at: now.into_std(), ..written(1, None) }), "at");
    }
}
