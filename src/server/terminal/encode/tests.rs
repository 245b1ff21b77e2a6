//! Bytes for every family of keys under every protocol; mouse, paste, focus.

use super::{ShiftEnter, focus, key, mouse, paste};
use crate::protocol::geometry::Size;
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::server::terminal::engine::{Engine, Modes};
use proptest::prelude::*;
use std::time::Instant;

const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CTRL;

/// The modes after a child wrote this.
fn modes(output: &str) -> Modes {
    let mut engine = Engine::new(Size::new(24, 80), 0);
    engine.feed(output.as_bytes(), Instant::now());
    engine.modes()
}

fn press(output: &str, code: KeyCode, modifiers: Modifiers) -> String {
    event(output, KeyEvent::press(code, modifiers))
}

fn event(output: &str, event: KeyEvent) -> String {
    String::from_utf8(key(event, modes(output), ShiftEnter::EscapeReturn)).expect("UTF-8")
}

fn char(output: &str, character: char, modifiers: Modifiers) -> String {
    press(output, KeyCode::Char(character), modifiers)
}

#[test]
fn characters() {
    assert_eq!(char("", 'a', Modifiers::NONE), "a");
    assert_eq!(char("", 'A', SHIFT), "A");
    assert_eq!(char("", '漢', Modifiers::NONE), "漢");
    assert_eq!(char("", 'x', ALT), "\x1bx");
    assert_eq!(char("", 'x', Modifiers::META), "\x1bx");
    assert_eq!(char("", 'ä', ALT.with(CTRL)), "\x1bä");
    assert_eq!(char("", 'v', Modifiers::SUPER), "");
}

#[test]
fn control_characters() {
    let codes = [
        ('a', 1),
        ('A', 1),
        ('z', 26),
        (' ', 0),
        ('@', 0),
        ('2', 0),
        ('[', 27),
        ('3', 27),
        ('\\', 28),
        ('4', 28),
        (']', 29),
        ('5', 29),
        ('^', 30),
        ('6', 30),
        ('~', 30),
        ('_', 31),
        ('7', 31),
        ('/', 31),
        ('8', 127),
        ('?', 127),
        ('1', b'1'),
        ('9', b'9'),
        ('0', b'0'),
        (';', b';'),
    ];
    for (character, code) in codes {
        assert_eq!(char("", character, CTRL).as_bytes(), [code], "{character}");
    }
    assert_eq!(char("", 'c', CTRL.with(ALT)), "\x1b\x03");
    assert_eq!(char("", 'ß', CTRL), "ß");
}

#[test]
fn enter_tab_backspace_escape() {
    assert_eq!(press("", KeyCode::Enter, Modifiers::NONE), "\r");
    assert_eq!(press("\x1b[20h", KeyCode::Enter, Modifiers::NONE), "\r\n");
    assert_eq!(press("", KeyCode::Enter, ALT), "\x1b\r");
    assert_eq!(press("", KeyCode::Enter, CTRL), "\r");
    for (setting, bytes) in
        [(ShiftEnter::EscapeReturn, "\x1b\r"), (ShiftEnter::LineFeed, "\n"), (ShiftEnter::CsiU, "\x1b[13;2u")]
    {
        assert_eq!(key(KeyEvent::press(KeyCode::Enter, SHIFT), Modes(0), setting), bytes.as_bytes());
    }
    assert_eq!(press("", KeyCode::Tab, Modifiers::NONE), "\t");
    assert_eq!(press("", KeyCode::Tab, SHIFT), "\x1b[Z");
    assert_eq!(press("", KeyCode::Tab, SHIFT.with(ALT)), "\x1b\x1b[Z");
    assert_eq!(press("", KeyCode::Backspace, Modifiers::NONE), "\x7f");
    assert_eq!(press("", KeyCode::Backspace, CTRL), "\x08");
    assert_eq!(press("", KeyCode::Backspace, ALT), "\x1b\x7f");
    assert_eq!(press("\x1b[?67h", KeyCode::Backspace, Modifiers::NONE), "\x08");
    assert_eq!(press("\x1b[?67h", KeyCode::Backspace, CTRL), "\x7f");
    assert_eq!(press("", KeyCode::Escape, Modifiers::NONE), "\x1b");
    assert_eq!(press("", KeyCode::Escape, ALT), "\x1b\x1b");
}

