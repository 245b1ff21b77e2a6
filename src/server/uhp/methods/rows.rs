//! Shapes of workspaces, tabs, panes and terminals in results.
//!
//! Invariant: functions of the scene and of [`Live`] values only, so that one answer shows one instant.

use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::scene::{PaneScene, Scene};
use crate::server::agents::{AgentView, Views};
use crate::server::hub::{Facts, PaneEntry, Snapshot};
use crate::server::terminal::handle::{HistorySize, RootProcess, Work};
use crate::server::uhp::target::{self, Tab, Workspace};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;

/// What only a started terminal can tell.
#[derive(Debug, Clone)]
pub struct Live {
    /// Its id.
    pub terminal: TerminalId,
    /// Its child.
    pub root: RootProcess,
    /// Content revision.
    pub revision: u64,
    /// Live directory.
    pub cwd: String,
    /// Restart policy.
    pub restore: bool,
    /// Size in cells, rows first.
    pub size: (u16, u16),
    /// The rows that left the screen.
    pub history: HistorySize,
}

impl Live {
    /// What it tells now; `None` before its child has started.
    pub fn of(entry: &PaneEntry) -> Option<Self> {
        let root = entry.handle.root().filter(|_| entry.started)?;
        let size = entry.handle.size();
        Some(Self {
            terminal: entry.handle.terminal(),
            root,
            revision: entry.handle.revision(),
            cwd: entry.handle.cwd().to_string_lossy().into_owned(),
            restore: entry.restore,
            size: (size.rows, size.cols),
            history: entry.handle.history_size(),
        })
    }
}

/// What all terminals together have done.
pub fn work(snapshot: &Snapshot) -> Work {
    snapshot.directory.panes.values().fold(Work::default(), |all, entry| {
        let own = entry.handle.work();
        Work { pictures: all.pictures + own.pictures, looks: all.looks + own.looks }
    })
}

/// What the terminal of a pane tells, if it has started.
pub fn live(snapshot: &Snapshot, pane: PaneId) -> Option<Live> {
    snapshot.directory.panes.get(&pane).and_then(Live::of)
}

/// The same with the content revision of the snapshot's instant.
pub fn live_at(snapshot: &Snapshot, revisions: &BTreeMap<PaneId, u64>, pane: PaneId) -> Option<Live> {
    let live = live(snapshot, pane)?;
    Some(Live { revision: revisions.get(&pane).copied().unwrap_or(live.revision), ..live })
}

/// `{pid, start_marker}`
pub fn root_process(root: &RootProcess) -> Value {
    json!({"pid": root.pid, "start_marker": root.start_marker})
}

/// The name a person gave the tab, else its place.
pub fn tab_name(tab: &Tab<'_>) -> String {
    tab.scene.name.clone().unwrap_or_else(|| tab.place().to_string())
}

/// Where a workspace stands on the screen: pinned ones first, zero-based.
pub fn display_position(scene: &Scene, workspace: &Workspace<'_>) -> usize {
    let before = |other: &Workspace<'_>| {
        (!other.scene.pinned, other.index) < (!workspace.scene.pinned, workspace.index)
    };
    target::workspaces(scene).filter(before).count()
}

/// The focused pane of the workspace's shown tab.
pub fn shown_pane<'a>(scene: &'a Scene, workspace: &Workspace<'_>) -> Option<&'a PaneScene> {
    let tab = workspace.scene.tabs.iter().find(|tab| tab.active)?;
    scene.pane(tab.focused)
}

/// A row of `workspace.list`.
pub fn workspace_row(scene: &Scene, workspace: &Workspace<'_>) -> Value {
    json!({
        "workspace_id": workspace.scene.id.to_string(),
        "workspace": workspace.index.to_string(),
        "name": workspace.scene.name,
        "cwd": workspace.scene.root,
        "terminal_cwd": shown_pane(scene, workspace).map(|pane| &pane.cwd),
        "pinned": workspace.scene.pinned,
        "display_position": display_position(scene, workspace),
        "active": workspace.scene.active,
        "tabs": workspace.scene.tabs.len(),
    })
}

/// `workspace.get`
pub fn workspace_detail(scene: &Scene, workspace: &Workspace<'_>, facts: Option<&Facts>) -> Value {
    let mut row = workspace_row(scene, workspace);
    row["type"] = json!("workspace");
    row["active_tab"] = json!(target::tabs(*workspace).find(|tab| tab.scene.active).map(|tab| tab.place()));
    row["branch"] = json!(workspace.scene.branch);
    row["ahead"] = Value::Null;
    row["behind"] = Value::Null;
    row["metadata"] = facts.map_or_else(|| json!({}), |facts| json!(facts));
    row
}

