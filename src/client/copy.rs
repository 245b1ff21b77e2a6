//! Copy mode: a cursor of this client's own in a pane's text, with vi's motions (`product.md` section 3).
//!
//! Motions walk over the rows that are shown; one that needs more asks the server, and the keys after it
//! wait for the answer. Invariants: the view stays on its text while output arrives; places are absolute
//! rows, so that the cursor and what is selected stay on theirs too.

use super::out::Out;
use super::state::{Copy, Selection, State, Wanted};
use super::{find, reading, scroll};
use crate::protocol::attach::message::{Level, ScrollTo};
use crate::protocol::frame::Frame;
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use crate::protocol::text::motion::{self, Motion, Walk};
use crate::protocol::text::rows::{Rows, TextRow};
use crate::protocol::text::{Ask, Shape, Spot};
use std::collections::VecDeque;
use std::ops::Range;

/// The largest number before a motion: four digits.
const COUNT: u16 = 9_999;
/// Keys that may wait for the server; further ones are lost.
const KEYS: usize = 256;

/// The rows that are shown.
struct Shown<'frame>(&'frame Frame);

impl Rows for Shown<'_> {
    fn all(&self) -> Range<u64> {
        all_rows(self.0)
    }

    fn row(&self, number: u64) -> Option<TextRow> {
        let index = usize::try_from(number.checked_sub(self.0.first)?).ok()?;
        let shown = self.0.rows.get(index)?;
        let mut row = TextRow::default();
        for run in &shown.runs {
            run.cells().for_each(|(text, width)| row.push(text, width == 2));
        }
        Some(row.finished(shown.wrapped))
    }
}

/// Numbers of the rows of history and screen, as of a picture.
pub fn all_rows(frame: &Frame) -> Range<u64> {
    let end = frame.first.saturating_add(frame.position.below).saturating_add(u64::from(frame.size.rows));
    frame.first.saturating_sub(frame.position.above)..end
}

/// Numbers of the rows that can come to the top: the last one is the live screen's first.
fn tops(frame: &Frame) -> (u64, u64) {
    (frame.first.saturating_sub(frame.position.above), frame.first.saturating_add(frame.position.below))
}

/// Enters copy mode in the focused pane, at the terminal's cursor, or at the first row of a scrolled view.
pub fn enter(state: &mut State, out: &mut Vec<Out>) {
    let Some(pane) = state.focused().filter(|pane| !state.copying(*pane)) else { return };
    if let Some(other) = state.copy.as_ref().map(|copy| copy.pane) {
        leave(state, other, out);
    }
    let Some(frame) = state.mirror.frame(pane) else { return };
    let top = frame.first;
    let scrolled = state.scrolled.contains_key(&pane);
    let cursor = match frame.cursor {
        _ if scrolled => Spot { row: top, col: 0 },
        Some(cursor) => Spot { row: top + u64::from(cursor.row), col: cursor.col },
        None => {
            let text = frame.rows.iter().rposition(|row| !row.text().is_empty()).unwrap_or(0);
            Spot { row: top + text as u64, col: 0 }
        }
    };
    // What the mouse has selected goes on with the keys.
    let selected = state.selection.take().filter(|selection| selection.pane == pane);
    let mark = selected.map(|selection| (selection.from, selection.shape));
    let cursor = selected.map_or(cursor, |selection| selection.to);
    let (before, col) = (scrolled.then_some(top), cursor.col);
    let keys = VecDeque::new();
    state.copy = Some(Copy { pane, before, top, cursor, col, mark, count: None, keys });
    state.damage.full = true;
    scroll::send(state, pane, ScrollTo::Hold(top), out);
    reveal(state, out);
}

/// Leaves copy mode for the view before it.
pub fn leave(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    let Some(copy) = state.copy.take_if(|copy| copy.pane == pane) else { return };
    state.asked.retain(|asked| asked.pane != pane || asked.wanted == Wanted::Text);
    state.find.take_if(|find| find.pane == pane);
    state.damage.full = true;
    match copy.before {
        Some(row) => scroll::hold(state, pane, ScrollTo::Row(row), out),
        None => scroll::send(state, pane, ScrollTo::Live, out),
    }
}

/// Takes a key, after those that wait.
pub fn take(state: &mut State, pane: PaneId, event: KeyEvent, out: &mut Vec<Out>) {
    if let Some(copy) = state.copy.as_mut().filter(|copy| copy.pane == pane && copy.keys.len() < KEYS) {
        copy.keys.push_back(event);
    }
    go_on(state, out);
}

