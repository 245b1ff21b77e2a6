//! Which window, tab or pane is meant (`runtime.md` section 1): never guessed where something could
//! be destroyed.

use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::protocol::params::{ParamError, Params, integer};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::scene::{PaneScene, Scene, TabScene, WorkspaceScene};
use serde_json::json;

/// `window_id`; `None` when it is absent or null.
pub fn read_window(params: &mut Params) -> Result<Option<u64>, ParamError> {
    params.nullable("window_id", integer(0..=u64::MAX))
}

/// `pane_id`, which must be there.
pub fn require_pane(params: &mut Params) -> Result<u64, ParamError> {
    params.required("pane_id", integer(0..=u64::MAX))
}

/// `pane_id`; `None` when it is absent or null.
pub fn read_pane(params: &mut Params) -> Result<Option<u64>, ParamError> {
    params.nullable("pane_id", integer(0..=u64::MAX))
}

/// An index.
pub fn require_index(params: &mut Params, field: &str) -> Result<usize, ParamError> {
    let index = params.required(field, integer(0..=u64::MAX))?;
    // Beyond any list either way.
    Ok(usize::try_from(index).unwrap_or(usize::MAX))
}

fn not_found(what: &str) -> Failure {
    Failure::new(ErrorCode::TargetNotFound, format!("no such {what}"))
}

fn with_id(scene: &Scene, id: u64) -> Result<&WorkspaceScene, Failure> {
    let found = scene.workspaces.iter().find(|workspace| u64::from(workspace.id.0) == id);
    found.ok_or_else(|| not_found("window"))
}

/// The named window, else the focused one.
pub fn window_or_focused(scene: &Scene, named: Option<u64>) -> Result<&WorkspaceScene, Failure> {
    match named {
        Some(id) => with_id(scene, id),
        None => scene.workspace().ok_or_else(|| not_found("window")),
    }
}

/// The named window, else the only one there is.
pub fn window_or_only(scene: &Scene, named: Option<u64>) -> Result<&WorkspaceScene, Failure> {
    match (named, scene.workspaces.as_slice()) {
        (Some(id), _) => with_id(scene, id),
        (None, [only]) => Ok(only),
        (None, []) => Err(not_found("window")),
        (None, several) => {
            let ids: Vec<u32> = several.iter().map(|workspace| workspace.id.0).collect();
            let failure = Failure::new(ErrorCode::AmbiguousTarget, "there are several windows: name one");
            Err(failure.with(json!({"window_ids": ids})))
        }
    }
}

/// The tab at that index.
pub fn tab(window: &WorkspaceScene, index: usize) -> Result<&TabScene, Failure> {
    window.tabs.get(index).ok_or_else(|| not_found("tab"))
}

/// The pane, if it lives in the named window.
pub fn pane(scene: &Scene, window: Option<u64>, pane: u64) -> Result<&PaneScene, Failure> {
    let found = scene.panes.iter().find(|found| u64::from(found.id.0) == pane);
    let here = |found: &&PaneScene| window.is_none_or(|window| window == u64::from(found.workspace.0));
    found.filter(here).ok_or_else(|| not_found("pane"))
}

/// The zero-based index of a pane's tab.
pub fn tab_index(scene: &Scene, pane: PaneId) -> Option<usize> {
    let pane = scene.pane(pane)?;
    let window = scene.workspaces.iter().find(|workspace| workspace.id == pane.workspace)?;
    window.tabs.iter().position(|tab| tab.id == pane.tab)
}

/// The focused pane of a workspace's shown tab.
pub fn focused_pane(scene: &Scene, window: WorkspaceId) -> Option<PaneId> {
    let window = scene.workspaces.iter().find(|workspace| workspace.id == window)?;
    window.tabs.iter().find(|tab| tab.active).map(|tab| tab.focused)
}
