//! Keys in the finder, and what its rows lead to.

use super::picker::{self, Step};
use crate::client::field::Field;
use crate::client::out::Out;
use crate::client::state::{Choice, Finder, FinderEntry, Layer, Source, State};
use crate::protocol::attach::message::{Find, Spotted, ToServer};
use crate::protocol::command::{Command, Launch};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Rows of a page.
const PAGE: isize = 10;

/// Opens the finder.
pub fn open(state: &mut State, out: &mut Vec<Out>) {
    let mut finder = Finder::new(picker::rows(state, Source::Jump));
    search(state, &mut finder, out);
    state.layers.push(Layer::Finder(finder));
    state.damage.full = true;
}

/// Takes a key.
pub fn key(state: &mut State, finder: &mut Finder, event: KeyEvent, out: &mut Vec<Out>) -> Step {
    let ctrl = event.modifiers.contains(Modifiers::CTRL);
    let alt = event.modifiers.contains(Modifiers::ALT);
    match event.code {
        KeyCode::Escape if finder.query.text().is_empty() => return close(out),
        KeyCode::Char('c') if ctrl => return close(out),
        KeyCode::Escape => {
            finder.query = Field::default();
            search(state, finder, out);
        }
        KeyCode::Tab => {
            finder.scope = finder.scope.beside(!event.modifiers.contains(Modifiers::SHIFT));
            search(state, finder, out);
        }
        // Not every terminal tells Ctrl+i from Tab.
        KeyCode::Char('i') if ctrl => toggle_case(state, finder, out),
        KeyCode::Char('c') if alt => toggle_case(state, finder, out),
        KeyCode::Enter => return choose(finder, root(state).as_deref(), out),
        KeyCode::Char('y') if ctrl => return paste(finder, root(state).as_deref(), out),
        KeyCode::Up => finder.step(-1),
        KeyCode::Down => finder.step(1),
        KeyCode::Char('p' | 'k') if ctrl => finder.step(-1),
        KeyCode::Char('n' | 'j') if ctrl => finder.step(1),
        KeyCode::PageUp => finder.select(finder.selected.saturating_add_signed(-PAGE)),
        KeyCode::PageDown => finder.select(finder.selected.saturating_add_signed(PAGE)),
        _ => {
            let before = finder.query.text().to_owned();
            finder.query.key(event);
            if finder.query.text() != before {
                search(state, finder, out);
            }
        }
    }
    Step::Stay
}

fn toggle_case(state: &mut State, finder: &mut Finder, out: &mut Vec<Out>) {
    finder.sensitive = !finder.sensitive;
    search(state, finder, out);
}

fn close(out: &mut Vec<Out>) -> Step {
    out.push(Out::Send(ToServer::EndFind));
    Step::Close
}

/// Begins the search for what is typed; the server ends the one before.
pub fn search(state: &mut State, finder: &mut Finder, out: &mut Vec<Out>) {
    let query = finder.query.text().trim().to_owned();
    let workspace = state.scene().and_then(|scene| scene.workspace()).map(|workspace| workspace.id);
    // With nothing typed the list of everything is the places; files alone are listed all the same.
    let listing = query.is_empty() && finder.scope.places();
    let files = workspace.filter(|_| finder.scope.files() && !listing);
    let output = finder.scope.output() && !query.is_empty();
    state.searches = state.searches.wrapping_add(1);
    let number = state.searches;
    let wanted = files.is_some() || output;
    finder.begin(number, wanted);
    if wanted {
        out.push(Out::Send(ToServer::Find(Find {
            number,
            query,
            sensitive: finder.sensitive,
            files,
            output,
        })));
    }
}

/// Something was found; of a search that nobody waits for any more nothing is wanted.
pub fn found(state: &mut State, number: u32, spotted: Vec<Spotted>, end: Option<bool>) {
    for layer in &mut state.layers {
        if let Layer::Finder(finder) = layer
            && finder.number == number
        {
            finder.add(spotted, end);
            state.damage.full = true;
            return;
        }
    }
}

/// The folder that paths are below.
pub fn root(state: &State) -> Option<String> {
    Some(state.scene()?.workspace()?.root.clone())
}

/// What Enter does: goes to a place, opens a file, shows a line.
pub fn choose(finder: &Finder, root: Option<&str>, out: &mut Vec<Out>) -> Step {
    let choice = match (finder.entry(), root) {
        (Some(FinderEntry::Place(row, _)), _) => row.choice.clone(),
        (Some(FinderEntry::Line(pane, row, _)), _) => Choice::Line(*pane, *row),
        (Some(FinderEntry::File(path)), Some(root)) => Choice::Command(edit(root, path)),
        _ => return Step::Stay,
    };
    out.push(Out::Send(ToServer::EndFind));
    Step::Choose(choice)
}

/// The path of a file, for the focused pane.
fn paste(finder: &Finder, root: Option<&str>, out: &mut Vec<Out>) -> Step {
    let (Some(FinderEntry::File(path)), Some(root)) = (finder.entry(), root) else { return Step::Stay };
    out.push(Out::Send(ToServer::EndFind));
    Step::Choose(Choice::Paste(quoted(&absolute(root, path))))
}

fn absolute(root: &str, path: &str) -> String {
    format!("{}/{path}", root.trim_end_matches('/'))
}

/// A path as a shell takes it for one word.
fn quoted(path: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "/._-+@%:,".contains(char);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// Opens a file with the person's editor in a pane beside the focused one.
fn edit(root: &str, path: &str) -> Command {
    let file = absolute(root, path);
    let argv: Vec<String> = if cfg!(windows) {
        vec!["cmd".into(), "/C".into(), "%EDITOR%".into(), file]
    } else {
        // The setting may hold flags, so that the shell splits it.
        vec!["/bin/sh".into(), "-c".into(), "exec ${EDITOR:-vi} \"$1\"".into(), "sh".into(), file]
    };
    let launch =
        Launch { argv: Some(argv), cwd: Some(root.to_owned()), restore: Some(false), ..Launch::default() };
    Command::SplitPane { pane: None, axis: None, launch, focus: true }
}
