//! Overlays: while one is up it gets every key, and the panes get none.

pub mod dock;
pub mod finder;
mod help;
pub mod menu;
pub mod mission;
pub mod picker;
pub mod preferences;
pub mod project;
pub mod prompt;
pub mod sessions;
pub mod strip;
pub mod touch;

use self::picker::Step;
use super::out::Out;
use super::state::{Choice, Dock, Editing, Entry, Hit, Layer, Mission, Preferences, Source, State};
use super::view;
use crate::config::sections::Section;
use crate::protocol::attach::message::Peek;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::ids::PaneId;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Gives a key to the topmost layer; returns what was chosen in it.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Out>) -> Option<Choice> {
    let mut top = state.layers.pop()?;
    state.damage.full = true;
    let stays = match &mut top {
        Layer::Help(help) => help::key(state, help, event),
        Layer::Prompt(prompt) => prompt::key(state, prompt, event, out),
        Layer::Project(offered) => project::key(state, offered, event, out),
        Layer::Confirm { choice, .. } => {
            let step = confirm_key(choice, event);
            return done(state, step, top);
        }
        Layer::Dock(cursor) => {
            if let Some(menu) = dock::actions(state, *cursor, event) {
                state.layers.extend([top, menu]);
                return None;
            }
            dock::key(state, cursor, event, out)
        }
        Layer::Picker(picker) => {
            if picker.source == Source::Sessions
                && let Some(question) = sessions::key(picker, &state.session, event)
            {
                state.layers.extend([top, question]);
                return None;
            }
            if let Some(wish) = sessions::retried(picker, event) {
                out.push(Out::Sessions(wish));
                state.layers.push(top);
                return None;
            }
            let step = picker::key(picker, event);
            return done(state, step, top);
        }
        Layer::Menu(menu) => return done(state, menu::key(menu, event), top),
        Layer::Touch(menu) => {
            let step = touch::key(state, menu, event);
            return done(state, step, top);
        }
        Layer::Finder(finder) => {
            let step = finder::key(state, finder, event, out);
            return done(state, step, top);
        }
        Layer::Strip(strip) => {
            let step = strip::key(state, strip, event, out);
            return done(state, step, top);
        }
        Layer::Preferences(screen) => {
            let step = preferences::key(state, screen, event, out);
            return done(state, step, top);
        }
        Layer::Mission(mission) => {
            let step = mission::key(state, mission, event, out);
            return done(state, step, top);
        }
    };
    if stays {
        state.layers.push(top);
    }
    None
}

/// Puts a layer back if it stays.
fn done(state: &mut State, step: Step, layer: Layer) -> Option<Choice> {
    match step {
        Step::Stay => state.layers.push(layer),
        Step::Close => {}
        Step::Choose(choice) => return Some(choice),
    }
    None
}

/// The pointer is over a line of the menu on top.
pub fn point(state: &mut State, index: usize) {
    if let Some(Layer::Menu(menu)) = state.layers.last_mut()
        && menu.selected != index
    {
        menu.selected = index;
        state.damage.full = true;
    }
}

/// Chooses what was clicked on in the topmost layer.
pub fn click(state: &mut State, hit: Hit, out: &mut Vec<Out>) -> Option<Choice> {
    state.damage.full = true;
    if let Hit::MissionRow(row) = hit {
        return click_agent(state, row, out);
    }
    if let Some(Layer::Touch(mut menu)) = state.layers.pop_if(|top| matches!(top, Layer::Touch(_))) {
        let step = touch::tap(state, &mut menu, hit);
        return done(state, step, Layer::Touch(menu));
    }
    if let Some(Layer::Preferences(mut screen)) =
        state.layers.pop_if(|top| matches!(top, Layer::Preferences(_)))
    {
        click_setting(state, &mut screen, hit, out);
        state.layers.push(Layer::Preferences(screen));
        return None;
    }
    let root = finder::root(state);
    let step = match (state.layers.last_mut()?, hit) {
        (Layer::Finder(finder), Hit::Match(index)) => {
            finder.select(index);
            finder::choose(finder, root.as_deref(), out)
        }
        (Layer::Picker(picker), Hit::Match(index)) => {
            picker.selected = index;
            picker::choose(picker)
        }
        (Layer::Menu(menu), Hit::Item(index)) => menu::choose(menu, index),
        _ => Step::Stay,
    };
    let Step::Choose(choice) = step else { return None };
    state.layers.pop();
    Some(choice)
}

