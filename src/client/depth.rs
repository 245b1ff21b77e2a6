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
    /// The sixteen with names, as the console of Linux has them.
    Named,
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
        match () {
            () if said || known => Self::True,
            () if term.contains("256") => Self::Indexed,
            () => Self::Named,
        }
    }

    /// The colour as the terminal can show it.
    pub fn shown(self, color: Color) -> Color {
        match (self, color) {
            (Self::Indexed, Color::Rgb(red, green, blue)) => Color::Indexed(nearest([red, green, blue])),
            (Self::Named, Color::Rgb(red, green, blue)) => Color::Indexed(named([red, green, blue])),
            (Self::Named, Color::Indexed(index @ 16..)) => Color::Indexed(named(of_index(index))),
            (_, other) => other,
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

/// What xterm's cube and its greys look like.
fn of_index(index: u8) -> [u8; 3] {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match index.checked_sub(232) {
        Some(grey) => [8 + 10 * grey; 3],
        None => {
            let cube = index.saturating_sub(16);
            [cube / 36, cube / 6 % 6, cube % 6].map(|step| STEPS[usize::from(step)])
        }
    }
}

/// The nearest of the sixteen colours, as xterm shows them by default.
fn named(wanted: [u8; 3]) -> u8 {
    const BRIGHT_FROM: u16 = 150;
    let brightest = wanted.into_iter().max().unwrap_or(0);
    let darkest = wanted.into_iter().min().unwrap_or(0);
    if brightest - darkest < 40 {
        return match brightest {
            0..=63 => 0,
            64..=159 => 8,
            160..=223 => 7,
            224.. => 15,
        };
    }
    // Which of the primaries are in it: those in the upper half of what is there.
    let middle = darkest + (brightest - darkest) / 2;
    let [red, green, blue] = wanted.map(|part| u8::from(part > middle));
    let strength = wanted.into_iter().map(u16::from).sum::<u16>() / 3;
    red + 2 * green + 4 * blue + if strength > BRIGHT_FROM { 8 } else { 0 }
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
        assert_eq!(depth(("TERM", "xterm-256color")), Depth::Indexed);
        for set in [("TERM", "linux"), ("TERM", "xterm"), ("COLORTERM", "yes")] {
            assert_eq!(depth(set), Depth::Named, "{set:?}");
        }
    }

    #[test]
    fn a_terminal_of_sixteen_colours_gets_those_that_mean_the_same() {
        let shown = |color| Depth::Named.shown(color);
        for (color, index) in [
            (Color::Rgb(0, 0, 0), 0),
            (Color::Rgb(0x6c, 0x76, 0x86), 8),
            (Color::Rgb(255, 255, 255), 15),
            (Color::Rgb(200, 20, 20), 1),
            (Color::Rgb(255, 215, 0), 11),
            (Color::Indexed(21), 4),
            (Color::Indexed(255), 15),
            (Color::Indexed(9), 9),
        ] {
            assert_eq!(shown(color), Color::Indexed(index), "{color:?}");
        }
        assert_eq!(shown(Color::Reset), Color::Reset);
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
