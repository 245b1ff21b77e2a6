//! The keyboard in a dock.

use super::{menu, mission, picker, prompt};
use crate::client::actions as client_actions;
use crate::client::out::Out;
use crate::client::sidebars::areas_changed;
use crate::client::state::{
    Choice, Dock, DockCursor, Hit, Layer, Listed, Source, State, active_row, dock_agents, sidebar_order,
};
use crate::protocol::attach::message::ToServer;
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
        Dock::Agents => dock_agents(state).len(),
    })
}

/// Lists agents only, or what could be gone on with too.
pub fn filter(state: &mut State, out: &mut Vec<Out>) {
    state.agents_active = !state.agents_active;
    if !state.agents_active {
        out.push(Out::Send(ToServer::Conversations));
    }
}

/// Going on with the conversation of that index in the list.
pub fn resume(state: &State, index: usize) -> Option<Choice> {
    state.conversations.get(index).map(|past| mission::go(&Listed::Past(past)))
}

/// The menu of what the cursor is on, if this is its key.
pub fn actions(state: &State, cursor: DockCursor, event: KeyEvent) -> Option<Layer> {
    if cursor.dock != Dock::Agents || event.code != KeyCode::Char('a') {
        return None;
    }
    let listed = *dock_agents(state).get(cursor.selected)?;
    let hit = match listed {
        Listed::Agent(pane, _) => Hit::Agent(pane.id),
        Listed::Past(past) => Hit::Past(state.conversations.iter().position(|own| own.id == past.id)?),
    };
    let place = state.hits.iter().find(|(_, own)| *own == hit).map(|(rect, _)| *rect);
    let at = place.map_or((0, 0), |rect| (rect.bottom(), rect.col + 2));
    menu::of(state, hit, at)
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
        KeyCode::Char('s') if cursor.dock == Dock::Agents => {
            state.agents_here = !state.agents_here;
            cursor.selected = cursor.selected.min(rows(state, cursor.dock).saturating_sub(1));
        }
        KeyCode::Char('f') if cursor.dock == Dock::Agents => {
            filter(state, out);
            cursor.selected = cursor.selected.min(rows(state, cursor.dock).saturating_sub(1));
        }
        KeyCode::Enter | KeyCode::Char('l') | KeyCode::Right => {
            match cursor.dock {
                Dock::Workspaces => {
                    let order = state.scene().map(sidebar_order).unwrap_or_default();
                    let chosen = order.get(cursor.selected).map(|workspace| workspace.id);
                    out.extend(chosen.map(|workspace| Out::command(Command::FocusWorkspace { workspace })));
                }
                Dock::Agents => {
                    let chosen = dock_agents(state).get(cursor.selected).map(mission::go);
                    if let Some(choice) = chosen {
                        client_actions::choose(state, choice, out);
                    }
                }
            }
            return false;
        }
        KeyCode::Escape | KeyCode::Char('q') => return false,
        _ => {}
    }
    true
}
