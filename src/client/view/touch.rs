//! The menu of narrow screens, on the whole screen.

use super::text;
use crate::client::layers::touch::{Goes, items};
use crate::client::state::{Hit, State, Touch};
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// Rows of a screen on which a line gets two of them.
const ROOMY_ROWS: u16 = 16;
/// Columns of a button.
const BUTTON_COLS: u16 = 7;

/// Rows of one line.
fn line_rows(screen: Size) -> u16 {
    if screen.rows >= ROOMY_ROWS { 2 } else { 1 }
}

/// Lines that the screen shows: all rows but the title's and that of the paging buttons.
pub fn lines(screen: Size) -> usize {
    usize::from(screen.rows.saturating_sub(2) / line_rows(screen)).max(1)
}

/// Draws the menu.
pub fn render(state: &State, menu: &Touch, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let screen = Rect::new(0, 0, state.size);
    text::fill(buffer, screen, theme.overlay);
    hits.push((screen, Hit::Overlay));
    title(state, menu, screen, buffer, hits);
    let (items, shown, height) = (items(menu.group), lines(state.size), line_rows(state.size));
    for (index, (words, goes)) in items.iter().enumerate().skip(menu.top).take(shown) {
        let row = 1 + u16::try_from(index - menu.top).unwrap_or(0) * height;
        let rect = Rect::new(row, 0, Size::new(height, screen.cols));
        let ground = if index == menu.selected { theme.row_selected } else { theme.overlay };
        text::fill(buffer, rect, ground);
        let room = screen.cols.saturating_sub(4);
        text::put(buffer, rect, row, 1, &text::clip(words, room), ground);
        if matches!(goes, Goes::Group(_)) {
            text::put(buffer, rect, row, screen.cols.saturating_sub(2), "›", ground);
        }
        hits.push((rect, Hit::Item(index)));
    }
    let Some(row) = screen.bottom().checked_sub(1) else { return };
    let more = [
        (menu.top > 0, "↑ more", 0, false),
        (menu.top + shown < items.len(), "↓ more", screen.cols / 2, true),
    ];
    for (there, words, col, down) in more {
        if there {
            text::put(buffer, screen, row, col + 1, words, theme.key);
            hits.push((Rect::new(row, col, Size::new(1, screen.cols / 2)), Hit::TouchPage(down)));
        }
    }
}

/// The way back at the left, the way out at the right.
fn title(state: &State, menu: &Touch, screen: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let words = menu.group.map_or_else(|| "Menu".to_owned(), |group| format!("‹ {group}"));
    text::put(buffer, screen, 0, 1, &text::clip(&words, screen.cols.saturating_sub(9)), theme.overlay_border);
    hits.push((Rect::new(0, 0, Size::new(1, screen.cols.saturating_sub(BUTTON_COLS))), Hit::TouchBack));
    let col = screen.cols.saturating_sub(BUTTON_COLS);
    text::put(buffer, screen, 0, col, "× close", theme.key);
    hits.push((Rect::new(0, col, Size::new(1, BUTTON_COLS)), Hit::TouchClose));
}
