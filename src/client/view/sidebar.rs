//! The sidebars and their docks.

use super::text;
use crate::client::state::{
    Dock, Hit, Layer, Listed, Side, State, active_row, blocked_elsewhere, dock_agents, sidebar_order,
};
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::scene::{Scene, WorkspaceScene};
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
            Dock::Agents => agent_dock(state, scene, rect, buffer, hits),
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
    let last = count(state, scene, dock).saturating_sub(shown);
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
    let rows = count(state, scene, dock).max(1) * entry_rows(state, dock);
    let elsewhere = dock == Dock::Agents && state.agents_here && !blocked_elsewhere(scene).is_empty();
    let rows = rows + usize::from(elsewhere);
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(DOCK_ROWS)
}

fn count(state: &State, scene: &Scene, dock: Dock) -> usize {
    match dock {
        Dock::Workspaces => scene.workspaces.len(),
        Dock::Agents => dock_agents(state).len(),
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
    let (entries, entry_rows) = (count(state, scene, dock), entry_rows(state, dock));
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
    let urgent = scene.workspace_state(workspace.id).map(|urgent| super::agents::mark(state, urgent));
    let bell = workspace.tabs.iter().any(|tab| tab.bell).then_some(("!", theme.bell));
    for (mark, style) in [urgent, bell].into_iter().flatten() {
        if right > inside.col + 6 {
            right -= 1;
            text::put(buffer, inside, rect.row, right, mark, fg(style));
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

fn agent_dock(state: &State, scene: &Scene, rect: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    if rect.rows == 0 {
        return;
    }
    let theme = &state.theme;
    let cursor = selected(state, Dock::Agents);
    let list = dock_agents(state);
    agents_heading(state, rect, &list, cursor.is_some(), buffer, hits);
    let mut row = rect.row + 1;
    let elsewhere = if state.agents_here { blocked_elsewhere(scene) } else { Vec::new() };
    if let Some(first) = elsewhere.first().filter(|_| row < rect.bottom()) {
        let line = format!("◆ {} blocked elsewhere", elsewhere.len());
        let line = text::clip(&line, rect.cols.saturating_sub(3));
        text::put(buffer, rect, row, rect.col + 2, &line, fg(theme.blocked));
        hits.push((Rect { row, rows: 1, ..rect }, Hit::Agent(*first)));
        row += 1;
    }
    let body = Rect { row: row - 1, rows: rect.bottom().saturating_sub(row - 1), ..rect };
    if list.is_empty() {
        let hint = if state.agents_here { "no agents in this workspace" } else { "no agents" };
        let hint = text::clip(hint, rect.cols.saturating_sub(3));
        text::put(buffer, rect, row, rect.col + 2, &hint, theme.faint);
        return;
    }
    let focused = |listed: &Listed<'_>| listed.pane().is_some() && listed.pane() == scene.layout.focused;
    let (first, shown) = window(state, scene, Dock::Agents, body);
    for (index, listed) in list.iter().enumerate().skip(first).take(shown) {
        let entry = Rect { row, rows: 2, ..rect };
        let active = focused(listed);
        text::fill(buffer, entry, base(state, active, cursor == Some(index)));
        if active {
            for row in entry.row..entry.bottom() {
                text::put(buffer, entry, row, entry.col, "▎", theme.accent);
            }
        }
        match *listed {
            Listed::Agent(pane, agent) => {
                super::agents::entry(state, scene, (pane, agent), entry, buffer);
                hits.push((entry, Hit::Agent(pane.id)));
            }
            Listed::Past(past) => {
                super::agents::past(state, past, entry, buffer);
                let place = state.conversations.iter().position(|own| own == past);
                hits.extend(place.map(|index| (entry, Hit::Past(index))));
            }
        }
        row = entry.bottom();
    }
    more(state, rect, row, list.len() - shown.min(list.len()), buffer);
}

/// AGENTS, how many there are, which filters are on; a click on the name or the scope changes them.
fn agents_heading(
    state: &State,
    rect: Rect,
    list: &[Listed<'_>],
    focused: bool,
    buffer: &mut Buffer,
    hits: &mut Vec<(Rect, Hit)>,
) {
    let faint = state.theme.faint;
    let mut end = heading(state, rect, "AGENTS", focused, buffer);
    let count = list.iter().filter(|listed| listed.pane().is_some()).count();
    if count > 0 {
        end = text::put(buffer, rect, rect.row, end + 1, &count.to_string(), faint);
    }
    let scope = if state.agents_here { "here" } else { "all" };
    let button = Rect::new(rect.row, rect.right().saturating_sub(6), Size::new(1, 5));
    if state.agents_active && end + 9 < button.col {
        end = text::put(buffer, rect, rect.row, end + 1, "· active", faint);
    }
    let name = Rect::new(rect.row, rect.col, Size::new(1, end.saturating_sub(rect.col)));
    hits.push((name, Hit::AgentFilter));
    text::put(buffer, rect, rect.row, button.right() - text::width(scope), scope, faint);
    hits.push((button, Hit::AgentScope));
}
