//! Overlays: while one is up it gets every key, and the panes get none.

use super::actions;
use super::field::Field;
use super::state::{Dock, State, running, sidebar_order};
use super::update::Out;
use super::view;
use crate::protocol::command::{ClosePolicy, Command, Launch};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use std::path::Path;

/// One overlay.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// The effective keys.
    Help(Help),
    /// A line to fill in.
    Prompt(Prompt),
    /// A question of the server's.
    Confirm {
        /// The question.
        question: String,
        /// What is sent on yes.
        command: Command,
    },
    /// The keyboard is in a dock.
    Dock(DockCursor),
}

/// The help overlay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Help {
    /// What is searched for.
    pub query: Field,
    /// Whether keys go to the query.
    pub searching: bool,
    /// The first line shown.
    pub top: usize,
}

/// A line to fill in, and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What for.
    pub purpose: Purpose,
    /// The line.
    pub field: Field,
}

/// What a prompt's text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A tab's name.
    RenameTab(TabId),
    /// A pane's alias.
    RenamePane(PaneId),
    /// A workspace's label.
    RenameWorkspace(WorkspaceId),
    /// The root of a workspace; relative paths start at `base`.
    NewWorkspace {
        /// The focused pane's directory.
        base: String,
    },
}

/// The selected row of a dock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DockCursor {
    /// Which dock.
    pub dock: Dock,
    /// Its row.
    pub selected: usize,
}

impl Prompt {
    /// A prompt with a text to start from.
    pub fn new(purpose: Purpose, text: &str) -> Self {
        Self { purpose, field: Field::new(text) }
    }
}

/// Gives a key to the topmost layer.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    let Some(mut top) = state.layers.pop() else { return };
    state.damage.full = true;
    let stays = match &mut top {
        Layer::Help(help) => help_key(state, help, event),
        Layer::Prompt(prompt) => prompt_key(state, prompt, event, out),
        Layer::Confirm { command, .. } => confirm_key(command, event, out),
        Layer::Dock(cursor) => dock_key(state, cursor, event, out),
    };
    if stays {
        state.layers.push(top);
    }
}

/// Gives a pasted text to the topmost layer.
pub fn paste(state: &mut State, text: &str) {
    match state.layers.last_mut() {
        Some(Layer::Prompt(prompt)) => prompt.field.insert(text),
        Some(Layer::Help(help)) if help.searching => help.query.insert(text),
        _ => return,
    }
    state.damage.full = true;
}

/// Scrolls the topmost layer by the wheel.
pub fn wheel(state: &mut State, lines: isize) {
    let last = last_top(state);
    if let Some(Layer::Help(help)) = state.layers.last_mut() {
        help.top = help.top.saturating_add_signed(lines).min(last);
        state.damage.full = true;
    }
}

/// Answers the question on top.
pub fn answer(state: &mut State, yes: bool, out: &mut Vec<Out>) {
    if let Some(Layer::Confirm { command, .. }) =
        state.layers.pop_if(|layer| matches!(layer, Layer::Confirm { .. }))
        && yes
    {
        out.push(Out::command(command));
    }
    state.damage.full = true;
}

/// Keeps docks' cursors inside their lists.
pub fn scene_changed(state: &mut State) {
    let (workspaces, agents) = (rows(state, Dock::Workspaces), rows(state, Dock::Agents));
    for layer in &mut state.layers {
        if let Layer::Dock(cursor) = layer {
            let rows = if cursor.dock == Dock::Workspaces { workspaces } else { agents };
            cursor.selected = cursor.selected.min(rows.saturating_sub(1));
        }
    }
}

/// The row of what is focused.
pub fn active_row(state: &State, dock: Dock) -> usize {
    let Some(scene) = state.scene() else { return 0 };
    let found = match dock {
        Dock::Workspaces => sidebar_order(scene).iter().position(|workspace| workspace.active),
        Dock::Agents => running(scene).iter().position(|pane| Some(pane.id) == scene.layout.focused),
    };
    found.unwrap_or(0)
}

/// The same command, with leave to end what runs.
pub fn forced(command: Command) -> Command {
    let policy = ClosePolicy::Force;
    match command {
        Command::ClosePane { pane, .. } => Command::ClosePane { pane, policy },
        Command::CloseTab { tab, .. } => Command::CloseTab { tab, policy },
        Command::CloseWorkspace { workspace, .. } => Command::CloseWorkspace { workspace, policy },
        other => other,
    }
}

fn rows(state: &State, dock: Dock) -> usize {
    state.scene().map_or(0, |scene| match dock {
        Dock::Workspaces => scene.workspaces.len(),
        Dock::Agents => running(scene).len(),
    })
}

