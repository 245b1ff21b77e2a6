//! Synchronized updates (2026): the last complete picture stays until the program is done.
//!
//! Invariant: while one is open, pictures and captures show what stood there before it, and the revision
//! stays.

use super::terminal::Terminal;
use crate::protocol::frame::{Cursor, Frame, Row};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an update may hold the picture back (`spec/terminal.md` section 6).
pub(super) const SYNCHRONIZED: Duration = Duration::from_millis(150);
/// How many bytes it may hold back.
const SYNCHRONIZED_BYTES: usize = 1_048_576;

/// An update in progress.
#[derive(Debug)]
pub(super) struct Update {
    /// When the picture is shown anyway.
    pub(super) deadline: Instant,
    bytes: usize,
    /// What to show meanwhile.
    pub(super) picture: Frame,
    /// Its rows without the colours that the program has set, if it has set some.
    plain: Option<Vec<Arc<Row>>>,
}

impl Update {
    /// A row that is shown meanwhile, as captures have it.
    pub(super) fn row(&self, row: usize) -> Option<&Row> {
        self.plain.as_ref().unwrap_or(&self.picture.rows).get(row).map(AsRef::as_ref)
    }
}

impl Terminal {
    /// Begins an update unless one is open.
    pub(super) fn begin_update(&mut self) {
        if self.update.is_some() {
            return;
        }
        let Some(now) = self.now else { return };
        self.settle();
        let picture = self.paint_live();
        let plain = self.paint_plain();
        self.update = Some(Update { deadline: now + SYNCHRONIZED, bytes: 0, picture, plain });
    }

    /// Shows what was held back.
    pub(super) fn end_update(&mut self) {
        if self.update.take().is_some() {
            self.settle();
        }
    }

    /// The number of the first row of the screen that is shown.
    pub(super) fn shown_first(&self) -> u64 {
        let end = self.history.range().end;
        // What has left the history since is not to be shown.
        self.update.as_ref().map_or(end, |update| update.picture.first.min(end))
    }

    /// The cursor that is shown.
    pub(super) fn shown_cursor(&self) -> Option<Cursor> {
        match &self.update {
            Some(update) => update.picture.cursor,
            None => self.visible_cursor(),
        }
    }

    /// Counts bytes against the bound of an open update.
    pub(super) fn count_bytes(&mut self, bytes: usize) {
        if let Some(update) = &mut self.update {
            update.bytes += bytes;
            if update.bytes > SYNCHRONIZED_BYTES {
                self.end_update();
            }
        }
    }
}
