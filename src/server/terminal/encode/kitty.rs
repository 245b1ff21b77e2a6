//! Keys under the kitty keyboard protocol with its five flags.
//!
//! Invariant: what a flag does not ask for stays as the legacy encoding has it.

use super::{ShiftEnter, functional, legacy, parameter};
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers};
use crate::server::terminal::engine::Modes;

const DISAMBIGUATE: u8 = 1;
const EVENT_TYPES: u8 = 2;
const ALTERNATE_KEYS: u8 = 4;
const ALL_KEYS: u8 = 8;
const TEXT: u8 = 16;
/// Modifiers have a bit for Caps Lock, which outer terminals tell by the letter only.
const CAPS_LOCK: u16 = 64;

/// A key as the protocol names it.
struct Code {
    number: u32,
    /// The key with Shift, where known.
    shifted: Option<char>,
    last: char,
}

impl Code {
    fn plain(number: u32) -> Self {
        Self { number, shifted: None, last: 'u' }
    }
}

/// The bytes for a key under `flags`, which are not zero.
pub(super) fn encode(event: KeyEvent, modes: Modes, flags: u8, shift_enter: ShiftEnter) -> Vec<u8> {
    let release = event.kind == KeyKind::Release;
    if release && flags & EVENT_TYPES == 0 {
        return Vec::new();
    }
    let text = text(event);
    if flags & ALL_KEYS == 0 {
        if is_text_control(event) && (release || event.modifiers.is_empty() || flags & DISAMBIGUATE == 0) {
            // So that a person can still type `reset` after a program ended without clearing the flags.
            return if release { Vec::new() } else { legacy::encode(event, modes, shift_enter) };
        }
        if !release && (text.is_some() || flags & DISAMBIGUATE == 0 && stays_legacy(event, flags)) {
            return legacy::encode(event, modes, shift_enter);
        }
    }
    let Some(code) = code(event) else { return Vec::new() };
    write(event, &code, flags, text)
}

/// Whether a press or repeat is sent as ever by a child that did not ask for unambiguous keys. With event
/// types the keys that have control sequences are told in this protocol's form throughout.
fn stays_legacy(event: KeyEvent, flags: u8) -> bool {
    flags & EVENT_TYPES == 0 || matches!(event.code, KeyCode::Char(_) | KeyCode::Escape)
}

/// Enter, Tab and Backspace, which stay what they are unless all keys are wanted.
fn is_text_control(event: KeyEvent) -> bool {
    !event.keypad && matches!(event.code, KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace)
}

/// The text that the key makes.
fn text(event: KeyEvent) -> Option<char> {
    match event.code {
        KeyCode::Char(character) if event.modifiers.without(Modifiers::SHIFT).is_empty() => Some(character),
        _ => None,
    }
}

fn write(event: KeyEvent, code: &Code, flags: u8, text: Option<char>) -> Vec<u8> {
    let kind = match event.kind {
        _ if flags & EVENT_TYPES == 0 => 1,
        KeyKind::Press => 1,
        KeyKind::Repeat => 2,
        KeyKind::Release => 3,
    };
    let modifiers = parameter(event.modifiers) + caps_lock(event);
    let text = text.filter(|_| flags & TEXT != 0 && flags & ALL_KEYS != 0 && event.kind != KeyKind::Release);
    let mut fields = vec![String::new()];
    if code.number != 1 || modifiers > 1 || kind > 1 {
        fields[0] = code.number.to_string();
    }
    if let Some(shifted) = code.shifted.filter(|_| flags & ALTERNATE_KEYS != 0) {
        fields[0].push_str(&format!(":{}", u32::from(shifted)));
    }
    if kind > 1 {
        fields.push(format!("{modifiers}:{kind}"));
    } else if modifiers > 1 {
        fields.push(modifiers.to_string());
    }
    if let Some(text) = text {
        fields.resize(2, String::new());
        fields.push(u32::from(text).to_string());
    }
    format!("\x1b[{}{}", fields.join(";"), code.last).into_bytes()
}

/// A capital without Shift comes from Caps Lock.
fn caps_lock(event: KeyEvent) -> u16 {
    match event.code {
        KeyCode::Char(character)
            if character.is_uppercase() && !event.modifiers.contains(Modifiers::SHIFT) =>
        {
            CAPS_LOCK
        }
        _ => 0,
    }
}

fn code(event: KeyEvent) -> Option<Code> {
    if event.keypad
        && let Some(number) = keypad(event.code)
    {
        return Some(Code::plain(number));
    }
    Some(match event.code {
        KeyCode::Char(character) => char_code(character, event.modifiers),
        KeyCode::Enter => Code::plain(13),
        KeyCode::Escape => Code::plain(27),
        KeyCode::Tab => Code::plain(9),
        KeyCode::Backspace => Code::plain(127),
        KeyCode::CapsLock => Code::plain(57_358),
        KeyCode::ScrollLock => Code::plain(57_359),
        KeyCode::NumLock => Code::plain(57_360),
        KeyCode::PrintScreen => Code::plain(57_361),
        KeyCode::Pause => Code::plain(57_362),
        KeyCode::Menu => Code::plain(57_363),
        // `CSI R` would be taken for a cursor report.
        KeyCode::Function(3) => Code { number: 13, shifted: None, last: '~' },
        KeyCode::Function(number @ 13..=35) => Code::plain(57_376 + u32::from(number - 13)),
        other => {
            let key = functional(other)?;
            Code { number: u32::from(key.number), shifted: None, last: key.last }
        }
    })
}

/// The code is that of the key without Shift, as far as the letter tells it.
fn char_code(character: char, modifiers: Modifiers) -> Code {
    let mut lower = character.to_lowercase();
    let base = match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => character,
    };
    let shifted = (base != character && modifiers.contains(Modifiers::SHIFT)).then_some(character);
    Code { number: u32::from(base), shifted, last: 'u' }
}

/// The keys of the keypad have codes of their own.
fn keypad(code: KeyCode) -> Option<u32> {
    Some(match code {
        KeyCode::Char(digit @ '0'..='9') => 57_399 + u32::from(digit) - u32::from('0'),
        KeyCode::Char('.') => 57_409,
        KeyCode::Char('/') => 57_410,
        KeyCode::Char('*') => 57_411,
        KeyCode::Char('-') => 57_412,
        KeyCode::Char('+') => 57_413,
        KeyCode::Enter => 57_414,
        KeyCode::Char('=') => 57_415,
        KeyCode::Char(',') => 57_416,
        KeyCode::Left => 57_417,
        KeyCode::Right => 57_418,
        KeyCode::Up => 57_419,
        KeyCode::Down => 57_420,
        KeyCode::PageUp => 57_421,
        KeyCode::PageDown => 57_422,
        KeyCode::Home => 57_423,
        KeyCode::End => 57_424,
        KeyCode::Insert => 57_425,
        KeyCode::Delete => 57_426,
        KeyCode::KeypadBegin => 57_427,
        _ => return None,
    })
}
