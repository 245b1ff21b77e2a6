//! Reading screens: one task a pane, which wakes with output and with nothing else.
//!
//! Invariant: the screen is looked at some time after the last output that was not looked at, and never
//! while a terminal is quiet.

use super::AgentRequest;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::agents::detect::{self, Finding};
use crate::server::agents::manifest::Manifests;
use crate::server::hub::{Hub, Request};
use crate::server::terminal::engine::{CaptureMode, CaptureRequest};
use crate::server::terminal::handle::PaneHandle;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

/// Output that just came is often followed by more; this is also the least time between two looks.
const SETTLE: Duration = Duration::from_millis(100);
/// Lines and bytes of a screen that rules look at: what is above decides nothing.
const LINES: usize = 60;
const BYTES: usize = 32_768;

/// The task of one pane; ends when it is dropped.
pub(super) struct Watcher {
    /// Whose rules are asked; `None` is a pane whose agent is still to be found.
    pub(super) kind: Option<String>,
    titles: watch::Sender<Option<String>>,
    task: AbortHandle,
}

impl Watcher {
    pub(super) fn set_title(&self, title: Option<String>) {
        self.titles.send_if_modified(|present| {
            let changed = *present != title;
            *present = title;
            changed
        });
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The live bottom of the screen, for rules.
pub(in crate::server) fn screen_request() -> CaptureRequest {
    CaptureRequest {
        mode: CaptureMode::Detection,
        lines: LINES,
        ansi: false,
        max_bytes: BYTES,
        cursor: false,
    }
}

impl Hub {
    /// A task that reads the screen of a pane for that kind, or to find out which one it is.
    pub(super) fn watch_screen(&self, pane: PaneId, kind: Option<String>) -> Option<Watcher> {
        let state = self.panes.get(&pane)?;
        let (titles, title) = watch::channel(state.title.clone());
        let looking = Looking {
            pane,
            terminal: state.handle().terminal(),
            handle: state.handle().clone(),
            manifests: Arc::clone(&self.agents.manifests),
            kind: kind.clone(),
            title,
            requests: self.requests.clone(),
        };
        let task = tokio::spawn(looking.run()).abort_handle();
        Some(Watcher { kind, titles, task })
    }

    /// Finds out, away from the hub, whose script an interpreter in that pane runs.
    pub(super) fn look_up_script(&self, pane: PaneId) {
        use crate::server::agents::identity::{is_interpreter, wants_script};
        let Some(tracked) = self.agents.panes.get(&pane) else { return };
        let names = tracked.names.as_deref().unwrap_or_default();
        if !wants_script(&self.agents.manifests, names) {
            return;
        }
        let Some(handle) = self.panes.get(&pane).map(|state| state.handle().clone()) else { return };
        let (manifests, requests) = (Arc::clone(&self.agents.manifests), self.requests.clone());
        self.settings.background.spawn(async move {
            let terminal = handle.terminal();
            let scripts = tokio::task::spawn_blocking(move || handle.scripts(is_interpreter)).await;
            let scripts = scripts.unwrap_or_default();
            let kind = scripts.iter().find_map(|name| manifests.distinct(name)).map(str::to_owned);
            if let (Some(requests), Some(kind)) = (requests.upgrade(), kind) {
                let request = AgentRequest::Script { pane, terminal, kind };
                // Nobody is left to be told.
                let _ = requests.send(Request::Agent(request)).await;
            }
        });
    }
}

struct Looking {
    pane: PaneId,
    terminal: TerminalId,
    handle: PaneHandle,
    manifests: Arc<Manifests>,
    kind: Option<String>,
    title: watch::Receiver<Option<String>>,
    requests: mpsc::WeakSender<Request>,
}

impl Looking {
    async fn run(mut self) {
        let mut output = self.handle.ready();
        let mut told: Option<(Option<Finding>, Option<String>)> = None;
        loop {
            let Ok(capture) = self.handle.capture(screen_request()).await else { return };
            let title = self.title.borrow_and_update().clone();
            let manifest = self.kind.as_deref().and_then(|kind| self.manifests.get(kind));
            let finding = manifest.map(|manifest| detect::look(manifest, &capture.text, title.as_deref()));
            let kind = match manifest {
                Some(_) => None,
                None => detect::kind_of_screen(&self.manifests, &capture.text).map(str::to_owned),
            };
            let same = told.as_ref().is_some_and(|(before, named)| {
                *named == kind
                    && before.as_ref().map(Finding::decisive) == finding.as_ref().map(Finding::decisive)
            });
            if !same {
                let Some(requests) = self.requests.upgrade() else { return };
                let request = AgentRequest::Screen {
                    pane: self.pane,
                    terminal: self.terminal,
                    finding: finding.clone(),
                    kind: kind.clone(),
                };
                if requests.send(Request::Agent(request)).await.is_err() {
                    return;
                }
                told = Some((finding, kind));
            }
            let more = tokio::select! {
                changed = output.changed() => changed.is_ok(),
                changed = self.title.changed() => changed.is_ok(),
            };
            if !more {
                return;
            }
            tokio::time::sleep(SETTLE).await;
            output.mark_unchanged();
        }
    }
}
