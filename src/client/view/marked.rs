//! What is marked in a pane's text: the selection, and the match of a search.

use crate::client::state::{Selection, State};
use crate::protocol::frame::Frame;
use crate::protocol::ids::PaneId;
use crate::protocol::text::{Shape, Spot};
use ratatui::buffer::Cell;
use ratatui::style::Style;
use std::ops::RangeInclusive;

/// Marks what lies on a row of a picture; the first of the cells is the row's column `skip`.
pub fn paint(state: &State, pane: PaneId, frame: &Frame, index: u16, skip: u16, cells: &mut [Cell]) {
    let row = frame.first.saturating_add(index.into());
    if let Some((first, last)) = state.find.as_ref().filter(|find| find.pane == pane).and_then(|find| find.at)
    {
        let found = Selection { pane, from: first, to: last, shape: Shape::Characters };
        mark(columns(frame, found, row), state.theme.found, skip, cells);
    }
    if let Some(selection) = state.selected(pane) {
        mark(columns(frame, selection, row), state.theme.selection, skip, cells);
    }
}

/// The columns of a row that a selection covers.
fn columns(frame: &Frame, selection: Selection, row: u64) -> Option<RangeInclusive<u16>> {
    let Selection { from, to, shape, .. } = selection;
    let (mut first, mut last) = if from <= to { (from, to) } else { (to, from) };
    if shape == Shape::Lines {
        first = Spot { row: line_start(frame, first.row), col: 0 };
        last = Spot { row: line_end(frame, last.row), col: u16::MAX };
    }
    if !(first.row..=last.row).contains(&row) {
        return None;
    }
    Some(match shape {
        Shape::Block => from.col.min(to.col)..=from.col.max(to.col),
        Shape::Characters | Shape::Lines => {
            let start = if row == first.row { first.col } else { 0 };
            start..=(if row == last.row { last.col } else { u16::MAX })
        }
    })
}

/// The first row of a line, as far as it is in the picture.
fn line_start(frame: &Frame, mut row: u64) -> u64 {
    while row > frame.first && wrapped(frame, row - 1) {
        row -= 1;
    }
    row
}

/// The last row of a line, as far as it is in the picture.
fn line_end(frame: &Frame, mut row: u64) -> u64 {
    while wrapped(frame, row) {
        row += 1;
    }
    row
}

fn wrapped(frame: &Frame, row: u64) -> bool {
    let index = row.checked_sub(frame.first).and_then(|index| usize::try_from(index).ok());
    index.and_then(|index| frame.rows.get(index)).is_some_and(|row| row.wrapped)
}

/// Lays a style over columns; a wide character has it whole.
fn mark(columns: Option<RangeInclusive<u16>>, style: Style, skip: u16, cells: &mut [Cell]) {
    let Some(columns) = columns else { return };
    let second_half = |cells: &[Cell], at: usize| cells.get(at).is_some_and(|cell| cell.symbol().is_empty());
    let mut start = usize::from(columns.start().saturating_sub(skip));
    let Some(last) = columns.end().checked_sub(skip) else { return };
    let mut end = (usize::from(last) + 1).min(cells.len());
    if start > 0 && second_half(cells, start) {
        start -= 1;
    }
    if second_half(cells, end) {
        end += 1;
    }
    for cell in cells.iter_mut().take(end).skip(start) {
        cell.set_style(style);
    }
}
