//! `luvus env`: where a process is and what it can do there (`runtime.md` 12.3). It works everywhere,
//! and says what is missing.

use super::envelope;
use crate::cli::context::Context;
use crate::cli::environment::Environment;
use crate::cli::error::{CliError, Exit};
use crate::cli::paths::SessionName;
use crate::cli::{output, runtime};
use crate::protocol::runtime::commands::{self, Names};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// How long the look-up of the server may take.
const LOOK_UP: Duration = Duration::from_millis(900);

/// The contract of a pane's environment.
const VARIABLES: &[&str] = &[
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "NEBULA_PANE_ID",
    "NEBULA_CLI",
    "NEBULA_BIN_DIR",
    "NEBULA_PANE_REMOTE",
    "LUVUS_PANE_ID",
    "LUVUS_BIN_PATH",
    "LUVUS_BIN_DIR",
    "LUVUS_PANE_REMOTE",
    ENDPOINT,
    "LUVUS_ENV",
    "LUVUS_SESSION",
    "LUVUS_WORKSPACE_ID",
    "LUVUS_TAB_ID",
    "LUVUS_TERMINAL_ID",
    "LUVUS_SOCKET_PATH",
    "LUVUS_API_ADDRESS",
];

/// The one that holds a secret.
const ENDPOINT: &str = "LUVUS_RUNTIME_ENDPOINT";

/// `luvus env`
///
/// # Errors
/// When it cannot be printed.
pub fn run(environment: Environment, named: Option<&SessionName>, pretty: bool) -> Result<Exit, CliError> {
    let variables = variables(&environment);
    let remote =
        ["LUVUS_PANE_REMOTE", "NEBULA_PANE_REMOTE"].iter().any(|name| environment.text(name) == Some("1"));
    let inside = remote || environment.in_a_pane() || environment.raw("NEBULA_PANE_ID").is_some();
    let (runtime, snapshot, own) = match Context::new(environment, named, true) {
        Ok(context) => {
            let (runtime, snapshot) = look_up(&context);
            let own = context.own_pane().map(|pane| pane.0);
            (runtime, snapshot, own.filter(|_| !remote))
        }
        Err(error) => (unreachable("runtime_unavailable", &error.message), Value::Null, None),
    };
    let row = own.and_then(|own| row_of(&snapshot, own));
    let names = names(&snapshot, row.as_ref(), own);
    let report = json!({
        "in_luvus": inside,
        "remote": remote,
        "env": variables,
        "runtime": runtime,
        "pane": row.map(shown),
        "commands": commands::list(&names),
    });
    output::line(&if pretty { format!("{report:#}") } else { report.to_string() })?;
    Ok(Exit::Ok)
}

fn variables(environment: &Environment) -> Map<String, Value> {
    let value = |name: &str| {
        let value = environment.raw(name)?.to_string_lossy().into_owned();
        // The port tells which server; the token is nobody's to print.
        let shown = if name == ENDPOINT { port(&value) } else { value };
        Some(shown)
    };
    VARIABLES.iter().map(|name| ((*name).to_owned(), json!(value(name)))).collect()
}

/// The port of an endpoint; of one that is malformed nothing is shown.
fn port(endpoint: &str) -> String {
    let first = endpoint.split_whitespace().next().and_then(|port| port.parse::<u16>().ok());
    first.map_or_else(|| "(malformed)".to_owned(), |port| port.to_string())
}

fn unreachable(code: &str, message: &str) -> Value {
    json!({"reachable": false, "error": {"code": code, "message": message}})
}

/// What the server says of itself, and its state.
fn look_up(context: &Context) -> (Value, Value) {
    let began = Instant::now();
    let described = runtime::call(context, "runtime.describe", json!({}), LOOK_UP / 2);
    if described["ok"] != true {
        let error = &described["error"];
        let text = |key: &str| error[key].as_str().unwrap_or_default();
        return (unreachable(text("code"), text("message")), Value::Null);
    }
    let left = LOOK_UP.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
    let mut snapshot = runtime::call(context, "runtime.snapshot", json!({}), left);
    let known = |key: &str| described["result"][key].clone();
    let runtime = json!({
        "reachable": true,
        "app_version": known("app_version"),
        "protocol_version": known("protocol_version"),
        "session": known("session"),
    });
    (runtime, snapshot["result"].take())
}

fn row_of(snapshot: &Value, pane: u32) -> Option<Value> {
    let list = envelope::pane_list(snapshot, None, None);
    list["panes"].as_array()?.iter().find(|row| row["pane_id"] == pane).cloned()
}

/// The members of a pane's row that are shown.
fn shown(row: Value) -> Value {
    const KEYS: [&str; 8] =
        ["window_id", "tab_index", "pane_id", "cwd", "branch", "task_state", "state_change_seq", "agent"];
    let Value::Object(mut row) = row else { return Value::Null };
    row.retain(|key, _| KEYS.contains(&key.as_str()));
    Value::Object(row)
}

/// Real names for the examples, where they are known.
fn names(snapshot: &Value, own: Option<&Value>, pane: Option<u32>) -> Names {
    let usual = Names::default();
    let list = envelope::pane_list(snapshot, None, None);
    let rows = list["panes"].as_array().cloned().unwrap_or_default();
    let focused = envelope::focused_pane(snapshot).map(|pane| pane.0);
    let row = own.or_else(|| rows.iter().find(|row| focused.is_some_and(|pane| row["pane_id"] == pane)));
    let number = |key: &str, otherwise: u64| row.and_then(|row| row[key].as_u64()).unwrap_or(otherwise);
    let agent = rows.iter().find_map(|row| row["agent"]["name"].as_str().map(str::to_owned));
    Names {
        pane: number("pane_id", pane.map_or(usual.pane, u64::from)),
        tab: number("tab_index", usual.tab),
        window: number("window_id", usual.window),
        agent: agent.unwrap_or(usual.agent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_never_shown() {
        let environment = Environment::of(&[(ENDPOINT, "4000 secret 1"), ("LUVUS_PANE_ID", "7")]);
        let shown = variables(&environment);
        assert_eq!((&shown[ENDPOINT], &shown["LUVUS_PANE_ID"]), (&json!("4000"), &json!("7")));
        assert_eq!(shown["NEBULA_CLI"], Value::Null);
        for broken in ["secret", "secret 4000"] {
            assert_eq!(variables(&Environment::of(&[(ENDPOINT, broken)]))[ENDPOINT], "(malformed)");
        }
    }

    #[test]
    fn examples_name_the_own_pane_or_the_focused_one() {
        let snapshot = envelope::example();
        let own = row_of(&snapshot, 7).expect("a row");
        let found = names(&snapshot, Some(&own), Some(7));
        assert_eq!((found.pane, found.tab, found.window), (7, 1, 4));
        assert_eq!(names(&snapshot, None, None).pane, 6);
        assert_eq!(names(&Value::Null, None, None), Names::default());
    }
}
