//! The names of keys (`uhp.md` section 7.9): a closed vocabulary, so that no raw sequence can pass for
//! a key.

use crate::protocol::key::{KeyCode, Modifiers};
use serde_json::Value;

const CTRL_SHIFT: Modifiers = Modifiers::CTRL.with(Modifiers::SHIFT);

/// Keys with a name of their own.
const NAMED: &[(&str, KeyCode, Modifiers)] = &[
    ("enter", KeyCode::Enter, Modifiers::NONE),
    ("escape", KeyCode::Escape, Modifiers::NONE),
    ("tab", KeyCode::Tab, Modifiers::NONE),
    ("backtab", KeyCode::Tab, Modifiers::SHIFT),
    ("up", KeyCode::Up, Modifiers::NONE),
    ("down", KeyCode::Down, Modifiers::NONE),
    ("left", KeyCode::Left, Modifiers::NONE),
    ("right", KeyCode::Right, Modifiers::NONE),
    ("home", KeyCode::Home, Modifiers::NONE),
    ("end", KeyCode::End, Modifiers::NONE),
    ("backspace", KeyCode::Backspace, Modifiers::NONE),
    ("delete", KeyCode::Delete, Modifiers::NONE),
    ("pageup", KeyCode::PageUp, Modifiers::NONE),
    ("pagedown", KeyCode::PageDown, Modifiers::NONE),
    ("space", KeyCode::Char(' '), Modifiers::NONE),
    ("alt-d", KeyCode::Char('d'), Modifiers::ALT),
    ("ctrl-space", KeyCode::Char(' '), Modifiers::CTRL),
    ("ctrl-shift-space", KeyCode::Char(' '), CTRL_SHIFT),
];

/// Names that stand behind `ctrl-`, `shift-` and `ctrl-shift-` too.
const MODIFIED: &[&str] =
    &["enter", "tab", "up", "down", "left", "right", "home", "end", "pageup", "pagedown"];

/// Longest first: `ctrl-` begins `ctrl-shift-`.
const PREFIXES: &[(&str, Modifiers)] =
    &[("ctrl-shift-", CTRL_SHIFT), ("ctrl-", Modifiers::CTRL), ("shift-", Modifiers::SHIFT)];

/// The key of that name.
#[must_use]
pub fn key(name: &str) -> Option<(KeyCode, Modifiers)> {
    if let Some(digit) = name.strip_prefix("digit-") {
        return one_of(digit, '0'..='9').map(|digit| (KeyCode::Char(digit), Modifiers::NONE));
    }
    if let Some((_, code, modifiers)) = NAMED.iter().find(|(known, ..)| *known == name) {
        return Some((*code, *modifiers));
    }
    let (key, modifiers) =
        PREFIXES.iter().find_map(|(prefix, modifiers)| Some((name.strip_prefix(prefix)?, *modifiers)))?;
    if MODIFIED.contains(&key) {
        return NAMED.iter().find(|(known, ..)| *known == key).map(|(_, code, _)| (*code, modifiers));
    }
    let letter = one_of(key, 'a'..='z').filter(|_| modifiers.contains(Modifiers::CTRL))?;
    // With Shift a key event carries the capital.
    let shifted = modifiers.contains(Modifiers::SHIFT);
    Some((KeyCode::Char(if shifted { letter.to_ascii_uppercase() } else { letter }), modifiers))
}

fn one_of(text: &str, range: std::ops::RangeInclusive<char>) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|char| range.contains(char) && chars.next().is_none())
}

/// Reads the name of a key.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
pub fn read(value: Value) -> Result<(KeyCode, Modifiers), String> {
    value.as_str().and_then(key).ok_or_else(|| "expected the name of one key, as in \"ctrl-c\"".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every name that the contract lists.
    fn vocabulary() -> Vec<String> {
        let mut names: Vec<String> = NAMED.iter().map(|(name, ..)| (*name).to_owned()).collect();
        names.extend(('0'..='9').map(|digit| format!("digit-{digit}")));
        for letter in 'a'..='z' {
            names.extend([format!("ctrl-{letter}"), format!("ctrl-shift-{letter}")]);
        }
        for (prefix, _) in PREFIXES {
            names.extend(MODIFIED.iter().map(|key| format!("{prefix}{key}")));
        }
        names
    }

    #[test]
    fn every_name_of_the_contract_is_a_key() {
        let names = vocabulary();
        assert_eq!(names.len(), 18 + 10 + 52 + 30);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in names {
            assert!(key(&name).is_some(), "{name}");
        }
        assert_eq!(key("ctrl-z"), Some((KeyCode::Char('z'), Modifiers::CTRL)));
        assert_eq!(key("ctrl-shift-z"), Some((KeyCode::Char('Z'), CTRL_SHIFT)));
        assert_eq!(key("ctrl-shift-up"), Some((KeyCode::Up, CTRL_SHIFT)));
        assert_eq!(key("shift-tab"), key("backtab"));
    }

    #[test]
    fn nothing_else_is_a_key() {
        for name in [
            "",
            "raw",
            "a",
            "A",
            "Enter",
            "\u{1b}[A",
            "f1",
            "insert",
            "digit-",
            "digit-10",
            "alt-a",
            "ctrl-",
            "ctrl-A",
            "ctrl-1",
            "ctrl-ab",
            "ctrl-é",
            "ctrl-escape",
            "ctrl-backspace",
            "shift-a",
            "shift-space",
            "shift-escape",
            "shift-ctrl-up",
            "ctrl-ctrl-up",
            "alt-up",
            "ctrl-digit-1",
            "ctrl-backtab",
        ] {
            assert_eq!(key(name), None, "{name:?}");
        }
    }
}
