//! What panes report, and what the hub remembers of each.

use super::{Change, Hub, HubError, PaneEnd, PaneEntry, Place, Reason};
use crate::config::OnExit;
use crate::protocol::attach::message::{Level, ToClient};
use crate::protocol::ids::PaneId;
use crate::protocol::scene::ExitStatus;
use crate::server::agents::ClosedReason;
use crate::server::model::Pane;
use crate::server::terminal::handle::{Fact, PaneHandle, Report};
use std::sync::Arc;

/// One pane's terminal with the newest facts about it.
pub(super) struct PaneState {
    entry: PaneEntry,
    /// Where it stands in the session that is out.
    pub(super) place: Option<Place>,
    pub(super) title: Option<String>,
    pub(super) program: Option<String>,
    pub(super) busy: bool,
    pub(super) cwd: String,
}

impl PaneState {
    pub(super) fn new(handle: PaneHandle, pane: &Pane, cwd: String) -> Self {
        let (restore, shell) = (pane.restore(), pane.argv().is_none());
        let (spawned, metadata) = (pane.spawned(), pane.metadata().cloned().map(Arc::new));
        let entry = PaneEntry { handle, started: false, restore, shell, spawned, metadata, exited: None };
        Self { entry, place: None, title: None, program: None, busy: false, cwd }
    }

    pub(super) fn handle(&self) -> &PaneHandle {
        &self.entry.handle
    }

    pub(super) fn started(&self) -> bool {
        self.entry.started
    }

    pub(super) fn exited(&self) -> Option<&ExitStatus> {
        self.entry.exited.as_ref()
    }

    /// Takes over what an orchestrator says of it.
    pub(super) fn describe(&mut self, pane: &Pane) {
        self.entry.metadata = pane.metadata().cloned().map(Arc::new);
    }

    pub(super) fn entry(&self) -> &PaneEntry {
        &self.entry
    }
}

impl Hub {
    /// Takes in a report; one of a terminal that is no longer its pane's is dropped.
    pub(super) fn report(&mut self, report: Report) {
        let Report { pane, terminal, fact } = report;
        if self.scratch.as_ref().is_some_and(|scratch| scratch.handle().terminal() == terminal) {
            return self.scratch_report(fact);
        }
        let Some(state) = self.panes.get_mut(&pane).filter(|state| state.handle().terminal() == terminal)
        else {
            return;
        };
        match fact {
            Fact::Started(_) => {
                state.entry.started = true;
                if let Some(command) = self.projects.command(pane) {
                    // Its queue is empty yet.
                    let _ = state.handle().enter(&command);
                }
                self.has_started(pane);
                self.directory_changed();
                self.agent_terminal_started(pane);
                self.record_terminal(pane, Change::Created);
                if let Some((reply, outcome)) = self.pending.remove(&pane) {
                    self.publish();
                    let _ = reply.send(Ok((outcome, self.snapshot())));
                }
            }
            Fact::StartFailed(reason) => self.start_failed(pane, reason),
            Fact::Title(title) => {
                state.title = title.filter(|title| !title.is_empty());
                self.agent_changed(pane);
            }
            Fact::Cwd(cwd) => {
                state.cwd = cwd;
                self.keeping.changed();
                self.look_up_branch_of(pane);
            }
            Fact::Program { name, busy } => {
                state.program = name;
                state.busy = busy;
                self.look_up_branch_of(pane);
                self.agent_changed(pane);
            }
            // It may have been a `git switch`; nothing else is known to have changed.
            Fact::AtPrompt => return self.look_up_branch_of(pane),
            Fact::Bell => {
                self.model.ring(pane);
                if self.settings.config.bell {
                    self.clients.tell_all(&ToClient::Bell);
                }
            }
            Fact::Resized(size) => self.resized_itself(pane, size),
            Fact::Clipboard(text) => self.clients.tell_owner(ToClient::Clipboard(text)),
            Fact::Marks(marks) => {
                self.notify_marked(pane, &marks);
                if !self.agent_marks(pane, &marks) {
                    return;
                }
            }
            Fact::Scanned { alone } => {
                if !self.agent_scanned(pane, alone) {
                    return;
                }
            }
            Fact::InputRejected => {
                self.notice(
                    Level::Warning,
                    &format!("pane {pane} does not read its input: some was refused"),
                );
            }
            Fact::Exited(status) => self.exited(pane, status),
        }
        self.publish();
    }

