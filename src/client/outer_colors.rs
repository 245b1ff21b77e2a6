//! The outer terminal's colours: asked for, and its answers found among the keys.
//!
//! The reader of the keys has no word for an answer (OSC): it comes as Alt+], the characters of the answer, and
//! Alt+\ or Ctrl+G. Whoever types Alt+] is no such answer, because the rest of one comes at once.
//!
//! Invariant: an event is passed on, in order, or is part of an answer.

use crate::protocol::outer::{OuterColors, Rgb};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// Text, ground and cursor, then the first entries of the palette. A terminal that does not know a question
/// leaves it without an answer; nobody waits.
#[cfg(not(windows))]
pub const ASK: &str = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b]12;?\x1b\\\
    \x1b]4;0;?\x1b\\\x1b]4;1;?\x1b\\\x1b]4;2;?\x1b\\\x1b]4;3;?\x1b\\\x1b]4;4;?\x1b\\\x1b]4;5;?\x1b\\\
    \x1b]4;6;?\x1b\\\x1b]4;7;?\x1b\\\x1b]4;8;?\x1b\\\x1b]4;9;?\x1b\\\x1b]4;10;?\x1b\\\x1b]4;11;?\x1b\\\
    \x1b]4;12;?\x1b\\\x1b]4;13;?\x1b\\\x1b]4;14;?\x1b\\\x1b]4;15;?\x1b\\";
/// The console hands answers on as keys one by one, each press and release.
#[cfg(windows)]
pub const ASK: &str = "";
/// How long the next part of an answer may take.
pub const PART: Duration = Duration::from_millis(50);
/// The longest answer, that of a palette entry with four digits a colour and another name for them.
const LONGEST: usize = 40;

/// Finds answers.
#[derive(Debug, Default)]
pub struct Answers {
    colors: OuterColors,
    /// Something was told since it was last handed out.
    fresh: bool,
    /// What may be an answer in the making.
    held: Vec<Event>,
    text: String,
}

impl Answers {
    /// Whether something waits for the next event, [`PART`] at most.
    pub fn waits(&self) -> bool {
        self.fresh || !self.held.is_empty()
    }

    /// Takes an event; adds those that are no part of an answer to `passed`.
    pub fn take(&mut self, event: Event, passed: &mut Vec<Event>) {
        if self.held.is_empty() {
            if pressed(&event, KeyModifiers::ALT) == Some(']') {
                self.held.push(event);
            } else {
                passed.push(event);
            }
            return;
        }
        let part = pressed(&event, KeyModifiers::NONE).or_else(|| pressed(&event, KeyModifiers::SHIFT));
        let part = part.filter(|char| char.is_ascii_hexdigit() || ";:/#rgba?".contains(*char));
        let ends = pressed(&event, KeyModifiers::ALT) == Some('\\')
            || pressed(&event, KeyModifiers::CONTROL) == Some('g');
        match part {
            Some(part) if self.text.len() < LONGEST => {
                self.text.push(part);
                self.held.push(event);
            }
            None if ends && self.note() => self.clear(),
            _ => {
                passed.append(&mut self.held);
                self.clear();
                self.take(event, passed);
            }
        }
    }

    /// Nothing has followed: what was held is no answer.
    pub fn give_up(&mut self) -> Vec<Event> {
        let held = std::mem::take(&mut self.held);
        self.clear();
        held
    }

    /// The colours, if something was told since this was last asked.
    pub fn told(&mut self) -> Option<OuterColors> {
        std::mem::take(&mut self.fresh).then_some(self.colors)
    }

    fn clear(&mut self) {
        self.held.clear();
        self.text.clear();
    }

    /// Reads the answer; whether it is one.
    fn note(&mut self) -> bool {
        let Some((name, color)) = self.text.rsplit_once(';') else { return false };
        let Some(color) = rgb(color) else { return false };
        let number = name.strip_prefix("4;").and_then(|number| number.parse::<usize>().ok());
        let colors = &mut self.colors;
        let place = match (name, number) {
            ("10", _) => &mut colors.text,
            ("11", _) => &mut colors.ground,
            ("12", _) => &mut colors.cursor,
            (_, Some(number)) => match colors.palette.get_mut(number) {
                Some(place) => place,
                None => return false,
            },
            _ => return false,
        };
        *place = Some(color);
        self.fresh = true;
        true
    }
}