#[test]
fn cursor_and_editing_keys() {
    for (code, last) in [
        (KeyCode::Up, 'A'),
        (KeyCode::Down, 'B'),
        (KeyCode::Right, 'C'),
        (KeyCode::Left, 'D'),
        (KeyCode::KeypadBegin, 'E'),
        (KeyCode::End, 'F'),
        (KeyCode::Home, 'H'),
    ] {
        assert_eq!(press("", code, Modifiers::NONE), format!("\x1b[{last}"));
        assert_eq!(press("\x1b[?1h", code, Modifiers::NONE), format!("\x1bO{last}"));
        assert_eq!(press("\x1b[?1h", code, CTRL.with(SHIFT)), format!("\x1b[1;6{last}"));
    }
    for (code, number) in
        [(KeyCode::Insert, 2), (KeyCode::Delete, 3), (KeyCode::PageUp, 5), (KeyCode::PageDown, 6)]
    {
        assert_eq!(press("\x1b[?1h", code, Modifiers::NONE), format!("\x1b[{number}~"));
        assert_eq!(press("", code, ALT), format!("\x1b[{number};3~"));
    }
}

#[test]
fn function_keys() {
    let function = |number, modifiers| press("", KeyCode::Function(number), modifiers);
    let plain = ["\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", "\x1b[15~", "\x1b[17~", "\x1b[18~", "\x1b[19~"];
    for (number, bytes) in (1..).zip(plain) {
        assert_eq!(function(number, Modifiers::NONE), bytes);
    }
    assert_eq!(function(9, Modifiers::NONE), "\x1b[20~");
    assert_eq!(function(10, Modifiers::NONE), "\x1b[21~");
    assert_eq!(function(11, Modifiers::NONE), "\x1b[23~");
    assert_eq!(function(12, Modifiers::NONE), "\x1b[24~");
    assert_eq!(function(1, SHIFT), "\x1b[1;2P");
    assert_eq!(function(5, CTRL), "\x1b[15;5~");
    assert_eq!(function(13, Modifiers::NONE), "\x1b[1;2P");
    assert_eq!(function(24, Modifiers::NONE), "\x1b[24;2~");
    assert_eq!(function(25, Modifiers::NONE), "\x1b[1;5P");
    assert_eq!(function(35, Modifiers::NONE), "\x1b[23;5~");
    assert_eq!(function(0, Modifiers::NONE), "");
    assert_eq!(function(36, Modifiers::NONE), "");
}

#[test]
fn releases_and_keys_without_a_code_give_nothing() {
    let release = KeyEvent { kind: KeyKind::Release, ..KeyEvent::press(KeyCode::Char('a'), Modifiers::NONE) };
    assert_eq!(event("", release), "");
    assert_eq!(event("\x1b[>4;2m", release), "");
    assert_eq!(event("\x1b[>1u", release), "");
    assert_eq!(press("", KeyCode::CapsLock, Modifiers::NONE), "");
    let repeat = KeyEvent { kind: KeyKind::Repeat, ..release };
    assert_eq!(event("", repeat), "a");
}

#[test]
fn the_keypad_is_numeric() {
    let keypad = |code| KeyEvent { keypad: true, ..KeyEvent::press(code, Modifiers::NONE) };
    for (code, bytes) in [
        (KeyCode::Char('5'), "5"),
        (KeyCode::Char('+'), "+"),
        (KeyCode::Enter, "\r"),
        (KeyCode::Up, "\x1b[A"),
    ] {
        assert_eq!(event("\x1b=", keypad(code)), bytes);
    }
}

#[test]
fn modify_other_keys() {
    let one = "\x1b[>4;1m";
    let two = "\x1b[>4;2m";
    assert_eq!(char(one, 'a', CTRL), "\x01");
    assert_eq!(char(two, 'a', CTRL), "\x1b[27;5;97~");
    assert_eq!(char(one, 'a', ALT), "\x1ba");
    assert_eq!(char(two, 'a', ALT), "\x1b[27;3;97~");
    assert_eq!(char(one, 'A', CTRL.with(SHIFT)), "\x1b[27;6;65~");
    assert_eq!(char(one, ';', CTRL), "\x1b[27;5;59~");
    for output in [one, two] {
        assert_eq!(char(output, 'A', SHIFT), "A");
        assert_eq!(char(output, 'a', Modifiers::NONE), "a");
        let enter = |modifiers| press(output, KeyCode::Enter, modifiers);
        assert_eq!(enter(Modifiers::NONE), "\r");
        assert_eq!(enter(SHIFT), "\x1b[27;2;13~");
        assert_eq!(enter(ALT), "\x1b[27;3;13~");
        assert_eq!(enter(CTRL), "\x1b[27;5;13~");
        assert_eq!(press(output, KeyCode::Tab, SHIFT), "\x1b[Z");
        assert_eq!(press(output, KeyCode::Tab, CTRL), "\x1b[27;5;9~");
        assert_eq!(press(output, KeyCode::Backspace, CTRL), "\x08");
        assert_eq!(press(output, KeyCode::Up, CTRL), "\x1b[1;5A");
    }
    assert_eq!(press(one, KeyCode::Backspace, SHIFT), "\x7f");
    assert_eq!(press(two, KeyCode::Backspace, SHIFT), "\x1b[27;2;127~");
}

