//! Where the cursor stands in a capture.

use crate::protocol::geometry::Size;
use crate::server::terminal::engine::{CaptureMode, CaptureRequest, Engine, TextCursor};
use proptest::prelude::*;
use std::time::Instant;
use unicode_width::UnicodeWidthStr;

const ALL: CaptureRequest =
    CaptureRequest { mode: CaptureMode::Visible, lines: 300, ansi: false, max_bytes: 524_288, cursor: true };

fn engine(size: Size, output: &str) -> Engine {
    let mut engine = Engine::new(size, 100_000);
    engine.feed(output.as_bytes(), Instant::now());
    engine
}

/// Text and cursor of a screen of 5 rows and 10 columns.
fn capture(output: &str, request: CaptureRequest) -> (String, Option<(usize, usize)>) {
    let capture = engine(Size::new(5, 10), output).capture(request);
    let cursor = capture.cursor.map(|TextCursor { offset, padding_cells }| (offset, padding_cells));
    (capture.text, cursor)
}

#[test]
fn blanks_before_the_cursor_that_were_cut_off_are_padding() {
    assert_eq!(capture("box$ ", ALL), ("box$".into(), Some((4, 1))));
    assert_eq!(capture("box$", ALL), ("box$".into(), Some((4, 0))));
    assert_eq!(capture("box$ ls\x1b[3D", ALL), ("box$ ls".into(), Some((4, 0))));
    assert_eq!(capture("", ALL), (String::new(), Some((0, 0))));
    assert_eq!(capture("\x1b[1;4H", ALL), (String::new(), Some((0, 3))));
}

#[test]
fn rows_down_to_the_cursor_are_kept() {
    assert_eq!(capture("one\r\n\r\n  ", ALL), ("one\n\n".into(), Some((5, 2))));
    let without = CaptureRequest { cursor: false, ..ALL };
    assert_eq!(capture("one\r\n\r\n  ", without), ("one".into(), None));
    // The last lines are taken after that.
    let two = CaptureRequest { lines: 2, ..ALL };
    assert_eq!(capture("one\r\n\r\n  ", two), ("\n".into(), Some((1, 2))));
}

#[test]
fn a_cursor_that_is_hidden_or_outside_is_none() {
    assert_eq!(capture("one\x1b[?25l", ALL), ("one".into(), None));
    let last = CaptureRequest { lines: 1, ..ALL };
    assert_eq!(capture("one\r\ntwo\x1b[A", last), ("two".into(), None));
    let short = CaptureRequest { max_bytes: 4, ..ALL };
    assert_eq!(capture("one\r\ntwo\x1b[A", short), ("two".into(), None));
}

#[test]
fn characters_are_counted_and_not_cells_bytes_or_styles() {
    assert_eq!(capture("äö\u{5b57}\u{5b57}x", ALL).1, Some((5, 0)));
    assert_eq!(capture("e\u{301}x", ALL).1, Some((3, 0)));
    assert_eq!(capture("\u{5b57}xy\x1b[1;3H", ALL).1, Some((1, 0)), "after the wide one");
    let ansi = CaptureRequest { ansi: true, ..ALL };
    let (text, cursor) = capture("\x1b[31mred\x1b[0m\r\n\x1b[1mab", ansi);
    assert!(text.contains("\x1b["), "{text:?}");
    assert_eq!(cursor, Some((6, 0)));
}

#[test]
fn soft_wrapped_rows_are_counted_as_one_line() {
    let recent = CaptureRequest { mode: CaptureMode::RecentUnwrapped, ..ALL };
    assert_eq!(capture("0123456789abc", recent), ("0123456789abc".into(), Some((13, 0))));
    assert_eq!(capture("0123456789abc", ALL), ("0123456789\nabc".into(), Some((14, 0))));
    // Begun in the history, ended on the screen.
    let long = "x".repeat(60);
    assert_eq!(capture(&long, recent), (long.clone(), Some((59, 0))), "it waits on the last cell");
    assert_eq!(capture(&format!("{long}\x1b[A\x1b[3G"), recent), (long, Some((42, 0))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_cursor_is_where_the_screen_has_it(
        pieces in prop::collection::vec(
            prop_oneof![
                "[a-c ]{1,12}".prop_map(|text| text),
                Just("\u{5b57}".to_owned()),
                Just("e\u{301}".to_owned()),
                Just("\r\n".to_owned()),
                (1_u16..7, 1_u16..12).prop_map(|(row, col)| format!("\x1b[{row};{col}H")),
            ],
            0..20,
        ),
    ) {
        let mut engine = engine(Size::new(6, 11), &pieces.concat());
        let capture = engine.capture(ALL);
        let at = engine.frame(super::super::View::Live).cursor.expect("a visible cursor");
        let TextCursor { offset, padding_cells } = capture.cursor.expect("the same one");
        let before: String = capture.text.chars().take(offset).collect();
        prop_assert_eq!(before.matches('\n').count(), usize::from(at.row));
        let line = before.rsplit('\n').next().unwrap_or_default();
        let after = capture.text.chars().nth(offset);
        prop_assert!(padding_cells == 0 || after.is_none_or(|char| char == '\n'));
        let col = line.width() + padding_cells;
        let wide = usize::from(line.ends_with('\u{5b57}'));
        prop_assert!((usize::from(at.col)..=usize::from(at.col) + wide).contains(&col));
    }
}