/// The character of a key with exactly these modifiers.
fn pressed(event: &Event, modifiers: KeyModifiers) -> Option<char> {
    match event {
        Event::Key(KeyEvent { code: KeyCode::Char(char), modifiers: held, .. }) if *held == modifiers => {
            Some(*char)
        }
        _ => None,
    }
}

/// A colour as terminals tell it: `rgb:r/g/b`, `rgba:r/g/b/a` with one to four digits each, or `#rrggbb`.
fn rgb(text: &str) -> Option<Rgb> {
    if let Some(digits) = text.strip_prefix('#') {
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        return if digits.len() == 6 { Some((part(0)?, part(2)?, part(4)?)) } else { None };
    }
    let parts = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut parts = parts.split('/').map(|part| {
        let value = u32::from_str_radix(part, 16).ok().filter(|_| (1..=4).contains(&part.len()))?;
        u8::try_from(value * 255 / ((1 << (4 * part.len())) - 1)).ok()
    });
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes as the reader of the keys has them.
    fn keys(text: &str) -> Vec<Event> {
        let mut alt = false;
        let mut events = Vec::new();
        for char in text.chars() {
            let modifiers = if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
            let (code, modifiers) = match char {
                '\x1b' => {
                    alt = true;
                    continue;
                }
                '\x07' => ('g', KeyModifiers::CONTROL),
                upper if upper.is_ascii_uppercase() => (upper, modifiers | KeyModifiers::SHIFT),
                other => (other, modifiers),
            };
            alt = false;
            events.push(Event::Key(KeyEvent::new(KeyCode::Char(code), modifiers)));
        }
        events
    }

    fn heard(answers: &mut Answers, text: &str) -> Vec<Event> {
        let mut passed = Vec::new();
        keys(text).into_iter().for_each(|event| answers.take(event, &mut passed));
        passed
    }

    #[test]
    fn answers_are_found_among_keys() {
        let mut answers = Answers::default();
        let typed = "a\x1b]11;rgb:1e1E/2e2e/ffff\x1b\\b\x1b]4;15;rgba:f/0/8/f\x07\x1b]10;#102030\x1b\\c";
        assert_eq!(heard(&mut answers, typed), keys("abc"));
        let mut expected =
            OuterColors { text: Some((16, 32, 48)), ground: Some((30, 46, 255)), ..OuterColors::default() };
        expected.palette[15] = Some((255, 0, 136));
        assert!(answers.waits());
        assert_eq!((answers.told(), answers.told(), answers.waits()), (Some(expected), None, false));
    }

    #[test]
    fn what_is_no_answer_is_passed_on_whole() {
        let long = format!("\x1b]11;{}", "f".repeat(60));
        for typed in [
            "\x1b]x",
            "\x1b]11;rgb:1/2\x1b\\",
            "\x1b]4;16;rgb:1/2/3\x07",
            "\x1b]52;c\x1b\\",
            "\x1b]11;\x1b]q",
            "\x1b[\x1b\\",
            &long,
        ] {
            let mut answers = Answers::default();
            let mut passed = heard(&mut answers, typed);
            passed.append(&mut answers.give_up());
            assert_eq!(passed, keys(typed), "{typed:?}");
            assert_eq!((answers.told(), answers.waits()), (None, false), "{typed:?}");
        }
    }

    #[test]
    fn who_types_the_first_key_of_one_is_kept_for_a_moment_only() {
        let mut answers = Answers::default();
        assert_eq!((heard(&mut answers, "\x1b]"), answers.waits()), (Vec::new(), true));
        assert_eq!((answers.give_up(), answers.waits()), (keys("\x1b]"), false));
        assert_eq!(heard(&mut answers, "1"), keys("1"));
    }
}
