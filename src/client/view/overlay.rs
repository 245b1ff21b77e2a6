//! Boxes over the panes: their frame, and the two small ones, a prompt and a question.

use super::text;
use crate::client::screen::ScreenCursor;
use crate::client::state::{Hit, Prompt, Purpose, State};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// The width of the small boxes.
const COLS: u16 = 64;

/// A box of at most `wanted` in the middle of a screen.
pub fn centred(screen: Size, wanted: Size) -> Rect {
    let rows = wanted.rows.min(screen.rows);
    let cols = wanted.cols.min(screen.cols);
    Rect::new((screen.rows - rows) / 2, (screen.cols - cols) / 2, Size::new(rows, cols))
}

/// What a box holds: inside its frame, with a blank column at each side.
pub fn inside(area: Rect) -> Rect {
    let inside = area.inside_frame();
    Rect { col: inside.col.saturating_add(1), cols: inside.cols.saturating_sub(2), ..inside }
}

/// Draws an empty box with a title.
pub fn frame(state: &State, area: Rect, title: &str, buffer: &mut Buffer) {
    let style = state.theme.overlay_border;
    text::fill(buffer, area, state.theme.overlay);
    let (Some(last_row), Some(last_col)) = (area.bottom().checked_sub(1), area.right().checked_sub(1)) else {
        return;
    };
    for col in area.col..=last_col {
        text::put(buffer, area, area.row, col, "─", style);
        text::put(buffer, area, last_row, col, "─", style);
    }
    for row in area.row..=last_row {
        text::put(buffer, area, row, area.col, "│", style);
        text::put(buffer, area, row, last_col, "│", style);
    }
    let corners = [
        (area.row, area.col, "╭"),
        (area.row, last_col, "╮"),
        (last_row, area.col, "╰"),
        (last_row, last_col, "╯"),
    ];
    for (row, col, glyph) in corners {
        text::put(buffer, area, row, col, glyph, style);
    }
    let title = text::clip(title, area.cols.saturating_sub(6));
    text::put(buffer, area, area.row, area.col + 2, &format!(" {title} "), style);
}

/// A button that closes the box on top: on a narrow screen there may be nothing beside it to tap on.
pub fn way_out(state: &State, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let Some((area, _)) = hits.iter().rev().find(|(_, hit)| *hit == Hit::Overlay) else { return };
    let button = Rect::new(area.row, area.right().saturating_sub(5), Size::new(1, 4));
    text::put(buffer, button, button.row, button.col, " × ", state.theme.key);
    hits.push((button, Hit::TouchClose));
}

/// Draws a prompt.
pub fn prompt(state: &State, prompt: &Prompt, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let (title, hint) = match prompt.purpose {
        Purpose::RenameTab(_) => ("Rename tab", "empty gives back its number"),
        Purpose::RenamePane(_) => ("Name pane", "a-z, then a-z 0-9 _ -; empty takes the name away"),
        Purpose::RenameWorkspace(_) => ("Rename workspace", "1 to 40 characters"),
        Purpose::NewWorkspace { .. } => ("Open workspace", "a folder"),
    };
    let area = prompt_area(state.size);
    frame(state, area, title, buffer);
    hits.push((area, Hit::Overlay));
    let inside = inside(area);
    let line = Rect { rows: 1, ..inside };
    text::fill(buffer, line, theme.field);
    let skipped = skipped(prompt, line);
    let shown: String = prompt.field.text().chars().skip(skipped).collect();
    text::put(buffer, line, line.row, line.col, &shown, theme.field);
    let hint = text::clip(&format!("{hint}  ·  Enter accepts, Esc cancels"), inside.cols);
    text::put(buffer, inside, inside.row + 1, inside.col, &hint, theme.overlay_muted);
}

/// The cursor in a prompt.
pub fn prompt_cursor(state: &State, prompt: &Prompt) -> ScreenCursor {
    let line = inside(prompt_area(state.size));
    let hidden: String = prompt.field.text().chars().take(skipped(prompt, line)).collect();
    let col = line.col + prompt.field.cursor_cols().saturating_sub(text::width(&hidden));
    ScreenCursor { row: line.row, col, shape: CursorShape::Bar { blink: false } }
}

/// Characters that have left the line at its left so that the cursor is seen.
fn skipped(prompt: &Prompt, line: Rect) -> usize {
    let mut over = prompt.field.cursor_cols().saturating_sub(line.cols.saturating_sub(1));
    prompt
        .field
        .text()
        .chars()
        .take_while(|char| {
            let out = over > 0;
            over = over.saturating_sub(text::width(char.encode_utf8(&mut [0; 4])).max(1));
            out
        })
        .count()
}

fn prompt_area(screen: Size) -> Rect {
    let area = centred(screen, Size::new(4, COLS));
    // In the upper third, where the eye is.
    Rect { row: area.row / 2, ..area }
}

/// Draws a question of the server's.
pub fn confirm(state: &State, question: &str, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let cols = COLS.min(state.size.cols);
    let lines = wrap(question, usize::from(cols.saturating_sub(4).max(1)));
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(4);
    let area = centred(state.size, Size::new(rows, cols));
    frame(state, area, "Please confirm", buffer);
    hits.push((area, Hit::Overlay));
    let inside = inside(area);
    for (row, line) in (inside.row..inside.bottom()).zip(&lines) {
        text::put(buffer, inside, row, inside.col, line, theme.overlay);
    }
    let Some(row) = inside.bottom().checked_sub(1) else { return };
    let mut col = inside.col;
    for (key, word, hit) in [("y", "yes", Hit::Yes), ("n", "no", Hit::No)] {
        let start = col;
        col = text::put(buffer, inside, row, col, &format!("[{key}]"), theme.key);
        col = text::put(buffer, inside, row, col + 1, word, theme.overlay);
        hits.push((Rect::new(row, start, Size::new(1, col - start)), hit));
        col += 3;
    }
}

/// Breaks a text at blanks into lines of at most `cols` columns; a longer word is cut.
fn wrap(text: &str, cols: usize) -> Vec<String> {
    let limit = u16::try_from(cols).unwrap_or(u16::MAX);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word = text::clip(word, limit);
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(&word);
        } else if text::width(line) + 1 + text::width(&word) <= limit {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}
