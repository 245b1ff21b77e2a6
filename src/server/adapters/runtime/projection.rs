//! The session as the runtime protocol shows it (`runtime.md` section 5).
//!
//! Invariant: a function of its inputs; equal sessions give equal windows.

use super::counts::Counts;
use super::launches::Record;
use super::runs::Runs;
use super::titles::Titles;
use crate::protocol::geometry::Axis;
use crate::protocol::ids::{PaneId, TabId};
use crate::protocol::runtime::snapshot::{
    Agent, Layout, Pane, SplitDirection, StateSource, Tab, TabKind, TaskState, Window,
};
use crate::protocol::scene::{ExitStatus, PaneScene, Scene, TabScene, WorkspaceScene};
use crate::protocol::tree::{TabLayout, Tree};
use crate::server::agents::state::Source;
use crate::server::agents::{AgentView, Views};
use crate::server::hub::Branches;
use std::collections::BTreeMap;

/// What the directory of panes knows of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Whether it is restored at the next start.
    pub restore: bool,
    /// Whether the person's shell was started in it.
    pub shell: bool,
}

/// All that a projection looks at.
pub struct Shown<'a> {
    /// The session.
    pub scene: &'a Scene,
    /// Every tab's layout.
    pub layouts: &'a BTreeMap<TabId, TabLayout>,
    /// The branch of every folder.
    pub branches: &'a Branches,
    /// Every pane's launch.
    pub kept: &'a BTreeMap<PaneId, Kept>,
    /// Every pane's state.
    pub counts: &'a Counts,
    /// Every pane's title.
    pub titles: &'a Titles,
    /// Every pane's runs.
    pub runs: &'a Runs,
    /// The agents.
    pub agents: &'a Views,
    /// Their names and ids.
    pub records: &'a [Record],
}

/// What the facts alone say of a pane, before the submit overlay.
pub fn task_state(pane: &PaneScene) -> TaskState {
    match &pane.exited {
        Some(ExitStatus { code: Some(0), signal: None }) => TaskState::Finished,
        Some(_) => TaskState::Failed,
        None if pane.busy => TaskState::Running,
        None => TaskState::Idle,
    }
}

