//! The program from outside: the real binary, its socket, its command line and its screen.
#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod attach;
mod cli;
mod contract;
mod endpoint;
mod events;
mod flood;
mod keys;
mod layout;
mod mouse;
mod panes;
mod programs;
mod sessions;
mod settings;
mod start;
mod tools;
mod uhp;
