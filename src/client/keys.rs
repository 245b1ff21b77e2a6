//! Where a key goes: a layer, a mode, the keymap, or the focused pane.
//!
//! Invariant: a release goes to the pane that got the press and to nobody else; an auto-repeat of a
//! key whose press was not the pane's never reaches a pane.

use super::out::Out;
use super::state::{HeldKey, Layer, Mode, State};
use super::{actions, copy, find, layers, scroll};
use crate::config::chord::Chord;
use crate::config::keymap::Action;
use crate::protocol::attach::message::{Level, ScrollTo, ToServer};
use crate::protocol::command::Command;
use crate::protocol::frame::{Frame, ScreenModes};
use crate::protocol::geometry::Direction;
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers};

/// Keys that are remembered as down. A terminal without releases fills it; the oldest goes.
const HELD_KEYS: usize = 32;

/// Takes a key event.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    if event.kind == KeyKind::Release {
        return release(state, event, out);
    }
    // A dock is no text field: the prefix leads out of it.
    if state.keymap.prefix.matches(event) {
        state.layers.pop_if(|layer| matches!(layer, Layer::Dock(_)));
    }
    if !state.layers.is_empty() {
        if let Some(choice) = layers::key(state, event, out) {
            actions::choose(state, choice, out);
        }
        return;
    }
    match state.mode {
        Mode::Prefix => after_prefix(state, event, out),
        Mode::Resize => resize_mode(state, event, out),
        Mode::Normal => normal(state, event, out),
    }
}

fn release(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    let code = lower(event.code);
    let down = state.held.iter().position(|held| held.code == code && held.keypad == event.keypad);
    if let Some(index) = down {
        let held = state.held.remove(index);
        out.push(Out::Send(ToServer::Key(held.pane, event)));
    }
}

fn normal(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    if state.keymap.prefix.matches(event) {
        if event.kind == KeyKind::Press {
            state.set_mode(Mode::Prefix);
        }
        return;
    }
    let Some(pane) = state.focused() else {
        if let Some(action) = state.keymap.directly(event) {
            actions::run(state, action, out);
        }
        return;
    };
    if state.copying(pane) {
        return copy::take(state, pane, event, out);
    }
    if find::editing(state).is_some() {
        return find::key(state, event, out);
    }
    let scrolling = state.scrolling();
    if scrolling && scroll::key(state, pane, event, out) {
        return;
    }
    let action = state.keymap.directly(event);
    if let Some(to) = history_key(state, event, action) {
        if !scrolling && scroll::enter(state, pane, to, out) {
            return;
        }
        // With nothing to look back at, a shell would print the key's bytes; a full-screen program
        // may know it.
        if action.is_some() && !state.focused_frame().is_some_and(on_alternate) {
            return scroll::enter_in_place(state, pane);
        }
    } else if let Some(action) = action {
        return actions::run(state, action, out);
    }
    to_pane(state, pane, event, out);
}

fn on_alternate(frame: &Frame) -> bool {
    frame.modes.contains(ScreenModes::ALTERNATE)
}

/// How far a key looks back that enters scroll mode and moves at once.
fn history_key(state: &State, event: KeyEvent, action: Option<Action>) -> Option<ScrollTo> {
    let frame = state.focused_frame()?;
    let asked = frame.modes.0 & ScreenModes::ALTERNATE.with(ScreenModes::APPLICATION_CURSOR).0 != 0;
    let bound = action == Some(Action::ScrollMode);
    let unasked = action.is_none() && event.modifiers.is_empty() && !asked;
    match event.code {
        KeyCode::Up if bound => Some(ScrollTo::Up(1)),
        KeyCode::PageUp if bound || unasked => Some(ScrollTo::Up(scroll::page(frame))),
        _ => None,
    }
}

/// Sends a key to a pane, back on its live screen.
fn to_pane(state: &mut State, pane: PaneId, event: KeyEvent, out: &mut Vec<Out>) {
    let held = HeldKey { code: lower(event.code), keypad: event.keypad, pane };
    if event.kind == KeyKind::Repeat {
        if !state.held.contains(&held) {
            return;
        }
    } else {
        state.held.retain(|other| (other.code, other.keypad) != (held.code, held.keypad));
        if state.held.len() >= HELD_KEYS {
            state.held.remove(0);
        }
        state.held.push(held);
    }
    scroll::leave(state, pane, out);
    if state.selection.take_if(|selection| selection.pane == pane).is_some() {
        state.damage.full = true;
    }
    out.push(Out::Send(ToServer::Key(pane, event)));
}

fn after_prefix(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    let prefix = state.keymap.prefix.matches(event);
    if event.kind == KeyKind::Repeat {
        // The prefix is still held; other keys repeat from before it.
        return;
    }
    state.set_mode(Mode::Normal);
    if event.code == KeyCode::Escape && event.modifiers.is_empty() {
        return;
    }
    if let Some(action) = state.keymap.after_prefix(event) {
        return actions::run(state, action, out);
    }
    if prefix {
        if let Some(pane) = state.focused() {
            to_pane(state, pane, event, out);
        }
        return;
    }
    let chord = Chord::new(event.code, event.modifiers);
    let text = format!("no action on {} {chord}", state.keymap.prefix);
    state.notices.show(Level::Info, text);
}

fn resize_mode(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    if state.keymap.prefix.matches(event) {
        return state.set_mode(Mode::Prefix);
    }
    let direction = match event.code {
        KeyCode::Left | KeyCode::Char('h' | 'H') => Direction::Left,
        KeyCode::Right | KeyCode::Char('l' | 'L') => Direction::Right,
        KeyCode::Up | KeyCode::Char('k' | 'K') => Direction::Up,
        KeyCode::Down | KeyCode::Char('j' | 'J') => Direction::Down,
        KeyCode::Escape | KeyCode::Enter | KeyCode::Char('q') => return state.set_mode(Mode::Normal),
        _ => return,
    };
    let cells = if event.modifiers.contains(Modifiers::SHIFT) { 5 } else { 1 };
    if let Some(pane) = state.focused() {
        out.push(Out::command(Command::ResizePane { pane: Some(pane), direction, cells }));
    }
}

/// A letter's own key: Shift may be let go before the letter.
fn lower(code: KeyCode) -> KeyCode {
    match code {
        KeyCode::Char(char) => KeyCode::Char(char.to_lowercase().next().unwrap_or(char)),
        other => other,
    }
}
