//! What the child expects for a key, a paste, a mouse event or a focus change, given its modes.

use super::engine::Modes;
use crate::protocol::key::{KeyEvent, MouseEvent};

pub use crate::config::ShiftEnter;

/// The bytes for a key; empty when the child gets nothing for it (a release it did not ask for).
#[must_use]
pub fn key(_event: KeyEvent, _modes: Modes, _shift_enter: ShiftEnter) -> Vec<u8> {
    unimplemented!("skeleton")
}
/// The bytes for a mouse event; empty when the child did not ask for it.
#[must_use]
pub fn mouse(_event: MouseEvent, _modes: Modes) -> Vec<u8> {
    unimplemented!("skeleton")
}
/// The bytes for a paste: in brackets if the child asked for them, line ends as CR, an embedded
/// paste end removed.
#[must_use]
pub fn paste(_text: &str, _modes: Modes) -> Vec<u8> {
    unimplemented!("skeleton")
}
/// The bytes for a change of the window's focus; empty when the child did not ask for it.
#[must_use]
pub fn focus(_focused: bool, _modes: Modes) -> Vec<u8> {
    unimplemented!("skeleton")
}
