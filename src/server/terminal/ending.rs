//! Ends a child with everything it started in its terminal: politely first, then for certain.

use super::process::{self, Ask, Family, Mark};
use super::reaper::Status;
use crate::protocol::ids::TerminalId;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::{sleep_until, timeout};

/// What a program usually gets between the hang-up and the kill, to save what it holds.
pub(super) const GRACE: Duration = Duration::from_millis(500);
/// How long a killed process may take to go; one that hangs in the kernel takes longer and is given up.
const LAST_WAIT: Duration = Duration::from_millis(250);

/// When and how a child is to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    /// When it is killed.
    pub(super) kill_at: Instant,
    /// Whether descendants that left the session are ended too: a person who closes a pane does not mean
    /// the service that was started from it, a program that kills a pane does.
    pub(super) whole: bool,
}

/// Hangs up on the tree of `root`, whose `terminal` has `foreground` in front, and kills what is left
/// when the order says so. Returns once the tree is gone, or cannot be ended.
pub(super) async fn end_tree(
    root: u32,
    terminal: TerminalId,
    foreground: Option<u32>,
    mut status: Status,
    mut order: watch::Receiver<Option<Order>>,
) {
    let mut family: Option<Family> = None;
    let mut reaped = false;
    process::hang_up(root, foreground);
    loop {
        let wanted = *order.borrow_and_update();
        if wanted.is_some_and(|order| order.whole) && family.is_none() {
            let found = Family::of(root, Mark::terminal(terminal));
            found.end(Ask::HangUp);
            family = Some(found);
        }
        let due = wanted.map_or_else(Instant::now, |order| order.kill_at);
        tokio::select! {
            biased;
            () = ended(&mut status), if !reaped => {
                reaped = true;
                let left = family.as_ref().is_some_and(Family::is_left);
                if !left && !process::has_session(root, foreground) {
                    return;
                }
            }
            () = sleep_until(due.into()) => break,
            Ok(()) = order.changed() => {}
        }
    }
    let reaped = status.borrow().is_some();
    if let Some(family) = &mut family {
        family.look_again();
        family.end(Ask::ForCertain);
    }
    process::kill(root, foreground, reaped);
    // An error means that it still hangs in the kernel; the caller reports what it knows.
    let _ = timeout(LAST_WAIT, ended(&mut status)).await;
}

/// Waits until the status is known or never will be.
async fn ended(status: &mut Status) {
    let _ = status.wait_for(Option::is_some).await;
}
