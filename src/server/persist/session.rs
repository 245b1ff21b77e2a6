//! What of a session outlives its server, as plain data with a format of its own: the model may change
//! its own fields without a look at old files.
//!
//! Invariant: [`Session::read`] takes any JSON. What is wrong in it is left out and told, and what it
//! returns needs no further check of its shape: every tab has panes, every reference leads somewhere.

use crate::protocol::geometry::Axis;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::limits::TERMINALS;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// More splits on the way to a pane than any screen has room for.
const DEPTH: usize = 512;

/// The structure of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Session {
    /// The focused workspace.
    pub active: Option<WorkspaceId>,
    /// The highest ids that were ever given out: a restart uses none of them twice.
    pub last: Last,
    /// All workspaces in order.
    pub workspaces: Vec<Workspace>,
}

/// The highest ids of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Last {
    /// Of workspaces.
    pub workspace: u32,
    /// Of tabs.
    pub tab: u32,
    /// Of panes.
    pub pane: u32,
}

/// A project folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Workspace {
    /// Its id, which survives restarts.
    pub id: WorkspaceId,
    /// The name that a person gave it.
    pub label: Option<String>,
    /// Its folder.
    pub root: String,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The tab that is shown; one of `tabs`.
    pub active: TabId,
    /// Never empty.
    pub tabs: Vec<Tab>,
}

/// Panes that are shown together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tab {
    /// Its id, which survives restarts.
    pub id: TabId,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// The focused pane; one of its own.
    pub focused: PaneId,
    /// Whether that one is shown alone.
    pub zoomed: bool,
    /// The layout as a list: a split is followed by its side `a` and then by its side `b`.
    pub layout: Vec<Node>,
}

/// One step of a layout.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Node {
    /// A division in two.
    Split {
        /// How the sides lie.
        split: Axis,
        /// The share of side `a`.
        ratio: f32,
    },
    /// A leaf.
    Pane(Pane),
}

/// One pane. Its program is not here: it comes back as a fresh shell (`uhp.md` section 7.12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pane {
    /// Its number.
    pub pane: PaneId,
    /// Its unique name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its live directory.
    pub cwd: String,
    /// When it was focused, as a number that only grows; zero is never.
    #[serde(default)]
    pub focused_at: u64,
    /// What an agent in it needs to go on; its shape is the agents' matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Value>,
}

impl Session {
    /// All panes.
    pub fn panes(&self) -> impl Iterator<Item = &Pane> {
        let tabs = self.workspaces.iter().flat_map(|workspace| &workspace.tabs);
        tabs.flat_map(Tab::panes)
    }

    /// All panes, to be changed.
    pub fn panes_mut(&mut self) -> impl Iterator<Item = &mut Pane> {
        let tabs = self.workspaces.iter_mut().flat_map(|workspace| &mut workspace.tabs);
        tabs.flat_map(|tab| &mut tab.layout).filter_map(|node| match node {
            Node::Pane(pane) => Some(pane),
            Node::Split { .. } => None,
        })
    }

    /// Reads what can be read; adds a line to `lost` for everything else.
    #[must_use]
    pub fn read(value: &Value, lost: &mut Vec<String>) -> Self {
        let mut reader = Reader { lost, seen: Seen::default() };
        let workspaces = reader.list(value, "workspaces", "the session");
        let workspaces: Vec<Workspace> =
            workspaces.iter().filter_map(|value| reader.workspace(value)).collect();
        let active = field::<WorkspaceId>(value, "active")
            .filter(|active| workspaces.iter().any(|workspace| workspace.id == *active))
            .or_else(|| workspaces.first().map(|workspace| workspace.id));
        let mut last: Last = field(value, "last").unwrap_or_default();
        let Seen { workspaces: ids, tabs, panes, .. } = &reader.seen;
        last.workspace = last.workspace.max(ids.last().map_or(0, |id| id.0));
        last.tab = last.tab.max(tabs.last().map_or(0, |id| id.0));
        last.pane = last.pane.max(panes.last().map_or(0, |id| id.0));
        Self { active, last, workspaces }
    }
}

impl Tab {
    /// Its panes in layout order.
    pub fn panes(&self) -> impl Iterator<Item = &Pane> {
        self.layout.iter().filter_map(|node| match node {
            Node::Pane(pane) => Some(pane),
            Node::Split { .. } => None,
        })
    }
}

/// A field, if it is there and what it should be.
fn field<T: DeserializeOwned>(value: &Value, name: &str) -> Option<T> {
    T::deserialize(value.get(name)?).ok()
}

/// Ids that were given already.
#[derive(Default)]
struct Seen {
    workspaces: BTreeSet<WorkspaceId>,
    tabs: BTreeSet<TabId>,
    panes: BTreeSet<PaneId>,
    aliases: BTreeSet<String>,
}

struct Reader<'a> {
    lost: &'a mut Vec<String>,
    seen: Seen,
}

