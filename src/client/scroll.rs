//! Scroll mode: this client's own look into a pane's history (`product.md` section 3).

use super::out::Out;
use super::state::{Scrolled, State};
use super::{copy, find};
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
    Copy,
    Find { back: bool },
    Again { back: bool },
}

/// Whether there is a history to look into.
pub fn possible(frame: &Frame) -> bool {
    !frame.modes.contains(ScreenModes::ALTERNATE) && (frame.position.above > 0 || frame.position.below > 0)
}

/// Asks for another place and remembers that.
fn ask(state: &mut State, pane: PaneId, to: ScrollTo, out: &mut Vec<Out>) {
    send(state, pane, to, out);
    if let Some(scrolled) = state.scrolled.get_mut(&pane) {
        let stays = matches!(to, ScrollTo::Hold(_));
        *scrolled = Scrolled { asked: state.scrolls, answered: false, stays };
    }
}

/// Asks for another place of a pane that is not in scroll mode.
pub fn send(state: &mut State, pane: PaneId, to: ScrollTo, out: &mut Vec<Out>) {
    state.scrolls = state.scrolls.wrapping_add(1);
    out.push(Out::Send(ToServer::Scroll(pane, to)));
}

/// Goes to a row, in scroll mode.
pub fn hold(state: &mut State, pane: PaneId, to: ScrollTo, out: &mut Vec<Out>) {
    enter_as_it_is(state, pane);
    ask(state, pane, to, out);
}

/// A picture came that answers the request of this number, and maybe older ones: one that shows the live
/// screen, where the one before did not or the person has just moved, leaves scroll mode.
pub fn picture_came(state: &mut State, pane: PaneId, scrolls: u32, was_above: bool) {
    if state.copying(pane) {
        return;
    }
    let live = state.mirror.frame(pane).is_some_and(|frame| frame.position.below == 0);
    let Some(scrolled) = state.scrolled.get_mut(&pane) else { return };
    let arrived = !scrolled.answered && scrolls == scrolled.asked;
    scrolled.answered |= arrived;
    if live && !scrolled.stays && (arrived || scrolled.answered && was_above) {
        state.scrolled.remove(&pane);
        state.find.take_if(|find| find.pane == pane);
        state.damage.full = true;
    }
}

/// Enters scroll mode if there is something to see, and moves; false leaves the event to the pane.
pub fn enter(state: &mut State, pane: PaneId, to: ScrollTo, out: &mut Vec<Out>) -> bool {
    if !state.mirror.frame(pane).is_some_and(possible) {
        return false;
    }
    enter_as_it_is(state, pane);
    ask(state, pane, to, out);
    true
}

/// Shows the row that somebody wants to see, once its pane is the focused one and has a picture.
pub fn to_line(state: &mut State, out: &mut Vec<Out>) {
    let Some((pane, row)) = state.line else { return };
    if state.scene().is_none_or(|scene| scene.pane(pane).is_none()) {
        state.line = None;
    } else if state.focused() == Some(pane) && state.mirror.frame(pane).is_some() {
        state.line = None;
        enter(state, pane, ScrollTo::Around(row), out);
    }
}

/// Enters scroll mode without moving.
pub fn enter_in_place(state: &mut State, pane: PaneId) {
    if state.mirror.frame(pane).is_some_and(possible) {
        enter_as_it_is(state, pane);
    } else {
        state.warn("nothing has scrolled off this pane's screen".into());
    }
}

fn enter_as_it_is(state: &mut State, pane: PaneId) {
    let answered = Scrolled { asked: state.scrolls, answered: true, stays: false };
    if state.scrolled.insert(pane, answered).is_none() {
        state.damage.full = true;
    }
}

/// Returns to the live screen, from copy mode too.
pub fn leave(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    let copying = state.copy.take_if(|copy| copy.pane == pane).is_some();
    if state.scrolled.remove(&pane).is_some() || copying {
        state.find.take_if(|find| find.pane == pane);
        state.damage.full = true;
        ask(state, pane, ScrollTo::Live, out);
    }
}

/// Moves by rows; downwards from the live screen leaves.
pub fn by(state: &mut State, pane: PaneId, rows: i32, out: &mut Vec<Out>) {
    let shown = state.scrolled.get(&pane).is_some_and(|scrolled| scrolled.answered);
    let live = shown && state.mirror.frame(pane).is_none_or(|frame| frame.position.below == 0);
    if rows < 0 && live {
        leave(state, pane, out);
    } else {
        ask(state, pane, ScrollTo::Up(rows), out);
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
        Some(Step::To(to)) => ask(state, pane, to, out),
        Some(Step::Leave) => leave(state, pane, out),
        Some(Step::Copy) => copy::enter(state, out),
        Some(Step::Find { back }) => find::open(state, pane, back),
        Some(Step::Again { back }) => find::again(state, pane, back, out),
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
        KeyCode::Char('[') => ScrollTo::PromptAbove,
        KeyCode::Char(']') => ScrollTo::PromptBelow,
        KeyCode::Char('y') => return Some(Step::Copy),
        KeyCode::Char(slash @ ('/' | '?')) => return Some(Step::Find { back: slash == '?' }),
        KeyCode::Char(next @ ('n' | 'N')) => return Some(Step::Again { back: next == 'N' }),
        KeyCode::Char('g') | KeyCode::Home => ScrollTo::Top,
        KeyCode::Char(digit @ '1'..='9') => ScrollTo::Tenth(u8::try_from(digit.to_digit(10)?).ok()?),
        KeyCode::Char('G' | 'q' | '0') | KeyCode::End | KeyCode::Escape => return Some(Step::Leave),
        _ => return None,
    };
    Some(Step::To(to))
}