#[test]
fn kitty_disambiguation() {
    let on = "\x1b[>1u";
    assert_eq!(char(on, 'a', Modifiers::NONE), "a");
    assert_eq!(char(on, 'A', SHIFT), "A");
    assert_eq!(char(on, 'a', CTRL), "\x1b[97;5u");
    assert_eq!(char(on, 'A', CTRL.with(SHIFT)), "\x1b[97;6u");
    assert_eq!(char(on, 'a', ALT), "\x1b[97;3u");
    assert_eq!(char(on, ' ', CTRL), "\x1b[32;5u");
    assert_eq!(char(on, 'v', Modifiers::SUPER), "\x1b[118;9u");
    assert_eq!(press(on, KeyCode::Escape, Modifiers::NONE), "\x1b[27u");
    assert_eq!(press(on, KeyCode::Enter, Modifiers::NONE), "\r");
    assert_eq!(press(on, KeyCode::Enter, SHIFT), "\x1b[13;2u");
    assert_eq!(press(on, KeyCode::Enter, ALT), "\x1b[13;3u");
    assert_eq!(press(on, KeyCode::Enter, CTRL), "\x1b[13;5u");
    assert_eq!(press(on, KeyCode::Tab, SHIFT), "\x1b[9;2u");
    assert_eq!(press(on, KeyCode::Backspace, Modifiers::NONE), "\x7f");
    // Always the control sequence, whatever DECCKM says.
    assert_eq!(press("\x1b[?1h\x1b[>1u", KeyCode::Up, Modifiers::NONE), "\x1b[A");
    assert_eq!(press(on, KeyCode::Up, SHIFT), "\x1b[1;2A");
    assert_eq!(press(on, KeyCode::Delete, Modifiers::NONE), "\x1b[3~");
    assert_eq!(press(on, KeyCode::Function(1), Modifiers::NONE), "\x1b[P");
    assert_eq!(press(on, KeyCode::Function(3), SHIFT), "\x1b[13;2~");
    assert_eq!(press(on, KeyCode::Function(13), Modifiers::NONE), "\x1b[57376u");
    assert_eq!(press(on, KeyCode::Function(35), Modifiers::NONE), "\x1b[57398u");
    assert_eq!(press(on, KeyCode::Menu, Modifiers::NONE), "\x1b[57363u");
}

#[test]
fn kitty_keypad() {
    let keypad = |code| KeyEvent { keypad: true, ..KeyEvent::press(code, Modifiers::NONE) };
    assert_eq!(event("\x1b[>1u", keypad(KeyCode::Enter)), "\x1b[57414u");
    assert_eq!(event("\x1b[>1u", keypad(KeyCode::Left)), "\x1b[57417u");
    assert_eq!(event("\x1b[>1u", keypad(KeyCode::Char('7'))), "7");
    assert_eq!(event("\x1b[>9u", keypad(KeyCode::Char('7'))), "\x1b[57406u");
}

#[test]
fn kitty_event_types() {
    let of = |output: &str, code, modifiers, kind| {
        event(output, KeyEvent { kind, ..KeyEvent::press(code, modifiers) })
    };
    let on = "\x1b[>3u";
    let a = KeyCode::Char('a');
    assert_eq!(of(on, a, Modifiers::NONE, KeyKind::Repeat), "a");
    assert_eq!(of(on, a, Modifiers::NONE, KeyKind::Release), "\x1b[97;1:3u");
    assert_eq!(of(on, a, CTRL, KeyKind::Repeat), "\x1b[97;5:2u");
    assert_eq!(of(on, KeyCode::Up, Modifiers::NONE, KeyKind::Press), "\x1b[A");
    assert_eq!(of(on, KeyCode::Up, Modifiers::NONE, KeyKind::Release), "\x1b[1;1:3A");
    assert_eq!(of(on, KeyCode::PageUp, SHIFT, KeyKind::Repeat), "\x1b[5;2:2~");
    // A program that ends without a word must not leave a shell that gets releases of Enter.
    assert_eq!(of(on, KeyCode::Enter, Modifiers::NONE, KeyKind::Release), "");
    assert_eq!(of("\x1b[>10u", KeyCode::Enter, Modifiers::NONE, KeyKind::Release), "\x1b[13;1:3u");
    // Without disambiguation presses stay legacy.
    assert_eq!(of("\x1b[>2u", a, CTRL, KeyKind::Press), "\x01");
    assert_eq!(of("\x1b[>2u", a, CTRL, KeyKind::Release), "\x1b[97;5:3u");
    assert_eq!(of("\x1b[>2u", KeyCode::Escape, Modifiers::NONE, KeyKind::Press), "\x1b");
}

