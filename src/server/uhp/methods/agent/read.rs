//! Who is there, in which state, and why: `agent.list`, `.get`, `.explain`, `.read`, `.wait`.

use super::super::super::Context;
use super::super::nothing;
use super::super::terminal::{take, what_to_read};
use super::{STATES, find, find_agent, read_target, row, seconds};
use crate::protocol::agent::AgentState;
use crate::protocol::ids::PaneId;
use crate::protocol::params::{ParamError, Params, word};
use crate::protocol::plain::one_line;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::hub::Explained;
use crate::server::uhp::{error, target};
use crate::server::wait::{AgentWaited, agent as wait_for_agent};
use serde_json::{Value, json};
use tokio::time::Instant;

/// A hint as it is shown outside of the terminal.
const HINT_CHARS: usize = 512;
/// The usual wait, in seconds.
const USUAL_S: f64 = 300.0;

/// `agent.list`
pub async fn list(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let snapshot = context.snapshot();
    let agents: Vec<Value> = snapshot.agents.values().map(|view| row(&snapshot, view)).collect();
    Ok(json!({"type": "agent_list", "revision": snapshot.sequence, "agents": agents}))
}

/// `agent.get`
pub async fn get(mut params: Params, context: Context) -> Result<Value, Failure> {
    let target = read_target(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let mut row = row(&snapshot, find_agent(&snapshot, &target)?);
    row["type"] = json!("agent");
    row["revision"] = json!(snapshot.sequence);
    Ok(row)
}

/// `agent.explain`: by target or by pane.
pub async fn explain(mut params: Params, context: Context) -> Result<Value, Failure> {
    let by_pane = target::read_pane(&mut params, "pane")?;
    let by_target = params.nullable("target", crate::protocol::params::text(1..=128))?;
    params.finish()?;
    let snapshot = context.snapshot();
    let pane = match (by_target, by_pane) {
        (Some(target), None) => find(&snapshot, &target)?,
        (None, Some(pane)) => target::pane(&snapshot.scene, Some(pane))?.id,
        _ => return Err(ParamError::new("target", "give either `target` or `pane`").into()),
    };
    let explained = context.hub.explain_agent(pane).await.map_err(|error| error::of_hub(&error))?;
    Ok(match explained {
        Some(explained) => explanation(pane, &explained),
        None => json!({"type": "agent_explanation", "pane": pane.to_string(), "available": false}),
    })
}

fn explanation(pane: PaneId, explained: &Explained) -> Value {
    let view = &explained.view;
    let matched = view.finding.as_ref().and_then(|finding| finding.matched.as_ref());
    let on_screen = matched.filter(|_| view.source == crate::server::agents::state::Source::Screen);
    let identity = view.identity.as_ref();
    let records: Vec<Value> = explained
        .records
        .iter()
        .map(|(record, app)| {
            json!({
                "id": record.id,
                "state": record.state.as_str(),
                "app": record.app,
                "effective_app": app,
                "kind": record.kind.map(|kind| kind.as_str()),
                "progress": record.progress,
                "title": record.title,
                "message": record.message,
            })
        })
        .collect();
    json!({
        "type": "agent_explanation",
        "pane": pane.to_string(),
        "available": true,
        "agent": view.kind(),
        "display_agent": view.label,
        "is_agent": identity.is_some(),
        "status": view.state.presented().as_str(),
        "state": view.state.as_str(),
        "identity": {
            "source": identity.map_or("none", |identity| identity.source.as_str()),
            "confidence": identity.map_or("none", |identity| identity.source.confidence()),
        },
        "state_evidence": {
            "source": view.source.as_str(),
            "confidence": confidence(view.source),
            "blocked_hint": view.hint.as_deref().filter(|_| view.state == AgentState::Blocked)
                .map(|hint| one_line(hint, HINT_CHARS)),
            "rule_priority": on_screen.map(|matched| matched.priority),
            "rule_region": on_screen.map(|matched| matched.region.as_str()),
            "rule": on_screen.map(|matched| &matched.rule),
            "rejected_rules": view.finding.as_ref().map(|finding| &finding.rejected),
        },
        "blocked_kind": view.blocked.map(|kind| kind.as_str()),
        "unread": view.unread,
        "authority": view.authority.as_ref().map(|authority| json!({
            "source": authority.source,
            "sequence": authority.sequence,
            "ttl_s": authority.ttl_s,
        })),
        "session": view.session,
        "state_source": view.source.as_str(),
        "program_status": records,
    })
}

fn confidence(source: crate::server::agents::state::Source) -> &'static str {
    use crate::server::agents::state::Source;
    match source {
        Source::Integration | Source::ProgramStatus => "high",
        Source::Screen => "medium",
        Source::Process => "low",
    }
}

