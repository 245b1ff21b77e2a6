//! `agent.start`, `.sessions`, `.resume` and `.fork`: agents in panes of shells, started as a person would.
//!
//! Invariant: a conversation is only gone on with by its exact id, and never in two panes at once.

use super::super::super::{Context, error};
use super::authority::{kind as read_kind, session_id};
use super::{find, read_target, seconds};
use crate::protocol::agent::AgentState;
use crate::protocol::command::{Command, Launch};
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;
use crate::protocol::params::{ParamError, Params, boolean, word};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::agents::AgentView;
use crate::server::agents::detect::ComposerText;
use crate::server::agents::manifest::Start;
use crate::server::agents::resume::{ResumeError, command_line};
use crate::server::hub::{AgentLaunch, ForkError, LaunchError, PaneEntry, Snapshot};
use crate::server::resumption::{self, Resumed, ResumptionError};
use crate::server::uhp::target;
use crate::server::wait::{AgentWaited, agent as wait_for_agent};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// Arguments of a start, and bytes of one.
const ARGUMENTS: usize = 64;
const ARGUMENT_BYTES: usize = 4_096;
/// How long a start waits for its agent, usually, in seconds.
const USUAL_S: f64 = 30.0;

const DIRECTIONS: &[(&str, Axis)] = &[("right", Axis::Horizontal), ("down", Axis::Vertical)];

/// `agent.start`
pub async fn start(mut params: Params, context: Context) -> Result<Value, Failure> {
    let name = params.required("name", alias)?;
    let kind = params.required("kind", read_kind)?;
    let pane = target::read_pane(&mut params, "pane")?;
    let anchor = target::read_pane(&mut params, "anchor")?;
    let axis = params.nullable("direction", word(DIRECTIONS))?;
    let arguments = params.nullable("args", arguments)?.unwrap_or_default();
    let limit = seconds(&mut params, USUAL_S)?;
    params.finish()?;
    if pane.is_some() && anchor.is_some() {
        return Err(ParamError::new("anchor", "stands beside `pane`; give one of them").into());
    }
    let how = start_of(&context, &kind).await?;
    let snapshot = context.snapshot();
    require_free(&snapshot, &name, pane)?;
    let line = command_line(&how.program, arguments.iter().map(String::as_str));
    let launch = AgentLaunch { kind: kind.clone(), args: arguments, session: None, line };
    let pane = match pane {
        Some(named) => require_shell(&context, &snapshot, named)?,
        None => make_pane(&context, &snapshot, anchor, axis, None, true).await?,
    };
    let entry = type_start(&context, pane, &name, launch).await?;
    let (ready, status) = await_ready(&context, &entry, &kind, limit).await;
    Ok(json!({
        "type": "agent_start",
        "name": name,
        "kind": kind,
        "pane": pane.to_string(),
        "ready": ready,
        "status": status.map(|state| state.presented().as_str()),
    }))
}

/// How a kind is started.
async fn start_of(context: &Context, kind: &str) -> Result<Start, Failure> {
    let in_force = context.hub.agents_in_force().await.map_err(|error| error::of_hub(&error))?;
    let start = in_force.manifests.get(kind).and_then(|manifest| manifest.start.clone());
    start.ok_or_else(|| Failure::new(ErrorCode::UnsupportedAgent, format!("`{kind}` cannot be started")))
}

fn require_free(snapshot: &Snapshot, name: &str, pane: Option<PaneId>) -> Result<(), Failure> {
    let owner = snapshot.scene.panes.iter().find(|owner| owner.name.as_deref() == Some(name));
    match owner.filter(|owner| Some(owner.id) != pane) {
        Some(owner) => {
            let message = format!("the name `{name}` belongs to pane {}", owner.id);
            Err(Failure::new(ErrorCode::OwnershipConflict, message))
        }
        None => Ok(()),
    }
}

/// A pane whose shell is at its prompt.
fn require_shell(context: &Context, snapshot: &Snapshot, named: PaneId) -> Result<PaneId, Failure> {
    let pane = target::pane(&snapshot.scene, Some(named))?;
    let entry = context.terminal(snapshot, pane.id)?;
    if !entry.shell || entry.exited.is_some() || entry.handle.is_busy() {
        return Err(Failure::new(ErrorCode::Busy, format!("pane {named} is not at a shell prompt")));
    }
    Ok(pane.id)
}

