//! The sidebars and their docks.

use super::text;
use crate::client::state::{Dock, Hit, Layer, Side, State, active_row, running, sidebar_order};
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::scene::{PaneScene, Scene, WorkspaceScene};
use ratatui::buffer::Buffer;
use ratatui::style::Style;

/// A dock's heading, and the blank row under its list.
const DOCK_ROWS: u16 = 2;

/// Draws one sidebar.
pub fn render(
    state: &State,
    scene: &Scene,
    side: &Side,
    area: Rect,
    buffer: &mut Buffer,
    hits: &mut Vec<(Rect, Hit)>,
) {
    text::fill(buffer, area, state.theme.panel);
    let on_left = area.col == 0;
    if side.docks.is_empty() {
        let setting = if on_left { "sidebars.left" } else { "sidebars.right" };
        for (row, hint) in (area.row + 1..area.bottom()).zip(["no docks here", setting]) {
            let hint = text::clip(hint, area.cols.saturating_sub(3));
            text::put(buffer, area, row, area.col + 2, &hint, state.theme.faint);
        }
    }
    for (dock, rect) in share(state, scene, side, area) {
        hits.push((rect, Hit::Dock(dock)));
        match dock {
            Dock::Workspaces => workspaces(state, scene, rect, buffer, hits),
            Dock::Agents => agents(state, scene, rect, buffer, hits),
        }
    }
    // Without a ground of its own the sidebar needs a line.
    if state.theme.panel.bg.is_none() {
        let col = if on_left { area.right().saturating_sub(1) } else { area.col };
        for row in area.row..area.bottom() {
            text::put(buffer, area, row, col, "│", state.theme.border);
        }
    }
}

/// The first entry of a dock after the wheel has moved its list, by entries.
pub fn scrolled(state: &State, scene: &Scene, dock: Dock, entries: isize) -> Option<usize> {
    let areas = state.areas();
    let sides = [(&state.left, areas.left), (&state.right, areas.right)];
    let mut docks = sides
        .into_iter()
        .flat_map(|(side, area)| area.map(|area| share(state, scene, side, area)).unwrap_or_default());
    let (_, rect) = docks.find(|(other, _)| *other == dock)?;
    let (first, shown) = window(state, scene, dock, rect);
    let last = count(scene, dock).saturating_sub(shown);
    Some(first.saturating_add_signed(entries).min(last))
}

/// Gives each dock what its list needs, and less where there is not enough: never under an equal
/// share because of the docks before it.
fn share(state: &State, scene: &Scene, side: &Side, area: Rect) -> Vec<(Dock, Rect)> {
    let mut row = area.row;
    let mut left = area.rows;
    let mut docks_left = u16::try_from(side.docks.len()).unwrap_or(u16::MAX);
    let needs: Vec<u16> = side.docks.iter().map(|dock| need(state, scene, *dock)).collect();
    let mut rects = Vec::new();
    for (index, dock) in side.docks.iter().enumerate() {
        let later = needs[index + 1..].iter().fold(0, |sum: u16, rows| sum.saturating_add(*rows));
        let fair = (left / docks_left.max(1)).max(left.saturating_sub(later));
        let rows = if docks_left == 1 { left } else { needs[index].min(fair) };
        rects.push((*dock, Rect::new(row, area.col, Size::new(rows, area.cols))));
        row += rows;
        left -= rows;
        docks_left -= 1;
    }
    rects
}

fn need(state: &State, scene: &Scene, dock: Dock) -> u16 {
    let rows = count(scene, dock).max(1) * entry_rows(state, dock);
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(DOCK_ROWS)
}

fn count(scene: &Scene, dock: Dock) -> usize {
    match dock {
        Dock::Workspaces => scene.workspaces.len(),
        Dock::Agents => running(scene).len(),
    }
}

fn entry_rows(state: &State, dock: Dock) -> usize {
    if dock == Dock::Workspaces && !state.workspace_paths { 1 } else { 2 }
}

/// The row of a dock that the keyboard is on.
fn selected(state: &State, dock: Dock) -> Option<usize> {
    match state.layers.last() {
        Some(Layer::Dock(cursor)) if cursor.dock == dock => Some(cursor.selected),
        _ => None,
    }
}