/// Takes the keys that have waited, as far as the next one that must wait.
pub fn go_on(state: &mut State, out: &mut Vec<Out>) {
    while let Some(pane) = state.copy.as_ref().map(|copy| copy.pane) {
        let typing = state.find.as_ref().is_some_and(|find| find.pane == pane && find.editing);
        if !typing && reading::moving(state, pane) {
            return;
        }
        let Some(event) = state.copy.as_mut().and_then(|copy| copy.keys.pop_front()) else { return };
        if typing {
            find::key(state, event, out);
        } else {
            key(state, pane, event, out);
        }
    }
}

fn key(state: &mut State, pane: PaneId, event: KeyEvent, out: &mut Vec<Out>) {
    state.damage.full = true;
    let held = event.modifiers.without(Modifiers::SHIFT);
    if held == Modifiers::CTRL {
        control_key(state, pane, event.code, out);
    } else if held.is_empty() {
        plain_key(state, pane, event.code, out);
    }
}

fn control_key(state: &mut State, pane: PaneId, code: KeyCode, out: &mut Vec<Out>) {
    let page = state.mirror.frame(pane).map_or(1, |frame| frame.size.rows);
    match code {
        KeyCode::Char('u') => by_page(state, page / 2, true, out),
        KeyCode::Char('d') => by_page(state, page / 2, false, out),
        KeyCode::Char('b') => by_page(state, page.saturating_sub(1), true, out),
        KeyCode::Char('f') => by_page(state, page.saturating_sub(1), false, out),
        KeyCode::Char('v') => mark(state, Shape::Block),
        KeyCode::Char('c') => leave(state, pane, out),
        _ => {}
    }
}

fn plain_key(state: &mut State, pane: PaneId, code: KeyCode, out: &mut Vec<Out>) {
    if let KeyCode::Char(digit @ '0'..='9') = code
        && add_digit(state, digit)
    {
        return;
    }
    let page = state.mirror.frame(pane).map_or(1, |frame| frame.size.rows.saturating_sub(1));
    match code {
        KeyCode::PageUp => by_page(state, page, true, out),
        KeyCode::PageDown => by_page(state, page, false, out),
        KeyCode::Char('H' | 'M' | 'L') => in_view(state, code, out),
        KeyCode::Char('v') => mark(state, Shape::Characters),
        KeyCode::Char('V') => mark(state, Shape::Lines),
        KeyCode::Char('o') => other_end(state, out),
        KeyCode::Char('O') => select_output(state, pane, out),
        KeyCode::Char(slash @ ('/' | '?')) => find::open(state, pane, slash == '?'),
        KeyCode::Char(next @ ('n' | 'N')) => find::again(state, pane, next == 'N', out),
        KeyCode::Char('y') | KeyCode::Enter => copy(state, pane, out),
        KeyCode::Char('Y') => {
            mark(state, Shape::Lines);
            copy(state, pane, out);
        }
        KeyCode::Char('q') | KeyCode::Escape => leave(state, pane, out),
        _ => {
            if let Some(motion) = motion(code) {
                let count = state.copy.as_mut().and_then(|copy| copy.count.take());
                walk(state, motion, count, out);
            }
        }
    }
    if let Some(copy) = &mut state.copy {
        copy.count = None;
    }
}

fn motion(code: KeyCode) -> Option<Motion> {
    Some(match code {
        KeyCode::Char('h') | KeyCode::Left | KeyCode::Backspace => Motion::Left,
        KeyCode::Char('l' | ' ') | KeyCode::Right => Motion::Right,
        KeyCode::Char('k') | KeyCode::Up => Motion::Up,
        KeyCode::Char('j') | KeyCode::Down => Motion::Down,
        KeyCode::Char('w') => Motion::WordForward,
        KeyCode::Char('W') => Motion::BigForward,
        KeyCode::Char('b') => Motion::WordBack,
        KeyCode::Char('B') => Motion::BigBack,
        KeyCode::Char('e') => Motion::WordEnd,
        KeyCode::Char('E') => Motion::BigEnd,
        KeyCode::Char('0') | KeyCode::Home => Motion::LineStart,
        KeyCode::Char('^') => Motion::LineText,
        KeyCode::Char('$') | KeyCode::End => Motion::LineEnd,
        KeyCode::Char('{') => Motion::ParagraphBack,
        KeyCode::Char('}') => Motion::ParagraphForward,
        KeyCode::Char('g') => Motion::Top,
        KeyCode::Char('G') => Motion::Bottom,
        KeyCode::Char('[') => Motion::PromptAbove,
        KeyCode::Char(']') => Motion::PromptBelow,
        _ => return None,
    })
}

