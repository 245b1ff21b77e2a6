//! A change of size wraps lines anew and loses nothing.

use super::super::{CaptureMode, CaptureRequest, Engine, View};
use super::{fed, rows};
use crate::protocol::geometry::Size;
use proptest::prelude::*;
use std::time::Instant;

fn text(engine: &Engine) -> String {
    let request = CaptureRequest {
        mode: CaptureMode::RecentUnwrapped,
        lines: 10_000,
        ansi: true,
        max_bytes: 1 << 20,
        cursor: false,
    };
    engine.capture(request).text
}

fn cursor(engine: &mut Engine) -> (u16, u16) {
    let cursor = engine.frame(View::Live).cursor.expect("a visible cursor");
    (cursor.row, cursor.col)
}

#[test]
fn lines_are_wrapped_anew_and_back() {
    let mut engine = fed(3, 10, b"first line\r\nsecond one\r\nthird");
    engine.resize(Size::new(3, 5));
    assert_eq!(rows(&mut engine, View::Live), ["secon", "d one", "third"]);
    assert_eq!(rows(&mut engine, View::From(0)), ["first", " line", "secon"]);
    assert_eq!(cursor(&mut engine), (2, 4));
    engine.resize(Size::new(3, 10));
    assert_eq!(rows(&mut engine, View::Live), ["first line", "second one", "third"]);
    assert_eq!((engine.history(), cursor(&mut engine)), (0..0, (2, 5)));
}

#[test]
fn a_line_that_begins_in_the_history_stays_one() {
    let mut engine = fed(2, 4, b"abcdefghijklmnop");
    assert_eq!(engine.history(), 0..2);
    engine.resize(Size::new(2, 7));
    assert_eq!(rows(&mut engine, View::Live), ["hijklmn", "op"]);
    engine.feed(b"qr\r\nend", Instant::now());
    assert_eq!(text(&engine), "abcdefghijklmnopqr\nend");
    engine.resize(Size::new(4, 20));
    assert_eq!(rows(&mut engine, View::Live), ["abcdefghijklmnopqr", "end", "", ""]);
}

#[test]
fn wide_characters_are_not_cut() {
    let mut engine = fed(2, 6, "漢字仮名".as_bytes());
    engine.resize(Size::new(3, 5));
    assert_eq!(rows(&mut engine, View::Live), ["漢字", "仮名", ""]);
    engine.resize(Size::new(3, 8));
    assert_eq!(rows(&mut engine, View::Live), ["漢字仮名", "", ""]);
}

#[test]
fn the_cursor_stays_after_its_text() {
    let mut engine = fed(3, 10, b"\r\n$ command");
    for cols in [4, 7, 3, 10, 20] {
        engine.resize(Size::new(3, cols));
    }
    engine.feed(b"!", Instant::now());
    assert_eq!(text(&engine), "\n$ command!");
}

#[test]
fn blanks_before_a_cursor_past_the_text_are_kept() {
    let mut engine = fed(9, 5, b"ab'\n");
    engine.resize(Size::new(9, 2));
    assert_eq!(cursor(&mut engine), (3, 1), "in the second row of a line of three blanks");
    engine.resize(Size::new(9, 5));
    assert_eq!(cursor(&mut engine), (1, 3));
    engine.resize(Size::new(9, 2));
    engine.feed(b"x", Instant::now());
    for cols in [5, 2, 7, 3] {
        assert_eq!(text(&engine), "ab'\n   x");
        engine.resize(Size::new(9, cols));
    }
}

/// Changes the size under those who look.
fn change(engine: &mut Engine, size: Size, views: &mut [View]) {
    let numbering = engine.numbering();
    engine.resize(size);
    views.iter_mut().for_each(|view| *view = engine.resolve(engine.renumbered(*view, numbering)));
}

#[test]
fn a_view_of_the_history_stays_on_its_text() {
    let lines: String = (0..400)
        .map(|n| match n % 4 {
            0 => format!("{n} {}\r\n", "word ".repeat(9)),
            1 => format!("{n} {}\r\n", "漢字".repeat(11)),
            2 => format!("\x1b[31m{n}\x1b[m {}\r\n", "x".repeat(47)),
            _ => format!("{n}\r\n"),
        })
        .collect();
    let mut engine = fed(5, 20, lines.as_bytes());
    let history = engine.history();
    let all: Vec<u64> = (history.start..history.end - 20).step_by(7).collect();
    for width in [7, 33, 80, 21] {
        let mut views: Vec<View> = all.iter().map(|row| View::From(*row)).collect();
        let before: Vec<String> = views.iter().map(|view| rows(&mut engine, *view).swap_remove(0)).collect();
        change(&mut engine, Size::new(5, width), &mut views);
        for (view, text) in views.iter().zip(&before) {
            let now = rows(&mut engine, *view).concat();
            let begin: String = text.trim().chars().take(3).collect();
            assert!(now.contains(&begin), "{width}: {text:?} is not in {now:?}");
        }
        change(&mut engine, Size::new(5, 20), &mut views);
        let after: Vec<View> = views.clone();
        change(&mut engine, Size::new(5, 20), &mut views);
        assert_eq!(after, views, "the same size moves nothing");
    }
    // What comes back to the screen is looked at live.
    let mut views = [View::From(engine.history().end - 1), View::Live];
    change(&mut engine, Size::new(9, 20), &mut views);
    assert_eq!(views, [View::Live, View::Live]);
}

