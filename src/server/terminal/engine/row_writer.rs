//! How a row is written for the history: its text with SGR sequences where the style changes, beginning
//! in the default style.
//!
//! Invariant: `Draft::read_stored` reads what is written here.

use super::sgr;
use crate::protocol::style::{Attrs, Color, Style};
use std::fmt::{self, Write};

/// Takes a row from `vt100`, which writes the blanks between two texts in the style of the first one,
/// also where nothing was ever written. They are told by how they come: text as a string, a blank as
/// a character. Where they would show, blanks after a text get the default style, unless they end the
/// row (`vt100` leaves out those that have no style), and blanks after a change of style keep it.
pub(super) struct RowWriter {
    row: String,
    style: Style,
    /// Where the sequence that is being written has its parameters.
    parameters: Option<usize>,
    after_text: bool,
    /// Blanks after a text.
    gap: usize,
}

impl RowWriter {
    /// Writes into `row`, which is emptied first.
    pub(super) fn new(mut row: String) -> Self {
        row.clear();
        Self { row, style: Style::default(), parameters: None, after_text: false, gap: 0 }
    }

    /// The row.
    pub(super) fn finish(mut self) -> String {
        self.row.extend(std::iter::repeat_n(' ', self.gap));
        self.row
    }

    /// Takes the sequence whose `m` stands, or will stand, at `end`.
    fn end_sequence(&mut self, end: usize) {
        if let Some(parameters) = self.parameters.take().and_then(|start| self.row.get(start..end)) {
            sgr::apply(&mut self.style, parameters);
        }
        self.after_text = false;
    }

    fn close_gap(&mut self) {
        if self.gap == 0 {
            return;
        }
        let shows = shows_on_blanks(self.style);
        if shows {
            self.row.push_str("\x1b[m");
        }
        self.row.extend(std::iter::repeat_n(' ', std::mem::take(&mut self.gap)));
        if shows {
            sgr::write(&mut self.row, self.style);
        }
    }
}

impl Write for RowWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.gap > 0 {
            self.close_gap();
        }
        self.row.push_str(text);
        if text.starts_with('\x1b') {
            let start = self.row.len() - text.len() + "\x1b[".len();
            self.parameters = Some(start);
            if text.ends_with('m') {
                self.end_sequence(self.row.len() - 1);
            }
        } else if self.parameters.is_none() {
            self.after_text = true;
        }
        Ok(())
    }

    fn write_char(&mut self, char: char) -> fmt::Result {
        match (char, self.parameters) {
            ('m', Some(_)) => {
                self.end_sequence(self.row.len());
                self.row.push('m');
            }
            (' ', None) if self.after_text => self.gap += 1,
            _ => self.row.push(char),
        }
        Ok(())
    }
}

/// Whether a blank in this style looks other than one in the default style.
fn shows_on_blanks(style: Style) -> bool {
    style.bg != Color::Default
        || style.attrs.contains(Attrs::REVERSE)
        || style.attrs.contains(Attrs::UNDERLINE)
}
