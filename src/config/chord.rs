//! Chords: a key with modifiers, as people write it (`ctrl+alt+n`, `F12`, `ctrl+space`, `|`).
//!
//! Invariant: chords and key events pass through the same `normal` form, so that one key is one
//! chord however it was written and however the outer terminal reports it.

use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers};
use std::fmt;
use std::str::FromStr;

/// A key with modifiers. Shift is part of a printable character, not a modifier of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    /// Which key.
    pub code: KeyCode,
    /// What is held.
    pub modifiers: Modifiers,
}

/// Modifiers in the order in which they are printed, each with its accepted names.
const MODIFIERS: [(Modifiers, &[&str]); 4] = [
    (Modifiers::CTRL, &["ctrl", "control"]),
    (Modifiers::ALT, &["alt", "option"]),
    (Modifiers::SHIFT, &["shift"]),
    (Modifiers::SUPER, &["super", "cmd"]),
];

/// Keys with names; the first of each key is the one that is printed.
const NAMES: [(&str, KeyCode); 22] = [
    ("Space", KeyCode::Char(' ')),
    ("Tab", KeyCode::Tab),
    ("Enter", KeyCode::Enter),
    ("Return", KeyCode::Enter),
    ("Esc", KeyCode::Escape),
    ("Escape", KeyCode::Escape),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Del", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Ins", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PgUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("PgDn", KeyCode::PageDown),
    ("Menu", KeyCode::Menu),
];

impl Chord {
    /// The chord of a key with modifiers, in its normal form.
    #[must_use]
    pub fn new(code: KeyCode, modifiers: Modifiers) -> Self {
        let (code, modifiers) = normal(code, modifiers);
        Self { code, modifiers }
    }

    /// Whether a key event (press or repeat) is this chord, however the outer terminal spells it.
    #[must_use]
    pub fn matches(&self, event: KeyEvent) -> bool {
        event.kind != KeyKind::Release
            && Self::new(event.code, event.modifiers) == Self::new(self.code, self.modifiers)
    }

    /// Whether it may be the prefix: `F1` to `F12`, or with ctrl or alt.
    #[must_use]
    pub fn may_be_prefix(&self) -> bool {
        matches!(self.code, KeyCode::Function(1..=12)) || self.has_any(&[Modifiers::CTRL, Modifiers::ALT])
    }

    /// Whether it may be bound without the prefix: with ctrl, alt or shift; a printable character
    /// needs ctrl or alt, or nobody could type it any more.
    #[must_use]
    pub fn may_be_direct(&self) -> bool {
        let strong = self.has_any(&[Modifiers::CTRL, Modifiers::ALT]);
        let printable = matches!(self.code, KeyCode::Char(_));
        strong || !printable && self.has_any(&[Modifiers::SHIFT])
    }

    fn has_any(&self, wanted: &[Modifiers]) -> bool {
        wanted.iter().any(|modifier| self.modifiers.contains(*modifier))
    }
}

/// One form for every spelling of a key.
fn normal(code: KeyCode, modifiers: Modifiers) -> (KeyCode, Modifiers) {
    let KeyCode::Char(character) = code else { return (code, modifiers) };
    let shift = modifiers.contains(Modifiers::SHIFT);
    if modifiers.contains(Modifiers::CTRL) {
        return match character {
            // NUL is what terminals send for both.
            '@' => (KeyCode::Char(' '), modifiers.without(Modifiers::SHIFT)),
            ' ' => (code, modifiers),
            letter if letter.is_alphabetic() => (KeyCode::Char(lower(letter)), modifiers),
            digit if digit.is_ascii_digit() => (code, modifiers),
            _ => (code, modifiers.without(Modifiers::SHIFT)),
        };
    }
    let character = if shift { shifted(character) } else { character };
    (KeyCode::Char(character), modifiers.without(Modifiers::SHIFT))
}

/// What a key types with Shift, where the event has only the key's base. The digits are those of the
/// US layout, because the workspace keys are documented as Shift and a digit; other symbols are
/// reported as their text by all terminals that matter.
fn shifted(character: char) -> char {
    match character {
        '1' => '!',
        '2' => '@',
        '3' => '#',
        '4' => '$',
        '5' => '%',
        '6' => '^',
        '7' => '&',
        '8' => '*',
        '9' => '(',
        '0' => ')',
        other => single(other, other.to_uppercase()),
    }
}

fn lower(character: char) -> char {
    single(character, character.to_lowercase())
}

/// The one character of a case mapping, or the old one where the mapping is longer.
fn single(old: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(new), None) => new,
        _ => old,
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, names) in MODIFIERS {
            if self.modifiers.contains(modifier) {
                write!(f, "{}+", names[0])?;
            }
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(character) => write!(f, "{character}"),
            KeyCode::Function(number) => write!(f, "F{number}"),
            // Keys that cannot be bound have no name of their own.
            other => write!(f, "{other:?}"),
        }
    }
}

/// A text that is no chord.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key (expected for example `ctrl+b`, `alt+Left`, `F12`, `v`)")]
pub struct ParseChordError(pub String);

impl FromStr for Chord {
    type Err = ParseChordError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseChordError(text.chars().take(40).collect());
        let mut modifiers = Modifiers::NONE;
        let mut rest = text;
        // A `+` at the first place of what is left is the key itself.
        while let Some((at, _)) = rest.char_indices().skip(1).find(|(_, character)| *character == '+') {
            let (name, tail) = (&rest[..at], &rest[at + 1..]);
            let modifier = modifier_named(name).filter(|_| !tail.is_empty()).ok_or_else(error)?;
            if modifiers.contains(modifier) {
                return Err(error());
            }
            modifiers = modifiers.with(modifier);
            rest = tail;
        }
        let (code, extra) = key_named(rest).ok_or_else(error)?;
        Ok(Self::new(code, modifiers.with(extra)))
    }
}

