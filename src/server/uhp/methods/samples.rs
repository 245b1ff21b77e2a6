//! A session to shape answers from: workspace `w1` (focused) with tabs `t1` (panes 1, 2) and `t2`
//! (pane 3), pinned workspace `w4` with tab `t3` (pane 5).

use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TabId, TerminalId, WorkspaceId};
use crate::protocol::scene::{Layout, PaneScene, Scene, TabScene, WorkspaceScene};

pub fn scene() -> Scene {
    let tab = |id, active, panes, focused| TabScene {
        id: TabId(id),
        name: None,
        active,
        bell: false,
        panes,
        focused: PaneId(focused),
    };
    let workspace = |name: &str, id, active, pinned, tabs| WorkspaceScene {
        id: WorkspaceId(id),
        name: name.to_owned(),
        root: format!("/srv/{name}"),
        branch: None,
        pinned,
        active,
        tabs,
    };
    let pane = |id, tab, workspace| PaneScene {
        id: PaneId(id),
        tab: TabId(tab),
        workspace: WorkspaceId(workspace),
        terminal: Some(terminal(id)),
        name: None,
        label: None,
        role: None,
        color: None,
        title: None,
        program: Some("sh".to_owned()),
        busy: false,
        cwd: format!("/srv/{id}"),
        exited: None,
        agent: None,
    };
    Scene {
        session: "default".to_owned(),
        workspaces: vec![
            workspace("one", 1, true, false, vec![tab(1, true, 2, 2), tab(2, false, 1, 3)]),
            workspace("two", 4, false, true, vec![tab(3, true, 1, 5)]),
        ],
        panes: vec![pane(1, 1, 1), pane(2, 1, 1), pane(3, 2, 1), pane(5, 3, 4)],
        layout: Layout {
            area: Size::new(40, 120),
            places: Vec::new(),
            dividers: Vec::new(),
            focused: Some(PaneId(2)),
            zoomed: false,
        },
        scratch: None,
    }
}

pub fn terminal(pane: u32) -> TerminalId {
    TerminalId([u8::try_from(pane).unwrap(); 16])
}
