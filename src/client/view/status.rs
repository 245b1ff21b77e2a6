//! The status bar: the mode, what to press, the last notice, and where one is.

use super::{agents, text};
use crate::client::find;
use crate::client::screen::ScreenCursor;
use crate::client::state::{Dock, Find, Layer, Mode, State, count_in};
use crate::config::keymap::Action;
use crate::protocol::agent::AgentState;
use crate::protocol::attach::message::Level;
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::Rect;
use crate::protocol::scene::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

/// What the hint after the prefix names, most wanted first.
const PREFIX_HINTS: [(Action, &str); 9] = [
    (Action::Help, "help"),
    (Action::SplitRight, "split right"),
    (Action::SplitDown, "split down"),
    (Action::NewTab, "new tab"),
    (Action::ClosePane, "close"),
    (Action::ZoomPane, "zoom"),
    (Action::NewWorkspace, "workspace"),
    (Action::ResizeMode, "resize"),
    (Action::Detach, "detach"),
];

/// Draws the bar.
pub fn render(state: &State, scene: Option<&Scene>, bar: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    text::fill(buffer, bar, theme.panel);
    let (word, style) = mode(state, scene);
    let mut col = text::put(buffer, bar, bar.row, bar.col, &format!(" {word} "), style);
    col += 1;
    let middle_end = place(state, scene, col, bar, buffer);
    let room = middle_end.saturating_sub(col);
    if let Some(find) = find::editing(state) {
        let col = text::put(buffer, bar, bar.row, col, slash(find), theme.muted.patch(theme.accent));
        text::put(buffer, bar, bar.row, col, &text::clip(find.query.text(), room), theme.panel);
        return;
    }
    match notice(state) {
        Some((level, notice)) => {
            let style = if *level == Level::Warning { theme.warning } else { theme.notice };
            text::put(buffer, bar, bar.row, col, &text::clip(notice, room), style);
        }
        None => hint(state, col, Rect { cols: middle_end.saturating_sub(bar.col), ..bar }, buffer),
    }
}

/// The notice to show: after the prefix the keys are wanted more.
fn notice(state: &State) -> Option<&(Level, String)> {
    state.notices.current().filter(|_| state.mode != Mode::Prefix)
}

/// What there is to tell, where there is room for one line only.
pub fn told(state: &State) -> Option<(Style, &str)> {
    if state.stale {
        return Some((state.theme.notice, &state.away));
    }
    let (level, text) = notice(state)?;
    let style = if *level == Level::Warning { state.theme.warning } else { state.theme.notice };
    Some((style, text))
}

/// The dock that has the keyboard.
fn dock(state: &State) -> Option<Dock> {
    match state.layers.last() {
        Some(Layer::Dock(cursor)) => Some(cursor.dock),
        _ => None,
    }
}

/// Whether the focused pane is in copy mode.
fn copying(state: &State) -> bool {
    state.focused().is_some_and(|pane| state.copying(pane))
}

fn slash(find: &Find) -> &'static str {
    if find.back { "?" } else { "/" }
}

/// The cursor in the line of a search.
pub fn find_cursor(state: &State, find: &Find, bar: Rect) -> ScreenCursor {
    let (word, _) = mode(state, state.scene());
    let before = text::width(word).saturating_add(4).saturating_add(find.query.cursor_cols());
    let col = bar.col.saturating_add(before).min(bar.right().saturating_sub(1));
    ScreenCursor { row: bar.row, col, shape: CursorShape::Bar { blink: false } }
}

/// The word and the look of what the next key means.
pub fn mode(state: &State, scene: Option<&Scene>) -> (&'static str, Style) {
    let theme = &state.theme;
    if state.stale {
        return ("STALE", theme.mode_scroll);
    }
    match state.mode {
        _ if dock(state).is_some() => ("DOCK", theme.mode_prefix),
        Mode::Prefix => ("PREFIX", theme.mode_prefix),
        Mode::Resize => ("RESIZE", theme.mode_resize),
        Mode::Normal if copying(state) => ("COPY", theme.mode_copy),
        Mode::Normal if state.scrolling() => ("SCROLL", theme.mode_scroll),
        Mode::Normal if scene.is_some_and(|scene| scene.layout.zoomed) => ("ZOOM", theme.mode_zoom),
        Mode::Normal => ("NORMAL", theme.mode_normal),
    }
}

