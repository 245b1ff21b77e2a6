//! Keys in the settings screen. What is changed there goes to the server, which checks it, puts it into
//! force everywhere and writes it; nothing is taken for changed before it says so.

use super::picker::Step;
use crate::client::alerts;
use crate::client::field::Field;
use crate::client::out::Out;
use crate::client::state::{Editing, Layer, Line, Outcome, Preferences, State, conflicts, shown};
use crate::config::chord::Chord;
use crate::config::keymap::AS_PRESET;
use crate::config::sections::{Section, binding, line};
use crate::config::settings::{Kind, Setting, Value};
use crate::protocol::attach::message::{Integrate, IntegrationState, Matter, ToServer};
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers};

/// Lines of a page.
const PAGE: isize = 10;

/// Opens the screen.
pub fn open(state: &mut State) {
    let screen = Preferences::new(&state.config);
    state.layers.push(Layer::Preferences(screen));
    state.damage.full = true;
}

/// Takes a key.
pub fn key(state: &State, screen: &mut Preferences, event: KeyEvent, out: &mut Vec<Out>) -> Step {
    if let Some(editing) = screen.editing.take() {
        edit(screen, editing, event, out);
        return Step::Stay;
    }
    match event.code {
        KeyCode::Escape | KeyCode::Char('q') => {
            end_preview(state, screen, out);
            return Step::Close;
        }
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => {
            end_preview(state, screen, out);
            return Step::Close;
        }
        KeyCode::Tab => {
            let forward = !event.modifiers.contains(Modifiers::SHIFT);
            show(state, screen, screen.section.beside(forward), out);
        }
        KeyCode::Up | KeyCode::Char('k') => step(state, screen, -1, out),
        KeyCode::Down | KeyCode::Char('j') => step(state, screen, 1, out),
        KeyCode::PageUp => step(state, screen, -PAGE, out),
        KeyCode::PageDown => step(state, screen, PAGE, out),
        KeyCode::Home => select(state, screen, 0, out),
        KeyCode::End => select(state, screen, usize::MAX, out),
        KeyCode::Enter | KeyCode::Char(' ') => act(state, screen, out),
        KeyCode::Right | KeyCode::Char('l') => turn(state, screen, true, out),
        KeyCode::Left | KeyCode::Char('h') => turn(state, screen, false, out),
        KeyCode::Char('t') => try_sound(state, screen, out),
        KeyCode::Char('d') => bind(state, screen, true),
        KeyCode::Char('x') | KeyCode::Delete => unbind(state, screen, out),
        KeyCode::Char('r') => reset(state, screen, out),
        _ => {}
    }
    Step::Stay
}

/// Shows a section.
pub fn show(state: &State, screen: &mut Preferences, section: Section, out: &mut Vec<Out>) {
    end_preview(state, screen, out);
    (screen.section, screen.selected, screen.outcome) = (section, 0, None);
    if section == Section::Integrations {
        out.push(Out::Send(ToServer::Integrations(None)));
    }
    if section == Section::Theme {
        let current = |line: &Line| matches!(line, Line::Theme(_, true));
        screen.selected = screen.lines(state).iter().position(current).unwrap_or(0);
    }
}

/// Chooses a line; a theme is shown at once.
pub fn select(state: &State, screen: &mut Preferences, index: usize, out: &mut Vec<Out>) {
    let lines = screen.lines(state);
    screen.selected = index.min(lines.len().saturating_sub(1));
    screen.outcome = None;
    if let Some(Line::Theme(name, current)) = lines.get(screen.selected)
        && (screen.previewing || !current)
    {
        screen.previewing = !current;
        out.push(Out::Theme(name.clone()));
    }
}

/// Moves the choice.
pub fn step(state: &State, screen: &mut Preferences, lines: isize, out: &mut Vec<Out>) {
    select(state, screen, screen.selected.saturating_add_signed(lines), out);
}

/// Does what Enter does to the chosen line.
pub fn act(state: &State, screen: &mut Preferences, out: &mut Vec<Out>) {
    match screen.line(state) {
        Some(Line::Setting(setting, value, _)) => match setting.kind {
            Kind::Flag | Kind::Word(_) => turn(state, screen, true, out),
            Kind::Chord => screen.editing = Some(Editing::Prefix(None)),
            _ => screen.editing = Some(Editing::Value(setting, Field::new(&shown(&value)))),
        },
        Some(Line::Theme(name, _)) => {
            screen.previewing = false;
            if let Some(setting) = Setting::named("theme") {
                ask(screen, line(setting, &name), out);
            }
        }
        Some(Line::Binding(..)) => bind(state, screen, false),
        Some(Line::Integration(IntegrationState { agent, installed, .. })) => {
            // One that cannot be read is tried too: the answer says what is wrong with it.
            let change = Integrate { agent, install: installed != Ok(true) };
            screen.outcome = Some(Outcome::Asked);
            out.push(Out::Send(ToServer::Integrations(Some(change))));
        }
        Some(Line::Conflict(_)) | None => {}
    }
}

/// The next or the previous value of a line that has a few.
fn turn(state: &State, screen: &mut Preferences, forward: bool, out: &mut Vec<Out>) {
    let Some(Line::Setting(setting, value, _)) = screen.line(state) else { return };
    let next = match (setting.kind, &value) {
        (Kind::Flag, Value::Flag(flag)) => (!flag).to_string(),
        (Kind::Word(words), Value::Text(now)) => {
            let at = words.iter().position(|word| word == now).unwrap_or(0);
            let step = if forward { 1 } else { words.len() - 1 };
            words[(at + step) % words.len()].to_owned()
        }
        _ => return,
    };
    ask(screen, line(setting, &next), out);
}

