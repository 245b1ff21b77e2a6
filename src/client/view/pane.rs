//! A pane's terminal on the screen.

use super::{marked, text};
use crate::client::areas::Visible;
use crate::client::copy::all_rows;
use crate::client::sgr::{self, ShownLink};
use crate::client::state::{Copy, State};
use crate::protocol::frame::{Frame, Row};
use crate::protocol::geometry::Rect;
use crate::protocol::ids::PaneId;
use crate::protocol::scene::Place;
use crate::protocol::style::{Attrs, Color, Style};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style as outer;

/// Draws the whole pane.
pub fn render(state: &State, place: &Place, visible: Visible, buffer: &mut Buffer) {
    for index in 0..visible.rect.rows {
        render_row(state, place, visible, index, buffer);
    }
}

/// Draws the given rows of a pane; returns what was drawn.
pub fn render_rows(state: &State, pane: PaneId, rows: &[u16], buffer: &mut Buffer) -> Vec<Rect> {
    let place = state.scene().and_then(|scene| scene.layout.places.iter().find(|place| place.pane == pane));
    let Some(place) = place else { return Vec::new() };
    let Some(visible) = state.viewport.place(state.areas().panes, place.content) else { return Vec::new() };
    let seen = |row: &u16| {
        let index = row.checked_sub(visible.skip_rows)?;
        (index < visible.rect.rows).then_some(index)
    };
    let mut drawn = Vec::with_capacity(rows.len());
    for index in rows.iter().filter_map(seen) {
        render_row(state, place, visible, index, buffer);
        drawn.push(Rect { row: visible.rect.row + index, rows: 1, ..visible.rect });
    }
    drawn
}

fn render_row(state: &State, place: &Place, visible: Visible, index: u16, buffer: &mut Buffer) {
    let screen_row = visible.rect.row + index;
    let cells = text::cells_mut(buffer, screen_row, visible.rect.col, visible.rect.cols);
    let Some(cells) = cells else { return };
    let frame = state.mirror.frame(place.pane);
    let row = frame.and_then(|frame| frame.rows.get(usize::from(visible.skip_rows + index)));
    paint(row.map(AsRef::as_ref), usize::from(visible.skip_cols), cells);
    underline(state, place.pane, visible.skip_rows + index, visible.skip_cols, cells);
    if let Some(frame) = frame {
        let (index, skip) = (visible.skip_rows + index, visible.skip_cols);
        marked::paint(state, place.pane, frame, index, skip, cells);
    }
    if visible.skip_rows + index == 0 {
        badge(state, place.pane, frame, visible.rect, buffer);
    }
}

/// Underlines the link under the pointer.
fn underline(state: &State, pane: PaneId, row: u16, skip: u16, cells: &mut [Cell]) {
    let Some((_, link)) = state.links.hovered.as_ref().filter(|(own, _)| *own == pane) else { return };
    for (_, start, end) in link.cells.iter().filter(|(own, ..)| *own == row) {
        let seen =
            usize::from(start.saturating_sub(skip))..usize::from(end.saturating_sub(skip)).min(cells.len());
        for cell in cells.get_mut(seen).into_iter().flatten() {
            cell.modifier |= outer::Modifier::UNDERLINED;
        }
    }
}

/// Lays a row on cells, from its column `skip` on.
fn paint(row: Option<&Row>, skip: usize, cells: &mut [Cell]) {
    let mut col = 0;
    for run in row.into_iter().flat_map(|row| &row.runs) {
        let style = Look::of(run.style, row.is_some_and(|row| row.link(run).is_some()));
        for (symbol, width) in run.cells() {
            let end = col + usize::from(width);
            if end > skip {
                lay(symbol, col, end, skip, style, cells);
            }
            col = end;
            if col >= skip + cells.len() {
                return;
            }
        }
    }
    for cell in cells.iter_mut().skip(col.saturating_sub(skip)) {
        cell.reset();
    }
}

/// Lays one grapheme; a wide one that is cut in half by an edge leaves a blank.
fn lay(symbol: &str, col: usize, end: usize, skip: usize, style: Look, cells: &mut [Cell]) {
    let whole = col >= skip && end <= skip + cells.len();
    for (offset, at) in (col..end).enumerate() {
        let Some(cell) = at.checked_sub(skip).and_then(|index| cells.get_mut(index)) else { continue };
        cell.set_symbol(match (whole, offset) {
            (true, 0) => symbol,
            (true, _) => "",
            (false, _) => " ",
        });
        (cell.fg, cell.bg, cell.modifier) = (style.fg, style.bg, style.modifier);
        cell.underline_color = style.underline;
    }
}

