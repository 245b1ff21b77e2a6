//! What the child expects for a key, a paste, a mouse event or a focus change, given its modes.
//!
//! Invariant: pure functions of an event and the modes; an event that the child did not ask for gives
//! no bytes.

mod kitty;
mod legacy;
mod mouse;
#[cfg(test)]
mod tests;

pub use crate::config::ShiftEnter;

use super::engine::Modes;
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers, MouseEvent};

const PASTE_START: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";
/// The same with the 8-bit form of CSI.
const PASTE_END_C1: &str = "\u{9b}201~";

/// The bytes for a key; empty when the child gets nothing for it (a release it did not ask for).
#[must_use]
pub fn key(event: KeyEvent, modes: Modes, shift_enter: ShiftEnter) -> Vec<u8> {
    match modes.kitty_flags() {
        0 => legacy::encode(event, modes, shift_enter),
        flags => kitty::encode(event, modes, flags, shift_enter),
    }
}

/// The bytes for a key that is pressed and let go.
#[must_use]
pub fn tap(code: KeyCode, modifiers: Modifiers, modes: Modes, shift_enter: ShiftEnter) -> Vec<u8> {
    let press = KeyEvent::press(code, modifiers);
    let mut bytes = key(press, modes, shift_enter);
    bytes.extend(key(KeyEvent { kind: KeyKind::Release, ..press }, modes, shift_enter));
    bytes
}

/// The bytes for a mouse event; empty when the child did not ask for it. Without mouse reporting the
/// wheel gives arrows on the alternate screen (1007).
#[must_use]
pub fn mouse(event: MouseEvent, modes: Modes) -> Vec<u8> {
    mouse::encode(event, modes)
}

/// The bytes for a paste: in brackets if the child asked for them, line ends as CR, an embedded
/// paste end removed.
#[must_use]
pub fn paste(text: &str, modes: Modes) -> Vec<u8> {
    let text = text.replace("\r\n", "\r").replace('\n', "\r");
    if !modes.contains(Modes::BRACKETED_PASTE) {
        return text.into_bytes();
    }
    let safe = without_paste_end(&text);
    [PASTE_START, &safe, PASTE_END].concat().into_bytes()
}

/// The bytes for a change of the window's focus; empty when the child did not ask for it.
#[must_use]
pub fn focus(focused: bool, modes: Modes) -> Vec<u8> {
    match (modes.contains(Modes::FOCUS_EVENTS), focused) {
        (false, _) => Vec::new(),
        (true, true) => b"\x1b[I".to_vec(),
        (true, false) => b"\x1b[O".to_vec(),
    }
}

/// Removes paste ends, also those that come about when one is removed, in one pass.
fn without_paste_end(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        safe.push(char);
        if char == '~' {
            for end in [PASTE_END, PASTE_END_C1] {
                if safe.ends_with(end) {
                    safe.truncate(safe.len() - end.len());
                }
            }
        }
    }
    safe
}

/// A key that sends a control sequence in both protocols: `CSI number ; modifiers last`. Number 1 is
/// left out without modifiers.
struct Functional {
    number: u16,
    last: char,
}

/// The cursor and editing keys, F1 to F12 and the middle of the keypad.
fn functional(code: KeyCode) -> Option<Functional> {
    let (number, last) = match code {
        KeyCode::Up => (1, 'A'),
        KeyCode::Down => (1, 'B'),
        KeyCode::Right => (1, 'C'),
        KeyCode::Left => (1, 'D'),
        KeyCode::KeypadBegin => (1, 'E'),
        KeyCode::End => (1, 'F'),
        KeyCode::Home => (1, 'H'),
        KeyCode::Insert => (2, '~'),
        KeyCode::Delete => (3, '~'),
        KeyCode::PageUp => (5, '~'),
        KeyCode::PageDown => (6, '~'),
        KeyCode::Function(1) => (1, 'P'),
        KeyCode::Function(2) => (1, 'Q'),
        KeyCode::Function(3) => (1, 'R'),
        KeyCode::Function(4) => (1, 'S'),
        KeyCode::Function(5) => (15, '~'),
        KeyCode::Function(number @ 6..=10) => (u16::from(number) + 11, '~'),
        KeyCode::Function(number @ 11..=12) => (u16::from(number) + 12, '~'),
        _ => return None,
    };
    Some(Functional { number, last })
}

/// The modifier parameter of control sequences.
fn parameter(modifiers: Modifiers) -> u16 {
    1 + u16::from(modifiers.0)
}

/// `character` as UTF-8.
fn utf8(character: char) -> Vec<u8> {
    character.to_string().into_bytes()
}
