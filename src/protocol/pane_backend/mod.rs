//! The pane backend's JSON-RPC (`spec/pane-backend.md`): its envelope, its errors and its params.

pub mod envelope;
pub mod error;
pub mod params;
