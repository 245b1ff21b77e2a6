//! The finder's far half: files below a workspace's root and the retained output of all panes, found away from
//! the driver and handed over in batches. Places are in the scene, which the client has.
//!
//! Invariant: a client has one search; a new one ends the one before.

use crate::protocol::attach::message::{Find, Spotted, ToClient};
use crate::protocol::scene::Scene;
use crate::server::files::{self, Known, Wanted};
use crate::server::hub::HubHandle;
use crate::server::terminal::engine::{Query, Toward};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, spawn_blocking};

/// The longest query.
const QUERY_BYTES: usize = 256;
/// Matches of one pane, and of all of them.
const OF_PANE: usize = 100;
const OF_ALL: usize = 300;

/// The search of one client.
#[derive(Default)]
pub struct Finding {
    known: Known,
    under_way: Option<UnderWay>,
}

/// A search that ends when it is dropped.
struct UnderWay {
    cancelled: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}

impl Finding {
    /// Begins a search in the place of the one before.
    pub fn begin(&mut self, hub: &HubHandle, find: Find, out: &mpsc::Sender<ToClient>) {
        self.under_way = None;
        let cancelled = Arc::new(AtomicBool::new(false));
        let search = Search { hub: hub.clone(), find, out: out.clone(), cancelled: Arc::clone(&cancelled) };
        let task = tokio::spawn(search.run(self.known.clone())).abort_handle();
        self.under_way = Some(UnderWay { cancelled, task });
    }

    /// Ends it; the client has closed its finder.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}

struct Search {
    hub: HubHandle,
    find: Find,
    out: mpsc::Sender<ToClient>,
    cancelled: Arc<AtomicBool>,
}

impl Search {
    async fn run(self, known: Known) {
        let number = self.find.number;
        let partial = if self.find.query.len() > QUERY_BYTES {
            true
        } else {
            let scene = self.hub.snapshot().scene;
            let (files, output) = tokio::join!(self.files(&scene, known), self.output(&scene));
            files | output
        };
        let _ = self.out.send(ToClient::Found { number, spotted: Vec::new(), end: Some(partial) }).await;
    }

    async fn files(&self, scene: &Scene, known: Known) -> bool {
        let of = |id| scene.workspaces.iter().find(|workspace| workspace.id == id);
        let Some(workspace) = self.find.files.and_then(of) else { return false };
        let wanted = Wanted {
            root: PathBuf::from(&workspace.root),
            query: self.find.query.clone(),
            sensitive: self.find.sensitive,
        };
        let (out, number, cancelled) = (self.out.clone(), self.find.number, Arc::clone(&self.cancelled));
        let found = spawn_blocking(move || {
            files::find(&wanted, &known, &cancelled, |batch| {
                let spotted =
                    batch.into_iter().map(|found| Spotted::File { path: found.path, score: found.score });
                out.blocking_send(ToClient::Found { number, spotted: spotted.collect(), end: None }).is_ok()
            })
        });
        found.await.unwrap_or(true)
    }

    async fn output(&self, scene: &Scene) -> bool {
        if !self.find.output || self.find.query.trim().is_empty() {
            return false;
        }
        let Ok(query) = Query::literal(&self.find.query, self.find.sensitive) else { return true };
        let (mut partial, mut left) = (false, OF_ALL);
        for pane in &scene.panes {
            let Some(handle) = self.hub.pane(pane.id) else { continue };
            if left == 0 {
                return true;
            }
            // A terminal that ends meanwhile has nothing to find.
            let Ok(hits) = handle.search(&query, None, Toward::Older, OF_PANE.min(left)).await else {
                continue;
            };
            partial |= hits.partial;
            left -= hits.matches.len();
            let spotted: Vec<Spotted> = hits
                .matches
                .into_iter()
                .map(|hit| Spotted::Output {
                    pane: pane.id,
                    row: hit.start.row,
                    line: hit.line.trim().to_owned(),
                })
                .collect();
            let number = self.find.number;
            if !spotted.is_empty()
                && self.out.send(ToClient::Found { number, spotted, end: None }).await.is_err()
            {
                return true;
            }
        }
        partial
    }
}
