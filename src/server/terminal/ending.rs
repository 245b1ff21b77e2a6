//! Ends a child with everything it started in its terminal: politely first, then for certain.

use super::process;
use super::reaper::Status;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// What a program gets between the hang-up and the kill, to save what it holds.
const GRACE: Duration = Duration::from_millis(500);
/// How long a killed process may take to go; one that hangs in the kernel takes longer and is given up.
const LAST_WAIT: Duration = Duration::from_millis(250);

/// Hangs up on the tree of `root`, whose terminal has `foreground` in front, and kills what is left
/// after the grace period. Returns once the tree is gone, or cannot be ended.
pub(super) async fn end_tree(root: u32, foreground: Option<u32>, mut status: Status) {
    let deadline = Instant::now() + GRACE;
    process::hang_up(root, foreground);
    if timeout(GRACE, ended(&mut status)).await.is_ok() {
        if !process::has_session(root, foreground) {
            return;
        }
        sleep_until(deadline).await;
    }
    let reaped = status.borrow().is_some();
    process::kill(root, foreground, reaped);
    // An error means that it still hangs in the kernel; the caller reports what it knows.
    let _ = timeout(LAST_WAIT, ended(&mut status)).await;
}

/// Waits until the status is known or never will be.
async fn ended(status: &mut Status) {
    let _ = status.wait_for(Option::is_some).await;
}
