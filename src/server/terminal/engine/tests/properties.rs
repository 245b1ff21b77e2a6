//! What holds for any stream of bytes.

use super::super::{CaptureMode, CaptureRequest, Engine, View};
use crate::protocol::frame::{Frame, Row, Run, Unit};
use crate::protocol::geometry::Size;
use crate::protocol::style::Style;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Pieces that terminals react to, mixed with text of all widths and with rubbish.
const PIECES: &[&[u8]] = &[
    b"a",
    b"word ",
    b"x\xcc\x81",
    "é".as_bytes(),
    "漢字".as_bytes(),
    "☺\u{fe0f}".as_bytes(),
    "👩‍💻".as_bytes(),
    b"\xf0\x9f",
    b"\xe6\xbc",
    b"\xff",
    b"\xc2\x9b",
    b"\n",
    b"\r\n",
    b"\r",
    b"\x08",
    b"\t",
    b"\x07",
    b"\x1b",
    b"\x1b[",
    b"\x1b[A",
    b"\x1b[3B",
    b"\x1b[99C",
    b"\x1b[2D",
    b"\x1b[H",
    b"\x1b[2;2H",
    b"\x1b[99;99H",
    b"\x1b[J",
    b"\x1b[1J",
    b"\x1b[2J",
    b"\x1b[3J",
    b"\x1b[?3J",
    b"\x1b[K",
    b"\x1b[1K",
    b"\x1b[2K",
    b"\x1b[2@",
    b"\x1b[99@",
    b"\x1b[3P",
    b"\x1b[2X",
    b"\x1b[2L",
    b"\x1b[M",
    b"\x1b[2S",
    b"\x1b[T",
    b"\x1b[70b",
    b"\x1b[65535b",
    b"\x1b[2;4r",
    b"\x1b[r",
    b"\x1b[1;3r",
    b"\x1bM",
    b"\x1b7",
    b"\x1b8",
    b"\x1bc",
    b"\x1b[31;1m",
    b"\x1b[48;5;200;4m",
    b"\x1b[38;2;1;2;3;7m",
    b"\x1b[m",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?47h",
    b"\x1b[?47l",
    b"\x1b[?6h",
    b"\x1b[?6l",
    b"\x1b[?25l",
    b"\x1b[?25h",
    b"\x1b[?1;1000;1006h",
    b"\x1b[?2026h",
    b"\x1b[?2026l",
    b"\x1b[6n",
    b"\x1b[>1u",
    b"\x1b[<u",
    b"\x1b[?u",
    b"\x1b[c",
    b"\x1b]0;title\x07",
    b"\x1b]2;t\x1b\\",
    b"\x1b]52;c;aGk=\x07",
    b"\x1bP1$r\x1b\\",
    b"\x1b_apc \x9c\x1b\\",
    b"\x18",
    b"the quick brown fox jumps over the lazy dog",
];

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(PIECES).prop_map(<[u8]>::to_vec);
    let piece = prop_oneof![12 => known, 1 => prop::collection::vec(any::<u8>(), 0..8)];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn size() -> impl Strategy<Value = Size> {
    (1_u16..9, prop_oneof![1_u16..5, 5_u16..30]).prop_map(|(rows, cols)| Size::new(rows, cols))
}

/// The picture, without what depends on how often the engine was called.
fn picture(engine: &mut Engine, view: View) -> Frame {
    Frame { revision: 0, ..engine.frame(view) }
}

fn capture(engine: &Engine, mode: CaptureMode, ansi: bool) -> (String, bool) {
    let capture =
        engine.capture(CaptureRequest { mode, lines: 300, ansi, max_bytes: 524_288, cursor: false });
    (capture.text, capture.truncated)
}

fn without_sgr(text: &str) -> Result<String, TestCaseError> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once('\x1b') {
        plain.push_str(before);
        let (parameters, after) = sequence.split_once('m').unwrap_or(("unfinished", ""));
        prop_assert!(parameters.starts_with('['), "{parameters:?}");
        prop_assert!(
            parameters[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b';'),
            "{parameters:?}"
        );
        rest = after;
    }
    plain.push_str(rest);
    Ok(plain)
}

fn check_frame(frame: &Frame) -> Result<(), TestCaseError> {
    prop_assert_eq!(frame.rows.len(), usize::from(frame.size.rows));
    for row in &frame.rows {
        let width: u16 = row.runs.iter().flat_map(Run::cells).map(|(_, width)| width).sum();
        prop_assert!(width <= frame.size.cols);
        for run in &row.runs {
            prop_assert!(!run.text.is_empty() && !run.text.contains(char::is_control));
            let one = run.text.chars().count() == 1;
            prop_assert!(!one || matches!(run.unit, Unit::Narrow | Unit::Wide));
        }
    }
    if let Some(cursor) = frame.cursor {
        prop_assert!(cursor.row < frame.size.rows && cursor.col < frame.size.cols);
    }
    Ok(())
}

