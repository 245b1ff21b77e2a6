//! Modes, the revision, synchronized updates.

use super::super::sync::SYNCHRONIZED;
use super::super::{CaptureMode, CaptureRequest, Engine, Modes, MouseEncoding, MouseProtocol, View};
use super::{fed, rows};
use crate::protocol::frame::{CursorShape, ScreenModes};
use crate::protocol::geometry::Size;
use std::time::{Duration, Instant};

#[track_caller]
fn modes(bytes: &[u8]) -> Modes {
    fed(24, 80, bytes).modes()
}

#[test]
fn every_bit_is_set_and_reset_by_its_sequence() {
    let pairs: [(&[u8], &[u8], u64); 8] = [
        (b"\x1b[?1h", b"\x1b[?1l", Modes::APPLICATION_CURSOR),
        (b"\x1b=", b"\x1b>", Modes::APPLICATION_KEYPAD),
        (b"\x1b[?66h", b"\x1b[?66l", Modes::APPLICATION_KEYPAD),
        (b"\x1b[?2004h", b"\x1b[?2004l", Modes::BRACKETED_PASTE),
        (b"\x1b[?1004h", b"\x1b[?1004l", Modes::FOCUS_EVENTS),
        (b"\x1b[?1049h", b"\x1b[?1049l", Modes::ALTERNATE_SCREEN),
        (b"\x1b[20h", b"\x1b[20l", Modes::NEWLINE),
        (b"\x1b[?67h", b"\x1b[?67l", Modes::BACKARROW),
    ];
    for (set, reset, bit) in pairs {
        assert!(!modes(b"").contains(bit));
        assert!(modes(set).contains(bit), "{}", set.escape_ascii());
        assert!(!modes(&[set, reset].concat()).contains(bit), "{}", reset.escape_ascii());
        assert!(!modes(&[set, b"\x1bc"].concat()).contains(bit), "{}", set.escape_ascii());
    }
    assert!(modes(b"").contains(Modes::ALTERNATE_SCROLL));
    assert!(!modes(b"\x1b[?1007l").contains(Modes::ALTERNATE_SCROLL));
    assert!(modes(b"\x1b[?1007l\x1bc").contains(Modes::ALTERNATE_SCROLL));
    assert!(!modes(b"\x1b[?1h\x1b=\x1b[!p").contains(Modes::APPLICATION_CURSOR));
}

#[test]
fn the_mouse_is_reported_as_last_asked_for() {
    let mouse = |bytes: &[u8]| (modes(bytes).mouse_protocol(), modes(bytes).mouse_encoding());
    assert_eq!(mouse(b""), (MouseProtocol::None, MouseEncoding::Default));
    assert_eq!(mouse(b"\x1b[?9h\x1b[?1005h"), (MouseProtocol::X10, MouseEncoding::Utf8));
    assert_eq!(mouse(b"\x1b[?1000;1015h"), (MouseProtocol::Normal, MouseEncoding::Urxvt));
    assert_eq!(mouse(b"\x1b[?1002h\x1b[?1016;1006h"), (MouseProtocol::ButtonMotion, MouseEncoding::Sgr));
    assert_eq!(mouse(b"\x1b[?1003h\x1b[?1006;1016h"), (MouseProtocol::AnyMotion, MouseEncoding::SgrPixels));
    assert_eq!(mouse(b"\x1b[?1003;1006h\x1b[?1003;1006l"), (MouseProtocol::None, MouseEncoding::Default));
}

#[test]
fn each_screen_has_its_kitty_keyboard_stack() {
    let flags = |bytes: &[u8]| modes(bytes).kitty_flags();
    assert_eq!(flags(b"\x1b[>1u\x1b[>31u"), 31);
    assert_eq!(flags(b"\x1b[>1u\x1b[>3u\x1b[<u"), 1);
    assert_eq!(flags(b"\x1b[>1u\x1b[>3u\x1b[<9u"), 0);
    assert_eq!(flags(b"\x1b[=5u\x1b[=2;2u"), 7);
    assert_eq!(flags(b"\x1b[=7u\x1b[=2;3u"), 5);
    assert_eq!(flags(b"\x1b[>1u\x1b[?1049h"), 0);
    assert_eq!(flags(b"\x1b[>1u\x1b[?1049h\x1b[>8u\x1b[?1049l"), 1);
    assert_eq!(flags(b"\x1b[>1u\x1bc"), 0);
    // A full stack loses its oldest entries.
    let full = [b"\x1b[>1u".to_vec(), b"\x1b[>2u".repeat(40), b"\x1b[<32u".to_vec()].concat();
    assert_eq!(flags(&full), 2);
    assert_eq!(flags(&[full, b"\x1b[<u".to_vec()].concat()), 0);
}

