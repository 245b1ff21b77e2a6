//! Cells as bytes for the outer terminal: cursor moves and SGR, as few as needed.
//!
//! Colours are written as they are. Whether the client's own parts have any is the theme's matter
//! (`NO_COLOR`); what a child chose is the child's.

use super::depth::Depth;
use crate::protocol::frame::CursorShape;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// From here on terminals disagree about widths, as with the two halves of a flag.
const FIRST_EMOJI: char = '\u{1f000}';

/// Writes cells, knowing where the cursor stands and which style is on.
pub struct Pen<'out> {
    out: &'out mut Vec<u8>,
    depth: Depth,
    at: Option<(u16, u16)>,
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl<'out> Pen<'out> {
    /// A pen on a terminal whose style is the default one and whose cursor is anywhere.
    pub fn new(out: &'out mut Vec<u8>, depth: Depth) -> Self {
        Self { out, depth, at: None, fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() }
    }

    /// Writes one cell. `wide` says that its text covers the next cell too.
    pub fn put(&mut self, row: u16, col: u16, cell: &Cell, wide: bool) {
        if self.at != Some((row, col)) {
            move_to(self.out, row, col);
        }
        self.style(cell);
        let symbol = cell.symbol();
        self.out.extend_from_slice(symbol.as_bytes());
        // How far a cluster, a wide character or an emoji moves the cursor is the terminal's opinion.
        let mut chars = symbol.chars();
        let sure = !wide && chars.next().is_none_or(|char| char < FIRST_EMOJI) && chars.next().is_none();
        self.at = sure.then_some((row, col.saturating_add(1)));
    }

    /// Leaves the default style on.
    pub fn finish(self) {
        if (self.fg, self.bg, self.modifier) != (Color::Reset, Color::Reset, Modifier::empty()) {
            self.out.extend_from_slice(b"\x1b[0m");
        }
    }

    fn style(&mut self, cell: &Cell) {
        if (self.fg, self.bg, self.modifier) == (cell.fg, cell.bg, cell.modifier) {
            return;
        }
        self.out.extend_from_slice(b"\x1b[");
        if !cell.modifier.contains(self.modifier) {
            self.out.extend_from_slice(b"0;");
            (self.fg, self.bg, self.modifier) = (Color::Reset, Color::Reset, Modifier::empty());
        }
        for added in (cell.modifier - self.modifier).iter() {
            number(self.out, attribute(added));
            self.out.push(b';');
        }
        if self.fg != cell.fg {
            color(self.out, self.depth.shown(cell.fg), 30);
        }
        if self.bg != cell.bg {
            color(self.out, self.depth.shown(cell.bg), 40);
        }
        if self.out.last() == Some(&b';') {
            self.out.pop();
        }
        self.out.push(b'm');
        (self.fg, self.bg, self.modifier) = (cell.fg, cell.bg, cell.modifier);
    }
}

fn attribute(modifier: Modifier) -> u16 {
    match modifier {
        Modifier::BOLD => 1,
        Modifier::DIM => 2,
        Modifier::ITALIC => 3,
        Modifier::UNDERLINED => 4,
        Modifier::SLOW_BLINK => 5,
        Modifier::RAPID_BLINK => 6,
        Modifier::REVERSED => 7,
        Modifier::HIDDEN => 8,
        _ => 9,
    }
}

/// Writes the parameters of a colour, each followed by `;`. `base` is 30 for text, 40 for ground.
fn color(out: &mut Vec<u8>, color: Color, base: u16) {
    let numbers: &[u16] = match color {
        Color::Indexed(index @ 0..=7) => &[base + u16::from(index)],
        Color::Indexed(index @ 8..=15) => &[base + 52 + u16::from(index)],
        Color::Indexed(index) => &[base + 8, 5, u16::from(index)],
        Color::Rgb(red, green, blue) => &[base + 8, 2, u16::from(red), u16::from(green), u16::from(blue)],
        _ => &[base + 9],
    };
    for parameter in numbers {
        number(out, *parameter);
        out.push(b';');
    }
}

/// Moves the cursor to a zero-based cell.
pub fn move_to(out: &mut Vec<u8>, row: u16, col: u16) {
    out.extend_from_slice(b"\x1b[");
    number(out, row.saturating_add(1));
    out.push(b';');
    number(out, col.saturating_add(1));
    out.push(b'H');
}

