//! The facade of `spec/terminal.md` section 1: the one type through which the rest of the server
//! sees a terminal. It does no I/O and knows no clock but the one that is passed in.
//!
//! Behind it stands the `vt100` crate without a scrollback of its own. `scan` reads the wire ahead of it
//! and says where to cut; `watch` takes what it hands over; `history` keeps the rows that left.
//!
//! Invariants: any cut of a stream into chunks gives the same screen, history and answers; the revision
//! is higher whenever a picture may differ in cells, cursor or size.

mod capture;
mod draft;
mod drive;
mod history;
mod modes;
mod paint;
mod row_writer;
mod sanitize;
mod scan;
mod sgr;
#[cfg(test)]
mod tests;
mod watch;

pub use modes::{Modes, MouseEncoding, MouseProtocol};
pub(in crate::server::terminal) use watch::CELL_PIXELS;

use crate::protocol::frame::{Cursor, Frame, Position, Row};
use crate::protocol::geometry::Size;
use crate::protocol::limits::SCREEN_CELLS;
use draft::Draft;
use drive::{Piece, Region};
use paint::Painter;
use scan::Scanner;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Instant;
use vt100::Parser;
use watch::Watch;

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
    /// Whether the cursor is looked up; then blank rows down to it are kept.
    pub cursor: bool,
}

/// Where the cursor stands in a capture (`uhp.md` section 8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCursor {
    /// Characters of the text before it, SGR sequences not counted.
    pub offset: usize,
    /// Blank cells between there and the cursor, which are no part of the text.
    pub padding_cells: usize,
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
    /// The cursor, if it was asked for, is visible, and stands in one of these lines.
    pub cursor: Option<TextCursor>,
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
pub struct Engine {
    parser: Parser<Watch>,
    scanner: Scanner,
    painter: Painter,
    size: Size,
    revision: u64,
    /// Up to three bytes of an unfinished character at a chunk's end; `vte` may drop text otherwise.
    carry: Vec<u8>,
    piece: Piece,
    /// Cells changed since the revision was last raised.
    changed: bool,
    /// The cursor as of the last revision.
    cursor: Option<Cursor>,
    /// Of the primary and the alternate screen.
    regions: [Region; 2],
    update: Option<Update>,
}

/// A synchronized update (2026) in progress.
#[derive(Debug)]
struct Update {
    deadline: Instant,
    bytes: usize,
    /// What to show meanwhile.
    picture: Frame,
}

impl Engine {
    /// A blank terminal whose history may hold `history_bytes`.
    #[must_use]
    pub fn new(size: Size, history_bytes: usize) -> Self {
        let size = allowed(size);
        let (rows, cols) = grid(size);
        Self {
            parser: Parser::new_with_callbacks(rows, cols, 0, Watch::new(history_bytes)),
            scanner: Scanner::default(),
            painter: Painter::new(size),
            size,
            // Zero is the blank picture that a viewer begins with.
            revision: 1,
            carry: Vec::new(),
            piece: Piece::default(),
            changed: false,
            cursor: None,
            regions: [Region::Whole; 2],
            update: None,
        }
        .settled()
    }

