//! The server: one process per session, the single owner of PTYs, grids and state.

pub mod hub;
pub mod instance;
pub mod model;
pub mod terminal;
