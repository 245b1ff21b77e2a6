//! Questions to the server about panes' texts, and what becomes of the answers.

use super::out::Out;
use super::state::{Asked, Selection, State, Wanted};
use super::{copy, find, mouse_select};
use crate::protocol::attach::message::{Level, ToServer};
use crate::protocol::ids::PaneId;
use crate::protocol::text::{Answer, Ask};

/// Questions that wait for their answers; further ones push out the oldest.
const ASKED: usize = 16;

/// Asks.
pub fn ask(state: &mut State, pane: PaneId, wanted: Wanted, ask: Ask, out: &mut Vec<Out>) {
    state.questions = state.questions.wrapping_add(1);
    // A newer search takes the place of an older one.
    state.asked.retain(|asked| wanted != Wanted::Match || asked.wanted != Wanted::Match);
    if state.asked.len() >= ASKED {
        state.asked.remove(0);
    }
    state.asked.push(Asked { number: state.questions, pane, wanted });
    out.push(Out::Send(ToServer::Ask(pane, state.questions, ask)));
}

/// Asks for the text of a selection, to copy it.
pub fn copy_text(state: &mut State, selection: Selection, out: &mut Vec<Out>) {
    let Selection { pane, from, to, shape } = selection;
    ask(state, pane, Wanted::Text, Ask::Copy(from, to, shape), out);
}

/// Whether copy mode must wait before it takes the next key.
pub fn moving(state: &State, pane: PaneId) -> bool {
    let moves = |wanted| matches!(wanted, Wanted::Cursor { .. } | Wanted::Output | Wanted::Match);
    state.asked.iter().any(|asked| asked.pane == pane && moves(asked.wanted))
}

/// An answer has come.
pub fn answered(state: &mut State, number: u32, answer: Answer, out: &mut Vec<Out>) {
    let Some(at) = state.asked.iter().position(|asked| asked.number == number) else { return };
    let asked = state.asked.remove(at);
    match (asked.wanted, answer) {
        (Wanted::Cursor { keeps }, Answer::At(spot)) => copy::arrived(state, asked.pane, spot, keeps, out),
        (Wanted::Output, Answer::Range(range)) => copy::output(state, asked.pane, range, out),
        (Wanted::Match, Answer::Range(range)) => find::found(state, asked.pane, range, out),
        (Wanted::Clicked, Answer::Range(Some(range))) => {
            mouse_select::clicked(state, asked.pane, range, out);
        }
        (Wanted::Text, Answer::Text { text, cut, lost }) => take(state, text, cut, lost, out),
        (Wanted::Text, _) => state.warn("the pane is gone; nothing was copied".into()),
        _ => {}
    }
    copy::go_on(state, out);
}

/// Copies. What becomes of the sequence is the terminal's secret, so nobody says that it worked.
fn take(state: &mut State, text: String, cut: bool, lost: bool, out: &mut Vec<Out>) {
    if text.is_empty() {
        return state.warn(if lost {
            "the selection has left the history; nothing was copied".into()
        } else {
            "there is no text in the selection; nothing was copied".into()
        });
    }
    let amount = match text.lines().count() {
        1 => counted(text.chars().count(), "character"),
        lines => counted(lines, "line"),
    };
    let mut told = format!("{amount} sent to the terminal's clipboard");
    if lost {
        told.push_str("; the beginning has left the history");
    }
    if cut {
        told.push_str("; the end was left out, it is too much");
    }
    state.notices.show(if lost || cut { Level::Warning } else { Level::Info }, told);
    state.damage.full = true;
    out.push(Out::Copy(text));
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The text of a pane is laid out anew, or another one: places in it mean nothing any more.
pub fn forget_places(state: &mut State, pane: PaneId, out: &mut Vec<Out>) {
    state.asked.retain(|asked| asked.pane != pane || asked.wanted == Wanted::Text);
    state.selection.take_if(|selection| selection.pane == pane);
    if let Some(find) = state.find.as_mut().filter(|find| find.pane == pane) {
        find.at = None;
    }
    mouse_select::forget(state, pane);
    copy::begin_again(state, pane, out);
    state.damage.full = true;
}

/// Panes that are not shown any more are left behind.
pub fn forget_hidden(state: &mut State, shown: impl Fn(PaneId) -> bool) {
    state.copy.take_if(|copy| !shown(copy.pane));
    state.find.take_if(|find| !shown(find.pane));
    state.selection.take_if(|selection| !shown(selection.pane));
    state.asked.retain(|asked| shown(asked.pane) || asked.wanted == Wanted::Text);
}
