//! Frames: cells, sharing, history.

use super::super::{Engine, View};
use super::{fed, rows};
use crate::protocol::frame::{Position, Row, Run, Unit};
use crate::protocol::geometry::Size;
use crate::protocol::style::{Attrs, Color, Style};
use std::sync::Arc;
use std::time::Instant;

fn first_row(bytes: &[u8]) -> Arc<Row> {
    Arc::clone(&fed(2, 20, bytes).frame(View::Live).rows[0])
}

fn run(style: Style, unit: Unit, text: &str) -> Run {
    Run { style, unit, text: text.to_owned() }
}

#[test]
fn runs_follow_styles() {
    let plain = Style::default();
    let row = first_row(b"a\x1b[1;31mbc\x1b[22;2;3;4;7;48;5;200md\x1b[m e \x1b[38;2;1;2;3mf\x1b[96;101mg");
    let all = Attrs::DIM.with(Attrs::ITALIC).with(Attrs::UNDERLINE).with(Attrs::REVERSE);
    let expected = [
        run(plain, Unit::Narrow, "a"),
        run(Style { fg: Color::Indexed(1), attrs: Attrs::BOLD, ..plain }, Unit::Narrow, "bc"),
        run(Style { fg: Color::Indexed(1), bg: Color::Indexed(200), attrs: all, ..plain }, Unit::Narrow, "d"),
        run(plain, Unit::Narrow, " e "),
        run(Style { fg: Color::Rgb(1, 2, 3), ..plain }, Unit::Narrow, "f"),
        run(Style { fg: Color::Indexed(14), bg: Color::Indexed(9), ..plain }, Unit::Narrow, "g"),
    ];
    assert_eq!(row.runs, expected);
    // Blanks at the end are left out only in the default style.
    assert_eq!(first_row(b"a  \x1b[44m \x1b[m  ").text(), "a");
    assert_eq!(first_row(b"a  \x1b[44m \x1b[m  ").runs.len(), 2);
    assert_eq!(first_row(b"   ").runs, []);
}

#[test]
fn wide_characters_and_clusters_have_units_of_their_own() {
    let style = Style::default();
    let row = first_row("ab漢字e\u{301}x☺\u{fe0f}".as_bytes());
    let expected = [
        run(style, Unit::Narrow, "ab"),
        run(style, Unit::Wide, "漢字"),
        run(style, Unit::NarrowCluster, "e\u{301}"),
        run(style, Unit::Narrow, "x"),
        run(style, Unit::WideCluster, "☺\u{fe0f}"),
    ];
    assert_eq!(row.runs, expected);
}

#[test]
fn an_emoji_selector_beyond_the_last_column_does_no_harm() {
    let mut engine = fed(1, 4, "\x1b[4G☺\u{fe0f}\x1b[4Gx".as_bytes());
    assert_eq!(rows(&mut engine, View::Live), ["   x"]);
}

#[test]
fn only_the_row_of_a_keystroke_is_painted_again() {
    let mut engine = fed(3, 20, b"one\r\ntwo\r\n$ ");
    let before = engine.frame(View::Live);
    engine.feed(b"x", Instant::now());
    let after = engine.frame(View::Live);
    let same: Vec<bool> = before.rows.iter().zip(&after.rows).map(|(a, b)| Arc::ptr_eq(a, b)).collect();
    assert_eq!(same, [true, true, false]);
    assert_eq!(after.rows[2].text(), "$ x");
    assert_eq!(after.cursor.map(|cursor| (cursor.row, cursor.col)), Some((2, 3)));
    // Written again as it was, it is the same row.
    engine.feed(b"\x08x", Instant::now());
    assert!(Arc::ptr_eq(&after.rows[2], &engine.frame(View::Live).rows[2]));
}

#[test]
fn rows_that_leave_the_top_are_history() {
    let mut engine = fed(2, 10, b"1\r\n2\r\n3\r\n4");
    assert_eq!(engine.history(), 0..2);
    assert_eq!(rows(&mut engine, View::Live), ["3", "4"]);
    assert_eq!(rows(&mut engine, View::From(1)), ["2", "3"]);
    let frame = engine.frame(View::From(1));
    assert_eq!(frame.position, Position { above: 1, below: 1 });
    assert_eq!(frame.cursor, None);
    assert_eq!(engine.frame(View::Live).position, Position { above: 2, below: 0 });
    assert_eq!(engine.frame(View::From(2)), engine.frame(View::Live));
    assert_eq!(engine.frame(View::From(99)), engine.frame(View::Live));
    // The view stays on its text.
    engine.feed(b"\r\n5", Instant::now());
    assert_eq!(rows(&mut engine, View::From(1)), ["2", "3"]);
    assert_eq!(engine.frame(View::From(1)).position, Position { above: 1, below: 2 });
}