/// A click on a section shows it; the first one on a line chooses it, the second changes it.
fn click_setting(state: &State, screen: &mut Preferences, hit: Hit, out: &mut Vec<Out>) {
    if screen.editing.is_some() {
        return;
    }
    match hit {
        Hit::Section(index) => {
            if let Some(section) = Section::ALL.get(index) {
                preferences::show(state, screen, *section, out);
            }
        }
        Hit::Match(index) if index == screen.selected => preferences::act(state, screen, out),
        Hit::Match(index) => preferences::select(state, screen, index, out),
        _ => {}
    }
}

/// The first click on an agent shows it, the second goes there.
fn click_agent(state: &mut State, row: usize, out: &mut Vec<Out>) -> Option<Choice> {
    let Some(Layer::Mission(mut mission)) = state.layers.pop_if(|top| matches!(top, Layer::Mission(_)))
    else {
        return None;
    };
    let rows = mission.rows(state);
    if mission.row(&rows) == row {
        return rows.get(row).map(mission::go);
    }
    mission::choose_row(state, &mut mission, row);
    mission::look(state, &mut mission, out);
    state.layers.push(Layer::Mission(mission));
    None
}

/// Gives a pasted text to the topmost layer.
pub fn paste(state: &mut State, text: &str, out: &mut Vec<Out>) {
    if let Some(Layer::Finder(mut finder)) = state.layers.pop_if(|top| matches!(top, Layer::Finder(_))) {
        finder.query.insert(text);
        finder::search(state, &mut finder, out);
        state.layers.push(Layer::Finder(finder));
    }
    match state.layers.last_mut() {
        Some(Layer::Prompt(prompt)) => prompt.field.insert(text),
        Some(Layer::Strip(strip)) => strip.field.insert(text),
        Some(Layer::Preferences(Preferences { editing: Some(Editing::Value(_, field)), .. })) => {
            field.insert(text);
        }
        Some(Layer::Help(help)) if help.searching => help.query.insert(text),
        Some(Layer::Mission(Mission { entry: Some(Entry::Prompt(field)), .. })) => field.insert(text),
        Some(Layer::Picker(picker)) => {
            picker.query.insert(text);
            picker.selected = 0;
            picker.search();
        }
        _ => return,
    }
    state.damage.full = true;
}

/// A pane's screen has come: Mission Control shows it, unless an answer to the last one is being typed.
pub fn peeked(state: &mut State, peek: Peek) {
    if let Some(Layer::Mission(mission)) =
        state.layers.iter_mut().find(|layer| matches!(layer, Layer::Mission(_)))
        && mission.entry.is_none()
    {
        mission.peek = Some(peek);
        state.damage.full = true;
    }
}

/// Scrolls the topmost layer by the wheel.
pub fn wheel(state: &mut State, lines: isize, out: &mut Vec<Out>) {
    if let Some(Layer::Touch(mut menu)) = state.layers.pop_if(|top| matches!(top, Layer::Touch(_))) {
        touch::scroll(state, &mut menu, lines);
        state.layers.push(Layer::Touch(menu));
    }
    let last = last_top(state);
    if let Some(Layer::Preferences(mut screen)) =
        state.layers.pop_if(|top| matches!(top, Layer::Preferences(_)))
    {
        preferences::step(state, &mut screen, lines.signum(), out);
        state.layers.push(Layer::Preferences(screen));
        state.damage.full = true;
        return;
    }
    match state.layers.last_mut() {
        Some(Layer::Help(help)) => help.top = help.top.saturating_add_signed(lines).min(last),
        Some(Layer::Picker(picker)) => picker.step(lines.signum()),
        Some(Layer::Touch(_)) => {}
        Some(Layer::Finder(finder)) => finder.step(lines.signum()),
        _ => return,
    }
    state.damage.full = true;
}

