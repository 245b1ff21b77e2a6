//! Agents: who runs in a pane, what state it is in, and what that rests on.
//!
//! This floor is pure: no clock, no file, no terminal. The hub hands it evidence and time, and publishes
//! what comes of it. What others use:
//!
//! - [`AgentView`] of each pane with a recognised agent or a program that reports its state, in
//!   `hub::Snapshot::agents`; a new view, a new snapshot.
//! - [`resolve`], which finds the pane that a name, a pane id or a kind means.
//! - [`ManagedAgent`], ids and generations, in `hub::Snapshot::registry`.
//! - `hub::HubHandle::prompt` queues a text and its Enter unless the agent is not ready.
//! - `server::wait::agent` waits for a predicate over a pane's view, on snapshots, without polling.
//!   [`AgentView::transitions`] holds the latest changes, so that a state that lasted only a moment still
//!   counts.
//!
//! Sources of a state, the better one first: a leased report, what the program reports (OSC 7501), a rule
//! about its screen. Sources of an identity: see [`identity`].

pub mod detect;
pub mod identity;
pub mod manifest;
pub mod program_status;
pub mod registry;
pub mod resume;
pub mod state;
pub mod usage;
pub mod view;

pub use registry::{ClosedReason, ManagedAgent};
pub use view::{AgentView, TargetError, Views, resolve};
