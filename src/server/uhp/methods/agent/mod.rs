//! `agent.*` (`uhp.md` section 17.1), and who is meant by a target.

pub mod authority;
pub mod input;
pub mod prompt;
pub mod read;
pub mod start;

use crate::protocol::agent::AgentState;
use crate::protocol::ids::PaneId;
use crate::protocol::params::{ParamError, Params, text};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::agents::{AgentView, TargetError, resolve};
use crate::server::hub::Snapshot;
use crate::server::uhp::target;
use serde_json::{Value, json};
use std::sync::Arc;

/// The longest target that is looked up.
const TARGET_BYTES: usize = 128;

/// The states that requests and results name.
pub const STATES: &[(&str, AgentState)] = &[
    ("idle", AgentState::Idle),
    ("working", AgentState::Working),
    ("blocked", AgentState::Blocked),
    ("done", AgentState::Done),
];

/// A number of seconds, and the longest there is.
pub const LONGEST_S: f64 = 3_600.0;

/// `target`
fn read_target(params: &mut Params) -> Result<String, ParamError> {
    params.required("target", text(1..=TARGET_BYTES))
}

/// The pane that a target means.
fn find(snapshot: &Snapshot, target: &str) -> Result<PaneId, Failure> {
    let alias = |name: &str| {
        let pane = snapshot.scene.panes.iter().find(|pane| pane.name.as_deref() == Some(name));
        pane.map(|pane| pane.id)
    };
    let exists = |pane: PaneId| snapshot.scene.pane(pane).is_some();
    resolve(target, &snapshot.agents, alias, exists).map_err(|error| match &error {
        TargetError::NotFound(_) => Failure::new(ErrorCode::NotFound, error.to_string()),
        TargetError::Ambiguous { panes, .. } => {
            let candidates: Vec<String> = panes.iter().map(ToString::to_string).collect();
            let failure = Failure::new(ErrorCode::AmbiguousTarget, error.to_string());
            failure.with_data(json!({"candidates": candidates}))
        }
    })
}

/// The agent, or the program that reports, that a target means.
fn find_agent<'a>(snapshot: &'a Snapshot, target: &str) -> Result<&'a Arc<AgentView>, Failure> {
    let pane = find(snapshot, target)?;
    let none = || Failure::new(ErrorCode::NotFound, format!("no agent runs in pane {pane}"));
    snapshot.agents.get(&pane).ok_or_else(none)
}

/// The pane of a target that a recognised agent runs in.
fn find_running<'a>(snapshot: &'a Snapshot, target: &str) -> Result<&'a Arc<AgentView>, Failure> {
    let pane = find(snapshot, target)?;
    let running = snapshot.agents.get(&pane).filter(|view| view.identity.is_some());
    running.ok_or_else(|| Failure::new(ErrorCode::AgentNotReady, format!("no agent runs in pane {pane}")))
}

/// A row of `agent.list`; indices of workspaces count from 0, places of tabs from 1.
pub fn row(snapshot: &Snapshot, view: &AgentView) -> Value {
    let scene = &snapshot.scene;
    let pane = scene.pane(view.pane);
    let tab = pane.and_then(|pane| target::tab_with_id(scene, pane.tab));
    let workspace = tab.map(|tab| tab.workspace);
    json!({
        "pane": view.pane.to_string(),
        "agent": view.kind(),
        "display_agent": view.label,
        "is_agent": view.identity.is_some(),
        "name": pane.and_then(|pane| pane.name.clone()),
        "status": view.state.presented().as_str(),
        "authority": view.authority_kind(),
        "state_source": view.source.as_str(),
        "session": view.session,
        "focused": target::focused_pane(scene) == Some(view.pane),
        "workspace": workspace.map(|workspace| workspace.index.to_string()),
        "workspace_name": workspace.map(|workspace| &workspace.scene.name),
        "workspace_id": pane.map(|pane| pane.workspace.to_string()),
        "terminal_id": view.terminal.to_string(),
        "tab": tab.map(|tab| tab.place().to_string()),
        "cwd": pane.map(|pane| &pane.cwd),
        "branch": workspace.and_then(|workspace| workspace.scene.branch.clone()),
        "project": workspace.map(|workspace| &workspace.scene.name),
        "repo": workspace.filter(|workspace| workspace.scene.branch.is_some()).map(|workspace| &workspace.scene.root),
        "worktree": null,
        "agent_session_title": view.session_title(),
        "blocked_kind": view.blocked.map(|kind| kind.as_str()),
        "unread": view.unread,
        "since_ms": view.since_ms,
        "state_change_seq": view.state_change_seq,
        "progress": view.progress,
    })
}

/// How a time limit is read.
fn seconds(params: &mut Params, usual: f64) -> Result<std::time::Duration, ParamError> {
    let read = crate::protocol::params::number(0.0..=LONGEST_S);
    let seconds = params.nullable("timeout_s", read)?.unwrap_or(usual);
    Ok(std::time::Duration::from_secs_f64(seconds))
}