impl Reader<'_> {
    fn list<'v>(&mut self, value: &'v Value, name: &str, of: &str) -> &'v [Value] {
        let list = value.get(name).and_then(Value::as_array);
        if list.is_none() {
            self.lost.push(format!("`{name}` of {of} is missing"));
        }
        list.map_or(&[], Vec::as_slice)
    }

    fn workspace(&mut self, value: &Value) -> Option<Workspace> {
        let id = field::<WorkspaceId>(value, "id").filter(|id| usable(id.0));
        let root = field::<String>(value, "root").filter(|root| std::path::Path::new(root).has_root());
        let (Some(id), Some(root)) = (id, root) else {
            self.lost.push("a workspace without an id or a folder".to_owned());
            return None;
        };
        if !self.seen.workspaces.insert(id) {
            self.lost.push(format!("workspace {id} stood there twice"));
            return None;
        }
        let tabs = self.list(value, "tabs", &format!("workspace {id}"));
        let tabs: Vec<Tab> = tabs.iter().filter_map(|value| self.tab(value)).collect();
        let Some(first) = tabs.first() else {
            self.lost.push(format!("workspace {id} has no tab that can be restored"));
            return None;
        };
        let active = field(value, "active").filter(|active| tabs.iter().any(|tab| tab.id == *active));
        Some(Workspace {
            id,
            label: field(value, "label"),
            root,
            pinned: field(value, "pinned").unwrap_or(false),
            active: active.unwrap_or(first.id),
            tabs,
        })
    }

    fn tab(&mut self, value: &Value) -> Option<Tab> {
        let Some(id) = field::<TabId>(value, "id").filter(|id| usable(id.0)) else {
            self.lost.push("a tab without an id".to_owned());
            return None;
        };
        if !self.seen.tabs.insert(id) {
            self.lost.push(format!("tab {id} stood there twice"));
            return None;
        }
        let nodes = self.list(value, "layout", &format!("tab {id}"));
        let Some(layout) = self.layout(nodes, id) else {
            self.lost.push(format!("tab {id} has no pane that can be restored"));
            return None;
        };
        let mut panes = layout.iter().filter_map(|node| match node {
            Node::Pane(pane) => Some(pane.pane),
            Node::Split { .. } => None,
        });
        let wanted: Option<PaneId> = field(value, "focused");
        let first = panes.next()?;
        let whole = std::iter::once(first).chain(panes).any(|pane| Some(pane) == wanted);
        let focused = wanted.filter(|_| whole).unwrap_or(first);
        let zoomed = whole && field(value, "zoomed").unwrap_or(false);
        Some(Tab { id, name: field(value, "name"), focused, zoomed, layout })
    }

    /// The layout without the panes that cannot be read: their siblings take their places.
    fn layout(&mut self, nodes: &[Value], tab: TabId) -> Option<Vec<Node>> {
        // In the order of the list, so that of two panes with one id the first one counts.
        let nodes: Vec<Option<Node>> = nodes.iter().map(|value| self.node(value)).collect();
        // From the end, so that the sides of a split are there when it comes.
        let mut sides: Vec<(Vec<Node>, usize)> = Vec::new();
        let mut broken = false;
        for node in nodes.into_iter().rev() {
            let side = match node {
                None => (Vec::new(), 0),
                Some(Node::Pane(pane)) => (vec![Node::Pane(pane)], 0),
                Some(split @ Node::Split { .. }) => {
                    let (a, b) = (sides.pop(), sides.pop());
                    broken |= b.is_none();
                    joined(split, a.unwrap_or_default(), b.unwrap_or_default())
                }
            };
            sides.push(side);
        }
        let (layout, depth) = sides.pop()?;
        if broken || !sides.is_empty() || depth > DEPTH {
            self.lost.push(format!("the layout of tab {tab} is not whole"));
        }
        Some(layout).filter(|layout| !layout.is_empty() && depth <= DEPTH)
    }

    /// A split, a pane, or nothing for a pane that cannot be restored.
    fn node(&mut self, value: &Value) -> Option<Node> {
        if value.get("split").is_some() {
            let split = field(value, "split").unwrap_or(Axis::Horizontal);
            let ratio = field::<f32>(value, "ratio").filter(|ratio| (0.0..=1.0).contains(ratio));
            return Some(Node::Split { split, ratio: ratio.unwrap_or(0.5) });
        }
        let pane = Pane::deserialize(value).ok().filter(|pane| usable(pane.pane.0));
        let Some(mut pane) = pane else {
            self.lost.push("a pane that cannot be read".to_owned());
            return None;
        };
        let id = pane.pane;
        if self.seen.panes.len() >= TERMINALS {
            self.lost.push(format!("pane {id}: a server has at most {TERMINALS} panes"));
            return None;
        }
        if !self.seen.panes.insert(id) {
            self.lost.push(format!("pane {id} stood there twice"));
            return None;
        }
        if pane.alias.as_ref().is_some_and(|alias| !self.seen.aliases.insert(alias.clone())) {
            self.lost.push(format!("the name of pane {id} was another pane's"));
            pane.alias = None;
        }
        Some(Node::Pane(pane))
    }
}

/// Ids begin at one, and some are left to be given out.
fn usable(id: u32) -> bool {
    (1..u32::MAX / 2).contains(&id)
}

fn joined(split: Node, a: (Vec<Node>, usize), b: (Vec<Node>, usize)) -> (Vec<Node>, usize) {
    match (a.0.is_empty(), b.0.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => {
            let mut nodes = Vec::with_capacity(1 + a.0.len() + b.0.len());
            nodes.push(split);
            nodes.extend(a.0);
            nodes.extend(b.0);
            (nodes, a.1.max(b.1) + 1)
        }
    }
}

#[cfg(test)]
mod tests;
