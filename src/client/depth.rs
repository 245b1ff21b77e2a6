//! How many colours the outer terminal knows, and the nearest of those for the others.

use ratatui::style::Color;

/// How many colours the outer terminal knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// All that can be named.
    #[default]
    True,
    /// The 256 of xterm: others are written as the nearest of these.
    Indexed,
}

impl Depth {
    /// What the environment says of the terminal. `COLORTERM` does not travel over ssh; the `TERM` of
    /// terminals that are known to have all colours does.
    #[must_use]
    pub fn of<'value>(variable: impl Fn(&str) -> Option<&'value str>) -> Self {
        const KNOWN: [&str; 6] = ["direct", "kitty", "ghostty", "alacritty", "wezterm", "foot"];
        let said = matches!(variable("COLORTERM"), Some("truecolor" | "24bit"));
        let term = variable("TERM").unwrap_or_default();
        let known = KNOWN.iter().any(|name| term.contains(name)) || variable("WT_SESSION").is_some();
        if said || known { Self::True } else { Self::Indexed }
    }

    /// The colour as the terminal can show it.
    pub fn shown(self, color: Color) -> Color {
        match color {
            Color::Rgb(red, green, blue) if self == Self::Indexed => {
                Color::Indexed(nearest([red, green, blue]))
            }
            other => other,
        }
    }
}

/// The nearest colour of xterm's cube and its greys. The first 16 are left out: they are whatever
/// the person's terminal says.
fn nearest(wanted: [u8; 3]) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |found: [u8; 3]| -> u32 {
        wanted.iter().zip(found).map(|(wanted, found)| u32::from(wanted.abs_diff(found)).pow(2)).sum()
    };
    let step =
        |wanted: u8| (0..6_u8).zip(STEPS).min_by_key(|(_, step)| step.abs_diff(wanted)).unwrap_or_default();
    let [(red, red_is), (green, green_is), (blue, blue_is)] = wanted.map(step);
    let cube = (16 + 36 * red + 6 * green + blue, distance([red_is, green_is, blue_is]));
    let grey = |index: u8| (232 + index, distance([8 + 10 * index; 3]));
    let nearest = (0..24).map(grey).chain([cube]).min_by_key(|(_, distance)| *distance);
    nearest.unwrap_or(cube).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_colours_are_written_where_the_terminal_is_known_to_have_them() {
        let depth = |set: (&str, &'static str)| Depth::of(|name| (name == set.0).then_some(set.1));
        for set in [("COLORTERM", "truecolor"), ("TERM", "xterm-kitty"), ("WT_SESSION", "1")] {
            assert_eq!(depth(set), Depth::True, "{set:?}");
        }
        for set in [("COLORTERM", "yes"), ("TERM", "xterm-256color")] {
            assert_eq!(depth(set), Depth::Indexed, "{set:?}");
        }
    }

    #[test]
    fn a_terminal_of_256_colours_gets_the_nearest_ones() {
        for (rgb, index) in [
            ([0, 0, 0], 16),
            ([255, 255, 255], 231),
            ([0xff, 0x87, 0x00], 208),
            ([0x17, 0x1a, 0x20], 234),
            ([0x86, 0xb1, 0xd6], 110),
        ] {
            assert_eq!(nearest(rgb), index, "{rgb:?}");
        }
    }
}