/// `agent.read`
pub async fn read(mut params: Params, context: Context) -> Result<Value, Failure> {
    let target = read_target(&mut params)?;
    let request = what_to_read(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let pane = find(&snapshot, &target)?;
    let entry = context.terminal(&snapshot, pane)?;
    let capture = take(&entry.handle, request).await?;
    Ok(json!({
        "type": "agent_read",
        "pane": pane.to_string(),
        "terminal_id": entry.handle.terminal().to_string(),
        "content_revision": capture.revision,
        "lines": capture.lines,
        "truncated": capture.truncated,
        "text": capture.text,
    }))
}

/// `agent.wait`: until the agent of a pane is in one of some states; what holds already counts.
pub async fn wait(mut params: Params, context: Context) -> Result<Value, Failure> {
    let pane = target::require_pane(&mut params, "pane")?;
    let one = params.nullable("status", word(STATES))?;
    let several = params.nullable("statuses", statuses)?;
    let limit = seconds(&mut params, USUAL_S)?;
    params.finish()?;
    let wanted = match (one, several) {
        (Some(status), None) => vec![status],
        (None, Some(statuses)) => statuses,
        _ => return Err(ParamError::new("status", "give either `status` or `statuses`").into()),
    };
    let deadline = Instant::now() + limit;
    let snapshot = context.snapshot();
    let pane = target::pane(&snapshot.scene, Some(pane))?.id;
    let terminal = context.terminal(&snapshot, pane)?.handle.terminal();
    let waited = wait_for_agent(context.hub.snapshots(), (pane, terminal), deadline, |view| {
        // As in a row: what nobody can tell is presented as one of the four.
        view.map(|view| view.state.presented()).filter(|state| wanted.contains(state))
    });
    let (matched, pane, status) = match waited.await {
        AgentWaited::Found(state) => (true, Some(pane.to_string()), Some(state.as_str())),
        AgentWaited::TimedOut => (false, Some(pane.to_string()), None),
        AgentWaited::Gone => (false, None, None),
    };
    Ok(json!({"type": "agent_wait", "matched": matched, "pane": pane, "status": status}))
}

fn statuses(value: Value) -> Result<Vec<AgentState>, String> {
    let states = super::input::states(value)?;
    let unique: std::collections::BTreeSet<AgentState> = states.iter().copied().collect();
    if unique.len() != states.len() {
        return Err("expected each state once".to_owned());
    }
    Ok(states)
}

/// What is known of the manifests: `server.agent_manifests`.
pub async fn manifests(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let in_force = context.hub.agents_in_force().await.map_err(|error| error::of_hub(&error))?;
    Ok(described("agent_manifests", &in_force))
}

/// `server.reload_agent_manifests`
pub async fn reload_manifests(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let in_force = context.hub.reload_manifests().await.map_err(|error| error::of_hub(&error))?;
    Ok(described("agent_manifests", &in_force))
}

fn described(kind: &str, in_force: &crate::server::hub::AgentsInForce) -> Value {
    let names: Vec<&str> = in_force.manifests.iter().map(|manifest| manifest.id.as_str()).collect();
    json!({
        "type": kind,
        "agents": names,
        "rules": in_force.manifests.rules(),
        "problems": in_force.manifests.warnings,
        "revision": in_force.sequence,
    })
}

/// A target that means no agent at all.
#[must_use]
pub fn no_agent(pane: PaneId) -> Failure {
    Failure::new(ErrorCode::AgentNotRunning, format!("no agent runs in pane {pane}"))
}
