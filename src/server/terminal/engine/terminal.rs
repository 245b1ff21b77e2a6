//! The state of a terminal, and its elementary moves; what the wire asks of it is in the files beside.
//!
//! Invariants: the cursor is on the screen; margins enclose at least one row and one column; `changed` is
//! set whenever cells may show something else.

use super::Effects;
use super::cell::{Cell, PROTECTED};
use super::charset::Charsets;
use super::grid::Grid;
use super::history::History;
use super::links::Links;
use super::marks::Unfinished;
use super::modes::ModeState;
use super::paint::Painter;
use super::palette::Palette;
use super::row::Row;
use super::sync::Update;
use super::tables::Tables;
use super::tabs::Tabs;
use super::titles::Titles;
use super::window::Window;
use crate::protocol::frame::{Cursor, CursorShape};
use crate::protocol::geometry::Size;
use crate::protocol::style::{Color, Style};
use std::ops::Range;
use std::time::Instant;

/// The primary screen's index.
pub(super) const PRIMARY: usize = 0;
/// The alternate screen's index.
pub(super) const ALTERNATE: usize = 1;

/// The class of terminals: VT420.
pub(super) const LEVEL: u16 = 4;
/// XTCHECKSUM: the sum is negated, blanks count, attributes do not.
pub(super) const CHECKSUM_MODE: u16 = 0b10;

/// What keeps cells that were written as protected ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    /// Nothing.
    Off,
    /// Selective erasing (DECSCA).
    Selective,
    /// Ordinary erasing (SPA).
    Ordinary,
}

/// Where the next character goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) row: u16,
    pub(super) col: u16,
    /// The last column is written: the next character wraps first.
    pub(super) pending: bool,
}

/// How the next character looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pen {
    style: Style,
    /// The number of `style`, once it was used.
    number: Option<u32>,
    /// The number of the style of blanks: the background.
    blank: Option<u32>,
    /// DECSCA.
    pub(super) protected: bool,
    /// OSC 8.
    link: u32,
}

/// What DECSC saves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Saved {
    pub(super) place: Place,
    pub(super) pen: Pen,
    pub(super) charsets: Charsets,
    pub(super) origin: bool,
}

/// The part of the screen that scrolls, ends excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Margins {
    pub(super) top: u16,
    pub(super) bottom: u16,
    pub(super) left: u16,
    pub(super) right: u16,
}

impl Margins {
    /// No margins.
    pub(super) const fn whole(size: Size) -> Self {
        Self { top: 0, bottom: size.rows, left: 0, right: size.cols }
    }

    pub(super) fn rows(self) -> Range<u16> {
        self.top..self.bottom
    }

    pub(super) fn cols(self) -> Range<usize> {
        usize::from(self.left)..usize::from(self.right)
    }
}

/// A terminal without its parser.
#[derive(Debug)]
pub(super) struct Terminal {
    pub(super) size: Size,
    pub(super) grids: [Grid; 2],
    /// Of the screen that is shown.
    pub(super) shown: usize,
    pub(super) place: Place,
    pub(super) pen: Pen,
    pub(super) charsets: Charsets,
    pub(super) margins: Margins,
    pub(super) tabs: Tabs,
    pub(super) saved: [Saved; 2],
    pub(super) modes: ModeState,
    pub(super) shape: CursorShape,
    /// DECSACE as it was set: attribute changes work on rectangles if it is 2.
    pub(super) extent: u16,
    /// DECSCL: which class of terminals it is, at most [`LEVEL`].
    pub(super) level: u16,
    /// S8C1T: answers begin with C1 characters of one byte.
    pub(super) answers_in_8_bits: bool,
    /// Who keeps protected cells.
    pub(super) protection: Protection,
    /// XTCHECKSUM.
    pub(super) checksum_mode: u16,
    /// The name of the pointer's shape (OSC 22).
    pub(super) pointer: String,
    pub(super) tables: Tables,
    pub(super) history: History,
    pub(super) titles: Titles,
    pub(super) window: Window,
    pub(super) links: Links,
    pub(super) palette: Palette,
    pub(super) effects: Effects,
    /// A command runs, as far as the shell's marks tell.
    pub(super) command_runs: bool,
    /// Notifications that come in parts.
    pub(super) unfinished: Vec<Unfinished>,
    /// The last character that was printed, for REP.
    pub(super) last_char: Option<char>,
    pub(super) painter: Painter,
    pub(super) update: Option<Update>,
    pub(super) now: Option<Instant>,
    /// Cells changed since the revision was last raised.
    pub(super) changed: bool,
    /// The cursor as of the last revision.
    pub(super) seen_cursor: Option<Cursor>,
    pub(super) revision: u64,
    /// DECRQCRA is answered.
    pub(super) checksums: bool,
}

