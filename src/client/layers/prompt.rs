//! Prompts: a line to fill in becomes a command.

use crate::client::out::Out;
use crate::client::state::{Layer, Prompt, Purpose, State};
use crate::protocol::command::{Command, Launch};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use crate::protocol::scene::Scene;
use std::path::Path;

/// Opens the prompt that a scene gives rise to, if it does.
pub fn open(state: &mut State, prompt: impl FnOnce(&Scene) -> Option<Prompt>) {
    let prompt = state.scene().and_then(prompt);
    state.layers.extend(prompt.map(Layer::Prompt));
}

/// Asks for a name.
pub fn rename_pane(scene: &Scene) -> Option<Prompt> {
    let pane = scene.pane(scene.layout.focused?)?;
    Some(Prompt::new(Purpose::RenamePane(pane.id), pane.name.as_deref().unwrap_or_default()))
}

/// Asks for a name.
pub fn rename_tab(scene: &Scene) -> Option<Prompt> {
    let tab = scene.tab()?;
    Some(Prompt::new(Purpose::RenameTab(tab.id), tab.name.as_deref().unwrap_or_default()))
}

/// Asks for a name.
pub fn rename_workspace(scene: &Scene) -> Option<Prompt> {
    let workspace = scene.workspace()?;
    Some(Prompt::new(Purpose::RenameWorkspace(workspace.id), &workspace.name))
}

/// Asks for the folder of a new workspace.
pub fn new_workspace(state: &mut State) {
    let scene = state.scene();
    let pane = scene.and_then(|scene| scene.pane(scene.layout.focused?));
    let base = pane.map_or_else(|| state.home.clone().unwrap_or_default(), |pane| pane.cwd.clone());
    let shown = state.short_path(&base).into_owned();
    state.layers.push(Layer::Prompt(Prompt::new(Purpose::NewWorkspace { base }, &shown)));
    state.damage.full = true;
}

/// Takes a key; false closes the prompt.
pub fn key(state: &mut State, prompt: &mut Prompt, event: KeyEvent, out: &mut Vec<Out>) -> bool {
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
