//! SGR, in both of its forms.

use super::params::Params;
use super::terminal::Terminal;
use crate::protocol::style::{Attrs, Color, Style};

impl Terminal {
    /// SGR.
    pub(super) fn select_graphics(&mut self, params: &Params) {
        let style = self.style_mut();
        // By far the most frequent ones in colourful output.
        match params.separate() {
            Some(&[38, 5, index @ 0..=255]) => style.fg = indexed(index),
            Some(&[48, 5, index @ 0..=255]) => style.bg = indexed(index),
            _ => apply(style, params),
        }
    }
}

fn apply(style: &mut Style, params: &Params) {
    let mut groups = params.groups();
    while let Some(group) = groups.next() {
        let number = group[0];
        match number {
            0 => *style = Style::default(),
            4 if group.len() > 1 => set_underline(style, group[1]),
            38 | 48 | 58 => {
                let color = if group.len() > 1 {
                    tied_color(&group[1..])
                } else {
                    let mut next = || groups.next().map(|group| group[0]);
                    separate_color(&mut next)
                };
                if let Some(color) = color {
                    match number {
                        38 => style.fg = color,
                        48 => style.bg = color,
                        _ => style.underline = color,
                    }
                }
            }
            _ => plain(style, number),
        }
    }
}

fn plain(style: &mut Style, number: u16) {
    let attrs = style.attrs;
    let index = |base: u16| indexed(number - base);
    match number {
        1 => style.attrs = attrs.with(Attrs::BOLD),
        2 => style.attrs = attrs.with(Attrs::DIM),
        3 => style.attrs = attrs.with(Attrs::ITALIC),
        4 => set_underline(style, 1),
        5 | 6 => style.attrs = attrs.with(Attrs::BLINK),
        7 => style.attrs = attrs.with(Attrs::REVERSE),
        8 => style.attrs = attrs.with(Attrs::HIDDEN),
        9 => style.attrs = attrs.with(Attrs::STRIKE),
        21 => set_underline(style, 2),
        22 => style.attrs = attrs.without(Attrs::BOLD.with(Attrs::DIM)),
        23 => style.attrs = attrs.without(Attrs::ITALIC),
        24 => set_underline(style, 0),
        25 => style.attrs = attrs.without(Attrs::BLINK),
        27 => style.attrs = attrs.without(Attrs::REVERSE),
        28 => style.attrs = attrs.without(Attrs::HIDDEN),
        29 => style.attrs = attrs.without(Attrs::STRIKE),
        30..=37 => style.fg = index(30),
        39 => style.fg = Color::Default,
        40..=47 => style.bg = index(40),
        49 => style.bg = Color::Default,
        53 => style.attrs = attrs.with(Attrs::OVERLINE),
        55 => style.attrs = attrs.without(Attrs::OVERLINE),
        59 => style.underline = Color::Default,
        90..=97 => style.fg = index(82),
        100..=107 => style.bg = index(92),
        _ => {}
    }
}

fn indexed(index: u16) -> Color {
    Color::Indexed(index.to_le_bytes()[0])
}

/// `4:n`.
fn set_underline(style: &mut Style, kind: u16) {
    let set = match kind {
        0 => Attrs::NONE,
        2 => Attrs::UNDERLINE.with(Attrs::DOUBLE),
        3 => Attrs::UNDERLINE.with(Attrs::CURLY),
        4 => Attrs::UNDERLINE.with(Attrs::DOTTED),
        5 => Attrs::UNDERLINE.with(Attrs::DASHED),
        _ => Attrs::UNDERLINE,
    };
    style.attrs = style.attrs.without(Attrs::UNDERLINES).with(set);
}

/// `5;n` and `2;r;g;b`.
fn separate_color(next: &mut impl FnMut() -> Option<u16>) -> Option<Color> {
    match next()? {
        5 => byte(next()?).map(Color::Indexed),
        2 => {
            let (red, green, blue) = (next()?, next()?, next()?);
            Some(Color::Rgb(byte(red)?, byte(green)?, byte(blue)?))
        }
        _ => None,
    }
}

/// `5:n`, `2:r:g:b` and `2:colourspace:r:g:b`.
fn tied_color(values: &[u16]) -> Option<Color> {
    match *values {
        [5, index, ..] => byte(index).map(Color::Indexed),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => {
            Some(Color::Rgb(byte(red)?, byte(green)?, byte(blue)?))
        }
        _ => None,
    }
}

fn byte(value: u16) -> Option<u8> {
    u8::try_from(value).ok()
}