/// Sets the shape of the cursor (DECSCUSR).
pub fn cursor_shape(out: &mut Vec<u8>, shape: CursorShape) {
    let code = match shape {
        CursorShape::Default => 0,
        CursorShape::Block { blink: true } => 1,
        CursorShape::Block { blink: false } => 2,
        CursorShape::Underline { blink: true } => 3,
        CursorShape::Underline { blink: false } => 4,
        CursorShape::Bar { blink: true } => 5,
        CursorShape::Bar { blink: false } => 6,
    };
    out.extend_from_slice(b"\x1b[");
    number(out, code);
    out.extend_from_slice(b" q");
}

/// Sets the window's title. Control characters would end the sequence early.
pub fn title(out: &mut Vec<u8>, title: &str) {
    out.extend_from_slice(b"\x1b]2;");
    out.extend(title.chars().filter(|char| !char.is_control()).collect::<String>().as_bytes());
    out.extend_from_slice(b"\x1b\\");
}

/// Puts a text on the outer clipboard (OSC 52).
pub fn clipboard(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"\x1b]52;c;");
    base64(out, text.as_bytes());
    out.extend_from_slice(b"\x1b\\");
}

fn base64(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            out.push(if index <= group.len() {
                DIGITS[(bits >> (18 - 6 * index) & 63) as usize]
            } else {
                b'='
            });
        }
    }
}

fn number(out: &mut Vec<u8>, value: u16) {
    for power in [10_000, 1_000, 100, 10] {
        if value >= power {
            out.push(b'0'.saturating_add((value / power % 10).to_le_bytes()[0]));
        }
    }
    out.push(b'0'.saturating_add((value % 10).to_le_bytes()[0]));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn base64_pads_each_remainder() {
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(written(|out| base64(out, text.as_bytes())), coded);
        }
        assert_eq!(written(|out| clipboard(out, "hi")), "\x1b]52;c;aGk=\x1b\\");
    }

    #[test]
    fn numbers_have_no_leading_zero() {
        for value in [0, 7, 10, 99, 100, 1_009, 65_535] {
            assert_eq!(written(|out| number(out, value)), value.to_string());
        }
    }

    #[test]
    fn only_what_changes_is_written() {
        let mut red = Cell::new("a");
        red.set_fg(Color::Indexed(1)).modifier = Modifier::BOLD;
        let mut plain = Cell::new("b");
        plain.set_fg(Color::Rgb(1, 2, 3));
        let text = written(|out| {
            let mut pen = Pen::new(out, Depth::True);
            pen.put(0, 0, &red, false);
            pen.put(0, 1, &red, false);
            pen.put(0, 2, &plain, false);
            pen.put(4, 2, &plain, true);
            pen.put(4, 4, &plain, false);
            pen.finish();
        });
        assert_eq!(text, "\x1b[1;1H\x1b[1;31maa\x1b[0;38;2;1;2;3mb\x1b[5;3Hb\x1b[5;5Hb\x1b[0m");
    }

    #[test]
    fn the_cursor_is_placed_anew_after_what_may_be_wide() {
        let text = written(|out| {
            let mut pen = Pen::new(out, Depth::True);
            for (col, symbol) in (0..).zip(["│", "\u{1f1e9}", "\u{1f1ea}", "a"]) {
                pen.put(0, col, &Cell::new(symbol), false);
            }
        });
        assert_eq!(text, "\x1b[1;1H│\u{1f1e9}\x1b[1;3H\u{1f1ea}\x1b[1;4Ha");
    }

    #[test]
    fn a_terminal_of_256_colours_is_spared_the_others() {
        let mut cell = Cell::new("a");
        cell.set_fg(Color::Rgb(255, 135, 0)).set_bg(Color::Indexed(3));
        let text = written(|out| Pen::new(out, Depth::Indexed).put(0, 0, &cell, false));
        assert_eq!(text, "\x1b[1;1H\x1b[38;5;208;43ma");
    }

    #[test]
    fn a_title_cannot_break_out() {
        assert_eq!(written(|out| title(out, "a\x1b]0;x\x07b")), "\x1b]2;a]0;xb\x1b\\");
    }
}
