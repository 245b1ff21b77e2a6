//! Colours that a program sets and asks for (OSC 4, 5, 10 to 19, 104 to 119).
//!
//! Invariants: a colour that was not set is the outer terminal's; what is told of it is what that one told, and
//! a documented default where it told nothing. What was set shows in every picture, not in captures.

use super::parser::Terminator;
use super::terminal::Terminal;
use crate::protocol::outer::{OuterColors, Rgb};
use crate::protocol::style::{Attrs, Color, Style};

/// The first of the dynamic colours (OSC 10): text, ground, cursor, two for the pointer, two for a graphics
/// terminal, then the ground of what is selected, another cursor, and its text.
const DYNAMIC: u16 = 10;
const DYNAMIC_COLORS: usize = 10;
/// Colours of attributes (OSC 5): bold, underline, blink, reverse, italic.
const SPECIAL_COLORS: usize = 5;
/// The palette, then the colours of attributes, as OSC 4 counts.
const NUMBERED: usize = 256 + SPECIAL_COLORS;
/// What is told of text and ground while nobody knows better: light grey on black.
const FOREGROUND: Rgb = (0xcc, 0xcc, 0xcc);
const BACKGROUND: Rgb = (0, 0, 0);
/// The same of the first 16 entries of the palette: xterm's.
const FIRST: [Rgb; 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// The colours that were set; most programs set none.
#[derive(Debug, Default)]
pub(super) struct Palette {
    set: Option<Box<Set>>,
    /// The colours of the terminal that this one is shown in.
    outer: OuterColors,
}

#[derive(Debug)]
struct Set {
    numbered: [Option<Rgb>; NUMBERED],
    dynamic: [Option<Rgb>; DYNAMIC_COLORS],
}

impl Palette {
    fn numbered(&self, number: usize) -> Option<Rgb> {
        self.set.as_ref()?.numbered.get(number).copied().flatten()
    }

    fn dynamic(&self, index: usize) -> Option<Rgb> {
        self.set.as_ref()?.dynamic.get(index).copied().flatten()
    }

    fn put(&mut self, slot: Slot, color: Option<Rgb>) {
        if self.set.is_none() && color.is_none() {
            return;
        }
        let empty = || Box::new(Set { numbered: [None; NUMBERED], dynamic: [None; DYNAMIC_COLORS] });
        let set = self.set.get_or_insert_with(empty);
        let place = match slot {
            Slot::Numbered(number) => set.numbered.get_mut(number),
            Slot::Dynamic(index) => set.dynamic.get_mut(index),
        };
        if let Some(place) = place {
            *place = color;
        }
        if set.numbered.iter().chain(&set.dynamic).all(Option::is_none) {
            self.set = None;
        }
    }

    /// RIS: what was set is taken back.
    pub(super) fn reset(&mut self) {
        self.set = None;
    }

    /// How pictures differ from the cells, if they do; `reverse` is DECSCNM.
    pub(super) fn recolor(&self, reverse: bool) -> Option<Recolor<'_>> {
        (reverse || self.set.is_some()).then_some(Recolor { palette: self, reverse })
    }

    /// What is told of a colour.
    fn told(&self, slot: Slot) -> Rgb {
        match slot {
            Slot::Numbered(number) => {
                let outer = match self.outer.palette.get(number) {
                    Some(outer) => *outer,
                    None => self.outer.text.filter(|_| number >= 256),
                };
                self.numbered(number).or(outer).unwrap_or_else(|| standard(number))
            }
            // The grounds of the pointer, the graphics terminal and of what is selected.
            Slot::Dynamic(index @ (1 | 4 | 6 | 9)) => {
                self.dynamic(index).or(self.outer.ground).unwrap_or(BACKGROUND)
            }
            Slot::Dynamic(index) => {
                let outer = self.outer.cursor.filter(|_| index == 2).or(self.outer.text);
                self.dynamic(index).or(outer).unwrap_or(FOREGROUND)
            }
        }
    }
}

/// Which colour.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Numbered(usize),
    /// Counted from [`DYNAMIC`].
    Dynamic(usize),
}

/// How the looks of all cells are changed on their way into a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recolor<'a> {
    palette: &'a Palette,
    /// DECSCNM.
    reverse: bool,
}

