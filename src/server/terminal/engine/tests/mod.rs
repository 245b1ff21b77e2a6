//! The facade, sequence family by sequence family; what holds for any stream is in `properties`.

mod properties;
mod text_cursor;