impl Terminal {
    pub(super) fn new(size: Size, history_bytes: usize) -> Self {
        let mut terminal = Self {
            size,
            grids: [Grid::new(size.rows), Grid::new(size.rows)],
            shown: PRIMARY,
            place: Place::default(),
            pen: Pen::default(),
            charsets: Charsets::default(),
            margins: Margins::whole(size),
            tabs: Tabs::default(),
            saved: [Saved::default(); 2],
            modes: ModeState::default(),
            shape: CursorShape::Default,
            extent: 0,
            level: LEVEL,
            answers_in_8_bits: false,
            protection: Protection::Off,
            checksum_mode: CHECKSUM_MODE,
            pointer: String::new(),
            tables: Tables::new(),
            history: History::new(history_bytes, usize::from(size.cols)),
            titles: Titles::default(),
            window: Window::default(),
            links: Links::default(),
            palette: Palette::default(),
            effects: Effects::default(),
            command_runs: false,
            unfinished: Vec::new(),
            last_char: None,
            painter: Painter::new(size),
            update: None,
            now: None,
            changed: false,
            seen_cursor: None,
            // Zero is the blank picture that a viewer begins with.
            revision: 1,
            checksums: false,
        };
        terminal.seen_cursor = terminal.visible_cursor();
        terminal
    }

    /// Raises the revision if something that is shown changed since it was last raised.
    pub(super) fn settle(&mut self) {
        if self.update.is_some() {
            return;
        }
        let cursor = self.visible_cursor();
        if std::mem::take(&mut self.changed) || cursor != self.seen_cursor {
            self.seen_cursor = cursor;
            self.revision += 1;
        }
    }

    pub(super) fn visible_cursor(&self) -> Option<Cursor> {
        let cursor = Cursor { row: self.place.row, col: self.place.col, shape: self.shape };
        self.modes.cursor_visible.then_some(cursor)
    }

    pub(super) fn cols(&self) -> usize {
        usize::from(self.size.cols)
    }

    /// The screen that is shown.
    pub(super) fn grid(&self) -> &Grid {
        &self.grids[self.shown]
    }

    /// The screen that is shown, whose cells are about to change.
    pub(super) fn grid_mut(&mut self) -> &mut Grid {
        self.changed = true;
        &mut self.grids[self.shown]
    }

    /// A row that is about to change.
    pub(super) fn row_mut(&mut self, row: u16) -> Option<&mut Row> {
        self.grid_mut().row_mut(row)
    }

    /// How the next character looks.
    pub(super) fn style(&self) -> Style {
        self.pen.style
    }

    /// The number of the present style.
    pub(super) fn style_number(&mut self) -> u32 {
        if let Some(number) = self.pen.number {
            return number;
        }
        self.make_room();
        let number = self.tables.style_number(Style { link: self.pen.link, ..self.pen.style });
        self.pen.number = Some(number);
        number
    }

