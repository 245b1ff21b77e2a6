//! The client driven from outside: events in; messages, pictures and bytes out.

mod alerts;
mod any;
mod display;
mod finder;
mod hands;
mod keys;
mod lists;
mod mouse;
mod narrow;
mod pictures;
mod preferences;
mod project;
pub mod scenes;
mod scratch;
mod strip;
mod views;
