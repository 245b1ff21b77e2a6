//! What the conversations of agents used, read where the agents keep it, when somebody asks.
//!
//! Invariant: files are read away from the hub, and only for whoever asks: no timer, no watch.

use super::conversations;
use super::hub::HubHandle;
use crate::protocol::ids::PaneId;
use std::path::Path;

/// Panes of one question; more conversations than anybody has at a time.
const PANES: usize = 64;

/// Reads the counters of these panes' conversations and hands them to the hub. Says of how many there were some.
pub async fn refresh(hub: &HubHandle, home: &Path, panes: &[PaneId]) -> usize {
    let agents = hub.snapshot().agents;
    let mut read = 0;
    for pane in panes.iter().take(PANES) {
        let Some((agent, id)) =
            agents.get(pane).and_then(|view| Some((view.kind()?.to_owned(), view.session.clone()?)))
        else {
            continue;
        };
        let (home, wanted) = (home.to_owned(), (agent.clone(), id.clone()));
        let usage = tokio::task::spawn_blocking(move || conversations::usage(&home, &wanted.0, &wanted.1));
        if let Ok(Some(usage)) = usage.await {
            hub.report_usage(*pane, agent, id, usage).await;
            read += 1;
        }
    }
    read
}
