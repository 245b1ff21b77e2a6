//! The scratch terminal: one shell of the session beside its layout, which each client shows over it or does not.
//!
//! Invariant: it is in no tab, no list of panes, no event and no snapshot that is kept; it ends with its shell or
//! with the server.

use super::{Hub, HubError};
use crate::protocol::attach::message::{Level, ScratchWish, ToClient};
use crate::protocol::command::Launch;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::ids::{ClientId, TabId, WorkspaceId};
use crate::protocol::scene::{self, PaneScene, Place};
use crate::server::model::ModelError;
use crate::server::terminal::handle::{Fact, PaneHandle, Start};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The share of the layout that it covers, in fifths of rows and columns.
const FIFTHS: u16 = 4;
/// It is no smaller than this where there is room: what a shell is comfortable in.
const LEAST: Size = Size::new(14, 64);

/// The scratch terminal with the newest facts about it.
pub(super) struct Scratch {
    handle: PaneHandle,
    started: bool,
    title: Option<String>,
    program: Option<String>,
    busy: bool,
    cwd: String,
    /// The clients that show it.
    shown: BTreeSet<ClientId>,
}

impl Scratch {
    pub(super) fn handle(&self) -> &PaneHandle {
        &self.handle
    }

    /// What clients draw, for an area of panes.
    pub(super) fn scene(&self, area: Size) -> scene::Scratch {
        let id = self.handle.pane();
        let pane = PaneScene {
            id,
            tab: TabId(0),
            workspace: WorkspaceId(0),
            terminal: self.started.then(|| self.handle.terminal()),
            name: None,
            label: None,
            role: None,
            color: None,
            title: self.title.clone(),
            program: self.program.clone(),
            busy: self.busy,
            cwd: self.cwd.clone(),
            exited: None,
            agent: None,
        };
        let frame = frame(area);
        scene::Scratch { pane, place: Place { pane: id, frame: Some(frame), content: frame.inside_frame() } }
    }
}

/// Its frame, in the middle of an area.
fn frame(area: Size) -> Rect {
    let side = |all: u16, least: u16| (all / 5).saturating_mul(FIFTHS).max(least).min(all);
    let size = Size::new(side(area.rows, LEAST.rows), side(area.cols, LEAST.cols));
    Rect::new((area.rows - size.rows) / 2, (area.cols - size.cols) / 2, size)
}

impl Hub {
    /// A client wants to see it, to see it no more, or to have it ended.
    pub(super) fn scratch_wish(&mut self, client: ClientId, wish: ScratchWish) -> Result<(), HubError> {
        match wish {
            ScratchWish::Show => {
                if self.scratch.is_none() {
                    self.start_scratch()?;
                }
                if let Some(scratch) = &mut self.scratch {
                    // A child that does not read misses a focus report; nothing else is lost.
                    let _ = scratch.handle.focus(true);
                    scratch.shown.insert(client);
                }
            }
            ScratchWish::Hide => self.scratch_hidden(client),
            ScratchWish::End => {
                if let Some(scratch) = self.scratch.take() {
                    scratch.handle.end();
                    self.directory_changed();
                }
            }
        }
        self.publish();
        Ok(())
    }

    /// A client shows it no more.
    pub(super) fn scratch_hidden(&mut self, client: ClientId) {
        if let Some(scratch) = &mut self.scratch
            && scratch.shown.remove(&client)
            && scratch.shown.is_empty()
        {
            let _ = scratch.handle.focus(false);
        }
    }

    fn start_scratch(&mut self) -> Result<(), HubError> {
        let pane = self.model.pane_beside_layout().ok_or(ModelError::Full)?;
        let terminal = super::effects::fresh_terminal(self.shared.generation(), pane);
        let live = self.model.focused().and_then(|focused| self.panes.get(&focused));
        let root = self.model.focused_workspace().map(|workspace| PathBuf::from(workspace.root()));
        let wanted = if self.settings.config.new_pane_to_workspace_root { root.clone() } else { None };
        let cwd = wanted
            .or_else(|| live.map(|state| state.handle().cwd()))
            .or(root)
            .unwrap_or_else(|| self.settings.home.clone());
        // It is no pane that commands could be meant for, so it has the environment of none.
        let env = self.settings.environment.of_server();
        let start = Start {
            cwd: cwd.clone(),
            size: frame(self.clients.area()).inside_frame().size().at_least_one(),
            ..self.child(pane, terminal, &Launch::default(), env)
        };
        self.scratch = Some(Scratch {
            handle: self.terminals.start(start),
            started: false,
            title: None,
            program: None,
            busy: false,
            cwd: cwd.to_string_lossy().into_owned(),
            shown: BTreeSet::new(),
        });
        self.directory_changed();
        Ok(())
    }

    /// Takes in what it reports.
    pub(super) fn scratch_report(&mut self, fact: Fact) {
        let Some(scratch) = &mut self.scratch else { return };
        match fact {
            Fact::Started(_) => scratch.started = true,
            Fact::Title(title) => scratch.title = title.filter(|title| !title.is_empty()),
            Fact::Cwd(cwd) => scratch.cwd = cwd,
            Fact::Program { name, busy } => (scratch.program, scratch.busy) = (name, busy),
            Fact::Bell => {
                if self.settings.config.bell {
                    self.clients.tell_all(&ToClient::Bell);
                }
                return;
            }
            Fact::Clipboard(text) => return self.clients.tell_owner(ToClient::Clipboard(text)),
            Fact::InputRejected => {
                return self.notice(
                    Level::Warning,
                    "the scratch terminal does not read its input: some was refused",
                );
            }
            Fact::AtPrompt | Fact::Scanned { .. } | Fact::Marks(_) | Fact::Resized(_) => return,
            Fact::StartFailed(reason) => {
                self.notice(Level::Warning, &format!("cannot start the scratch terminal: {reason}"));
                self.scratch = None;
                self.directory_changed();
            }
            Fact::Exited(_) => {
                self.scratch = None;
                self.directory_changed();
            }
        }
        self.publish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_covers_most_of_a_large_layout_and_all_of_a_small_one() {
        assert_eq!(frame(Size::new(38, 120)), Rect::new(5, 12, Size::new(28, 96)));
        assert_eq!(frame(Size::new(22, 80)), Rect::new(3, 8, Size::new(16, 64)));
        assert_eq!(frame(Size::new(10, 40)), Rect::new(0, 0, Size::new(10, 40)));
        assert_eq!(frame(Size::new(1, 1)), Rect::new(0, 0, Size::new(1, 1)));
    }
}
