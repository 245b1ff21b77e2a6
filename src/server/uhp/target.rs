//! Which workspace, tab or pane a request of part 2 means (`uhp.md` section 14): read first, looked up
//! when all params are known to be good.

use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::params::{ParamError, Params};
use crate::protocol::scene::{PaneScene, Scene, TabScene, WorkspaceScene};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use serde_json::Value;
use std::collections::HashMap;
use std::str::FromStr;

/// How a workspace is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceRef {
    /// By its zero-based index.
    Index(usize),
    /// By its id.
    Id(WorkspaceId),
}

/// How a tab is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TabRef {
    /// By its one-based place in its workspace.
    Place(usize),
    /// By its id.
    Id(TabId),
}

/// A workspace with its index.
#[derive(Debug, Clone, Copy)]
pub struct Workspace<'a> {
    /// Zero-based.
    pub index: usize,
    /// The workspace.
    pub scene: &'a WorkspaceScene,
}

/// A tab with its workspace and its place.
#[derive(Debug, Clone, Copy)]
pub struct Tab<'a> {
    /// Where it is.
    pub workspace: Workspace<'a>,
    /// Zero-based.
    pub index: usize,
    /// The tab.
    pub scene: &'a TabScene,
}

impl Tab<'_> {
    /// Its one-based place.
    pub fn place(&self) -> usize {
        self.index + 1
    }
}

/// A 32-bit number, or its decimal text.
fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(digits) => {
            let canonical = digits == "0" || !digits.starts_with('0');
            let plain = canonical && digits.bytes().all(|byte| byte.is_ascii_digit());
            if plain { digits.parse().ok() } else { None }
        }
        _ => None,
    }
}

/// A pane param; `None` when it is absent or null.
pub fn read_pane(params: &mut Params, field: &str) -> Result<Option<PaneId>, Failure> {
    let read = |value: Value| number(&value).ok_or_else(|| "expected a pane id, as in 7 or \"7\"".to_owned());
    match params.nullable(field, read) {
        Ok(pane) => Ok(pane.map(PaneId)),
        Err(error) => Err(Failure::new(ErrorCode::InvalidRequest, error.to_string())),
    }
}

/// A pane param that must be there.
pub fn require_pane(params: &mut Params, field: &str) -> Result<PaneId, Failure> {
    read_pane(params, field)?.ok_or_else(|| ParamError::new(field, "is required").into())
}

fn id<T: FromStr>(value: &Value) -> Result<T, String> {
    value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| "expected an id, as listed".to_owned())
}

/// An index, or its decimal text.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
pub fn index(value: Value) -> Result<usize, String> {
    number(&value)
        .and_then(|index| usize::try_from(index).ok())
        .ok_or_else(|| "expected an index of at least 0".to_owned())
}

/// A one-based place, or its decimal text.
pub fn place(value: Value) -> Result<usize, String> {
    index(value).ok().filter(|place| *place > 0).ok_or_else(|| "expected a position of at least 1".to_owned())
}

/// `workspace` or `workspace_id`.
pub fn read_workspace(params: &mut Params) -> Result<Option<WorkspaceRef>, Failure> {
    let by_index = params.nullable("workspace", index)?.map(WorkspaceRef::Index);
    let by_id = params.nullable("workspace_id", |value| id(&value))?.map(WorkspaceRef::Id);
    only_one(by_index, by_id, "workspace")
}

/// `workspace` or `workspace_id`, one of which must be there.
pub fn require_workspace(params: &mut Params) -> Result<WorkspaceRef, Failure> {
    read_workspace(params)?.ok_or_else(|| ParamError::new("workspace", "is required").into())
}

/// `tab` or `tab_id`.
pub fn read_tab(params: &mut Params) -> Result<Option<TabRef>, Failure> {
    let by_place = params.nullable("tab", place)?.map(TabRef::Place);
    let by_id = params.nullable("tab_id", |value| id(&value))?.map(TabRef::Id);
    only_one(by_place, by_id, "tab")
}

/// `tab` or `tab_id`, one of which must be there.
pub fn require_tab(params: &mut Params) -> Result<TabRef, Failure> {
    read_tab(params)?.ok_or_else(|| ParamError::new("tab", "is required").into())
}

fn only_one<T>(one: Option<T>, other: Option<T>, field: &str) -> Result<Option<T>, Failure> {
    if one.is_some() && other.is_some() {
        return Err(ParamError::new(field, "stands beside an id; give one of them").into());
    }
    Ok(one.or(other))
}

fn not_found(what: &str) -> Failure {
    Failure::new(ErrorCode::NotFound, format!("no such {what}"))
}

fn no_session() -> Failure {
    Failure::new(ErrorCode::NoSession, "the session has no panes")
}

/// The named pane, else the focused one.
pub fn pane(scene: &Scene, named: Option<PaneId>) -> Result<&PaneScene, Failure> {
    match named {
        Some(pane) => scene.pane(pane).ok_or_else(|| not_found("pane")),
        None => focused_pane(scene).and_then(|pane| scene.pane(pane)).ok_or_else(no_session),
    }
}

/// The session's one focused pane.
pub fn focused_pane(scene: &Scene) -> Option<PaneId> {
    Some(scene.tab()?.focused)
}