/// A row of `tab.list`, and what `tab.get` shows.
pub fn tab_row(tab: &Tab<'_>) -> Value {
    json!({
        "tab_id": tab.scene.id.to_string(),
        "tab": tab.place().to_string(),
        "workspace": tab.workspace.index.to_string(),
        "workspace_id": tab.workspace.scene.id.to_string(),
        "name": tab_name(tab),
        "kind": "terminal",
        "active": tab.scene.active,
        "bell": tab.scene.bell,
        "panes": tab.scene.panes,
        "focused_pane": tab.scene.focused.to_string(),
    })
}

/// A row of `pane.list`, and what `pane.get` shows.
pub fn pane_row(scene: &Scene, pane: &PaneScene, live: Option<&Live>) -> Value {
    let tab = target::tab_with_id(scene, pane.tab);
    let agent = pane.agent.as_ref();
    json!({
        "pane": pane.id.to_string(),
        "pane_id": pane.id.to_string(),
        "kind": "terminal",
        "workspace": tab.map(|tab| tab.workspace.index.to_string()),
        "workspace_id": pane.workspace.to_string(),
        "tab": tab.map(|tab| tab.place().to_string()),
        "tab_id": pane.tab.to_string(),
        "focused": target::focused_pane(scene) == Some(pane.id),
        "name": pane.name,
        "label": pane.label,
        "title": pane.title,
        "program": pane.program,
        "busy": pane.busy,
        "exited": pane.exited,
        "cwd": live.map_or(&pane.cwd, |live| &live.cwd),
        "terminal_id": live.map(|live| live.terminal.to_string()),
        "root_process": live.map(|live| root_process(&live.root)),
        "content_revision": live.map(|live| live.revision),
        "rows": live.map(|live| live.size.0),
        "cols": live.map(|live| live.size.1),
        "agent": agent.and_then(|agent| agent.kind.as_deref()),
        "display_agent": agent.map(|agent| &agent.label),
        "agent_status": agent.map(|agent| agent.state.presented().as_str()),
        // Clients own where they look (`spec/README.md` point 20).
        "scroll_offset": 0,
        "history_rows": live.map(|live| live.history.rows),
        "history_budget_bytes": live.map(|live| live.history.budget_bytes),
        "history_bytes": live.map(|live| live.history.held_bytes),
        "history_exact": true,
        "history_bytes_kind": "allocated",
    })
}

/// An inventory entry (`uhp.md` section 6): indices from 1. Closed.
#[derive(Serialize)]
pub struct InventoryEntry<'a> {
    #[serde(serialize_with = "as_text")]
    terminal_id: TerminalId,
    #[serde(serialize_with = "as_text")]
    pane_id: PaneId,
    workspace: EntryWorkspace<'a>,
    tab: EntryTab,
    cwd: String,
    root_process: EntryRoot,
    content_revision: u64,
    terminal_title: Option<&'a str>,
    label: Option<&'a str>,
    restore: bool,
}

#[derive(Serialize)]
struct EntryWorkspace<'a> {
    index: usize,
    name: &'a str,
    root: &'a str,
}

#[derive(Serialize)]
struct EntryTab {
    index: usize,
    name: String,
}

#[derive(Serialize)]
struct EntryRoot {
    pid: u32,
    start_marker: Option<String>,
}

/// An id as text, which needs no text of its own on the way.
fn as_text<S: Serializer>(id: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

/// The entry of a started terminal. A type of its own, because inventories are long and asked for often.
pub fn inventory_entry<'a>(tab: &Tab<'a>, pane: &'a PaneScene, live: Live) -> InventoryEntry<'a> {
    let workspace = tab.workspace;
    InventoryEntry {
        terminal_id: live.terminal,
        pane_id: pane.id,
        workspace: EntryWorkspace {
            index: workspace.index + 1,
            name: &workspace.scene.name,
            root: &workspace.scene.root,
        },
        tab: EntryTab { index: tab.place(), name: tab_name(tab) },
        cwd: live.cwd,
        root_process: EntryRoot { pid: live.root.pid, start_marker: live.root.start_marker },
        content_revision: live.revision,
        terminal_title: pane.title.as_deref(),
        label: pane.label.as_deref(),
        restore: live.restore,
    }
}

/// The workspaces of `session.snapshot` (`uhp.md` section 16): indices from 1.
pub fn session(scene: &Scene, agents: &Views, live: impl Fn(PaneId) -> Option<Live>) -> Vec<Value> {
    let pane = |pane: &PaneScene| {
        let view = agents.get(&pane.id).map(AsRef::as_ref);
        session_pane(scene, pane, view, live(pane.id).as_ref())
    };
    let tab = |tab: Tab<'_>| {
        let panes: Vec<Value> =
            scene.panes.iter().filter(|pane| pane.tab == tab.scene.id).map(pane).collect();
        json!({
            "tab_id": tab.scene.id.to_string(),
            "index": tab.place(),
            "name": tab_name(&tab),
            "active": tab.scene.active,
            "kind": "terminal",
            "panes": panes,
        })
    };
    let workspace = |workspace: Workspace<'_>| {
        json!({
            "id": workspace.scene.id.to_string(),
            "workspace_id": workspace.scene.id.to_string(),
            "index": workspace.index + 1,
            "name": workspace.scene.name,
            "cwd": workspace.scene.root,
            "branch": workspace.scene.branch,
            "pinned": workspace.scene.pinned,
            "active": workspace.scene.active,
            "tabs": target::tabs(workspace).map(tab).collect::<Vec<_>>(),
        })
    };
    target::workspaces(scene).map(workspace).collect()
}

