//! `list` (`pane-backend.md` 4.3), and finding a context by its id.

use super::context_id;
use super::dispatch::Caller;
use super::error::no_pane;
use crate::protocol::pane_backend::error::Failure;
use crate::protocol::pane_backend::params::described;
use crate::protocol::scene::PaneScene;
use crate::server::hub::PaneEntry;
use serde_json::{Value, json};
use std::path::Path;

/// A pane that a request names.
pub struct Target {
    /// Its terminal.
    pub entry: PaneEntry,
    /// Its context id as it was sent.
    pub context: String,
}

impl Target {
    /// The pane of that number.
    pub fn find(number: u64, context: String, caller: &Caller) -> Result<Self, Failure> {
        match caller.backend.entry(&caller.hub()?, number) {
            Some(entry) => Ok(Self { entry, context }),
            None => Err(no_pane(&context)),
        }
    }
}

/// `list`
pub async fn list(caller: &Caller) -> Result<Value, Failure> {
    let snapshot = caller.hub()?.snapshot();
    // Who finds a pane missing has heard of its end.
    caller.backend.contexts.caught_up().await;
    let rows = snapshot.directory.panes.iter().filter(|(_, entry)| entry.started);
    let rows = rows.map(|(pane, entry)| row(entry, snapshot.scene.pane(*pane)));
    Ok(json!({"contexts": rows.collect::<Vec<_>>()}))
}

fn row(entry: &PaneEntry, scene: Option<&PaneScene>) -> Value {
    let mut row = json!({
        "context_id": context_id(entry.handle.pane()),
        "alive": entry.exited.is_none() && entry.handle.status().is_none(),
        "metadata": entry.metadata.as_deref().map(described),
    });
    let cwd = entry.handle.cwd().to_string_lossy().into_owned();
    let title = scene.map(PaneScene::display_name).unwrap_or_default();
    let program = entry.handle.argv().first().map(String::as_str).and_then(program_name);
    for (key, text) in [("cwd", cwd.as_str()), ("title", title), ("shell_name", program.unwrap_or_default())]
    {
        if !text.is_empty() {
            row[key] = json!(text);
        }
    }
    row
}

/// The file name of a program without its extension.
pub fn program_name(program: &str) -> Option<&str> {
    Path::new(program).file_stem()?.to_str()
}
