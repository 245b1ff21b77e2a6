//! Frames: lines that neighbours share, their junctions, and the titles on them.

use super::{agents, text};
use crate::client::named_color::color_named;
use crate::client::state::State;
use crate::protocol::geometry::{Axis, Rect, Size};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::SCREEN_CELLS;
use crate::protocol::scene::{PaneScene, Scene};
use ratatui::buffer::Buffer;
use ratatui::style::Style;

const UP: u8 = 1;
const RIGHT: u8 = 2;
const DOWN: u8 = 4;
const LEFT: u8 = 8;
/// The glyph of a cell by the sides that its line leaves on.
const GLYPHS: [&str; 16] = [" ", "│", "─", "╰", "│", "│", "╭", "├", "─", "╯", "─", "┴", "╮", "┤", "┬", "┼"];

/// Which style a line has; of two that share a cell the later one wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Rank {
    #[default]
    Plain,
    Focused,
    Hovered,
}

/// The lines of a layout, cell by cell.
struct Lines {
    size: Size,
    cells: Vec<(u8, Rank)>,
}

impl Lines {
    fn new(size: Size) -> Self {
        let size = Size::new(size.rows.min(SCREEN_CELLS), size.cols.min(SCREEN_CELLS));
        let cells = usize::from(size.rows) * usize::from(size.cols);
        Self { size, cells: vec![(0, Rank::Plain); cells] }
    }

    fn add(&mut self, row: u16, col: u16, sides: u8, rank: Rank) {
        if row < self.size.rows && col < self.size.cols {
            let index = usize::from(row) * usize::from(self.size.cols) + usize::from(col);
            if let Some(cell) = self.cells.get_mut(index) {
                *cell = (cell.0 | sides, cell.1.max(rank));
            }
        }
    }

    fn add_frame(&mut self, frame: Rect, rank: Rank) {
        let (Some(last_row), Some(last_col)) = (frame.bottom().checked_sub(1), frame.right().checked_sub(1))
        else {
            return;
        };
        for col in frame.col.saturating_add(1)..last_col {
            self.add(frame.row, col, LEFT | RIGHT, rank);
            self.add(last_row, col, LEFT | RIGHT, rank);
        }
        for row in frame.row.saturating_add(1)..last_row {
            self.add(row, frame.col, UP | DOWN, rank);
            self.add(row, last_col, UP | DOWN, rank);
        }
        self.add(frame.row, frame.col, RIGHT | DOWN, rank);
        self.add(frame.row, last_col, LEFT | DOWN, rank);
        self.add(last_row, frame.col, RIGHT | UP, rank);
        self.add(last_row, last_col, LEFT | UP, rank);
    }
}

/// Draws all frames of the layout with their titles.
pub fn render(state: &State, scene: &Scene, buffer: &mut Buffer) {
    let layout = &scene.layout;
    let scratch = scene.shown_scratch().map(|scratch| scratch.pane.id);
    let layout_places = layout.places.iter().filter(|place| Some(place.pane) != scratch);
    let frames = layout_places.filter_map(|place| Some((place.pane, place.frame?)));
    let mut lines = Lines::new(layout.area);
    for (pane, frame) in frames.clone() {
        let rank = if layout.focused == Some(pane) { Rank::Focused } else { Rank::Plain };
        lines.add_frame(frame, rank);
    }
    if let Some(divider) = state.hover.and_then(|index| layout.dividers.get(index)) {
        for row in divider.line.row..divider.line.bottom() {
            for col in divider.line.col..divider.line.right() {
                // Between panes with a gap there is no line until one is wanted.
                let sides = if divider.axis == Axis::Horizontal { UP | DOWN } else { LEFT | RIGHT };
                lines.add(row, col, sides, Rank::Hovered);
            }
        }
    }
    draw(state, &lines, buffer);
    if state.show_titles {
        for (pane, frame) in frames {
            if let Some(pane) = scene.pane(pane) {
                title(state, pane, frame, layout.focused, buffer);
            }
        }
    }
}

fn draw(state: &State, lines: &Lines, buffer: &mut Buffer) {
    let panes = state.areas().panes;
    let theme = &state.theme;
    let Some(visible) = state.viewport.place(panes, Rect::new(0, 0, lines.size)) else { return };
    let width = usize::from(lines.size.cols).max(1);
    for row in 0..visible.rect.rows {
        let start = usize::from(row + visible.skip_rows) * width + usize::from(visible.skip_cols);
        let cells = lines.cells.iter().skip(start);
        let target = text::cells_mut(buffer, visible.rect.row + row, visible.rect.col, visible.rect.cols);
        for (cell, (sides, rank)) in target.into_iter().flatten().zip(cells) {
            if *sides != 0 {
                let style = match rank {
                    Rank::Plain => theme.border,
                    Rank::Focused => theme.border_focus,
                    Rank::Hovered => theme.border_hover,
                };
                cell.reset();
                cell.set_symbol(GLYPHS[usize::from(sides & 15)]).set_style(style);
            }
        }
    }
}

/// `─ ● name ──── ~/folder ─` on the upper line of a frame.
fn title(state: &State, pane: &PaneScene, frame: Rect, focused: Option<PaneId>, buffer: &mut Buffer) {
    let panes = state.areas().panes;
    let inside = Rect { row: frame.row, rows: 1, ..frame.inside_frame() };
    let Some(visible) = state.viewport.place(panes, inside) else { return };
    // A title that begins outside of the crop would only show its tail.
    let room = visible.rect.cols.saturating_sub(2);
    if visible.skip_cols > 0 || room < 5 {
        return;
    }
    let theme = &state.theme;
    let name_style = if focused == Some(pane.id) { theme.title_focus } else { theme.title };
    let own_color = pane.color.as_deref().and_then(color_named);
    let title_style = own_color.map_or(name_style, |color| name_style.fg(color));
    let (row, clip) = (visible.rect.row, visible.rect);
    let role = pane.role.as_deref().filter(|role| !role.is_empty());
    let called = role
        .map_or_else(|| pane.display_name().to_owned(), |role| format!("{} [{role}]", pane.display_name()));
    let name = text::clip(&called, room.saturating_sub(4));
    let mut col = visible.rect.col + 1;
    if let Some((mark, style)) = mark(state, pane) {
        col = text::put(buffer, clip, row, col, " ", name_style);
        col = text::put(buffer, clip, row, col, mark, style);
    }
    for (part, style) in [(" ", name_style), (name.as_str(), title_style)] {
        col = text::put(buffer, clip, row, col, part, style);
    }
    col = text::put(buffer, clip, row, col, " ", name_style);
    let folder = state.short_path(&pane.cwd);
    let left = (visible.rect.right() - 1).saturating_sub(col);
    if left >= 12 && folder != pane.display_name() {
        let folder = text::clip_start(&folder, left - 4);
        let start = visible.rect.right() - 1 - text::width(&folder) - 2;
        text::put(buffer, clip, row, start, &format!(" {folder} "), theme.title);
    }
}

/// The mark of what a pane does; a shell at its prompt has none.
fn mark(state: &State, pane: &PaneScene) -> Option<(&'static str, Style)> {
    if pane.exited.is_some() {
        Some(("✕", state.theme.exited))
    } else if let Some(agent) = &pane.agent {
        Some(agents::mark(state, agent.state))
    } else {
        pane.busy.then_some(("▸", state.theme.busy))
    }
}
