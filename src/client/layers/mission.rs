//! Keys in Mission Control.

use super::picker::Step;
use crate::client::field::Field;
use crate::client::out::Out;
use crate::client::state::{Choice, Chosen, Entry, Layer, Listed, Mission, State};
use crate::config::chord::Chord;
use crate::protocol::attach::message::{Level, Reply, ToServer};
use crate::protocol::command::Command;
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Opens it over everything.
pub fn open(state: &mut State, out: &mut Vec<Out>) {
    open_at(state, None, out);
}

/// Opens it with that agent chosen.
pub fn open_at(state: &mut State, pane: Option<PaneId>, out: &mut Vec<Out>) {
    let mut mission = Mission { chosen: pane.map(Chosen::Agent), ..Mission::default() };
    look(state, &mut mission, out);
    state.layers.push(Layer::Mission(mission));
    refresh(state, out);
    state.damage.full = true;
}

/// Asks for what only the disk knows: conversations to go on with, and where Mission Control is up the counters.
pub fn refresh(state: &State, out: &mut Vec<Out>) {
    out.push(Out::Send(ToServer::Conversations));
    let mission = state.layers.iter().find_map(|layer| match layer {
        Layer::Mission(mission) => Some(mission),
        _ => None,
    });
    if let Some(mission) = mission {
        read_usage(state, mission, out);
    }
}

fn read_usage(state: &State, mission: &Mission, out: &mut Vec<Out>) {
    let panes: Vec<PaneId> = mission.rows(state).iter().filter_map(Listed::pane).collect();
    if !panes.is_empty() {
        out.push(Out::Send(ToServer::ReadUsage(panes)));
    }
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
            refresh(state, out);
            read_usage(state, mission, out);
            return Step::Stay;
        }
        KeyCode::Char('p') => start(state, mission, Entry::Prompt(Field::default())),
        KeyCode::Char('k') => start(state, mission, Entry::Keys(Field::default())),
        KeyCode::Enter => {
            return mission.listed(state).map_or(Step::Stay, |listed| Step::Choose(go(&listed)));
        }
        KeyCode::Escape | KeyCode::Char('q' | 'm') => return Step::Close,
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => return Step::Close,
        _ => return Step::Stay,
    }
    look(state, mission, out);
    Step::Stay
}

/// What Enter does on a row: the agent's pane is shown, or the conversation goes on.
pub fn go(listed: &Listed<'_>) -> Choice {
    match listed {
        Listed::Agent(pane, _) => Choice::Command(Command::FocusPane { pane: pane.id }),
        Listed::Past(past) => Choice::Resume { agent: past.agent.clone(), id: past.id.clone() },
    }
}

/// Chooses a row.
pub fn choose_row(state: &State, mission: &mut Mission, row: usize) {
    if let Some(listed) = mission.rows(state).get(row) {
        mission.chosen = Some(Chosen::of(listed));
    }
}

/// Asks for the chosen agent's screen, unless it is the one at hand.
pub fn look(state: &State, mission: &mut Mission, out: &mut Vec<Out>) {
    if mission.seen(state).is_none() {
        look_again(state, mission, out);
    }
}

/// Asks for it anew; what is at hand is shown until then.
pub fn look_again(state: &State, mission: &Mission, out: &mut Vec<Out>) {
    if let Some((pane, _)) = mission.agent(state) {
        out.push(Out::Send(ToServer::Peek(pane.id)));
    }
}

/// Moves the choice, around the ends.
pub fn step(state: &State, mission: &mut Mission, by: isize) {
    let rows = mission.rows(state);
    let (row, count) = (mission.row(&rows), rows.len());
    if let (Ok(row), Ok(count @ 1..)) = (isize::try_from(row), isize::try_from(count)) {
        choose_row(state, mission, (row + by).rem_euclid(count).unsigned_abs());
    }
}

/// A line is typed for the chosen agent, whose screen must be on show.
fn start(state: &mut State, mission: &mut Mission, entry: Entry) {
    let seen = mission.seen(state).is_some();
    let listed = mission.listed(state);
    mission.chosen = listed.as_ref().map(Chosen::of);
    if seen {
        mission.entry = Some(entry);
        return;
    }
    let told = match listed {
        Some(Listed::Past(_)) => "this conversation runs nowhere; Enter goes on with it",
        _ => "no agent's screen is shown",
    };
    state.notices.show(Level::Info, told.to_owned());
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
    let seen = mission.seen(state).cloned();
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
