//! The colour that a program outside gives a pane, as it fits beside the theme.

use ratatui::style::Color;

/// The colour of a word (`blue`) or of `#rrggbb`; nothing for a word that is none.
pub fn color_named(name: &str) -> Option<Color> {
    let (red, green, blue) = match name.to_ascii_lowercase().as_str() {
        "red" => (0xe2, 0x8d, 0x7c),
        "orange" => (0xe0, 0xa3, 0x6b),
        "yellow" => (0xdf, 0xb8, 0x72),
        "green" => (0x9a, 0xc0, 0x8c),
        "cyan" | "teal" => (0x7f, 0xc1, 0xc4),
        "blue" => (0x86, 0xb1, 0xd6),
        "purple" | "violet" => (0xb3, 0x9d, 0xd6),
        "magenta" | "pink" => (0xd9, 0x94, 0xb8),
        "white" => (0xec, 0xef, 0xf4),
        "gray" | "grey" => (0x8b, 0x94, 0xa3),
        other => {
            let digits = other.strip_prefix('#').filter(|digits| digits.len() == 6)?;
            let digits = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            return u32::from_str_radix(digits, 16).ok().map(Color::from_u32);
        }
    };
    Some(Color::Rgb(red, green, blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_names_or_numbers() {
        assert_eq!(color_named("Blue"), color_named("blue"));
        assert_eq!(color_named("#0a0B0c"), Some(Color::Rgb(10, 11, 12)));
        for none in ["", "#12", "#gggggg", "#+12345", "unheard"] {
            assert_eq!(color_named(none), None, "{none}");
        }
    }
}
