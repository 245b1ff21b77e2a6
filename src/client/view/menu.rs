//! A context menu beside the pointer.

use super::{overlay, text};
use crate::client::state::{Hit, Menu, State};
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// Draws a menu.
pub fn render(state: &State, menu: &Menu, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state, menu);
    overlay::frame(state, area, &menu.title, buffer);
    hits.push((area, Hit::Overlay));
    let inside = area.inside_frame();
    for (index, (row, item)) in (inside.row..inside.bottom()).zip(&menu.items).enumerate() {
        let line = Rect { row, rows: 1, ..inside };
        let selected = index == menu.selected;
        let ground = if selected { theme.row_selected } else { theme.overlay };
        text::fill(buffer, line, ground);
        text::put(buffer, line, row, line.col + 1, item.text, ground);
        let keys = if selected { ground } else { theme.key };
        let col = line.right().saturating_sub(1 + text::width(&item.keys));
        text::put(buffer, line, row, col, &item.keys, keys);
        hits.push((line, Hit::Item(index)));
    }
}

/// Beside the pointer, and wholly on the screen.
fn area(state: &State, menu: &Menu) -> Rect {
    let line = |text: &str, keys: &str| text::width(text).saturating_add(text::width(keys));
    let widest = menu.items.iter().map(|item| line(item.text, &item.keys)).max().unwrap_or(0);
    let cols = widest.max(text::width(&menu.title).min(24)).saturating_add(7).min(state.size.cols);
    let rows = u16::try_from(menu.items.len()).unwrap_or(u16::MAX).saturating_add(2).min(state.size.rows);
    let row = menu.at.0.min(state.size.rows - rows);
    let col = menu.at.1.min(state.size.cols - cols);
    Rect::new(row, col, Size::new(rows, cols))
}
