//! What happened in a turn, as the bus tells it: with the places that things have now, or had before
//! they were gone.

use super::event::{Body, Change, PaneEvent, Place, Reason, SessionEvent, TerminalEvent};
use super::facts::PaneState;
use super::{Hub, Turn};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::scene::Scene;
use crate::server::model::{Event, Workspace};
use std::collections::BTreeMap;

impl Hub {
    /// Takes down what the model says has happened.
    pub(super) fn record(&mut self, events: &[Event]) {
        for event in events {
            if let Some(event) = self.told(event).or_else(|| self.told_of_pane(event)) {
                self.happened.push(event);
            }
        }
    }

    /// Takes down what happened to a terminal that was public.
    pub(super) fn record_terminal(&mut self, pane: PaneId, change: Change) {
        if let Some(state) = self.panes.get(&pane).filter(|state| state.started()) {
            self.happened.push(state.event(change));
        }
    }

    fn told(&mut self, event: &Event) -> Option<Body> {
        let told = match event {
            Event::WorkspaceCreated(id) => SessionEvent::WorkspaceCreated(*id, self.index(*id)?),
            Event::WorkspaceClosed(id) => SessionEvent::WorkspaceClosed(*id, self.index(*id)?),
            Event::WorkspaceMoved(from, to) => {
                self.moved = true;
                SessionEvent::WorkspaceMoved { from: *from, to: *to }
            }
            Event::WorkspacesMoved { from, to } => {
                self.moved = true;
                SessionEvent::WorkspacesMoved { from: from.clone(), to: to.clone() }
            }
            Event::WorkspaceRenamed(id) => {
                SessionEvent::WorkspaceRenamed(self.index(*id)?, self.model.workspace(*id)?.name())
            }
            Event::WorkspacePinned(id, pinned) => SessionEvent::WorkspacePinned(self.index(*id)?, *pinned),
            Event::TabCreated(tab) => SessionEvent::TabCreated(*tab, self.place_of(*tab)?),
            Event::TabClosed(tab) => SessionEvent::TabClosed(*tab, self.place_of(*tab)?),
            Event::TabMoved { tab, from, to, swap } => {
                self.moved = true;
                let (workspace, active) = self.shown_beside(*tab)?;
                SessionEvent::TabMoved { workspace, from: *from, to: *to, active, swap: *swap }
            }
            Event::TabRenamed(tab) => {
                let name = self.model.tab(*tab)?.name().map(str::to_owned);
                SessionEvent::TabRenamed(self.place_of(*tab)?, name)
            }
            Event::LayoutApplied(tab) => SessionEvent::LayoutApplied(self.place_of(*tab)?),
            Event::RatioChanged { tab, path, ratio } => {
                SessionEvent::RatioChanged { place: self.place_of(*tab)?, path: path.clone(), ratio: *ratio }
            }
            _ => return None,
        };
        Some(Body::Session(told))
    }

    fn told_of_pane(&mut self, event: &Event) -> Option<Body> {
        let (pane, told) = match event {
            Event::PaneCreated(pane) => {
                let terminal = self.panes.get(pane).map(|state| state.handle().terminal());
                (pane, PaneEvent::Created(terminal))
            }
            Event::PaneClosed(pane) => (pane, PaneEvent::Closed),
            Event::PaneFocused(pane) => (pane, PaneEvent::Focused),
            Event::PaneMoved(pane) => {
                self.moved = true;
                let place = self.model.pane_place(*pane).map(|(workspace, tab)| Place { workspace, tab });
                (pane, PaneEvent::Moved(place))
            }
            Event::PaneSwapped(pane, with) => (pane, PaneEvent::Swapped(*with)),
            Event::PaneRenamed(pane) => {
                self.agent_changed(*pane);
                (pane, PaneEvent::Renamed(self.model.pane(*pane)?.alias().map(str::to_owned)))
            }
            Event::PaneResized(pane, cells) => (pane, PaneEvent::Resized(*cells)),
            Event::PaneZoomed(pane, zoomed) => (pane, PaneEvent::Zoomed(*zoomed)),
            Event::PaneLabelled(pane) => {
                let label = self.model.pane(*pane)?.label().map(str::to_owned);
                let state = self.panes.get(pane).filter(|state| state.started())?;
                return Some(state.event(Change::Labelled(label)));
            }
            _ => return None,
        };
        Some(Body::Pane(*pane, told))
    }

    /// Where a workspace is, or was in the session that is out.
    fn index(&self, id: WorkspaceId) -> Option<usize> {
        let now = self.model.workspaces().iter().position(|workspace| workspace.id() == id);
        let before = |scene: &Scene| scene.workspaces.iter().position(|workspace| workspace.id == id);
        now.or_else(|| before(&self.published.borrow().scene))
    }

    /// Where a tab is, or was in the session that is out.
    fn place_of(&self, tab: TabId) -> Option<Place> {
        let now = self.model.tab_place(tab).map(|(workspace, tab)| Place { workspace, tab });
        let before = |scene: &Scene| {
            scene.workspaces.iter().enumerate().find_map(|(workspace, scene)| {
                let tab = scene.tabs.iter().position(|other| other.id == tab)?;
                Some(Place { workspace, tab })
            })
        };
        now.or_else(|| before(&self.published.borrow().scene))
    }

    /// The workspace of a tab, and which tab is shown there.
    fn shown_beside(&self, tab: TabId) -> Option<(usize, usize)> {
        let (index, _) = self.model.tab_place(tab)?;
        let workspace = self.model.workspaces().get(index)?;
        let shown = workspace.active_tab().id();
        Some((index, workspace.tabs().iter().position(|tab| tab.id() == shown)?))
    }

    /// Brings every terminal's place up to date. One that was moved tells of it; one that only moved
    /// up because others were closed does not.
    pub(super) fn place_terminals(&mut self) {
        let places = places(self.model.workspaces());
        let moved = std::mem::take(&mut self.moved);
        for (pane, state) in &mut self.panes {
            let place = places.get(pane).copied();
            let before = std::mem::replace(&mut state.place, place);
            if moved && before.is_some() && before != place && state.started() {
                self.happened.push(state.event(Change::Moved));
            }
        }
    }

    /// Publishes what has happened. Whoever waits for the turn sees the session that came of it.
    pub(super) fn tell(&mut self, turn: &mut Turn<'_>) {
        for state in self.panes.values() {
            turn.place(state.handle().terminal(), state.place);
        }
        for event in self.happened.drain(..) {
            turn.publish(event);
        }
    }
}

impl PaneState {
    fn event(&self, change: Change) -> Body {
        let handle = self.handle();
        Body::Terminal(TerminalEvent {
            terminal: handle.terminal(),
            pane: handle.pane(),
            revision: handle.revision(),
            place: self.place,
            change,
        })
    }

    /// What the end of its terminal is told as; nothing for one that was never public.
    pub(super) fn closing(&self, reason: Reason) -> Option<Body> {
        let status = self.exited().cloned().or_else(|| self.handle().status());
        self.started().then(|| self.event(Change::Closed { reason, status }))
    }
}

fn places(workspaces: &[Workspace]) -> BTreeMap<PaneId, Place> {
    let tabs = workspaces.iter().enumerate().flat_map(|(index, workspace)| {
        workspace.tabs().iter().enumerate().map(move |(tab, panes)| (Place { workspace: index, tab }, panes))
    });
    tabs.flat_map(|(place, tab)| tab.panes().into_iter().map(move |pane| (pane, place))).collect()
}
