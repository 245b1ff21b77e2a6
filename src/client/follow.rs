//! Links under the pointer: underlined while Ctrl is held over them, opened by Ctrl and a click.
//!
//! Addresses open where the person sits; paths in an editor in a new pane, once the server has found them.

use super::links::{self, Link, Target};
use super::out::Out;
use super::scratch;
use super::state::State;
use crate::protocol::attach::message::{Located, ToServer};
use crate::protocol::command::{Command, Launch};
use crate::protocol::ids::PaneId;

/// Opens a file at a line in the editor that the person has said, else in the one of the server's environment:
/// `sh -c SCRIPT name PATH LINE EDITOR`. An editor that is missing is told, and waits to be read.
const EDIT: &str = "e=${3:-${VISUAL:-${EDITOR:-vi}}}; p=${e%% *}; \
command -v \"$p\" >/dev/null 2>&1 || { printf 'luvus: the editor %s is not there (EDITOR); Enter closes' \"$p\"; read -r _; exit 1; }; \
[ -n \"$2\" ] || exec $e \"$1\"; \
case ${p##*/} in hx|helix|subl|zed) exec $e \"$1:$2\";; code|code-insiders|codium|cursor) exec $e --goto \"$1:$2\";; esac; \
exec $e \"+$2\" \"$1\"";

/// What is known of links.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Links {
    /// The link that is underlined, and its pane.
    pub hovered: Option<(PaneId, Link)>,
    /// The path that the server was asked for.
    asked: Option<(PaneId, Link)>,
    /// What was pointed at and is no path: it is asked for once.
    missing: Option<(PaneId, Link)>,
    /// Whether it is to be opened once it is found.
    wanted: bool,
}

/// The pointer is over a cell of a pane with Ctrl held.
pub fn point(state: &mut State, pane: PaneId, at: (u16, u16), out: &mut Vec<Out>) {
    let link = state.mirror.frame(pane).and_then(|frame| links::at(frame, at.0, at.1));
    let Some(link) = link else { return forget(state) };
    let found = (pane, link);
    let links = &state.links;
    if [&links.hovered, &links.asked, &links.missing].into_iter().any(|known| known.as_ref() == Some(&found))
    {
        return;
    }
    forget(state);
    match &found.1.target {
        Target::Url(_) => underline(state, found),
        Target::Path { text, .. } => {
            out.push(Out::Send(ToServer::Locate(pane, whole(state, text))));
            state.links.asked = Some(found);
            state.links.wanted = false;
        }
    }
}

/// The pointer is elsewhere, or Ctrl is up, or the picture is another one.
pub fn forget(state: &mut State) {
    if state.links.hovered.take().is_some() {
        state.damage.full = true;
    }
    state.links.missing = None;
    if !state.links.wanted {
        state.links.asked = None;
    }
}

fn underline(state: &mut State, found: (PaneId, Link)) {
    state.links.hovered = Some(found);
    state.damage.full = true;
}

/// A click with Ctrl; false if there is nothing to open.
pub fn click(state: &mut State, pane: PaneId, at: (u16, u16), out: &mut Vec<Out>) -> bool {
    let link = state.mirror.frame(pane).and_then(|frame| links::at(frame, at.0, at.1));
    match link {
        Some(Link { target: Target::Url(url), .. }) => out.push(Out::Open(url)),
        Some(link) => {
            let Target::Path { text, .. } = &link.target else { return false };
            out.push(Out::Send(ToServer::Locate(pane, whole(state, text))));
            state.links.asked = Some((pane, link));
            state.links.wanted = true;
        }
        None => return false,
    }
    true
}

/// The server has looked for a path.
pub fn located(state: &mut State, located: Located, out: &mut Vec<Out>) {
    let Some((pane, link)) = state.links.asked.take() else { return };
    let Target::Path { text, line } = &link.target else { return };
    if (located.pane, &located.text) != (pane, &whole(state, text)) {
        state.links.asked = Some((pane, link));
        return;
    }
    let wanted = std::mem::take(&mut state.links.wanted);
    match (located.path, wanted) {
        (None, true) => state.warn(format!("there is no {text} in the pane's folder")),
        (None, false) => state.links.missing = Some((pane, link)),
        (Some(path), true) => {
            let launch = if located.folder {
                Launch { cwd: Some(path), ..Launch::default() }
            } else {
                edit(state.editor.as_deref(), &path, *line)
            };
            // The scratch terminal is in no tab: what is opened from it goes beside the focused pane.
            let beside = Some(pane).filter(|pane| !scratch::is(state, *pane));
            scratch::hide(state, out);
            out.push(Out::command(Command::SplitPane { pane: beside, axis: None, launch, focus: true }));
        }
        (Some(_), false) => underline(state, (pane, link)),
    }
}

/// A name with the person's home folder in the place of `~`.
fn whole(state: &State, text: &str) -> String {
    match (text.strip_prefix("~/"), &state.home) {
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        _ => text.to_owned(),
    }
}

fn edit(editor: Option<&str>, path: &str, line: Option<u32>) -> Launch {
    let line = line.map(|line| line.to_string()).unwrap_or_default();
    let words = ["sh", "-c", EDIT, "luvus-edit", path, &line, editor.unwrap_or_default()];
    Launch { argv: Some(words.map(str::to_owned).into()), restore: Some(false), ..Launch::default() }
}
