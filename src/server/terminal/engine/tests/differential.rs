//! Beside the `vt100` crate, on the language that both understand. Left out is what xterm does otherwise
//! than `vt100`: a line feed with a wrap that waits, what is done to the cell on which it waits, the column after IL and DL, blanks with attributes, emoji clusters.

use super::super::{Engine, View};
use super::{fed, rows};
use crate::protocol::geometry::Size;
use proptest::prelude::*;
use std::num::NonZeroU16;
use std::time::Instant;

const ROWS: u16 = 6;
const COLS: u16 = 12;

fn stream() -> impl Strategy<Value = String> {
    let known = prop::sample::select(
        &[
            "\r\n",
            "\r",
            "\x1b[4G\x08",
            "\x1b[4G\x1b[A",
            "\x1b[4G\x1b[2B",
            "\x1b[3C",
            "\x1b[4G\x1b[2D",
            "\x1b[H",
            "\x1b[3;4H",
            "\x1b[99;99H",
            "\x1b[5G",
            "\x1b[4G\x1b[2d",
            "\x1b[E",
            "\x1b[F",
            "\x1b[4G\x1b[K",
            "\x1b[4G\x1b[1K",
            "\x1b[4G\x1b[2K",
            "\x1b[4G\x1b[J",
            "\x1b[4G\x1b[1J",
            "\x1b[4G\x1b[2X",
            "\x1b[4G\x1b[2P",
            // Not into half of a wide character: see the test below.
            "\x1b[4G\x1b[X\x1b[2@",
            "\r\x1b[L",
            "\r\x1b[2M",
            "\x1b[S",
            "\x1b[T",
            // Not from the first row: above a scroll region the oracle scrolls, where xterm stays.
            "\x1b[4G\x1b[B\x1bM",
            "\x1b[31m",
            "\x1b[1;44m",
            "\x1b[7;3m",
            "\x1b[38;2;1;2;3m",
            "\x1b[48;5;99m",
            "\x1b[4m",
            "\x1b[22;24m",
            "\x1b[m",
            "\x1b[2;4r\x1b[2;1H",
            "\x1b[r",
            "\x1b[?25l",
            "\x1b[?25h",
            "漢",
            "é",
            "ｱ",
            "e\u{301}",
        ][..],
    );
    let piece = prop_oneof![3 => known.prop_map(str::to_owned), 2 => "[a-z ]{1,15}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The text of a row, blanks at the end left out.
fn oracle_row(screen: &vt100::Screen, row: u16) -> String {
    let mut text = String::new();
    for cell in (0..COLS).filter_map(|col| screen.cell(row, col)) {
        if !cell.is_wide_continuation() {
            text.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
    }
    text.truncate(text.trim_end_matches(' ').len());
    text
}

/// The oracle leaves half of it standing.
#[test]
fn an_insertion_into_a_wide_character_blanks_both_halves() {
    let mut engine = fed(1, 12, "漢漢x\x1b[4G\x1b[2@".as_bytes());
    assert_eq!(rows(&mut engine, View::Live), ["漢    x"]);
}

proptest! {
    #![proptest_config(super::properties::cases(400))]

    #[test]
    fn both_show_the_same_text(output in stream()) {
        let mut engine = Engine::new(Size::new(ROWS, COLS), 100_000);
        engine.feed(output.as_bytes(), Instant::now());
        let cells = |count| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
        let mut oracle = vt100::Parser::new(cells(ROWS), cells(COLS), 0);
        oracle.process(output.as_bytes());
        let frame = engine.frame(View::Live);
        let own: Vec<String> = frame.rows.iter().map(|row| row.text()).collect();
        let theirs: Vec<String> = (0..ROWS).map(|row| oracle_row(oracle.screen(), row)).collect();
        prop_assert_eq!(own, theirs);
        if let Some(cursor) = frame.cursor {
            let (row, col) = oracle.screen().cursor_position();
            prop_assert_eq!((cursor.row, cursor.col), (row, col.min(COLS - 1)));
        }
    }
}
