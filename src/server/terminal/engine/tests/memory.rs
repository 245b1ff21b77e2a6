//! What a history costs. The memory of a whole process is looked at in `tests/engine/soak.rs`.

use super::super::Engine;
use crate::config::Config;
use crate::protocol::geometry::Size;
use std::time::Instant;

/// A terminal that has printed so many lines of `columns` plain characters.
fn printed(budget_bytes: usize, lines: usize, columns: usize) -> Engine {
    let mut engine = Engine::new(Size::new(50, 200), budget_bytes);
    let line = format!("{}\r\n", "x".repeat(columns));
    for _ in 0..lines {
        engine.feed(line.as_bytes(), Instant::now());
    }
    engine
}

#[test]
fn eighty_thousand_lines_fit_the_default_budget() {
    let engine = printed(Config::default().scrollback_bytes, 80_000 + 49, 80);
    assert_eq!(engine.history(), 0..80_000, "nothing was dropped");
}

#[test]
fn a_plain_row_costs_little_more_than_its_text() {
    let engine = printed(usize::MAX, 100_000, 78);
    let rows = usize::try_from(engine.history().end).unwrap();
    let each = engine.history_bytes() / rows;
    assert!(each <= 90, "{each} bytes a row");
}