/// All workspaces with their indices.
pub fn workspaces(scene: &Scene) -> impl Iterator<Item = Workspace<'_>> {
    scene.workspaces.iter().enumerate().map(|(index, scene)| Workspace { index, scene })
}

/// The named workspace, else the focused one.
pub fn workspace(scene: &Scene, named: Option<WorkspaceRef>) -> Result<Workspace<'_>, Failure> {
    let found = workspaces(scene).find(|workspace| match named {
        Some(WorkspaceRef::Index(index)) => workspace.index == index,
        Some(WorkspaceRef::Id(id)) => workspace.scene.id == id,
        None => workspace.scene.active,
    });
    found.ok_or_else(|| if named.is_some() { not_found("workspace") } else { no_session() })
}

/// All tabs of a workspace with their places.
pub fn tabs(workspace: Workspace<'_>) -> impl Iterator<Item = Tab<'_>> {
    workspace.scene.tabs.iter().enumerate().map(move |(index, scene)| Tab { workspace, index, scene })
}

/// The named tab, else the shown one, of the named workspace, else of the focused one.
pub fn tab(scene: &Scene, within: Option<WorkspaceRef>, named: Option<TabRef>) -> Result<Tab<'_>, Failure> {
    if let (None, Some(TabRef::Id(id))) = (within, named) {
        return tab_with_id(scene, id).ok_or_else(|| not_found("tab"));
    }
    let found = tabs(workspace(scene, within)?).find(|tab| match named {
        Some(TabRef::Place(place)) => tab.place() == place,
        Some(TabRef::Id(id)) => tab.scene.id == id,
        None => tab.scene.active,
    });
    found.ok_or_else(|| not_found("tab"))
}

/// The tab with that id, wherever it is.
pub fn tab_with_id(scene: &Scene, id: TabId) -> Option<Tab<'_>> {
    workspaces(scene).flat_map(tabs).find(|tab| tab.scene.id == id)
}

/// All tabs, for those who look up many.
pub fn tabs_by_id(scene: &Scene) -> HashMap<TabId, Tab<'_>> {
    workspaces(scene).flat_map(tabs).map(|tab| (tab.scene.id, tab)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::params::object;
    use crate::server::uhp::methods::samples::scene;
    use serde_json::json;

    fn code<T>(result: Result<T, Failure>) -> Option<ErrorCode> {
        result.err().map(|failure| failure.code)
    }

    #[test]
    fn a_pane_is_a_number_or_its_text_and_nothing_else() {
        let read = |value: Value| read_pane(&mut object(json!({"pane": value})).unwrap(), "pane");
        assert_eq!(read(json!(7)).unwrap(), Some(PaneId(7)));
        assert_eq!(read(json!("7")).unwrap(), Some(PaneId(7)));
        assert_eq!(read(json!(null)).unwrap(), None);
        for bad in [
            json!(-1),
            json!(1.5),
            json!("07"),
            json!("+7"),
            json!(""),
            json!("w1"),
            json!(4_294_967_296_u64),
            json!([]),
        ] {
            assert_eq!(code(read(bad.clone())), Some(ErrorCode::InvalidRequest), "{bad}");
        }
    }

    #[test]
    fn targets_are_found_by_place_and_by_id() {
        let scene = scene();
        assert_eq!(pane(&scene, None).unwrap().id, PaneId(2));
        assert_eq!(code(pane(&scene, Some(PaneId(99)))), Some(ErrorCode::NotFound));
        assert_eq!(workspace(&scene, Some(WorkspaceRef::Index(0))).unwrap().scene.id, WorkspaceId(1));
        assert_eq!(workspace(&scene, Some(WorkspaceRef::Id(WorkspaceId(4)))).unwrap().index, 1);
        assert_eq!(workspace(&scene, None).unwrap().index, 0);
        assert_eq!(tab(&scene, None, Some(TabRef::Place(2))).unwrap().scene.id, TabId(2));
        assert_eq!(tab(&scene, None, Some(TabRef::Id(TabId(3)))).unwrap().workspace.index, 1);
        assert_eq!(code(tab(&scene, None, Some(TabRef::Place(3)))), Some(ErrorCode::NotFound));
        let elsewhere = tab(&scene, Some(WorkspaceRef::Index(0)), Some(TabRef::Id(TabId(3))));
        assert_eq!(code(elsewhere), Some(ErrorCode::NotFound));
    }

    #[test]
    fn an_empty_session_is_told_from_an_unknown_target() {
        let mut empty = scene();
        empty.workspaces.clear();
        empty.panes.clear();
        assert_eq!(code(pane(&empty, None)), Some(ErrorCode::NoSession));
        assert_eq!(code(workspace(&empty, None)), Some(ErrorCode::NoSession));
        assert_eq!(code(workspace(&empty, Some(WorkspaceRef::Index(0)))), Some(ErrorCode::NotFound));
    }

    #[test]
    fn index_and_id_exclude_each_other() {
        let mut params = object(json!({"workspace": 0, "workspace_id": "w1"})).unwrap();
        assert_eq!(code(read_workspace(&mut params)), Some(ErrorCode::InvalidParams));
        let mut params = object(json!({"tab": 0})).unwrap();
        assert_eq!(code(read_tab(&mut params)), Some(ErrorCode::InvalidParams));
    }
}
