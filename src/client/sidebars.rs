//! Sidebars come and go, and the panes get what is left.

use super::areas::announced;
use super::out::Out;
use super::state::{Layer, State};
use crate::protocol::attach::message::ToServer;

/// The parts of the screen have other sizes: the server hears of the panes' one.
pub fn areas_changed(state: &mut State, out: &mut Vec<Out>) {
    let area = announced(state.areas().panes);
    if area != state.announced {
        state.announced = area;
        out.push(Out::Send(ToServer::Resize(area)));
    }
    state.follow_cursor();
    state.damage.full = true;
}

/// Shows or hides both sidebars.
pub fn toggle_both(state: &mut State, out: &mut Vec<Out>) {
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
    state.left.visible = state.areas().left.is_none();
    sidebars_changed(state, out);
}

/// Shows or hides the right sidebar.
pub fn toggle_right(state: &mut State, out: &mut Vec<Out>) {
    let show = state.areas().right.is_none();
    state.right.visible = show;
    sidebars_changed(state, out);
    if show && state.areas().right.is_none() {
        state.warn("the screen is too narrow for the right sidebar".into());
    }
}

fn sidebars_changed(state: &mut State, out: &mut Vec<Out>) {
    state.layers.retain(|layer| !matches!(layer, Layer::Dock(_)));
    areas_changed(state, out);
}
