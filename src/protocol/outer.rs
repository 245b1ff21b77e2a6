//! What a terminal in front of a person looks like, as far as it has told.

use serde::{Deserialize, Serialize};

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// Its colours; what it has not told is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OuterColors {
    /// Of text (OSC 10).
    pub text: Option<Rgb>,
    /// Of the ground (OSC 11).
    pub ground: Option<Rgb>,
    /// Of the cursor (OSC 12).
    pub cursor: Option<Rgb>,
    /// The first entries of the palette (OSC 4).
    pub palette: [Option<Rgb>; 16],
}
