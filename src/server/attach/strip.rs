//! One text for several panes: agents are prompted as every protocol prompts them (`spec/README.md` point 27), all
//! others get a paste and Enter as one action. Who refused is told.

use crate::protocol::attach::message::{Level, ToClient};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::INPUT_BYTES;
use crate::server::hub::{HubHandle, Prompt, Refuse};
use tokio::sync::mpsc;

/// Refusals that are told one by one; further ones are counted.
const TOLD: usize = 3;

/// Sends the text to each of the panes and says what came of it.
pub async fn tell(hub: &HubHandle, panes: Vec<PaneId>, text: String, out: &mpsc::Sender<ToClient>) {
    let (mut sent, mut refused) = (0, Vec::new());
    for pane in panes {
        match tell_one(hub, pane, &text).await {
            Ok(()) => sent += 1,
            Err(why) => refused.push(format!("pane {pane}: {why}")),
        }
    }
    let level = if refused.is_empty() { Level::Info } else { Level::Warning };
    let _ = out.send(ToClient::Notice(level, summary(sent, &refused))).await;
}

async fn tell_one(hub: &HubHandle, pane: PaneId, text: &str) -> Result<(), String> {
    if text.len() > INPUT_BYTES {
        return Err("the text is too long".to_owned());
    }
    let handle = hub.pane(pane).ok_or("it is gone")?;
    let agent = hub.snapshot().agents.get(&pane).is_some_and(|view| view.identity.is_some());
    if !agent {
        handle.submit(text).map_err(|error| error.to_string())?;
        hub.typed(pane).await;
        return Ok(());
    }
    let prompt = Prompt {
        pane,
        terminal: Some(handle.terminal()),
        agent: None,
        text: text.to_owned(),
        submit: true,
        refuse: Refuse::NotReady,
        waits: false,
        finding: None,
    };
    hub.prompt(prompt).await.map(drop).map_err(|error| error.to_string())
}

fn summary(sent: usize, refused: &[String]) -> String {
    let to = |count: usize| format!("{count} pane{}", if count == 1 { "" } else { "s" });
    if refused.is_empty() {
        return format!("sent to {}", to(sent));
    }
    let (first, more) = refused.split_at(refused.len().min(TOLD));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("sent to {}; not to {}{more}", to(sent), first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_is_told() {
        assert_eq!(summary(1, &[]), "sent to 1 pane");
        assert_eq!(summary(2, &["pane 3: it is gone".into()]), "sent to 2 panes; not to pane 3: it is gone");
        let many: Vec<String> = (1..=5).map(|pane| format!("pane {pane}: no")).collect();
        assert_eq!(
            summary(0, &many),
            "sent to 0 panes; not to pane 1: no, pane 2: no, pane 3: no and 2 more"
        );
    }
}
