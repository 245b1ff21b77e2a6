//! [`Gauge`]: what anyone may read of a terminal without visiting its worker.
//!
//! Invariant: only the worker writes.

use super::engine::{Engine, Modes};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The engine's small facts as of the worker's last turn. Each is exact; two of them may stem from
/// neighbouring turns.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    revision: AtomicU64,
    modes: AtomicU64,
    history_start: AtomicU64,
    history_end: AtomicU64,
    history_bytes: AtomicU64,
    pictures: AtomicU64,
    looks: AtomicU64,
}

impl Gauge {
    /// Takes over the engine's present values.
    pub(super) fn set(&self, engine: &Engine) {
        let history = engine.history();
        self.history_start.store(history.start, Ordering::Release);
        self.history_end.store(history.end, Ordering::Release);
        let held = u64::try_from(engine.history_bytes()).unwrap_or(u64::MAX);
        self.history_bytes.store(held, Ordering::Release);
        self.modes.store(engine.modes().0, Ordering::Release);
        self.revision.store(engine.revision(), Ordering::Release);
    }

    /// The content revision.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// The child's modes.
    pub(super) fn modes(&self) -> Modes {
        Modes(self.modes.load(Ordering::Acquire))
    }

    /// Pictures were painted, so many in all.
    pub(super) fn painted(&self, pictures: u64) {
        self.pictures.store(pictures, Ordering::Relaxed);
    }

    /// The programs were looked at once more.
    pub(super) fn looked(&self) {
        self.looks.fetch_add(1, Ordering::Relaxed);
    }

    /// Pictures painted and looks taken so far.
    pub(super) fn work(&self) -> (u64, u64) {
        (self.pictures.load(Ordering::Relaxed), self.looks.load(Ordering::Relaxed))
    }

    /// Bytes that the history holds.
    pub(super) fn history_bytes(&self) -> u64 {
        self.history_bytes.load(Ordering::Acquire)
    }

    /// The oldest row kept and the screen's first row.
    pub(super) fn history(&self) -> Range<u64> {
        let end = self.history_end.load(Ordering::Acquire);
        self.history_start.load(Ordering::Acquire).min(end)..end
    }
}
