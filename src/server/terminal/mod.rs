//! Terminals: PTYs, the engine that understands their output, and the queue of their input.
//!
//! Invariant: nothing here has heard of tabs, layouts or clients.

pub mod encode;
pub mod engine;
pub mod handle;