/// Makes the sound that the chosen setting is about.
fn try_sound(state: &State, screen: &Preferences, out: &mut Vec<Out>) {
    if let Some(Line::Setting(setting, ..)) = screen.line(state) {
        match setting.key {
            "notifications.sound_on_done" => out.extend(alerts::sound(Matter::Done)),
            "notifications.sound_on_blocked" => out.extend(alerts::sound(Matter::Blocked)),
            _ => {}
        }
    }
}

fn bind(state: &State, screen: &mut Preferences, direct: bool) {
    if let Some(Line::Binding(action, _)) = screen.line(state) {
        (screen.editing, screen.outcome) = (Some(Editing::Binding(action, direct)), None);
    }
}

/// Takes an action's keys away, where it has some.
fn unbind(state: &State, screen: &mut Preferences, out: &mut Vec<Out>) {
    let Some(Line::Binding(action, _)) = screen.line(state) else { return };
    let bound = |keys: &[(Chord, _)]| keys.iter().any(|(_, own)| *own == action);
    let lists = [(false, bound(&state.keymap.prefixed)), (true, bound(&state.keymap.direct))];
    let lines: String = lists
        .into_iter()
        .filter(|(_, has)| *has)
        .map(|(direct, _)| binding(direct, action.id(), ""))
        .collect();
    if !lines.is_empty() {
        ask(screen, lines, out);
    }
}

/// Gives an action the keys of the preset again; the lines go from the file.
fn reset(state: &State, screen: &mut Preferences, out: &mut Vec<Out>) {
    if let Some(Line::Binding(action, _)) = screen.line(state) {
        let lines = [false, true].map(|direct| binding(direct, action.id(), AS_PRESET)).concat();
        ask(screen, lines, out);
    }
}

fn edit(screen: &mut Preferences, editing: Editing, event: KeyEvent, out: &mut Vec<Out>) {
    let chord = Chord::new(event.code, event.modifiers);
    match editing {
        Editing::Value(setting, mut field) => match event.code {
            KeyCode::Escape => {}
            KeyCode::Enter => {
                ask(screen, line(setting, field.text()), out);
                // What is refused can be mended where it stands.
                screen.editing = Some(Editing::Value(setting, field));
            }
            _ => {
                field.key(event);
                screen.editing = Some(Editing::Value(setting, field));
            }
        },
        // A key that is held is not a second press of it.
        other @ (Editing::Prefix(_) | Editing::Binding(..)) if event.kind == KeyKind::Repeat => {
            screen.editing = Some(other);
        }
        _ if chord.code == KeyCode::Escape && chord.modifiers.is_empty() => screen.outcome = None,
        Editing::Prefix(None) if !chord.may_be_prefix() => {
            let told = format!("the prefix `{chord}` must be F1 to F12 or contain ctrl or alt");
            (screen.outcome, screen.editing) = (Some(Outcome::Refused(told)), Some(Editing::Prefix(None)));
        }
        Editing::Prefix(None) => {
            (screen.outcome, screen.editing) = (None, Some(Editing::Prefix(Some(chord))));
        }
        Editing::Prefix(Some(first)) if first == chord => {
            if let Some(setting) = Setting::named("prefix") {
                ask(screen, line(setting, &chord.to_string()), out);
            }
        }
        Editing::Prefix(Some(first)) => {
            let told = format!("`{chord}` is not `{first}`; the prefix stays what it is");
            screen.outcome = Some(Outcome::Refused(told));
        }
        Editing::Binding(action, direct) => {
            ask(screen, binding(direct, action.id(), &chord.to_string()), out);
        }
    }
}

fn ask(screen: &mut Preferences, lines: String, out: &mut Vec<Out>) {
    screen.outcome = Some(Outcome::Asked);
    out.push(Out::Send(ToServer::Configure(lines)));
}

/// Shows the theme in force again.
fn end_preview(state: &State, screen: &mut Preferences, out: &mut Vec<Out>) {
    if std::mem::take(&mut screen.previewing) {
        out.push(Out::Theme(state.config.theme.clone()));
    }
}

/// The server has answered; without a screen to say it on, a refusal is a notice.
pub fn configured(state: &mut State, result: Result<(), String>) {
    state.damage.full = true;
    let screen = state.layers.iter_mut().find_map(|layer| match layer {
        Layer::Preferences(screen) => Some(screen),
        _ => None,
    });
    match (screen, result) {
        (Some(screen), Ok(())) => {
            screen.editing.take_if(|editing| matches!(editing, Editing::Value(..)));
            screen.outcome = Some(Outcome::Done);
        }
        (Some(screen), Err(why)) => screen.outcome = Some(Outcome::Refused(why)),
        (None, Ok(())) => {}
        (None, Err(why)) => state.warn(why),
    }
}

/// The server has told of the integrations, and of a change that did not work.
pub fn integrations(state: &mut State, integrations: Vec<IntegrationState>, failed: Option<&str>) {
    state.integrations = integrations;
    state.damage.full = true;
    for layer in &mut state.layers {
        if let Layer::Preferences(screen) = layer
            && screen.section == Section::Integrations
        {
            screen.outcome = match (screen.outcome.take(), failed) {
                (_, Some(why)) => Some(Outcome::Refused(why.to_owned())),
                (Some(Outcome::Asked), None) => Some(Outcome::Done),
                (before, None) => before,
            };
        }
    }
}

/// The settings are others now.
pub fn changed(state: &mut State) {
    for layer in &mut state.layers {
        if let Layer::Preferences(screen) = layer {
            screen.conflicts = conflicts(&state.config);
        }
    }
}
