//! The finder: the query, the scopes, what was found, and what the keys do.

use super::{overlay, picker, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Choice, Finder, FinderEntry, Hit, Match, Row, Scope, State};
use crate::config::keymap::Action;
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// The widest box, and its most rows.
const COLS: u16 = 100;
const ROWS: u16 = 28;

/// Draws the finder.
pub fn render(state: &State, finder: &Finder, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state);
    overlay::frame(state, area, "Find", buffer);
    hits.push((area, Hit::Overlay));
    let inside = overlay::inside(area);
    let col = text::put(buffer, inside, inside.row, inside.col, "› ", theme.key);
    let (words, style) = match finder.query.text() {
        "" => ("type to find places, files and output", theme.overlay_muted),
        query => (query, theme.overlay),
    };
    text::put(buffer, inside, inside.row, col, words, style);
    scopes(state, finder, inside, buffer);
    let list = Rect { row: inside.row + 2, rows: inside.rows.saturating_sub(3), ..inside };
    let first = finder.selected.saturating_sub(usize::from(list.rows).saturating_sub(1));
    let shown = finder.entries.iter().enumerate().skip(first);
    for (row, (index, entry)) in (list.row..list.bottom()).zip(shown) {
        let line = Rect { row, rows: 1, col: list.col - 1, cols: list.cols + 2 };
        let (entry, found) = as_row(state, entry);
        picker::draw(state, line, &entry, &found, index == finder.selected, buffer);
        hits.push((line, Hit::Match(index)));
    }
    footer(state, finder, inside, buffer);
}

/// The cursor in the query.
pub fn cursor(state: &State, finder: &Finder) -> Option<ScreenCursor> {
    let inside = overlay::inside(area(state));
    let col = inside.col.saturating_add(2).saturating_add(finder.query.cursor_cols());
    let col = col.min(inside.right().checked_sub(1)?);
    Some(ScreenCursor { row: inside.row, col, shape: CursorShape::Bar { blink: false } })
}

fn area(state: &State) -> Rect {
    let rows = state.size.rows.saturating_sub(2).clamp(1, ROWS);
    overlay::centred(state.size, Size::new(rows, COLS))
}

fn scopes(state: &State, finder: &Finder, inside: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let row = inside.row + 1;
    let mut col = inside.col;
    for scope in Scope::ALL {
        let style = if scope == finder.scope { theme.row_selected } else { theme.overlay_muted };
        col = text::put(buffer, inside, row, col, &format!(" {} ", scope.title()), style) + 1;
    }
    let case = if finder.sensitive { "Aa ≠ aa  ctrl+i alt+c" } else { "Aa = aa  ctrl+i alt+c" };
    let at = inside.right().saturating_sub(text::width(case)).max(col);
    text::put(buffer, inside, row, at, case, theme.overlay_muted);
}

/// An entry as the lists draw one.
fn as_row(state: &State, entry: &FinderEntry) -> (Row, Match) {
    let none = Match { row: 0, chars: Vec::new() };
    // What it leads to is not drawn.
    let choice = Choice::Action(Action::Finder);
    match entry {
        FinderEntry::Place(row, found) => ((**row).clone(), found.clone()),
        FinderEntry::File(path) => {
            let (text, right) = (path.clone(), "file".to_owned());
            (Row { text, detail: String::new(), right, choice }, none)
        }
        FinderEntry::Line(pane, _, line) => {
            let pane = state.scene().and_then(|scene| scene.pane(*pane));
            let right = pane.map_or_else(|| "gone".to_owned(), crate::client::state::pane_name);
            (Row { text: line.clone(), detail: String::new(), right, choice }, none)
        }
    }
}

fn footer(state: &State, finder: &Finder, inside: Rect, buffer: &mut Buffer) {
    let Some(row) = inside.bottom().checked_sub(1).filter(|row| *row > inside.row + 1) else { return };
    let keys = match finder.entry() {
        Some(FinderEntry::File(_)) => "Enter opens it in $EDITOR  ·  ctrl+y pastes its path",
        Some(FinderEntry::Line(..)) => "Enter shows the line",
        Some(FinderEntry::Place(..)) => "Enter goes there",
        None => "Esc closes",
    };
    let found = match (finder.end, finder.entries.len()) {
        (None, _) => "looking…".to_owned(),
        (Some(_), 0) => "nothing found".to_owned(),
        (Some(true), count) => format!("{count}, more left out"),
        (Some(false), count) => count.to_string(),
    };
    let close = if finder.entry().is_some() { "  ·  Esc closes" } else { "" };
    let line = format!("{found}  ·  {keys}  ·  Tab scope{close}");
    text::put(buffer, inside, row, inside.col, &text::clip(&line, inside.cols), state.theme.overlay_muted);
}
