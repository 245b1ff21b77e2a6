//! Keys as xterm sends them, with modifyOtherKeys 0 to 2.
//!
//! Invariant: releases give nothing, repeats are presses. The keypad is always numeric, as in xterm
//! while Num Lock is on: outer terminals tell its keys apart only then, and programs that switch to
//! the application keypad in passing (every ncurses program) do not expect its codes.

use super::{Functional, ShiftEnter, functional, parameter, utf8};
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers};
use crate::server::terminal::engine::Modes;

const ESC: u8 = 0x1b;
const DEL: u8 = 0x7f;
const BS: u8 = 0x08;

/// The bytes for a key press or repeat.
pub(super) fn encode(event: KeyEvent, modes: Modes, shift_enter: ShiftEnter) -> Vec<u8> {
    if event.kind == KeyKind::Release {
        return Vec::new();
    }
    let modifiers = event.modifiers;
    if let Some(bytes) = other_key(event.code, modifiers, modes.modify_other_keys()) {
        return bytes;
    }
    match event.code {
        KeyCode::Char(character) => char_key(character, modifiers),
        KeyCode::Enter => enter(modifiers, modes, shift_enter),
        KeyCode::Tab if modifiers.contains(Modifiers::SHIFT) => alt(modifiers, b"\x1b[Z".to_vec()),
        KeyCode::Tab => alt(modifiers, b"\t".to_vec()),
        KeyCode::Escape => alt(modifiers, vec![ESC]),
        KeyCode::Backspace => {
            // Control sends the other one of the two.
            let bs = modes.contains(Modes::BACKARROW) != modifiers.contains(Modifiers::CTRL);
            alt(modifiers, vec![if bs { BS } else { DEL }])
        }
        KeyCode::Function(number @ 13..=24) => {
            shifted_function(number - 12, modifiers.with(Modifiers::SHIFT))
        }
        KeyCode::Function(number @ 25..=35) => shifted_function(number - 24, modifiers.with(Modifiers::CTRL)),
        KeyCode::Menu => sequence(&Functional { number: 29, last: '~' }, modifiers),
        code => functional(code).map_or_else(Vec::new, |key| {
            let cursor = matches!(key.last, 'A'..='H') && modes.contains(Modes::APPLICATION_CURSOR);
            let function = matches!(key.last, 'P'..='S');
            if modifiers.is_empty() && (cursor || function) {
                format!("\x1bO{}", key.last).into_bytes()
            } else {
                sequence(&key, modifiers)
            }
        }),
    }
}

/// F13 and on are F1 to F12 with modifiers, as xterm's terminfo entry has it.
fn shifted_function(number: u8, modifiers: Modifiers) -> Vec<u8> {
    functional(KeyCode::Function(number)).map_or_else(Vec::new, |key| sequence(&key, modifiers))
}

fn sequence(key: &Functional, modifiers: Modifiers) -> Vec<u8> {
    let Functional { number, last } = key;
    match (modifiers.is_empty(), number) {
        (true, 1) => format!("\x1b[{last}"),
        (true, _) => format!("\x1b[{number}{last}"),
        (false, _) => format!("\x1b[{number};{}{last}", parameter(modifiers)),
    }
    .into_bytes()
}

/// ESC before the bytes if Alt (or Meta) is held.
fn alt(modifiers: Modifiers, mut bytes: Vec<u8>) -> Vec<u8> {
    if is_alt(modifiers) {
        bytes.insert(0, ESC);
    }
    bytes
}

fn is_alt(modifiers: Modifiers) -> bool {
    modifiers.contains(Modifiers::ALT) || modifiers.contains(Modifiers::META)
}

fn char_key(character: char, modifiers: Modifiers) -> Vec<u8> {
    if modifiers.contains(Modifiers::SUPER) || modifiers.contains(Modifiers::HYPER) {
        // A shortcut of the desktop's, not text; there is no legacy code for it.
        return Vec::new();
    }
    let control = modifiers.contains(Modifiers::CTRL).then(|| control_code(character)).flatten();
    alt(modifiers, control.map_or_else(|| utf8(character), |code| vec![code]))
}

/// What Control makes of a character on xterm's keyboard; `None` where it makes no difference.
fn control_code(character: char) -> Option<u8> {
    match u8::try_from(character).ok()? {
        letter @ b'@'..=b'~' => Some(letter & 0x1f),
        b' ' | b'2' => Some(0),
        digit @ b'3'..=b'7' => Some(digit - b'3' + ESC),
        b'/' => Some(0x1f),
        b'8' | b'?' => Some(DEL),
        _ => None,
    }
}

fn enter(modifiers: Modifiers, modes: Modes, shift_enter: ShiftEnter) -> Vec<u8> {
    if modifiers.contains(Modifiers::SHIFT) && !is_alt(modifiers) {
        return match shift_enter {
            ShiftEnter::EscapeReturn => b"\x1b\r".to_vec(),
            ShiftEnter::LineFeed => b"\n".to_vec(),
            ShiftEnter::CsiU => format!("\x1b[13;{}u", parameter(modifiers)).into_bytes(),
        };
    }
    let plain: &[u8] = if modes.contains(Modes::NEWLINE) { b"\r\n" } else { b"\r" };
    alt(modifiers, plain.to_vec())
}

/// `CSI 27 ; modifiers ; code ~` where modifyOtherKeys asks for it. Level 1 leaves alone what has a
/// code of its own already, level 2 only what is plain text.
fn other_key(code: KeyCode, modifiers: Modifiers, level: u8) -> Option<Vec<u8>> {
    if level == 0 || modifiers.is_empty() {
        return None;
    }
    let control = modifiers.contains(Modifiers::CTRL);
    let shift_only = modifiers == Modifiers::SHIFT;
    let (code, wanted) = match code {
        KeyCode::Char(character) => {
            let ambiguous =
                control && (modifiers.contains(Modifiers::SHIFT) || control_code(character).is_none());
            (u32::from(character), !shift_only && (level == 2 || ambiguous))
        }
        KeyCode::Enter => (13, true),
        KeyCode::Tab => (9, !shift_only),
        KeyCode::Escape => (27, true),
        KeyCode::Backspace => (127, level == 2 && modifiers != Modifiers::CTRL),
        _ => return None,
    };
    wanted.then(|| format!("\x1b[27;{};{code}~", parameter(modifiers)).into_bytes())
}
