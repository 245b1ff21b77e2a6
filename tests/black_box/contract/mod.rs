//! The published contract of UHP (`protocol/uhp/v1`) against itself and against the real server.

mod command;
mod examples;
mod fixture;
mod replay;
mod schemas;
