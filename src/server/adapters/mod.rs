//! Compatibility protocols: the same core, another accent.

pub mod runtime;