#[test]
fn kitty_all_keys_alternates_and_text() {
    assert_eq!(char("\x1b[>8u", 'a', Modifiers::NONE), "\x1b[97u");
    assert_eq!(char("\x1b[>8u", 'A', SHIFT), "\x1b[97;2u");
    assert_eq!(char("\x1b[>8u", 'A', Modifiers::NONE), "\x1b[97;65u");
    assert_eq!(press("\x1b[>8u", KeyCode::Enter, Modifiers::NONE), "\x1b[13u");
    assert_eq!(char("\x1b[>12u", 'A', SHIFT), "\x1b[97:65;2u");
    assert_eq!(char("\x1b[>24u", 'a', Modifiers::NONE), "\x1b[97;;97u");
    assert_eq!(char("\x1b[>28u", 'A', SHIFT), "\x1b[97:65;2;65u");
    assert_eq!(char("\x1b[>24u", 'a', CTRL), "\x1b[97;5u");
    let release = KeyEvent { kind: KeyKind::Release, ..KeyEvent::press(KeyCode::Char('a'), Modifiers::NONE) };
    assert_eq!(event("\x1b[>26u", release), "\x1b[97;1:3u");
}

fn at(kind: MouseKind, row: u16, col: u16, modifiers: Modifiers) -> MouseEvent {
    MouseEvent { kind, row, col, modifiers }
}

#[track_caller]
fn sent(output: &str, kind: MouseKind, modifiers: Modifiers) -> Vec<u8> {
    mouse(at(kind, 1, 2, modifiers), modes(output))
}

#[test]
fn mouse_protocols_choose_their_events() {
    let press = MouseKind::Press(MouseButton::Left);
    let release = MouseKind::Release(MouseButton::Left);
    let drag = MouseKind::Drag(MouseButton::Left);
    let all = [press, release, MouseKind::WheelUp, drag, MouseKind::Move];
    let wanted = |mode: &str| all.map(|kind| !sent(mode, kind, Modifiers::NONE).is_empty());
    assert_eq!(wanted(""), [false; 5]);
    assert_eq!(wanted("\x1b[?9h"), [true, false, false, false, false]);
    assert_eq!(wanted("\x1b[?1000h"), [true, true, true, false, false]);
    assert_eq!(wanted("\x1b[?1002h"), [true, true, true, true, false]);
    assert_eq!(wanted("\x1b[?1003h"), [true; 5]);
    assert_eq!(sent("\x1b[?9h", press, CTRL), b"\x1b[M #\"");
}

#[test]
fn mouse_encodings() {
    let press = MouseKind::Press(MouseButton::Right);
    let release = MouseKind::Release(MouseButton::Right);
    let any = |encoding: &str| format!("\x1b[?1003h{encoding}");
    assert_eq!(sent(&any(""), press, Modifiers::NONE), b"\x1b[M\"#\"");
    assert_eq!(sent(&any(""), release, Modifiers::NONE), b"\x1b[M##\"");
    let sgr = any("\x1b[?1006h");
    assert_eq!(sent(&sgr, press, SHIFT.with(ALT).with(CTRL)), b"\x1b[<30;3;2M");
    assert_eq!(sent(&sgr, release, Modifiers::NONE), b"\x1b[<2;3;2m");
    assert_eq!(sent(&sgr, MouseKind::Drag(MouseButton::Middle), Modifiers::NONE), b"\x1b[<33;3;2M");
    assert_eq!(sent(&sgr, MouseKind::Move, Modifiers::NONE), b"\x1b[<35;3;2M");
    let wheel = [MouseKind::WheelUp, MouseKind::WheelDown, MouseKind::WheelLeft, MouseKind::WheelRight];
    for (number, kind) in (64..).zip(wheel) {
        assert_eq!(sent(&sgr, kind, Modifiers::NONE), format!("\x1b[<{number};3;2M").as_bytes());
    }
    assert_eq!(sent(&any("\x1b[?1015h"), release, Modifiers::NONE), b"\x1b[35;3;2M");
    assert_eq!(sent(&any("\x1b[?1016h"), press, Modifiers::NONE), b"\x1b[<2;20;24M");
}

