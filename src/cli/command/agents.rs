//! `luvus agent`'s own verbs, `luvus wait agent-status` and `luvus mission`: what UHP answers, as text or
//! with `--json` as it came.

use super::{act, ask_and_print};
use crate::cli::args::agent::{Beside, MissionVerb, OwnVerb, Status};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, wire};
use crate::protocol::ids::PaneId;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How much longer than the server's own time limit the answer of a wait may take.
const WAIT_SLACK: Duration = Duration::from_secs(5);
/// What a wait for a prompt takes at most, unless told otherwise.
const PROMPT_S: u64 = 300;

/// `luvus agent …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: OwnVerb) -> Result<Exit, CliError> {
    match verb {
        OwnVerb::Get { target } => ask_and_print(context, "agent.get", json!({"target": target}), one),
        OwnVerb::Explain { target } => {
            let params = match target {
                Some(target) => json!({"target": target}),
                None => json!({"pane": own(context, None, "explain")?.0}),
            };
            ask_and_print(context, "agent.explain", params, explanation)
        }
        OwnVerb::Start { name, kind, pane, anchor, direction, timeout, args } => {
            let mut params = json!({"name": name, "kind": kind, "args": args, "timeout_s": timeout});
            set(&mut params, "pane", pane.map(|pane| json!(pane.0)));
            set(&mut params, "anchor", anchor.map(|pane| json!(pane.0)));
            let word = |side| if side == Beside::Right { "right" } else { "down" };
            set(&mut params, "direction", direction.map(|side| json!(word(side))));
            let result = long(context, "agent.start", params, timeout)?;
            print(context, &result, |result| {
                let ready = if result["ready"] == true { "is ready" } else { "does not take prompts yet" };
                format!("{} in pane {} {ready}", text(result, "name"), text(result, "pane"))
            })
        }
        OwnVerb::Prompt { target, text, wait, until, timeout } => {
            prompt(context, &target, &text, wait.then_some((until, timeout)))
        }
        OwnVerb::Keys { target, keys } => act(context, "agent.keys", json!({"target": target, "keys": keys})),
        OwnVerb::Name { name, pane, clear } => {
            let mut params = if clear { json!({"clear": true}) } else { json!({"name": name}) };
            set(&mut params, "pane", pane.or_else(|| context.own_pane()).map(|pane| json!(pane.0)));
            act(context, "agent.name", params)
        }
        OwnVerb::Report { pane, source, agent, status, message, session_id, sequence, ttl } => {
            let pane = own(context, pane, "report")?;
            let mut params =
                json!({"pane": pane.0, "source": source, "agent": agent, "status": status.as_str()});
            set(&mut params, "message", message.map(Value::from));
            set(&mut params, "session_id", session_id.map(Value::from));
            set(&mut params, "sequence", sequence.map(Value::from));
            set(&mut params, "ttl_s", ttl.map(Value::from));
            act(context, "agent.report", params)
        }
        OwnVerb::Release { pane, source } => {
            let pane = own(context, pane, "release")?;
            act(context, "agent.release", json!({"pane": pane.0, "source": source}))
        }
        OwnVerb::Sessions => ask_and_print(context, "agent.sessions", json!({}), |result| {
            let columns: &[(&str, &str)] =
                &[("ID", "id"), ("AGENT", "agent"), ("PANE", "pane"), ("FOLDER", "cwd"), ("TITLE", "title")];
            listing(columns, &output::rows(result, "sessions"))
        }),
        OwnVerb::Resume { id } => ask_and_print(context, "agent.resume", json!({"id": id}), output::made),
        OwnVerb::Fork { target, name, focus } => {
            let params = json!({"target": target, "name": name, "focus": focus});
            ask_and_print(context, "agent.fork", params, output::made)
        }
    }
}

/// The pane given, or the own one. Outside a pane these verbs need an id.
fn own(context: &Context, pane: Option<PaneId>, verb: &str) -> Result<PaneId, CliError> {
    pane.or_else(|| context.own_pane())
        .ok_or_else(|| CliError::usage(format_args!("`agent {verb}` needs to be told which one, here")))
}

fn set(params: &mut Value, field: &str, value: Option<Value>) {
    if let Some(value) = value {
        params[field] = value;
    }
}

/// Calls a method that takes up to so many seconds by itself.
fn long(
    context: &Context,
    method: &str,
    params: Value,
    seconds: u64,
) -> Result<Map<String, Value>, CliError> {
    let deadline = Duration::from_secs(seconds).saturating_add(WAIT_SLACK);
    wire::call(&context.paths, method, params, deadline)?.into_result()
}

fn print(
    context: &Context,
    result: &Map<String, Value>,
    text: impl FnOnce(&Map<String, Value>) -> String,
) -> Result<Exit, CliError> {
    if context.json {
        output::json(&Value::Object(result.clone()))?;
    } else {
        output::line(&text(result))?;
    }
    Ok(Exit::Ok)
}

fn prompt(
    context: &Context,
    target: &str,
    prompt: &str,
    wait: Option<(Vec<Status>, Option<u64>)>,
) -> Result<Exit, CliError> {
    let mut params = json!({"target": target, "text": prompt});
    let mut seconds = 0;
    let waits = wait.is_some();
    if let Some((until, timeout)) = wait {
        params["wait"] = json!(true);
        seconds = timeout.unwrap_or(PROMPT_S);
        params["timeout_s"] = json!(seconds);
        if !until.is_empty() {
            params["until"] = until.iter().map(|status| status.as_str()).collect();
        }
    }
    let result = long(context, "agent.prompt", params, seconds.max(wire::ANSWER_DEADLINE.as_secs()))?;
    print(context, &result, |result| match text(result, "evidence").as_str() {
        "queued" => "queued".to_owned(),
        _ => text(result, "status"),
    })?;
    if waits && result.get("matched") != Some(&Value::Bool(true)) {
        output::tell(&format!("the agent did not come to that state within {seconds} s"));
        return Ok(Exit::Gone);
    }
    Ok(Exit::Ok)
}

