//! Lists to choose from: what their rows are, and keys in them.

use super::sessions;
use crate::client::field::Field;
use crate::client::state::{Choice, Layer, Picker, Row, Source, State, age, pane_name, sidebar_order};
use crate::config::keymap::actions;
use crate::protocol::attach::message::Told;
use crate::protocol::command::{Command, MoveTarget};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use crate::protocol::scene::Scene;

/// Rows of a page in a list.
const PAGE: isize = 10;

/// What a key did.
pub enum Step {
    /// The list stays.
    Stay,
    /// It closes.
    Close,
    /// It closes, and this is to be done.
    Choose(Choice),
}

/// Opens a list.
pub fn open(state: &mut State, source: Source) {
    let rows = rows(state, source);
    let here = state.scene().and_then(|scene| here(scene, &rows)).unwrap_or(0);
    state.layers.push(Layer::Picker(Picker::new(source, rows, here)));
    state.damage.full = true;
}

/// Takes a key.
pub fn key(picker: &mut Picker, event: KeyEvent) -> Step {
    let ctrl = event.modifiers.contains(Modifiers::CTRL);
    match event.code {
        KeyCode::Escape if picker.query.text().is_empty() => return Step::Close,
        KeyCode::Char('c') if ctrl => return Step::Close,
        KeyCode::Escape => {
            picker.query = Field::default();
            picker.selected = 0;
            picker.search();
        }
        KeyCode::Enter => return choose(picker),
        KeyCode::Up => picker.step(-1),
        KeyCode::Down => picker.step(1),
        KeyCode::Char('p' | 'k') if ctrl => picker.step(-1),
        KeyCode::Char('n' | 'j') if ctrl => picker.step(1),
        KeyCode::PageUp => picker.selected = picker.selected.saturating_sub(PAGE.unsigned_abs()),
        KeyCode::PageDown => {
            let last = picker.matches.len().saturating_sub(1);
            picker.selected = picker.selected.saturating_add_signed(PAGE).min(last);
        }
        _ => {
            if picker.query.key(event) {
                picker.selected = 0;
                picker.search();
            }
        }
    }
    Step::Stay
}

/// Chooses the selected row. With none there is nothing to do, but for a session to be made.
pub fn choose(picker: &Picker) -> Step {
    let chosen = picker.chosen().map(|row| row.choice.clone());
    let new = || sessions::new_one(picker).filter(|_| picker.source == Source::Sessions);
    chosen.or_else(new).map_or(Step::Stay, Step::Choose)
}

/// The rows of a list, as the session is now.
pub fn rows(state: &State, source: Source) -> Vec<Row> {
    match source {
        Source::Commands => commands(state),
        Source::Jump => state.scene().map(places).unwrap_or_default(),
        Source::Notifications => told(state),
        Source::MoveTo => state.scene().and_then(other_tabs).unwrap_or_default(),
        // They come from outside.
        Source::Sessions | Source::Report => Vec::new(),
    }
}

/// What the person was told of, the newest first.
fn told(state: &State) -> Vec<Row> {
    let row = |told: &Told| Row {
        text: told.alert.text.clone(),
        detail: String::new(),
        right: age(state.now_ms, told.at_ms),
        choice: Choice::Command(Command::FocusPane { pane: told.alert.pane }),
    };
    state.alerts.history.iter().map(row).collect()
}

fn commands(state: &State) -> Vec<Row> {
    let row = |info: &crate::config::keymap::ActionInfo| Row {
        text: info.text.to_owned(),
        detail: info.id.to_owned(),
        right: state.keymap.keys_of(info.action).join("  "),
        choice: Choice::Action(info.action),
    };
    actions().iter().map(row).collect()
}

/// The other tabs of the focused workspace, and a new one.
fn other_tabs(scene: &Scene) -> Option<Vec<Row>> {
    let (workspace, pane) = (scene.workspace()?, scene.layout.focused);
    let own = scene.tab()?;
    let goes = |text: String, to| Row {
        text,
        detail: String::new(),
        right: "tab".into(),
        choice: Choice::Command(Command::MovePane { pane, to }),
    };
    let others = workspace.tabs.iter().enumerate().filter(|(_, tab)| tab.id != own.id);
    let mut rows: Vec<Row> = others
        .map(|(index, tab)| {
            let name = tab.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
            goes(format!("tab {}{name}", index + 1), MoveTarget::Tab(tab.id))
        })
        .collect();
    // Alone in its tab it would only get another number.
    if own.panes > 1 {
        rows.push(goes("a new tab".to_owned(), MoveTarget::NewTab));
    }
    Some(rows)
}

/// Workspaces, their tabs, and the panes of those that have several.
fn places(scene: &Scene) -> Vec<Row> {
    let mut rows = Vec::new();
    for workspace in sidebar_order(scene) {
        rows.push(Row {
            text: workspace.name.clone(),
            detail: workspace.branch.clone().unwrap_or_default(),
            right: "workspace".into(),
            choice: Choice::Command(Command::FocusWorkspace { workspace: workspace.id }),
        });
        for (index, tab) in workspace.tabs.iter().enumerate() {
            let name = tab.name.clone().unwrap_or_else(|| format!("tab {}", index + 1));
            rows.push(Row {
                text: format!("{} › {name}", workspace.name),
                detail: String::new(),
                right: "tab".into(),
                choice: Choice::Command(Command::FocusTab { tab: tab.id }),
            });
            for pane in scene.panes.iter().filter(|pane| pane.tab == tab.id) {
                rows.push(Row {
                    text: format!("{} › {name} › {}", workspace.name, pane_name(pane)),
                    detail: pane.cwd.clone(),
                    right: match &pane.agent {
                        Some(agent) => format!("{} {}", agent.label, agent.state.as_str()),
                        None => pane.program.clone().unwrap_or_default(),
                    },
                    choice: Choice::Command(Command::FocusPane { pane: pane.id }),
                });
            }
        }
    }
    rows
}

/// The row of the focused pane.
fn here(scene: &Scene, rows: &[Row]) -> Option<usize> {
    let focused = Choice::Command(Command::FocusPane { pane: scene.layout.focused? });
    rows.iter().position(|row| row.choice == focused)
}