#[test]
fn a_cursor_that_is_still_in_view_moves_with_its_row() {
    let mut engine = fed(3, 10, b"1\r\n2\r\n3\r\n4\x1b[1;1H");
    let cursor = engine.frame(View::From(0)).cursor.expect("in view");
    assert_eq!((cursor.row, cursor.col), (1, 0));
}

#[test]
fn history_rows_keep_their_looks() {
    let bytes = "\x1b[1;31mred\x1b[m 漢 e\u{301}\r\nsoft wrapped row\r\n\r\n\r\n\r\n";
    let mut engine = fed(3, 11, bytes.as_bytes());
    let frame = engine.frame(View::From(0));
    assert_eq!(
        frame.rows[0].runs[0].style,
        Style { fg: Color::Indexed(1), attrs: Attrs::BOLD, ..Style::default() }
    );
    assert_eq!(frame.rows[0].text(), "red 漢 e\u{301}");
    assert_eq!(frame.rows.iter().map(|row| row.wrapped).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn gaps_in_history_rows_are_not_painted_over() {
    let mut engine = fed(1, 20, b"\x1b[7mA\x1b[m\tb\r\n\x1b[44mbar\x1b[K\x1b[m\r\n\x1b[4mu\x1b[5Gu\r\n");
    let styles = |row: &Row| row.runs.iter().map(|run| (run.style, run.text.clone())).collect::<Vec<_>>();
    let plain = Style::default();
    let reverse = Style { attrs: Attrs::REVERSE, ..plain };
    let under = Style { attrs: Attrs::UNDERLINE, ..plain };
    let blue = Style { bg: Color::Indexed(4), ..plain };
    let shown = |engine: &mut Engine, row| styles(&engine.frame(View::From(row)).rows[0]);
    assert_eq!(shown(&mut engine, 0), [(reverse, "A".into()), (plain, "       b".into())]);
    assert_eq!(shown(&mut engine, 1), [(blue, format!("bar{}", " ".repeat(17)))]);
    assert_eq!(shown(&mut engine, 2), [(under, "u".into()), (plain, "   ".into()), (under, "u".into())]);
}

#[test]
fn the_oldest_rows_go_first_and_the_view_with_them() {
    let mut engine = Engine::new(Size::new(1, 10), 2_000);
    for number in 0..1_000 {
        engine.feed(format!("{number}\r\n").as_bytes(), Instant::now());
    }
    let history = engine.history();
    assert_eq!(history.end, 1_000);
    assert!(history.start > 500 && history.start < 950, "{history:?}");
    let oldest = engine.frame(View::From(3));
    assert_eq!(oldest.rows[0].text(), history.start.to_string());
    assert_eq!(oldest.position, Position { above: 0, below: history.end - history.start });
}

#[test]
fn eighty_thousand_ordinary_lines_fit_the_default_budget() {
    let mut engine = Engine::new(Size::new(24, 80), 10 * 1_024 * 1_024);
    let lines = format!("{}\r\n", "x".repeat(80)).repeat(1_000);
    for _ in 0..200 {
        engine.feed(lines.as_bytes(), Instant::now());
    }
    let kept = engine.history();
    assert!(kept.end - kept.start >= 80_000, "{kept:?}");
}

#[test]
fn erasing_the_saved_lines_forgets_the_history() {
    for (sequence, end) in [("\x1b[3J", 2), ("\x1b[?3J", 2), ("\x1b[2J\x1b[3J", 3), ("\x1bc", 2)] {
        let mut engine = fed(1, 10, b"1\r\n2\r\n3");
        engine.feed(sequence.as_bytes(), Instant::now());
        assert_eq!(engine.history(), end..end, "{sequence:?}");
    }
    let mut cut = fed(1, 10, b"1\r\n2\r\n3\x1b[");
    cut.feed(b"3", Instant::now());
    assert_eq!(cut.history(), 0..2);
    cut.feed(b"J", Instant::now());
    assert_eq!(cut.history(), 2..2);
}

#[test]
fn rows_of_the_alternate_screen_are_kept_until_it_is_left() {
    let mut engine = fed(1, 10, b"p1\r\np2\x1b[?1049h\x1b[Ha1\r\na2\r\na3");
    assert_eq!(engine.history(), 0..3);
    assert_eq!(rows(&mut engine, View::From(0)), ["p1"]);
    assert_eq!(rows(&mut engine, View::From(2)), ["a2"]);
    engine.feed(b"\x1b[?1049l", Instant::now());
    assert_eq!(engine.history(), 0..1);
    assert_eq!(rows(&mut engine, View::Live), ["p2"]);
    engine.feed(b"\x1b[?1049h\x1b[Hb1\r\nb2", Instant::now());
    assert_eq!(rows(&mut engine, View::From(1)), ["b1"]);
}

#[test]
fn alternate_rows_displace_primary_rows_first() {
    let mut engine = Engine::new(Size::new(1, 10), 2_000);
    engine.feed(b"primary\r\n".repeat(300).as_slice(), Instant::now());
    let before = engine.history();
    assert!(before.start > 0);
    engine.feed(b"\x1b[?1049h", Instant::now());
    assert_eq!(engine.history(), before, "going there takes nothing away");
    engine.feed(b"alternat\r\n".repeat(20).as_slice(), Instant::now());
    assert_eq!(engine.history().end, before.end + 20);
    assert!(engine.history().start > before.start);
    engine.feed(b"alternat\r\n".repeat(500).as_slice(), Instant::now());
    assert!(engine.history().start > before.end, "then the oldest alternate rows go");
    engine.feed(b"\x1b[?1049l", Instant::now());
    assert_eq!(engine.history(), before.end..before.end);
}

#[test]
fn a_change_of_height_moves_rows_to_the_history_and_back() {
    let mut engine = fed(4, 10, b"1\r\n2\r\n3\r\n4");
    engine.resize(Size::new(2, 10));
    assert_eq!(engine.history(), 0..2);
    assert_eq!(rows(&mut engine, View::Live), ["3", "4"]);
    engine.resize(Size::new(4, 10));
    assert_eq!(engine.history(), 0..0);
    assert_eq!(rows(&mut engine, View::Live), ["1", "2", "3", "4"]);
    engine.resize(Size::new(5, 10));
    assert_eq!(rows(&mut engine, View::Live), ["1", "2", "3", "4", ""]);
}

#[test]
fn output_after_shrinking_leaves_the_other_rows_as_they_are() {
    let mut engine = fed(6, 10, b"1\r\n2\r\n3\r\n4\r\n5\r\n6");
    rows(&mut engine, View::Live);
    engine.resize(Size::new(4, 10));
    assert_eq!(rows(&mut engine, View::Live), ["3", "4", "5", "6"]);
    engine.feed(b"\r\x1b[Kend", Instant::now());
    assert_eq!(rows(&mut engine, View::Live), ["3", "4", "5", "end"]);
}

#[test]
fn a_change_of_size_on_the_alternate_screen_leaves_the_primary_one_in_place() {
    let mut engine = fed(4, 10, b"1\r\n2\r\n3\r\n4\x1b[?1049h\x1b[Ha1\r\na2\r\na3\r\na4");
    engine.resize(Size::new(2, 10));
    engine.resize(Size::new(4, 10));
    assert_eq!(rows(&mut engine, View::Live), ["a3", "a4", "", ""]);
    engine.feed(b"\x1b[?1049l", Instant::now());
    assert_eq!(rows(&mut engine, View::Live), ["1", "2", "3", "4"]);
    assert_eq!(engine.frame(View::Live).cursor.map(|cursor| (cursor.row, cursor.col)), Some((3, 1)));
    engine.resize(Size::new(1, 10));
    assert_eq!(engine.history(), 0..3);
}

#[test]
fn repeating_is_bounded_by_the_screen() {
    let mut engine = fed(2, 5, b"a\x1b[3b");
    assert_eq!(rows(&mut engine, View::Live), ["aaaa", ""]);
    engine.feed(&b"\x1b[65535b".repeat(100), Instant::now());
    assert_eq!(engine.history().end, 2 * 100 - 1);
}