impl Shown<'_> {
    /// All windows.
    pub fn windows(&self) -> Vec<Window> {
        self.scene.workspaces.iter().map(|workspace| self.window(workspace)).collect()
    }

    fn window(&self, workspace: &WorkspaceScene) -> Window {
        let active_tab = workspace.tabs.iter().position(|tab| tab.active).unwrap_or(0);
        let tabs = workspace.tabs.iter().enumerate();
        let mut panes = self.scene.panes.iter().filter(|pane| pane.workspace == workspace.id).peekable();
        Window {
            id: workspace.id.0,
            focused: workspace.active,
            session_exempt: panes.peek().is_some()
                && panes.all(|pane| self.kept.get(&pane.id).is_some_and(|kept| !kept.restore)),
            active_tab,
            focused_pane_id: workspace.tabs.get(active_tab).map(|tab| tab.focused.0),
            tabs: tabs.map(|(index, tab)| self.tab(index, tab)).collect(),
        }
    }

    fn tab(&self, index: usize, tab: &TabScene) -> Tab {
        let layout = self.layouts.get(&tab.id);
        let panes: Vec<&PaneScene> = self.scene.panes.iter().filter(|pane| pane.tab == tab.id).collect();
        let first = panes.first().and_then(|pane| self.kept.get(&pane.id));
        Tab {
            index,
            active: tab.active,
            label: tab.name.clone().unwrap_or_else(|| (index + 1).to_string()),
            kind: if first.is_some_and(|kept| !kept.shell) { TabKind::Profile } else { TabKind::Shell },
            bell: tab.bell,
            focused_pane_id: Some(tab.focused.0),
            zoomed_pane_id: layout.and_then(|layout| layout.zoomed).map(|pane| pane.0),
            layout: layout.map(|layout| tree(&layout.tree)),
            panes: panes.into_iter().map(|pane| self.pane(tab, pane)).collect(),
        }
    }

    /// Nothing for a program that only reports its state.
    fn agent(&self, view: &AgentView) -> Option<Agent> {
        let kind = view.kind()?.to_owned();
        let mut records = self.records.iter();
        let record = records.find(|record| record.closed.is_none() && record.pane == view.pane);
        let rule = view.finding.as_ref().and_then(|finding| finding.matched.as_ref());
        Some(Agent {
            agent_id: record.map(|record| record.agent_id.clone()),
            generation: record.map(|record| record.generation),
            name: record.map(|record| record.name.clone()),
            worktree: record.and_then(|record| record.worktree.as_ref()).map(|made| serde_json::json!(made)),
            kind,
            display_name: view.label.clone(),
            session_id: view.session.clone(),
            state_source: match view.source {
                Source::Integration | Source::ProgramStatus => StateSource::Hook,
                Source::Screen => StateSource::Screen,
                Source::Process => StateSource::Process,
            },
            state_rule: rule.filter(|_| view.source == Source::Screen).map(|rule| rule.rule.clone()),
            hook_seen: view.authority.is_some() || view.session.is_some() || view.source > Source::Screen,
        })
    }

    fn pane(&self, tab: &TabScene, pane: &PaneScene) -> Pane {
        let present = self.counts.present(pane.id);
        Pane {
            id: pane.id.0,
            active: tab.focused == pane.id,
            title: self.titles.of(pane.id),
            cwd: pane.cwd.clone(),
            branch: self.branches.get(&pane.cwd).cloned().flatten().unwrap_or_default(),
            ssh_destination: None,
            agent: self.agents.get(&pane.id).and_then(|view| self.agent(view)),
            running_program: pane.program.clone().filter(|_| pane.busy),
            task_state: present.state,
            state_change_seq: present.seq,
            active_run: self.runs.active(pane.id),
            last_run: self.runs.last(pane.id),
        }
    }
}

fn tree(of: &Tree) -> Layout {
    match of {
        Tree::Pane(pane) => Layout::Pane { pane_id: pane.0 },
        Tree::Split { axis, ratio, a, b } => Layout::Split {
            direction: match axis {
                Axis::Horizontal => SplitDirection::LeftRight,
                Axis::Vertical => SplitDirection::TopBottom,
            },
            ratio: share(*ratio),
            first: Box::new(tree(a)),
            second: Box::new(tree(b)),
        },
    }
}

/// A ratio without the noise of its single precision.
fn share(ratio: f32) -> f64 {
    (f64::from(ratio) * 10_000.0).round() / 10_000.0
}