/// Session, panes, tab and version at the right, as many as fit beside a notice; returns where they
/// begin.
fn place(state: &State, scene: Option<&Scene>, from: u16, bar: Rect, buffer: &mut Buffer) -> u16 {
    let theme = &state.theme;
    let mut parts = vec![(state.session.clone(), theme.muted.patch(theme.accent))];
    if let Some(scene) = scene {
        for waiting in [AgentState::Blocked, AgentState::Done] {
            let count = count_in(scene, waiting);
            if count > 0 {
                let (mark, style) = agents::mark(state, waiting);
                parts.push((format!("{mark} {count} {}", waiting.as_str()), theme.muted.patch(style)));
            }
        }
        let panes = scene.panes.len();
        parts.push((format!("{panes} pane{}", if panes == 1 { "" } else { "s" }), theme.muted));
        if let Some(workspace) = scene.workspace() {
            let tab = workspace.tabs.iter().position(|tab| tab.active).map_or(0, |index| index + 1);
            parts.push((format!("tab {tab}/{}", workspace.tabs.len()), theme.muted));
        }
    }
    parts.push((state.version.clone(), theme.faint));
    // The less the left has to say, the more room there is; the last parts go first.
    let free = bar.right().saturating_sub(from);
    let room = match (notice(state), state.mode) {
        (None, Mode::Normal) if dock(state).is_none() => free / 3 * 2,
        (Some((_, notice)), _) => free.saturating_sub(text::width(notice)),
        (None, _) => free / 3,
    };
    let total = |parts: &[(String, Style)]| {
        parts.iter().fold(0_u16, |sum, (part, _)| sum.saturating_add(text::width(part)).saturating_add(3))
    };
    while total(&parts) > room && parts.pop().is_some() {}
    let start = bar.right().saturating_sub(total(&parts));
    let mut col = start;
    for (index, (part, style)) in parts.iter().enumerate() {
        let between = if index == 0 { "  " } else { " · " };
        col = text::put(buffer, bar, bar.row, col, between, theme.faint);
        col = text::put(buffer, bar, bar.row, col, part, *style);
    }
    start
}

fn hint(state: &State, col: u16, bar: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let key = theme.muted.patch(theme.accent);
    let pairs: Vec<(String, &str)> = if state.stale {
        vec![(String::new(), &state.away)]
    } else if let Some(dock) = dock(state) {
        let own: &[(&str, &str)] = match dock {
            Dock::Workspaces => &[("N", "open a folder")],
            Dock::Agents => &[("a", "actions"), ("f", "filter"), ("s", "scope")],
        };
        let all = [&[("j k", "move"), ("Enter", "open")], own, &[("Esc", "back")]].concat();
        all.into_iter().map(|(key, word)| (key.to_owned(), word)).collect()
    } else {
        match state.mode {
            Mode::Prefix => {
                let bound = |(action, word): &(Action, &'static str)| {
                    let (chord, _) = state.keymap.prefixed.iter().find(|(_, bound)| bound == action)?;
                    Some((chord.to_string(), *word))
                };
                let mut pairs: Vec<_> = PREFIX_HINTS.iter().filter_map(bound).collect();
                pairs.push(("Esc".into(), "cancel"));
                pairs
            }
            Mode::Resize => {
                vec![("arrows".into(), "resize"), ("shift".into(), "by 5"), ("Esc".into(), "done")]
            }
            Mode::Normal if copying(state) => vec![
                ("v V ^v".into(), "select"),
                ("y".into(), "copy"),
                ("/ ?".into(), "search"),
                ("O".into(), "output"),
                ("q".into(), "leave"),
            ],
            Mode::Normal if state.scrolling() => vec![
                ("j k".into(), "line"),
                ("f b".into(), "page"),
                ("g G".into(), "ends"),
                ("/".into(), "search"),
                ("y".into(), "copy"),
                ("[ ]".into(), "prompts"),
                ("q".into(), "live"),
            ],
            Mode::Normal => match state.keymap.prefixed.iter().find(|(_, action)| *action == Action::Help) {
                Some((chord, _)) => vec![(format!("{} {chord}", state.keymap.prefix), "help")],
                None => vec![],
            },
        }
    };
    let mut col = col;
    for (chord, word) in pairs {
        let cols = text::width(&chord) + text::width(word) + 3;
        if col + cols > bar.right() {
            break;
        }
        col = text::put(buffer, bar, bar.row, col, &chord, key);
        col = text::put(buffer, bar, bar.row, col + 1, word, theme.muted) + 2;
    }
}
