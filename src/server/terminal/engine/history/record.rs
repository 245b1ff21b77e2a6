//! How text and styles of cells are written for the history: UTF-8 with marks of a byte each where the
//! style changes and around clusters.
//!
//! Invariant: a cell is read as it was written. Cells hold no control character, so that marks are
//! unambiguous.

use crate::protocol::style::Style;
use crate::server::terminal::engine::width::{char_width, is_plainly_wide};

/// Then the number of a style in the block, one byte.
const STYLE: u8 = 1;
/// Then the number of a style in the block, two bytes.
const LONG_STYLE: u8 = 2;
/// Then the length of a cluster, one byte, and its text.
const CLUSTER: u8 = 3;
/// The same in two columns.
const WIDE_CLUSTER: u8 = 4;
/// The last mark.
const MARKS: u8 = WIDE_CLUSTER;

/// Writes that the style is `number` from here on.
pub(super) fn write_style(out: &mut Vec<u8>, number: u16) {
    match u8::try_from(number) {
        Ok(short) => out.extend_from_slice(&[STYLE, short]),
        Err(_) => {
            out.push(LONG_STYLE);
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// Writes a character of a cell of its own.
pub(super) fn write_char(out: &mut Vec<u8>, char: char, wide: bool) {
    let mut buffer = [0; 4];
    let text = char.encode_utf8(&mut buffer);
    if wide && is_plainly_wide(char) || (char_width(char) == 2) == wide {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_cluster(out, text, wide);
    }
}

/// Writes a cluster.
pub(super) fn write_cluster(out: &mut Vec<u8>, text: &str, wide: bool) {
    let Ok(length) = u8::try_from(text.len()) else { return out.push(b' ') };
    out.extend_from_slice(&[if wide { WIDE_CLUSTER } else { CLUSTER }, length]);
    out.extend_from_slice(text.as_bytes());
}

/// The rows of a record with wide cells: as wrapping it cell by cell has them, in runs.
pub(super) fn rows(mut bytes: &[u8], width: usize) -> usize {
    let (mut rows, mut col) = (1, 0);
    while let Some(&first) = bytes.first() {
        if (b' '..0x80).contains(&first) {
            let run = bytes.iter().take_while(|byte| (b' '..0x80).contains(*byte)).count();
            // A full row goes on in the next one only when something follows.
            let end = col.min(width) + run;
            let filled = (end - 1) / width;
            (rows, col) = (rows + filled, end - filled * width);
            bytes = &bytes[run..];
        } else if is_wide_lead(first) {
            rows += usize::from(advance(&mut col, true, width));
            bytes = bytes.get(3..).unwrap_or_default();
        } else if (0xc0..0xe0).contains(&first) {
            rows += usize::from(advance(&mut col, false, width));
            bytes = bytes.get(2..).unwrap_or_default();
        } else {
            let mut cells = widths(bytes);
            let Some(wide) = cells.next() else { break };
            rows += usize::from(advance(&mut col, wide, width));
            bytes = cells.rest();
        }
    }
    rows
}

/// Whether every character of three bytes that begins so is wide: U+5000 to U+9FFF, U+B000 to U+CFFF.
fn is_wide_lead(first: u8) -> bool {
    matches!(first, 0xe5..=0xe9 | 0xeb | 0xec)
}

/// For each cell of a record whether it is wide: all that is needed to wrap it, and far quicker than the
/// cells themselves.
pub(super) fn widths(bytes: &[u8]) -> Widths<'_> {
    Widths(bytes)
}

/// See [`widths`].
pub(super) struct Widths<'a>(&'a [u8]);

impl<'a> Widths<'a> {
    /// What has not been read.
    fn rest(self) -> &'a [u8] {
        self.0
    }
}

impl Iterator for Widths<'_> {
    type Item = bool;

    #[inline]
    fn next(&mut self) -> Option<bool> {
        loop {
            let (&first, rest) = self.0.split_first()?;
            let bits = |index: usize| u32::from(rest.get(index).copied().unwrap_or(0) & 0x3f);
            let (skipped, wide) = match first {
                STYLE => (2, None),
                LONG_STYLE => (3, None),
                CLUSTER | WIDE_CLUSTER => {
                    let length = usize::from(rest.first().copied().unwrap_or(0));
                    (2 + length, Some(first == WIDE_CLUSTER))
                }
                ..0xc0 => (1, Some(false)),
                // Below U+0800 nothing is wide.
                0xc0..0xe0 => (2, Some(false)),
                0xe0..0xf0 => (3, Some(is_wide(u32::from(first & 0xf) << 12 | bits(0) << 6 | bits(1)))),
                0xf0.. => {
                    let code = u32::from(first & 7) << 18 | bits(0) << 12 | bits(1) << 6 | bits(2);
                    (4, Some(is_wide(code)))
                }
            };
            self.0 = self.0.get(skipped..).unwrap_or_default();
            if wide.is_some() {
                return wide;
            }
        }
    }
}

