//! The vocabulary that server, client and command line share.
//!
//! Invariant: nothing here does I/O, reads a clock or names another floor of the crate, so that
//! every message can be tested and fuzzed alone.

pub mod agent;
pub mod attach;
pub mod base64;
pub mod command;
pub mod frame;
pub mod geometry;
pub mod ids;
pub mod key;
pub mod limits;
pub mod metadata;
pub mod outer;
pub mod pane_backend;
pub mod params;
pub mod patch;
pub mod plain;
pub mod png;
pub mod runtime;
pub mod scene;
pub mod strict;
pub mod style;
pub mod text;
pub mod tree;
pub mod uhp;
