//! Overlays: while one is up it gets every key, and the panes get none.

pub mod dock;
mod help;
pub mod prompt;

use super::out::Out;
use super::state::{Dock, Layer, State};
use super::view;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Gives a key to the topmost layer.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    let Some(mut top) = state.layers.pop() else { return };
    state.damage.full = true;
    let stays = match &mut top {
        Layer::Help(help) => help::key(state, help, event),
        Layer::Prompt(prompt) => prompt::key(state, prompt, event, out),
        Layer::Confirm { command, .. } => confirm_key(command, event, out),
        Layer::Dock(cursor) => dock::key(state, cursor, event, out),
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
    let (workspaces, agents) = (dock::rows(state, Dock::Workspaces), dock::rows(state, Dock::Agents));
    for layer in &mut state.layers {
        if let Layer::Dock(cursor) = layer {
            let rows = if cursor.dock == Dock::Workspaces { workspaces } else { agents };
            cursor.selected = cursor.selected.min(rows.saturating_sub(1));
        }
    }
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

/// The largest first line of the help that still fills its box.
fn last_top(state: &State) -> usize {
    match state.layers.last() {
        Some(Layer::Help(help)) => view::help::last_top(state, help),
        _ => 0,
    }
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