    /// A blank in the present background.
    pub(super) fn blank(&mut self) -> Cell {
        if self.pen.style.bg == Color::Default {
            return Cell::default();
        }
        if let Some(number) = self.pen.blank {
            return Cell::blank(number);
        }
        self.make_room();
        let number = self.tables.style_number(Style { bg: self.pen.style.bg, ..Style::default() });
        self.pen.blank = Some(number);
        Cell::blank(number)
    }

    /// The flags of cells that are printed.
    pub(super) fn flags(&self) -> u32 {
        if self.pen.protected { PROTECTED } else { 0 }
    }

    /// Whether erasing in lines and in the display, selective or not, keeps protected cells. As in xterm,
    /// what SPA protects is kept by both kinds.
    pub(super) fn keeps_protected(&self, selective: bool) -> bool {
        match self.protection {
            Protection::Off => false,
            Protection::Selective => selective,
            Protection::Ordinary => true,
        }
    }

    /// How the next character looks, to be changed. Its number is looked up when it is used, which is
    /// quicker than finding out whether it is still the same.
    pub(super) fn style_mut(&mut self) -> &mut Style {
        (self.pen.number, self.pen.blank) = (None, None);
        &mut self.pen.style
    }

    /// What follows is part of a link, or of none (zero).
    pub(super) fn set_link(&mut self, link: u32) {
        if link != self.pen.link {
            self.pen = Pen { link, number: None, ..self.pen };
        }
    }

    /// Sees to it that the tables can take a few more entries.
    pub(super) fn make_room(&mut self) {
        if !self.tables.are_full() {
            return;
        }
        let cells = self.grids.iter().flat_map(Grid::rows).flat_map(Row::cells);
        let renumbering = self.tables.collect(cells);
        for row in self.grids.iter_mut().flat_map(Grid::rows_mut) {
            row.renumber(|cell| renumbering.apply(cell));
        }
        let [saved, other] = &mut self.saved;
        for pen in [&mut self.pen, &mut saved.pen, &mut other.pen] {
            (pen.number, pen.blank) = (None, None);
        }
    }

    /// Where rows and columns begin and end for an absolute move (DECOM).
    pub(super) fn origin(&self) -> Margins {
        if self.modes.origin { self.margins } else { Margins::whole(self.size) }
    }

    /// Goes to a cell, counted from the origin.
    pub(super) fn go_to(&mut self, row: u16, col: u16) {
        let area = self.origin();
        self.place.row = area.top.saturating_add(row).min(area.bottom - 1);
        self.place.col = area.left.saturating_add(col).min(area.right - 1);
        self.place.pending = false;
    }

    /// Whether the cursor is in the columns that scroll.
    pub(super) fn in_columns(&self) -> bool {
        (self.margins.left..self.margins.right).contains(&self.place.col)
    }

    /// The first column that the cursor reaches to the left: a margin holds it only inside.
    pub(super) fn left_edge(&self) -> u16 {
        if self.place.col >= self.margins.left { self.margins.left } else { 0 }
    }

    /// The last column that it reaches to the right.
    pub(super) fn right_edge(&self) -> u16 {
        if self.place.col < self.margins.right { self.margins.right - 1 } else { self.size.cols - 1 }
    }

    /// CUU: a margin holds the cursor only inside.
    pub(super) fn up(&mut self, rows: u16) {
        let edge = if self.place.row >= self.margins.top { self.margins.top } else { 0 };
        self.place.row = self.place.row.saturating_sub(rows).max(edge);
        self.place.pending = false;
    }

    /// CUD.
    pub(super) fn down(&mut self, rows: u16) {
        let last =
            if self.place.row < self.margins.bottom { self.margins.bottom } else { self.size.rows } - 1;
        self.place.row = self.place.row.saturating_add(rows).min(last);
        self.place.pending = false;
    }

    /// CUF.
    pub(super) fn right(&mut self, cols: u16) {
        self.place.col = self.place.col.saturating_add(cols).min(self.right_edge());
        self.place.pending = false;
    }

    /// CR.
    pub(super) fn carriage_return(&mut self) {
        let origin = self.modes.origin;
        self.place.col = if origin { self.margins.left } else { self.left_edge() };
        self.place.pending = false;
    }

