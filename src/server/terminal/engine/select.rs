//! The text of a part of history and screen, and where words, paths and links begin and end.
//!
//! Places are absolute rows, as [`super::Engine::history`] counts. What has been evicted is left out and
//! said so; a change of width numbers rows anew, so that places must be asked for again after it.
//!
//! Invariants: soft-wrapped rows are one line, hard line ends and indentation stay, blanks at line ends go;
//! a wide character is taken once, and whole if either half is meant.

use super::prompts::Spot;
use super::terminal::Terminal;
use crate::protocol::text::without_ending;
pub use crate::protocol::text::{Around, Shape};
use std::ops::Range;

/// The longest text.
pub const SELECTION_BYTES: usize = 4 << 20;

/// Selected text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selected {
    /// Lines joined with LF.
    pub text: String,
    /// Whether something of it is no longer kept.
    pub lost: bool,
    /// Whether it was more than [`SELECTION_BYTES`].
    pub truncated: bool,
}

/// The text from one place to another, both included, in any order.
pub(super) fn text(terminal: &Terminal, from: Spot, to: Spot, shape: Shape) -> Selected {
    let (mut start, mut end) = if from <= to { (from, to) } else { (to, from) };
    let all = terminal.all_rows();
    let mut selected = Selected { lost: start.row < all.start, ..Selected::default() };
    if end.row < all.start || start.row >= all.end {
        return selected;
    }
    if start.row < all.start {
        start = Spot { row: all.start, col: if shape == Shape::Block { start.col } else { 0 } };
    }
    if end.row >= all.end {
        end = Spot { row: all.end - 1, col: if shape == Shape::Block { end.col } else { u16::MAX } };
    }
    let (left, right) = (from.col.min(to.col), from.col.max(to.col));
    if shape == Shape::Lines {
        start = Spot { row: terminal.line_rows(start.row).start, col: 0 };
        end = Spot { row: terminal.line_rows(end.row).end - 1, col: u16::MAX };
    }
    for row in start.row..=end.row {
        let cols = match shape {
            Shape::Block => left..=right,
            _ => {
                let first = if row == start.row { start.col } else { 0 };
                first..=(if row == end.row { end.col } else { u16::MAX })
            }
        };
        let mut col = 0;
        terminal.each_cell(row, |text, wide| {
            let last = col + u16::from(wide);
            if last >= *cols.start() && col <= *cols.end() {
                selected.text.push_str(text);
            }
            col = last + 1;
        });
        let joined = shape != Shape::Block && row < end.row && terminal.row_goes_on(row);
        if !joined {
            let kept = selected.text.trim_end_matches(' ').len();
            selected.text.truncate(kept);
        }
        if selected.text.len() > SELECTION_BYTES {
            let kept = selected.text.floor_char_boundary(SELECTION_BYTES);
            selected.text.truncate(kept);
            selected.truncated = true;
            return selected;
        }
        if !joined && row < end.row {
            selected.text.push('\n');
        }
    }
    selected
}

/// The first and the last cell of what is around a place; `None` if nothing of that kind is there.
pub(super) fn around(terminal: &Terminal, spot: Spot, what: Around) -> Option<(Spot, Spot)> {
    if !terminal.all_rows().contains(&spot.row) {
        return None;
    }
    let rows = terminal.line_rows(spot.row);
    if what == Around::Line {
        return Some((
            Spot { row: rows.start, col: 0 },
            Spot { row: rows.end - 1, col: terminal.size.cols - 1 },
        ));
    }
    let line = terminal.line(rows);
    let text = line.text();
    let at = line.bytes(spot)?;
    let bytes = match what {
        Around::Url => url(text, at.start)?,
        _ => url(text, at.start).or_else(|| word(text, at))?,
    };
    let (first, _) = line.cell(bytes.start)?;
    let (last, _) = line.cell(bytes.end - 1)?;
    Some((first, last))
}

/// The word or path around a byte.
fn word(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let kind = kind(text.get(at.clone())?.chars().next()?);
    let same = |char: &char| self::kind(*char) == kind;
    let before: usize = text[..at.start].chars().rev().take_while(same).map(char::len_utf8).sum();
    let after: usize = text[at.end..].chars().take_while(same).map(char::len_utf8).sum();
    let mut range = at.start - before..at.end + after;
    if kind == Kind::Word {
        // The full stop of a sentence belongs to no word, unless it is what was pointed at.
        let kept = text[range.clone()].trim_end_matches(['.', ':', ',']).len();
        if range.start + kept >= at.end {
            range.end = range.start + kept;
        }
    }
    Some(range)
}

/// What stands together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Word,
    Other,
}

fn kind(char: char) -> Kind {
    if char.is_whitespace() {
        Kind::Blank
    } else if char.is_alphanumeric()
        || matches!(char, '_' | '-' | '.' | '/' | '~' | '+' | '@' | '%' | '#' | ':')
    {
        Kind::Word
    } else {
        // Marks of a cluster stay with what they mark.
        if matches!(char, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}') {
            Kind::Word
        } else {
            Kind::Other
        }
    }
}

/// The address that a byte is in.
fn url(text: &str, at: usize) -> Option<Range<usize>> {
    let is_part = |char: char| {
        !char.is_whitespace() && !char.is_control() && !matches!(char, '<' | '>' | '"' | '`' | '\'')
    };
    for (colon, _) in text.match_indices("://") {
        let scheme = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.');
        let before: usize = text[..colon].chars().rev().take_while(scheme).count();
        let start = colon - before;
        if !text[start..].starts_with(|char: char| char.is_ascii_alphabetic()) {
            continue;
        }
        let body = &text[colon + 3..];
        let length: usize = body.chars().take_while(|char| is_part(*char)).map(char::len_utf8).sum();
        let whole = &text[start..colon + 3 + length];
        let end = start + without_ending(whole).len();
        if end > colon + 3 && (start..end).contains(&at) {
            return Some(start..end);
        }
    }
    None
}
