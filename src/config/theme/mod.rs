//! Themes: fourteen colours by name, built in or from a person's `themes/*.toml`.
//!
//! Invariant: no I/O. Whoever reads the file hands in its text.

mod palette;

pub use palette::{Palette, ThemeError};

/// The theme that counts when none is named.
pub const DEFAULT: &str = "luvus-dark";

/// The built-in themes by name: the default first, then in the order of a list.
static BUILT_IN: [(&str, &str); 11] = [
    (DEFAULT, include_str!("luvus-dark.toml")),
    ("luvus-light", include_str!("luvus-light.toml")),
    ("terminal", include_str!("terminal.toml")),
    ("contrast", include_str!("contrast.toml")),
    ("gruvbox-dark", include_str!("gruvbox-dark.toml")),
    ("gruvbox-light", include_str!("gruvbox-light.toml")),
    ("mocha", include_str!("mocha.toml")),
    ("nord", include_str!("nord.toml")),
    ("solarized-dark", include_str!("solarized-dark.toml")),
    ("solarized-light", include_str!("solarized-light.toml")),
    ("tokyo-night", include_str!("tokyo-night.toml")),
];

/// The names of the built-in themes.
pub fn built_in() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// The text of a built-in theme: what a theme of one's own starts from.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

impl Palette {
    /// The built-in theme of that name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        Self::parse(text(name)?).ok()
    }
}

impl Default for Palette {
    fn default() -> Self {
        Self::built_in(DEFAULT).unwrap_or_else(Self::bare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::style::Color;

    #[test]
    fn every_built_in_theme_is_whole_and_readable() {
        assert!(built_in().count() >= 8);
        for name in built_in() {
            let palette = Palette::parse(text(name).expect("its text")).expect(name);
            assert!(!palette.description.is_empty(), "{name}");
            for (what, ink) in [("text", palette.text), ("muted", palette.muted)] {
                if let (Color::Rgb(..), Color::Rgb(..)) = (ink, palette.panel) {
                    let ratio = contrast(ink, palette.panel);
                    assert!(ratio >= 3.5, "{name}: {what} on panel has a contrast of {ratio:.1}");
                }
            }
        }
    }

    /// The contrast of two colours (WCAG 2.2, section 1.4.3).
    fn contrast(a: Color, b: Color) -> f64 {
        let luminance = |color| {
            let Color::Rgb(red, green, blue) = color else { panic!("a direct colour") };
            let linear = |value: u8| {
                let value = f64::from(value) / 255.0;
                if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}
