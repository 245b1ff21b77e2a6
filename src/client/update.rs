//! The one way to change a [`State`]: something happened, and this is what follows from it.
//!
//! Invariant: no I/O and no clock here; what must happen outside comes back as [`Out`].

use super::input::Event;
use super::mirror::Changed;
use super::options::Ending;
use super::out::Out;
use super::sessions::Found;
use super::sidebars::areas_changed;
use super::state::{Choice, Drag, Layer, Mode, ScratchView, State};
use super::{alerts, copy, find, follow, keys, layers, mouse, mouse_select, reading, scroll, settings};
use crate::protocol::attach::message::{Farewell, Level, ToClient, ToServer};
use crate::protocol::frame::{Frame, ScreenModes};
use crate::protocol::geometry::Size;
use crate::protocol::ids::PaneId;
use crate::protocol::limits::PASTE_BYTES;
use crate::protocol::patch::Patch;
use crate::protocol::scene::Scene;
use std::sync::Arc;

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// At the outer terminal.
    Terminal(Event),
    /// At the server.
    Server(ToClient),
    /// Of the sessions beside this one.
    Sessions(Found),
    /// The current notice was shown long enough.
    NoticeOver,
    /// The pointer is still held at a pane's edge.
    AtEdge,
    /// The desktop's clipboard has taken a text, or not: a line for the person.
    Copied(Result<String, String>),
    /// The toast was shown long enough.
    ToastOver,
    /// The connection was made anew.
    Reconnected,
    /// The connection is lost, and made anew.
    Lost,
    /// Something could not be opened.
    NotOpened(String),
}

/// Lets `input` change the state; returns what follows, in order.
pub fn update(state: &mut State, input: Input) -> Vec<Out> {
    let mut out = Vec::new();
    match input {
        Input::Terminal(event) => terminal(state, event, &mut out),
        Input::Server(message) => server(state, message, &mut out),
        Input::Sessions(found) => layers::sessions::found(state, found),
        Input::NoticeOver => {
            state.notices.next();
            state.damage.full = true;
        }
        Input::Lost => {
            state.stale = true;
            state.damage.full = true;
        }
        Input::NotOpened(why) => state.warn(why),
        Input::AtEdge => mouse_select::at_edge(state, &mut out),
        Input::Copied(told) => {
            match told {
                Ok(told) => state.notices.show(Level::Info, told),
                Err(told) => state.notices.show(Level::Warning, told),
            }
            state.damage.full = true;
        }
        Input::ToastOver => state.close_toast(),
        Input::Reconnected => {
            state.stale = false;
            out.extend(state.outer_colors.map(|colors| Out::Send(ToServer::Colors(colors))));
            reading::forget_hidden(state, |_| false);
            state.asked.clear();
            state.scrolled.clear();
            state.mirror.view_scratch(ScratchView::Hidden, state.narrow());
            state.scrolls = 0;
            state.held.clear();
            state.drag = None;
            state.damage.full = true;
        }
    }
    out
}

fn terminal(state: &mut State, event: Event, out: &mut Vec<Out>) {
    match event {
        Event::Key(event) => keys::key(state, event, out),
        Event::Paste(text) => paste(state, text, out),
        Event::Mouse(event) => mouse::mouse(state, event, out),
        Event::Focus(focused) => {
            out.push(Out::Send(ToServer::Focus(focused)));
            if focused && state.outer_colors.is_some() {
                // They may have changed meanwhile, with the time of the day.
                out.push(Out::AskColors);
            }
        }
        Event::Colors(colors) if state.outer_colors == Some(colors) => {}
        Event::Colors(colors) => {
            state.outer_colors = Some(colors);
            out.push(Out::Send(ToServer::Colors(colors)));
        }
        Event::Resize(size) => resize(state, size, out),
    }
}

fn resize(state: &mut State, size: Size, out: &mut Vec<Out>) {
    let narrow = state.narrow();
    state.size = size;
    if state.narrow() != narrow {
        state.drag = None;
        state.hover = None;
        state.layers.retain(|layer| !matches!(layer, Layer::Dock(_)));
        state.mirror.look(state.narrow());
    }
    areas_changed(state, out);
}

fn paste(state: &mut State, text: String, out: &mut Vec<Out>) {
    if !state.layers.is_empty() {
        return layers::paste(state, &text, out);
    }
    state.leave_mode();
    if find::editing(state).is_some() {
        return find::paste(state, &text, out);
    }
    let Some(pane) = state.focused() else { return };
    if text.len() > PASTE_BYTES {
        let limit = PASTE_BYTES / 1_048_576;
        return state.warn(format!("the paste is larger than {limit} MiB; nothing was sent"));
    }
    scroll::leave(state, pane, out);
    out.push(Out::Send(ToServer::Paste(pane, text)));
}

