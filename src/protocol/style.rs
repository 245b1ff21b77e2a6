//! How a cell looks: colours and attributes, packed and comparable.

use serde::{Deserialize, Serialize};

/// A colour as the child chose it; what it looks like is the outer terminal's or the theme's matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Color {
    /// The terminal's default.
    #[default]
    Default,
    /// Palette entry 0–255.
    Indexed(u8),
    /// Direct colour.
    Rgb(u8, u8, u8),
}

/// A set of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Attrs(pub u16);

impl Attrs {
    /// No attribute.
    pub const NONE: Self = Self(0);
    /// SGR 1.
    pub const BOLD: Self = Self(1);
    /// SGR 2.
    pub const DIM: Self = Self(1 << 1);
    /// SGR 3.
    pub const ITALIC: Self = Self(1 << 2);
    /// SGR 4.
    pub const UNDERLINE: Self = Self(1 << 3);
    /// SGR 5.
    pub const BLINK: Self = Self(1 << 4);
    /// SGR 7.
    pub const REVERSE: Self = Self(1 << 5);
    /// SGR 8.
    pub const HIDDEN: Self = Self(1 << 6);
    /// SGR 9.
    pub const STRIKE: Self = Self(1 << 7);
    /// SGR 53.
    pub const OVERLINE: Self = Self(1 << 8);
    /// SGR 4:2, with `UNDERLINE`.
    pub const DOUBLE: Self = Self(1 << 9);
    /// SGR 4:3, with `UNDERLINE`.
    pub const CURLY: Self = Self(1 << 10);
    /// SGR 4:4, with `UNDERLINE`.
    pub const DOTTED: Self = Self(1 << 11);
    /// SGR 4:5, with `UNDERLINE`.
    pub const DASHED: Self = Self(1 << 12);
    /// Every kind of underline.
    pub const UNDERLINES: Self =
        Self::UNDERLINE.with(Self::DOUBLE).with(Self::CURLY).with(Self::DOTTED).with(Self::DASHED);

    /// Whether every attribute of `other` is in this set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// This set with every attribute of `other` turned over.
    #[must_use]
    pub const fn toggled(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

/// Colours and attributes of one run of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Style {
    /// Foreground.
    pub fg: Color,
    /// Background.
    pub bg: Color,
    /// Attributes.
    pub attrs: Attrs,
    /// The underline's colour; by default the foreground's.
    pub underline: Color,
    /// The number of the link that the text is part of, among its terminal's; zero for none.
    pub link: u32,
}