    /// IND.
    pub(super) fn index(&mut self) {
        if self.place.row + 1 != self.margins.bottom {
            if self.place.row + 1 < self.size.rows {
                self.place.row += 1;
            }
        } else if self.in_columns() {
            self.scroll_up(self.margins.rows(), 1, true);
        }
        self.place.pending = false;
    }

    /// RI.
    pub(super) fn reverse_index(&mut self) {
        if self.place.row != self.margins.top {
            self.place.row = self.place.row.saturating_sub(1);
        } else if self.in_columns() {
            self.scroll_down(self.margins.rows(), 1);
        }
        self.place.pending = false;
    }

    /// Whether all columns scroll.
    pub(super) fn is_full_width(&self) -> bool {
        self.margins.left == 0 && self.margins.right == self.size.cols
    }

    /// Moves the rows of a range up, between the left and right margins; rows that leave the top of the
    /// screen are `kept` in the history.
    pub(super) fn scroll_up(&mut self, rows: Range<u16>, count: u16, kept: bool) {
        let count = count.min(rows.end - rows.start);
        let (blank, cols) = (self.blank(), self.cols());
        self.changed = true;
        if !self.is_full_width() {
            return self.scroll_columns(rows, count, true);
        }
        for _ in 0..count {
            let grid = &mut self.grids[self.shown];
            if kept
                && rows.start == 0
                && let Some(row) = grid.row(0)
            {
                self.history.push(row, &self.tables);
            }
            grid.scroll_up(rows.clone(), blank, cols);
        }
        if rows.start > 0
            && let Some(above) = self.row_mut(rows.start - 1)
        {
            above.set_wrapped(false);
        }
    }

    /// Moves the rows of a range down, between the left and right margins.
    pub(super) fn scroll_down(&mut self, rows: Range<u16>, count: u16) {
        let count = count.min(rows.end - rows.start);
        let (blank, cols) = (self.blank(), self.cols());
        if !self.is_full_width() {
            return self.scroll_columns(rows, count, false);
        }
        for _ in 0..count {
            self.grid_mut().scroll_down(rows.clone(), blank, cols);
        }
        // What went on below does not any more.
        let last = self.row_mut(rows.end - 1);
        last.into_iter().for_each(|row| row.set_wrapped(false));
        if rows.start > 0
            && let Some(above) = self.row_mut(rows.start - 1)
        {
            above.set_wrapped(false);
        }
    }

    fn scroll_columns(&mut self, rows: Range<u16>, count: u16, up: bool) {
        let cols = self.margins.left..self.margins.right;
        let blank = self.blank();
        let order: Vec<u16> = if up { rows.clone().collect() } else { rows.clone().rev().collect() };
        for row in order {
            let from = if up { row.checked_add(count) } else { row.checked_sub(count) };
            let from = from.filter(|from| rows.contains(from));
            let cells: Vec<Cell> = match from {
                Some(from) => self.grid().copy(from, cols.clone()).collect(),
                None => vec![blank; usize::from(cols.end - cols.start)],
            };
            if let Some(row) = self.row_mut(row) {
                row.overwrite(usize::from(cols.start), &cells);
                row.set_wrapped(false);
            }
        }
    }

    /// Shows the other screen or the same; whether it is another one.
    pub(super) fn show(&mut self, screen: usize) -> bool {
        if screen == self.shown {
            return false;
        }
        self.shown = screen;
        self.changed = true;
        self.modes.put(super::Modes::ALTERNATE_SCREEN, screen == ALTERNATE);
        self.history.show_alternate(screen == ALTERNATE);
        true
    }

    /// Blanks a screen.
    pub(super) fn clear(&mut self, screen: usize, blank: Cell) {
        let cols = self.cols();
        self.changed = true;
        self.grids[screen].rows_mut().for_each(|row| row.recycle(blank, cols));
    }
}
