//! The two rows above the one pane of a narrow screen: where one is and the menu; what waits, and the way to
//! the panes beside. A notice lies over the second row until its time is over.

use super::{agents, status, text};
use crate::client::find;
use crate::client::state::{Hit, Mode, State, count_in};
use crate::config::keymap::Action;
use crate::protocol::agent::AgentState;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::ids::PaneId;
use crate::protocol::scene::Scene;
use ratatui::buffer::Buffer;

/// The menu's button.
const MENU: &str = " ≡ menu ";
/// A button to the pane before or after.
const STEP_COLS: u16 = 3;

/// Draws both rows.
pub fn render(state: &State, scene: &Scene, area: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    text::fill(buffer, area, state.theme.panel);
    place(state, scene, Rect { rows: 1, ..area }, buffer, hits);
    let second = Rect { row: area.row + 1, rows: 1, ..area };
    if second.row < area.bottom() {
        waiting(state, scene, second, buffer, hits);
    }
}

/// `session  workspace / tab n/m     ≡ menu`
fn place(state: &State, scene: &Scene, row: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let menu_col = row.right().saturating_sub(text::width(MENU));
    let session = text::clip(&state.session, (menu_col / 3).max(8).min(menu_col));
    let end = text::put(buffer, row, row.row, row.col + 1, &session, theme.muted.patch(theme.accent));
    hits.push((Rect { cols: end - row.col, ..row }, Hit::Action(Action::SessionSwitcher)));
    if let Some(workspace) = scene.workspace() {
        let at = workspace.tabs.iter().position(|tab| tab.active).map_or(0, |index| index + 1);
        let tab = format!(" / tab {at}/{}", workspace.tabs.len());
        // Of a long name the beginning is left out sooner than the tab's number.
        let room = menu_col.saturating_sub(end + 3);
        let name = text::clip(&workspace.name, room.saturating_sub(text::width(&tab)));
        let words = text::clip_start(&format!("{name}{tab}"), room);
        let words_end = text::put(buffer, row, row.row, end + 2, &words, theme.panel);
        let rect = Rect { col: end + 1, cols: words_end.saturating_sub(end), ..row };
        hits.push((rect, Hit::Action(Action::JumpPalette)));
    }
    text::put(buffer, row, row.row, menu_col, MENU, theme.tab_active);
    hits.push((Rect { col: menu_col, cols: text::width(MENU), ..row }, Hit::Action(Action::Menu)));
}

/// `◆ 1 ✓ 2            ‹ pane 1/3 ›`
fn waiting(state: &State, scene: &Scene, row: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    if find::editing(state).is_some() {
        return status::render(state, Some(scene), row, buffer);
    }
    let theme = &state.theme;
    let mut col = row.col + 1;
    let (word, style) = status::mode(state, Some(scene));
    if state.mode != Mode::Normal || word != "NORMAL" {
        col = text::put(buffer, row, row.row, row.col, &format!(" {word} "), style) + 1;
    }
    if let Some((style, words)) = status::told(state) {
        let words = text::clip(words, row.right().saturating_sub(col));
        text::put(buffer, row, row.row, col, &words, style);
        return;
    }
    let steps_col = steps(state, scene, (row, col), buffer, hits);
    let start = col;
    for (waiting, action) in
        [(AgentState::Blocked, Action::NextBlocked), (AgentState::Done, Action::NextDone)]
    {
        let count = count_in(scene, waiting);
        let (mark, style) = agents::mark(state, waiting);
        let words = format!("{mark} {count}");
        if count > 0 && col + text::width(&words) < steps_col {
            let end = text::put(buffer, row, row.row, col, &words, theme.panel.patch(style));
            hits.push((Rect { col, cols: end - col + 1, ..row }, Hit::Action(action)));
            col = end + 2;
        }
    }
    if col == start && col + 6 < steps_col {
        let end = text::put(buffer, row, row.row, col, "agents", theme.faint);
        hits.push((Rect { col, cols: end - col, ..row }, Hit::Action(Action::MissionControl)));
    }
}

/// The tab's panes and the way to those beside; returns the first column that they take.
fn steps(
    state: &State,
    scene: &Scene,
    (row, from): (Rect, u16),
    buffer: &mut Buffer,
    hits: &mut Vec<(Rect, Hit)>,
) -> u16 {
    let theme = &state.theme;
    let tab = scene.tab().map(|tab| tab.id);
    let panes: Vec<PaneId> =
        scene.panes.iter().filter(|pane| Some(pane.tab) == tab).map(|pane| pane.id).collect();
    let Some(at) = panes.iter().position(|pane| scene.layout.focused == Some(*pane)) else {
        return row.right();
    };
    let words = format!("pane {}/{}", at + 1, panes.len());
    let words_col = row.right().saturating_sub(STEP_COLS + text::width(&words));
    let first = words_col.saturating_sub(STEP_COLS);
    if first < from {
        return row.right();
    }
    text::put(buffer, row, row.row, words_col, &words, theme.muted);
    if panes.len() > 1 {
        let (before, after) = ((at + panes.len() - 1) % panes.len(), (at + 1) % panes.len());
        for (col, glyph, pane) in [(first, " ‹ ", before), (row.right() - STEP_COLS, " › ", after)] {
            text::put(buffer, row, row.row, col, glyph, theme.button.patch(theme.accent));
            hits.push((Rect::new(row.row, col, Size::new(1, STEP_COLS)), Hit::Frame(panes[pane])));
        }
    }
    first
}
