//! Styles as SGR sequences.

use crate::protocol::style::{Attrs, Color, Style};
use std::fmt::{self, Write};

/// No sequence that [`write`] writes is longer.
pub(super) const MAX_BYTES: usize = 64;

/// Writes the style from the ground up, so that it depends on nothing before it, in the plain form that
/// every reader knows.
pub(super) fn write(out: &mut String, style: Style) {
    // Writing to a string does not fail.
    let _ = try_write(out, style, false);
}

/// The same with the kind and colour of the underline.
pub(super) fn write_full(out: &mut String, style: Style) {
    let _ = try_write(out, style, true);
}

fn try_write(out: &mut String, style: Style, full: bool) -> fmt::Result {
    const ATTRIBUTES: [(Attrs, u8); 9] = [
        (Attrs::BOLD, 1),
        (Attrs::DIM, 2),
        (Attrs::ITALIC, 3),
        (Attrs::UNDERLINE, 4),
        (Attrs::BLINK, 5),
        (Attrs::REVERSE, 7),
        (Attrs::HIDDEN, 8),
        (Attrs::STRIKE, 9),
        (Attrs::OVERLINE, 53),
    ];
    const KINDS: [(Attrs, u8); 4] =
        [(Attrs::DOUBLE, 2), (Attrs::CURLY, 3), (Attrs::DOTTED, 4), (Attrs::DASHED, 5)];
    out.push_str("\x1b[0");
    for (_, number) in ATTRIBUTES.iter().filter(|(one, _)| style.attrs.contains(*one)) {
        write!(out, ";{number}")?;
        let kind = KINDS.iter().find(|(kind, _)| style.attrs.contains(*kind));
        if full
            && *number == 4
            && let Some((_, kind)) = kind
        {
            write!(out, ":{kind}")?;
        }
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
    match style.underline {
        Color::Indexed(index) if full => write!(out, ";58:5:{index}")?,
        Color::Rgb(red, green, blue) if full => write!(out, ";58:2::{red}:{green}:{blue}")?,
        _ => {}
    }
    out.push('m');
    Ok(())
}
