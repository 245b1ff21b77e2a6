//! Input as the outer terminal reports it: keys, mouse, with modifiers. The client sends these and
//! never bytes, because only the server knows which modes the child has set.

use serde::{Deserialize, Serialize};

/// Held modifiers. The bit values are those of the kitty keyboard protocol (and of xterm's
/// modifier parameter minus one).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Modifiers(pub u8);

impl Modifiers {
    /// Nothing held.
    pub const NONE: Self = Self(0);
    /// Shift.
    pub const SHIFT: Self = Self(1);
    /// Alt (Option).
    pub const ALT: Self = Self(2);
    /// Control.
    pub const CTRL: Self = Self(4);
    /// Super (Command, Windows).
    pub const SUPER: Self = Self(8);
    /// Hyper.
    pub const HYPER: Self = Self(16);
    /// Meta.
    pub const META: Self = Self(32);

    /// Whether every modifier of `other` is held.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set without the modifiers of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether nothing is held.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyCode {
    /// A key that makes text: the character as the outer terminal reports it (upper case when shifted).
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Tab; with Shift this is back-tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// Arrow.
    Up,
    /// Arrow.
    Down,
    /// Arrow.
    Left,
    /// Arrow.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// F1 to F35.
    Function(u8),
    /// Caps lock (reported by the kitty protocol only, like the following).
    CapsLock,
    /// Scroll lock.
    ScrollLock,
    /// Num lock.
    NumLock,
    /// Print screen.
    PrintScreen,
    /// Pause.
    Pause,
    /// Menu.
    Menu,
    /// The 5 key of the keypad without num lock.
    KeypadBegin,
}

/// Press, auto-repeat or release. Without the kitty protocol every key is a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum KeyKind {
    /// The key went down.
    #[default]
    Press,
    /// The key is held.
    Repeat,
    /// The key went up.
    Release,
}

/// One key event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyEvent {
    /// Which key.
    pub code: KeyCode,
    /// What was held.
    pub modifiers: Modifiers,
    /// Press, repeat or release.
    pub kind: KeyKind,
    /// Whether it is a key of the numeric keypad.
    pub keypad: bool,
}

impl KeyEvent {
    /// A press of `code` with `modifiers`, not on the keypad.
    #[must_use]
    pub const fn press(code: KeyCode, modifiers: Modifiers) -> Self {
        Self { code, modifiers, kind: KeyKind::Press, keypad: false }
    }
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MouseButton {
    /// Left.
    Left,
    /// Middle.
    Middle,
    /// Right.
    Right,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MouseKind {
    /// A button went down.
    Press(MouseButton),
    /// A button went up.
    Release(MouseButton),
    /// Motion with a button held.
    Drag(MouseButton),
    /// Motion without a button.
    Move,
    /// One wheel step.
    WheelUp,
    /// One wheel step.
    WheelDown,
    /// One wheel step.
    WheelLeft,
    /// One wheel step.
    WheelRight,
}

/// A mouse event inside a pane; `row` and `col` are zero-based cells of the pane's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MouseEvent {
    /// What happened.
    pub kind: MouseKind,
    /// Row in the pane.
    pub row: u16,
    /// Column in the pane.
    pub col: u16,
    /// What was held.
    pub modifiers: Modifiers,
}
