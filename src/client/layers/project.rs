//! The question whether a project's layout is made: what it would run is read first.
//!
//! Invariant: no text that a person was typing when it came says yes.

use crate::client::out::Out;
use crate::client::state::{Layer, Offered, State};
use crate::client::view;
use crate::protocol::attach::message::{Offer, ProjectWish, ToServer};
use crate::protocol::key::{KeyCode, KeyEvent};

/// Asks whether the focused workspace's folder has a layout.
pub fn look(state: &State, out: &mut Vec<Out>) {
    if let Some(workspace) = state.scene().and_then(|scene| scene.workspace()) {
        out.push(Out::Send(ToServer::Project(ProjectWish::Look(workspace.id))));
    }
}

/// A layout is offered. It waits below what is open already, and takes the place of an older one of its folder.
pub fn offered(state: &mut State, offer: Offer) {
    let same = |layer: &Layer| matches!(layer, Layer::Project(Offered { offer: old, .. }) if old.workspace == offer.workspace);
    state.layers.retain(|layer| !same(layer));
    state.layers.insert(0, Layer::Project(Offered { offer, top: 0, yes: false }));
    state.leave_mode();
    state.damage.full = true;
}

/// Takes a key; false once the person has decided.
pub fn key(state: &State, offered: &mut Offered, event: KeyEvent, out: &mut Vec<Out>) -> bool {
    let last = view::project::last_top(state, offered);
    match event.code {
        // Lines are read on to their end before yes can be chosen.
        KeyCode::Down | KeyCode::PageDown if offered.top < last => {
            let lines = if event.code == KeyCode::Down { 1 } else { view::project::rows(state, offered) };
            offered.top = (offered.top + lines).min(last);
        }
        KeyCode::Up if offered.yes => offered.yes = false,
        KeyCode::Up => offered.top = offered.top.saturating_sub(1),
        KeyCode::PageUp => {
            offered.top = offered.top.saturating_sub(view::project::rows(state, offered));
        }
        KeyCode::Down | KeyCode::PageDown => offered.yes = true,
        KeyCode::Enter if offered.yes => {
            accept(offered, out);
            return false;
        }
        KeyCode::Escape => {
            decline(offered, out);
            return false;
        }
        _ => {}
    }
    true
}

/// Takes a click on one of the answers; false once the person has decided.
pub fn answer(offered: &Offered, yes: bool, out: &mut Vec<Out>) {
    if yes { accept(offered, out) } else { decline(offered, out) }
}

fn accept(offered: &Offered, out: &mut Vec<Out>) {
    let Offer { workspace, digest, .. } = &offered.offer;
    out.push(Out::Send(ToServer::Project(ProjectWish::Accept(*workspace, digest.clone()))));
}

fn decline(offered: &Offered, out: &mut Vec<Out>) {
    out.push(Out::Send(ToServer::Project(ProjectWish::Decline(offered.offer.workspace))));
}
