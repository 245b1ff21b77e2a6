//! The verbs that `runtime.md` 12.1 names: they print the envelope of the runtime protocol, also
//! when there is no server to answer.

use crate::cli::args::runtime::EnvelopeArgs;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, runtime, wire};
use crate::protocol::ids::PaneId;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Calls `method`; whatever stops it becomes an envelope too.
#[must_use]
pub fn request(context: &Context, method: &str, params: Value, flags: EnvelopeArgs) -> Value {
    runtime::call(context, method, params, Duration::from_millis(flags.timeout_ms))
}

/// Calls `method` and prints its envelope.
///
/// # Errors
/// When it cannot be printed.
pub fn verb(context: &Context, method: &str, params: Value, flags: EnvelopeArgs) -> Result<Exit, CliError> {
    output::envelope(&request(context, method, params, flags), flags.pretty)
}

/// Prints why the target of a verb was not found, as an envelope; wrong usage is none.
///
/// # Errors
/// Wrong usage, or when it cannot be printed.
pub fn refuse(error: CliError, flags: EnvelopeArgs) -> Result<Exit, CliError> {
    let code = match error.exit {
        Exit::Usage => return Err(error),
        Exit::Gone => "target_not_found",
        Exit::Ok | Exit::Failed => "runtime_unavailable",
    };
    output::envelope(&wire::envelope(Err((code, error.message))), flags.pretty)
}

/// The snapshot of the server.
///
/// # Errors
/// The envelope that says why there is none.
pub fn snapshot(context: &Context, flags: EnvelopeArgs) -> Result<Value, Value> {
    let mut envelope = request(context, "runtime.snapshot", json!({}), flags);
    if envelope["ok"] == true { Ok(envelope["result"].take()) } else { Err(envelope) }
}

/// The focused pane of a snapshot.
#[must_use]
pub fn focused_pane(snapshot: &Value) -> Option<PaneId> {
    let windows = snapshot["windows"].as_array()?;
    let pane = windows.iter().find(|window| window["focused"] == true)?["focused_pane_id"].as_u64()?;
    u32::try_from(pane).ok().map(PaneId)
}

/// The `result` of `pane list`: the panes of a snapshot in a row, of one window or tab if wanted.
/// A tab without a window is one of the focused window.
#[must_use]
pub fn pane_list(snapshot: &Value, window: Option<u32>, tab: Option<u32>) -> Value {
    let wanted = |found: &Value| match (window, tab) {
        (Some(window), _) => found["id"] == window,
        (None, Some(_)) => found["focused"] == true,
        (None, None) => true,
    };
    let mut panes = Vec::new();
    for window in items(&snapshot["windows"]).filter(|window| wanted(window)) {
        for found in items(&window["tabs"]).filter(|found| tab.is_none_or(|tab| found["index"] == tab)) {
            panes.extend(items(&found["panes"]).map(|pane| pane_row(window, found, pane)));
        }
    }
    json!({"revision": snapshot["revision"], "panes": panes})
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn pane_row(window: &Value, tab: &Value, pane: &Value) -> Value {
    let mut row = Map::new();
    row.insert("window_id".into(), window["id"].clone());
    row.insert("tab_index".into(), tab["index"].clone());
    row.insert("tab_active".into(), tab["active"].clone());
    row.insert("pane_id".into(), pane["id"].clone());
    let same = [
        "active",
        "title",
        "cwd",
        "branch",
        "ssh_destination",
        "running_program",
        "agent",
        "task_state",
        "state_change_seq",
    ];
    for key in same {
        if let Some(value) = pane.get(key) {
            row.insert(key.into(), value.clone());
        }
    }
    Value::Object(row)
}

/// Where a pane is in a snapshot: its window and the index of its tab.
#[must_use]
pub fn place_of(snapshot: &Value, pane: PaneId) -> Option<(u64, u64)> {
    let list = pane_list(snapshot, None, None);
    let row = items(&list["panes"]).find(|row| row["pane_id"] == pane.0)?;
    Some((row["window_id"].as_u64()?, row["tab_index"].as_u64()?))
}

/// A snapshot for tests: two windows, the second focused.
#[cfg(test)]
pub fn example() -> Value {
    let pane = |id: u32| {
        json!({
            "id": id, "active": true, "title": "sh", "cwd": "/", "branch": "", "ssh_destination": null,
            "running_program": null, "task_state": "idle", "state_change_seq": 1,
        })
    };
    let tab = |index: u32, panes: &[u32]| {
        let panes: Vec<Value> = panes.iter().map(|id| pane(*id)).collect();
        json!({"index": index, "active": index == 0, "panes": panes})
    };
    json!({
        "revision": 9,
        "windows": [
            {"id": 1, "focused": false, "focused_pane_id": 3, "tabs": [tab(0, &[3])]},
            {"id": 4, "focused": true, "focused_pane_id": 6, "tabs": [tab(0, &[5, 6]), tab(1, &[7])]},
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(list: &Value) -> Vec<u64> {
        items(&list["panes"]).filter_map(|row| row["pane_id"].as_u64()).collect()
    }

    #[test]
    fn panes_are_listed_with_their_place() {
        let list = pane_list(&example(), None, None);
        assert_eq!(ids(&list), [3, 5, 6, 7]);
        assert_eq!(list["revision"], 9);
        let row = &list["panes"][3];
        assert_eq!(
            (&row["window_id"], &row["tab_index"], &row["tab_active"]),
            (&json!(4), &json!(1), &json!(false))
        );
        assert_eq!(row["running_program"], Value::Null);
        assert!(row.get("agent").is_none() && row.get("id").is_none());
    }

    #[test]
    fn lists_are_narrowed_to_a_window_and_a_tab() {
        assert_eq!(ids(&pane_list(&example(), Some(1), None)), [3]);
        assert_eq!(ids(&pane_list(&example(), None, Some(1))), [7]);
        assert_eq!(ids(&pane_list(&example(), Some(1), Some(0))), [3]);
        assert_eq!(ids(&pane_list(&example(), Some(8), None)), [0; 0]);
    }

    #[test]
    fn the_focus_and_places_come_from_the_snapshot() {
        assert_eq!(focused_pane(&example()), Some(PaneId(6)));
        assert_eq!(focused_pane(&json!({"windows": []})), None);
        assert_eq!(place_of(&example(), PaneId(7)), Some((4, 1)));
        assert_eq!(place_of(&example(), PaneId(9)), None);
    }
}