/// `luvus wait agent-status`
///
/// # Errors
/// When it does not work.
pub fn wait_status(
    context: &Context,
    target: &str,
    statuses: &[Status],
    timeout: u64,
) -> Result<Exit, CliError> {
    let pane = match target.parse::<PaneId>() {
        Ok(pane) => pane.to_string(),
        Err(_) => text(&wire::ask(&context.paths, "agent.get", json!({"target": target}))?, "pane"),
    };
    let mut statuses: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let params = json!({"pane": pane, "statuses": statuses, "timeout_s": timeout});
    let result = long(context, "agent.wait", params, timeout)?;
    let matched = result.get("matched") == Some(&Value::Bool(true));
    if context.json {
        output::json(&Value::Object(result))?;
    } else if matched {
        output::line(&text(&result, "status"))?;
    }
    if !matched {
        output::tell(&format!("the agent of pane {pane} did not come to that state within {timeout} s"));
        return Ok(Exit::Gone);
    }
    Ok(Exit::Ok)
}

/// `luvus mission …`
///
/// # Errors
/// When it does not work.
pub fn run_mission(context: &Context, verb: MissionVerb) -> Result<Exit, CliError> {
    let all = match verb {
        MissionVerb::Show { all } => all,
        MissionVerb::Open { workspace } => {
            let params = workspace.map(|workspace| context.workspace_params(Some(workspace)));
            return act(context, "mission.open", Value::Object(params.unwrap_or_default()));
        }
    };
    let params = match context.own_workspace() {
        _ if all => json!({"scope": "all"}),
        Some(workspace) => json!({"workspace_id": workspace.to_string()}),
        None => json!({"scope": "workspace"}),
    };
    ask_and_print(context, "mission.snapshot", params, |result| {
        let columns: &[(&str, &str)] = &[
            ("STATE", "status"),
            ("PANE", "pane"),
            ("AGENT", "display_agent"),
            ("NAME", "name"),
            ("WORKSPACE", "workspace_name"),
            ("TITLE", "agent_session_title"),
        ];
        listing(columns, &output::rows(result, "rows"))
    })
}

fn text(result: &Map<String, Value>, key: &str) -> String {
    result.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn listing(columns: &[(&str, &str)], rows: &[Value]) -> String {
    let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|(_, key)| output::cell(row, &[key])).collect()).collect();
    output::table(&heads, &cells)
}

/// One agent, a member a line.
fn one(result: &Map<String, Value>) -> String {
    let keys =
        ["pane", "agent", "display_agent", "name", "status", "state_source", "session", "cwd", "branch"];
    let row = Value::Object(result.clone());
    let lines = keys.iter().map(|key| (key, output::cell(&row, &[key]))).filter(|(_, text)| !text.is_empty());
    output::printable_lines(lines.map(|(key, text)| format!("{key}: {text}")))
}

/// An explanation, for people.
fn explanation(result: &Map<String, Value>) -> String {
    let all = Value::Object(result.clone());
    if all["available"] != true {
        return format!("no agent, and no program that reports, runs in pane {}", text(result, "pane"));
    }
    let evidence = &all["state_evidence"];
    let mut lines = vec![
        format!("pane {}: {}", text(result, "pane"), text(result, "display_agent")),
        format!(
            "identity: {} ({})",
            output::cell(&all["identity"], &["source"]),
            output::cell(&all["identity"], &["confidence"])
        ),
        format!("state: {} (from {})", text(result, "status"), text(result, "state_source")),
    ];
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{name}: {value}"));
        }
    };
    add("waits for", output::cell(&all, &["blocked_kind"]));
    add("rule", output::cell(evidence, &["rule"]));
    add("evidence", output::cell(evidence, &["blocked_hint"]));
    let rejected = evidence["rejected_rules"].as_array().into_iter().flatten();
    add("rejected rules", rejected.filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    add("authority", output::cell(&all["authority"], &["source"]));
    add("session", output::cell(&all, &["session"]));
    for record in all["program_status"].as_array().into_iter().flatten() {
        let id = output::cell(record, &["id"]);
        let shown = [&["state"], &["effective_app"], &["title"], &["message"]];
        let words: Vec<String> =
            shown.iter().map(|key| output::cell(record, *key)).filter(|word| !word.is_empty()).collect();
        add(&format!("reports {}", if id.is_empty() { "(root)" } else { &id }), words.join(" · "));
    }
    output::printable_lines(lines.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_names_its_evidence() {
        let result = json!({
            "pane": "7", "available": true, "display_agent": "claude", "status": "blocked", "state_source": "screen",
            "identity": {"source": "process", "confidence": "high"}, "blocked_kind": "permission", "authority": null,
            "session": null,
            "state_evidence": {"rule": "approval", "blocked_hint": "go\u{1b}?", "rejected_rules": ["trust", "question"]},
            "program_status": [{"id": null, "state": "idle", "effective_app": "x", "title": null, "message": null}],
        });
        let told = explanation(result.as_object().expect("an object"));
        for part in [
            "identity: process (high)",
            "rule: approval",
            "rejected rules: trust, question",
            "reports (root): idle · x",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains('\u{1b}'));
    }
}