/// The cells, without blanks in the default style at the end.
fn cells(row: &Row) -> Vec<(String, u16, Style)> {
    let cells = row.runs.iter().flat_map(|run| run.cells().map(|(text, width)| (text, width, run.style)));
    let mut cells: Vec<_> = cells.map(|(text, width, style)| (text.to_owned(), width, style)).collect();
    while cells.last().is_some_and(|(text, _, style)| text == " " && *style == Style::default()) {
        cells.pop();
    }
    cells
}

/// More for a longer look: PROPTEST_CASES=1000000, which the default configuration reads.
pub(super) fn cases(count: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if default.cases == UNASKED_CASES { count } else { default.cases };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

/// What proptest runs when nobody asks for a number.
const UNASKED_CASES: u32 = 256;

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_cut_gives_the_same_state(bytes in stream(), size in size(), cuts in prop::collection::vec(1_usize..9, 1..20)) {
        let now = Instant::now();
        let mut whole = Engine::new(size, 6_000);
        let replies = whole.feed(&bytes, now).replies;
        let mut cut = Engine::new(size, 6_000);
        let mut cut_replies = Vec::new();
        let mut rest = bytes.as_slice();
        for length in cuts.iter().cycle() {
            let (chunk, after) = rest.split_at((*length).min(rest.len()));
            cut_replies.extend(cut.feed(chunk, now).replies);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(picture(&mut whole, View::Live), picture(&mut cut, View::Live));
        prop_assert_eq!(picture(&mut whole, View::From(0)), picture(&mut cut, View::From(0)));
        prop_assert_eq!(whole.modes(), cut.modes());
        prop_assert_eq!(whole.history(), cut.history());
        prop_assert_eq!(replies, cut_replies);
        for mode in [CaptureMode::Visible, CaptureMode::RecentUnwrapped] {
            prop_assert_eq!(capture(&whole, mode, true), capture(&cut, mode, true));
        }
    }

    #[test]
    fn nothing_panics_and_bounds_hold(
        steps in prop::collection::vec((stream(), size(), 0_u64..40), 1..6),
        budget in 0_usize..9_000,
    ) {
        let mut engine = Engine::new(Size::new(4, 10), budget);
        for (bytes, size, row) in steps {
            engine.feed(&bytes, Instant::now());
            prop_assert!(engine.history_bytes() <= budget);
            engine.resize(size);
            check_frame(&engine.frame(View::Live))?;
            let history = engine.history();
            let frame = engine.frame(View::From(row));
            check_frame(&frame)?;
            let rows = frame.position.above + frame.position.below;
            prop_assert!(rows == history.end - history.start || engine.deadline().is_some());
            for mode in [CaptureMode::Visible, CaptureMode::RecentUnwrapped, CaptureMode::Detection] {
                let plain = capture(&engine, mode, false);
                prop_assert!(!plain.0.contains(|char: char| char.is_control() && char != '\n'));
                prop_assert_eq!(&plain.0, &without_sgr(&capture(&engine, mode, true).0)?);
            }
        }
    }

    #[test]
    fn a_row_is_painted_again_when_it_changed(steps in prop::collection::vec(stream(), 1..8), size in size()) {
        let mut engine = Engine::new(size, 6_000);
        let mut before = engine.frame(View::Live);
        for bytes in steps {
            let now = Instant::now();
            engine.feed(&bytes, now);
            let frame = engine.frame(View::Live);
            // A synchronized update paints a picture that is not asked for here.
            let same = before.rows.iter().zip(&frame.rows).all(|(old, new)| old != new || Arc::ptr_eq(old, new));
            prop_assert!(same || bytes.windows(6).any(|sequence| sequence == b"?2026h"));
            if frame.revision == before.revision {
                prop_assert_eq!(&frame.rows, &before.rows);
                prop_assert_eq!(frame.cursor, before.cursor);
            }
            let shown_live = engine.deadline().is_none();
            engine.terminal.mark_all();
            if shown_live {
                prop_assert_eq!(&engine.frame(View::Live).rows, &frame.rows);
            }
            before = engine.frame(View::Live);
        }
    }

    #[test]
    fn history_rows_look_as_they_did_on_the_screen(bytes in stream(), size in size()) {
        // The screen's rows, pushed out by line feeds, must be the rows of the history.
        let mut engine = Engine::new(size, 1_000_000);
        engine.feed(&bytes, Instant::now());
        engine.feed(b"\x18\x1b[?2026l\x1b[?1049l\x1b[r\x1b[?6l\x1b[m\x1b[99;1H", Instant::now());
        let shown = engine.frame(View::Live);
        let first = engine.history().end;
        engine.feed("\n".repeat(usize::from(size.rows)).as_bytes(), Instant::now());
        prop_assert_eq!(engine.history().end, first + u64::from(size.rows));
        let kept = engine.frame(View::From(first));
        for (kept, shown) in kept.rows.iter().zip(&shown.rows) {
            prop_assert_eq!(kept.wrapped, shown.wrapped);
            prop_assert_eq!(cells(kept), cells(shown));
        }
    }
}