/// The link at a cell of the screen. The same link of the same pane has the same id everywhere.
pub fn link_at(state: &State, row: u16, col: u16) -> Option<ShownLink> {
    let panes = state.areas().panes;
    let places = state.scene()?.layout.places.iter();
    let seen = |place: &Place| Some((place.pane, state.viewport.place(panes, place.content)?));
    let (pane, visible) = places.filter_map(seen).find(|(_, visible)| visible.rect.contains(row, col))?;
    let row = state.mirror.frame(pane)?.rows.get(usize::from(row - visible.rect.row + visible.skip_rows))?;
    let wanted = usize::from(col - visible.rect.col + visible.skip_cols);
    let mut end = 0;
    let run = row.runs.iter().find(|run| {
        end += run.unit.columns(&run.text);
        wanted < end
    })?;
    let link = row.link(run)?;
    Some(ShownLink { id: format!("{pane}-{}", run.style.link), uri: link.uri.clone() })
}

#[derive(Clone, Copy)]
struct Look {
    fg: outer::Color,
    bg: outer::Color,
    modifier: outer::Modifier,
    underline: outer::Color,
}

impl Look {
    fn of(style: Style, linked: bool) -> Self {
        const PAIRS: [(Attrs, outer::Modifier); 13] = [
            (Attrs::BOLD, outer::Modifier::BOLD),
            (Attrs::DIM, outer::Modifier::DIM),
            (Attrs::ITALIC, outer::Modifier::ITALIC),
            (Attrs::UNDERLINE, outer::Modifier::UNDERLINED),
            (Attrs::BLINK, outer::Modifier::SLOW_BLINK),
            (Attrs::REVERSE, outer::Modifier::REVERSED),
            (Attrs::HIDDEN, outer::Modifier::HIDDEN),
            (Attrs::STRIKE, outer::Modifier::CROSSED_OUT),
            (Attrs::OVERLINE, sgr::OVERLINE),
            (Attrs::DOUBLE, sgr::DOUBLE),
            (Attrs::CURLY, sgr::CURLY),
            (Attrs::DOTTED, sgr::DOTTED),
            (Attrs::DASHED, sgr::DASHED),
        ];
        let set = PAIRS.into_iter().filter(|(ours, _)| style.attrs.contains(*ours));
        let link = match (linked, style.link % 2) {
            (false, _) => outer::Modifier::empty(),
            (true, 0) => sgr::LINKED,
            (true, _) => sgr::LINKED | sgr::OTHER_LINK,
        };
        let modifier = set.fold(link, |all, (_, theirs)| all | theirs);
        Self { fg: color(style.fg), bg: color(style.bg), modifier, underline: color(style.underline) }
    }
}

fn color(color: Color) -> outer::Color {
    match color {
        Color::Default => outer::Color::Reset,
        Color::Indexed(index) => outer::Color::Indexed(index),
        Color::Rgb(red, green, blue) => outer::Color::Rgb(red, green, blue),
    }
}

/// What lies over the pane's first row at the right: the distance from the live screen, or how the
/// child ended.
fn badge(state: &State, pane: PaneId, frame: Option<&Frame>, rect: Rect, buffer: &mut Buffer) {
    let scrolled = frame.filter(|frame| frame.position.below > 0 || state.scrolled.contains_key(&pane));
    let copying = state.copy.as_ref().filter(|copy| copy.pane == pane);
    let label = match scrolled {
        _ if copying.is_some() => copying.zip(frame).map(position).unwrap_or_default(),
        Some(Frame { position, .. }) => {
            let up = if state.ascii() { "^" } else { "↑" };
            format!(" {up}{}/{} ", position.below, position.below + position.above)
        }
        None => match state.scene().and_then(|scene| scene.pane(pane)?.exited.as_ref()) {
            Some(exit) => match (&exit.signal, exit.code) {
                (Some(signal), _) => format!(" ended by {signal} "),
                (None, Some(code)) => format!(" exited {code} "),
                (None, None) => " exited ".to_owned(),
            },
            None => return,
        },
    };
    let cols = text::width(&label);
    if cols < rect.cols {
        let col = rect.right() - cols;
        text::put(buffer, rect, rect.row, col, &label, state.theme.badge);
    }
}

/// The line of copy mode's cursor among all there are, and how far the view is from the live screen.
fn position((copy, frame): (&Copy, &Frame)) -> String {
    let rows = all_rows(frame);
    let line = copy.cursor.row.saturating_sub(rows.start) + 1;
    let lines = rows.end - rows.start;
    match frame.position.below {
        0 => format!(" {line}/{lines} "),
        below => format!(" {line}/{lines} ↑{below} "),
    }
}
