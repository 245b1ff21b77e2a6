//! `tab.*` (`uhp.md` section 17): places from 1, in the named workspace or else the focused one.

use super::super::Context;
use super::{read_launch, require_folder, rows};
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::ids::TabId;
use crate::protocol::params::{ParamError, Params, boolean, text, word};
use crate::protocol::scene::Scene;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::hub::Snapshot;
use crate::server::uhp::target::{self, Tab, TabRef};
use serde_json::{Value, json};

/// The longest name, in characters after trimming.
const NAME_CHARS: usize = 40;
/// Bytes that a name may have before it is trimmed.
const NAME_BYTES: usize = 1_024;

/// `tab.list`
pub async fn list(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let workspace = target::workspace(&snapshot.scene, within)?;
    let rows: Vec<Value> = target::tabs(workspace).map(|tab| rows::tab_row(&tab)).collect();
    Ok(json!({
        "type": "tab_list",
        "revision": snapshot.sequence,
        "workspace": workspace.index.to_string(),
        "workspace_id": workspace.scene.id.to_string(),
        "tabs": rows,
    }))
}

/// `tab.get`
pub async fn get(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let named = target::require_tab(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let mut row = rows::tab_row(&target::tab(&snapshot.scene, within, Some(named))?);
    row["type"] = json!("tab");
    row["revision"] = json!(snapshot.sequence);
    Ok(row)
}

/// `tab.new`
pub async fn new(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let launch = read_launch(&mut params)?;
    let focus = params.optional("focus", boolean)?.unwrap_or(true);
    params.finish()?;
    let scene = context.snapshot().scene;
    let workspace = match within {
        Some(named) => Some(target::workspace(&scene, Some(named))?.scene.id),
        None => None,
    };
    require_folder(launch.cwd.as_deref()).await?;
    let command = match workspace {
        // A session without workspaces gets one.
        None if scene.workspaces.is_empty() => Command::OpenWorkspace {
            path: launch.cwd.clone().unwrap_or_else(|| context.session.home.clone()),
            focus,
            reuse: false,
            launch,
        },
        workspace => Command::NewTab { workspace, launch, focus },
    };
    let (outcome, Snapshot { scene, .. }) = context.command_seen(command).await?;
    let pane = outcome.pane.ok_or_else(|| Failure::new(ErrorCode::Internal, "no pane came of it"))?;
    let tab = target::pane(&scene, Some(pane)).ok().and_then(|pane| target::tab_with_id(&scene, pane.tab));
    Ok(json!({
        "type": "ok",
        "workspace": tab.map(|tab| tab.workspace.index.to_string()),
        "workspace_id": outcome.workspace.map(|id| id.to_string()),
        "tab": tab.map(|tab| tab.place().to_string()),
        "tab_id": outcome.tab.map(|id| id.to_string()),
        "pane": pane.to_string(),
    }))
}

/// `tab.focus`
pub async fn focus(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let named = target::require_tab(&mut params)?;
    params.finish()?;
    let tab = target::tab(&context.snapshot().scene, within, Some(named))?.scene.id;
    context.command(Command::FocusTab { tab }).await?;
    Ok(json!({"type": "ok"}))
}

/// Where a tab is to go.
#[derive(Clone, Copy)]
enum Destination {
    /// To this one-based place.
    Place(usize),
    /// One to the left.
    Left,
    /// One to the right.
    Right,
}

impl Destination {
    fn read(params: &mut Params) -> Result<Self, Failure> {
        let place = params.nullable("to", target::place)?.map(Self::Place);
        let step = params.nullable("direction", word(&[("left", Self::Left), ("right", Self::Right)]))?;
        match (place, step) {
            (Some(destination), None) | (None, Some(destination)) => Ok(destination),
            _ => Err(ParamError::new("to", "give either `to` or `direction`").into()),
        }
    }

    /// The zero-based index; at an edge a step leads nowhere.
    fn index(self, tab: &Tab<'_>) -> usize {
        let last = tab.workspace.scene.tabs.len().saturating_sub(1);
        match self {
            Self::Place(place) => place.saturating_sub(1),
            Self::Left => tab.index.saturating_sub(1),
            Self::Right => (tab.index + 1).min(last),
        }
    }
}

/// `tab.move`
pub async fn move_to(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let named = target::read_tab(&mut params)?;
    let destination = Destination::read(&mut params)?;
    params.finish()?;
    if named.is_none() && matches!(destination, Destination::Place(_)) {
        return Err(ParamError::new("tab", "is required with `to`").into());
    }
    let before = context.snapshot().scene;
    let tab = target::tab(&before, within, named)?;
    let to = destination.index(&tab);
    let (_, after) = context.command_seen(Command::MoveTab { tab: tab.scene.id, to }).await?;
    let active = active_place(&after.scene, tab.scene.id);
    Ok(json!({"type": "tab_move", "from": tab.place(), "to": to + 1, "active": active}))
}

/// The place of the tab that is shown in that tab's workspace.
fn active_place(scene: &Scene, tab: TabId) -> Option<usize> {
    let workspace = target::tab_with_id(scene, tab)?.workspace;
    target::tabs(workspace).find(|tab| tab.scene.active).map(|tab| tab.place())
}

/// `tab.swap`
pub async fn swap(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let named = target::require_tab(&mut params)?;
    let with = params.required("with", target::place)?;
    params.finish()?;
    let before = context.snapshot().scene;
    let tab = target::tab(&before, within, Some(named))?;
    let other = target::tabs(tab.workspace)
        .find(|other| other.place() == with)
        .ok_or_else(|| Failure::new(ErrorCode::NotFound, "no such tab"))?;
    let command = Command::SwapTabs { tab: tab.scene.id, with: other.scene.id };
    let (_, after) = context.command_seen(command).await?;
    let active = active_place(&after.scene, tab.scene.id);
    Ok(json!({
        "type": "tab_swap",
        "tab": tab.place().to_string(),
        "with": other.place().to_string(),
        "active": active,
    }))
}

/// `tab.rename`
pub async fn rename(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let named = target::read_tab(&mut params)?;
    let name = params.required("name", text(0..=NAME_BYTES))?;
    params.finish()?;
    let name = name.trim().to_owned();
    if name.chars().count() > NAME_CHARS {
        return Err(ParamError::new("name", "expected at most 40 characters").into());
    }
    let tab = target::tab(&context.snapshot().scene, within, named)?.scene.id;
    context.command(Command::RenameTab { tab, name }).await?;
    Ok(json!({"type": "ok"}))
}

/// `tab.close`
pub async fn close(mut params: Params, context: Context) -> Result<Value, Failure> {
    let within = target::read_workspace(&mut params)?;
    let named: Option<TabRef> = target::read_tab(&mut params)?;
    params.finish()?;
    let tab = target::tab(&context.snapshot().scene, within, named)?.scene.id;
    context.command(Command::CloseTab { tab: Some(tab), policy: ClosePolicy::Force }).await?;
    Ok(json!({"type": "ok"}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::params::object;
    use crate::server::uhp::methods::samples::scene;

    #[test]
    fn a_destination_is_a_place_or_a_step() {
        let read = |fields: Value| Destination::read(&mut object(fields).unwrap());
        let scene = scene();
        let tab = |place| target::tab(&scene, None, Some(TabRef::Place(place))).unwrap();
        let index = |fields, place| read(fields).unwrap().index(&tab(place));
        assert_eq!(index(json!({"to": 2}), 1), 1);
        assert_eq!(index(json!({"direction": "right"}), 1), 1);
        assert_eq!(index(json!({"direction": "right"}), 2), 1);
        assert_eq!(index(json!({"direction": "left"}), 1), 0);
        for bad in
            [json!({}), json!({"to": 0}), json!({"to": 1, "direction": "left"}), json!({"direction": "up"})]
        {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_active_place_is_that_of_the_same_workspace() {
        let scene = scene();
        assert_eq!(active_place(&scene, TabId(2)), Some(1));
        assert_eq!(active_place(&scene, TabId(9)), None);
    }
}
