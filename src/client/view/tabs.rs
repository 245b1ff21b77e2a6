//! The tab bar: toggles of the sidebars at its ends, the tabs of the focused workspace between.

use super::{agents, text};
use crate::client::areas::Areas;
use crate::client::state::{Hit, State};
use crate::protocol::agent::AgentState;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::scene::{Scene, TabScene};
use ratatui::buffer::Buffer;

/// The widest name of a tab.
const NAME_COLS: u16 = 24;
/// Each scroll arrow, the `+`, and each toggle.
const BUTTON_COLS: u16 = 3;

/// One tab as it is shown.
struct Label<'scene> {
    tab: &'scene TabScene,
    index: usize,
    text: String,
    cols: u16,
    /// The most urgent state of its agents.
    urgent: Option<AgentState>,
}

/// Draws the bar.
pub fn render(state: &State, scene: &Scene, areas: &Areas, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let bar = areas.tabs;
    text::fill(buffer, bar, state.theme.panel);
    let button = |col: u16, glyph: &str, hit: Hit, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>| {
        let rect = Rect::new(bar.row, col, Size::new(1, BUTTON_COLS));
        text::put(buffer, bar, bar.row, col, &format!(" {glyph} "), state.theme.button);
        hits.push((rect, hit));
    };
    let left = if areas.left.is_some() { "«" } else { "»" };
    let right = if areas.right.is_some() { "»" } else { "«" };
    button(bar.col, left, Hit::ToggleLeft, buffer, hits);
    button(bar.right().saturating_sub(BUTTON_COLS), right, Hit::ToggleRight, buffer, hits);

    let labels = labels(scene);
    let mut col = bar.col + BUTTON_COLS;
    // Both toggles and the `+`.
    let room = bar.cols.saturating_sub(3 * BUTTON_COLS);
    let all: u16 = labels.iter().map(|label| label.cols).fold(0, u16::saturating_add);
    let crowded = all > room;
    let room = if crowded { room.saturating_sub(2 * BUTTON_COLS) } else { room };
    let first = if crowded { first_shown(state, &labels, room) } else { 0 };
    if crowded {
        button(col, if first > 0 { "‹" } else { " " }, Hit::FirstTab(first.saturating_sub(1)), buffer, hits);
        col += BUTTON_COLS;
    }
    let end = col.saturating_add(room);
    let mut shown = first;
    for label in labels.iter().skip(first) {
        if col.saturating_add(label.cols) > end && shown > first {
            break;
        }
        tab(state, label, Rect::new(bar.row, col, Size::new(1, label.cols.min(end - col))), buffer, hits);
        col = col.saturating_add(label.cols).min(end);
        shown += 1;
    }
    if crowded {
        let more = shown < labels.len();
        let next = if more { first + 1 } else { first };
        button(end, if more { "›" } else { " " }, Hit::FirstTab(next), buffer, hits);
        col = end + BUTTON_COLS;
    }
    button(col, "+", Hit::NewTab, buffer, hits);
}

fn labels(scene: &Scene) -> Vec<Label<'_>> {
    let tabs = scene.workspace().map_or(&[][..], |workspace| &workspace.tabs);
    let label = |(index, tab): (usize, &'_ TabScene)| {
        let number = index + 1;
        let text = match tab.name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => format!("{number} {}", text::clip(name, NAME_COLS)),
            None => number.to_string(),
        };
        // A blank at each side, the marks of agents and of the bell, and the `×` of the focused tab.
        let urgent = scene.tab_state(tab.id);
        let extra = 2
            + if urgent.is_some() { 2 } else { 0 }
            + if tab.bell { 2 } else { 0 }
            + if tab.active { 2 } else { 0 };
        (index, text::width(&text) + extra, text, urgent)
    };
    let labels = tabs.iter().enumerate().map(|(index, tab)| (tab, label((index, tab))));
    labels.map(|(tab, (index, cols, text, urgent))| Label { tab, index, text, cols, urgent }).collect()
}

/// The first tab shown: where the person scrolled to, else the first with which the focused one fits.
fn first_shown(state: &State, labels: &[Label<'_>], room: u16) -> usize {
    if let Some(first) = state.tab_first {
        return first.min(labels.len().saturating_sub(1));
    }
    let active = labels.iter().position(|label| label.tab.active).unwrap_or(0);
    let mut used = 0_u16;
    let before = labels[..=active].iter().rev().take_while(|label| {
        used = used.saturating_add(label.cols);
        used <= room
    });
    active + 1 - before.count().max(1)
}

fn tab(state: &State, label: &Label<'_>, rect: Rect, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let style = if label.tab.active { theme.tab_active } else { theme.muted };
    hits.push((rect, Hit::Tab(label.tab.id)));
    if label.tab.active {
        text::fill(buffer, rect, style);
    }
    let number = (label.index + 1).to_string();
    let mut col = text::put(buffer, rect, rect.row, rect.col + 1, &label.text, style);
    if !label.tab.active && label.text.len() > number.len() {
        text::put(buffer, rect, rect.row, rect.col + 1, &number, theme.faint);
    }
    if let Some((mark, style)) = label.urgent.map(|urgent| agents::mark(state, urgent)) {
        col = text::put(buffer, rect, rect.row, col + 1, mark, style);
    }
    if label.tab.bell {
        col = text::put(buffer, rect, rect.row, col + 1, "!", theme.bell);
    }
    if label.tab.active && col + 2 < rect.right() + 1 {
        text::put(buffer, rect, rect.row, col + 1, "×", style);
        hits.push((Rect::new(rect.row, col, Size::new(1, 3)), Hit::CloseTab(label.tab.id)));
    }
}
