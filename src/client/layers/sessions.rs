//! The session switcher and the report of a start: lists like the others, whose rows come from outside.

use crate::client::out::Out;
use crate::client::sessions::{Found, Known, Session, Trouble, Wish};
use crate::client::state::{Choice, Layer, Picker, Row, Source, State};
use crate::config::keymap::Action;
use crate::protocol::attach::message::Level;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Opens the list, empty until the sessions are known.
pub fn open(state: &mut State, out: &mut Vec<Out>) {
    state.layers.push(Layer::Picker(Picker::new(Source::Sessions, Vec::new(), 0)));
    out.push(Out::Sessions(Wish::List));
    state.damage.full = true;
}

/// Opens the report, empty until it is known.
pub fn open_report(state: &mut State, out: &mut Vec<Out>) {
    state.layers.push(Layer::Picker(Picker::new(Source::Report, Vec::new(), 0)));
    out.push(Out::Sessions(Wish::Report));
    state.damage.full = true;
}

/// The sessions or the report are known, or something was done about one.
pub fn found(state: &mut State, found: Found) {
    match found.told {
        Some(Ok(text)) => state.notices.show(Level::Info, text),
        Some(Err(text)) => state.warn(text),
        None => {}
    }
    let (source, rows): (Source, Vec<Row>) = match &found.known {
        Known::Sessions(all) => {
            (Source::Sessions, all.iter().map(|session| row(session, &state.session)).collect())
        }
        Known::Report(troubles) if troubles.is_empty() => (Source::Report, vec![nothing()]),
        Known::Report(troubles) => (Source::Report, troubles.iter().map(trouble).collect()),
    };
    for layer in &mut state.layers {
        if let Layer::Picker(picker) = layer
            && picker.source == source
        {
            picker.replace(rows.clone());
        }
    }
    state.damage.full = true;
}

fn row(session: &Session, current: &str) -> Row {
    let state = match session.running {
        _ if session.name == current => "this one",
        true => "running",
        false => "stopped",
    };
    let choice = Choice::SwitchSession(session.name.clone());
    Row { text: session.name.clone(), detail: String::new(), right: state.into(), choice }
}

/// A pane is tried again; the rest is only told.
fn trouble(trouble: &Trouble) -> Row {
    let (right, choice) = match &trouble.pane {
        Some(pane) => ("try again", Choice::Sessions(Wish::Retry(pane.clone()))),
        None => ("", Choice::Action(Action::RestoreReport)),
    };
    Row { text: trouble.text.clone(), detail: String::new(), right: right.into(), choice }
}

fn nothing() -> Row {
    let text = "nothing is missing".to_owned();
    let choice = Choice::Action(Action::RestoreReport);
    Row { text, detail: String::new(), right: String::new(), choice }
}

/// What Enter in the report asks for: the list stays, for the next pane.
pub fn retried(picker: &Picker, event: KeyEvent) -> Option<Wish> {
    let enter = picker.source == Source::Report && event.code == KeyCode::Enter;
    match picker.chosen().filter(|_| enter).map(|row| &row.choice) {
        Some(Choice::Sessions(wish)) => Some(wish.clone()),
        _ => None,
    }
}

/// What the keys of this list ask for beside those of every list.
pub fn key(picker: &Picker, current: &str, event: KeyEvent) -> Option<Layer> {
    let chosen = picker.chosen()?;
    let name = &chosen.text;
    let running = chosen.right != "stopped";
    match event.code {
        KeyCode::Char('x') if event.modifiers == Modifiers::CTRL && running => {
            let what = if name == current { " — this one —" } else { "" };
            let question = format!("End session `{name}`{what} with everything that runs in it?");
            Some(Layer::Confirm { question, choice: Choice::Sessions(Wish::Stop(name.clone())) })
        }
        KeyCode::Char('d') if event.modifiers == Modifiers::CTRL && !running => {
            let question = format!("Delete session `{name}` with its saved layout?");
            Some(Layer::Confirm { question, choice: Choice::Sessions(Wish::Delete(name.clone())) })
        }
        _ => None,
    }
}

/// A name that no session has makes a new one.
pub fn new_one(picker: &Picker) -> Option<Choice> {
    let name = picker.query.text().trim();
    (picker.matches.is_empty() && !name.is_empty()).then(|| Choice::SwitchSession(name.to_owned()))
}
