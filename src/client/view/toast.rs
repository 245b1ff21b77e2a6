//! A notification in the upper right corner of the panes.

use super::{overlay, text};
use crate::client::state::{Hit, State};
use crate::config::keymap::Action;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// The widest toast.
const COLS: u16 = 48;
const ROWS: u16 = 4;

/// Draws the toast, if there is one and room for it.
pub fn render(state: &State, panes: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let Some((_, line)) = &state.alerts.toast else { return };
    if panes.rows < ROWS || panes.cols < 16 {
        return;
    }
    let key = state.keymap.keys_of(Action::OpenNotification).into_iter().next();
    let hint =
        key.map_or_else(|| "click goes there".to_owned(), |key| format!("{key} or a click goes there"));
    let wanted = text::width(line).max(text::width(&hint)).saturating_add(4);
    let cols = wanted.min(COLS).min(panes.cols);
    let area = Rect::new(panes.row, panes.right() - cols, Size::new(ROWS, cols));
    overlay::frame(state, area, "", buffer);
    let inside = overlay::inside(area);
    text::put(buffer, inside, inside.row, inside.col, &text::clip(line, inside.cols), state.theme.overlay);
    let hint = text::clip(&hint, inside.cols);
    text::put(buffer, inside, inside.row + 1, inside.col, &hint, state.theme.overlay_muted);
    hits.push((area, Hit::Toast));
}
