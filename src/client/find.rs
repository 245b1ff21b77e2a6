//! Searching in a pane's history, from scroll mode and from copy mode: a line in the status bar, and the
//! next match while it is typed.
//!
//! In copy mode `/` goes down and `?` up from the cursor, as in vi. Scroll mode has no cursor and one comes
//! to it from below, so there `/` goes up.

use super::out::Out;
use super::state::{Find, State, Wanted};
use super::{copy, reading, scroll};
use crate::client::field::Field;
use crate::protocol::attach::message::ScrollTo;
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent};
use crate::protocol::limits::QUERY_BYTES;
use crate::protocol::text::{Ask, Spot, Toward};

/// Opens the line; `back` is the other way than `/`.
pub fn open(state: &mut State, pane: PaneId, back: bool) {
    let Some(frame) = state.mirror.frame(pane) else { return };
    let (origin, toward) = match &state.copy {
        Some(copy) if copy.pane == pane => ((copy.cursor, copy.top), Toward::Newer),
        _ => {
            let last = frame.first + u64::from(frame.size.rows) - 1;
            let from =
                if back { Spot { row: frame.first, col: 0 } } else { Spot { row: last, col: u16::MAX } };
            ((from, frame.first), Toward::Older)
        }
    };
    let toward = if back { toward.back() } else { toward };
    state.find = Some(Find { pane, query: Field::default(), back, toward, editing: true, origin, at: None });
    state.damage.full = true;
}

/// The search whose line is being typed, in the focused pane.
pub fn editing(state: &State) -> Option<&Find> {
    let focused = state.focused()?;
    let looks = state.scrolled.contains_key(&focused) || state.copying(focused);
    state.find.as_ref().filter(|find| find.editing && find.pane == focused && looks)
}

/// Takes a key for the line.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) {
    let Some(find) = &mut state.find else { return };
    state.damage.full = true;
    match event.code {
        KeyCode::Escape => cancel(state, out),
        KeyCode::Backspace if find.query.text().is_empty() => cancel(state, out),
        KeyCode::Enter if find.query.text().is_empty() => cancel(state, out),
        KeyCode::Enter => find.editing = false,
        _ => {
            let before = find.query.clone();
            if find.query.key(event) && find.query.text() != before.text() {
                if find.query.text().len() > QUERY_BYTES {
                    find.query = before;
                }
                typed(state, out);
            }
        }
    }
}

/// Takes a pasted text for the line.
pub fn paste(state: &mut State, text: &str, out: &mut Vec<Out>) {
    let Some(find) = &mut state.find else { return };
    let before = find.query.clone();
    find.query.insert(text);
    if find.query.text().len() > QUERY_BYTES {
        find.query = before;
    }
    typed(state, out);
}

fn typed(state: &mut State, out: &mut Vec<Out>) {
    let Some(find) = &mut state.find else { return };
    state.damage.full = true;
    let (pane, (from, _), toward) = (find.pane, find.origin, find.toward);
    let text = find.query.text().to_owned();
    if text.is_empty() {
        find.at = None;
        state.asked.retain(|asked| asked.wanted != Wanted::Match);
        return return_to_origin(state, out);
    }
    reading::ask(state, pane, Wanted::Match, Ask::Find { text, from, toward }, out);
}

/// Back to where the search began, without it.
fn cancel(state: &mut State, out: &mut Vec<Out>) {
    state.asked.retain(|asked| asked.wanted != Wanted::Match);
    return_to_origin(state, out);
    state.find = None;
}

fn return_to_origin(state: &mut State, out: &mut Vec<Out>) {
    let Some(Find { pane, origin: (spot, top), .. }) = state.find else { return };
    if state.copying(pane) {
        copy::place(state, spot, Some(top), out);
    } else if state.mirror.frame(pane).is_some_and(|frame| frame.first != top) {
        scroll::hold(state, pane, ScrollTo::Row(top), out);
    }
}

/// Goes to the next match, or to the one before.
pub fn again(state: &mut State, pane: PaneId, back: bool, out: &mut Vec<Out>) {
    let Some(find) = state.find.as_ref().filter(|find| find.pane == pane) else {
        return state.warn("nothing was searched for yet: / begins".into());
    };
    let toward = if back { find.toward.back() } else { find.toward };
    let from = match &state.copy {
        Some(copy) if copy.pane == pane => copy.cursor,
        _ => find.at.map_or(find.origin.0, |(start, _)| start),
    };
    let text = find.query.text().to_owned();
    reading::ask(state, pane, Wanted::Match, Ask::Find { text, from, toward }, out);
}

/// The server has looked.
pub fn found(state: &mut State, pane: PaneId, range: Option<(Spot, Spot)>, out: &mut Vec<Out>) {
    let Some(find) = state.find.as_mut().filter(|find| find.pane == pane) else { return };
    find.at = range;
    state.damage.full = true;
    let Some((start, _)) = range else {
        if !find.editing {
            let text = format!("nothing matches `{}`", find.query.text());
            state.warn(text);
        }
        return;
    };
    if state.copying(pane) {
        return copy::place(state, start, None, out);
    }
    let Some(frame) = state.mirror.frame(pane) else { return };
    let rows = u64::from(frame.size.rows);
    if !(frame.first..frame.first + rows).contains(&start.row) {
        // With some of what stands before it.
        scroll::hold(state, pane, ScrollTo::Hold(start.row.saturating_sub(rows / 3)), out);
    }
}
