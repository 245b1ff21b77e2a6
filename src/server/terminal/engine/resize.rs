//! A change of size: the primary screen is wrapped anew by logical lines, together with the lines that go
//! on in the history; the alternate screen is clipped or padded.
//!
//! Invariants: no text is lost that fits the history's budget; the cursor stays in its logical line.

use super::cell::Cell;
use super::grid::Grid;
use super::paint::Painter;
use super::prompts::{Prompt, RowMark};
use super::row::Row;
use super::tables::Tables;
use super::terminal::{ALTERNATE, Margins, PRIMARY, Place, Terminal};
use super::width;
use crate::protocol::geometry::Size;
use crate::protocol::style::Style;
use std::collections::VecDeque;

impl Terminal {
    pub(super) fn resize(&mut self, size: Size) {
        let before = std::mem::replace(&mut self.size, size);
        let primary = self.is_primary();
        let mut place = if primary { self.place } else { self.saved[PRIMARY].place };
        self.resize_primary(before, &mut place);
        let mut alternate = if primary { self.saved[ALTERNATE].place } else { self.place };
        clip(&mut self.grids[ALTERNATE], size, before, &mut alternate);
        for (saved, place) in self.saved.iter_mut().zip([place, alternate]) {
            saved.place = within(saved.place, size);
            if !primary {
                saved.place = place;
            }
        }
        self.place = within(if primary { place } else { alternate }, size);
        self.margins = Margins::whole(size);
        self.painter = Painter::new(size);
        self.changed = true;
        self.tell_size();
        // A picture of the old size is of no use.
        self.modes.synchronized = false;
        self.end_update();
    }

    fn resize_primary(&mut self, before: Size, place: &mut Place) {
        let (rows, cols) = (usize::from(self.size.rows), usize::from(self.size.cols));
        let mut screen = self.grids[PRIMARY].take_rows();
        // Blank rows under the text and the cursor come again if there is room.
        let used = |row: &Row| row.cells().iter().any(|cell| *cell != Cell::default());
        let mut kept = screen.iter().rposition(used).map_or(0, |last| last + 1);
        kept = kept.max(usize::from(place.row) + 1);
        // Room that was there before stays: a screen that was cleared does not fill up with what had gone.
        let full = kept >= usize::from(before.rows);
        screen.truncate(kept);
        if self.size.cols != before.cols {
            // The first line may begin in the history.
            while self.history.goes_on() {
                match self.pull(before.cols) {
                    Some(row) => screen.push_front(row),
                    None => break,
                }
                place.row = place.row.saturating_add(1);
            }
            self.history.set_width(cols);
            screen = rewrap(&screen, cols, place);
        }
        let mut row = usize::from(place.row);
        while screen.len() > rows {
            if let Some(top) = screen.pop_front() {
                self.history.push_primary(&top, &self.tables);
            }
            row = row.saturating_sub(1);
        }
        while full && screen.len() < rows {
            let Some(pulled) = self.pull(self.size.cols) else { break };
            screen.push_front(pulled);
            row += 1;
        }
        screen.resize_with(rows, Row::default);
        place.row = u16::try_from(row).unwrap_or(u16::MAX).min(self.size.rows - 1);
        *place = within(*place, self.size);
        self.grids[PRIMARY].set_rows(screen);
    }

    /// The newest row of the history, which is wrapped at `cols` columns.
    fn pull(&mut self, cols: u16) -> Option<Row> {
        let no_room = cols < 2;
        let mut cells = Vec::new();
        let tables = &mut self.tables;
        let (wrapped, mark) = self.history.pop_primary(|text, wide, style| {
            let (text, wide) = if wide && no_room { ("\u{fffd}", false) } else { (text, wide) };
            push_cell(&mut cells, tables, text, wide, style);
        })?;
        if wrapped && cells.len() + 1 == usize::from(cols) {
            cells.push(Cell::gap());
        }
        let mut row = Row::default();
        row.fill(&cells, wrapped);
        row.set_mark(mark);
        self.make_room();
        Some(row)
    }
}

fn push_cell(cells: &mut Vec<Cell>, tables: &mut Tables, text: &str, wide: bool, style: Style) {
    let style = tables.style_number(style);
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    let cell = if chars.next().is_some() || (width::char_width(first) == 2) != wide {
        Cell::blank(style).with_cluster(tables.cluster_number(text))
    } else {
        Cell::narrow(u32::from(first), 0, style)
    };
    cells.push(cell.with_width(wide));
    if wide {
        cells.push(cell.spacer());
    }
}