fn output() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{0,29}[a-z]",
        2 => Just("\r\n".to_owned()),
        1 => Just("漢字".to_owned()),
        1 => Just("e\u{301}".to_owned()),
        1 => Just("👩‍💻".to_owned()),
        1 => (0_u8..8).prop_map(|color| format!("\x1b[3{color}m")),
        1 => Just("\x1b[m".to_owned()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_size_changes_the_text(
        output in output(),
        first in (1_u16..9, 2_u16..30),
        sizes in prop::collection::vec((1_u16..9, 2_u16..30), 1..6),
    ) {
        let mut engine = Engine::new(Size::new(first.0, first.1), 1 << 20);
        engine.feed(output.as_bytes(), Instant::now());
        let before = (text(&engine), rows(&mut engine, View::Live));
        for (rows, cols) in sizes {
            engine.resize(Size::new(rows, cols));
            prop_assert_eq!(&text(&engine), &before.0);
        }
        engine.resize(Size::new(first.0, first.1));
        prop_assert_eq!(&text(&engine), &before.0);
        prop_assert_eq!(rows(&mut engine, View::Live), before.1);
        // What comes after goes on where it was.
        let mut same = Engine::new(Size::new(first.0, first.1), 1 << 20);
        same.feed(output.as_bytes(), Instant::now());
        for engine in [&mut engine, &mut same] {
            engine.feed(b"and more\r\nof it", Instant::now());
        }
        prop_assert_eq!(text(&engine), text(&same));
    }
}

#[test]
fn a_gap_that_was_moved_is_a_blank() {
    // The last column stays free before the wide character; then a cell is deleted in front of it.
    let mut engine = fed(3, 5, "abcd漢\x1b[H\x1b[P\x1b[5Ge".as_bytes());
    assert_eq!(rows(&mut engine, View::Live), ["bcd e", "漢", ""]);
    let before = text(&engine);
    for cols in [3, 5] {
        engine.resize(Size::new(3, cols));
        assert_eq!(text(&engine), before);
    }
    engine.feed(b"\x1b[3;1H\n\n\n", Instant::now());
    assert_eq!(text(&engine), before);
}

#[test]
fn a_view_by_numbers_from_before_a_change_of_width_is_found_again() {
    let line = |number: usize| format!("{number:03} \u{4e2d}\u{6587} and some more text\r\n");
    let text: String = (0..300).map(line).collect();
    let mut engine = Engine::new(Size::new(5, 10), 8_000);
    engine.feed(text.as_bytes(), Instant::now());
    let history = engine.history();
    assert!(history.start > 0, "some are gone already");
    let begins = |engine: &mut Engine, view| engine.frame(view).rows[0].text();
    let starts: Vec<(u64, String)> = history
        .clone()
        .map(|row| (row, begins(&mut engine, View::From(row))))
        .filter(|(_, text)| text.starts_with(|char: char| char.is_ascii_digit()))
        .collect();
    let numbering = engine.numbering();
    engine.resize(Size::new(5, 17));
    assert_eq!(engine.renumbered(View::From(0), numbering), View::From(engine.history().start));
    for (row, text) in &starts {
        let view = engine.renumbered(View::Hold(*row), numbering);
        assert!(begins(&mut engine, view).starts_with(text.as_str()), "{row} {text} {view:?}");
    }
    assert_eq!(engine.renumbered(View::Hold(history.end), numbering), View::Hold(engine.history().end));
    // Also after more rows have come and the oldest ones have gone.
    let text: String = (300..350).map(line).collect();
    engine.feed(text.as_bytes(), Instant::now());
    let (row, text) = &starts[starts.len() - 5];
    let view = engine.renumbered(View::From(*row), numbering);
    assert!(begins(&mut engine, view).starts_with(text.as_str()), "{view:?}");
    assert_eq!(engine.renumbered(View::From(7), u64::MAX), View::From(7), "too long ago");
}

#[test]
fn blanks_before_a_cursor_that_is_pushed_to_the_edge_are_part_of_its_line() {
    for (place, cols, line) in [(3, 2, "  !"), (5, 2, "    !"), (9, 4, "        !")] {
        let mut engine = fed(4, 10, format!("\x1b[1;{place}H").as_bytes());
        engine.resize(Size::new(4, cols));
        let _ = engine.feed(b"!", Instant::now());
        assert_eq!(text(&engine), line);
        engine.resize(Size::new(1, cols));
        engine.resize(Size::new(4, cols));
        assert_eq!(text(&engine), line, "{place} {cols}");
    }
}
