//! The facade of `spec/terminal.md` section 1: the one type through which the rest of the server
//! sees a terminal. It does no I/O and knows no clock but the one that is passed in.
//!
//! Behind it `parser` reads the wire and `terminal` holds the state that the families of sequences work
//! on (`print`, `perform`, `csi`, `edit`, `rectangle`, `graphics`, `private_modes`, `osc`, `answers`);
//! `grid`, `row`, `cell` and `tables` are the screen, `history` the rows that left it, `paint` and `capture`
//! the ways out.
//!
//! Invariants: any cut of a stream into chunks gives the same screen, history and answers; the revision
//! is higher whenever a picture may differ in cells, cursor or size; no stream makes memory grow beyond
//! the history's budget and the screen.

mod answers;
mod capture;
mod cell;
mod charset;
mod csi;
mod draft;
mod edit;
mod graphics;
mod grid;
mod history;
mod lines;
mod links;
mod marks;
mod modes;
mod motion;
mod osc;
mod paint;
mod palette;
mod params;
mod parser;
mod perform;
mod print;
mod private_modes;
mod prompts;
mod recall;
mod rectangle;
mod reset;
mod resize;
mod row;
mod sanitize;
mod search;
mod select;
mod sgr;
mod sync;
mod tables;
mod tabs;
mod terminal;
#[cfg(test)]
mod tests;
mod text_run;
mod titles;
mod width;
mod window;

pub(in crate::server::terminal) use answers::CELL_PIXELS;
pub use marks::{Mark, Progress};
pub use modes::{Modes, MouseEncoding, MouseProtocol};
pub use prompts::{CommandOutput, Spot};
pub use search::{Match, Query, QueryError, Step, Toward};
pub use select::{Around, Selected, Shape};

use crate::protocol::frame::Frame;
use crate::protocol::geometry::Size;
use crate::protocol::limits::SCREEN_CELLS;
use crate::protocol::outer::OuterColors;
use crate::protocol::text::motion::Walk;
use parser::Parser;
use std::time::Instant;
use terminal::Terminal;

/// What a chunk of output asks the outside world to do. Data only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Bytes to send to the child (answers to its queries), in order.
    pub replies: Vec<u8>,
    /// The child set its title (OSC 0, 2), cleaned of control characters; empty clears.
    pub title: Option<String>,
    /// It rang the bell.
    pub bell: bool,
    /// It has given itself another size.
    pub size: Option<Size>,
    /// It told its directory (OSC 7), an absolute path.
    pub cwd: Option<String>,
    /// It wrote to the clipboard (OSC 52), decoded.
    pub clipboard: Option<String>,
    /// What it marked and told in passing, in the order of the wire.
    pub marks: Vec<Mark>,
}

/// What to capture (`uhp.md` section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureMode {
    /// The rows of the screen.
    Visible,
    /// The newest logical lines of history and screen, soft-wrapped rows joined.
    RecentUnwrapped,
    /// The newest rows of history and screen, as they are.
    Recent,
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
    /// As [`View::From`], but it stays on this row also while that is the live screen's first one.
    Hold(u64),
    /// From the last prompt before this row on, or from this row if there is none.
    PromptBefore(u64),
    /// From the first prompt after this row on, or from this row if there is none.
    PromptAfter(u64),
}

/// A terminal: screen, history and modes.
#[derive(Debug)]
pub struct Engine {
    parser: Parser,
    terminal: Terminal,
    /// The text of the screen before this terminal's life.
    recalled: Option<String>,
}

impl Engine {
    /// A blank terminal whose history may hold `history_bytes`.
    #[must_use]
    pub fn new(size: Size, history_bytes: usize) -> Self {
        let terminal = Terminal::new(allowed(size), history_bytes);
        Self { parser: Parser::new(), terminal, recalled: None }
    }

    /// Whether checksums of the screen are told (DECRQCRA): they let a program read it back.
    pub fn allow_checksums(&mut self, allowed: bool) {
        self.terminal.checksums = allowed;
    }

    /// Whether the program may change the size.
    pub fn allow_resizing(&mut self, allowed: bool) {
        self.terminal.window.resizable = allowed;
    }

    /// It is shown in a terminal with these colours: what is told of colours that the program has not set.
    pub fn shown_in(&mut self, colors: OuterColors) -> Effects {
        self.terminal.shown_in(colors);
        std::mem::take(&mut self.terminal.effects)
    }