    fn start_failed(&mut self, pane: PaneId, reason: String) {
        tracing::warn!(pane = pane.0, "a program could not be started");
        self.notice(Level::Warning, &format!("cannot start the program of pane {pane}: {reason}"));
        let refused = self.pending.remove(&pane).map(|(reply, _)| reply);
        // Whoever asked for the pane hears that there is none, so there must be none.
        let hold = self.was_restored(pane, &reason) || self.must_hold(pane, refused.is_none());
        self.ended(pane, ExitStatus { code: None, signal: None }, hold);
        if let Some(reply) = refused {
            self.publish();
            let _ = reply.send(Err(HubError::StartFailed(reason)));
        }
    }

    fn exited(&mut self, pane: PaneId, status: ExitStatus) {
        self.record_terminal(pane, Change::Exited(status.clone()));
        // A pane that somebody wanted ended is not kept.
        let wanted = self.panes.get(&pane).is_some_and(|state| state.handle().was_ended());
        let hold = self.must_hold(pane, !wanted);
        self.ended(pane, status, hold);
    }

    /// Whether an ended pane stays: because its shell keeps ending, or by setting where that counts.
    fn must_hold(&mut self, pane: PaneId, setting_counts: bool) -> bool {
        self.neutral.must_hold(pane) || (setting_counts && self.settings.config.on_exit == OnExit::Hold)
    }

    /// The child ended: the pane closes, or is held with its last screen.
    fn ended(&mut self, pane: PaneId, status: ExitStatus, hold: bool) {
        self.note_end(pane, PaneEnd::Exited);
        if let Some(state) = self.panes.get_mut(&pane).filter(|_| hold) {
            state.entry.exited = Some(status);
            state.busy = false;
            self.directory_changed();
            self.agent_root_exited(pane);
            return;
        }
        if let Some(state) = self.panes.get_mut(&pane) {
            state.entry.exited = Some(status);
        }
        self.leaving();
        self.forget(pane, Reason::Exited);
        match self.model.remove(pane, &self.context()) {
            Ok(outcome) => {
                self.neutral.replaced(&outcome);
                self.carry_out(&outcome, Reason::Exited);
                self.has_left();
            }
            Err(error) => tracing::error!(pane = pane.0, %error, "an ended pane was unknown to the model"),
        }
    }

    /// Drops a pane's terminal from the directory, and returns it.
    pub(super) fn forget(&mut self, pane: PaneId, reason: Reason) -> Option<PaneHandle> {
        if self.panes.contains_key(&pane) {
            self.note_end(pane, PaneEnd::Closed);
        }
        self.projects.forget(pane);
        let state = self.panes.remove(&pane);
        if let Some(state) = &state {
            let terminal = state.handle().terminal();
            self.agent_terminal_gone(
                pane,
                match reason {
                    // Somebody wanted it ended, with grace.
                    Reason::Exited if state.handle().was_ended() => ClosedReason::AgentClosed,
                    Reason::Exited => ClosedReason::PaneExited,
                    Reason::Closed => ClosedReason::PaneClosed,
                },
            );
            self.shared.closed(terminal);
            match state.closing(reason) {
                Some(closed) => self.happened.push(closed),
                None => self.bus.turn().forget(terminal),
            }
            self.directory_changed();
        }
        if let Some((reply, _)) = self.pending.remove(&pane) {
            let _ = reply.send(Err(HubError::Closed(pane)));
        }
        state.map(|state| state.handle().clone())
    }

    pub(super) fn directory_changed(&mut self) {
        let panes = self.panes.iter().map(|(pane, state)| (*pane, state.entry().clone())).collect();
        self.directory = Arc::new(super::Directory {
            panes,
            facts: self.facts.clone(),
            scratch: self.scratch.as_ref().map(|scratch| scratch.handle().clone()),
        });
    }
}
