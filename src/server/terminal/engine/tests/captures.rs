//! Captures.

use super::super::{Capture, CaptureMode, CaptureRequest, Engine};
use super::fed;
use crate::protocol::geometry::Size;
use std::time::Instant;

fn capture(engine: &Engine, mode: CaptureMode, lines: usize, ansi: bool) -> Capture {
    engine.capture(CaptureRequest { mode, lines, ansi, max_bytes: 1_000, cursor: false })
}

fn plain(engine: &Engine, mode: CaptureMode, lines: usize) -> (String, usize, bool) {
    let capture = capture(engine, mode, lines, false);
    (capture.text, capture.lines, capture.truncated)
}

#[test]
fn blank_rows_at_the_end_go_before_lines_are_counted() {
    let engine = fed(6, 20, b"one\r\n\r\nthree  \r\nfour\r\n");
    assert_eq!(plain(&engine, CaptureMode::Visible, 9), ("one\n\nthree\nfour".into(), 4, false));
    assert_eq!(plain(&engine, CaptureMode::Visible, 2), ("three\nfour".into(), 2, true));
    assert_eq!(plain(&engine, CaptureMode::Detection, 2), ("three\nfour".into(), 2, true));
    assert_eq!(plain(&fed(6, 20, b""), CaptureMode::Visible, 9), (String::new(), 0, false));
}

#[test]
fn recent_lines_join_what_was_wrapped() {
    let engine = fed(2, 5, b"zero\r\nabcdefghijkl\r\nlast");
    assert_eq!(
        plain(&engine, CaptureMode::RecentUnwrapped, 9),
        ("zero\nabcdefghijkl\nlast".into(), 3, false)
    );
    assert_eq!(plain(&engine, CaptureMode::RecentUnwrapped, 2), ("abcdefghijkl\nlast".into(), 2, true));
    assert_eq!(plain(&engine, CaptureMode::Visible, 9), ("kl\nlast".into(), 2, false));
    let capture = capture(&engine, CaptureMode::RecentUnwrapped, 9, false);
    assert_eq!((capture.history_rows, capture.revision), (3, engine.revision()));
}

#[test]
fn blanks_inside_of_a_wrapped_line_stay() {
    let engine = fed(3, 4, b"ab  cd");
    assert_eq!(plain(&engine, CaptureMode::RecentUnwrapped, 9).0, "ab  cd");
}

#[test]
fn both_histories_are_recent_and_do_not_run_into_each_other() {
    let mut engine = fed(2, 4, b"abcdefghijkl\x1b[?1049h\x1b[H");
    assert_eq!(plain(&engine, CaptureMode::RecentUnwrapped, 9).0, "abcd");
    engine.feed(b"a1\r\na2\r\na3", Instant::now());
    assert_eq!(plain(&engine, CaptureMode::RecentUnwrapped, 9).0, "abcd\na1\na2\na3");
    assert_eq!(plain(&engine, CaptureMode::Visible, 9).0, "a2\na3");
    engine.feed(b"\x1b[?1049l", Instant::now());
    assert_eq!(plain(&engine, CaptureMode::RecentUnwrapped, 9).0, "abcdefghijkl");
}

#[test]
fn only_safe_styles_are_kept() {
    let bytes = b"\x1b[1;32mgreen\x1b[m \x1b]8;;http://x\x07link\x1b]8;;\x07\r\n\x1b[93;48;5;17mtwo  \x1b[38;2;1;2;3mthree \x1b[m";
    let engine = fed(3, 20, bytes);
    let text = capture(&engine, CaptureMode::Visible, 9, true).text;
    let expected =
        "\x1b[0;1;32mgreen\x1b[0m link\n\x1b[0;93;48;5;17mtwo  \x1b[0;38;2;1;2;3;48;5;17mthree\x1b[0m";
    assert_eq!(text, expected);
    assert_eq!(capture(&engine, CaptureMode::Detection, 9, true).text, "green link\ntwo  three");
}

#[test]
fn the_byte_cap_drops_the_oldest_lines() {
    let engine = fed(4, 20, b"one\r\ntwo\r\nthree");
    let capped = |max_bytes| {
        let request = CaptureRequest {
            mode: CaptureMode::RecentUnwrapped,
            lines: 9,
            ansi: false,
            max_bytes,
            cursor: false,
        };
        let capture = engine.capture(request);
        (capture.text, capture.lines, capture.truncated)
    };
    assert_eq!(capped(13), ("one\ntwo\nthree".into(), 3, false));
    assert_eq!(capped(12), ("two\nthree".into(), 2, true));
    assert_eq!(capped(5), ("three".into(), 1, true));
    assert_eq!(capped(4), (String::new(), 0, true));
}

#[test]
fn of_a_line_longer_than_the_cap_the_end_is_kept() {
    let mut engine = Engine::new(Size::new(2, 10), 100_000);
    engine.feed(b"old\r\n", Instant::now());
    engine.feed("0123456789".repeat(500).as_bytes(), Instant::now());
    let request = CaptureRequest {
        mode: CaptureMode::RecentUnwrapped,
        lines: 9,
        ansi: false,
        max_bytes: 105,
        cursor: false,
    };
    let capture = engine.capture(request);
    assert_eq!((capture.text, capture.lines, capture.truncated), ("0123456789".repeat(10), 1, true));
}

#[test]
fn a_capture_changes_nothing() {
    let mut engine = fed(2, 5, b"1\r\n2\r\n3");
    let before = (engine.frame(super::View::From(0)), engine.revision());
    capture(&engine, CaptureMode::RecentUnwrapped, 1, true);
    assert_eq!((engine.frame(super::View::From(0)), engine.revision()), before);
}