/// Takes a digit of a number; a zero alone is no number.
fn add_digit(state: &mut State, digit: char) -> bool {
    let (Some(copy), Some(value)) = (&mut state.copy, digit.to_digit(10)) else { return false };
    let before = u32::from(copy.count.unwrap_or(0));
    if before == 0 && value == 0 {
        return false;
    }
    // A fifth digit is left out.
    let count = u16::try_from(before * 10 + value).ok().filter(|count| *count <= COUNT);
    copy.count = count.or(copy.count);
    true
}

/// Walks; where the rows shown are not enough, the server does.
fn walk(state: &mut State, motion: Motion, count: Option<u16>, out: &mut Vec<Out>) {
    let Some(copy) = &mut state.copy else { return };
    if motion == Motion::LineEnd {
        copy.col = u16::MAX;
    }
    let keeps = matches!(motion, Motion::Up | Motion::Down | Motion::LineEnd);
    let free = matches!(copy.mark, Some((_, Shape::Block)));
    let walk = Walk { motion, count, col: copy.col, free };
    let (pane, from) = (copy.pane, copy.cursor);
    let Some(frame) = state.mirror.frame(pane) else { return };
    match motion::walk(&Shown(frame), from, walk) {
        Ok(spot) => arrived(state, pane, spot, keeps, out),
        Err(motion::Beyond) => {
            reading::ask(state, pane, Wanted::Cursor { keeps }, Ask::Walk(from, walk), out);
        }
    }
}

/// The cursor gets to a place; `keeps` leaves the column that up and down keep to.
pub fn arrived(state: &mut State, pane: PaneId, spot: Spot, keeps: bool, out: &mut Vec<Out>) {
    let Some(copy) = state.copy.as_mut().filter(|copy| copy.pane == pane) else { return };
    copy.cursor = spot;
    if !keeps {
        copy.col = spot.col;
    }
    state.damage.full = true;
    reveal(state, out);
}

/// Puts the cursor to a place, and the view too if that is given.
pub fn place(state: &mut State, spot: Spot, top: Option<u64>, out: &mut Vec<Out>) {
    let Some(copy) = &state.copy else { return };
    let pane = copy.pane;
    if let Some(top) = top {
        move_view(state, top, out);
    }
    arrived(state, pane, spot, false, out);
}

/// Moves the view so that the cursor is in it: by rows, or to its middle from far away.
fn reveal(state: &mut State, out: &mut Vec<Out>) {
    let Some(copy) = &state.copy else { return };
    let Some(frame) = state.mirror.frame(copy.pane) else { return };
    let (rows, row, top) = (u64::from(frame.size.rows), copy.cursor.row, copy.top);
    let wanted = if row < top {
        if top - row > rows { row.saturating_sub(rows / 2) } else { row }
    } else if row >= top + rows {
        let lowest = row + 1 - rows;
        if lowest - top > rows { row.saturating_sub(rows / 2) } else { lowest }
    } else {
        return;
    };
    move_view(state, wanted, out);
}

/// Shows the rows from one on, as far as there are any.
fn move_view(state: &mut State, top: u64, out: &mut Vec<Out>) {
    let Some(copy) = &mut state.copy else { return };
    let Some(frame) = state.mirror.frame(copy.pane) else { return };
    let (oldest, live) = tops(frame);
    let top = top.clamp(oldest, live);
    if top != copy.top {
        copy.top = top;
        let pane = copy.pane;
        scroll::send(state, pane, ScrollTo::Hold(top), out);
    }
}

/// Moves view and cursor by so many rows, times the number that was typed.
fn by_page(state: &mut State, rows: u16, up: bool, out: &mut Vec<Out>) {
    let Some(copy) = &mut state.copy else { return };
    let rows = rows.max(1).saturating_mul(copy.count.take().unwrap_or(1));
    let top = copy.top;
    let wanted = if up { top.saturating_sub(rows.into()) } else { top + u64::from(rows) };
    move_view(state, wanted, out);
    walk(state, if up { Motion::Up } else { Motion::Down }, Some(rows), out);
}

/// Moves the view by rows, up if positive; the cursor stays in it.
pub fn wheel(state: &mut State, rows: i32, out: &mut Vec<Out>) {
    let Some(top) = state.copy.as_ref().map(|copy| copy.top) else { return };
    move_view(state, top.saturating_add_signed(-i64::from(rows)), out);
    let Some(copy) = &mut state.copy else { return };
    let Some(frame) = state.mirror.frame(copy.pane) else { return };
    let last = copy.top + u64::from(frame.size.rows).saturating_sub(1);
    copy.cursor.row = copy.cursor.row.clamp(copy.top, last);
    state.damage.full = true;
}

