//! Workspaces, tabs and panes: what each is, without what can be done to it.

use super::layout::Tree;
use super::{Event, Outcome};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::limits::TITLE_BYTES;
use crate::protocol::metadata::Metadata;
use std::path::Path;

/// A project folder with its tabs.
#[derive(Debug, Clone, PartialEq)]
pub struct Workspace {
    pub(super) id: WorkspaceId,
    pub(super) label: Option<String>,
    pub(super) root: String,
    pub(super) pinned: bool,
    /// Never empty.
    pub(super) tabs: Vec<Tab>,
    /// One of its tabs.
    pub(super) active: TabId,
}

impl Workspace {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> WorkspaceId {
        self.id
    }

    /// Its label, else the name of its root folder.
    #[must_use]
    pub fn name(&self) -> String {
        let folder = || Path::new(&self.root).file_name().map(|name| name.to_string_lossy().into_owned());
        self.label.clone().or_else(folder).unwrap_or_else(|| self.root.clone())
    }

    /// Its root folder, fixed when it was made.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Whether it is shown before the others.
    #[must_use]
    pub fn pinned(&self) -> bool {
        self.pinned
    }

    /// Its tabs in order; never empty.
    #[must_use]
    pub fn tabs(&self) -> &[Tab] {
        &self.tabs
    }

    /// The tab that is shown of it.
    #[must_use]
    pub fn active_tab(&self) -> &Tab {
        let active = self.tabs.iter().find(|tab| tab.id == self.active);
        active.unwrap_or(&self.tabs[0])
    }

    /// All its panes, in tab and layout order.
    #[must_use]
    pub fn panes(&self) -> Vec<PaneId> {
        self.tabs.iter().flat_map(|tab| tab.tree.panes()).collect()
    }
}

/// Panes that are shown together.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    pub(super) id: TabId,
    pub(super) name: Option<String>,
    pub(super) tree: Tree,
    /// One of its panes.
    pub(super) focused: PaneId,
    /// Whether the focused pane is shown alone.
    pub(super) zoomed: bool,
    pub(super) bell: bool,
}

impl Tab {
    pub(super) fn new(id: TabId, pane: PaneId) -> Self {
        Self { id, name: None, tree: Tree::Pane(pane), focused: pane, zoomed: false, bell: false }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> TabId {
        self.id
    }

    /// The name that a person gave it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// How its panes lie.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Its panes in layout order.
    #[must_use]
    pub fn panes(&self) -> Vec<PaneId> {
        self.tree.panes()
    }

    /// Its focused pane.
    #[must_use]
    pub fn focused(&self) -> PaneId {
        self.focused
    }

    /// The pane that is shown alone, always the focused one.
    #[must_use]
    pub fn zoomed(&self) -> Option<PaneId> {
        self.zoomed.then_some(self.focused)
    }

    /// Whether a bell rang in it since it was last seen.
    #[must_use]
    pub fn bell(&self) -> bool {
        self.bell
    }

    /// Focuses one of its panes. A zoom of another one ends.
    pub(super) fn focus(&mut self, pane: PaneId, outcome: &mut Outcome) {
        if self.focused != pane {
            self.unzoom(outcome);
            self.focused = pane;
        }
    }

    pub(super) fn unzoom(&mut self, outcome: &mut Outcome) {
        if std::mem::take(&mut self.zoomed) {
            outcome.events.push(Event::PaneZoomed(self.focused, false));
        }
    }
}

/// A leaf of a tab's layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    pub(super) tab: TabId,
    pub(super) alias: Option<String>,
    pub(super) label: Option<String>,
    pub(super) argv: Option<Vec<String>>,
    pub(super) restore: bool,
    /// Whether an orchestrator made it.
    pub(super) spawned: bool,
    pub(super) metadata: Option<Metadata>,
    /// When it was last focused, as a number that only grows; zero is never.
    pub(super) focused_at: u64,
}

impl Pane {
    /// Its unique alias.
    #[must_use]
    pub fn alias(&self) -> Option<&str> {
        self.alias.as_deref()
    }

    /// Its label: a person's, else the name that an orchestrator gave it.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        let described = || self.metadata.as_ref().and_then(|metadata| metadata.name.as_deref());
        let described = || described().map(|name| &name[..name.floor_char_boundary(TITLE_BYTES)]);
        self.label.as_deref().or_else(described).filter(|label| !label.is_empty())
    }

    /// What an orchestrator says of it.
    #[must_use]
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }

    /// Whether an orchestrator made it.
    #[must_use]
    pub fn spawned(&self) -> bool {
        self.spawned
    }

    /// What it was started with; `None` is the shell.
    #[must_use]
    pub fn argv(&self) -> Option<&[String]> {
        self.argv.as_deref()
    }

    /// Whether it is kept for the next start.
    #[must_use]
    pub fn restore(&self) -> bool {
        self.restore
    }
}
