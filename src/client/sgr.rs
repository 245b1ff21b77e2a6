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

/// Attributes that ratatui has no word for, in bits that it does not use.
pub const OVERLINE: Modifier = Modifier::from_bits_retain(1 << 9);
/// A double underline; like the other kinds it comes with `UNDERLINED`.
pub const DOUBLE: Modifier = Modifier::from_bits_retain(1 << 10);
/// A curly underline.
pub const CURLY: Modifier = Modifier::from_bits_retain(1 << 11);
/// A dotted underline.
pub const DOTTED: Modifier = Modifier::from_bits_retain(1 << 12);
/// A dashed underline.
pub const DASHED: Modifier = Modifier::from_bits_retain(1 << 13);

/// A cell of a link: which one is asked for when it is written.
pub const LINKED: Modifier = Modifier::from_bits_retain(1 << 14);
/// Set for every other link, so that a change of the link alone is seen.
pub const OTHER_LINK: Modifier = Modifier::from_bits_retain(1 << 15);

/// A link as the outer terminal is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLink {
    /// Makes cells that are apart one link.
    pub id: String,
    /// Where it leads: printable ASCII.
    pub uri: String,
}

/// What switches each attribute on. A kind of underline comes after the underline, which it replaces.
const ATTRIBUTES: [(Modifier, &[u8]); 14] = [
    (Modifier::BOLD, b"1;"),
    (Modifier::DIM, b"2;"),
    (Modifier::ITALIC, b"3;"),
    (Modifier::UNDERLINED, b"4;"),
    (Modifier::SLOW_BLINK, b"5;"),
    (Modifier::RAPID_BLINK, b"6;"),
    (Modifier::REVERSED, b"7;"),
    (Modifier::HIDDEN, b"8;"),
    (Modifier::CROSSED_OUT, b"9;"),
    (OVERLINE, b"53;"),
    (DOUBLE, b"4:2;"),
    (CURLY, b"4:3;"),
    (DOTTED, b"4:4;"),
    (DASHED, b"4:5;"),
];

/// Writes cells, knowing where the cursor stands and which style is on.
pub struct Pen<'out> {
    out: &'out mut Vec<u8>,
    depth: Depth,
    at: Option<(u16, u16)>,
    look: Look,
    link: Option<ShownLink>,
}

/// Colours and attributes of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl Look {
    const PLAIN: Self =
        Self { fg: Color::Reset, bg: Color::Reset, underline: Color::Reset, modifier: Modifier::empty() };

    const fn of(cell: &Cell) -> Self {
        let modifier = cell.modifier.difference(LINKED.union(OTHER_LINK));
        Self { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier }
    }
}

impl<'out> Pen<'out> {
    /// A pen on a terminal whose style is the default one and whose cursor is anywhere.
    pub fn new(out: &'out mut Vec<u8>, depth: Depth) -> Self {
        Self { out, depth, at: None, look: Look::PLAIN, link: None }
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

    /// What is written from here on is part of a link, or of none.
    pub fn set_link(&mut self, link: Option<ShownLink>) {
        if self.link == link {
            return;
        }
        self.out.extend_from_slice(b"\x1b]8;");
        if let Some(ShownLink { id, uri }) = &link {
            self.out.extend_from_slice(format!("id={id};{uri}").as_bytes());
        } else {
            self.out.push(b';');
        }
        self.out.extend_from_slice(b"\x1b\\");
        self.link = link;
    }

    /// Leaves the default style on, and no link.
    pub fn finish(mut self) {
        self.set_link(None);
        if self.look != Look::PLAIN {
            self.out.extend_from_slice(b"\x1b[0m");
        }
    }

    fn style(&mut self, cell: &Cell) {
        let look = Look::of(cell);
        if self.look == look {
            return;
        }
        self.out.extend_from_slice(b"\x1b[");
        if !look.modifier.contains(self.look.modifier) {
            self.out.extend_from_slice(b"0;");
            self.look = Look::PLAIN;
        }
        let added = look.modifier.difference(self.look.modifier);
        for (_, parameter) in ATTRIBUTES.iter().filter(|(attribute, _)| added.contains(*attribute)) {
            self.out.extend_from_slice(parameter);
        }
        if self.look.fg != look.fg {
            color(self.out, self.depth.shown(look.fg), 30);
        }
        if self.look.bg != look.bg {
            color(self.out, self.depth.shown(look.bg), 40);
        }
        if self.look.underline != look.underline {
            underline(self.out, self.depth.shown(look.underline));
        }
        if self.out.last() == Some(&b';') {
            self.out.pop();
        }
        self.out.push(b'm');
        self.look = look;
    }
}

/// Writes the colour of the underline, in the form that terminals which do not know it pass over.
fn underline(out: &mut Vec<u8>, color: Color) {
    let parameter = match color {
        Color::Indexed(index) => format!("58:5:{index};"),
        Color::Rgb(red, green, blue) => format!("58:2::{red}:{green}:{blue};"),
        _ => "59;".to_owned(),
    };
    out.extend_from_slice(parameter.as_bytes());
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

/// Has the outer terminal tell the person something, by its own means.
pub fn notify(out: &mut Vec<u8>, text: &str) {
    let text: String = text.chars().filter(|char| !char.is_control()).collect();
    // OSC 9 is what most terminals show; the bell is for the others.
    out.extend_from_slice(format!("\x1b]9;{text}\x1b\\\x07").as_bytes());
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
    fn attributes_beyond_the_usual_ones_reach_the_terminal() {
        let mut cell = Cell::new("a");
        cell.modifier = Modifier::UNDERLINED | CURLY | OVERLINE | Modifier::CROSSED_OUT;
        cell.underline_color = Color::Rgb(1, 2, 3);
        let mut plain = cell.clone();
        plain.modifier = Modifier::UNDERLINED;
        plain.underline_color = Color::Reset;
        let text = written(|out| {
            let mut pen = Pen::new(out, Depth::True);
            pen.put(0, 0, &cell, false);
            pen.put(0, 1, &cell, false);
            pen.put(0, 2, &plain, false);
            pen.finish();
        });
        assert_eq!(text, "\x1b[1;1H\x1b[4;9;53;4:3;58:2::1:2:3maa\x1b[0;4ma\x1b[0m");
    }

    #[test]
    fn a_title_cannot_break_out() {
        assert_eq!(written(|out| title(out, "a\x1b]0;x\x07b")), "\x1b]2;a]0;xb\x1b\\");
    }
}
