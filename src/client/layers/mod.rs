//! Overlays: while one is up it gets every key, and the panes get none.

pub mod dock;
mod help;
pub mod menu;
pub mod picker;
pub mod prompt;
pub mod sessions;

use self::picker::Step;
use super::out::Out;
use super::state::{Choice, Dock, Hit, Layer, Source, State};
use super::view;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Gives a key to the topmost layer; returns what was chosen in it.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) -> Option<Choice> {
    let mut top = state.layers.pop()?;
    state.damage.full = true;
    let stays = match &mut top {
        Layer::Help(help) => help::key(state, help, event),
        Layer::Prompt(prompt) => prompt::key(state, prompt, event, out),
        Layer::Confirm { choice, .. } => {
            let step = confirm_key(choice, event);
            return done(state, step, top);
        }
        Layer::Dock(cursor) => dock::key(state, cursor, event, out),
        Layer::Picker(picker) => {
            if picker.source == Source::Sessions
                && let Some(question) = sessions::key(picker, &state.session, event)
            {
                state.layers.extend([top, question]);
                return None;
            }
            let step = picker::key(picker, event);
            return done(state, step, top);
        }
        Layer::Menu(menu) => return done(state, menu::key(menu, event), top),
    };
    if stays {
        state.layers.push(top);
    }
    None
}

/// Puts a layer back if it stays.
fn done(state: &mut State, step: Step, layer: Layer) -> Option<Choice> {
    match step {
        Step::Stay => state.layers.push(layer),
        Step::Close => {}
        Step::Choose(choice) => return Some(choice),
    }
    None
}

/// The pointer is over a line of the menu on top.
pub fn point(state: &mut State, index: usize) {
    if let Some(Layer::Menu(menu)) = state.layers.last_mut()
        && menu.selected != index
    {
        menu.selected = index;
        state.damage.full = true;
    }
}

/// Chooses what was clicked on in the topmost layer.
pub fn click(state: &mut State, hit: Hit) -> Option<Choice> {
    state.damage.full = true;
    let step = match (state.layers.last_mut()?, hit) {
        (Layer::Picker(picker), Hit::Match(index)) => {
            picker.selected = index;
            picker::choose(picker)
        }
        (Layer::Menu(menu), Hit::Item(index)) => menu::choose(menu, index),
        _ => Step::Stay,
    };
    let Step::Choose(choice) = step else { return None };
    state.layers.pop();
    Some(choice)
}

/// Gives a pasted text to the topmost layer.
pub fn paste(state: &mut State, text: &str) {
    match state.layers.last_mut() {
        Some(Layer::Prompt(prompt)) => prompt.field.insert(text),
        Some(Layer::Help(help)) if help.searching => help.query.insert(text),
        Some(Layer::Picker(picker)) => {
            picker.query.insert(text);
            picker.selected = 0;
            picker.search();
        }
        _ => return,
    }
    state.damage.full = true;
}

/// Scrolls the topmost layer by the wheel.
pub fn wheel(state: &mut State, lines: isize) {
    let last = last_top(state);
    match state.layers.last_mut() {
        Some(Layer::Help(help)) => help.top = help.top.saturating_add_signed(lines).min(last),
        Some(Layer::Picker(picker)) => picker.step(lines.signum()),
        _ => return,
    }
    state.damage.full = true;
}

/// Answers the question on top; returns what is to be done.
pub fn answer(state: &mut State, yes: bool) -> Option<Choice> {
    state.damage.full = true;
    match state.layers.pop_if(|layer| matches!(layer, Layer::Confirm { .. })) {
        Some(Layer::Confirm { choice, .. }) if yes => Some(choice),
        _ => None,
    }
}

/// Keeps docks' cursors inside their lists, and lists of places true.
pub fn scene_changed(state: &mut State) {
    if state.layers.is_empty() {
        return;
    }
    let (workspaces, agents) = (dock::rows(state, Dock::Workspaces), dock::rows(state, Dock::Agents));
    let places = picker::rows(state, Source::Jump);
    for layer in &mut state.layers {
        match layer {
            Layer::Dock(cursor) => {
                let rows = if cursor.dock == Dock::Workspaces { workspaces } else { agents };
                cursor.selected = cursor.selected.min(rows.saturating_sub(1));
            }
            Layer::Picker(picker) if picker.source == Source::Jump => picker.replace(places.clone()),
            _ => {}
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

fn confirm_key(choice: &Choice, event: KeyEvent) -> Step {
    match event.code {
        KeyCode::Char('y' | 'Y') | KeyCode::Enter => Step::Choose(choice.clone()),
        KeyCode::Char('n' | 'N' | 'q') | KeyCode::Escape => Step::Close,
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => Step::Close,
        _ => Step::Stay,
    }
}