/// To the first, the middle or the last row in view.
fn in_view(state: &mut State, code: KeyCode, out: &mut Vec<Out>) {
    let Some(copy) = &mut state.copy else { return };
    let Some(frame) = state.mirror.frame(copy.pane) else { return };
    let last = u64::from(frame.size.rows).saturating_sub(1);
    let further = u64::from(copy.count.take().unwrap_or(1).saturating_sub(1)).min(last);
    let row = match code {
        KeyCode::Char('H') => copy.top + further,
        KeyCode::Char('M') => copy.top + last / 2,
        _ => copy.top + last - further,
    };
    walk(state, Motion::Row(row), None, out);
}

/// Begins a selection at the cursor, changes its shape, or gives it up.
fn mark(state: &mut State, shape: Shape) {
    let Some(copy) = &mut state.copy else { return };
    copy.mark = match copy.mark {
        Some((_, same)) if same == shape => None,
        Some((spot, _)) => Some((spot, shape)),
        None => Some((copy.cursor, shape)),
    };
}

fn other_end(state: &mut State, out: &mut Vec<Out>) {
    let Some(copy) = &mut state.copy else { return };
    let Some((spot, shape)) = copy.mark else { return };
    copy.mark = Some((copy.cursor, shape));
    place(state, spot, None, out);
}

fn select_output(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    let Some(row) = state.copy.as_ref().map(|copy| copy.cursor.row) else { return };
    reading::ask(state, pane, Wanted::Output, Ask::Output(row), out);
}

/// The output of the command at the cursor is known.
pub fn output(state: &mut State, pane: PaneId, range: Option<(Spot, Spot)>, out: &mut Vec<Out>) {
    let Some((first, last)) = range else {
        return state.warn("no output of a command is here, or the shell does not mark it".into());
    };
    let Some(frame) = state.mirror.frame(pane) else { return };
    let last = Spot { col: last.col.min(frame.size.cols.saturating_sub(1)), ..last };
    if let Some(copy) = state.copy.as_mut().filter(|copy| copy.pane == pane) {
        copy.mark = Some((first, Shape::Characters));
        place(state, last, None, out);
    }
}

fn copy(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    let Some(selection) = state.selected(pane) else {
        return state.notices.show(Level::Info, "nothing is selected: v begins a selection".into());
    };
    reading::copy_text(state, selection, out);
    leave(state, pane, out);
}

/// A picture has come: rows that were dropped from the history take the cursor with them.
pub fn picture_came(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    let Some(copy) = state.copy.as_mut().filter(|copy| copy.pane == pane) else { return };
    let Some(frame) = state.mirror.frame(pane) else { return };
    let (oldest, live) = tops(frame);
    copy.top = copy.top.clamp(oldest, live);
    if copy.cursor.row < oldest {
        copy.cursor = Spot { row: oldest, col: 0 };
        state.warn("the history was full: the text at the cursor has left it".into());
    }
    reveal(state, out);
}

/// The pane's text is laid out anew: the cursor stays where it is on the screen.
pub fn begin_again(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    let Some(copy) = state.copy.as_mut().filter(|copy| copy.pane == pane) else { return };
    let Some(frame) = state.mirror.frame(pane) else { return };
    let row = copy.cursor.row.saturating_sub(copy.top).min(u64::from(frame.size.rows).saturating_sub(1));
    copy.top = frame.first;
    copy.cursor = Spot { row: frame.first + row, col: copy.cursor.col.min(frame.size.cols - 1) };
    (copy.before, copy.count) = (None, None);
    copy.keys.clear();
    let had_selection = copy.mark.take().is_some();
    let top = copy.top;
    state.scrolled.remove(&pane);
    scroll::send(state, pane, ScrollTo::Hold(top), out);
    if had_selection {
        state.warn("the pane's text was laid out anew; nothing is selected any more".into());
    }
}

impl State {
    /// Whether a pane is in copy mode.
    pub fn copying(&self, pane: PaneId) -> bool {
        self.copy.as_ref().is_some_and(|copy| copy.pane == pane)
    }

    /// What is selected in a pane, with the keys or with the mouse.
    pub fn selected(&self, pane: PaneId) -> Option<Selection> {
        match self.copy.as_ref().filter(|copy| copy.pane == pane) {
            Some(copy) => {
                let (from, shape) = copy.mark?;
                Some(Selection { pane, from, to: copy.cursor, shape })
            }
            None => self.selection.filter(|selection| selection.pane == pane),
        }
    }
}
