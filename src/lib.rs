//! luvus: a terminal multiplexer for people who run AI coding agents.
//!
//! The floors, from the top; each may use those under it and never a neighbour:
//!
//! - [`cli`]: arguments, paths, starting the server, printing; the only reader of the environment
//! - [`server`]: endpoint, protocol drivers, the hub that owns the model, terminals
//! - [`client`]: the attached display; stands beside the server
//! - [`config`]: every setting: its table, its parser, its defaults
//! - [`protocol`]: ids, geometry, keys, frames, messages; knows nobody
//!
//! `docs/architecture.md` has the picture and the reasons.

pub mod cli;
pub mod client;
pub mod config;
pub mod protocol;
pub mod server;
