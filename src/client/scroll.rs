//! Scroll mode: this client's own look into a pane's history (`product.md` section 3).

use super::state::State;
use super::update::Out;
use crate::protocol::attach::message::{ScrollTo, ToServer};
use crate::protocol::frame::{Frame, ScreenModes};
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Rows that one step of the wheel moves.
pub const WHEEL_ROWS: i32 = 3;

/// What a key does in scroll mode.
enum Step {
    To(ScrollTo),
    Leave,
}

/// Whether there is a history to look into.
pub fn possible(frame: &Frame) -> bool {
    !frame.modes.contains(ScreenModes::ALTERNATE) && (frame.position.above > 0 || frame.position.below > 0)
}

/// Enters scroll mode if there is something to see, and moves; false leaves the event to the pane.
pub fn enter(state: &mut State, pane: PaneId, to: ScrollTo, out: &mut Vec<Out>) -> bool {
    if !state.mirror.frame(pane).is_some_and(possible) {
        return false;
    }
    if state.scrolled.insert(pane) {
        state.damage.full = true;
    }
    out.push(Out::Send(ToServer::Scroll(pane, to)));
    true
}

/// Enters scroll mode without moving.
pub fn enter_in_place(state: &mut State, pane: PaneId) {
    if state.mirror.frame(pane).is_some_and(possible) {
        state.scrolled.insert(pane);
        state.damage.full = true;
    } else {
        state.warn("nothing has scrolled off this pane's screen".into());
    }
}

/// Returns to the live screen.
pub fn leave(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    if state.scrolled.remove(&pane) {
        state.damage.full = true;
        out.push(Out::Send(ToServer::Scroll(pane, ScrollTo::Live)));
    }
}

/// Moves by rows; downwards from the live screen leaves.
pub fn by(state: &mut State, pane: PaneId, rows: i32, out: &mut Vec<Out>) {
    let live = state.mirror.frame(pane).is_none_or(|frame| frame.position.below == 0);
    if rows < 0 && live {
        leave(state, pane, out);
    } else {
        out.push(Out::Send(ToServer::Scroll(pane, ScrollTo::Up(rows))));
    }
}

/// Rows of a page: one row of the old page stays in view.
pub fn page(frame: &Frame) -> i32 {
    i32::from(frame.size.rows.saturating_sub(1).max(1))
}

/// Carries out a key of scroll mode; false if it is none.
pub fn key(state: &mut State, pane: PaneId, event: KeyEvent, out: &mut Vec<Out>) -> bool {
    let page = state.mirror.frame(pane).map_or(1, page);
    match step(event, page) {
        Some(Step::To(ScrollTo::Up(rows))) => by(state, pane, rows, out),
        Some(Step::To(to)) => out.push(Out::Send(ToServer::Scroll(pane, to))),
        Some(Step::Leave) => leave(state, pane, out),
        None => return false,
    }
    true
}

fn step(event: KeyEvent, page: i32) -> Option<Step> {
    if !event.modifiers.without(Modifiers::SHIFT).is_empty() {
        return None;
    }
    let to = match event.code {
        KeyCode::Char('k') | KeyCode::Up => ScrollTo::Up(1),
        KeyCode::Char('j') | KeyCode::Down => ScrollTo::Up(-1),
        KeyCode::Char('b') | KeyCode::PageUp => ScrollTo::Up(page),
        KeyCode::Char('f' | ' ') | KeyCode::PageDown => ScrollTo::Up(-page),
        KeyCode::Char('g') | KeyCode::Home => ScrollTo::Top,
        KeyCode::Char(digit @ '1'..='9') => ScrollTo::Tenth(u8::try_from(digit.to_digit(10)?).ok()?),
        KeyCode::Char('G' | 'q' | '0') | KeyCode::End | KeyCode::Escape => return Some(Step::Leave),
        _ => return None,
    };
    Some(Step::To(to))
}
