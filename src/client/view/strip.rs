//! The prompt strip at the bottom of the screen: whom the line is for, the line, and a list to pick from.

use super::{overlay, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Hit, State, Strip, Targets, pane_name};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// Rows of panes to pick from.
const LIST: u16 = 8;

/// Draws the strip.
pub fn render(state: &State, strip: &Strip, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state, strip);
    overlay::frame(state, area, "Send to panes", buffer);
    hits.push((area, Hit::Overlay));
    let inside = overlay::inside(area);
    let Some(line) = inside.bottom().checked_sub(1) else { return };
    let panes = strip.panes(state);
    let names: Vec<String> = state
        .scene()
        .map(|scene| panes.iter().filter_map(|pane| scene.pane(*pane)).map(pane_name).collect())
        .unwrap_or_default();
    let whom = match names.as_slice() {
        [] => format!("to {}: nobody", strip.targets.words()),
        names => format!("to {}: {}", strip.targets.words(), names.join(", ")),
    };
    let keys =
        if strip.targets == Targets::Picked { "ctrl+t picks · Tab other panes" } else { "Tab other panes" };
    if let Some(row) = line.checked_sub(1).filter(|row| *row >= inside.row) {
        let end = inside.right().saturating_sub(text::width(keys));
        let room = end.saturating_sub(inside.col + 2);
        text::put(buffer, inside, row, inside.col, &text::clip(&whom, room), theme.key);
        text::put(buffer, inside, row, end.max(inside.col), keys, theme.overlay_muted);
    }
    let list = Rect { rows: inside.rows.saturating_sub(2), ..inside };
    pick(state, strip, list, buffer);
    let col = text::put(buffer, inside, line, inside.col, "› ", theme.key);
    text::put(buffer, inside, line, col, strip.field.text(), theme.overlay);
}

fn pick(state: &State, strip: &Strip, list: Rect, buffer: &mut Buffer) {
    let Some(scene) = state.scene().filter(|_| strip.targets == Targets::Picked) else { return };
    let first = strip.at.saturating_sub(usize::from(list.rows).saturating_sub(1));
    for (row, (index, pane)) in (list.row..list.bottom()).zip(scene.panes.iter().enumerate().skip(first)) {
        let ground = if index == strip.at { state.theme.row_selected } else { state.theme.overlay };
        let line = Rect { row, rows: 1, ..list };
        text::fill(buffer, line, ground);
        let mark = if strip.picked.contains(&pane.id) { "[x]" } else { "[ ]" };
        text::put(buffer, line, row, line.col, &format!("{mark} {}", pane_name(pane)), ground);
    }
}

/// The cursor in the line.
pub fn cursor(state: &State, strip: &Strip) -> Option<ScreenCursor> {
    let inside = overlay::inside(area(state, strip));
    let col = inside.col.saturating_add(2).saturating_add(strip.field.cursor_cols());
    let col = col.min(inside.right().checked_sub(1)?);
    Some(ScreenCursor { row: inside.bottom().checked_sub(1)?, col, shape: CursorShape::Bar { blink: false } })
}

/// Above the status bar, as wide as the screen.
fn area(state: &State, strip: &Strip) -> Rect {
    let panes = state.scene().map_or(0, |scene| scene.panes.len());
    let list =
        if strip.targets == Targets::Picked { u16::try_from(panes).unwrap_or(LIST).min(LIST) } else { 0 };
    let rows = (4 + list).min(state.size.rows.saturating_sub(1));
    let row = state.size.rows.saturating_sub(1 + rows);
    Rect::new(row, 0, Size::new(rows, state.size.cols))
}
