//! What a client asks about agents that are not on any screen: conversations to go on with, and the
//! agents that tell of theirs.

use crate::protocol::agent::Conversation;
use crate::protocol::attach::message::{Integrate, Level, ToClient};
use crate::protocol::plain::one_line;
use crate::server::hub::{HubHandle, KnownSession};
use crate::server::resumption;
use std::path::Path;
use tokio::sync::mpsc;

/// Conversations that are listed: more than anybody looks through.
const LISTED: usize = 50;
const TITLE_CHARS: usize = 160;

/// Lists the conversations that could be gone on with.
pub async fn list(hub: &HubHandle, home: &Path, out: &mpsc::Sender<ToClient>) {
    let Ok(mut known) = resumption::known(hub, home).await else { return };
    known.retain(|session| session.pane.is_none());
    known.sort_by_key(|session| std::cmp::Reverse(session.at_ms));
    let listed = known.into_iter().take(LISTED).map(conversation).collect();
    let _ = out.send(ToClient::Conversations(listed)).await;
}

fn conversation(session: KnownSession) -> Conversation {
    let KnownSession { agent, id, cwd, title, at_ms, .. } = session;
    let title = title.map(|title| one_line(&title, TITLE_CHARS)).filter(|title| !title.is_empty());
    Conversation { agent, id, cwd, title, at_ms }
}

/// Goes on with one, and lists what is left.
pub async fn resume(hub: &HubHandle, home: &Path, (agent, id): (&str, &str), out: &mpsc::Sender<ToClient>) {
    if let Err(refused) = resumption::resume(hub, home, Some(agent), id).await {
        let _ = out.send(ToClient::Notice(Level::Warning, format!("not resumed: {refused}"))).await;
    }
    list(hub, home, out).await;
}

/// Tells of the integrations, after a change if one is wanted.
pub async fn integrations(hub: &HubHandle, change: Option<Integrate>, out: &mpsc::Sender<ToClient>) {
    if let Ok((states, failed)) = hub.integrations(change).await {
        let _ = out.send(ToClient::Integrations(states, failed)).await;
    }
}
