//! Where a click, a drag or a wheel step goes.
//!
//! Invariant: a press that was forwarded to a pane is followed by its release, also when the pointer
//! has left the pane, and also when the outer terminal loses the release.

use super::areas::dragged_width;
use super::layers::{self, dock, prompt};
use super::out::Out;
use super::sidebars::areas_changed;
use super::state::{Dock, Drag, Hit, Layer, State};
use super::view::sidebar;
use super::{actions, copy, follow, grips, mouse_select, reorder, scratch, scroll, sidebars};
use crate::config::keymap::Action;
use crate::protocol::attach::message::{ScrollTo, ToServer};
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::frame::ScreenModes;
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers, MouseButton, MouseEvent, MouseKind};

/// Takes a mouse event.
pub fn mouse(state: &mut State, event: MouseEvent, out: &mut Vec<Out>) {
    match event.kind {
        MouseKind::Press(button) => press(state, button, event, out),
        MouseKind::Drag(button) => drag(state, button, event, out),
        MouseKind::Release(button) => release(state, button, event, out),
        MouseKind::Move => hover(state, event, out),
        MouseKind::WheelUp | MouseKind::WheelDown | MouseKind::WheelLeft | MouseKind::WheelRight => {
            wheel(state, event, out);
        }
    }
}

fn hit(state: &State, event: MouseEvent) -> Option<Hit> {
    let under = state.hits.iter().rev().find(|(rect, _)| rect.contains(event.row, event.col));
    under.map(|(_, hit)| *hit)
}

fn press(state: &mut State, button: MouseButton, event: MouseEvent, out: &mut Vec<Out>) {
    end_forwarding(state, out);
    state.drag = None;
    state.leave_mode();
    let hit = hit(state, event);
    if button == MouseButton::Left && !matches!(hit, Some(Hit::Pane(_))) {
        mouse_select::clear(state);
    }
    if hit == Some(Hit::Toast) {
        return actions::run(state, Action::OpenNotification, out);
    }
    if let Some(top) = state.layers.last() {
        if !matches!(top, Layer::Dock(_)) {
            return press_overlay(state, hit, out);
        }
        state.layers.pop();
        state.damage.full = true;
    }
    // A press beside the scratch terminal hides it, and does what it does there.
    let on_top = |hit| matches!(hit, Some(Hit::Pane(pane) | Hit::Frame(pane)) if scratch::is(state, pane));
    if !on_top(hit) {
        scratch::hide(state, out);
    }
    if let Some(hit) = hit.filter(|hit| button == MouseButton::Right && !forwards(state, *hit, event)) {
        layers::menu::open(state, hit, (event.row, event.col));
        return;
    }
    if let Some(Hit::Pane(pane)) = hit
        && button == MouseButton::Left
        && event.modifiers.contains(Modifiers::CTRL)
        && let Some(at) = cell_in_pane(state, pane, event)
        && follow::click(state, pane, at, out)
    {
        return;
    }
    match hit {
        Some(Hit::Pane(pane)) => press_pane(state, pane, button, event, out),
        Some(hit) if button == MouseButton::Left => press_chrome(state, hit, out),
        _ => {}
    }
}

/// Whether a press on it is the pane's own matter.
fn forwards(state: &State, hit: Hit, event: MouseEvent) -> bool {
    matches!(hit, Hit::Pane(pane) if wants(state, pane, ScreenModes::MOUSE, event))
}

fn press_overlay(state: &mut State, hit: Option<Hit>, out: &mut Vec<Out>) {
    match hit {
        Some(hit @ (Hit::Yes | Hit::No)) => {
            if let Some(choice) = layers::answer(state, hit == Hit::Yes, out) {
                actions::choose(state, choice, out);
            }
        }
        Some(Hit::Overlay) => {}
        Some(Hit::TouchClose) if !matches!(state.layers.last(), Some(Layer::Touch(_))) => {
            // As the key does it: a list that is being searched is cleared first, a preview ends.
            let _ = layers::key(state, KeyEvent::press(KeyCode::Escape, Modifiers::NONE), out);
        }
        Some(
            hit @ (Hit::Match(_)
            | Hit::Section(_)
            | Hit::Item(_)
            | Hit::MissionRow(_)
            | Hit::TouchBack
            | Hit::TouchClose
            | Hit::TouchPage(_)),
        ) => {
            if let Some(choice) = layers::click(state, hit, out) {
                actions::choose(state, choice, out);
            }
        }
        _ => {
            // A click beside it closes what only shows something; a question and a half-typed line stay.
            if state.layers.pop_if(|layer| matches!(layer, Layer::Finder(_))).is_some() {
                out.push(Out::Send(ToServer::EndFind));
            }
            state.layers.pop_if(|layer| matches!(layer, Layer::Help(_) | Layer::Picker(_) | Layer::Menu(_)));
            state.damage.full = true;
        }
    }
}