/// A new pane with a shell: beside `anchor`, else in a tab of its own.
async fn make_pane(
    context: &Context,
    snapshot: &Snapshot,
    anchor: Option<PaneId>,
    axis: Option<Axis>,
    cwd: Option<String>,
    focus: bool,
) -> Result<PaneId, Failure> {
    let launch = Launch { cwd, ..Launch::default() };
    let command = match anchor {
        Some(anchor) => {
            let pane = Some(target::pane(&snapshot.scene, Some(anchor))?.id);
            Command::SplitPane { pane, axis, launch, focus }
        }
        None => Command::NewTab { workspace: None, launch, focus },
    };
    let outcome = context.hub.command(command).await.map_err(|error| error::of_hub(&error))?;
    outcome.pane.ok_or_else(|| Failure::new(ErrorCode::Internal, "no pane came of it"))
}

/// Names a pane and types a command into its shell.
async fn type_start(
    context: &Context,
    pane: PaneId,
    name: &str,
    launch: AgentLaunch,
) -> Result<PaneEntry, Failure> {
    if !name.is_empty() {
        context.hub.name_agent(pane, name.to_owned()).await.map_err(|error| error::of_hub(&error))?;
    }
    let snapshot = context.snapshot();
    let entry = context.terminal(&snapshot, pane)?;
    context.hub.launch_agent(pane, launch).await.map_err(|refused| of_launch(&refused))?;
    Ok(entry)
}

/// Waits until the agent shows that it takes a prompt, or that it does not.
async fn await_ready(
    context: &Context,
    entry: &PaneEntry,
    kind: &str,
    limit: Duration,
) -> (bool, Option<AgentState>) {
    let place = (entry.handle.pane(), entry.handle.terminal());
    let mut status = None;
    let waited = wait_for_agent(context.hub.snapshots(), place, Instant::now() + limit, |view| {
        let view = view.filter(|view| view.kind() == Some(kind))?;
        status = Some(view.state);
        readiness(view)
    });
    let ready = matches!(waited.await, AgentWaited::Found(true));
    (ready, status)
}

/// Whether an agent takes a prompt; nothing while that is not to be told.
fn readiness(view: &AgentView) -> Option<bool> {
    if view.state == AgentState::Blocked {
        return Some(false);
    }
    let finding = view.finding.as_ref();
    let idle = finding
        .and_then(|finding| finding.matched.as_ref())
        .is_some_and(|matched| matched.state == AgentState::Idle && !matched.refuses_prompts);
    let empty = finding.is_some_and(|finding| finding.composer == Some(ComposerText::Empty));
    let working = view.state == AgentState::Working;
    ((idle || empty || view.state.is_quiet()) && !working).then_some(true)
}

/// A name for an agent.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn alias(value: Value) -> Result<String, String> {
    let tail = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(byte);
    let text = value.as_str().filter(|text| {
        let bytes = text.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_lowercase) && bytes.len() <= 32 && bytes.iter().all(tail)
    });
    text.map(str::to_owned).ok_or_else(|| "expected a small letter and up to 31 of a-z0-9_-".to_owned())
}

fn arguments(value: Value) -> Result<Vec<String>, String> {
    let fits = |item: &Value| {
        let text = item.as_str()?;
        let plain = text.len() <= ARGUMENT_BYTES && !text.contains(['\0', '\r', '\n']);
        plain.then(|| text.to_owned())
    };
    let Value::Array(items) = value else { return Err("expected a list of arguments".to_owned()) };
    let arguments: Option<Vec<String>> = items.iter().map(fits).collect();
    arguments.filter(|arguments| arguments.len() <= ARGUMENTS).ok_or_else(|| {
        format!("expected at most {ARGUMENTS} texts of at most {ARGUMENT_BYTES} bytes without NUL, CR or LF")
    })
}

/// `agent.sessions`: conversations that can be gone on with.
pub async fn sessions(params: Params, context: Context) -> Result<Value, Failure> {
    super::super::nothing(params)?;
    let sequence = context.snapshot().sequence;
    let known = resumption::known(&context.hub, Path::new(&context.session.home)).await;
    let rows: Vec<Value> = known
        .map_err(|error| error::of_hub(&error))?
        .iter()
        .map(|session| {
            json!({
                "id": session.id,
                "agent": session.agent,
                "cwd": session.cwd,
                "title": session.title,
                "pane": session.pane.map(|pane| pane.to_string()),
            })
        })
        .collect();
    Ok(json!({"type": "agent_sessions", "revision": sequence, "sessions": rows}))
}

