//! Chords: a key with modifiers, as people write it (`ctrl+alt+n`, `F12`, `ctrl+space`, `|`).

use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use std::fmt;
use std::str::FromStr;

/// A key with modifiers. Shift is part of a printable character, not a modifier of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    /// Which key.
    pub code: KeyCode,
    /// What is held.
    pub modifiers: Modifiers,
}

impl Chord {
    /// Whether a key event (press or repeat) is this chord, however the outer terminal spells it.
    #[must_use]
    pub fn matches(&self, _event: KeyEvent) -> bool {
        unimplemented!("skeleton")
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        unimplemented!("skeleton")
    }
}

/// A text that is no chord.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key (expected for example `ctrl+b`, `alt+Left`, `F12`, `v`)")]
pub struct ParseChordError(pub String);

impl FromStr for Chord {
    type Err = ParseChordError;
    fn from_str(_text: &str) -> Result<Self, Self::Err> {
        unimplemented!("skeleton")
    }
}
