//! Selections.

use super::*;
use crate::server::terminal::engine::{Around, Selected, Shape, Spot};

fn spot(row: u64, col: u16) -> Spot {
    Spot { row, col }
}

fn text(engine: &Engine, from: (u64, u16), to: (u64, u16), shape: Shape) -> String {
    let Selected { text, truncated, lost } = engine.select(spot(from.0, from.1), spot(to.0, to.1), shape);
    assert!(!truncated && !lost);
    text
}

fn around(engine: &Engine, row: u64, col: u16, what: Around) -> Option<String> {
    let (first, last) = engine.around(spot(row, col), what)?;
    Some(engine.select(first, last, Shape::Characters).text)
}

#[test]
fn wrapped_rows_are_joined_and_hard_ends_and_indentation_stay() {
    let engine = fed(2, 8, b"abcdefghij\r\n  in   \r\n\r\nend");
    assert_eq!(text(&engine, (0, 2), (4, 1), Shape::Characters), "cdefghij\n  in\n\nen");
    assert_eq!(text(&engine, (4, 1), (0, 2), Shape::Characters), "cdefghij\n  in\n\nen", "in any order");
    assert_eq!(text(&engine, (1, 0), (2, 0), Shape::Lines), "abcdefghij\n  in");
    assert_eq!(text(&engine, (0, 3), (2, 1), Shape::Block), "bcd\nj\n in");
}

#[test]
fn a_wide_character_is_taken_once_and_whole() {
    let engine = fed(2, 8, "a日b本".as_bytes());
    for (from, to, wanted) in [(0, 7, "a日b本"), (1, 1, "日"), (2, 2, "日"), (2, 4, "日b本")] {
        assert_eq!(text(&engine, (0, from), (0, to), Shape::Characters), wanted);
        assert_eq!(text(&engine, (0, from), (0, to), Shape::Block), wanted);
    }
}

#[test]
fn what_is_gone_is_left_out_and_said_so() {
    let mut engine = Engine::new(Size::new(2, 20), 2_000);
    engine.feed("line\r\n".repeat(2_000).as_bytes(), Instant::now());
    let oldest = engine.history().start;
    assert!(oldest > 0);
    let selected = engine.select(spot(0, 0), spot(oldest, 3), Shape::Characters);
    assert_eq!(selected, Selected { text: "line".into(), lost: true, truncated: false });
    let selected = engine.select(spot(0, 0), spot(1, 3), Shape::Characters);
    assert_eq!(selected, Selected { text: String::new(), lost: true, truncated: false });
    assert_eq!(text(&engine, (oldest + 9_999, 0), (oldest + 99_999, 3), Shape::Lines), "");
}

#[test]
fn words_paths_and_links_have_their_ends() {
    let engine = fed(4, 30, b"see src/main.rs:12, (http://a.b/c?d=(e)). x=foo_bar");
    assert_eq!(around(&engine, 0, 1, Around::Word).as_deref(), Some("see"));
    assert_eq!(around(&engine, 0, 9, Around::Word).as_deref(), Some("src/main.rs:12"));
    assert_eq!(around(&engine, 0, 25, Around::Word).as_deref(), Some("http://a.b/c?d=(e)"), "over two rows");
    assert_eq!(around(&engine, 1, 1, Around::Url).as_deref(), Some("http://a.b/c?d=(e)"));
    assert_eq!(around(&engine, 0, 1, Around::Url), None);
    assert_eq!(around(&engine, 1, 19, Around::Word).as_deref(), Some("foo_bar"));
    assert_eq!(around(&engine, 0, 3, Around::Word).as_deref(), Some(""), "a blank");
    assert_eq!(around(&engine, 3, 20, Around::Word), None, "nothing was written there");
    assert_eq!(around(&engine, 99, 0, Around::Line), None);
    let line = around(&engine, 1, 0, Around::Line);
    assert_eq!(line.as_deref(), Some("see src/main.rs:12, (http://a.b/c?d=(e)). x=foo_bar"));
}
