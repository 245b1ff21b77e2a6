//! Ways through history and screen for who points at text with keys.

use super::prompts::Spot;
use super::terminal::Terminal;
use crate::protocol::text::motion::{self, Motion, Walk};
use crate::protocol::text::rows::{Rows, TextRow};
use std::ops::Range;

impl Rows for Terminal {
    fn all(&self) -> Range<u64> {
        self.all_rows()
    }

    fn row(&self, number: u64) -> Option<TextRow> {
        let mut row = TextRow::default();
        if !self.all_rows().contains(&number) {
            return None;
        }
        self.each_cell(number, |text, wide| row.push(text, wide));
        Some(row.finished(self.row_goes_on(number)))
    }
}

/// Where a way leads; without what it looks for it leads nowhere.
pub(super) fn walk(terminal: &Terminal, from: Spot, walk: Walk) -> Spot {
    let prompt = |row: u64| match walk.motion {
        Motion::PromptAbove => terminal.prompt_before(row),
        _ => terminal.prompt_after(row),
    };
    if matches!(walk.motion, Motion::PromptAbove | Motion::PromptBelow) {
        let mut spot = from;
        for _ in 0..walk.count.unwrap_or(1) {
            match prompt(spot.row) {
                Some(row) => spot = Spot { row, col: 0 },
                None => break,
            }
        }
        return spot;
    }
    // Every row is at hand here, unless it was dropped meanwhile.
    motion::walk(terminal, from, walk).unwrap_or(from)
}