    /// Parses a chunk, cut anywhere. A synchronized update whose deadline is not later than `now` ends
    /// first; an empty chunk does just that.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Effects {
        let terminal = &mut self.terminal;
        if terminal.update.as_ref().is_some_and(|update| update.deadline <= now) {
            terminal.end_update();
        }
        terminal.now = Some(now);
        terminal.count_bytes(bytes.len());
        self.parser.advance(bytes, terminal);
        terminal.settle();
        std::mem::take(&mut terminal.effects)
    }

    /// Changes the size.
    pub fn resize(&mut self, size: Size) {
        let size = allowed(size);
        if size != self.terminal.size {
            self.terminal.resize(size);
            self.terminal.settle();
        }
    }

    /// Which numbering of rows is in force: a change of width brings another one.
    pub fn numbering(&self) -> u64 {
        self.terminal.history.numbering()
    }

    /// A view by rows of the numbering before this one, as it is now: it stays on its text. What was numbered
    /// longer ago stays as it is.
    pub fn renumbered(&self, view: View, numbering: u64) -> View {
        if numbering.checked_add(1) != Some(self.numbering()) {
            return view;
        }
        let row = |row| self.terminal.history.renumber(row);
        match view {
            View::Live => View::Live,
            View::From(from) => View::From(row(from)),
            View::Hold(from) => View::Hold(row(from)),
            View::PromptBefore(from) => View::PromptBefore(row(from)),
            View::PromptAfter(from) => View::PromptAfter(row(from)),
        }
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.terminal.size
    }

    /// Rises whenever cells, cursor or size may have changed (`spec/README.md` point 22); what a synchronized
    /// update holds back counts when it is shown.
    pub fn revision(&self) -> u64 {
        self.terminal.revision
    }

    /// The modes.
    pub fn modes(&self) -> Modes {
        self.terminal.modes.packed()
    }

    /// Where a view leads: [`View::Live`], [`View::From`] or [`View::Hold`].
    pub fn resolve(&self, view: View) -> View {
        let end = self.history().end;
        let row = match view {
            View::Live => return View::Live,
            View::Hold(row) => return View::Hold(row.min(end)),
            View::From(row) => row,
            View::PromptBefore(row) => self.prompt_before(row).unwrap_or(row),
            View::PromptAfter(row) => self.prompt_after(row).unwrap_or(row),
        };
        if row < end { View::From(row) } else { View::Live }
    }

    /// The picture at `view`. Rows that did not change since the last picture are the same `Arc`.
    /// During a synchronized update the live picture is the last complete one.
    pub fn frame(&mut self, view: View) -> Frame {
        let start = self.history().start;
        match (self.resolve(view), &self.terminal.update) {
            (View::From(row) | View::Hold(row), _) if row.max(start) < self.terminal.shown_first() => {
                self.terminal.paint_history(row.max(start))
            }
            (_, Some(update)) => update.picture.clone(),
            _ => self.terminal.paint_live(),
        }
    }

    /// Absolute numbers of the oldest row kept and of the screen's first row. Rows of the alternate
    /// screen come after those of the primary one, for as long as it is shown. A change of width wraps
    /// lines anew and numbers what follows the oldest row accordingly.
    pub fn history(&self) -> std::ops::Range<u64> {
        self.terminal.history.range()
    }

    /// The row of the last prompt before a row (OSC 133); rows are numbered as by [`Engine::history`], those
    /// of the screen after it.
    pub fn prompt_before(&self, row: u64) -> Option<u64> {
        self.terminal.prompt_before(row)
    }

    /// The row of the first prompt after a row.
    pub fn prompt_after(&self, row: u64) -> Option<u64> {
        self.terminal.prompt_after(row)
    }

    /// The output of the command whose prompt, text or output a row belongs to.
    pub fn command_output(&self, row: u64) -> Option<CommandOutput> {
        self.terminal.command_output(row)
    }

    /// Bytes that the history holds, never more than its budget.
    pub fn history_bytes(&self) -> usize {
        self.terminal.history.held_bytes()
    }

    /// One step of a search, from a row on; see [`Step::next`].
    pub fn search(&self, query: &Query, from: u64, toward: Toward, limit: usize) -> Step {
        search::step(&self.terminal, query, from, toward, limit)
    }

    /// The text from one place to another, both included.
    pub fn select(&self, from: Spot, to: Spot, shape: Shape) -> Selected {
        select::text(&self.terminal, from, to, shape)
    }

    /// The first and the last cell of what is around a place; `None` if nothing of that kind is there.
    pub fn around(&self, spot: Spot, what: Around) -> Option<(Spot, Spot)> {
        select::around(&self.terminal, spot, what)
    }

    /// Where a way through the text leads.
    pub fn walk(&self, from: Spot, walk: Walk) -> Spot {
        motion::walk(&self.terminal, from, walk)
    }

    /// Text for programs: what is shown, also during a synchronized update. Changes nothing.
    pub fn capture(&self, request: CaptureRequest) -> Capture {
        let gathered = capture::gather(&self.terminal, request);
        let rows = self.terminal.history.live_start()..self.terminal.shown_first();
        Capture {
            text: gathered.text,
            lines: gathered.lines,
            truncated: gathered.truncated,
            revision: self.revision(),
            history_rows: usize::try_from(rows.end.saturating_sub(rows.start)).unwrap_or(usize::MAX),
            cursor: gathered.cursor,
        }
    }

    /// Shows what a synchronized update holds back: nothing follows any more.
    pub fn release(&mut self) {
        self.terminal.end_update();
    }

    /// When a synchronized update (2026) must be shown at the latest, if one is open.
    pub fn deadline(&self) -> Option<Instant> {
        self.terminal.update.as_ref().map(|update| update.deadline)
    }
}

/// A size that a terminal can have.
pub fn allowed(size: Size) -> Size {
    let size = size.at_least_one();
    Size { rows: size.rows.min(SCREEN_CELLS), cols: size.cols.min(SCREEN_CELLS) }
}
