//! A list to choose from, in the upper part of the screen: the query, what matches, and how many.

use super::{overlay, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Hit, Match, Picker, Row, Source, State};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

/// The widest box.
const COLS: u16 = 84;
/// The most rows of a box, frame and query included.
const ROWS: u16 = 22;
/// Rows of the box that are no matches: frame, query, rule and footer.
const CHROME: u16 = 5;

/// Draws a list.
pub fn render(state: &State, picker: &Picker, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state, picker);
    overlay::frame(state, area, title(picker.source), buffer);
    hits.push((area, Hit::Overlay));
    let inside = overlay::inside(area);
    let col = text::put(buffer, inside, inside.row, inside.col, "› ", theme.key);
    if picker.query.text().is_empty() {
        let words = match picker.source {
            Source::Sessions => "type to search, or the name of a new session",
            _ => "type to search",
        };
        text::put(buffer, inside, inside.row, col, words, theme.overlay_muted);
    } else {
        text::put(buffer, inside, inside.row, col, picker.query.text(), theme.overlay);
    }
    let rule = "─".repeat(usize::from(inside.cols));
    text::put(buffer, inside, inside.row + 1, inside.col, &rule, theme.overlay_muted);
    let list = Rect { row: inside.row + 2, rows: inside.rows.saturating_sub(3), ..inside };
    let first = first(picker, list.rows);
    let shown = picker.matches.iter().enumerate().skip(first);
    for (row, (index, found)) in (list.row..list.bottom()).zip(shown) {
        let Some(entry) = picker.rows.get(found.row) else { continue };
        let line = Rect { row, rows: 1, col: list.col - 1, cols: list.cols + 2 };
        draw(state, line, entry, found, index == picker.selected, buffer);
        hits.push((line, Hit::Match(index)));
    }
    footer(state, picker, inside, buffer);
}

/// The cursor in the query.
pub fn cursor(state: &State, picker: &Picker) -> Option<ScreenCursor> {
    let inside = overlay::inside(area(state, picker));
    let col = inside.col.saturating_add(2).saturating_add(picker.query.cursor_cols());
    let inside_col = col.min(inside.right().checked_sub(1)?);
    Some(ScreenCursor { row: inside.row, col: inside_col, shape: CursorShape::Bar { blink: false } })
}

fn title(source: Source) -> &'static str {
    match source {
        Source::Commands => "Commands",
        Source::Jump => "Jump to",
        Source::Sessions => "Sessions",
        Source::Notifications => "Notifications",
        Source::Report => "Not as it was",
        Source::MoveTo => "Move the pane to",
    }
}

/// The box keeps its height while the query narrows the list.
fn area(state: &State, picker: &Picker) -> Rect {
    let wanted = u16::try_from(picker.rows.len()).unwrap_or(ROWS).saturating_add(CHROME);
    let area = overlay::centred(state.size, Size::new(wanted.clamp(CHROME + 3, ROWS), COLS));
    Rect { row: area.row / 2, ..area }
}

/// The first match shown, so that the selected one is seen.
fn first(picker: &Picker, rows: u16) -> usize {
    picker.selected.saturating_sub(usize::from(rows).saturating_sub(1))
}

pub fn draw(state: &State, line: Rect, entry: &Row, found: &Match, selected: bool, buffer: &mut Buffer) {
    let theme = &state.theme;
    let ground = if selected { theme.row_selected } else { theme.overlay };
    text::fill(buffer, line, ground);
    let (start, end) = (line.col + 1, line.right() - 1);
    let right = text::clip(&entry.right, line.cols / 3);
    let right_col = end.saturating_sub(text::width(&right));
    let room = right_col.saturating_sub(start).saturating_sub(1);
    let name = text::clip(&entry.text, room);
    let mut col = start;
    for (index, char) in name.chars().enumerate() {
        let hit = u32::try_from(index).is_ok_and(|index| found.chars.binary_search(&index).is_ok());
        let style = if hit { ground.patch(theme.accent).add_modifier(Modifier::BOLD) } else { ground };
        col = text::put(buffer, line, line.row, col, char.encode_utf8(&mut [0; 4]), style);
    }
    let muted = if selected { ground } else { theme.overlay_muted };
    let left = right_col.saturating_sub(col).saturating_sub(3);
    if left > 4 && !entry.detail.is_empty() {
        let detail = text::clip(&state.short_path(&entry.detail), left);
        text::put(buffer, line, line.row, col + 2, &detail, muted);
    }
    let style = if selected { ground } else { theme.key };
    text::put(buffer, line, line.row, right_col, &right, style);
}

fn footer(state: &State, picker: &Picker, inside: Rect, buffer: &mut Buffer) {
    let Some(row) = inside.bottom().checked_sub(1) else { return };
    let (found, all) = (picker.matches.len(), picker.rows.len());
    let line = match picker.source {
        Source::Sessions if all == 0 => "looking for sessions…".to_owned(),
        Source::Sessions if found == 0 => "Enter makes this session  ·  Esc clears".to_owned(),
        Source::Sessions => "Enter goes there  ·  ctrl+x ends it  ·  ctrl+d deletes a stopped one".to_owned(),
        Source::Notifications if all == 0 => "nothing was told yet  ·  Esc closes".to_owned(),
        Source::Report if all == 0 => "looking at the report…".to_owned(),
        Source::Report if found > 0 => "Enter tries a pane again  ·  Esc closes".to_owned(),
        _ if found == 0 => "nothing found  ·  Esc clears".to_owned(),
        _ => format!("{found} of {all}  ·  ↑ ↓ choose  ·  Enter accepts  ·  Esc closes"),
    };
    let line = text::clip(&line, inside.cols);
    text::put(buffer, inside, row, inside.col, &line, state.theme.overlay_muted);
}