/// Wraps rows at another width; the cursor stays on its cell.
fn rewrap(rows: &VecDeque<Row>, cols: usize, place: &mut Place) -> VecDeque<Row> {
    let mut wrapped = VecDeque::new();
    let mut line: Vec<Cell> = Vec::new();
    // Where in its line the cursor is.
    let mut cursor = None;
    // Where in its line something begins.
    let mut marks: Vec<(usize, RowMark)> = Vec::new();
    let (row, col) = (usize::from(place.row), usize::from(place.col));
    for (number, source) in rows.iter().enumerate() {
        let start = line.len();
        let cells = source.cells();
        // In the last column it is no part of the line; one that was moved from there is a blank.
        let cells = cells.split_last().filter(|(last, _)| last.is_gap()).map_or(cells, |(_, before)| before);
        line.extend(cells.iter().map(|cell| if cell.is_gap() { Cell::default() } else { *cell }));
        if source.mark().is_some() {
            marks.push((start, source.mark()));
        }
        if number == row {
            cursor = Some(start + col + usize::from(place.pending));
        }
        if source.wrapped() && number + 1 < rows.len() {
            continue;
        }
        if !source.wrapped() {
            let is_bare = |cell: &Cell| *cell == Cell::default();
            let end = line.iter().rposition(|cell| !is_bare(cell)).map_or(0, |at| at + 1);
            line.truncate(end);
        }
        let first = wrapped.len();
        let at = wrap_line(&line, cols, source.wrapped(), cursor.take(), &mut wrapped);
        if let Some((row, col)) = at {
            place.row = u16::try_from(first + row).unwrap_or(u16::MAX);
            place.pending = col >= cols;
            place.col = u16::try_from(col.min(cols - 1)).unwrap_or(u16::MAX);
        }
        for (start, mark) in marks.drain(..) {
            keep_mark(wrapped.range_mut(first..), start, mark, cols);
        }
        line.clear();
    }
    wrapped
}

/// Keeps the mark of a row that began at the cell `start` of its line with the rows of that line.
fn keep_mark<'a>(mut rows: impl Iterator<Item = &'a mut Row>, start: usize, mark: RowMark, cols: usize) {
    // Marks are few: a line is gone through once for each.
    let at = |col: u16| start + usize::from(col);
    let mut wanted = [mark.prompt.map(|prompt| at(prompt.col)), mark.output.map(at)];
    let mut next = rows.next();
    while let Some(row) = next {
        next = rows.next();
        let cells = row.cells().iter().filter(|cell| !cell.is_gap()).count();
        let mut kept = row.mark();
        for (index, left) in wanted.iter_mut().enumerate() {
            match left {
                Some(offset) if *offset < cells || next.is_none() => {
                    let col = u16::try_from((*offset).min(cols)).unwrap_or(u16::MAX);
                    if index == 0 {
                        kept.prompt = mark.prompt.map(|prompt| Prompt { col, ..prompt });
                    } else {
                        kept.output = Some(col);
                    }
                    *left = None;
                }
                Some(offset) => *offset -= cells,
                None => {}
            }
        }
        row.set_mark(kept);
    }
}

/// Wraps one line; returns row and column of the cursor, which was on the line's cell `cursor`. `goes_on`
/// says that its end is not known yet.
fn wrap_line(
    line: &[Cell],
    cols: usize,
    goes_on: bool,
    cursor: Option<usize>,
    rows: &mut VecDeque<Row>,
) -> Option<(usize, usize)> {
    let mut at = None;
    let mut start = 0;
    let mut count = 0;
    loop {
        let mut end = (start + cols).min(line.len());
        let mut cells = line[start..end].to_vec();
        // A wide character is not cut in two.
        let cut = line.get(end).is_some_and(|cell| cell.is_spacer());
        if cut && end - start > 1 {
            end -= 1;
            cells.pop();
            cells.push(Cell::gap());
        } else if cut {
            // There is no room for it at all.
            cells = vec![Cell::narrow(u32::from(char::REPLACEMENT_CHARACTER), 0, line[start].style)];
            end += 1;
        }
        let last = end >= line.len();
        if let Some(cursor) = cursor
            && cursor >= start
            && (cursor < end || last)
        {
            at = Some((count, cursor - start));
        }
        let mut row = Row::default();
        row.fill(&cells, !last || goes_on);
        rows.push_back(row);
        count += 1;
        start = end;
        if last {
            break;
        }
    }
    // A cursor past the text may be past the last column: it goes on below, on rows of its own. The blanks
    // before it are part of its line from now on, since a row that goes on, now or with the next character,
    // is full.
    if let Some((row, col)) = at
        && col >= cols
    {
        let more = (col - 1) / cols;
        fill_up(rows, cols, goes_on || more > 0);
        for place in 1..=more {
            rows.push_back(Row::default());
            if place < more || col % cols == 0 {
                fill_up(rows, cols, place < more);
            }
        }
        at = Some((row + more, (col - 1) % cols + 1));
    }
    at
}

/// Makes the last row as long as it can be.
fn fill_up(rows: &mut VecDeque<Row>, cols: usize, wrapped: bool) {
    if let Some(last) = rows.back_mut() {
        let mut cells = last.cells().to_vec();
        cells.resize(cols, Cell::default());
        last.fill(&cells, wrapped);
    }
}

/// Clips or pads a screen; the cursor stays on it, with the rows above it if there is room.
fn clip(grid: &mut Grid, size: Size, before: Size, place: &mut Place) {
    let mut rows = grid.take_rows();
    let too_many = rows.len().saturating_sub(usize::from(size.rows));
    let below = usize::from(before.rows.saturating_sub(place.row.saturating_add(1)));
    let above = too_many.saturating_sub(below);
    rows.drain(..above.min(rows.len()));
    rows.resize_with(usize::from(size.rows), Row::default);
    if size.cols != before.cols {
        rows.iter_mut().for_each(|row| row.clip(usize::from(size.cols)));
    }
    place.row = place.row.saturating_sub(u16::try_from(above).unwrap_or(u16::MAX));
    *place = within(*place, size);
    grid.set_rows(rows);
}

/// The nearest place on a screen of this size.
fn within(place: Place, size: Size) -> Place {
    let col = place.col.min(size.cols - 1);
    Place { row: place.row.min(size.rows - 1), col, pending: place.pending && col + 1 == size.cols }
}
