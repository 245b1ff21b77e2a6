//! The facade of `spec/terminal.md` section 1: the one type through which the rest of the server
//! sees a terminal. It does no I/O and knows no clock but the one that is passed in.

use crate::protocol::frame::Frame;
use crate::protocol::geometry::Size;
use std::time::Instant;

/// The child's modes that decide how input is encoded; packed, so that it fits an atomic.
/// Filled from the child's output, read by `encode` and by the drivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes(pub u64);

impl Modes {
    /// DECCKM.
    pub const APPLICATION_CURSOR: u64 = 1;
    /// DECPAM / DECNKM.
    pub const APPLICATION_KEYPAD: u64 = 1 << 1;
    /// 2004.
    pub const BRACKETED_PASTE: u64 = 1 << 2;
    /// 1004.
    pub const FOCUS_EVENTS: u64 = 1 << 3;
    /// The alternate screen is shown.
    pub const ALTERNATE_SCREEN: u64 = 1 << 4;
    /// 1007 (on by default, as in xterm's most common set-up).
    pub const ALTERNATE_SCROLL: u64 = 1 << 5;
    /// LNM: Enter sends CR LF.
    pub const NEWLINE: u64 = 1 << 6;
    /// DECBKM: Backspace sends BS instead of DEL.
    pub const BACKARROW: u64 = 1 << 7;
    // bits 8-10: mouse protocol, 11-13: mouse encoding, 16-20: kitty flags, 24-25: modifyOtherKeys
}

/// What a chunk of output asks the outside world to do. Data only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Bytes to send to the child (answers to its queries), in order.
    pub replies: Vec<u8>,
    /// The child set its title (OSC 0, 2), cleaned of control characters; empty clears.
    pub title: Option<String>,
    /// It rang the bell.
    pub bell: bool,
    /// It told its directory (OSC 7), an absolute path.
    pub cwd: Option<String>,
    /// It wrote to the clipboard (OSC 52), decoded.
    pub clipboard: Option<String>,
}

/// What to capture (`uhp.md` section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureMode {
    /// The rows of the screen.
    Visible,
    /// The newest logical lines of history and screen, soft-wrapped rows joined.
    RecentUnwrapped,
    /// The text that the agent detector reads: the live bottom of the screen, plain.
    Detection,
}

/// A request for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureRequest {
    /// Which text.
    pub mode: CaptureMode,
    /// At most so many lines, the newest ones.
    pub lines: usize,
    /// Whether safe SGR is kept (`spec/terminal.md` section 7).
    pub ansi: bool,
    /// At most so many UTF-8 bytes; the oldest lines go first.
    pub max_bytes: usize,
}

/// Captured text with what belongs to the same instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Lines joined with LF, without a final one; blanks at line ends and blank rows at the end left out.
    pub text: String,
    /// Number of lines in `text` (0 when empty).
    pub lines: usize,
    /// Whether older lines exist that were left out by `lines` or `max_bytes`.
    pub truncated: bool,
    /// The revision of the captured text.
    pub revision: u64,
    /// Rows kept above the screen.
    pub history_rows: usize,
}

/// Where a viewer looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The live screen.
    #[default]
    Live,
    /// The picture whose first row is this row of the history, counted from the first row that ever
    /// left the screen; it stays on its text while output arrives, and moves to the oldest row left
    /// when its own is gone.
    From(u64),
}

/// A terminal: screen, history and modes.
pub struct Engine {}

impl Engine {
    /// A blank terminal whose history may hold `history_bytes`.
    #[must_use]
    pub fn new(_size: Size, _history_bytes: usize) -> Self {
        unimplemented!("skeleton")
    }
    /// Parses a chunk, cut anywhere.
    pub fn feed(&mut self, _bytes: &[u8], _now: Instant) -> Effects {
        unimplemented!("skeleton")
    }
    /// Changes the size.
    pub fn resize(&mut self, _size: Size) {
        unimplemented!("skeleton")
    }
    /// The size.
    pub fn size(&self) -> Size {
        unimplemented!("skeleton")
    }
    /// Rises whenever cells, cursor or size may have changed (`spec/README.md` point 22).
    pub fn revision(&self) -> u64 {
        unimplemented!("skeleton")
    }
    /// The modes.
    pub fn modes(&self) -> Modes {
        unimplemented!("skeleton")
    }
    /// The picture at `view`. Rows that did not change since the last picture are the same `Arc`.
    pub fn frame(&mut self, _view: View) -> Frame {
        unimplemented!("skeleton")
    }
    /// Absolute numbers of the oldest row kept and of the screen's first row.
    pub fn history(&self) -> std::ops::Range<u64> {
        unimplemented!("skeleton")
    }
    /// Text for programs. Changes nothing.
    pub fn capture(&self, _request: CaptureRequest) -> Capture {
        unimplemented!("skeleton")
    }
    /// When a synchronized update (2026) must be shown at the latest, if one is open.
    pub fn deadline(&self) -> Option<Instant> {
        unimplemented!("skeleton")
    }
}
