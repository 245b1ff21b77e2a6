//! Synchronized updates (2026): the last complete picture stays until the program is done.

use super::terminal::Terminal;
use crate::protocol::frame::Frame;
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
        self.update = Some(Update { deadline: now + SYNCHRONIZED, bytes: 0, picture });
    }

    /// Shows what was held back.
    pub(super) fn end_update(&mut self) {
        let Some(update) = self.update.take() else { return };
        self.settle();
        if self.revision != update.picture.revision {
            // Who has asked for a picture meanwhile has the old one under the present revision.
            self.revision += 1;
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
