//! The program from outside: the real binary, its socket, its command line and its screen.
#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod attach;
mod cli;
mod contract;
mod endpoint;
mod flood;
mod keys;
mod mouse;
mod panes;
mod programs;
mod sessions;
mod start;
mod tools;
mod uhp;