/// The largest first line of the help that still fills its box.
fn last_top(state: &State) -> usize {
    match state.layers.last() {
        Some(Layer::Help(help)) => view::help::last_top(state, help),
        _ => 0,
    }
}

fn help_key(state: &State, help: &mut Help, event: KeyEvent) -> bool {
    if help.searching {
        match event.code {
            KeyCode::Escape | KeyCode::Enter | KeyCode::Down | KeyCode::Up => help.searching = false,
            _ if help.query.key(event) => help.top = 0,
            _ => {}
        }
        if event.code == KeyCode::Escape {
            help.query = Field::default();
        }
        return true;
    }
    let (last, page) = (view::help::last_top(state, help), view::help::page(state));
    let top = match event.code {
        KeyCode::Char('/') => {
            help.searching = true;
            help.top
        }
        KeyCode::Char('j') | KeyCode::Down => help.top + 1,
        KeyCode::Char('k') | KeyCode::Up => help.top.saturating_sub(1),
        KeyCode::Char('f' | ' ') | KeyCode::PageDown => help.top + page,
        KeyCode::Char('b') | KeyCode::PageUp => help.top.saturating_sub(page),
        KeyCode::Char('g') | KeyCode::Home => 0,
        KeyCode::Char('G') | KeyCode::End => last,
        KeyCode::Escape if !help.query.text().is_empty() => {
            help.query = Field::default();
            0
        }
        KeyCode::Escape | KeyCode::Char('q' | '?') => return false,
        _ => help.top,
    };
    help.top = top.min(last);
    true
}

fn confirm_key(command: &Command, event: KeyEvent, out: &mut Vec<Out>) -> bool {
    match event.code {
        KeyCode::Char('y' | 'Y') | KeyCode::Enter => {
            out.push(Out::command(command.clone()));
            false
        }
        KeyCode::Char('n' | 'N' | 'q') | KeyCode::Escape => false,
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => false,
        _ => true,
    }
}

fn prompt_key(state: &mut State, prompt: &mut Prompt, event: KeyEvent, out: &mut Vec<Out>) -> bool {
    match event.code {
        KeyCode::Escape => return false,
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => return false,
        KeyCode::Enter => {}
        _ => {
            prompt.field.key(event);
            return true;
        }
    }
    let name = prompt.field.text().trim().to_owned();
    let command = match &prompt.purpose {
        Purpose::RenameTab(tab) => Command::RenameTab { tab: *tab, name },
        Purpose::RenamePane(pane) => Command::RenamePane { pane: Some(*pane), name },
        Purpose::RenameWorkspace(workspace) => Command::RenameWorkspace { workspace: *workspace, name },
        Purpose::NewWorkspace { base } => {
            if name.is_empty() {
                return false;
            }
            let path = resolve(state.home.as_deref(), base, &name);
            Command::OpenWorkspace { path, focus: true, reuse: true, launch: Launch::default() }
        }
    };
    out.push(Out::command(command));
    false
}

/// An absolute path from what a person typed.
fn resolve(home: Option<&str>, base: &str, text: &str) -> String {
    let (start, rest) = match (home, text.strip_prefix('~')) {
        (Some(home), Some(rest)) if rest.is_empty() || rest.starts_with('/') => {
            (home, rest.trim_start_matches('/'))
        }
        _ => (base, text),
    };
    if rest.is_empty() {
        return start.to_owned();
    }
    Path::new(start).join(rest).to_string_lossy().into_owned()
}

fn dock_key(state: &mut State, cursor: &mut DockCursor, event: KeyEvent, out: &mut Vec<Out>) -> bool {
    let last = rows(state, cursor.dock).saturating_sub(1);
    match event.code {
        KeyCode::Char('j') | KeyCode::Down => cursor.selected = (cursor.selected + 1).min(last),
        KeyCode::Char('k') | KeyCode::Up => cursor.selected = cursor.selected.saturating_sub(1),
        KeyCode::Char('g') | KeyCode::Home => cursor.selected = 0,
        KeyCode::Char('G') | KeyCode::End => cursor.selected = last,
        KeyCode::Char('N') if cursor.dock == Dock::Workspaces => {
            actions::new_workspace(state);
            return false;
        }
        KeyCode::Enter | KeyCode::Char('l') | KeyCode::Right => {
            let chosen = state.scene().and_then(|scene| match cursor.dock {
                Dock::Workspaces => {
                    let workspace = sidebar_order(scene).get(cursor.selected)?.id;
                    Some(Command::FocusWorkspace { workspace })
                }
                Dock::Agents => Some(Command::FocusPane { pane: running(scene).get(cursor.selected)?.id }),
            });
            out.extend(chosen.map(Out::command));
            return false;
        }
        KeyCode::Escape | KeyCode::Char('q') => return false,
        _ => {}
    }
    true
}