/// Answers the question on top; returns what is to be done.
pub fn answer(state: &mut State, yes: bool, out: &mut Vec<Out>) -> Option<Choice> {
    state.damage.full = true;
    if let Some(Layer::Project(offered)) = state.layers.pop_if(|top| matches!(top, Layer::Project(_))) {
        project::answer(&offered, yes, out);
        return None;
    }
    match state.layers.pop_if(|layer| matches!(layer, Layer::Confirm { .. })) {
        Some(Layer::Confirm { choice, .. }) if yes => Some(choice),
        _ => None,
    }
}

/// Keeps docks' cursors inside their lists, and lists of places true.
pub fn scene_changed(state: &mut State, out: &mut Vec<Out>) {
    if state.layers.is_empty() {
        return;
    }
    let (workspaces, agents) = (dock::rows(state, Dock::Workspaces), dock::rows(state, Dock::Agents));
    let places = picker::rows(state, Source::Jump);
    let panes: Vec<PaneId> =
        state.scene().map(|scene| scene.panes.iter().map(|pane| pane.id).collect()).unwrap_or_default();
    for layer in &mut state.layers {
        match layer {
            Layer::Dock(cursor) => {
                let rows = if cursor.dock == Dock::Workspaces { workspaces } else { agents };
                cursor.selected = cursor.selected.min(rows.saturating_sub(1));
            }
            Layer::Picker(picker) if picker.source == Source::Jump => picker.replace(places.clone()),
            Layer::Finder(finder) => finder.set_places(places.clone()),
            Layer::Strip(strip) => strip.keep(&panes),
            _ => {}
        }
    }
    if let Some(Layer::Mission(mission)) = state.layers.pop_if(|top| matches!(top, Layer::Mission(_))) {
        // What is being answered stays what it was when it was read.
        if mission.entry.is_none() {
            mission::look_again(state, &mission, out);
        }
        state.layers.push(Layer::Mission(mission));
    }
}

/// The list of conversations is another one: docks' cursors stay inside.
pub fn listed_changed(state: &mut State) {
    let rows = dock::rows(state, Dock::Agents);
    for layer in &mut state.layers {
        if let Layer::Dock(cursor) = layer
            && cursor.dock == Dock::Agents
        {
            cursor.selected = cursor.selected.min(rows.saturating_sub(1));
        }
    }
}

/// The same command, with leave to end what runs.
pub fn forced(command: Command) -> Command {
    let policy = ClosePolicy::Force;
    match command {
        Command::ClosePane { pane, .. } => Command::ClosePane { pane, policy },
        Command::CloseTab { tab, .. } => Command::CloseTab { tab, policy },
        Command::CloseWorkspace { workspace, .. } => Command::CloseWorkspace { workspace, policy },
        other => other,
    }
}

/// The largest first line of the help that still fills its box.
fn last_top(state: &State) -> usize {
    match state.layers.last() {
        Some(Layer::Help(help)) => view::help::last_top(state, help),
        _ => 0,
    }
}

fn confirm_key(choice: &Choice, event: KeyEvent) -> Step {
    match event.code {
        KeyCode::Char('y' | 'Y') | KeyCode::Enter => Step::Choose(choice.clone()),
        KeyCode::Char('n' | 'N' | 'q') | KeyCode::Escape => Step::Close,
        KeyCode::Char('c') if event.modifiers == Modifiers::CTRL => Step::Close,
        _ => Step::Stay,
    }
}
