//! Making and publishing what others see of the hub.

use super::{Hub, Settings, Snapshot};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::scene::{Layout, PaneScene, Scene, TabScene, WorkspaceScene};
use crate::protocol::tree::TabLayout;
use crate::server::model::{Tab, Workspace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The scene before the first workspace.
pub(super) fn empty(settings: &Settings) -> Scene {
    Scene {
        session: settings.session.clone(),
        workspaces: Vec::new(),
        panes: Vec::new(),
        layout: Layout {
            area: settings.area,
            places: Vec::new(),
            dividers: Vec::new(),
            focused: None,
            zoomed: false,
        },
        scratch: None,
    }
}

impl Hub {
    /// Publishes the present state if it differs from what is out, and gives shown panes their sizes
    /// and the focus.
    pub(super) fn publish(&mut self) {
        self.keep();
        self.view_focused();
        self.place_terminals();
        self.settle_agents();
        let (scene, layouts) = (self.scene(), self.layouts());
        self.viewports.refresh(self.clients.count(), &layouts);
        for place in &scene.layout.places {
            if let Some(state) = self.panes.get(&place.pane) {
                let viewport = self.viewports.size(place.pane);
                state.handle().resize(viewport.unwrap_or(place.content.size().at_least_one()));
            }
        }
        if let (Some(scratch), Some(scene)) = (&self.scratch, &scene.scratch) {
            scratch.handle().resize(scene.place.content.size().at_least_one());
        }
        for layout in layouts.values() {
            let panes = layout.tree.panes();
            let alone = panes.len() == 1 && self.clients.count() == 0;
            for state in panes.iter().filter_map(|pane| self.panes.get(pane)) {
                state.handle().leave_alone(alone);
            }
        }
        let snapshot = Snapshot {
            scene: Arc::new(scene),
            directory: Arc::clone(&self.directory),
            layouts: Arc::new(layouts),
            branches: Arc::clone(&self.branches),
            lifecycles: Arc::clone(&self.lifecycles),
            agents: self.agents.views(),
            registry: self.agents.registered(),
            attached: self.clients.count(),
            sequence: 0,
        };
        let bus = self.bus.clone();
        let mut turn = bus.turn();
        let happened = !self.happened.is_empty();
        self.tell(&mut turn);
        let snapshot = Snapshot { sequence: turn.sequence(), ..snapshot };
        self.published.send_if_modified(|out| {
            let same_scene = out.scene == snapshot.scene;
            let changed = !same_scene
                || out.layouts != snapshot.layouts
                || out.attached != snapshot.attached
                || !Arc::ptr_eq(&out.agents, &snapshot.agents)
                || !Arc::ptr_eq(&out.registry, &snapshot.registry)
                || happened
                || !Arc::ptr_eq(&out.directory, &snapshot.directory)
                || !Arc::ptr_eq(&out.branches, &snapshot.branches)
                || !Arc::ptr_eq(&out.lifecycles, &snapshot.lifecycles);
            // Readers compare scenes by pointer: an equal one stays the same one.
            let scene = if same_scene { Arc::clone(&out.scene) } else { snapshot.scene };
            *out = Snapshot { scene, ..snapshot };
            changed
        });
    }

    /// Follows which pane is viewed (`spec/README.md` point 20): its tab's bell is seen, and its child
    /// hears of the focus.
    fn view_focused(&mut self) {
        let viewed = self.model.focused().filter(|_| self.clients.anybody_looks());
        if let Some(pane) = viewed {
            self.model.see(pane);
        }
        if viewed != self.viewed {
            for (pane, focused) in [(self.viewed, false), (viewed, true)] {
                if let Some(state) = pane.and_then(|pane| self.panes.get(&pane)) {
                    // A child that does not read misses a focus report; nothing else is lost.
                    let _ = state.handle().focus(focused);
                }
            }
            self.agent_viewed(self.viewed, viewed);
            self.viewed = viewed;
        }
    }

    fn scene(&self) -> Scene {
        let active = self.model.focused_workspace().map(Workspace::id);
        Scene {
            session: self.settings.session.clone(),
            workspaces: self
                .model
                .workspaces()
                .iter()
                .map(|workspace| self.workspace_scene(workspace, active == Some(workspace.id())))
                .collect(),
            panes: self.pane_scenes(),
            layout: self.model.layout(self.shape()),
            scratch: self.scratch.as_ref().map(|scratch| scratch.scene(self.clients.area())),
        }
    }

    fn workspace_scene(&self, workspace: &Workspace, active: bool) -> WorkspaceScene {
        WorkspaceScene {
            id: workspace.id(),
            name: workspace.name(),
            root: workspace.root().to_owned(),
            branch: self.branches.get(workspace.root()).cloned().flatten(),
            pinned: workspace.pinned(),
            active,
            tabs: workspace
                .tabs()
                .iter()
                .map(|tab| tab_scene(tab, workspace.active_tab().id() == tab.id()))
                .collect(),
        }
    }

    fn pane_scenes(&self) -> Vec<PaneScene> {
        let mut panes = Vec::new();
        for workspace in self.model.workspaces() {
            for tab in workspace.tabs() {
                panes.extend(
                    tab.panes().into_iter().map(|pane| self.pane_scene(pane, workspace.id(), tab.id())),
                );
            }
        }
        panes
    }

    fn pane_scene(&self, id: PaneId, workspace: WorkspaceId, tab: TabId) -> PaneScene {
        let pane = self.model.pane(id);
        let state = self.panes.get(&id);
        PaneScene {
            id,
            tab,
            workspace,
            terminal: state.filter(|state| state.started()).map(|state| state.handle().terminal()),
            name: pane.and_then(|pane| pane.alias().map(str::to_owned)),
            label: pane.and_then(|pane| pane.label().map(str::to_owned)),
            role: pane.and_then(|pane| pane.metadata()?.role.clone()),
            color: pane.and_then(|pane| pane.metadata()?.color.clone()),
            title: state.and_then(|state| state.title.clone()),
            program: state.and_then(|state| state.program.clone()),
            busy: state.is_some_and(|state| state.busy),
            cwd: state.map(|state| state.cwd.clone()).unwrap_or_default(),
            exited: state.and_then(|state| state.exited().cloned()),
            agent: self.agents.scene(id),
        }
    }

    /// The layout of every tab.
    pub(super) fn layouts(&self) -> BTreeMap<TabId, TabLayout> {
        let tabs = self.model.workspaces().iter().flat_map(Workspace::tabs);
        tabs.map(|tab| (tab.id(), TabLayout { tree: tab.tree().clone(), zoomed: tab.zoomed() })).collect()
    }
}

fn tab_scene(tab: &Tab, active: bool) -> TabScene {
    TabScene {
        id: tab.id(),
        name: tab.name().map(str::to_owned),
        active,
        bell: tab.bell(),
        panes: tab.panes().len(),
        focused: tab.focused(),
    }
}