#[test]
fn modify_other_keys_has_three_levels() {
    let level = |bytes: &[u8]| modes(bytes).modify_other_keys();
    assert_eq!(level(b"\x1b[>4;1m"), 1);
    assert_eq!(level(b"\x1b[>4;2m\x1b[>4;9m"), 2);
    for reset in [b"\x1b[>4m".as_slice(), b"\x1b[>4;0m", b"\x1b[>m", b"\x1b[>4n", b"\x1bc"] {
        assert_eq!(level(&[b"\x1b[>4;2m", reset].concat()), 0, "{}", reset.escape_ascii());
    }
}

#[test]
fn a_frame_says_what_a_client_must_know() {
    let shown = |bytes: &[u8]| fed(24, 80, bytes).frame(View::Live).modes;
    assert_eq!(shown(b"\x1b[?2004h"), ScreenModes::default());
    assert_eq!(shown(b"\x1b[?1;1049h"), ScreenModes::ALTERNATE.with(ScreenModes::APPLICATION_CURSOR));
    assert_eq!(shown(b"\x1b[?1000h"), ScreenModes::MOUSE);
    assert_eq!(shown(b"\x1b[?1003h"), ScreenModes::MOUSE.with(ScreenModes::MOUSE_MOTION));
}

#[test]
fn the_cursor_has_a_shape_and_can_be_hidden() {
    let cursor = |bytes: &[u8]| fed(24, 80, bytes).frame(View::Live).cursor;
    assert_eq!(cursor(b"").map(|cursor| cursor.shape), Some(CursorShape::Default));
    assert_eq!(cursor(b"\x1b[4 q").map(|cursor| cursor.shape), Some(CursorShape::Underline { blink: false }));
    assert_eq!(cursor(b"\x1b[5 q").map(|cursor| cursor.shape), Some(CursorShape::Bar { blink: true }));
    assert_eq!(cursor(b"\x1b[?25l"), None);
    assert!(cursor(b"\x1b[?25l\x1b[?25h").is_some());
    assert!(cursor(b"\x1b[?25l\x1b[!p").is_some());
}

#[test]
fn the_revision_rises_with_what_can_be_seen_and_with_nothing_else() {
    let mut engine = fed(5, 20, b"text");
    let silent: [&[u8]; 12] = [
        b"\x1b[c",
        b"\x1b[6n",
        b"\x1b]2;title\x07",
        b"\x07",
        b"\x1b[?2004h",
        b"\x1b[?1000;1006h",
        b"\x1b[>1u",
        b"\x1b[31m",
        b"\x1b7",
        b"\x1b]10;?\x07",
        b"\x1b[H\x1b[1;5H",
        b"\x1b",
    ];
    for bytes in silent {
        let before = engine.revision();
        engine.feed(bytes, Instant::now());
        assert_eq!(engine.revision(), before, "{}", bytes.escape_ascii());
    }
    let visible: [&[u8]; 11] = [
        b"\x18a",
        b"\r",
        b"\n",
        b"\x1b[A",
        b"\x1b[K",
        b"\x1b[2J",
        b"\x1b[?25l",
        b"\x1b[?25h",
        b"\x1b[2 q",
        b"\x1b[?1049h",
        b"\x1bc",
    ];
    for bytes in visible {
        let before = engine.revision();
        engine.feed(bytes, Instant::now());
        assert!(engine.revision() > before, "{}", bytes.escape_ascii());
    }
    let before = engine.revision();
    engine.resize(Size::new(5, 20));
    assert_eq!(engine.revision(), before);
    engine.resize(Size::new(6, 20));
    assert!(engine.revision() > before);
}

