//! The server: one process per session, the single owner of PTYs, grids and state.

pub mod adapters;
pub mod exchange;
pub mod folder;
pub mod hub;
pub mod model;
pub mod terminal;
pub mod uhp;
pub mod wait;
