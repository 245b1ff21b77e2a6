//! Agents as they are drawn: marks of states, and their rows in the AGENTS dock.

use super::text;
use crate::client::named_color::color_named;
use crate::client::state::{State, age};
use crate::protocol::agent::{AgentScene, AgentState, Conversation};
use crate::protocol::geometry::Rect;
use crate::protocol::scene::{PaneScene, Scene};
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};
use std::borrow::Cow;

/// The mark of a conversation that could go on.
pub const RESUME: &str = "▸";

/// The mark of a state: each has a shape of its own, so that colour is not needed (`product.md` section 6).
pub fn mark(state: &State, of: AgentState) -> (&'static str, Style) {
    let theme = &state.theme;
    match of {
        AgentState::Blocked => ("◆", theme.blocked),
        AgentState::Working => ("●", theme.working),
        AgentState::Done => ("✓", theme.done),
        AgentState::Idle => ("○", theme.idle),
        AgentState::Unknown => ("·", theme.idle),
    }
}

/// What an agent is called: the pane's name or label, else its kind or what it calls itself.
pub fn name<'scene>(pane: &'scene PaneScene, agent: &'scene AgentScene) -> &'scene str {
    named(pane).unwrap_or(&agent.label)
}

/// What somebody called the pane.
fn named(pane: &PaneScene) -> Option<&str> {
    [&pane.name, &pane.label].into_iter().flatten().map(String::as_str).find(|name| !name.is_empty())
}

/// What an agent is called in the dock, with its role: `name [role]`.
fn called<'scene>(pane: &'scene PaneScene, agent: &'scene AgentScene) -> Cow<'scene, str> {
    let name = name(pane, agent);
    match pane.role.as_deref().filter(|role| !role.is_empty()) {
        Some(role) => format!("{name} [{role}]").into(),
        None => name.into(),
    }
}

/// The state in a word, with the time in it.
pub fn status(state: &State, agent: &AgentScene) -> String {
    format!("{} {}", agent.state.as_str(), age(state.now_ms, agent.since_ms))
}

/// What the second line says: the question of one that waits, else its conversation, else its place.
pub fn about(scene: &Scene, pane: &PaneScene, agent: &AgentScene) -> String {
    let hint = agent.hint.as_deref().filter(|_| agent.state == AgentState::Blocked);
    hint.or(agent.title.as_deref()).filter(|text| !text.is_empty()).map_or_else(
        || match named(pane) {
            Some(_) => format!("{} · {}", place(scene, pane), agent.label),
            None => place(scene, pane),
        },
        str::to_owned,
    )
}

/// `workspace · tab`
pub fn place(scene: &Scene, pane: &PaneScene) -> String {
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

/// Draws the two lines of an agent on a ground that is there.
pub fn entry(
    state: &State,
    scene: &Scene,
    (pane, agent): (&PaneScene, &AgentScene),
    rect: Rect,
    buffer: &mut Buffer,
) {
    let inside = Rect { col: rect.col + 2, cols: rect.cols.saturating_sub(3), ..rect };
    let (mark, style) = mark(state, agent.state);
    let on = Style { bg: None, ..style };
    text::put(buffer, inside, rect.row, inside.col, mark, on);
    let status = status(state, agent);
    let status = text::clip(&status, inside.cols / 2);
    let right = inside.right().saturating_sub(text::width(&status));
    let weight = if agent.unread { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    // A role and a colour that a program outside gave the pane, as on its frame.
    let own_color = pane.color.as_deref().and_then(color_named);
    let weight = own_color.map_or(weight, |color| weight.fg(color));
    let called = called(pane, agent);
    let name = text::clip(&called, right.saturating_sub(inside.col + 3));
    text::put(buffer, inside, rect.row, inside.col + 2, &name, weight);
    text::put(buffer, inside, rect.row, right, &status, on);
    let faint = Style { bg: None, ..state.theme.faint };
    let mut col = inside.col + 2;
    if let Some(progress) = agent.progress.filter(|_| agent.state == AgentState::Working) {
        col = text::put(buffer, inside, rect.row + 1, col, &format!("{progress}%"), on) + 1;
    }
    let about = text::clip(&about(scene, pane, agent), inside.right().saturating_sub(col));
    let told = |path: &&str| !about.starts_with(path);
    let end = text::put(buffer, inside, rect.row + 1, col, &about, faint);
    let room = inside.right().saturating_sub(end + 2);
    let path = state.short_path(&pane.cwd);
    // The whole path, else the name of the folder: a piece of a path tells nothing.
    let fits = |path: &&str| text::width(path) <= room && !path.is_empty();
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if let Some(path) =
        [path.as_ref(), name].into_iter().find(fits).filter(told).filter(|_| state.config.agent_paths)
    {
        text::put(buffer, inside, rect.row + 1, inside.right() - text::width(path), path, faint);
    }
}

/// Draws the two lines of a conversation that could be gone on with.
pub fn past(state: &State, past: &Conversation, rect: Rect, buffer: &mut Buffer) {
    let inside = Rect { col: rect.col + 2, cols: rect.cols.saturating_sub(3), ..rect };
    let faint = Style { bg: None, ..state.theme.faint };
    let muted = Style { bg: None, ..state.theme.muted };
    text::put(buffer, inside, rect.row, inside.col, RESUME, faint);
    let status = resume_status(state, past);
    let right = inside.right().saturating_sub(text::width(&status));
    let name = text::clip(&past.agent, right.saturating_sub(inside.col + 3));
    text::put(buffer, inside, rect.row, inside.col + 2, &name, muted);
    text::put(buffer, inside, rect.row, right, &status, faint);
    let room = inside.cols.saturating_sub(2);
    text::put(buffer, inside, rect.row + 1, inside.col + 2, &past_about(state, past, room), faint);
}

/// What can be done with a conversation, and how old it is.
fn resume_status(state: &State, past: &Conversation) -> String {
    past.at_ms.map_or_else(|| "resume".to_owned(), |at| format!("resume {}", age(state.now_ms, at)))
}

/// What a conversation is about: its title, else its folder.
fn past_about(state: &State, past: &Conversation, room: u16) -> String {
    match (&past.title, &past.cwd) {
        (Some(title), _) => text::clip(title, room),
        (None, Some(cwd)) => text::clip_start(&state.short_path(cwd), room),
        (None, None) => text::clip(&past.id, room),
    }
}
