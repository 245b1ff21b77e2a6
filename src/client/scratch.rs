//! The scratch terminal in this client: over the layout or hidden, and what makes it step aside.
//!
//! Invariant: what is meant for the layout never goes to the scratch terminal; it is hidden first.

use super::out::Out;
use super::reading;
use super::state::{Choice, Layer, ScratchView, State};
use crate::config::keymap::Action;
use crate::protocol::attach::message::{ScratchWish, ToServer};
use crate::protocol::ids::PaneId;

/// Whether a pane is the scratch terminal, and shown.
pub fn is(state: &State, pane: PaneId) -> bool {
    shown(state) == Some(pane)
}

/// The scratch terminal, if it is shown.
pub fn shown(state: &State) -> Option<PaneId> {
    state.scene()?.shown_scratch().map(|scratch| scratch.pane.id)
}

/// Shows it, or hides it.
pub fn toggle(state: &mut State, out: &mut Vec<Out>) {
    if shown(state).is_some() {
        return hide(state, out);
    }
    state.mirror.view_scratch(ScratchView::Asked, state.narrow());
    out.push(Out::Send(ToServer::Scratch(ScratchWish::Show)));
}

/// Hides it, if it is shown; what runs in it goes on.
pub fn hide(state: &mut State, out: &mut Vec<Out>) {
    let Some(pane) = shown(state) else { return };
    forget(state, pane);
    out.push(Out::Send(ToServer::Scratch(ScratchWish::Hide)));
}

/// Ends it, and asks before that if more than its shell runs.
pub fn close(state: &mut State, out: &mut Vec<Out>) {
    let Some(scratch) = state.scene().and_then(|scene| scene.shown_scratch()) else { return };
    if !scratch.pane.busy {
        return end(state, out);
    }
    let program = scratch.pane.program.as_deref().unwrap_or("a program");
    let question = format!("`{program}` would be ended. Close the scratch terminal?");
    state.layers.push(Layer::Confirm { question, choice: Choice::EndScratch });
}

/// Ends it with what runs in it.
pub fn end(state: &mut State, out: &mut Vec<Out>) {
    if let Some(pane) = shown(state) {
        forget(state, pane);
        out.push(Out::Send(ToServer::Scratch(ScratchWish::End)));
    }
}

fn forget(state: &mut State, pane: PaneId) {
    state.scrolled.remove(&pane);
    reading::forget_hidden(state, |other| other != pane);
    state.mirror.view_scratch(ScratchView::Hidden, state.narrow());
    state.follow_cursor();
    state.damage.full = true;
}

/// Whether an action is about something else than the terminal on top, so that this one is hidden first.
pub fn steps_aside(action: Action) -> bool {
    !matches!(
        action,
        Action::Scratch
            | Action::ClosePane
            | Action::ScrollMode
            | Action::CopyMode
            | Action::CommandPalette
            | Action::JumpPalette
            | Action::SessionSwitcher
            | Action::Finder
            | Action::Settings
            | Action::MissionControl
            | Action::Notifications
            | Action::RestoreReport
            | Action::Menu
            | Action::Help
            | Action::AgentScope
            | Action::ToggleSidebars
            | Action::ToggleRightSidebar
            | Action::Detach
    )
}
