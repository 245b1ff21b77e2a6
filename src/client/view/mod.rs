//! Drawing: a state in, cells out. Nothing here changes a state.

pub mod agents;
pub mod border;
mod finder;
mod header;
pub mod help;
mod marked;
mod menu;
mod mission;
pub mod overlay;
pub mod pane;
mod picker;
mod plain;
mod preferences;
pub mod project;
mod scratch;
pub mod sidebar;
mod status;
mod strip;
mod tabs;
pub mod text;
mod toast;
pub mod touch;

use super::areas::too_small;
use super::find as client_find;
use super::screen::ScreenCursor;
use super::state::{Hit, Layer, State};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Axis, Rect, Size};
use crate::protocol::scene::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

/// Draws everything; returns what can be clicked.
pub fn render(state: &State, buffer: &mut Buffer) -> Vec<(Rect, Hit)> {
    let mut hits = Vec::new();
    let screen = Rect::new(0, 0, state.size);
    text::fill(buffer, screen, ratatui::style::Style::new());
    if too_small(state.size) {
        let line = text::clip("enlarge the terminal", screen.cols);
        let col = (screen.cols - text::width(&line)) / 2;
        text::put(buffer, screen, screen.rows / 2, col, &line, state.theme.title);
        return hits;
    }
    let areas = state.areas();
    if let Some(scene) = state.scene() {
        panes(state, scene, areas.panes, buffer, &mut hits);
        if state.narrow() {
            header::render(state, scene, areas.tabs, buffer, &mut hits);
        } else {
            tabs::render(state, scene, &areas, buffer, &mut hits);
        }
        for (side, area) in [(&state.left, areas.left), (&state.right, areas.right)] {
            if let Some(area) = area {
                sidebar::render(state, scene, side, area, buffer, &mut hits);
            }
        }
        edges(&areas, &mut hits);
    }
    if !state.narrow() {
        status::render(state, state.scene(), areas.status, buffer);
    }
    toast::render(state, areas.panes, buffer, &mut hits);
    for layer in &state.layers {
        match layer {
            Layer::Help(help) => help::render(state, help, buffer, &mut hits),
            Layer::Prompt(prompt) => overlay::prompt(state, prompt, buffer, &mut hits),
            Layer::Project(offered) => project::render(state, offered, buffer, &mut hits),
            Layer::Confirm { question, .. } => overlay::confirm(state, question, buffer, &mut hits),
            Layer::Picker(picker) => picker::render(state, picker, buffer, &mut hits),
            Layer::Mission(mission) => mission::render(state, mission, buffer, &mut hits),
            Layer::Preferences(screen) => preferences::render(state, screen, buffer, &mut hits),
            Layer::Finder(finder) => finder::render(state, finder, buffer, &mut hits),
            Layer::Strip(strip) => strip::render(state, strip, buffer, &mut hits),
            Layer::Menu(menu) => menu::render(state, menu, buffer, &mut hits),
            Layer::Touch(menu) => touch::render(state, menu, buffer, &mut hits),
            Layer::Dock(_) => {}
        }
    }
    if state.narrow() && !matches!(state.layers.last(), None | Some(Layer::Touch(_) | Layer::Menu(_))) {
        overlay::way_out(state, buffer, &mut hits);
    }
    if state.ascii() {
        plain::to_ascii(state, &hits, buffer);
    }
    if state.stale {
        for cell in &mut buffer.content {
            cell.modifier |= Modifier::DIM;
        }
    }
    hits
}

