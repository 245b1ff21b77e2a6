//! The pane backend (`pane-backend.md`) from outside and from inside a pane.

mod commands;
mod connections;
mod contexts;
mod contract;
mod discovery;
mod spawning;
mod waits;
