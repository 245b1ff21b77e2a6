//! The facade. What holds for any stream is in `properties`.

mod answers;
mod captures;
mod colors;
mod differential;
mod links;
mod machine;
mod marks;
mod memory;
mod modes;
mod pictures;
mod prompts;
mod properties;
mod recordings;
mod resizing;
mod search;
mod select;
mod sequences;
mod text_cursor;
mod vt;
mod window;

use super::{Effects, Engine, View};
use crate::protocol::geometry::Size;
use std::time::Instant;

/// A terminal that was fed `bytes`.
fn fed(rows: u16, cols: u16, bytes: &[u8]) -> Engine {
    let mut engine = Engine::new(Size::new(rows, cols), 1_000_000);
    engine.feed(bytes, Instant::now());
    engine
}

/// What a blank terminal makes of `bytes`.
fn effects(bytes: &[u8]) -> Effects {
    Engine::new(Size::new(24, 80), 1_000_000).feed(bytes, Instant::now())
}

/// The text of the rows at `view`.
fn rows(engine: &mut Engine, view: View) -> Vec<String> {
    engine.frame(view).rows.iter().map(|row| row.text()).collect()
}