fn heading(state: &State, rect: Rect, text: &str, focused: bool, buffer: &mut Buffer) -> u16 {
    let style = if focused { state.theme.heading.patch(state.theme.accent) } else { state.theme.heading };
    text::put(buffer, rect, rect.row, rect.col + 1, text, style)
}

/// Which entries are shown: `(first, how many)`, from where the wheel has moved the list, else with
/// the dock's cursor or what is focused among them.
fn window(state: &State, scene: &Scene, dock: Dock, rect: Rect) -> (usize, usize) {
    let (entries, entry_rows) = (count(scene, dock), entry_rows(state, dock));
    let fit = |other_rows: u16| usize::from(rect.rows.saturating_sub(other_rows)) / entry_rows;
    // A list that is cut says so below.
    let shown = if fit(1) >= entries { entries } else { fit(DOCK_ROWS).max(fit(1).min(1)) };
    let last = entries.saturating_sub(shown);
    let cursor = selected(state, dock);
    let first = match state.dock_first {
        Some((moved, first)) if moved == dock && cursor.is_none() => first,
        _ => (cursor.unwrap_or_else(|| active_row(state, dock)) + 1).saturating_sub(shown),
    };
    (first.min(last), shown)
}

/// How many entries of a list that is cut are out of sight.
fn more(state: &State, rect: Rect, row: u16, hidden: usize, buffer: &mut Buffer) {
    if hidden > 0 && row < rect.bottom() {
        let hint = text::clip(&format!("… {hidden} more"), rect.cols.saturating_sub(3));
        text::put(buffer, rect, row, rect.col + 2, &hint, state.theme.faint);
    }
}

fn workspaces(state: &State, scene: &Scene, rect: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    if rect.rows == 0 {
        return;
    }
    let cursor = selected(state, Dock::Workspaces);
    heading(state, rect, "WORKSPACES", cursor.is_some(), buffer);
    // Left of the edge that is dragged.
    let plus = rect.right().saturating_sub(4);
    text::put(buffer, rect, rect.row, plus, " + ", state.theme.button);
    hits.push((Rect::new(rect.row, plus, Size::new(1, 3)), Hit::NewWorkspace));
    let order = sidebar_order(scene);
    let entry_rows = entry_rows(state, Dock::Workspaces);
    let (first, shown) = window(state, scene, Dock::Workspaces, rect);
    let mut row = rect.row + 1;
    for (index, workspace) in order.iter().enumerate().skip(first).take(shown) {
        let entry = Rect { row, rows: u16::try_from(entry_rows).unwrap_or(1), ..rect };
        let base = base(state, workspace.active, cursor == Some(index));
        workspace_entry(state, scene, workspace, entry, base, buffer);
        hits.push((entry, Hit::Workspace(workspace.id)));
        row = entry.bottom();
    }
    more(state, rect, row, order.len() - shown.min(order.len()), buffer);
}

/// The ground of an entry.
fn base(state: &State, active: bool, selected: bool) -> Style {
    match (selected, active) {
        (true, _) => state.theme.row_selected,
        (false, true) => state.theme.row_active,
        (false, false) => state.theme.panel,
    }
}

