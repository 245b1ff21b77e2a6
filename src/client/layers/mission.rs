//! Keys in Mission Control.

use super::picker::Step;
use crate::client::field::Field;
use crate::client::out::Out;
use crate::client::state::{Choice, Entry, Layer, Mission, State};
use crate::config::chord::Chord;
use crate::protocol::attach::message::{Level, Reply, ToServer};
use crate::protocol::command::Command;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Opens it over everything.
pub fn open(state: &mut State, out: &mut Vec<Out>) {
    let mut mission = Mission::default();
    look(state, &mut mission, out);
    state.layers.push(Layer::Mission(mission));
    state.damage.full = true;
}

/// Shows it because a program asked for it: over everything but what a person is busy with.
pub fn show(state: &mut State, this_workspace: bool, out: &mut Vec<Out>) {
    if state.layers.is_empty() {
        open(state, out);
    }
    if let Some(Layer::Mission(mission)) = state.layers.last_mut() {
        mission.this_workspace = this_workspace;
        state.damage.full = true;
    }
}

/// Takes a key.
pub fn key(state: &mut State, mission: &mut Mission, event: KeyEvent, out: &mut Vec<Out>) -> Step {
    if let Some(entry) = mission.entry.take() {
        typed(state, mission, entry, event, out);
        return Step::Stay;
    }
    match event.code {
        KeyCode::Up => step(state, mission, -1),
        KeyCode::Down | KeyCode::Char('j') => step(state, mission, 1),
        KeyCode::Home | KeyCode::Char('g') => choose_row(state, mission, 0),
        KeyCode::Tab => mission.this_workspace = !mission.this_workspace,
        KeyCode::Char('f') => mission.filter = mission.filter.next(),
        KeyCode::Char('r') => {
            look_again(state, mission, out);
            return Step::Stay;
        }
        KeyCode::Char('p') => start(state, mission, Entry::Prompt(Field::default())),
        KeyCode::Char('k') => start(state, mission, Entry::Keys(Field::default())),
        KeyCode::Enter => {
            let agent = state.scene().and_then(|scene| mission.agent(scene));
            return agent.map_or(Step::Stay, |(pane, _)| {
                Step::Choose(Choice::Command(Command::FocusPane { pane: pane.id }))
            });
        }
        KeyCode::Escape | KeyCode::Char('q' | 'm') => return Step::Close,
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => return Step::Close,
        _ => return Step::Stay,
    }
    look(state, mission, out);
    Step::Stay
}

/// Chooses a row.
pub fn choose_row(state: &State, mission: &mut Mission, row: usize) {
    let chosen = state.scene().and_then(|scene| mission.rows(scene).get(row).map(|(pane, _)| pane.id));
    mission.chosen = chosen.or(mission.chosen);
}

/// Asks for the chosen agent's screen, unless it is the one at hand.
pub fn look(state: &State, mission: &mut Mission, out: &mut Vec<Out>) {
    let Some(scene) = state.scene() else { return };
    if mission.seen(scene).is_none()
        && let Some((pane, _)) = mission.agent(scene)
    {
        out.push(Out::Send(ToServer::Peek(pane.id)));
    }
}

/// Asks for it anew; what is at hand is shown until then.
pub fn look_again(state: &State, mission: &Mission, out: &mut Vec<Out>) {
    if let Some((pane, _)) = state.scene().and_then(|scene| mission.agent(scene)) {
        out.push(Out::Send(ToServer::Peek(pane.id)));
    }
}

/// Moves the choice, around the ends.
pub fn step(state: &State, mission: &mut Mission, rows: isize) {
    let Some(scene) = state.scene() else { return };
    let (row, count) = (mission.row(scene), mission.rows(scene).len());
    if let (Ok(row), Ok(count @ 1..)) = (isize::try_from(row), isize::try_from(count)) {
        choose_row(state, mission, (row + rows).rem_euclid(count).unsigned_abs());
    }
}

/// A line is typed for the chosen agent, whose screen must be on show.
fn start(state: &mut State, mission: &mut Mission, entry: Entry) {
    let seen = state.scene().is_some_and(|scene| mission.seen(scene).is_some());
    mission.chosen = state.scene().and_then(|scene| mission.agent(scene)).map(|(pane, _)| pane.id);
    if seen {
        mission.entry = Some(entry);
    } else {
        state.notices.show(Level::Info, "no agent's screen is shown".to_owned());
    }
}

fn typed(state: &mut State, mission: &mut Mission, mut entry: Entry, event: KeyEvent, out: &mut Vec<Out>) {
    let (Entry::Prompt(field) | Entry::Keys(field)) = &mut entry;
    match event.code {
        KeyCode::Escape => return,
        KeyCode::Enter => {}
        _ => {
            field.key(event);
            mission.entry = Some(entry);
            return;
        }
    }
    let seen = state.scene().and_then(|scene| mission.seen(scene)).cloned();
    let (Some(seen), false) = (seen, field.text().trim().is_empty()) else { return };
    let reply = match &entry {
        Entry::Prompt(field) => Reply::Prompt(field.text().to_owned()),
        Entry::Keys(field) => match keys(field.text()) {
            Ok(keys) => Reply::Keys(keys),
            Err(wrong) => {
                state.warn(format!("`{wrong}` is no key; write them as y, Enter, Esc, ctrl+c"));
                mission.entry = Some(entry);
                return;
            }
        },
    };
    out.push(Out::Send(ToServer::Answer(seen, reply)));
    look_again(state, mission, out);
}

/// Names of keys, each between blanks.
fn keys(text: &str) -> Result<Vec<(KeyCode, Modifiers)>, String> {
    let key = |name: &str| {
        name.parse().map(|Chord { code, modifiers }| (code, modifiers)).map_err(|_| name.to_owned())
    };
    text.split_whitespace().map(key).collect()
}
