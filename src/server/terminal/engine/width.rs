//! How many columns text takes, and which characters make one cluster.
//!
//! Widths are those of Unicode 16 with emoji presentation; ambiguous ones are narrow.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The zero-width joiner.
const JOINER: char = '\u{200d}';
/// Bytes of a cluster after its first character (`spec/terminal.md` section 3).
pub(super) const EXTRA_BYTES: usize = 32;

/// Columns of a character that stands alone: 0, 1 or 2.
pub(super) fn char_width(char: char) -> usize {
    match u32::from(char) {
        0x20..0x300 | 0x2500..0x25a0 => 1,
        _ if is_plainly_wide(char) => 2,
        _ => char.width().unwrap_or(0).min(2),
    }
}

/// Whether a character takes two columns and never joins the one before it: most of CJK.
pub(super) fn is_plainly_wide(char: char) -> bool {
    matches!(u32::from(char), 0x3000..0x302a | 0x3041..0x3097 | 0x30a1..0x3100 | 0x4e00..0xa000
        | 0xac00..0xd7a4 | 0xff01..0xff61)
}

/// Whether a cluster takes two columns.
pub(super) fn is_wide(cluster: &str) -> bool {
    cluster.width() > 1
}

/// Whether a character that is not of width zero goes on with the cluster before it: after a joiner, as
/// a skin tone, or as the second half of a flag.
pub(super) fn extends(char: char, before: &str) -> bool {
    if !may_extend(char) {
        return false;
    }
    let Some(first) = before.chars().next() else { return false };
    match char {
        '\u{1f3fb}'..='\u{1f3ff}' => {
            char_width(first) == 2 || before.ends_with('\u{fe0f}') || is_emoji(first)
        }
        '\u{1f1e6}'..='\u{1f1ff}' => before.chars().count() == 1 && is_flag_half(first),
        _ => before.ends_with(JOINER),
    }
}

/// A quick no for most characters.
pub(super) fn may_extend(char: char) -> bool {
    is_emoji(char) || is_flag_half(char)
}

fn is_flag_half(char: char) -> bool {
    matches!(char, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_emoji(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_wide_is_wide_by_the_tables_and_joins_nothing() {
        for char in ('\0'..=char::MAX).filter(|char| is_plainly_wide(*char)) {
            assert_eq!(char.width(), Some(2), "{char:?}");
            assert!(!may_extend(char), "{char:?}");
        }
    }
}
