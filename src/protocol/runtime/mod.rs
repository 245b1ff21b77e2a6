//! The runtime protocol on the wire (`spec/runtime.md` sections 3, 5, 11).
//!
//! Invariant: pure; objects are closed in both directions.

pub mod commands;
pub mod envelope;
pub mod error;
pub mod snapshot;

/// Name of the protocol.
pub const NAME: &str = "nebula.runtime";
/// Its version.
pub const VERSION: u64 = 1;
