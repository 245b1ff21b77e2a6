//! The four verbs that close. Without `--force` the runtime protocol decides, which refuses what is
//! busy; with it UHP closes at once, and the envelope is made here.

use super::envelope;
use crate::cli::args::runtime::CloseArgs;
use crate::cli::context::{Context, position};
use crate::cli::error::{CliError, Exit};
use crate::cli::output;
use crate::cli::refs::WindowRef;
use crate::cli::wire::{self, Answer};
use crate::protocol::ids::{PaneId, WorkspaceId};
use serde_json::{Map, Value, json};

/// What is closed, as the runtime protocol names it.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// A window.
    Window(u32),
    /// A tab, by its zero-based index; without a window only if there is one window.
    Tab(Option<u32>, u32),
    /// A pane, by its window if that was given.
    Pane(Option<WindowRef>, PaneId),
}

impl Target {
    const fn method(self) -> &'static str {
        match self {
            Self::Window(_) => "window.close",
            Self::Tab(..) => "tab.close",
            Self::Pane(..) => "pane.close",
        }
    }

    fn params(self) -> Value {
        match self {
            Self::Window(window) => json!({"window_id": window}),
            Self::Tab(None, index) => json!({"tab_index": index}),
            Self::Tab(Some(window), index) => json!({"window_id": window, "tab_index": index}),
            Self::Pane(None, PaneId(pane)) => json!({"pane_id": pane}),
            Self::Pane(Some(WindowRef(window)), PaneId(pane)) => {
                json!({"window_id": window, "pane_id": pane})
            }
        }
    }
}

/// Closes `target` and prints the envelope.
///
/// # Errors
/// When it cannot be printed.
pub fn close(context: &Context, target: Target, flags: CloseArgs) -> Result<Exit, CliError> {
    if !flags.force {
        return envelope::verb(context, target.method(), target.params(), flags.envelope);
    }
    let envelope = force(context, target, flags).unwrap_or_else(|refused| refused);
    output::envelope(&envelope, flags.envelope.pretty)
}

fn force(context: &Context, target: Target, flags: CloseArgs) -> Result<Value, Value> {
    let before = envelope::snapshot(context, flags.envelope)?;
    let action =
        place(&before, target).map_err(|(code, message)| wire::envelope(Err((code, message.to_owned()))))?;
    let (method, params) = uhp_request(&action, target)
        .map_err(|error| wire::envelope(Err(("invalid_params", error.message))))?;
    match wire::call(&context.paths, method, params, wire::ANSWER_DEADLINE) {
        Ok(Answer::Result(_)) => {}
        Ok(Answer::Error { code, message }) => {
            let code = if code == "not_found" { "target_not_found" } else { code.as_str() };
            return Err(wire::envelope(Err((code, message))));
        }
        Err(error) => return Err(wire::envelope(Err(("runtime_unavailable", error.to_string())))),
    }
    // Closing the last pane may end the server: then there is no state after it.
    let after = envelope::snapshot(context, flags.envelope).unwrap_or(Value::Null);
    Ok(wire::envelope(Ok(json!({"action": action, "snapshot": after}))))
}

/// The `action` of the envelope: where `target` is in the snapshot.
fn place(snapshot: &Value, target: Target) -> Result<Map<String, Value>, (&'static str, &'static str)> {
    let windows: Vec<u64> = snapshot["windows"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|window| window["id"].as_u64())
        .collect();
    let gone = ("target_not_found", "there is no such target; nothing was closed");
    let mut action = Map::new();
    action.insert("type".into(), target.method().into());
    let window = match target {
        Target::Window(window) | Target::Tab(Some(window), _) => u64::from(window),
        Target::Tab(None, _) => match windows.as_slice() {
            [window] => *window,
            _ => return Err(("ambiguous_target", "there are several windows; say which with --window")),
        },
        Target::Pane(window, pane) => {
            let (found, tab) = envelope::place_of(snapshot, pane).ok_or(gone)?;
            if window.is_some_and(|WindowRef(window)| u64::from(window) != found) {
                return Err(gone);
            }
            action.insert("tab_index".into(), tab.into());
            action.insert("pane_id".into(), pane.0.into());
            found
        }
    };
    if !windows.contains(&window) {
        return Err(gone);
    }
    if let Target::Tab(_, index) = target {
        action.insert("tab_index".into(), index.into());
    }
    action.insert("window_id".into(), window.into());
    Ok(action)
}

fn uhp_request(action: &Map<String, Value>, target: Target) -> Result<(&'static str, Value), CliError> {
    let window =
        action.get("window_id").and_then(Value::as_u64).and_then(|window| u32::try_from(window).ok());
    let workspace = WorkspaceId(window.unwrap_or_default()).to_string();
    Ok(match target {
        Target::Window(_) => ("workspace.close", json!({"workspace_id": workspace})),
        Target::Tab(_, index) => ("tab.close", json!({"workspace_id": workspace, "tab": position(index)?})),
        Target::Pane(_, PaneId(pane)) => ("pane.close", json!({"pane": pane})),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::envelope::example;

    fn action(target: Target) -> Result<Value, &'static str> {
        place(&example(), target).map(Value::Object).map_err(|(code, _)| code)
    }

    #[test]
    fn a_forced_close_names_what_it_closes() {
        assert_eq!(action(Target::Window(4)), Ok(json!({"type": "window.close", "window_id": 4})));
        assert_eq!(
            action(Target::Tab(Some(4), 1)),
            Ok(json!({"type": "tab.close", "window_id": 4, "tab_index": 1}))
        );
        assert_eq!(
            action(Target::Pane(None, PaneId(7))),
            Ok(json!({"type": "pane.close", "window_id": 4, "tab_index": 1, "pane_id": 7}))
        );
    }

    #[test]
    fn a_forced_close_never_guesses() {
        assert_eq!(action(Target::Tab(None, 0)), Err("ambiguous_target"));
        assert_eq!(action(Target::Window(9)), Err("target_not_found"));
        assert_eq!(action(Target::Pane(None, PaneId(9))), Err("target_not_found"));
        assert_eq!(action(Target::Pane(Some(WindowRef(1)), PaneId(7))), Err("target_not_found"));
    }

    #[test]
    fn uhp_counts_tabs_from_one() {
        let target = Target::Tab(Some(4), 1);
        let action = place(&example(), target).expect("found");
        let request = uhp_request(&action, target).expect("a request");
        assert_eq!(request, ("tab.close", json!({"workspace_id": "w4", "tab": 2})));
    }
}
