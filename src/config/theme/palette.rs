//! The colours of a theme, and their text form.

use crate::protocol::style::Color;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest description that is kept, in characters.
const DESCRIPTION: usize = 80;

/// The names that a terminal's own sixteen colours have in a theme, in palette order.
const NAMED: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// What is wrong with a theme, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ThemeError {
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// What is wrong, and what it should be.
    pub message: String,
}

macro_rules! palette {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// The colours that everything luvus draws is made of. Panes keep the terminal's own.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Palette {
            /// One line about the theme.
            pub description: String,
            $($(#[$doc])* pub $field: Color,)*
        }

        impl Palette {
            /// The names of the colours, as a theme's file has them.
            pub const COLORS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Every colour the terminal's default one.
            pub(super) fn bare() -> Self {
                Self { description: String::new(), $($field: Color::Default,)* }
            }

            fn color_mut(&mut self, name: &str) -> Option<&mut Color> {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

palette! {
    /// The darkest ground (lightest of a light theme): text on coloured chips, text fields.
    ink,
    /// The ground of sidebars and bars.
    panel,
    /// The ground of overlays and of the focused row.
    raised,
    /// The ground of what is selected.
    high,
    /// Frames.
    line,
    /// Third-rank text.
    faint,
    /// Second-rank text.
    muted,
    /// Text.
    text,
    /// Text that stands out.
    bright,
    /// The one accent: what is focused.
    accent,
    /// Work that goes on, and keys.
    amber,
    /// Work that is done.
    green,
    /// What waits for a person, and what failed.
    coral,
    /// A state apart, as zoom.
    violet,
}

impl Palette {
    /// Reads a theme. A colour that is left out is the default theme's.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str) -> Result<Self, ThemeError> {
        let error = |span: std::ops::Range<usize>, message: String| {
            let (line, column) = place(text, span.start);
            ThemeError { line, column, message }
        };
        let table = DeTable::parse(text)
            .map_err(|found| error(found.span().unwrap_or(0..0), found.message().to_owned()))?;
        // The default theme itself is whole, so this ends.
        let base = super::text(super::DEFAULT).filter(|default| *default != text);
        let mut palette = base.and_then(|base| Self::parse(base).ok()).unwrap_or_else(Self::bare);
        palette.description.clear();
        for (key, value) in table.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("description", DeValue::String(line)) => {
                    palette.description =
                        line.chars().filter(|char| !char.is_control()).take(DESCRIPTION).collect();
                }
                ("description", _) => return Err(error(value.span(), "`description` is a text".into())),
                ("colors", DeValue::Table(colors)) => {
                    for (name, value) in colors {
                        palette.set(name, value).map_err(|(span, message)| error(span, message))?;
                    }
                }
                ("colors", _) => return Err(error(value.span(), "`colors` is a table".into())),
                (other, _) => {
                    let message = format!("unknown key `{other}`; a theme has `description` and `[colors]`");
                    return Err(error(key.span(), message));
                }
            }
        }
        Ok(palette)
    }

    fn set(
        &mut self,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), (std::ops::Range<usize>, String)> {
        let Some(own) = self.color_mut(name.get_ref()) else {
            let known = Self::COLORS.join(", ");
            return Err((name.span(), format!("unknown color `{}`; there are {known}", name.get_ref())));
        };
        let color = value.get_ref().as_str().and_then(color);
        *own = color.ok_or_else(|| {
            let names = "a name of the terminal's sixteen (red, bright-black, …)";
            (value.span(), format!("a color is \"#rrggbb\", \"default\", or {names}"))
        })?;
        Ok(())
    }
}

/// A colour as people write it.
fn color(text: &str) -> Option<Color> {
    if text == "default" {
        return Some(Color::Default);
    }
    if let Some(index) = NAMED.iter().position(|name| *name == text) {
        return u8::try_from(index).ok().map(Color::Indexed);
    }
    let digits = text
        .strip_prefix('#')
        .filter(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some(Color::Rgb(part(0)?, part(2)?, part(4)?))
}

/// Line and column (in characters) of a byte.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Palette::parse(text).expect_err(text).to_string()
    }

    #[test]
    fn colors_are_direct_named_or_the_terminals_own() {
        let text = "[colors]\nink = \"#0102fF\"\npanel = \"bright-black\"\ntext = \"default\"\n";
        let palette = Palette::parse(text).expect("a theme");
        assert_eq!((palette.ink, palette.panel), (Color::Rgb(1, 2, 255), Color::Indexed(8)));
        assert_eq!(palette.text, Color::Default);
        assert_eq!(palette.accent, Palette::default().accent, "what is left out is the default theme's");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert!(refused("[colors]\nink = \"#12\"\n").starts_with("2:7: a color is"));
        assert!(refused("[colors]\ninc = \"red\"\n").starts_with("2:1: unknown color `inc`"));
        assert!(refused("colours = 1\n").starts_with("1:1: unknown key `colours`"));
        assert!(refused("[colors\n").starts_with("1:"));
        assert!(refused("[colors]\nink = \"#+1+1+1\"\n").starts_with("2:7"), "digits only");
    }
}