#[test]
fn a_synchronized_update_shows_the_last_complete_picture_until_it_ends() {
    let now = Instant::now();
    let mut engine = fed(2, 10, b"old");
    engine.feed(b"\x1b[?2026h\rnew", now);
    assert_eq!(engine.deadline(), Some(now + SYNCHRONIZED));
    assert_eq!(rows(&mut engine, View::Live), ["old", ""]);
    let held = engine.frame(View::Live).revision;
    engine.feed(b"er", now);
    assert_eq!(engine.frame(View::Live).revision, held);
    let before = engine.revision();
    engine.feed(b"\x1b[?2026l", now);
    assert_eq!(engine.deadline(), None);
    assert!(engine.revision() > before, "a viewer must learn that there is another picture");
    assert_eq!(rows(&mut engine, View::Live), ["newer", ""]);
}

#[test]
fn a_synchronized_update_ends_at_its_deadline_and_its_bound() {
    let now = Instant::now();
    let mut engine = fed(1, 10, b"\x1b[?2026hx");
    let deadline = engine.deadline().expect("an open update");
    engine.feed(b"", deadline.checked_sub(Duration::from_millis(1)).unwrap_or(now));
    assert_eq!(rows(&mut engine, View::Live), [""]);
    engine.feed(b"\x1b[?2026h", now);
    assert_eq!(engine.deadline(), Some(deadline), "asking again does not prolong it");
    engine.feed(b"", deadline);
    assert_eq!((engine.deadline(), rows(&mut engine, View::Live)), (None, vec!["x".to_owned()]));

    engine.feed(b"\x1b[?2026h", now);
    engine.feed(&vec![b'\r'; 1_048_577], now);
    assert_eq!(engine.deadline(), None);
}

#[test]
fn captures_and_views_of_the_history_show_what_stood_before_an_open_update() {
    let now = Instant::now();
    let mut engine = fed(2, 10, b"\x1b]4;1;#00ff00\x07one\r\ntwo\r\n\x1b[31mred\x1b[m.");
    let text = |engine: &Engine, mode, ansi| {
        let capture = engine.capture(CaptureRequest { mode, lines: 9, ansi, max_bytes: 1_000, cursor: true });
        (capture.text, capture.revision, capture.history_rows, capture.cursor.map(|cursor| cursor.offset))
    };
    let modes =
        [CaptureMode::Visible, CaptureMode::Recent, CaptureMode::RecentUnwrapped, CaptureMode::Detection];
    let all = |engine: &Engine| -> Vec<_> {
        modes.iter().flat_map(|mode| [false, true].map(|ansi| text(engine, *mode, ansi))).collect()
    };
    let (before, scrolled) = (all(&engine), rows(&mut engine, View::From(0)));
    assert_eq!(before[3].0, "one\ntwo\n\x1b[0;31mred\x1b[0m.", "not in the colour that was set");
    engine.feed(b"\x1b[?2026h\r\nthree\r\nfour\x1b[H\x1b[2Jnew", now);
    assert_eq!(all(&engine), before);
    assert_eq!(rows(&mut engine, View::From(0)), scrolled);
    engine.feed(b"\x1b[3J\x1b[?1049h", now);
    assert_eq!(text(&engine, CaptureMode::Recent, false).0, "two\nred.", "what is gone is gone");
    engine.feed(b"\x1b[?1049l\x1b[?2026l", now);
    let after = text(&engine, CaptureMode::Recent, false);
    assert_eq!((after.0.as_str(), after.1), ("new", before[0].1 + 1));
}

#[test]
fn an_update_is_released_when_nothing_follows() {
    let mut engine = fed(1, 10, b"\x1b[?2026hlast");
    engine.release();
    assert_eq!((engine.deadline(), rows(&mut engine, View::Live)), (None, vec!["last".to_owned()]));
}

#[test]
fn the_size_is_never_absurd() {
    let mut engine = Engine::new(Size::new(0, 0), 0);
    assert_eq!(engine.size(), Size::new(1, 1));
    engine.resize(Size::new(u16::MAX, 1));
    assert_eq!(engine.size(), Size::new(1_000, 1));
}