fn press_pane(state: &mut State, pane: PaneId, button: MouseButton, event: MouseEvent, out: &mut Vec<Out>) {
    if state.focused() != Some(pane) {
        out.push(Out::command(Command::FocusPane { pane }));
    }
    if wants(state, pane, ScreenModes::MOUSE, event)
        && let Some(at) = cell_in_pane(state, pane, event)
    {
        forward(pane, event.kind, at, event.modifiers, out);
        state.drag = Some(Drag::Pane { pane, button, at });
        return;
    }
    if button != MouseButton::Left {
        return;
    }
    if event.modifiers.contains(Modifiers::CTRL) {
        state.drag = grips::nearest(state, pane, cell_in_layout(state, event));
    } else {
        mouse_select::press(state, pane, (event.row, event.col), out);
    }
}

fn press_chrome(state: &mut State, hit: Hit, out: &mut Vec<Out>) {
    let policy = ClosePolicy::Ask;
    match hit {
        Hit::Frame(pane) if scratch::is(state, pane) => {}
        Hit::Frame(pane) | Hit::Agent(pane) => out.push(Out::command(Command::FocusPane { pane })),
        Hit::Divider(index) => state.drag = grips::line(state, index),
        Hit::Tab(tab) => {
            out.push(Out::command(Command::FocusTab { tab }));
            state.drag = Some(Drag::Tab(tab, None));
        }
        Hit::CloseTab(tab) => out.push(Out::command(Command::CloseTab { tab: Some(tab), policy })),
        Hit::NewTab => out.extend(state.scene().and_then(actions::new_tab).map(Out::command)),
        Hit::FirstTab(first) => state.tab_first = Some(first),
        Hit::ToggleLeft => sidebars::toggle_left(state, out),
        Hit::ToggleRight => sidebars::toggle_right(state, out),
        Hit::Workspace(workspace) => {
            out.push(Out::command(Command::FocusWorkspace { workspace }));
            state.drag = Some(Drag::Workspace(workspace, None));
        }
        Hit::NewWorkspace => prompt::new_workspace(state),
        Hit::AgentScope => state.agents_here = !state.agents_here,
        Hit::AgentFilter => dock::filter(state, out),
        Hit::Past(index) => {
            if let Some(choice) = dock::resume(state, index) {
                return actions::choose(state, choice, out);
            }
        }
        Hit::Action(action) => return actions::run(state, action, out),
        Hit::LeftEdge => state.drag = Some(Drag::LeftEdge),
        Hit::RightEdge => state.drag = Some(Drag::RightEdge),
        Hit::Pane(_)
        | Hit::Dock(_)
        | Hit::Overlay
        | Hit::Match(_)
        | Hit::Toast
        | Hit::Section(_)
        | Hit::Item(_)
        | Hit::MissionRow(_)
        | Hit::TouchBack
        | Hit::TouchClose
        | Hit::TouchPage(_)
        | Hit::Yes
        | Hit::No => {}
    }
    state.damage.full = true;
}

fn drag(state: &mut State, button: MouseButton, event: MouseEvent, out: &mut Vec<Out>) {
    let Some(mut drag) = state.drag.take() else { return };
    match &mut drag {
        Drag::Dividers { .. } => grips::drag(&mut drag, cell_in_layout(state, event), out),
        Drag::Tab(tab, sent) => reorder::tab(state, *tab, event.col, sent, out),
        Drag::Workspace(workspace, sent) => reorder::workspace(state, *workspace, event.row, sent, out),
        Drag::Select { .. } => {
            state.drag = Some(drag);
            if button == MouseButton::Left {
                mouse_select::drag(state, (event.row, event.col));
            }
            return;
        }
        Drag::LeftEdge => {
            state.left.width = dragged_width(event.col.saturating_add(1), state.size.cols);
            areas_changed(state, out);
        }
        Drag::RightEdge => {
            state.right.width = dragged_width(state.size.cols.saturating_sub(event.col), state.size.cols);
            areas_changed(state, out);
        }
        Drag::Pane { pane, button: pressed, at } => {
            if let Some(now) = cell_in_pane(state, *pane, event)
                && *pressed == button
                && now != *at
            {
                *at = now;
                forward(*pane, event.kind, now, event.modifiers, out);
            }
        }
    }
    state.drag = Some(drag);
}

fn release(state: &mut State, button: MouseButton, event: MouseEvent, out: &mut Vec<Out>) {
    if let Some(Drag::Pane { pane, button: pressed, at }) = &state.drag {
        if *pressed != button {
            return;
        }
        let at = cell_in_pane(state, *pane, event).unwrap_or(*at);
        forward(*pane, event.kind, at, event.modifiers, out);
    }
    if matches!(state.drag, Some(Drag::Select { .. })) {
        if button != MouseButton::Left {
            return;
        }
        mouse_select::release(state, (event.row, event.col), out);
    }
    state.drag = None;
    state.damage.full = true;
}

/// The outer terminal has lost a release: the child still gets one.
fn end_forwarding(state: &mut State, out: &mut Vec<Out>) {
    if let Some(Drag::Pane { pane, button, at }) = state.drag.take() {
        forward(pane, MouseKind::Release(button), at, Modifiers::NONE, out);
    }
}

