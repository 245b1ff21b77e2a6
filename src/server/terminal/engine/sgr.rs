//! Styles as SGR sequences, written and read.

use crate::protocol::style::{Attrs, Color, Style};
use std::fmt::{self, Write};

/// No sequence written here is longer.
pub(super) const MAX_BYTES: usize = 56;

/// Writes the style from the ground up, so that it depends on nothing before it.
pub(super) fn write(out: &mut String, style: Style) {
    // Writing to a string does not fail.
    let _ = try_write(out, style);
}

fn try_write(out: &mut String, style: Style) -> fmt::Result {
    let attributes = [
        (Attrs::BOLD, 1),
        (Attrs::DIM, 2),
        (Attrs::ITALIC, 3),
        (Attrs::UNDERLINE, 4),
        (Attrs::BLINK, 5),
        (Attrs::REVERSE, 7),
        (Attrs::HIDDEN, 8),
        (Attrs::STRIKE, 9),
    ];
    out.push_str("\x1b[0");
    for (_, number) in attributes.iter().filter(|(one, _)| style.attrs.contains(*one)) {
        write!(out, ";{number}")?;
    }
    for (color, base) in [(style.fg, 30_u16), (style.bg, 40)] {
        match color {
            Color::Default => {}
            Color::Indexed(index @ 0..8) => write!(out, ";{}", base + u16::from(index))?,
            Color::Indexed(index @ 8..16) => write!(out, ";{}", base + 52 + u16::from(index))?,
            Color::Indexed(index) => write!(out, ";{};5;{index}", base + 8)?,
            Color::Rgb(red, green, blue) => write!(out, ";{};2;{red};{green};{blue}", base + 8)?,
        }
    }
    out.push('m');
    Ok(())
}

/// Applies the parameters of an SGR sequence that `vt100` wrote.
pub(super) fn apply(style: &mut Style, parameters: &str) {
    let mut numbers = parameters.split(';').map(|number| number.parse::<u8>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        let intensity = Attrs::BOLD.with(Attrs::DIM);
        match number {
            0 => *style = Style::default(),
            1 => style.attrs = without(style.attrs, intensity).with(Attrs::BOLD),
            2 => style.attrs = without(style.attrs, intensity).with(Attrs::DIM),
            22 => style.attrs = without(style.attrs, intensity),
            3 => style.attrs = style.attrs.with(Attrs::ITALIC),
            23 => style.attrs = without(style.attrs, Attrs::ITALIC),
            4 => style.attrs = style.attrs.with(Attrs::UNDERLINE),
            24 => style.attrs = without(style.attrs, Attrs::UNDERLINE),
            7 => style.attrs = style.attrs.with(Attrs::REVERSE),
            27 => style.attrs = without(style.attrs, Attrs::REVERSE),
            30..=37 => style.fg = Color::Indexed(number - 30),
            38 => style.fg = long_color(&mut numbers),
            39 => style.fg = Color::Default,
            40..=47 => style.bg = Color::Indexed(number - 40),
            48 => style.bg = long_color(&mut numbers),
            49 => style.bg = Color::Default,
            90..=97 => style.fg = Color::Indexed(number - 82),
            100..=107 => style.bg = Color::Indexed(number - 92),
            _ => {}
        }
    }
}

fn long_color(numbers: &mut impl Iterator<Item = u8>) -> Color {
    let mut next = || numbers.next().unwrap_or(0);
    match next() {
        5 => Color::Indexed(next()),
        _ => Color::Rgb(next(), next(), next()),
    }
}

fn without(set: Attrs, other: Attrs) -> Attrs {
    Attrs(set.0 & !other.0)
}
