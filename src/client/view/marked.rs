//! What is marked in a pane's text: the selection, and the match of a search.

use crate::client::state::{Selection, State};
use crate::protocol::frame::{Frame, Run};
use crate::protocol::ids::PaneId;
use crate::protocol::text::{Shape, Spot};
use ratatui::buffer::Cell;
use ratatui::style::Style;
use std::ops::RangeInclusive;

/// Marks what lies on a row of a picture; the first of the cells is the row's column `skip`.
pub fn paint(state: &State, pane: PaneId, frame: &Frame, index: u16, skip: u16, cells: &mut [Cell]) {
    let row = frame.first.saturating_add(index.into());
    let find = state.find.as_ref().filter(|find| find.pane == pane);
    if let Some(find) = find {
        for columns in matches(frame, find.query.text(), row) {
            mark(Some(columns), state.theme.found_other, skip, cells);
        }
    }
    if let Some((first, last)) = find.and_then(|find| find.at) {
        let found = Selection { pane, from: first, to: last, shape: Shape::Characters };
        mark(columns(frame, found, row), state.theme.found, skip, cells);
    }
    if let Some(selection) = state.selected(pane) {
        mark(columns(frame, selection, row), state.theme.selection, skip, cells);
    }
}

/// The columns of a row that matches of a text cover, as the search finds them: over soft-wrapped rows too, and
/// capitals count where the text has one.
fn matches(frame: &Frame, query: &str, row: u64) -> Vec<RangeInclusive<u16>> {
    let sensitive = query.chars().any(char::is_uppercase);
    let fold = |char: char| if sensitive { char } else { char.to_lowercase().next().unwrap_or(char) };
    let wanted: Vec<char> = query.chars().map(fold).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut line: Vec<(char, u64, RangeInclusive<u16>)> = Vec::new();
    for number in line_start(frame, row)..=line_end(frame, row) {
        let index = number.checked_sub(frame.first).and_then(|index| usize::try_from(index).ok());
        let Some(found) = index.and_then(|index| frame.rows.get(index)) else { continue };
        let mut col = 0_u16;
        for (symbol, width) in found.runs.iter().flat_map(Run::cells) {
            let last = col.saturating_add(width.saturating_sub(1));
            line.extend(symbol.chars().map(|char| (fold(char), number, col..=last)));
            col = last.saturating_add(1);
        }
    }
    let mut columns = Vec::new();
    let mut at = 0;
    while let Some(candidate) = line.get(at..at + wanted.len()) {
        if candidate.iter().map(|(char, ..)| char).eq(&wanted) {
            let mut own = candidate.iter().filter(|(_, number, _)| *number == row);
            let (first, last) = (own.clone().next(), own.next_back());
            if let (Some((.., first)), Some((.., last))) = (first, last) {
                columns.push(*first.start()..=*last.end());
            }
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    columns
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::scenes::frame;
    use crate::protocol::geometry::Size;
    use std::sync::Arc;

    #[test]
    fn every_match_on_a_row_is_found_over_wrapped_rows_too() {
        let mut frame = frame(1, Size::new(3, 6), &["Ab abx", "yab", "none"]);
        frame.first = 40;
        let on = |frame: &Frame, query: &str, row| matches(frame, query, row);
        assert_eq!(on(&frame, "ab", 40), [0..=1, 3..=4]);
        assert_eq!(on(&frame, "Ab", 40), vec![0..=1]);
        assert_eq!(on(&frame, "xy", 40), []);
        let wrapped = crate::protocol::frame::Row { wrapped: true, ..(*frame.rows[0]).clone() };
        frame.rows[0] = Arc::new(wrapped);
        assert_eq!((on(&frame, "xya", 40), on(&frame, "xya", 41)), (vec![5..=5], vec![0..=1]));
        assert_eq!(on(&frame, "", 40), []);
        assert_eq!(on(&frame, "longer than the line", 41), []);
    }
}