fn hover(state: &mut State, event: MouseEvent, out: &mut Vec<Out>) {
    if let Some(Hit::Item(index)) = hit(state, event) {
        layers::point(state, index);
    }
    let under = if state.layers.is_empty() { hit(state, event) } else { None };
    let divider = if let Some(Hit::Divider(index)) = under { Some(index) } else { None };
    if state.hover != divider {
        state.hover = divider;
        state.damage.full = true;
    }
    match under {
        Some(Hit::Pane(pane)) if event.modifiers.contains(Modifiers::CTRL) => {
            if let Some(at) = cell_in_pane(state, pane, event) {
                follow::point(state, pane, at, out);
            }
        }
        _ => follow::forget(state),
    }
    if let Some(Hit::Pane(pane)) = under
        && wants(state, pane, ScreenModes::MOUSE_MOTION, event)
        && let Some(at) = cell_in_pane(state, pane, event)
    {
        forward(pane, event.kind, at, event.modifiers, out);
    }
}

fn wheel(state: &mut State, event: MouseEvent, out: &mut Vec<Out>) {
    let up = event.kind == MouseKind::WheelUp;
    let vertical = up || event.kind == MouseKind::WheelDown;
    if matches!(state.layers.last(), Some(top) if !matches!(top, Layer::Dock(_))) {
        if vertical {
            layers::wheel(state, if up { -3 } else { 3 }, out);
        }
        return;
    }
    let pane = match hit(state, event) {
        Some(Hit::Pane(pane)) => pane,
        Some(Hit::Dock(dock)) if vertical => return wheel_dock(state, dock, up),
        Some(Hit::Workspace(_) | Hit::NewWorkspace) if vertical => {
            return wheel_dock(state, Dock::Workspaces, up);
        }
        Some(Hit::Agent(_) | Hit::Past(_)) if vertical => return wheel_dock(state, Dock::Agents, up),
        _ => return,
    };
    if state.copying(pane) {
        if vertical {
            copy::wheel(state, if up { scroll::WHEEL_ROWS } else { -scroll::WHEEL_ROWS }, out);
        }
        return;
    }
    if state.scrolled.contains_key(&pane) {
        if vertical {
            scroll::by(state, pane, if up { scroll::WHEEL_ROWS } else { -scroll::WHEEL_ROWS }, out);
        }
        return;
    }
    let modes = state.mirror.frame(pane).map_or_else(ScreenModes::default, |frame| frame.modes);
    if wants(state, pane, ScreenModes::MOUSE, event) || modes.contains(ScreenModes::ALTERNATE) {
        if let Some(at) = cell_in_pane(state, pane, event) {
            forward(pane, event.kind, at, event.modifiers, out);
        }
    } else if up {
        scroll::enter(state, pane, ScrollTo::Up(scroll::WHEEL_ROWS), out);
    }
}

fn wheel_dock(state: &mut State, dock: Dock, up: bool) {
    // The keyboard's own place in a dock stays in view.
    if state.layers.is_empty() {
        let entries = if up { -1 } else { 1 };
        let first = state.scene().and_then(|scene| sidebar::scrolled(state, scene, dock, entries));
        state.dock_first = first.map(|first| (dock, first));
        state.damage.full = true;
    }
}

/// Whether a pane's child takes mouse events of a kind; Shift keeps them for the person.
fn wants(state: &State, pane: PaneId, modes: ScreenModes, event: MouseEvent) -> bool {
    !event.modifiers.contains(Modifiers::SHIFT)
        && !state.scrolled.contains_key(&pane)
        && !state.copying(pane)
        && state.mirror.frame(pane).is_some_and(|frame| frame.modes.contains(modes))
}

fn forward(pane: PaneId, kind: MouseKind, at: (u16, u16), modifiers: Modifiers, out: &mut Vec<Out>) {
    let event = MouseEvent { kind, row: at.0, col: at.1, modifiers };
    out.push(Out::Send(ToServer::Mouse(pane, event)));
}

/// The cell of the layout under the pointer, or the nearest one.
fn cell_in_layout(state: &State, event: MouseEvent) -> (u16, u16) {
    let panes = state.areas().panes;
    let row = event.row.clamp(panes.row, panes.bottom().saturating_sub(1).max(panes.row)) - panes.row;
    let col = event.col.clamp(panes.col, panes.right().saturating_sub(1).max(panes.col)) - panes.col;
    (row.saturating_add(state.viewport.row), col.saturating_add(state.viewport.col))
}

/// The cell of a pane's terminal under the pointer, or the nearest one.
fn cell_in_pane(state: &State, pane: PaneId, event: MouseEvent) -> Option<(u16, u16)> {
    let place = state.scene()?.layout.places.iter().find(|place| place.pane == pane)?;
    let (row, col) = cell_in_layout(state, event);
    let content = place.content;
    Some((
        row.saturating_sub(content.row).min(content.rows.saturating_sub(1)),
        col.saturating_sub(content.col).min(content.cols.saturating_sub(1)),
    ))
}
