//! The keyboard in a dock.

use super::{mission, picker, prompt};
use crate::client::out::Out;
use crate::client::sidebars::areas_changed;
use crate::client::state::{Dock, DockCursor, Layer, Source, State, active_row, agents, sidebar_order};
use crate::protocol::command::Command;
use crate::protocol::key::{KeyCode, KeyEvent};

/// Gives the keyboard to a dock.
pub fn focus(state: &mut State, dock: Dock, out: &mut Vec<Out>) {
    // A narrow screen has no sidebars; the same lists are there as overlays.
    if state.narrow() {
        return match dock {
            Dock::Workspaces => picker::open(state, Source::Jump),
            Dock::Agents => mission::open(state, out),
        };
    }
    let on_right = state.right.docks.contains(&dock);
    if !on_right && !state.left.docks.contains(&dock) {
        return state
            .warn("that dock is in neither sidebar (settings `sidebars.left`, `sidebars.right`)".into());
    }
    let side = if on_right { &mut state.right } else { &mut state.left };
    side.visible = true;
    areas_changed(state, out);
    let areas = state.areas();
    if (if on_right { areas.right } else { areas.left }).is_none() {
        return state.warn("the screen is too narrow for the sidebar".into());
    }
    state.layers.push(Layer::Dock(DockCursor { dock, selected: active_row(state, dock) }));
}

/// How many rows a dock has.
pub fn rows(state: &State, dock: Dock) -> usize {
    state.scene().map_or(0, |scene| match dock {
        Dock::Workspaces => scene.workspaces.len(),
        Dock::Agents => agents(scene, state.agents_here).len(),
    })
}

/// Takes a key; false leaves the dock.
pub fn key(state: &mut State, cursor: &mut DockCursor, event: KeyEvent, out: &mut Vec<Out>) -> bool {
    let last = rows(state, cursor.dock).saturating_sub(1);
    match event.code {
        KeyCode::Char('j') | KeyCode::Down => cursor.selected = (cursor.selected + 1).min(last),
        KeyCode::Char('k') | KeyCode::Up => cursor.selected = cursor.selected.saturating_sub(1),
        KeyCode::Char('g') | KeyCode::Home => cursor.selected = 0,
        KeyCode::Char('G') | KeyCode::End => cursor.selected = last,
        KeyCode::Char('N') if cursor.dock == Dock::Workspaces => {
            prompt::new_workspace(state);
            return false;
        }
        KeyCode::Char('s') if cursor.dock == Dock::Agents => state.agents_here = !state.agents_here,
        KeyCode::Enter | KeyCode::Char('l') | KeyCode::Right => {
            let chosen = state.scene().and_then(|scene| match cursor.dock {
                Dock::Workspaces => {
                    let workspace = sidebar_order(scene).get(cursor.selected)?.id;
                    Some(Command::FocusWorkspace { workspace })
                }
                Dock::Agents => {
                    let pane = agents(scene, state.agents_here).get(cursor.selected)?.0.id;
                    Some(Command::FocusPane { pane })
                }
            });
            out.extend(chosen.map(Out::command));
            return false;
        }
        KeyCode::Escape | KeyCode::Char('q') => return false,
        _ => {}
    }
    true
}