#[test]
fn far_away_cells_are_clamped_where_the_encoding_cannot_tell_them() {
    let far = at(MouseKind::Press(MouseButton::Left), 300, 4_000, Modifiers::NONE);
    assert_eq!(mouse(far, modes("\x1b[?1000h")), b"\x1b[M \xff\xff");
    let utf8 = [b"\x1b[M ".as_slice(), "\u{7ff}\u{14d}".as_bytes()].concat();
    assert_eq!(mouse(far, modes("\x1b[?1000;1005h")), utf8);
    assert_eq!(mouse(far, modes("\x1b[?1000;1006h")), b"\x1b[<0;4001;301M");
}

#[test]
fn the_wheel_gives_arrows_on_the_alternate_screen() {
    let wheel = |output| sent(output, MouseKind::WheelUp, Modifiers::NONE);
    assert_eq!(wheel(""), b"");
    assert_eq!(wheel("\x1b[?1049h"), b"\x1b[A\x1b[A\x1b[A");
    assert_eq!(wheel("\x1b[?1049;1h"), b"\x1bOA\x1bOA\x1bOA");
    assert_eq!(wheel("\x1b[?1049h\x1b[?1007l"), b"");
    assert_eq!(sent("\x1b[?1049h", MouseKind::WheelDown, Modifiers::NONE), b"\x1b[B\x1b[B\x1b[B");
    assert_eq!(sent("\x1b[?1049h", MouseKind::WheelLeft, Modifiers::NONE), b"");
    assert_eq!(wheel("\x1b[?1049;1000;1006h"), b"\x1b[<64;3;2M");
}

#[test]
fn pastes() {
    assert_eq!(paste("a\nb\r\nc\rd", modes("")), b"a\rb\rc\rd");
    let brackets = modes("\x1b[?2004h");
    assert_eq!(paste("a\nb", brackets), b"\x1b[200~a\rb\x1b[201~");
    assert_eq!(paste("a\x1b[201~b", brackets), b"\x1b[200~ab\x1b[201~");
    assert_eq!(paste("a\x1b[20\x1b[201~1~b\u{9b}201~", brackets), b"\x1b[200~ab\x1b[201~");
}

#[test]
fn focus_changes_are_told_if_asked_for() {
    assert_eq!(focus(true, modes("")), b"");
    assert_eq!(focus(true, modes("\x1b[?1004h")), b"\x1b[I");
    assert_eq!(focus(false, modes("\x1b[?1004h")), b"\x1b[O");
}

proptest! {
    #[test]
    fn a_paste_cannot_leave_its_brackets(text in "([a~01]|\x1b|\\[|2|20|201~|\x1b\\[201~|\u{9b}){0,20}") {
        let bytes = paste(&text, Modes(Modes::BRACKETED_PASTE));
        let inside = &bytes[6..bytes.len() - 6];
        prop_assert!(!inside.windows(6).any(|six| six == b"\x1b[201~"));
        prop_assert!(!inside.windows(6).any(|six| six == super::PASTE_END_C1.as_bytes()));
    }

    #[test]
    fn no_event_and_no_mode_panics(
        bits in any::<u64>(), held in any::<u8>(), function in any::<u8>(), character in any::<char>(),
        row in any::<u16>(), col in any::<u16>(), keypad in any::<bool>(), kind in 0..3_u8,
    ) {
        let modes = Modes(bits);
        let modifiers = Modifiers(held);
        let kind = [KeyKind::Press, KeyKind::Repeat, KeyKind::Release][usize::from(kind)];
        for code in [KeyCode::Char(character), KeyCode::Function(function), KeyCode::Enter, KeyCode::Up, KeyCode::Pause] {
            let bytes = key(KeyEvent { code, modifiers, kind, keypad }, modes, ShiftEnter::CsiU);
            prop_assert!(bytes.len() < 64 && std::str::from_utf8(&bytes).is_ok());
        }
        for kind in [MouseKind::Press(MouseButton::Left), MouseKind::Move, MouseKind::WheelRight] {
            prop_assert!(mouse(at(kind, row, col, modifiers), modes).len() < 32);
        }
    }
}
