//! The ends of panes, newest last: what is gone is told apart from what never was.

use super::Hub;
use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::protocol::limits::PANE_LIFECYCLES;
use std::collections::VecDeque;
use std::sync::Arc;

/// How a pane's life went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneEnd {
    /// Its root process ended.
    Exited,
    /// It was removed.
    Closed,
}

/// One end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifecycle {
    /// Counts the ends of this server's life, from 1.
    pub sequence: u64,
    /// Where the pane stood.
    pub workspace: WorkspaceId,
    /// Which pane.
    pub pane: PaneId,
    /// What happened.
    pub end: PaneEnd,
}

impl Hub {
    /// Takes down an end; the oldest is forgotten past the bound.
    pub(super) fn note_end(&mut self, pane: PaneId, end: PaneEnd) {
        let now = self.place(pane).map(|(workspace, _)| workspace.id());
        let before = || self.published.borrow().scene.pane(pane).map(|pane| pane.workspace);
        let Some(workspace) = now.or_else(before) else { return };
        let ends: &mut VecDeque<Lifecycle> = Arc::make_mut(&mut self.lifecycles);
        let sequence = ends.back().map_or(1, |last| last.sequence + 1);
        ends.push_back(Lifecycle { sequence, workspace, pane, end });
        if ends.len() > PANE_LIFECYCLES {
            ends.pop_front();
        }
    }
}
