//! Watches over a terminal's worker: one that panics takes nothing else with it.

use super::ending::{GRACE, end_tree};
use super::handle::{Fact, Report};
use super::worker::{self, Parts};
use crate::protocol::scene::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

/// Runs a terminal from start to end. An engine that panics ends this terminal alone.
pub(super) async fn supervise(parts: Parts) {
    let (shared, reports) = (Arc::clone(&parts.shared), parts.reports.clone());
    let (child, watched) = oneshot::channel();
    let Err(error) = tokio::spawn(worker::run(parts, child)).await else { return };
    if !error.is_panic() {
        return;
    }
    tracing::error!(pane = %shared.pane, terminal = %shared.terminal, "the terminal's worker panicked");
    shared.close();
    shared.is_over();
    if let (Some(root), Ok(status)) = (shared.root.get(), watched.await) {
        shared.order_end(GRACE, false);
        end_tree(root.pid, shared.terminal, None, status, shared.order.subscribe()).await;
    }
    if !shared.exit_reported.swap(true, Ordering::AcqRel) {
        let fact = Fact::Exited(ExitStatus { code: None, signal: None });
        // Nobody is left to be told.
        let _ = reports.send(Report { pane: shared.pane, terminal: shared.terminal, fact }).await;
    }
}