fn server(state: &mut State, message: ToClient, out: &mut Vec<Out>) {
    match message {
        ToClient::Scene(scene) => set_scene(state, &scene, out),
        ToClient::Pane(pane, patch) => apply(state, pane, patch, out),
        ToClient::Notice(level, text) => {
            state.notices.show(level, text);
            state.damage.full = true;
        }
        ToClient::Confirm { question, command } => {
            state.layers.retain(|layer| !matches!(layer, Layer::Confirm { .. }));
            let choice = Choice::Command(layers::forced(command));
            state.layers.push(Layer::Confirm { question, choice });
            state.mode = Mode::Normal;
            state.damage.full = true;
        }
        ToClient::Located(located) => follow::located(state, located, out),
        ToClient::Answered(number, answer) => reading::answered(state, number, answer, out),
        ToClient::Peeked(peek) => layers::peeked(state, peek),
        ToClient::Settled => out.push(Out::Settled),
        ToClient::Bell => {
            if state.bell {
                out.push(Out::Bell);
            }
        }
        ToClient::Clipboard(text) => out.push(Out::Clipboard(text)),
        ToClient::Bye(farewell) => bye(state, farewell, out),
        ToClient::Settings(text) => settings::take(state, &text, out),
        // Nothing here has asked for them.
        ToClient::ShowMission { this_workspace } => layers::mission::show(state, this_workspace, out),
        ToClient::Found { number, spotted, end } => layers::finder::found(state, number, spotted, end),
        ToClient::History(history) => state.alerts.recall(history),
        ToClient::Conversations(conversations) => {
            state.conversations = conversations;
            layers::listed_changed(state);
            state.damage.full = true;
        }
        ToClient::Integrations(integrations, failed) => {
            layers::preferences::integrations(state, integrations, failed.as_deref());
        }
        ToClient::Project(offer) => layers::project::offered(state, offer),
        ToClient::Alerts(alerts) => alerts::take(state, alerts, &mut *out),
        ToClient::Configured(result) => layers::preferences::configured(state, result),
    }
}

fn bye(state: &mut State, farewell: Farewell, out: &mut Vec<Out>) {
    match farewell {
        Farewell::Detached => out.push(Out::Leave(Ending::Detached)),
        Farewell::Ended => out.push(Out::Leave(Ending::Ended)),
        Farewell::Dropped(reason) => out.push(Out::Dropped(reason)),
        Farewell::Restarting => {
            state.stale = true;
            state.damage.full = true;
            out.push(Out::Reconnect);
        }
    }
}

fn set_scene(state: &mut State, given: &Arc<Scene>, out: &mut Vec<Out>) {
    let before = state.mirror.scene.clone();
    state.session.clone_from(&given.session);
    state.mirror.set_scene(Arc::clone(given), state.narrow());
    let Some(scene) = state.mirror.scene.clone() else { return };
    let tab = |scene: &Scene| scene.tab().map(|tab| tab.id);
    if before.as_deref().and_then(tab) != tab(&scene) {
        state.tab_first = None;
    }
    if before.as_ref().and_then(|before| before.layout.focused) != scene.layout.focused {
        state.dock_first = None;
    }
    let exists = |pane: PaneId| scene.pane(pane).is_some();
    let scratch = scene.shown_scratch().map(|scratch| scratch.pane.id);
    let visible = |pane| scratch == Some(pane) || given.layout.places.iter().any(|place| place.pane == pane);
    // A pane that comes back into view shows its live screen.
    state.scrolled.retain(|pane, _| visible(*pane));
    let terminal = |scene: &Scene, pane| scene.pane(pane).and_then(|pane| pane.terminal);
    reading::forget_hidden(state, |pane| {
        let same = before.as_ref().is_none_or(|before| terminal(before, pane) == terminal(&scene, pane));
        same && visible(pane)
    });
    state.held.retain(|key| exists(key.pane));
    let drag_lives = match &state.drag {
        Some(Drag::Pane { pane, .. } | Drag::Select { pane, .. }) => exists(*pane),
        Some(Drag::Dividers { tab: dragged, .. }) => tab(&scene) == Some(*dragged),
        Some(Drag::Tab(..) | Drag::Workspace(..) | Drag::LeftEdge | Drag::RightEdge) | None => true,
    };
    if !drag_lives {
        state.drag = None;
    }
    state.hover = state.hover.filter(|index| *index < scene.layout.dividers.len());
    let agents = |scene: &Scene| -> Vec<PaneId> {
        scene.panes.iter().filter(|pane| pane.agent.is_some()).map(|pane| pane.id).collect()
    };
    let others = before.as_ref().is_none_or(|before| agents(before) != agents(&scene));
    layers::scene_changed(state, out);
    if others && state.lists_past() {
        layers::mission::refresh(state, out);
    }
    state.follow_cursor();
    state.damage.full = true;
    scroll::to_line(state, out);
}

fn apply(state: &mut State, pane: PaneId, patch: Patch, out: &mut Vec<Out>) {
    let before = state.mirror.frame(pane).map(|frame| (frame.position, frame.cursor));
    let laid_out = |frame: &Frame| (frame.size.cols, frame.modes.contains(ScreenModes::ALTERNATE));
    let layout = state.mirror.frame(pane).map(laid_out);
    let (size, scrolls) = (patch.size, patch.scrolls);
    let rows = match state.mirror.apply(pane, patch) {
        Changed::Rows(rows) => rows,
        Changed::All => (0..size.rows).collect(),
        Changed::Waiting => return,
        Changed::Lost => return out.push(Out::Send(ToServer::Refresh(pane))),
    };
    let Some((position, cursor)) = state.mirror.frame(pane).map(|frame| (frame.position, frame.cursor))
    else {
        return;
    };
    if state.links.hovered.as_ref().is_some_and(|(own, _)| *own == pane) {
        follow::forget(state);
    }
    let damage = state.damage.panes.entry(pane).or_default();
    damage.extend(rows);
    if before.is_none_or(|(before, _)| before != position) {
        damage.insert(0);
    }
    if state.focused() == Some(pane) && before.is_none_or(|(_, before)| before != cursor) {
        state.damage.cursor = true;
        state.follow_cursor();
    }
    let was_above = before.is_some_and(|(before, _)| before.below > 0);
    scroll::picture_came(state, pane, scrolls, was_above);
    scroll::to_line(state, out);
    // A change of width numbers rows anew, and the other screen has others.
    if layout.is_some_and(|layout| state.mirror.frame(pane).map(laid_out) != Some(layout)) {
        reading::forget_places(state, pane, out);
    }
    copy::picture_came(state, pane, out);
    mouse_select::picture_came(state, pane);
}