fn session_pane(scene: &Scene, pane: &PaneScene, view: Option<&AgentView>, live: Option<&Live>) -> Value {
    json!({
        "pane_id": pane.id.to_string(),
        "kind": "terminal",
        "terminal_id": live.map(|live| live.terminal.to_string()),
        "root_process": live.map(|live| root_process(&live.root)),
        "content_revision": live.map(|live| live.revision),
        "cwd": live.map_or(&pane.cwd, |live| &live.cwd),
        "focused": target::focused_pane(scene) == Some(pane.id),
        "agent": view.and_then(AgentView::kind),
        "agent_status": view.map(|view| view.state.presented().as_str()),
        "agent_authority": view.and_then(AgentView::authority_kind),
        "agent_session": view.and_then(|view| view.session.as_ref()),
        "is_agent": view.is_some_and(|view| view.identity.is_some()),
        "agent_name": pane.name,
        "agent_session_title": view.and_then(AgentView::session_title),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::uhp::methods::samples::{scene, terminal};

    fn live(pane: u32) -> Live {
        Live {
            terminal: terminal(pane),
            root: RootProcess { pid: 100 + pane, start_marker: Some("linux:1".to_owned()) },
            revision: 9,
            cwd: "/live".to_owned(),
            restore: true,
            size: (24, 80),
            history: HistorySize { rows: 3, held_bytes: 900, budget_bytes: 10_000 },
        }
    }

    #[test]
    fn an_inventory_entry_is_closed_and_counts_from_one() {
        let mut scene = scene();
        scene.panes[3].label = Some("probe".to_owned());
        let tab = target::tab_with_id(&scene, scene.panes[3].tab).unwrap();
        assert_eq!(
            serde_json::to_value(inventory_entry(&tab, &scene.panes[3], live(5))).unwrap(),
            json!({
                "terminal_id": "05".repeat(16),
                "pane_id": "5",
                "workspace": {"index": 2, "name": "two", "root": "/srv/two"},
                "tab": {"index": 1, "name": "1"},
                "cwd": "/live",
                "root_process": {"pid": 105, "start_marker": "linux:1"},
                "content_revision": 9,
                "terminal_title": null,
                "label": "probe",
                "restore": true,
            })
        );
    }

    #[test]
    fn pinned_workspaces_are_shown_first() {
        let scene = scene();
        let positions: Vec<_> =
            target::workspaces(&scene).map(|workspace| display_position(&scene, &workspace)).collect();
        assert_eq!(positions, [1, 0]);
    }

    #[test]
    fn part_two_counts_workspaces_from_zero_and_tabs_from_one() {
        let scene = scene();
        let workspace = target::workspace(&scene, None).unwrap();
        let detail = workspace_detail(&scene, &workspace, None);
        assert_eq!(
            (&detail["workspace"], &detail["active_tab"], &detail["tabs"]),
            (&json!("0"), &json!(1), &json!(2))
        );
        assert_eq!(detail["terminal_cwd"], "/srv/2");
        let row = pane_row(&scene, &scene.panes[2], None);
        assert_eq!(
            (&row["tab"], &row["focused"], &row["cwd"]),
            (&json!("2"), &json!(false), &json!("/srv/3"))
        );
    }

    #[test]
    fn a_session_snapshot_has_one_focused_pane_and_a_pane_id_in_every_row() {
        let mut scene = scene();
        scene.panes[1].name = Some("ana".to_owned());
        let workspaces = session(&scene, &Views::new(), |pane| (pane != PaneId(5)).then(|| live(pane.0)));
        assert_eq!(workspaces[0]["index"], 1);
        let tab = &workspaces[0]["tabs"][0];
        assert_eq!((&tab["index"], &tab["panes"][0]["focused"]), (&json!(1), &json!(false)));
        assert_eq!(
            (&tab["panes"][1]["focused"], &tab["panes"][1]["agent_name"]),
            (&json!(true), &json!("ana"))
        );
        assert_eq!(workspaces[1]["tabs"][0]["panes"][0]["pane_id"], "5");
        assert_eq!(workspaces[1]["tabs"][0]["panes"][0]["terminal_id"], Value::Null);
    }
}
