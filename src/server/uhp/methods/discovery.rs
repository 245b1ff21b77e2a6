//! Server and session: what can be done here, who is here (`uhp.md` sections 5, 15, 16).

use super::super::Context;
use super::super::authority::SCOPES;
use super::super::table::METHODS;
use super::{nothing, rows};
use crate::protocol::limits;
use crate::protocol::params::{PATH_BYTES, Params, boolean};
use crate::protocol::uhp::error::Failure;
use crate::protocol::uhp::stream::ACTIONS;
use crate::protocol::uhp::terminal::{COMMAND_ARG_BYTES, COMMAND_ARGS, COMMAND_BYTES};
use crate::protocol::{attach, uhp};
use crate::server::uhp::error;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// What announces a method of the terminal namespace (`uhp.md` section 5.1).
fn capability(method: &'static str) -> Vec<&'static str> {
    match method {
        "create" => vec!["create_workspace", "create_sibling"],
        "control" => [&["control_stream"], ACTIONS].concat(),
        "processes" => vec!["process_inspection"],
        "notify" => vec!["notify_terminal"],
        "events.subscribe" => vec!["events"],
        name => vec![name],
    }
}

/// `uhp.capabilities`: clients ask for it before everything else, so what does not change is written once.
pub fn capabilities(params: Params, context: &Context) -> Result<Vec<u8>, Failure> {
    static FIXED: OnceLock<String> = OnceLock::new();
    nothing(params)?;
    let fixed = FIXED.get_or_init(|| members(&fixed_capabilities()));
    let present = json!({
        "server_generation": context.hub.generation().to_string(),
        "session": context.session.name,
        "event_sequence": context.hub.bus().sequence(),
        "limits": {
            "frame_bytes": limits::UHP_FRAME_BYTES,
            "connection_capacity": limits::API_CONNECTIONS,
            "active_connections": context.session.connections(),
            "event_queue": limits::EVENT_QUEUE,
            "event_replay": limits::EVENT_REPLAY,
            "event_replay_bytes": limits::EVENT_REPLAY_BYTES,
            "event_subscribers": limits::EVENT_SUBSCRIBERS,
            "terminal_stream_capacity": limits::STREAMS,
            "terminal_stream_frame_bytes": limits::STREAM_BYTES,
            "tokens": limits::TOKENS,
        },
    });
    Ok(format!("{{{},{fixed}}}", members(&present)).into_bytes())
}

/// What is the same for the whole life of a server.
fn fixed_capabilities() -> Value {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    let contracts: Vec<Value> = METHODS
        .iter()
        .map(|method| {
            json!({
                "method": method.name,
                "access": method.access.as_str(),
                "idempotent": method.idempotent,
                "scope": method.scope,
            })
        })
        .collect();
    json!({
        "type": "uhp_capabilities",
        "protocol": protocol(),
        "methods": names,
        "method_contracts": contracts,
        "terminal": terminal(),
        "agent_states": ["idle", "working", "blocked", "done"],
        "agent_authorities": ["integration_report"],
        "authorization": {"default": "local_owner", "scopes": SCOPES},
        "events": {"loss": "resync_required", "resume": "after_sequence"},
        "concurrency": {"mutation_guard": "if_revision"},
    })
}

/// The members of an object as text, without its braces.
fn members(object: &Value) -> String {
    let text = object.to_string();
    text[1..text.len() - 1].to_owned()
}

fn protocol() -> Value {
    json!({"name": uhp::NAME, "major": uhp::MAJOR, "minor": uhp::MINOR})
}

/// Names of what the terminal namespace can do, from the methods that there are.
fn terminal_capabilities() -> Vec<&'static str> {
    METHODS
        .iter()
        .filter_map(|method| method.name.strip_prefix("terminal.backend."))
        .flat_map(capability)
        .collect()
}

fn terminal() -> Value {
    json!({
        "capabilities": terminal_capabilities(),
        "features": ["stream_cursor", "create_restore_policy", "modified_keys"],
        "limits": {
            "request_bytes": limits::UHP_FRAME_BYTES,
            "response_bytes": limits::UHP_FRAME_BYTES,
            "inventory_terminals": limits::TERMINALS,
            "capture_lines": limits::CAPTURE_LINES,
            "capture_bytes": limits::CAPTURE_BYTES,
            "observe_bytes": limits::STREAM_BYTES,
            "observe_lines": limits::STREAM_LINES,
            "observers": limits::STREAMS,
            "observer_queue": limits::STREAM_QUEUE,
            "input_bytes": limits::INPUT_BYTES,
            "logical_keys_per_request": 1,
            "viewport_cols": limits::VIEWPORT_COLS,
            "viewport_rows": limits::VIEWPORT_ROWS,
            "title_bytes": limits::TITLE_BYTES,
            "notification_title_bytes": limits::TITLE_BYTES,
            "notification_body_bytes": limits::NOTIFICATION_BODY_BYTES,
            "command_args": COMMAND_ARGS,
            "command_bytes": COMMAND_BYTES,
            "command_arg_bytes": COMMAND_ARG_BYTES,
            "cwd_bytes": PATH_BYTES,
            "event_queue": limits::EVENT_QUEUE,
            "event_subscribers": limits::EVENT_SUBSCRIBERS,
            "wait_timeout_ms": limits::WAIT_TIMEOUT_MS,
            "queued_input_bytes": limits::QUEUED_INPUT_BYTES,
            "queued_input_actions": limits::QUEUED_INPUT_ACTIONS,
        },
    })
}

/// `ping`
pub async fn ping(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    Ok(json!({
        "type": "pong",
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": attach::hello::VERSION,
        "session": context.session.name,
    }))
}

/// `server.stop`: answered first; the connection then ends the server.
pub async fn stop(params: Params, _context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    Ok(json!({"type": "ok"}))
}

/// `session.detach`: the client that gave input last, or with `all: true` every one.
pub async fn detach(mut params: Params, context: Context) -> Result<Value, Failure> {
    let all = params.optional("all", boolean)?.unwrap_or(false);
    params.finish()?;
    let detached = context.hub.detach_clients(all).await.map_err(|error| error::of_hub(&error))?;
    Ok(json!({"type": "ok", "detached": detached}))
}

/// `session.snapshot`
pub async fn snapshot(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let (snapshot, revisions) = context.hub.snapshot_with_revisions();
    let live = |pane| rows::live_at(&snapshot, &revisions, pane);
    Ok(json!({
        "type": "session_snapshot",
        "protocol": protocol(),
        "session": context.session.name,
        "server_generation": context.hub.generation().to_string(),
        "event_sequence": snapshot.sequence,
        "workspaces": rows::session(&snapshot.scene, &snapshot.agents, live),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_announced_capabilities_are_those_of_the_contract() {
        let known = [
            "inventory",
            "validate",
            "process_inspection",
            "capture",
            "observe",
            "control_stream",
            "paste_image",
            "upload_start",
            "upload_chunk",
            "upload_finish",
            "upload_cancel",
            "set_viewport",
            "type_literal",
            "paste_text",
            "submit_text",
            "send_key",
            "set_title",
            "notify_terminal",
            "create_workspace",
            "create_sibling",
            "close",
            "snapshot",
            "events",
            "wait_change",
            "wait_output",
        ];
        let mut announced = terminal_capabilities();
        announced.sort_unstable();
        let mut expected = known.to_vec();
        expected.sort_unstable();
        assert_eq!(announced, expected);
    }
}