/// Moves past a cell; whether it begins the next row.
pub(super) fn advance(col: &mut usize, wide: bool, width: usize) -> bool {
    let cell = if wide { 2 } else { 1 };
    let wraps = *col + cell > width && *col > 0;
    *col = if wraps { cell } else { *col + cell };
    wraps
}

/// Bytes and columns of the first `rows` rows, and columns of the last of these.
pub(super) fn measure(mut cells: Cells<'_>, rows: usize, width: usize) -> (usize, usize, usize) {
    let all = cells.left();
    let (mut row, mut col, mut columns) = (0, 0, 0);
    loop {
        let before = all - cells.left();
        let last = col;
        let Some((_, wide, _)) = cells.next() else { return (before, columns, last) };
        row += usize::from(advance(&mut col, wide, width));
        if row == rows {
            return (before, columns, last);
        }
        columns += if wide { 2 } else { 1 };
    }
}

fn is_wide(code: u32) -> bool {
    char::from_u32(code).is_some_and(|char| char_width(char) == 2)
}

/// The cells of a record.
#[derive(Debug, Clone)]
pub(super) struct Cells<'a> {
    bytes: &'a [u8],
    styles: &'a [Style],
    style: Style,
}

impl<'a> Cells<'a> {
    /// Reads `bytes`, which begin in the default style; `styles` are the block's from number one on.
    pub(super) fn new(bytes: &'a [u8], styles: &'a [Style]) -> Self {
        Self { bytes, styles, style: Style::default() }
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn set_style(&mut self, number: usize) {
        let style = number.checked_sub(1).and_then(|index| self.styles.get(index));
        self.style = style.copied().unwrap_or_default();
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = (&'a str, bool, Style);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first = *self.bytes.first()?;
            if first > MARKS {
                let length = match first {
                    ..0xc0 => 1,
                    0xc0..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0.. => 4,
                };
                let text = std::str::from_utf8(self.take(length)?).ok()?;
                let wide = length > 1 && text.chars().next().is_some_and(|char| char_width(char) == 2);
                return Some((text, wide, self.style));
            }
            match *self.take(2)? {
                [STYLE, number] => self.set_style(usize::from(number)),
                [LONG_STYLE, low] => {
                    let high = *self.take(1)?.first()?;
                    self.set_style(usize::from(u16::from_le_bytes([low, high])));
                }
                [mark, length] => {
                    let text = std::str::from_utf8(self.take(usize::from(length))?).ok()?;
                    return Some((text, mark == WIDE_CLUSTER, self.style));
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_of_wide_characters_lead_nothing_else() {
        assert!(('\u{80}'..'\u{800}').all(|char| char_width(char) < 2));
        for char in '\u{800}'..='\u{ffff}' {
            let mut buffer = [0; 4];
            let first = char.encode_utf8(&mut buffer).as_bytes()[0];
            assert!(!is_wide_lead(first) || char_width(char) == 2, "{char:?}");
        }
    }

    #[test]
    fn rows_are_those_of_wrapping_cell_by_cell() {
        let mut line = Vec::new();
        for (index, text) in
            ["ab", "\u{4e2d}\u{6587}", "x", "\u{3042}", "\u{e9}", "\u{1f600}", "abcdefg"].iter().enumerate()
        {
            write_style(&mut line, if index % 2 == 0 { 3 } else { 700 });
            text.chars().for_each(|char| write_char(&mut line, char, char_width(char) == 2));
            write_cluster(&mut line, "e\u{301}", false);
        }
        let line = [line.as_slice(), b"0123456789", line.as_slice()].concat();
        for width in 1..60 {
            let (mut expected, mut col) = (1, 0);
            widths(&line).for_each(|wide| expected += usize::from(advance(&mut col, wide, width)));
            assert_eq!(rows(&line, width), expected, "{width}");
        }
    }
}
