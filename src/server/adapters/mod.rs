//! Compatibility protocols: the same core, another accent.

pub mod pane_backend;
pub mod runtime;