impl Recolor<'_> {
    /// Whether a row's blanks at the end look like anything.
    pub(super) fn shows_blanks(self) -> bool {
        self.style(Style::default()) != Style::default()
    }

    /// A style as it is shown.
    pub(super) fn style(self, style: Style) -> Style {
        let ground = |color: Color, index: usize| match color {
            Color::Default => self.palette.dynamic(index).map(rgb),
            other => self.color(other),
        };
        Style {
            fg: ground(style.fg, 0).unwrap_or(style.fg),
            bg: ground(style.bg, 1).unwrap_or(style.bg),
            underline: self.color(style.underline).unwrap_or(style.underline),
            attrs: if self.reverse { style.attrs.toggled(Attrs::REVERSE) } else { style.attrs },
            ..style
        }
    }

    fn color(self, color: Color) -> Option<Color> {
        let Color::Indexed(index) = color else { return None };
        self.palette.numbered(usize::from(index)).map(rgb)
    }
}

fn rgb((red, green, blue): Rgb) -> Color {
    Color::Rgb(red, green, blue)
}

/// xterm's colour of a number; attributes have the text's.
fn standard(number: usize) -> Rgb {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |index: usize| STEPS[index % 6];
    match number {
        0..16 => FIRST[number],
        16..232 => (step((number - 16) / 36), step((number - 16) / 6), step(number - 16)),
        232..256 => {
            let grey = u8::try_from(8 + 10 * (number - 232)).unwrap_or(u8::MAX);
            (grey, grey, grey)
        }
        _ => FOREGROUND,
    }
}

impl Terminal {
    /// OSC 4, and OSC 5 with `first` 256: pairs of a number and a colour or `?`.
    pub(super) fn numbered_colors(&mut self, first: usize, text: &[u8], terminator: Terminator) {
        let mut parts = text.split(|byte| *byte == b';');
        while let (Some(number), Some(spec)) = (parts.next(), parts.next()) {
            let Some(number) = decimal(number).filter(|number| first + number < NUMBERED) else { continue };
            let command = if first == 0 { "4" } else { "5" };
            self.color(Slot::Numbered(first + number), spec, &format!("{command};{number}"), terminator);
        }
    }

    /// OSC 10 to 19: several may be given at once, each for the next number.
    pub(super) fn dynamic_colors(&mut self, first: u16, text: &[u8], terminator: Terminator) {
        let specs = text.split(|byte| *byte == b';');
        for (index, spec) in (usize::from(first - DYNAMIC)..DYNAMIC_COLORS).zip(specs) {
            let name = (usize::from(DYNAMIC) + index).to_string();
            self.color(Slot::Dynamic(index), spec, &name, terminator);
        }
    }

    fn color(&mut self, slot: Slot, spec: &[u8], name: &str, terminator: Terminator) {
        if spec == b"?" {
            let end = if terminator == Terminator::Bell { "\x07" } else { "\x1b\\" };
            let (red, green, blue) = self.palette.told(slot);
            self.answer(format_args!(
                "\x1b]{name};rgb:{red:02x}{red:02x}/{green:02x}{green:02x}/{blue:02x}{blue:02x}{end}"
            ));
        } else if let Some(color) = parse(spec) {
            self.put_color(slot, Some(color));
            self.repaint();
        }
    }

    /// OSC 104, and OSC 105 with `first` 256: the colours of these numbers, or all.
    pub(super) fn reset_numbered(&mut self, first: usize, text: &[u8]) {
        let end = if first == 0 { 256 } else { NUMBERED };
        if text.is_empty() {
            (first..end).for_each(|number| self.palette.put(Slot::Numbered(number), None));
        }
        for number in text.split(|byte| *byte == b';').filter_map(decimal) {
            self.palette.put(Slot::Numbered(first + number), None);
        }
        self.repaint();
    }

    /// OSC 110 to 119.
    pub(super) fn reset_dynamic(&mut self, number: u16) {
        self.put_color(Slot::Dynamic(usize::from(number - DYNAMIC)), None);
        self.repaint();
    }

    /// Shown in a terminal with these colours.
    pub(super) fn shown_in(&mut self, colors: OuterColors) {
        self.change_colors(|palette| palette.outer = colors);
    }

    /// Sets a colour or takes it back.
    fn put_color(&mut self, slot: Slot, color: Option<Rgb>) {
        self.change_colors(|palette| palette.put(slot, color));
    }

    /// Tells who asked for it (2031) when dark becomes light, or light dark.
    fn change_colors(&mut self, change: impl FnOnce(&mut Palette)) {
        let dark = self.is_dark();
        change(&mut self.palette);
        if self.modes.tells_colors && dark != self.is_dark() {
            self.tell_colors();
        }
    }

    /// Everything looks different.
    pub(super) fn repaint(&mut self) {
        self.changed = true;
        self.mark_all();
    }

    /// Whether the ground is dark, as far as is known.
    pub(super) fn is_dark(&self) -> bool {
        let (red, green, blue) = self.palette.told(Slot::Dynamic(1));
        u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114 < 128_000
    }
}

