//! Reading what may be anything.

use super::*;
use serde_json::json;

fn pane(id: u32) -> Value {
    json!({"pane": id, "cwd": "/"})
}

fn workspace(id: u32, tabs: &Value) -> Value {
    json!({"id": id, "root": "/p", "active": 1, "tabs": tabs})
}

fn read(value: &Value) -> (Session, Vec<String>) {
    let mut lost = Vec::new();
    (Session::read(value, &mut lost), lost)
}

/// The panes of each tab of the first workspace, and what was lost.
fn panes(tabs: &Value) -> (Vec<Vec<u32>>, usize) {
    let (session, lost) = read(&json!({"workspaces": [workspace(1, tabs)]}));
    let tabs = session.workspaces.first().map(|workspace| &workspace.tabs);
    let panes = |tab: &Tab| tab.panes().map(|pane| pane.pane.0).collect();
    (tabs.into_iter().flatten().map(panes).collect(), lost.len())
}

fn split() -> Value {
    json!({"split": "vertical", "ratio": 0.25})
}

#[test]
fn a_bad_pane_is_dropped_and_its_sibling_takes_its_place() {
    let tab = |layout: &Value| json!([{"id": 1, "focused": 2, "zoomed": true, "layout": layout}]);
    assert_eq!(panes(&tab(&json!([split(), pane(1), pane(2)]))), (vec![vec![1, 2]], 0));
    for bad in [json!({"pane": 0, "cwd": "/"}), json!({"pane": 7}), json!(null), json!([]), pane(2)] {
        let (kept, lost) = panes(&tab(&json!([split(), pane(2), split(), bad, pane(3)])));
        assert_eq!((kept, lost), (vec![vec![2, 3]], 1), "{bad}");
    }
    for cut in [json!([]), json!([split()]), json!([null]), json!("x"), json!([split(), null, null])] {
        let (kept, lost) = panes(&tab(&cut));
        assert!(kept.is_empty() && lost > 0, "{cut}");
    }
    let (kept, lost) = panes(&tab(&json!([pane(1), split(), pane(2)])));
    assert!(lost > 0 && kept.iter().all(|tab| !tab.is_empty()));
}

#[test]
fn every_reference_leads_somewhere() {
    let tabs = json!([{"id": 4, "focused": 9, "zoomed": true, "layout": [pane(5)]}]);
    let (session, lost) = read(&json!({
        "active": 8, "last": {"workspace": 1, "tab": 2, "pane": 30}, "workspaces": [workspace(3, &tabs)],
    }));
    assert_eq!(lost, Vec::<String>::new());
    let workspace = &session.workspaces[0];
    assert_eq!((session.active, workspace.active), (Some(WorkspaceId(3)), TabId(4)));
    assert_eq!((workspace.tabs[0].focused, workspace.tabs[0].zoomed), (PaneId(5), false));
    assert_eq!(session.last, Last { workspace: 3, tab: 4, pane: 30 });
}

#[test]
fn nothing_stands_there_twice_and_sizes_are_bounded() {
    let tab = |id: u32, panes: &[u32]| {
        let mut layout: Vec<Value> = panes[1..].iter().flat_map(|id| [split(), pane(*id)]).collect();
        layout.push(pane(panes[0]));
        json!({"id": id, "focused": 1, "layout": layout})
    };
    let twice = json!({"workspaces": [
        workspace(1, &json!([tab(1, &[1]), tab(1, &[2]), tab(2, &[1])])), workspace(1, &json!([tab(3, &[3])])),
    ]});
    let (session, lost) = read(&twice);
    assert_eq!((session.panes().count(), lost.len()), (1, 4), "{lost:?}");
    let ids: Vec<u32> = (1..600).collect();
    assert_eq!(read(&json!({"workspaces": [workspace(1, &json!([tab(1, &ids)]))]})).0.workspaces.len(), 0);
    let tabs: Vec<Value> = (1..1_100).map(|id| tab(id, &[id])).collect();
    assert_eq!(read(&json!({"workspaces": [workspace(1, &json!(tabs))]})).0.panes().count(), TERMINALS);
}

#[test]
fn anything_can_be_read() {
    for value in [json!(null), json!([]), json!({}), json!({"workspaces": 1}), json!({"workspaces": [1, {}]})]
    {
        let (session, lost) = read(&value);
        assert!(session.workspaces.is_empty() && !lost.is_empty(), "{value}");
    }
}
