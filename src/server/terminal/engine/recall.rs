//! The last screen of a terminal for the one after it (`spec/README.md` point 33).
//!
//! Invariant: what is recalled is in the history only, dimmed and marked; no capture, wait or detection
//! ever reads it.

use super::terminal::{PRIMARY, Terminal};
use super::{CaptureMode, CaptureRequest, Engine, allowed};
use crate::protocol::geometry::Size;
use crate::protocol::limits::SCREEN_CELLS;
use crate::protocol::style::{Attrs, Style};
use std::time::Instant;

/// The text of one screen with its styles; a larger one loses its upper lines.
const SCREEN_BYTES: usize = 524_288;
/// The line under a recalled screen.
const MARK: &str = "\u{2500}\u{2500} the screen before the restart \u{2500}\u{2500}";

impl Engine {
    /// The screen as text with SGR sequences. Where it has room above, the newest lines of what was
    /// recalled stay: a shell that was not used must not make the work before it disappear.
    #[must_use]
    pub fn last_screen(&self) -> String {
        let rows = usize::from(self.size().rows);
        let mode = CaptureMode::Visible;
        let shown = self.capture(CaptureRequest {
            mode,
            lines: rows,
            ansi: true,
            max_bytes: SCREEN_BYTES,
            cursor: false,
        });
        let room = rows.saturating_sub(shown.lines);
        let recalled: Vec<&str> = self.recalled.iter().flat_map(|text| text.lines()).collect();
        let older = &recalled[recalled.len().saturating_sub(room)..];
        let lines = older.iter().copied().chain(shown.text.lines());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Puts the text of [`last_screen`](Self::last_screen) into the history of a terminal that has shown
    /// nothing yet.
    pub fn recall(&mut self, text: &str) {
        let text = text.get(..SCREEN_BYTES).unwrap_or(text);
        let lines: Vec<&str> = text.lines().take(usize::from(SCREEN_CELLS) - 1).collect();
        if lines.iter().all(|line| line.trim().is_empty()) {
            return;
        }
        let rows = u16::try_from(lines.len() + 1).unwrap_or(SCREEN_CELLS);
        // As wide as any screen, so that nothing is wrapped twice.
        let mut before = Self::new(allowed(Size::new(rows, SCREEN_CELLS)), 0);
        let picture = format!("{}\r\n\u{1b}[0m{MARK}", lines.join("\r\n"));
        // What it asks for is nobody's wish any more.
        let _ = before.feed(picture.as_bytes(), Instant::now());
        dim(&mut before.terminal);
        let (rows, tables) = (before.terminal.grids[PRIMARY].rows(), &before.terminal.tables);
        let cols = self.terminal.cols();
        self.terminal.history.recall(rows, tables, cols);
        self.recalled = Some(lines.join("\n"));
    }
}

fn dim(terminal: &mut Terminal) {
    let Terminal { grids, tables, .. } = terminal;
    for row in grids[PRIMARY].rows_mut() {
        let cols = row.cells().len();
        row.restyle(0..cols, |number| {
            let style = tables.style(number);
            tables.style_number(Style { attrs: style.attrs.with(Attrs::DIM), ..style })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::View;
    use super::*;
    use crate::protocol::frame::Row as Painted;

    const SIZE: Size = Size { rows: 4, cols: 20 };

    fn engine(text: &str) -> Engine {
        let mut engine = Engine::new(SIZE, 1 << 20);
        let _ = engine.feed(text.as_bytes(), Instant::now());
        engine
    }

    fn everything(engine: &Engine) -> String {
        let mode = CaptureMode::RecentUnwrapped;
        let request = CaptureRequest { mode, lines: 300, ansi: false, max_bytes: 1 << 16, cursor: false };
        let capture = engine.capture(request);
        assert_eq!(capture.history_rows, 0);
        capture.text
    }

    #[test]
    fn a_recalled_screen_is_in_the_history_only() {
        let last = engine("one\r\n\u{1b}[31mtwo\u{1b}[0m \u{754c}").last_screen();
        let mut next = Engine::new(SIZE, 1 << 20);
        next.recall(&last);
        let _ = next.feed(b"$ ", Instant::now());
        assert_eq!(everything(&next), "$");
        assert_eq!(next.history(), 0..4, "two rows and the mark, which is wrapped");
        let picture = next.frame(View::From(0));
        let rows: Vec<String> = picture.rows.iter().map(|row| row.text()).collect();
        assert_eq!(rows[..2], ["one".to_owned(), "two \u{754c}".to_owned()]);
        assert!(rows[2].contains("the screen"), "{rows:?}");
        let dimmed = |row: &Painted| row.runs.iter().all(|run| run.style.attrs.contains(Attrs::DIM));
        assert!(dimmed(&picture.rows[0]) && dimmed(&picture.rows[1]));
        next.resize(Size { rows: 4, cols: 60 });
        assert_eq!(next.history(), 0..3);
    }

    #[test]
    fn a_shell_that_was_not_used_keeps_the_screen_before_it() {
        let mut next = Engine::new(SIZE, 1 << 20);
        next.recall(&engine("one\r\ntwo\r\nthree\r\nfour").last_screen());
        let _ = next.feed(b"$ ", Instant::now());
        let last = next.last_screen();
        assert_eq!(last.lines().collect::<Vec<_>>(), ["two", "three", "four", "$"]);
        let _ = next.feed(b"\x1b[H\x1b[3J", Instant::now());
        assert!(next.history().is_empty());
    }

    #[test]
    fn anything_can_be_recalled() {
        let long = "x".repeat(3_000);
        for text in ["", "\n\n", "\u{1b}[", "\u{1b}[2J\u{1b}c", &long, &"\u{754c}\n".repeat(2_000)] {
            let mut next = Engine::new(SIZE, 1 << 12);
            next.recall(text);
            assert_eq!(everything(&next), "");
            next.resize(Size { rows: 1, cols: 1 });
        }
    }
}
