//! Terminals: PTYs, the engine that understands their output, and the queue of their input.
//!
//! [`handle`] is the door. Behind it every terminal has one task ([`worker`]) that owns its engine
//! and reads its PTY, and one ([`writer`]) that writes what its child did not take at once.
//!
//! Invariants: nothing here has heard of tabs, layouts or clients. Reading and writing never wait
//! for each other, and neither waits for the hub.

pub mod commands;
pub mod encode;
pub mod engine;
pub mod handle;
pub mod reading;

mod ending;
mod gauge;
mod input;
mod line;
mod outbox;
mod pace;
mod painter;
pub mod process;
mod pty;
pub mod reaper;
mod shared;
mod supervise;
mod terminals;
mod viewer;
mod worker;
mod writer;

#[cfg(test)]
#[cfg(unix)]
mod tests;