/// How the light of red, green and blue grows with their levels, near enough to the screen that X takes for
/// granted.
const SCREEN: [f64; 3] = [2.49, 2.235, 2.235];

/// The level that gives so much light (0 to 1).
fn intensity(light: &str, exponent: f64) -> Option<u8> {
    let light = light.parse::<f64>().ok().filter(|light| (0.0..=1.0).contains(light))?;
    let wanted = light.powf(exponent.recip()) * 255.0;
    let distance = |level: u8| (f64::from(level) - wanted).abs();
    (0..=255_u8).min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}

fn decimal(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).ok()?.parse::<u16>().ok().map(usize::from)
}

/// A colour as X names it: `rgb:r/g/b`, `rgbi:r/g/b`, `#rgb` with one to four digits each, or one of the
/// basic names.
fn parse(spec: &[u8]) -> Option<Rgb> {
    const NAMES: [(&str, Rgb); 12] = [
        ("black", (0, 0, 0)),
        ("red", (255, 0, 0)),
        ("green", (0, 255, 0)),
        ("yellow", (255, 255, 0)),
        ("blue", (0, 0, 255)),
        ("magenta", (255, 0, 255)),
        ("cyan", (0, 255, 255)),
        ("white", (255, 255, 255)),
        ("gray", (190, 190, 190)),
        ("grey", (190, 190, 190)),
        ("orange", (255, 165, 0)),
        ("purple", (160, 32, 240)),
    ];
    let spec = std::str::from_utf8(spec).ok()?;
    if let Some(digits) = spec.strip_prefix('#') {
        let length = digits.len() / 3;
        if !digits.is_ascii() || digits.len() % 3 != 0 || !(1..=4).contains(&length) {
            return None;
        }
        // The digits are the upper ones.
        let part = |index: usize| {
            let value = u16::from_str_radix(&digits[index * length..(index + 1) * length], 16).ok()?;
            Some(if length == 1 { value << 4 } else { value >> (4 * (length - 2)) }.to_le_bytes()[0])
        };
        return Some((part(0)?, part(1)?, part(2)?));
    }
    let three = |text: &str, part: fn(&str) -> Option<u8>| {
        let mut parts = text.split('/').map(part);
        let color = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(color)
    };
    if let Some(parts) = spec.strip_prefix("rgb:") {
        return three(parts, |part| {
            let value = u32::from_str_radix(part, 16).ok()?;
            let most = (1 << (4 * part.len())) - 1;
            (1..=4).contains(&part.len()).then(|| u8::try_from(value * 255 / most).ok()).flatten()
        });
    }
    if let Some(parts) = spec.strip_prefix("rgbi:") {
        let mut parts = parts.split('/').zip(SCREEN).map(|(part, exponent)| intensity(part, exponent));
        let color = (parts.next()??, parts.next()??, parts.next()??);
        return (spec.matches('/').count() == 2).then_some(color);
    }
    NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(spec)).map(|(_, color)| *color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_form() {
        for same in ["rgb:80/00/ff", "rgb:8080/0000/ffff", "#8000ff", "#800000ff0"] {
            assert_eq!(parse(same.as_bytes()), Some((0x80, 0, 0xff)), "{same}");
        }
        assert_eq!(parse(b"rgb:f/f/f"), Some((255, 255, 255)));
        assert_eq!(parse(b"#fff"), Some((0xf0, 0xf0, 0xf0)));
        assert_eq!(parse(b"#123456789abc"), Some((0x12, 0x56, 0x9a)));
        assert_eq!(parse(b"rgbi:1/0.5/0"), Some((255, 187, 0)));
        assert_eq!(parse(b"rgbi:0.5/0.5/0.5"), Some((0xc1, 0xbb, 0xbb)), "as X has it");
        assert_eq!(parse(b"Red"), Some((255, 0, 0)));
        for bad in [
            &b""[..],
            b"#",
            b"#12",
            b"#ffffffffffffffff",
            b"rgb:1/2",
            b"rgb:1/2/3/4",
            b"rgb:12345/1/1",
            b"rgbi:1/1",
            b"rgbi:1/1/1/1",
            b"rgbi:1/1/2",
            b"nope",
        ] {
            assert_eq!(parse(bad), None, "{}", bad.escape_ascii());
        }
    }

    #[test]
    fn the_standard_palette_is_xterms() {
        assert_eq!((standard(1), standard(16), standard(231)), ((205, 0, 0), (0, 0, 0), (255, 255, 255)));
        assert_eq!(
            (standard(110), standard(232), standard(255)),
            ((135, 175, 215), (8, 8, 8), (238, 238, 238))
        );
    }
}
