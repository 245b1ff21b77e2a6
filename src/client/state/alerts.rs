//! What the person was told of: the toast that is shown, and the last ones.

use crate::protocol::attach::message::Told;
use crate::protocol::ids::PaneId;
use std::collections::VecDeque;

/// What is remembered (`product.md` section 7).
const HISTORY: usize = 50;

/// The notifications of this client.
#[derive(Debug, Default)]
pub struct Alerts {
    /// The pane and the line of the toast.
    pub toast: Option<(PaneId, String)>,
    /// The last ones, the newest first.
    pub history: VecDeque<Told>,
    /// Counts the toasts, so that the loop sees when its timer must start anew.
    pub serial: u64,
}

impl Alerts {
    /// Remembers one; the oldest goes.
    pub fn remember(&mut self, told: Told) {
        self.history.push_front(told);
        self.history.truncate(HISTORY);
    }

    /// Takes over what was told before this client came.
    pub fn recall(&mut self, history: Vec<Told>) {
        self.history = history.into();
        self.history.truncate(HISTORY);
    }

    /// Shows a toast in the place of the one before.
    pub fn show(&mut self, pane: PaneId, text: String) {
        self.toast = Some((pane, text));
        self.serial += 1;
    }

    /// The toast goes.
    pub fn close(&mut self) -> Option<(PaneId, String)> {
        self.serial += 1;
        self.toast.take()
    }

    /// The pane of the newest one that is still there.
    pub fn newest(&self, there: impl Fn(PaneId) -> bool) -> Option<PaneId> {
        self.history.iter().map(|told| told.alert.pane).find(|pane| there(*pane))
    }
}