    /// Parses a chunk, cut anywhere. A synchronized update whose deadline is not later than `now` ends
    /// first; an empty chunk does just that.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Effects {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.end_update();
        }
        let joined;
        let bytes = if self.carry.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.carry).as_slice(), bytes].concat();
            &joined
        };
        let (whole, tail) = bytes.split_at(bytes.len() - unfinished_tail(bytes));
        self.carry.extend_from_slice(tail);
        self.parse(whole, now);
        self.settle();
        std::mem::take(&mut self.parser.callbacks_mut().effects)
    }

    /// Changes the size.
    pub fn resize(&mut self, size: Size) {
        let size = allowed(size);
        if size == self.size {
            return;
        }
        self.size = size;
        self.resize_grid(size);
        self.regions = [Region::Whole; 2];
        self.painter.mark_all(size.rows);
        // The rows that a smaller screen pushed out have moved nothing that is not marked already.
        self.parser.callbacks_mut().scrolled_rows = 0;
        self.changed = true;
        if self.update.is_some() {
            // A picture of the old size is of no use.
            self.end_update();
        }
        self.settle();
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Rises whenever cells, cursor or size may have changed (`spec/README.md` point 22), and when a
    /// synchronized update shows what it held back.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The modes.
    pub fn modes(&self) -> Modes {
        self.parser.callbacks().modes.packed()
    }

    /// The picture at `view`. Rows that did not change since the last picture are the same `Arc`.
    /// During a synchronized update the live picture is the last complete one.
    pub fn frame(&mut self, view: View) -> Frame {
        let history = self.history();
        match (view, &self.update) {
            (View::From(row), _) if row < history.end => self.paint_history(row.max(history.start)),
            (_, Some(update)) => update.picture.clone(),
            _ => self.paint_live(),
        }
    }

    /// Absolute numbers of the oldest row kept and of the screen's first row. Rows of the alternate
    /// screen come after those of the primary one, for as long as it is shown.
    pub fn history(&self) -> std::ops::Range<u64> {
        self.parser.callbacks().history.range()
    }

    /// Text for programs. Changes nothing.
    pub fn capture(&self, request: CaptureRequest) -> Capture {
        let cursor = self.visible_cursor().filter(|_| request.cursor);
        let sight = capture::Sight {
            screen: self.parser.screen(),
            cols: self.size.cols,
            history: &self.parser.callbacks().history,
            cursor: cursor.map(|cursor| (cursor.row, cursor.col)),
        };
        let gathered = capture::gather(&sight, request);
        let rows = self.history();
        Capture {
            text: gathered.text,
            lines: gathered.lines,
            truncated: gathered.truncated,
            revision: self.revision,
            history_rows: usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX),
            cursor: gathered.cursor,
        }
    }

    /// When a synchronized update (2026) must be shown at the latest, if one is open.
    pub fn deadline(&self) -> Option<Instant> {
        self.update.as_ref().map(|update| update.deadline)
    }

    fn settled(mut self) -> Self {
        self.cursor = self.visible_cursor();
        self
    }

    fn resize_grid(&mut self, size: Size) {
        // The primary screen's count of pushed rows can be reached only while it is shown, so it is shown
        // for a moment, unless that would break into a sequence whose rest is still to come.
        let visit = self.parser.screen().alternate_screen() && self.scanner.is_ground();
        if visit {
            self.parser.process(b"\x1b[?47l");
        }
        self.forget_pushed_rows();
        let (rows, cols) = grid(size);
        self.parser.set_size(rows, cols);
        self.forget_pushed_rows();
        if visit {
            self.parser.process(b"\x1b[?47h");
        }
    }

    /// `vt100` remembers how many rows it pushed out, even without a scrollback, and would put as many
    /// blank rows above the text when the screen grows.
    fn forget_pushed_rows(&mut self) {
        if !self.parser.screen().alternate_screen() {
            self.parser.screen_mut().clear_scrollback();
        }
    }

    /// Raises the revision if something changed since it was last raised.
    fn settle(&mut self) {
        let cursor = self.visible_cursor();
        if std::mem::take(&mut self.changed) || cursor != self.cursor {
            self.cursor = cursor;
            self.revision += 1;
        }
    }

    fn visible_cursor(&self) -> Option<Cursor> {
        let visible = self.parser.callbacks().modes.cursor_visible;
        visible.then(|| paint::cursor(self.parser.screen(), self.size))
    }

    fn paint_live(&mut self) -> Frame {
        let history = self.history();
        Frame {
            revision: self.revision,
            size: self.size,
            rows: self.painter.paint(self.parser.screen(), self.size.cols).to_vec(),
            cursor: self.visible_cursor(),
            position: Position { above: history.end - history.start, below: 0 },
            modes: self.modes().screen_modes(),
        }
    }

    /// The picture whose first row is the history's row `first`.
    fn paint_history(&mut self, first: u64) -> Frame {
        let history = self.history();
        let below = history.end - first;
        let mut frame = self.paint_live();
        let rows = usize::from(self.size.rows);
        let mut draft = Draft::default();
        let kept = (first..history.end).take(rows).map(|number| {
            let Some(stored) = self.parser.callbacks().history.row(number) else { return Arc::default() };
            draft.read_stored(stored.text, usize::from(self.size.cols));
            draft.trim();
            Arc::new(draft.to_row(stored.wrapped))
        });
        let kept: Vec<Arc<Row>> = kept.collect();
        let live = std::mem::take(&mut frame.rows);
        frame.rows = kept.into_iter().chain(live).take(rows).collect();
        frame.cursor = frame.cursor.and_then(|cursor| {
            let row = u64::from(cursor.row) + below;
            let row = u16::try_from(row).ok().filter(|row| *row < self.size.rows)?;
            Some(Cursor { row, ..cursor })
        });
        frame.position = Position { above: first - history.start, below };
        frame
    }
}

/// A size that a terminal can have.
fn allowed(size: Size) -> Size {
    let size = size.at_least_one();
    Size { rows: size.rows.min(SCREEN_CELLS), cols: size.cols.min(SCREEN_CELLS) }
}

/// An allowed size as `vt100` takes it.
fn grid(size: Size) -> (NonZeroU16, NonZeroU16) {
    let one = NonZeroU16::MIN;
    (NonZeroU16::new(size.rows).unwrap_or(one), NonZeroU16::new(size.cols).unwrap_or(one))
}

/// How many bytes at the end begin a character without finishing it (0–3).
fn unfinished_tail(bytes: &[u8]) -> usize {
    let window = &bytes[bytes.len().saturating_sub(3)..];
    let Some(lead) = window.iter().rposition(|byte| *byte >= 0xc0) else { return 0 };
    match std::str::from_utf8(&window[lead..]) {
        Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() => window.len() - lead,
        _ => 0,
    }
}
