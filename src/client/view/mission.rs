//! Mission Control: totals, a row for each agent by urgency, and the chosen one's screen.

use super::{agents, overlay, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Entry, Hit, Mission, State, age, count_in};
use crate::protocol::agent::{AgentScene, AgentState};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::scene::{PaneScene, Scene};
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

/// Columns from which the chosen agent's screen stands beside the list, not under it.
const WIDE: u16 = 110;

/// Draws it over everything.
pub fn render(state: &State, mission: &Mission, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let area = area(state);
    let scope = if mission.this_workspace { "this workspace" } else { "all workspaces" };
    overlay::frame(state, area, &format!("Mission Control · {scope} · {}", mission.filter.word()), buffer);
    hits.push((area, Hit::Overlay));
    let Some(scene) = state.scene() else { return };
    let inside = overlay::inside(area);
    totals(state, scene, inside, buffer);
    let (list, detail) = parts(inside);
    let rows = mission.rows(scene);
    if rows.is_empty() {
        let hint = "no agents here: start one in a pane, or press Tab for all workspaces";
        text::put(buffer, list, list.row, list.col, &text::clip(hint, list.cols), state.theme.overlay_muted);
    }
    let chosen = mission.row(scene);
    let first = (chosen + 1).saturating_sub(usize::from(list.rows));
    for (row, (index, agent)) in (list.row..list.bottom()).zip(rows.iter().enumerate().skip(first)) {
        let line = Rect { row, rows: 1, ..list };
        agent_row(state, scene, *agent, index == chosen, line, buffer);
        hits.push((line, Hit::MissionRow(agent.0.id)));
    }
    if let Some(agent) = rows.get(chosen) {
        self::detail(state, scene, mission, *agent, detail, buffer);
    }
    footer(state, mission, inside, buffer);
}

/// The cursor in the line that is typed.
pub fn cursor(state: &State, mission: &Mission) -> Option<ScreenCursor> {
    let (Entry::Prompt(field) | Entry::Keys(field)) = mission.entry.as_ref()?;
    let inside = overlay::inside(area(state));
    let col = inside.col.saturating_add(9).saturating_add(field.cursor_cols());
    let col = col.min(inside.right().checked_sub(1)?);
    Some(ScreenCursor { row: inside.bottom().checked_sub(1)?, col, shape: CursorShape::Bar { blink: false } })
}

fn area(state: &State) -> Rect {
    let Size { rows, cols } = state.size;
    // Wide screens keep a rim of what is below, so that one sees where one is.
    let rim = |cells: u16, from: u16| if cells > from { 2 } else { 0 };
    overlay::centred(state.size, Size::new(rows - rim(rows, 30), cols - 2 * rim(cols, 100)))
}

/// The list, and the chosen agent's screen beside or under it.
fn parts(inside: Rect) -> (Rect, Rect) {
    let body = Rect { row: inside.row + 2, rows: inside.rows.saturating_sub(4), ..inside };
    if inside.cols >= WIDE {
        let cols = body.cols / 2;
        let right = Rect { col: body.col + cols + 2, cols: body.cols - cols - 2, ..body };
        (Rect { cols, ..body }, right)
    } else {
        let rows = (body.rows / 3).max(1);
        let below = Rect { row: body.row + rows + 1, rows: body.rows.saturating_sub(rows + 1), ..body };
        (Rect { rows, ..body }, below)
    }
}

fn totals(state: &State, scene: &Scene, inside: Rect, buffer: &mut Buffer) {
    let mut col = inside.col;
    for of in AgentState::ALL {
        let count = count_in(scene, of);
        let (mark, style) = agents::mark(state, of);
        let style = if count == 0 { state.theme.overlay_muted } else { Style { bg: None, ..style } };
        let part = format!("{mark} {count} {}", of.as_str());
        if col + text::width(&part) > inside.right() {
            break;
        }
        col = text::put(buffer, inside, inside.row, col, &part, style) + 3;
    }
}

fn agent_row(
    state: &State,
    scene: &Scene,
    (pane, agent): (&PaneScene, &AgentScene),
    chosen: bool,
    line: Rect,
    buffer: &mut Buffer,
) {
    let theme = &state.theme;
    let ground = if chosen { theme.row_selected } else { theme.overlay };
    text::fill(buffer, line, ground);
    let (mark, style) = agents::mark(state, agent.state);
    let on = Style { bg: None, ..style };
    let weight = if agent.unread { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let muted = if chosen { Style::new() } else { Style { bg: None, ..theme.overlay_muted } };
    let progress = agent.progress.map(|progress| format!("{progress}%")).unwrap_or_default();
    let about = agent.hint.as_deref().filter(|_| agent.state == AgentState::Blocked);
    let about = about.or(agent.title.as_deref()).unwrap_or_default();
    let columns: [(&str, u16, Style); 7] = [
        (mark, 1, on),
        (agent.state.as_str(), 7, on),
        (&age(state.now_ms, agent.since_ms), 4, muted),
        (agents::name(pane, agent), 14, weight),
        (&progress, 4, muted),
        (&agents::place(scene, pane), 18, muted),
        (about, u16::MAX, muted),
    ];
    let mut col = line.col + 1;
    for (part, cols, style) in columns {
        let room = cols.min(line.right().saturating_sub(col + 1));
        text::put(buffer, line, line.row, col, &text::clip(part, room), style);
        col = col.saturating_add(cols).saturating_add(1).min(line.right());
    }
}

fn detail(
    state: &State,
    scene: &Scene,
    mission: &Mission,
    (pane, agent): (&PaneScene, &AgentScene),
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = &state.theme;
    let title = format!("{} · {}", agents::name(pane, agent), agents::place(scene, pane));
    let rule = "─".repeat(usize::from(area.cols));
    text::put(buffer, area, area.row, area.col, &rule, theme.overlay_muted);
    let title = text::clip(&format!("─ {title} "), area.cols);
    text::put(buffer, area, area.row, area.col, &title, theme.overlay_border);
    let mut row = area.row + 1;
    if let Some(hint) = agent.hint.as_deref().filter(|_| agent.state == AgentState::Blocked) {
        let hint = text::clip(&format!("◆ {hint}"), area.cols);
        text::put(buffer, area, row, area.col, &hint, Style { bg: None, ..theme.blocked });
        row += 1;
    }
    let room = usize::from(area.bottom().saturating_sub(row));
    let lines = mission.seen(scene).map_or(&[][..], |peek| &peek.lines);
    let last = &lines[lines.len().saturating_sub(room)..];
    for (row, line) in (row..area.bottom()).zip(last) {
        text::put(buffer, area, row, area.col, &text::clip(line, area.cols), theme.overlay);
    }
}

fn footer(state: &State, mission: &Mission, inside: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let Some(row) = inside.bottom().checked_sub(1) else { return };
    let (label, field) = match &mission.entry {
        Some(Entry::Prompt(field)) => ("prompt › ", field),
        Some(Entry::Keys(field)) => ("keys   › ", field),
        None => {
            let hint = "Enter goes there  ·  p prompt  ·  k keys  ·  f filter  ·  Tab scope  ·  r look again  ·  Esc closes";
            let hint = text::clip(hint, inside.cols);
            text::put(buffer, inside, row, inside.col, &hint, theme.overlay_muted);
            return;
        }
    };
    let col = text::put(buffer, inside, row, inside.col, label, theme.key);
    text::put(buffer, inside, row, col, field.text(), theme.overlay);
}