/// Where the cursor is seen.
pub fn cursor(state: &State) -> Option<ScreenCursor> {
    if too_small(state.size) || state.stale {
        return None;
    }
    match state.layers.last() {
        Some(Layer::Prompt(prompt)) => return Some(overlay::prompt_cursor(state, prompt)),
        Some(Layer::Help(help)) => return help::cursor(state, help),
        Some(Layer::Picker(picker)) => return picker::cursor(state, picker),
        Some(Layer::Mission(mission)) => return mission::cursor(state, mission),
        Some(Layer::Finder(finder)) => return finder::cursor(state, finder),
        Some(Layer::Strip(strip)) => return strip::cursor(state, strip),
        Some(Layer::Preferences(screen)) => return preferences::cursor(state, screen),
        Some(
            Layer::Confirm { .. } | Layer::Project(_) | Layer::Dock(_) | Layer::Menu(_) | Layer::Touch(_),
        ) => return None,
        None => {}
    }
    let scene = state.scene()?;
    let focused = scene.layout.focused?;
    if scene.pane(focused)?.exited.is_some() && !state.copying(focused) {
        return None;
    }
    let place = scene.layout.places.iter().find(|place| place.pane == focused)?;
    let frame = state.mirror.frame(focused)?;
    if let Some(find) = client_find::editing(state) {
        return Some(status::find_cursor(state, find, state.areas().status));
    }
    let copying = state.copying(focused);
    let shape = match frame.cursor {
        _ if copying => CursorShape::Block { blink: false },
        Some(cursor) if frame.position.below == 0 => cursor.shape,
        _ => return None,
    };
    let (row, col) = state.cursor_in(focused)?;
    if row >= place.content.rows || col >= place.content.cols {
        return None;
    }
    let (row, col) = (place.content.row.saturating_add(row), place.content.col.saturating_add(col));
    let seen = state.viewport.place(state.areas().panes, Rect::new(row, col, Size::new(1, 1)))?;
    Some(ScreenCursor { row: seen.rect.row, col: seen.rect.col, shape })
}

/// The outer terminal's title: the focused pane's is in it, since a pane alone has no frame.
pub fn title(state: &State) -> String {
    let pane = state.scene().and_then(|scene| scene.pane(scene.layout.focused?));
    match pane {
        Some(pane) => format!("luvus: {} - {}", state.session, pane.display_name()),
        None => format!("luvus: {}", state.session),
    }
}

fn panes(state: &State, scene: &Scene, area: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    outside(state, scene, area, buffer);
    border::render(state, scene, buffer);
    for place in &scene.layout.places {
        if let Some(seen) = place.frame.and_then(|frame| state.viewport.place(area, frame)) {
            hits.push((seen.rect, Hit::Frame(place.pane)));
        }
    }
    for (index, divider) in scene.layout.dividers.iter().enumerate() {
        if let Some(seen) = state.viewport.place(area, divider.line) {
            hits.push((seen.rect, Hit::Divider(index)));
        }
    }
    for place in &scene.layout.places {
        scratch::frame(state, scene, place, buffer, hits);
        if let Some(visible) = state.viewport.place(area, place.content) {
            pane::render(state, place, visible, buffer);
            hits.push((visible.rect, Hit::Pane(place.pane)));
        }
        titles(state, scene, place.frame, area, hits);
    }
}

/// A title on a horizontal divider stays a handle of the divider only where there is no text: the
/// words focus their pane.
fn titles(state: &State, scene: &Scene, frame: Option<Rect>, area: Rect, hits: &mut Vec<(Rect, Hit)>) {
    let Some(frame) = frame.filter(|_| state.show_titles) else { return };
    let on_divider = |divider: &crate::protocol::scene::Divider| {
        divider.axis == Axis::Vertical && divider.line.row == frame.row
    };
    if !scene.layout.dividers.iter().any(on_divider) {
        return;
    }
    let place = scene.layout.places.iter().find(|place| place.frame == Some(frame));
    let Some(pane) = place.and_then(|place| scene.pane(place.pane)) else { return };
    let cols = (text::width(pane.display_name()) + 4).min(frame.cols.saturating_sub(4));
    let words = Rect::new(frame.row, frame.col + 2, Size::new(1, cols));
    if let Some(seen) = state.viewport.place(area, words) {
        hits.push((seen.rect, Hit::Frame(pane.id)));
    }
}

/// Dots where the layout, solved for a smaller screen, does not reach.
fn outside(state: &State, scene: &Scene, area: Rect, buffer: &mut Buffer) {
    let solved = scene.layout.area;
    for row in 0..area.rows {
        let start = if row < solved.rows { solved.cols.min(area.cols) } else { 0 };
        let cells = text::cells_mut(buffer, area.row + row, area.col + start, area.cols - start);
        for cell in cells.into_iter().flatten() {
            cell.set_symbol("·").set_style(state.theme.outside);
        }
    }
}

fn edges(areas: &super::areas::Areas, hits: &mut Vec<(Rect, Hit)>) {
    if let Some(left) = areas.left {
        hits.push((Rect { col: left.right().saturating_sub(1), cols: 1, ..left }, Hit::LeftEdge));
    }
    if let Some(right) = areas.right {
        hits.push((Rect { cols: 1, ..right }, Hit::RightEdge));
    }
}
