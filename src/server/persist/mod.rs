//! What outlives a server: the structure of its session and the last screens, kept in files while it runs
//! and brought back by the next start (`product.md` section 11, `spec/README.md` point 33).
//!
//! Owns `session.json`, the copies beside it and the folder of the screens. The hub hands over an `Arc`
//! with what is to be kept; a task of its own writes it, so that no disk ever keeps the hub waiting.

pub mod file;
pub mod report;
mod restore;
mod saver;
mod screens;
pub mod session;
mod store;

pub use report::{Problem, Report};
pub use restore::{Restored, nearest_folder, restore};
pub use saver::{Handed, Inlet, Outlet, Saver, Sources, wire};
pub use screens::{Activity, Screens};
pub use store::{LoadError, Store, inspect};