/// `agent.resume`: goes on with a conversation in a new tab.
pub async fn resume_session(mut params: Params, context: Context) -> Result<Value, Failure> {
    let id = params.required("id", session_id)?;
    params.finish()?;
    let home = Path::new(&context.session.home);
    let resumed = resumption::resume(&context.hub, home, None, &id).await;
    let Resumed { agent, pane } = resumed.map_err(|refused| of_resumption(&refused))?;
    Ok(json!({"type": "agent_resume", "id": id, "agent": agent, "pane": pane.to_string()}))
}

fn of_resumption(refused: &ResumptionError) -> Failure {
    let code = match refused {
        ResumptionError::Unknown => ErrorCode::SessionUnknown,
        ResumptionError::Ambiguous => ErrorCode::AmbiguousTarget,
        ResumptionError::Owned(_) => ErrorCode::OwnershipConflict,
        ResumptionError::NoStart(_) | ResumptionError::Unsupported(..) => ErrorCode::UnsupportedAgent,
        ResumptionError::NoTerminal => ErrorCode::TerminalNotReady,
        ResumptionError::Hub(refused) => return error::of_hub(refused),
        ResumptionError::Launch(refused) => return of_launch(refused),
    };
    Failure::new(code, refused.to_string())
}

fn of_launch(refused: &LaunchError) -> Failure {
    match refused {
        LaunchError::NoPane(_) => Failure::new(ErrorCode::NotFound, refused.to_string()),
        LaunchError::Owned(_) => Failure::new(ErrorCode::OwnershipConflict, refused.to_string()),
        LaunchError::Input(refused) => error::of_input(*refused),
        LaunchError::Stopping => Failure::new(ErrorCode::Unavailable, refused.to_string()),
    }
}

fn unsupported(kind: &str, error: ResumeError) -> Failure {
    Failure::new(ErrorCode::UnsupportedAgent, format!("`{kind}`: {error}"))
}

/// `agent.fork`: begins a new conversation from an agent's, in a new pane beside it.
pub async fn fork(mut params: Params, context: Context) -> Result<Value, Failure> {
    let target = read_target(&mut params)?;
    let name = params.nullable("name", alias)?;
    let focus = params.nullable("focus", boolean)?.unwrap_or(true);
    params.finish()?;
    let snapshot = context.snapshot();
    let from = find(&snapshot, &target)?;
    let launch = context.hub.fork_of(from).await.map_err(|refused| match refused {
        ForkError::NoAgent(pane) => super::read::no_agent(pane),
        ForkError::UnknownConversation => Failure::new(ErrorCode::SessionUnknown, refused.to_string()),
        ForkError::NoStart(_) => Failure::new(ErrorCode::UnsupportedAgent, refused.to_string()),
        ForkError::Unsupported(kind, error) => unsupported(&kind, error),
        ForkError::Hub(error) => error::of_hub(&error),
    })?;
    let kind = launch.kind.clone();
    if let Some(name) = &name {
        require_free(&snapshot, name, None)?;
    }
    let pane = make_pane(&context, &snapshot, Some(from), None, None, focus).await?;
    type_start(&context, pane, name.as_deref().unwrap_or_default(), launch).await?;
    context.hub.agent_forked(from, pane, kind.clone()).await.map_err(|error| error::of_hub(&error))?;
    let after = context.snapshot();
    let tab = after.scene.pane(pane).and_then(|made| target::tab_with_id(&after.scene, made.tab));
    Ok(json!({
        "type": "agent_fork",
        "from": from.to_string(),
        "pane": pane.to_string(),
        "agent": kind,
        "name": name,
        "workspace": tab.map(|tab| tab.workspace.index.to_string()),
        "tab": tab.map(|tab| tab.place().to_string()),
        "focused": target::focused_pane(&after.scene) == Some(pane),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_hold_no_line_ends() {
        assert!(arguments(json!(["a", "b c"])).is_ok());
        for bad in [json!(["a\nb"]), json!(["\0"]), json!([1]), json!("a"), json!(vec!["x"; 65])] {
            assert!(arguments(bad.clone()).is_err(), "{bad}");
        }
    }
}