/// The share of a pane in the split directly above it.
pub fn pane_share(of: &Tree, pane: PaneId) -> Option<f64> {
    let Tree::Split { ratio, a, b, .. } = of else { return None };
    if **a == Tree::Pane(pane) {
        Some(share(*ratio))
    } else if **b == Tree::Pane(pane) {
        Some(share(1.0 - ratio))
    } else {
        pane_share(a, pane).or_else(|| pane_share(b, pane))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::protocol::geometry::Size;
    use crate::protocol::ids::WorkspaceId;
    use crate::protocol::scene;

    /// One workspace, one tab, panes 1 and 2 side by side, pane 2 focused.
    pub fn scene() -> Scene {
        let pane = |id, program: &str| PaneScene {
            id: PaneId(id),
            tab: TabId(1),
            workspace: WorkspaceId(1),
            terminal: None,
            name: None,
            label: None,
            role: None,
            color: None,
            title: None,
            program: Some(program.to_owned()),
            busy: false,
            cwd: "/srv/one/src".to_owned(),
            exited: None,
            agent: None,
        };
        Scene {
            session: "default".to_owned(),
            workspaces: vec![WorkspaceScene {
                id: WorkspaceId(1),
                name: "one".to_owned(),
                root: "/srv/one".to_owned(),
                branch: Some("main".to_owned()),
                pinned: false,
                active: true,
                tabs: vec![TabScene {
                    id: TabId(1),
                    name: None,
                    active: true,
                    bell: false,
                    panes: 2,
                    focused: PaneId(2),
                }],
            }],
            panes: vec![pane(1, "sh"), pane(2, "vi")],
            layout: scene::Layout {
                area: Size::new(40, 120),
                places: Vec::new(),
                dividers: Vec::new(),
                focused: Some(PaneId(2)),
                zoomed: false,
            },
            scratch: None,
        }
    }

    fn split() -> Tree {
        let pane = |id| Box::new(Tree::Pane(PaneId(id)));
        let right = Tree::Split { axis: Axis::Vertical, ratio: 0.25, a: pane(2), b: pane(3) };
        Tree::Split { axis: Axis::Horizontal, ratio: 0.3, a: pane(1), b: Box::new(right) }
    }

    #[test]
    fn states_follow_the_facts() {
        let mut pane = scene().panes.remove(0);
        assert_eq!(task_state(&pane), TaskState::Idle);
        pane.busy = true;
        assert_eq!(task_state(&pane), TaskState::Running);
        let exits = [
            (Some(0), None, TaskState::Finished),
            (Some(3), None, TaskState::Failed),
            (None, Some("SIGKILL"), TaskState::Failed),
            (None, None, TaskState::Failed),
        ];
        for (code, signal, state) in exits {
            pane.exited = Some(ExitStatus { code, signal: signal.map(str::to_owned) });
            assert_eq!(task_state(&pane), state, "{code:?} {signal:?}");
        }
    }

    #[test]
    fn a_window_shows_layout_launch_and_branch() {
        let mut scene = scene();
        scene.panes[1].busy = true;
        scene.panes[0].cwd = "/elsewhere".to_owned();
        let layouts = BTreeMap::from([(TabId(1), TabLayout { tree: split(), zoomed: Some(PaneId(2)) })]);
        let kept = Kept { restore: false, shell: false };
        let kept = BTreeMap::from([(PaneId(1), kept), (PaneId(2), kept)]);
        let branches = Branches::from([("/srv/one/src".to_owned(), Some("main".to_owned()))]);
        let (mut titles, counts, runs) = (Titles::default(), Counts::default(), Runs::default());
        titles.observe(&scene, tokio::time::Instant::now());
        let (titles, counts, runs, agents) = (&titles, &counts, &runs, &Views::new());
        let source = Shown {
            scene: &scene,
            layouts: &layouts,
            branches: &branches,
            kept: &kept,
            counts,
            titles,
            runs,
            agents,
            records: &[],
        };
        let windows = source.windows();
        let [window] = windows.as_slice() else { panic!("{windows:?}") };
        assert!(window.session_exempt && window.focused);
        let tab = &window.tabs[0];
        assert_eq!((tab.label.as_str(), tab.kind, tab.zoomed_pane_id), ("1", TabKind::Profile, Some(2)));
        let Some(Layout::Split { direction, ratio, .. }) = &tab.layout else { panic!("{tab:?}") };
        assert_eq!((*direction, ratio.to_string()), (SplitDirection::LeftRight, "0.3".to_owned()));
        let [left, right] = tab.panes.as_slice() else { panic!("{tab:?}") };
        assert_eq!((left.branch.as_str(), right.branch.as_str()), ("", "main"));
        assert_eq!((&left.running_program, right.running_program.as_deref()), (&None, Some("vi")));
        assert_eq!((left.active, right.active, right.title.as_str()), (false, true, "vi"));
    }

    #[test]
    fn a_share_is_that_of_the_direct_parent() {
        let tree = split();
        let shares = [1, 2, 3].map(|pane| pane_share(&tree, PaneId(pane)).map(|share| share.to_string()));
        assert_eq!(shares.map(Option::unwrap), ["0.3", "0.25", "0.75"]);
        assert_eq!(pane_share(&Tree::Pane(PaneId(1)), PaneId(1)), None);
    }
}
