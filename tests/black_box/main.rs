//! The program from outside: the real binary, its socket, its command line and its screen.
#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod actions;
mod agents;
mod attach;
mod authority;
mod cli;
mod colors;
mod completions;
mod contract;
mod control;
mod conversations;
mod copying;
mod endpoint;
mod events;
mod flood;
mod forks;
mod frame;
mod integration;
mod keys;
mod layout;
mod links;
mod metadata;
mod mission;
mod mouse;
mod narrow;
mod overlays;
mod pane_backend;
mod panes;
mod programs;
mod projects;
mod recover;
mod remote;
mod reports;
mod restore;
mod runtime;
mod runtime_agents;
mod scratch;
mod search;
mod send_key;
mod sessions;
mod settings;
mod shells;
mod start;
mod status;
mod streams;
mod tools;
mod uhp;
