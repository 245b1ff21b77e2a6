//! Windows, tabs and the places of panes (`runtime.md` sections 7.1 to 7.3).

use super::projection::pane_share;
use super::{Context, bad, fields, target};
use crate::protocol::command::{Command, Launch};
use crate::protocol::geometry::Axis;
use crate::protocol::params::{Params, absolute_path, boolean, number, text, word};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::server::folder;
use crate::server::hub::Snapshot;
use serde_json::{Value, json};

/// The longest name of a tab, in bytes.
const NAME_BYTES: usize = 256;

/// `window.create`
pub async fn window_create(mut params: Params, context: &Context) -> Result<Value, Failure> {
    target::read_window(&mut params)?;
    let cwd = params.nullable("cwd", absolute_path)?;
    params.finish()?;
    let path = match cwd {
        Some(path) => path,
        None => present_folder(context),
    };
    require_folder(&path).await?;
    let command = Command::OpenWorkspace { path, focus: true, reuse: false, launch: Launch::default() };
    made(context, "window.create", command).await
}

/// Where the focused pane is, else home.
fn present_folder(context: &Context) -> String {
    let view = context.hub.snapshot();
    let pane = view.scene.workspace().and_then(|window| target::focused_pane(&view.scene, window.id));
    let entry = pane.and_then(|pane| view.directory.panes.get(&pane)).filter(|entry| entry.started);
    entry.map_or_else(|| context.home.clone(), |entry| entry.handle.cwd().to_string_lossy().into_owned())
}

/// Makes something new; the action is that of its pane.
async fn made(context: &Context, kind: &str, command: Command) -> Result<Value, Failure> {
    let (outcome, Snapshot { scene, .. }) = context.command_seen(command).await?;
    let pane = outcome.pane.and_then(|pane| scene.pane(pane));
    let pane = pane.ok_or_else(|| failed("the new pane has ended already", "ended"))?;
    let action = fields(pane.workspace.0, target::tab_index(&scene, pane.id), Some(pane.id.0));
    Ok(context.action(kind, action))
}

fn failed(message: &str, reason: &str) -> Failure {
    Failure::new(ErrorCode::ActionFailed, message).with(json!({"reason": reason}))
}

async fn require_folder(path: &str) -> Result<(), Failure> {
    if folder::exists(path).await { Ok(()) } else { Err(failed("no such folder", "no_such_folder")) }
}

/// `window.focus`
pub async fn window_focus(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::read_pane(&mut params)?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let command = match (window, pane) {
        (window, Some(pane)) => Some(Command::FocusPane { pane: target::pane(&scene, window, pane)?.id }),
        (Some(_), None) => {
            Some(Command::FocusWorkspace { workspace: target::window_or_focused(&scene, window)?.id })
        }
        (None, None) => None,
    };
    if let Some(command) = command {
        context.command(command).await?;
    }
    let scene = context.hub.snapshot().scene;
    let focused = target::window_or_focused(&scene, None)?;
    let pane = target::focused_pane(&scene, focused.id);
    let tab = pane.and_then(|pane| target::tab_index(&scene, pane));
    Ok(context.action("window.focus", fields(focused.id.0, tab, pane.map(|pane| pane.0))))
}

/// `tab.new`
pub async fn tab_new(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let named = target::read_window(&mut params)?;
    let cwd = params.nullable("cwd", absolute_path)?;
    params.finish()?;
    let workspace = target::window_or_focused(&context.hub.snapshot().scene, named)?.id;
    if let Some(cwd) = &cwd {
        require_folder(cwd).await?;
    }
    let launch = Launch { cwd, ..Launch::default() };
    let command = Command::NewTab { workspace: Some(workspace), launch, focus: true };
    made(context, "tab.new", command).await
}

/// `tab.rename`
pub async fn tab_rename(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let named = target::read_window(&mut params)?;
    let index = target::require_index(&mut params, "tab_index")?;
    let name = params.required("name", text(0..=NAME_BYTES))?;
    params.finish()?;
    if name.chars().any(|character| character.is_ascii_control()) {
        return Err(bad("name", "has control characters"));
    }
    let scene = context.hub.snapshot().scene;
    let window = target::window_or_only(&scene, named)?;
    let tab = target::tab(window, index)?.id;
    context.command(Command::RenameTab { tab, name: name.clone() }).await?;
    let mut action = fields(window.id.0, Some(index), None);
    action["name"] = json!(name);
    Ok(context.action("tab.rename", action))
}

/// `tab.move`
pub async fn tab_move(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let named = target::read_window(&mut params)?;
    let index = target::require_index(&mut params, "tab_index")?;
    let to = target::require_index(&mut params, "to_index")?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let window = target::window_or_only(&scene, named)?;
    let tab = target::tab(window, index)?.id;
    target::tab(window, to)?;
    if to != index {
        context.command(Command::MoveTab { tab, to }).await?;
    }
    Ok(context.action("tab.move", fields(window.id.0, Some(to), None)))
}

/// `pane.split`
pub async fn pane_split(mut params: Params, context: &Context) -> Result<Value, Failure> {
    const DIRECTIONS: &[(&str, Axis)] = &[("left_right", Axis::Horizontal), ("top_bottom", Axis::Vertical)];
    let window = target::read_window(&mut params)?;
    let pane = target::read_pane(&mut params)?;
    let axis = params.required("direction", word(DIRECTIONS))?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let pane = match pane {
        Some(pane) => target::pane(&scene, window, pane)?.id,
        None => target::focused_pane(&scene, target::window_or_focused(&scene, window)?.id)
            .ok_or_else(|| Failure::new(ErrorCode::TargetNotFound, "no such pane"))?,
    };
    let command =
        Command::SplitPane { pane: Some(pane), axis: Some(axis), launch: Launch::default(), focus: true };
    made(context, "pane.split", command).await
}

/// `pane.zoom`: sets, never toggles.
pub async fn pane_zoom(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let zoomed = params.required("zoomed", boolean)?;
    params.finish()?;
    let view = context.hub.snapshot();
    let pane = target::pane(&view.scene, window, pane)?;
    let shown_alone = view.layouts.get(&pane.tab).and_then(|layout| layout.zoomed);
    if zoomed != (shown_alone == Some(pane.id)) {
        context.command(Command::ZoomPane { pane: Some(pane.id), zoomed: Some(zoomed) }).await?;
    }
    let mut action = fields(pane.workspace.0, target::tab_index(&view.scene, pane.id), Some(pane.id.0));
    action["zoomed"] = json!(zoomed);
    Ok(context.action("pane.zoom", action))
}

/// `pane.resize`
pub async fn pane_resize(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let share = params.required("ratio", number(0.05..=0.95))?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let pane = target::pane(&scene, window, pane)?;
    let command = Command::SetPaneRatio { pane: pane.id, ratio: single(share) };
    let (_, after) = context.command_seen(command).await?;
    let present = after.layouts.get(&pane.tab).and_then(|layout| pane_share(&layout.tree, pane.id));
    let mut action = fields(pane.workspace.0, target::tab_index(&scene, pane.id), Some(pane.id.0));
    action["ratio"] = json!(present.unwrap_or(share));
    Ok(context.action("pane.resize", action))
}

/// A share between 0 and 1 in single precision, as the layout keeps it.
#[expect(clippy::cast_possible_truncation, reason = "a share loses nothing that a cell could show")]
fn single(share: f64) -> f32 {
    share as f32
}