fn modifier_named(name: &str) -> Option<Modifiers> {
    MODIFIERS
        .iter()
        .find(|(_, names)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
        .map(|(modifier, _)| *modifier)
}

/// The key of a name, with the modifier that the name implies.
fn key_named(name: &str) -> Option<(KeyCode, Modifiers)> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        let printable = !character.is_control() && (character == ' ' || !character.is_whitespace());
        return printable.then_some((KeyCode::Char(character), Modifiers::NONE));
    }
    if name.eq_ignore_ascii_case("BackTab") {
        return Some((KeyCode::Tab, Modifiers::SHIFT));
    }
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some((*code, Modifiers::NONE));
    }
    let digits = name.strip_prefix(['F', 'f'])?;
    let number = digits.parse().ok().filter(|number| (1..=35).contains(number))?;
    digits
        .starts_with(|digit: char| ('1'..='9').contains(&digit))
        .then_some((KeyCode::Function(number), Modifiers::NONE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chord(text: &str) -> Chord {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn press(code: KeyCode, modifiers: Modifiers) -> KeyEvent {
        KeyEvent::press(code, modifiers)
    }

    #[test]
    fn what_people_write_prints_in_one_spelling() {
        for (written, printed) in [
            ("Ctrl+SPACE", "ctrl+Space"),
            ("alt+ctrl+n", "ctrl+alt+n"),
            ("ctrl+N", "ctrl+n"),
            ("shift+n", "N"),
            ("shift+1", "!"),
            ("BackTab", "shift+Tab"),
            ("f12", "F12"),
            ("shift+pageup", "shift+PageUp"),
            ("+", "+"),
            ("ctrl++", "ctrl++"),
            ("é", "é"),
            ("super+Left", "super+Left"),
        ] {
            assert_eq!(chord(written).to_string(), printed, "{written}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for bad in [
            "",
            "ctrl+",
            "ctrl",
            "+ctrl",
            "ctrl+ctrl+a",
            "hyper+a",
            "F0",
            "F36",
            "F+1",
            "ab",
            "\u{1b}",
            "F01",
        ] {
            assert!(bad.parse::<Chord>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn shift_is_part_of_a_printable_character() {
        for event in [
            press(KeyCode::Char('N'), Modifiers::NONE),
            press(KeyCode::Char('N'), Modifiers::SHIFT),
            press(KeyCode::Char('n'), Modifiers::SHIFT),
        ] {
            assert!(chord("N").matches(event), "{event:?}");
            assert!(!chord("n").matches(event), "{event:?}");
        }
        for event in [
            press(KeyCode::Char('!'), Modifiers::NONE),
            press(KeyCode::Char('!'), Modifiers::SHIFT),
            press(KeyCode::Char('1'), Modifiers::SHIFT),
        ] {
            assert!(chord("!").matches(event), "{event:?}");
            assert!(!chord("1").matches(event), "{event:?}");
        }
    }

    #[test]
    fn control_space_has_two_spellings_and_letters_have_no_case() {
        for code in ['@', ' '] {
            assert!(chord("ctrl+space").matches(press(KeyCode::Char(code), Modifiers::CTRL)));
        }
        assert!(chord("ctrl+b").matches(press(KeyCode::Char('B'), Modifiers::CTRL)));
        assert!(!chord("ctrl+b").matches(press(KeyCode::Char('b'), Modifiers::NONE)));
        let both = Modifiers::CTRL.with(Modifiers::SHIFT);
        assert!(chord("ctrl+shift+b").matches(press(KeyCode::Char('B'), both)));
        assert!(!chord("ctrl+b").matches(press(KeyCode::Char('b'), both)));
    }

    #[test]
    fn a_release_never_matches_and_the_keypad_does_not_matter() {
        let mut event = press(KeyCode::Char('5'), Modifiers::NONE);
        event.keypad = true;
        assert!(chord("5").matches(event));
        event.kind = KeyKind::Repeat;
        assert!(chord("5").matches(event));
        event.kind = KeyKind::Release;
        assert!(!chord("5").matches(event));
    }

    #[test]
    fn prefix_and_direct_chords_need_a_modifier() {
        for (text, prefix, direct) in [
            ("ctrl+b", true, true),
            ("alt+Left", true, true),
            ("F12", true, false),
            ("F13", false, false),
            ("v", false, false),
            ("shift+Up", false, true),
            ("N", false, false),
            ("super+x", false, false),
        ] {
            assert_eq!(chord(text).may_be_prefix(), prefix, "{text} as prefix");
            assert_eq!(chord(text).may_be_direct(), direct, "{text} directly");
        }
    }

    proptest! {
        #[test]
        fn a_chord_reads_back_what_it_prints(
            code in prop_oneof![
                any::<char>()
                    .prop_filter("printable", |c| !c.is_control() && (*c == ' ' || !c.is_whitespace()))
                    .prop_map(KeyCode::Char),
                (1_u8..=35).prop_map(KeyCode::Function),
                proptest::sample::select(NAMES.map(|(_, code)| code).to_vec()),
            ],
            bits in 0_u8..16,
        ) {
            let chord = Chord::new(code, Modifiers(bits));
            prop_assert_eq!(chord.to_string().parse::<Chord>(), Ok(chord));
            prop_assert!(chord.matches(press(code, Modifiers(bits))));
        }

        #[test]
        fn no_text_breaks_the_parser(text in ".{0,12}") {
            let _ = text.parse::<Chord>();
        }
    }
}
