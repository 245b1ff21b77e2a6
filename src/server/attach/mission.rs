//! Mission Control's questions: what stands on an agent's screen, and an answer to exactly that screen
//! (`spec/README.md` point 28).

use crate::protocol::attach::message::{Level, Peek, Reply, ToClient};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::INPUT_BYTES;
use crate::server::hub::{HubHandle, Prompt, Refuse};
use crate::server::terminal::engine::{CaptureMode, CaptureRequest};
use crate::server::terminal::handle::PaneHandle;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use tokio::sync::mpsc;

/// Lines of a screen that are shown: what an agent asks stands at its end.
const LINES: usize = 40;
const BYTES: usize = 16 * 1024;

/// Looks at a pane's screen.
pub async fn peek(hub: &HubHandle, pane: PaneId, out: &mpsc::Sender<ToClient>) {
    if let Some(handle) = hub.pane(pane)
        && let Some((peek, _)) = look(&handle).await
    {
        let _ = out.send(ToClient::Peeked(peek)).await;
    }
}

async fn look(handle: &PaneHandle) -> Option<(Peek, u64)> {
    let request = CaptureRequest {
        mode: CaptureMode::Visible,
        lines: LINES,
        ansi: false,
        max_bytes: BYTES,
        cursor: false,
    };
    let capture = handle.capture(request).await.ok()?;
    let mut hasher = DefaultHasher::new();
    capture.text.hash(&mut hasher);
    let lines = capture.text.lines().map(str::to_owned).collect();
    let (pane, terminal) = (handle.pane(), handle.terminal());
    Some((Peek { pane, terminal, digest: hasher.finish(), lines }, capture.revision))
}

/// Answers an agent, if its screen is still the one that was shown.
pub async fn answer(hub: &HubHandle, seen: Peek, reply: Reply, out: &mpsc::Sender<ToClient>) {
    let told = match try_answer(hub, &seen, reply).await {
        Ok(()) => return,
        Err(told) => told,
    };
    let _ = out.send(ToClient::Notice(Level::Warning, told)).await;
    peek(hub, seen.pane, out).await;
}

async fn try_answer(hub: &HubHandle, seen: &Peek, reply: Reply) -> Result<(), String> {
    let gone = || format!("pane {} is gone; nothing was sent", seen.pane);
    let handle = hub.pane(seen.pane).filter(|handle| handle.terminal() == seen.terminal).ok_or_else(gone)?;
    match reply {
        Reply::Keys(keys) => {
            let (now, revision) = look(&handle).await.ok_or_else(gone)?;
            // What came after the look counts too.
            if now.digest != seen.digest || handle.revision() != revision {
                return Err("the screen has changed meanwhile; nothing was sent".to_owned());
            }
            for (code, modifiers) in keys {
                handle.tap(code, modifiers).map_err(|error| error.to_string())?;
            }
            hub.typed(seen.pane).await;
            Ok(())
        }
        Reply::Prompt(text) if text.len() > INPUT_BYTES => Err("the prompt is too long".to_owned()),
        Reply::Prompt(text) => {
            let prompt = Prompt {
                pane: seen.pane,
                terminal: Some(seen.terminal),
                agent: None,
                text,
                submit: true,
                refuse: Refuse::NotReady,
                waits: false,
                finding: None,
            };
            hub.prompt(prompt).await.map(drop).map_err(|error| format!("{error}; nothing was sent"))
        }
    }
}
