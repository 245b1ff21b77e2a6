//! UHP 1.0 on the wire (`spec/uhp.md`): envelope, errors, and the params that have a schema of their own.
//!
//! Invariant: pure; what is decoded here is checked completely before anything is dispatched.

pub mod bundle;
pub mod envelope;
pub mod error;
pub mod keys;
pub mod locator;
pub mod stream;
pub mod terminal;

/// Name of the protocol in `uhp.capabilities`.
pub const NAME: &str = "luvus-uhp";
/// Major version.
pub const MAJOR: u32 = 1;
/// Minor version.
pub const MINOR: u32 = 0;
