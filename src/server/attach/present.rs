//! What one client sees: the scene as it changes, and a pump for every pane that is shown.

use super::pump::{WISHES, Wish, pump};
use crate::protocol::attach::message::ToClient;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::hub::{HubHandle, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// What the presenter is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Something about one pane's pictures.
    Wish(PaneId, Wish),
    /// The scratch terminal is shown, or not.
    Scratch(bool),
    /// To say that a command is settled, after the scene that it left.
    Settled,
}

/// A pump and the way to it.
struct Shown {
    terminal: TerminalId,
    wishes: mpsc::Sender<Wish>,
}

/// Follows the scene until the client or the hub is gone.
pub async fn present(hub: HubHandle, mut asked: mpsc::Receiver<Asked>, out: mpsc::Sender<ToClient>) {
    let mut snapshots = hub.snapshots();
    let mut shown: BTreeMap<PaneId, Shown> = BTreeMap::new();
    let mut pumps = JoinSet::new();
    snapshots.mark_changed();
    let mut told = None;
    let mut scratch = false;
    loop {
        tokio::select! {
            biased;
            changed = snapshots.changed() => {
                if changed.is_err() {
                    return;
                }
                let snapshot = snapshots.borrow_and_update().clone();
                // The scene goes first, so that the client knows a pane before its picture comes.
                if told.as_ref().is_none_or(|told| *told != snapshot.scene) {
                    if out.send(ToClient::Scene(Arc::clone(&snapshot.scene))).await.is_err() {
                        return;
                    }
                    told = Some(Arc::clone(&snapshot.scene));
                }
                // One that has ended is not shown any more, and neither is the next one by itself.
                scratch &= snapshot.scene.scratch.is_some();
                follow(&snapshot, scratch, &mut shown, &mut pumps, &out);
            }
            asked = asked.recv() => match asked {
                Some(Asked::Wish(pane, wish)) => {
                    if let Some(shown) = shown.get(&pane) {
                        let _ = shown.wishes.try_send(wish);
                    }
                }
                Some(Asked::Scratch(wanted)) => {
                    let snapshot = snapshots.borrow().clone();
                    scratch = wanted && snapshot.scene.scratch.is_some();
                    follow(&snapshot, scratch, &mut shown, &mut pumps, &out);
                }
                // A command's scene is published before its answer: it was seen above.
                Some(Asked::Settled) => {
                    if out.send(ToClient::Settled).await.is_err() {
                        return;
                    }
                }
                None => return,
            },
            Some(_) = pumps.join_next() => {}
        }
    }
}

/// Starts pumps for panes that came into view and drops those of panes that left it.
fn follow(
    snapshot: &Snapshot,
    scratch: bool,
    shown: &mut BTreeMap<PaneId, Shown>,
    pumps: &mut JoinSet<()>,
    out: &mpsc::Sender<ToClient>,
) {
    let places = snapshot.scene.layout.places.iter().map(|place| place.pane);
    let scratch = snapshot.scene.scratch.as_ref().filter(|_| scratch).map(|scratch| scratch.pane.id);
    let visible: BTreeSet<PaneId> = places.chain(scratch).collect();
    let terminal = |pane| snapshot.directory.terminal(pane);
    shown.retain(|pane, shown| {
        visible.contains(pane) && terminal(*pane).is_some_and(|handle| handle.terminal() == shown.terminal)
    });
    for pane in visible {
        let Some(handle) = terminal(pane) else { continue };
        shown.entry(pane).or_insert_with(|| {
            let (sender, receiver) = mpsc::channel(WISHES);
            pumps.spawn(pump(pane, handle.viewer(), receiver, out.clone()));
            Shown { terminal: handle.terminal(), wishes: sender }
        });
    }
}
