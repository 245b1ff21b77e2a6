//! Tab stops.

use crate::protocol::limits::SCREEN_CELLS;

/// Columns between two stops of a fresh terminal.
const EVERY: u16 = 8;

/// Where tabs stop.
#[derive(Debug)]
pub(super) struct Tabs {
    stops: Vec<bool>,
}

impl Default for Tabs {
    fn default() -> Self {
        // Of all columns that there may be, so that a change of size changes nothing here.
        Self { stops: (0..SCREEN_CELLS).map(|col| col % EVERY == 0).collect() }
    }
}

impl Tabs {
    /// HTS, TBC 0.
    pub(super) fn set(&mut self, col: u16, on: bool) {
        if let Some(stop) = self.stops.get_mut(usize::from(col)) {
            *stop = on;
        }
    }

    /// TBC 3.
    pub(super) fn clear(&mut self) {
        self.stops.fill(false);
    }

    /// The next stop right of a column, at most `last`.
    pub(super) fn next(&self, col: u16, last: u16) -> u16 {
        (col.saturating_add(1)..last).find(|col| self.is_set(*col)).unwrap_or(last)
    }

    /// The next stop left of a column, at least `first`.
    pub(super) fn previous(&self, col: u16, first: u16) -> u16 {
        (first..col).rev().find(|col| self.is_set(*col)).unwrap_or(first)
    }

    fn is_set(&self, col: u16) -> bool {
        self.stops.get(usize::from(col)).copied().unwrap_or(false)
    }
}