fn workspace_entry(
    state: &State,
    scene: &Scene,
    workspace: &WorkspaceScene,
    rect: Rect,
    base: Style,
    buffer: &mut Buffer,
) {
    let theme = &state.theme;
    text::fill(buffer, rect, base);
    if workspace.active {
        for row in rect.row..rect.bottom() {
            text::put(buffer, rect, row, rect.col, "▎", theme.accent);
        }
    }
    let inside = Rect { col: rect.col + 2, cols: rect.cols.saturating_sub(3), ..rect };
    let mut right = inside.right();
    let busy = scene.panes.iter().any(|pane| pane.workspace == workspace.id && pane.busy);
    let bell = workspace.tabs.iter().any(|tab| tab.bell);
    for (shown, mark, style) in [(busy, "●", theme.busy), (bell, "!", theme.bell)] {
        if shown && right > inside.col + 6 {
            right -= 1;
            text::put(buffer, inside, rect.row, right, mark, style);
            right -= 1;
        }
    }
    let pin = if workspace.pinned { "▴ " } else { "" };
    let room = right.saturating_sub(inside.col);
    let name = text::clip(&format!("{pin}{}", workspace.name), room);
    let end = text::put(buffer, inside, rect.row, inside.col, &name, Style::new());
    if let Some(branch) = &workspace.branch {
        let room = right.saturating_sub(end).saturating_sub(2);
        if room >= 4 {
            let branch = text::clip(branch, room);
            let col = right - text::width(&branch);
            text::put(buffer, inside, rect.row, col, &branch, fg(theme.muted));
        }
    }
    if rect.rows > 1 {
        let path = text::clip_start(&state.short_path(&workspace.root), inside.cols);
        text::put(buffer, inside, rect.row + 1, inside.col, &path, fg(theme.faint));
    }
}

/// A style's text without its ground, for entries that have a ground of their own.
fn fg(style: Style) -> Style {
    Style { bg: None, ..style }
}

fn agents(state: &State, scene: &Scene, rect: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    if rect.rows == 0 {
        return;
    }
    let theme = &state.theme;
    let cursor = selected(state, Dock::Agents);
    let panes = running(scene);
    let end = heading(state, rect, "AGENTS", cursor.is_some(), buffer);
    if panes.is_empty() {
        if rect.rows > 1 {
            let hint = text::clip("nothing is running", rect.cols.saturating_sub(3));
            text::put(buffer, rect, rect.row + 1, rect.col + 2, &hint, theme.faint);
        }
        return;
    }
    text::put(buffer, rect, rect.row, end + 1, &panes.len().to_string(), theme.faint);
    let focused = panes.iter().position(|pane| Some(pane.id) == scene.layout.focused);
    let (first, shown) = window(state, scene, Dock::Agents, rect);
    let mut row = rect.row + 1;
    for (index, pane) in panes.iter().enumerate().skip(first).take(shown) {
        let entry = Rect { row, rows: 2, ..rect };
        let active = focused == Some(index);
        let base = base(state, active, cursor == Some(index));
        text::fill(buffer, entry, base);
        if active {
            for row in entry.row..entry.bottom() {
                text::put(buffer, entry, row, entry.col, "▎", theme.accent);
            }
        }
        agent_entry(state, scene, pane, entry, buffer);
        hits.push((entry, Hit::Agent(pane.id)));
        row = entry.bottom();
    }
    more(state, rect, row, panes.len() - shown.min(panes.len()), buffer);
}

fn agent_entry(state: &State, scene: &Scene, pane: &PaneScene, rect: Rect, buffer: &mut Buffer) {
    let inside = Rect { col: rect.col + 2, cols: rect.cols.saturating_sub(3), ..rect };
    let (mark, style) = super::border::mark(state, pane);
    text::put(buffer, inside, rect.row, inside.col, mark, style);
    let name = text::clip(pane.display_name(), inside.cols.saturating_sub(2));
    text::put(buffer, inside, rect.row, inside.col + 2, &name, Style::new());
    let place = text::clip(&place(scene, pane), inside.cols.saturating_sub(2));
    text::put(buffer, inside, rect.row + 1, inside.col + 2, &place, fg(state.theme.faint));
}

/// `workspace · tab`
fn place(scene: &Scene, pane: &PaneScene) -> String {
    let workspace = scene.workspaces.iter().find(|workspace| workspace.id == pane.workspace);
    let Some(workspace) = workspace else { return String::new() };
    let tab = workspace.tabs.iter().enumerate().find(|(_, tab)| tab.id == pane.tab);
    match tab {
        Some((_, tab)) if tab.name.as_deref().is_some_and(|name| !name.is_empty()) => {
            format!("{} · {}", workspace.name, tab.name.as_deref().unwrap_or_default())
        }
        Some((index, _)) => format!("{} · {}", workspace.name, index + 1),
        None => workspace.name.clone(),
    }
}
