//! `workspace.*` (`uhp.md` section 17): indices from 0.

use super::super::Context;
use super::{nothing, read_launch, require_folder, rows};
use crate::protocol::command::{ClosePolicy, Command, Launch};
use crate::protocol::ids::WorkspaceId;
use crate::protocol::limits;
use crate::protocol::params::{Params, absolute_path, boolean, text};
use crate::protocol::scene::Scene;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::hub::Snapshot;
use crate::server::model::Outcome;
use crate::server::uhp::target::{self, Workspace, WorkspaceRef};
use serde_json::{Value, json};

/// Bytes that a name may have before it is trimmed and counted in characters.
const NAME_BYTES: usize = 1_024;

/// `workspace.list`
pub async fn list(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let snapshot = context.snapshot();
    let scene = &snapshot.scene;
    let rows: Vec<Value> =
        target::workspaces(scene).map(|workspace| rows::workspace_row(scene, &workspace)).collect();
    Ok(json!({"type": "workspace_list", "revision": snapshot.sequence, "workspaces": rows}))
}

/// `workspace.get`
pub async fn get(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_workspace(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let workspace = target::workspace(&snapshot.scene, Some(named))?;
    let facts = snapshot.directory.facts.get(&workspace.scene.id).map(AsRef::as_ref);
    let mut detail = rows::workspace_detail(&snapshot.scene, &workspace, facts);
    detail["revision"] = json!(snapshot.sequence);
    Ok(detail)
}

/// `workspace.new`: another one, at `cwd`, else where the focused pane is, else at home.
pub async fn new(mut params: Params, context: Context) -> Result<Value, Failure> {
    let launch = read_launch(&mut params)?;
    params.finish()?;
    let path = match launch.cwd.clone() {
        Some(path) => path,
        None => present_folder(&context),
    };
    let launch = Launch { cwd: None, ..launch };
    open_at(&context, Command::OpenWorkspace { path, focus: true, reuse: false, launch }).await
}

fn present_folder(context: &Context) -> String {
    let snapshot = context.snapshot();
    let pane = target::focused_pane(&snapshot.scene);
    let live = pane.and_then(|pane| rows::live(&snapshot, pane));
    live.map_or_else(|| context.session.home.clone(), |live| live.cwd)
}

/// `workspace.open`: shows the one that is there already.
pub async fn open(mut params: Params, context: Context) -> Result<Value, Failure> {
    let path = params.required("path", absolute_path)?;
    let focus = params.optional("focus", boolean)?.unwrap_or(true);
    params.finish()?;
    let launch = Launch::default();
    open_at(&context, Command::OpenWorkspace { path, focus, reuse: true, launch }).await
}

async fn open_at(context: &Context, command: Command) -> Result<Value, Failure> {
    if let Command::OpenWorkspace { path, .. } = &command {
        require_folder(Some(path)).await?;
    }
    let (outcome, Snapshot { scene, .. }) = context.command_seen(command).await?;
    let workspace = present(&scene, &outcome)?;
    Ok(json!({
        "type": "ok",
        "workspace": workspace.index.to_string(),
        "workspace_id": workspace.scene.id.to_string(),
        "pane": rows::shown_pane(&scene, &workspace).map(|pane| pane.id.to_string()),
    }))
}

/// The workspace of an outcome, unless somebody closed it meanwhile.
fn present<'a>(scene: &'a Scene, outcome: &Outcome) -> Result<Workspace<'a>, Failure> {
    let id = outcome.workspace.ok_or_else(|| Failure::new(ErrorCode::Internal, "no workspace came of it"))?;
    target::workspace(scene, Some(WorkspaceRef::Id(id)))
}

/// Reads the rest, then looks the named workspace up.
fn resolve(context: &Context, params: Params, named: Option<WorkspaceRef>) -> Result<WorkspaceId, Failure> {
    params.finish()?;
    Ok(target::workspace(&context.snapshot().scene, named)?.scene.id)
}

/// `workspace.focus`
pub async fn focus(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_workspace(&mut params)?;
    let workspace = resolve(&context, params, Some(named))?;
    context.command(Command::FocusWorkspace { workspace }).await?;
    Ok(json!({"type": "ok"}))
}

/// `workspace.rename`
pub async fn rename(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_workspace(&mut params)?;
    let name = params.required("name", text(1..=NAME_BYTES))?;
    let workspace = resolve(&context, params, Some(named))?;
    let (_, after) = context.command_seen(Command::RenameWorkspace { workspace, name }).await?;
    changed(&after.scene, workspace, "workspace_rename")
}

/// `workspace.pin`
pub async fn pin(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_workspace(&mut params)?;
    let pinned = params.required("pinned", boolean)?;
    let workspace = resolve(&context, params, Some(named))?;
    let (_, after) = context.command_seen(Command::PinWorkspace { workspace, pinned }).await?;
    changed(&after.scene, workspace, "workspace_pin")
}

/// `workspace.move`
pub async fn move_to(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_workspace(&mut params)?;
    let to = params.required("to", target::index)?;
    let workspace = resolve(&context, params, Some(named))?;
    let (_, after) = context.command_seen(Command::MoveWorkspace { workspace, to }).await?;
    changed(&after.scene, workspace, "workspace_move")
}

/// Workspaces that move together at a time: as many as a server may have panes.
const BLOCK: usize = limits::TERMINALS;

/// `workspace.move_block`
pub async fn move_block(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = params.required("workspaces", block)?;
    let to = params.required("to", target::index)?;
    params.finish()?;
    let scene = context.snapshot().scene;
    let workspaces = named
        .iter()
        .map(|index| Ok(target::workspace(&scene, Some(WorkspaceRef::Index(*index)))?.scene.id))
        .collect::<Result<Vec<WorkspaceId>, Failure>>()?;
    let command = Command::MoveWorkspaces { workspaces: workspaces.clone(), to };
    let (_, Snapshot { scene: after, .. }) = context.command_seen(command).await?;
    let now = |id: &WorkspaceId| after.workspaces.iter().position(|workspace| workspace.id == *id);
    let positions: Vec<usize> = workspaces.iter().filter_map(now).collect();
    Ok(json!({"type": "workspace_move_block", "workspaces": named, "positions": positions}))
}

/// Different indices, at least one.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn block(value: Value) -> Result<Vec<usize>, String> {
    let index = |index: &Value| index.as_u64().and_then(|index| usize::try_from(index).ok());
    let list = value.as_array().filter(|list| (1..=BLOCK).contains(&list.len()));
    let block: Option<Vec<usize>> = list.and_then(|list| list.iter().map(index).collect());
    let unique = |block: &Vec<usize>| (1..block.len()).all(|at| !block[..at].contains(&block[at]));
    block.filter(unique).ok_or_else(|| "expected a list of different indices".to_owned())
}

fn changed(scene: &Scene, id: WorkspaceId, kind: &str) -> Result<Value, Failure> {
    let workspace = target::workspace(scene, Some(WorkspaceRef::Id(id)))?;
    Ok(json!({
        "type": kind,
        "workspace": workspace.index.to_string(),
        "workspace_id": id.to_string(),
        "name": workspace.scene.name,
        "cwd": workspace.scene.root,
        "pinned": workspace.scene.pinned,
        "display_position": rows::display_position(scene, &workspace),
    }))
}

/// `workspace.close`
pub async fn close(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_workspace(&mut params)?;
    let workspace = resolve(&context, params, named)?;
    let command = Command::CloseWorkspace { workspace: Some(workspace), policy: ClosePolicy::Force };
    context.command(command).await?;
    Ok(json!({"type": "ok"}))
}
