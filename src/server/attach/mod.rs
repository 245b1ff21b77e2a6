//! The native attach protocol: one driver a client.
//!
//! Four tasks share the work, so that none of them ever waits for another's slow half: the driver
//! reads the client's messages; `present` follows the scene and keeps one [`pump`] for each shown
//! pane; pumps turn pictures into patches at their own pace; `write` sends what there is, as one
//! write.

mod driver;
mod finder;
mod fork;
mod input;
mod locate;
mod mission;
mod pace;
mod past;
mod present;
mod pump;
mod reading;
mod strip;
mod write;

pub use driver::{Attachments, follow_agent, serve};
