//! Selecting with the mouse, inside one pane: a drag, with the history coming by at the pane's edge; two
//! clicks for a word, three for a line.
//!
//! Invariant: a timer exists only while the pointer is held at an edge behind which there is more.

use super::areas::Visible;
use super::out::Out;
use super::state::{Clicks, Copy, Drag, Selection, State, Wanted};
use super::{copy, reading, scroll};
use crate::protocol::attach::message::ScrollTo;
use crate::protocol::geometry::Rect;
use crate::protocol::ids::PaneId;
use crate::protocol::text::{Around, Ask, Shape, Spot};

/// Clicks that follow within this time belong together.
const AGAIN_MS: u64 = 400;
/// Rows that a far pointer scrolls at a time.
const MOST_ROWS: u16 = 8;

/// The left button went down on a pane's text.
pub fn press(state: &mut State, pane: PaneId, cell: (u16, u16), out: &mut Vec<Out>) {
    clear(state);
    let Some(spot) = spot_at(state, pane, cell) else { return };
    let before = state.clicks;
    let again = before.cell == cell && state.now_ms.saturating_sub(before.at_ms) <= AGAIN_MS;
    let count = if again && before.count < 3 { before.count + 1 } else { 1 };
    state.clicks = Clicks { count, at_ms: state.now_ms, cell };
    if let Some(copy) = state.copy.as_mut().filter(|copy| copy.pane == pane) {
        copy.mark = None;
        copy::place(state, spot, None, out);
    }
    let around = match count {
        1 => {
            state.drag = Some(Drag::Select { pane, from: spot, pressed: cell, pointer: cell, begun: false });
            return;
        }
        2 => Around::Word,
        _ => Around::Line,
    };
    reading::ask(state, pane, Wanted::Clicked, Ask::Around(spot, around), out);
}

/// Nothing is selected any more.
pub fn clear(state: &mut State) {
    if state.selection.take().is_some() {
        state.damage.full = true;
    }
}

/// The pointer has moved with the button down.
pub fn drag(state: &mut State, cell: (u16, u16)) {
    if let Some(Drag::Select { pressed, pointer, begun, .. }) = &mut state.drag {
        *pointer = cell;
        *begun |= cell != *pressed;
    }
    follow(state);
}

/// The button was let go.
pub fn release(state: &mut State, cell: (u16, u16), out: &mut Vec<Out>) {
    drag(state, cell);
    if let Some(Drag::Select { pane, begun: true, .. }) = state.drag {
        copy_if_wanted(state, pane, out);
    }
}

fn copy_if_wanted(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    if let Some(selection) = state.selected(pane).filter(|_| state.config.copy_on_select) {
        reading::copy_text(state, selection, out);
    }
}

/// Lets the selection reach to the pointer.
fn follow(state: &mut State) {
    let Some(Drag::Select { pane, from, pointer, begun: true, .. }) = state.drag else { return };
    let Some(to) = spot_at(state, pane, pointer) else { return };
    match state.copy.as_mut().filter(|copy| copy.pane == pane) {
        Some(copy) => {
            copy.mark = Some((from, Shape::Characters));
            (copy.cursor, copy.col) = (to, to.col);
        }
        None => state.selection = Some(Selection { pane, from, to, shape: Shape::Characters }),
    }
    state.damage.full = true;
}

/// What was clicked more than once is known.
pub fn clicked(state: &mut State, pane: PaneId, (first, last): (Spot, Spot), out: &mut Vec<Out>) {
    let shape = Shape::Characters;
    if state.copying(pane) {
        copy::place(state, last, None, out);
        if let Some(Copy { mark, .. }) = &mut state.copy {
            *mark = Some((first, shape));
        }
    } else {
        state.selection = Some(Selection { pane, from: first, to: last, shape });
    }
    state.damage.full = true;
    copy_if_wanted(state, pane, out);
}

/// Rows that the pointer's place scrolls at a time: up if positive, none if it is no edge with more behind it.
pub fn edge(state: &State) -> i32 {
    let Some(Drag::Select { pane, pressed, pointer, begun: true, .. }) = state.drag else { return 0 };
    let (Some(Visible { rect, .. }), Some(frame)) = (seen(state, pane), state.mirror.frame(pane)) else {
        return 0;
    };
    let last = rect.bottom().saturating_sub(1);
    let rows = |beyond: u16| i32::from(beyond.saturating_add(1).min(MOST_ROWS));
    // On the row where it began a drag along the text is more likely.
    let on_edge = |row: u16| pointer.0 == row && pressed.0 != row;
    let above = frame.position.above > 0 && scroll::possible(frame);
    if above && (pointer.0 < rect.row || on_edge(rect.row)) {
        rows(rect.row.saturating_sub(pointer.0))
    } else if frame.position.below > 0 && (pointer.0 > last || on_edge(last)) {
        -rows(pointer.0.saturating_sub(last))
    } else {
        0
    }
}

/// Time has passed with the pointer at an edge.
pub fn at_edge(state: &mut State, out: &mut Vec<Out>) {
    let Some(Drag::Select { pane, .. }) = state.drag else { return };
    let rows = edge(state);
    // The picture of the last step comes first: a slow link scrolls slowly.
    let waits = state.scrolled.get(&pane).is_some_and(|scrolled| !scrolled.answered);
    if rows == 0 || waits && !state.copying(pane) {
        return;
    }
    if state.copying(pane) {
        copy::wheel(state, rows, out);
    } else if rows > 0 {
        scroll::enter(state, pane, ScrollTo::Up(rows), out);
    } else {
        scroll::by(state, pane, rows, out);
    }
}

/// A picture has come; where the person scrolls, other text is under the pointer now.
pub fn picture_came(state: &mut State, pane: PaneId) {
    let dragged = matches!(state.drag, Some(Drag::Select { pane: dragged, .. }) if dragged == pane);
    if dragged && (state.scrolled.contains_key(&pane) || state.copying(pane)) {
        follow(state);
    }
}

/// Ends a drag in a pane whose places mean nothing any more.
pub fn forget(state: &mut State, pane: PaneId) {
    state.drag.take_if(|drag| matches!(drag, Drag::Select { pane: dragged, .. } if *dragged == pane));
}

/// What is seen of a pane's text.
fn seen(state: &State, pane: PaneId) -> Option<Visible> {
    let place = state.scene()?.layout.places.iter().find(|place| place.pane == pane)?;
    state.viewport.place(state.areas().panes, place.content)
}

/// The place of a pane's text that is under a cell of the screen, or nearest to it.
fn spot_at(state: &State, pane: PaneId, (row, col): (u16, u16)) -> Option<Spot> {
    let Visible { rect, skip_rows, skip_cols } = seen(state, pane)?;
    let frame = state.mirror.frame(pane)?;
    let Rect { row: top, col: left, .. } = rect;
    let row = row.clamp(top, rect.bottom().saturating_sub(1).max(top)) - top + skip_rows;
    let col = col.clamp(left, rect.right().saturating_sub(1).max(left)) - left + skip_cols;
    Some(Spot { row: frame.first.saturating_add(row.into()), col })
}
