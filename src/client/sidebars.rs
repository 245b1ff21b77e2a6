//! Sidebars come and go, and the panes get what is left.

use super::areas::announced;
use super::out::Out;
use super::state::{Layer, State};
use crate::protocol::attach::message::ToServer;

/// The parts of the screen have other sizes: the server hears of the panes' one.
pub fn areas_changed(state: &mut State, out: &mut Vec<Out>) {
    let room = announced(state.areas().panes, state.narrow());
    if room != state.announced {
        state.announced = room;
        out.push(Out::Send(ToServer::Resize(room)));
    }
    state.follow_cursor();
    state.damage.full = true;
}

/// Shows or hides both sidebars.
pub fn toggle_both(state: &mut State, out: &mut Vec<Out>) {
    if no_room(state) {
        return;
    }
    let areas = state.areas();
    let shown = areas.left.is_some() || areas.right.is_some();
    state.left.visible = !shown;
    state.right.visible = !shown && !state.right.docks.is_empty();
    sidebars_changed(state, out);
    if !shown && state.areas().left.is_none() {
        state.warn("the screen is too narrow for the sidebar".into());
    }
}

/// Shows or hides the left sidebar.
pub fn toggle_left(state: &mut State, out: &mut Vec<Out>) {
    if no_room(state) {
        return;
    }
    state.left.visible = state.areas().left.is_none();
    sidebars_changed(state, out);
}

/// Shows or hides the right sidebar.
pub fn toggle_right(state: &mut State, out: &mut Vec<Out>) {
    if no_room(state) {
        return;
    }
    let show = state.areas().right.is_none();
    state.right.visible = show;
    sidebars_changed(state, out);
    if show && state.areas().right.is_none() {
        state.warn("the screen is too narrow for the right sidebar".into());
    }
}

/// A narrow screen has no sidebars, whatever is wished.
fn no_room(state: &mut State) -> bool {
    let narrow = state.narrow();
    if narrow {
        state.warn("a narrow screen has no sidebars".into());
    }
    narrow
}

fn sidebars_changed(state: &mut State, out: &mut Vec<Out>) {
    state.layers.retain(|layer| !matches!(layer, Layer::Dock(_)));
    areas_changed(state, out);
}
