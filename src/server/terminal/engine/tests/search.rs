//! Searches.

use super::*;
use crate::server::terminal::engine::{Match, Query, QueryError, Spot, Toward};

/// Everything that a search finds, step by step.
fn found(engine: &Engine, query: &Query, toward: Toward) -> Vec<Match> {
    let mut matches = Vec::new();
    let mut next = Some(if toward == Toward::Older { u64::MAX } else { 0 });
    while let Some(row) = next {
        let step = engine.search(query, row, toward, 10_000);
        matches.extend(step.matches);
        next = step.next;
    }
    matches
}

fn places(engine: &Engine, text: &str) -> Vec<(u64, u16, u64, u16)> {
    let query = Query::literal(text, false).unwrap();
    let matches = found(engine, &query, Toward::Newer);
    matches.iter().map(|found| (found.start.row, found.start.col, found.end.row, found.end.col)).collect()
}

#[test]
fn history_and_screen_are_searched_in_both_directions() {
    let engine = fed(2, 20, b"one cat\r\ntwo\r\nCat three\r\nfour\r\nfive cat cat");
    assert_eq!(places(&engine, "cat"), [(0, 4, 0, 7), (2, 0, 2, 3), (4, 5, 4, 8), (4, 9, 4, 12)]);
    let query = Query::literal("cat", true).unwrap();
    let rows: Vec<u64> = found(&engine, &query, Toward::Older).iter().map(|found| found.start.row).collect();
    assert_eq!(rows, [4, 4, 0]);
    let older = found(&engine, &query, Toward::Older);
    assert_eq!(older[0].start.col, 9, "the last one of a line comes first");
    assert_eq!(older[2].line, "one cat");
}

#[test]
fn a_match_goes_over_wrapped_rows_and_not_over_line_ends() {
    let engine = fed(3, 5, b"abcdefgh\r\nabcde\r\nfgh\r\nx");
    assert_eq!(places(&engine, "defg"), [(0, 3, 1, 2)]);
    assert_eq!(places(&engine, "d"), [(0, 3, 0, 4), (2, 3, 2, 4)]);
}

#[test]
fn wide_characters_and_clusters_have_their_columns() {
    let engine = fed(2, 5, "日本語e\u{301}x".as_bytes());
    assert_eq!(places(&engine, "本"), [(0, 2, 0, 4)]);
    assert_eq!(places(&engine, "語"), [(1, 0, 1, 2)], "it did not fit");
    assert_eq!(places(&engine, "本語"), [(0, 2, 1, 2)]);
    assert_eq!(places(&engine, "x"), [(1, 3, 1, 4)]);
}

#[test]
fn a_pattern_may_be_a_regular_expression() {
    let engine = fed(2, 20, b"error 12: no\r\nerror x");
    let query = Query::regex(r"error \d+", true).unwrap();
    let matches = found(&engine, &query, Toward::Newer);
    assert_eq!(matches[0].end, Spot { row: 0, col: 8 });
    assert_eq!(matches.len(), 1);
    assert!(
        found(&engine, &Query::regex("x*", true).unwrap(), Toward::Newer).len() == 1,
        "nothing is no match"
    );
}

#[test]
fn patterns_are_bounded() {
    assert_eq!(Query::literal("", true).err(), Some(QueryError::Empty));
    assert_eq!(Query::literal(&"x".repeat(1_025), true).err(), Some(QueryError::TooLong));
    assert_eq!(Query::regex("(x{1000}){1000}", true).err(), Some(QueryError::TooLong));
    assert!(matches!(Query::regex("(", true), Err(QueryError::Syntax(_))));
}

#[test]
fn a_step_is_bounded_in_rows_and_matches() {
    let engine = fed(2, 20, "row x\r\n".repeat(3_000).as_bytes());
    let query = Query::literal("x", true).unwrap();
    let step = engine.search(&query, 0, Toward::Newer, 10_000);
    assert!(step.matches.len() < 1_000 && step.next.is_some());
    let step = engine.search(&query, 0, Toward::Newer, 3);
    assert_eq!((step.matches.len(), step.next), (3, Some(3)));
    let long = fed(2, 4, "y".repeat(20_000).as_bytes());
    assert_eq!(found(&long, &Query::literal("y", true).unwrap(), Toward::Newer).len(), 20_000);
}
