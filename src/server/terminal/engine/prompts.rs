//! Where prompts and the output of commands begin (OSC 133), kept with the rows of the primary screen and
//! its history: for jumping from prompt to prompt and for taking a command's whole output.
//!
//! Invariants: a mark moves with its text, into the history and through every change of width; a row has
//! at most one of each kind, the newest.

use super::marks::Mark;
use super::terminal::{PRIMARY, Terminal};
pub use crate::protocol::text::Spot;

/// A prompt that begins on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) col: u16,
    /// How the command that was typed there ended.
    pub(super) exit: Option<i32>,
}

/// What begins on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RowMark {
    pub(super) prompt: Option<Prompt>,
    /// The column at which a command's output begins.
    pub(super) output: Option<u16>,
}

impl RowMark {
    /// Whether there is any.
    pub(super) fn is_some(self) -> bool {
        self.prompt.is_some() || self.output.is_some()
    }
}

/// The output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandOutput {
    /// Its first cell.
    pub start: Spot,
    /// The cell after its last one: at the beginning of a row if its last line is whole. Equal to `start`
    /// if there is none.
    pub end: Spot,
    /// How the command ended, if it did and told.
    pub exit: Option<i32>,
}

impl Terminal {
    /// Keeps a mark of the shell with the row that the cursor is on.
    pub(super) fn note_shell_mark(&mut self, mark: &Mark) {
        let place = self.place;
        let col = place.col + u16::from(place.pending);
        if let Mark::CommandEnd { exit } = mark {
            if std::mem::take(&mut self.command_runs)
                && let Some(exit) = exit
            {
                self.note_exit(*exit);
            }
            return;
        }
        self.command_runs = *mark == Mark::CommandStart;
        if !self.is_primary() {
            return;
        }
        let Some(row) = self.grids[PRIMARY].row_mut(place.row) else { return };
        let kept = row.mark();
        let mark = match mark {
            Mark::PromptStart => RowMark { prompt: Some(Prompt { col, exit: None }), ..kept },
            Mark::CommandStart => RowMark { output: Some(col), ..kept },
            _ => return,
        };
        row.set_mark(mark);
    }

    /// The newest prompt's command ended.
    fn note_exit(&mut self, exit: i32) {
        let rows = self.grids[PRIMARY].rows_mut().rev();
        for row in rows {
            let mut mark = row.mark();
            if let Some(prompt) = &mut mark.prompt {
                prompt.exit = Some(exit);
                return row.set_mark(mark);
            }
        }
        self.history.note_exit(exit);
    }

    /// The row of the last prompt before a row.
    pub(super) fn prompt_before(&self, row: u64) -> Option<u64> {
        self.marks_before(row).find(|(_, mark)| mark.prompt.is_some()).map(|(row, _)| row)
    }

    /// The row of the first prompt after a row.
    pub(super) fn prompt_after(&self, row: u64) -> Option<u64> {
        self.marks_from(row.saturating_add(1)).find(|(_, mark)| mark.prompt.is_some()).map(|(row, _)| row)
    }

    /// The output of the command whose prompt, text or output a row belongs to.
    pub(super) fn command_output(&self, row: u64) -> Option<CommandOutput> {
        let prompt = self
            .marks_before(row.saturating_add(1))
            .find_map(|(row, mark)| mark.prompt.map(|prompt| (Spot { row, col: prompt.col }, prompt.exit)));
        let (from, exit) = prompt.unwrap_or((Spot { row: 0, col: 0 }, None));
        let mut start = None;
        let mut end = None;
        for (row, mark) in self.marks_from(from.row) {
            let next = mark.prompt.map(|prompt| Spot { row, col: prompt.col });
            let output = mark.output.map(|col| Spot { row, col });
            let next = next.filter(|next| *next > from || prompt.is_none());
            // What begins after the next prompt is another command's.
            let output = output.filter(|output| *output >= from && next.is_none_or(|next| *output <= next));
            start = start.or(output);
            if next.is_some() {
                end = next;
                break;
            }
        }
        let start: Spot = start?;
        let end = end.unwrap_or_else(|| self.end_of_text()).max(start);
        Some(CommandOutput { start, end, exit })
    }

    /// Where a command that still runs has come to.
    fn end_of_text(&self) -> Spot {
        let end = self.history.range().end;
        if self.is_primary() {
            let col = self.place.col + u16::from(self.place.pending);
            Spot { row: end + u64::from(self.place.row), col }
        } else {
            Spot { row: self.history.primary_end(), col: 0 }
        }
    }

    /// Rows with marks before a row, the newest first.
    fn marks_before(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        let screen = self.marked_rows().rev().filter(move |(number, _)| *number < row);
        screen.chain(self.history.marks_before(row))
    }

    /// Rows with marks from a row on.
    fn marks_from(&self, row: u64) -> impl Iterator<Item = (u64, RowMark)> {
        let screen = self.marked_rows().filter(move |(number, _)| *number >= row);
        self.history.marks_from(row).chain(screen)
    }

    /// Rows with marks of the primary screen, if it is shown.
    fn marked_rows(&self) -> impl DoubleEndedIterator<Item = (u64, RowMark)> {
        let first = self.history.range().end;
        let shown = if self.is_primary() { self.size.rows } else { 0 };
        let rows = (0..shown).zip(self.grids[PRIMARY].rows().take(usize::from(shown)));
        rows.map(move |(number, row)| (first + u64::from(number), row.mark()))
            .filter(|(_, mark)| mark.is_some())
    }
}
