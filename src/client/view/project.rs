//! The question whether a project's layout is made.

use super::{overlay, text};
use crate::client::state::{Hit, Offered, State};
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

/// The width of the box.
const COLS: u16 = 76;
/// Its frame, what stands above the lines, and the answers below with a blank row.
const OTHER_ROWS: u16 = 2 + 3 + 3;

/// Rows for lines.
pub fn rows(state: &State, offered: &Offered) -> usize {
    usize::from(area(state, offered).rows.saturating_sub(OTHER_ROWS)).max(1)
}

/// The largest first line that still fills the box.
pub fn last_top(state: &State, offered: &Offered) -> usize {
    offered.offer.lines.len().saturating_sub(rows(state, offered))
}

fn area(state: &State, offered: &Offered) -> Rect {
    let lines = u16::try_from(offered.offer.lines.len()).unwrap_or(u16::MAX);
    overlay::centred(state.size, Size::new(lines.saturating_add(OTHER_ROWS), COLS))
}

/// Draws it.
pub fn render(state: &State, offered: &Offered, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state, offered);
    overlay::frame(state, area, "Set up this project?", buffer);
    hits.push((area, Hit::Overlay));
    let inside = overlay::inside(area);
    let folder = text::clip_start(&state.short_path(&offered.offer.folder), inside.cols);
    text::put(buffer, inside, inside.row, inside.col, &folder, theme.overlay.add_modifier(Modifier::BOLD));
    let told = if offered.offer.changed {
        "Its .luvus.toml has changed since you said yes. Now it opens:"
    } else {
        "Its .luvus.toml opens these tabs and runs these commands:"
    };
    text::put(
        buffer,
        inside,
        inside.row + 1,
        inside.col,
        &text::clip(told, inside.cols),
        theme.overlay_muted,
    );
    let shown = rows(state, offered);
    let top = offered.top.min(last_top(state, offered));
    let lines = offered.offer.lines.iter().skip(top).take(shown);
    for (row, line) in (inside.row + 3..inside.bottom()).zip(lines) {
        let style = if line.starts_with(' ') { theme.overlay } else { theme.overlay_muted };
        text::put(buffer, inside, row, inside.col, &text::clip(line, inside.cols), style);
    }
    let left = offered.offer.lines.len().saturating_sub(top + shown);
    let answers = inside.bottom().saturating_sub(1);
    let hint = if left > 0 {
        format!("↓ {left} more line{}", if left == 1 { "" } else { "s" })
    } else {
        "↓ and Enter set it up · Esc not now".to_owned()
    };
    let row = answers.saturating_sub(1);
    text::put(buffer, inside, row, inside.col, &text::clip(&hint, inside.cols), theme.overlay_muted);
    let mut col = inside.col;
    for (word, chosen, hit) in [(" Not now ", !offered.yes, Hit::No), (" Set it up ", offered.yes, Hit::Yes)]
    {
        let style = if chosen { theme.tab_active } else { theme.overlay_muted };
        let end = text::put(buffer, inside, answers, col, word, style);
        hits.push((Rect::new(answers, col, Size::new(1, end.saturating_sub(col))), hit));
        col = end + 1;
    }
}
