//! Context menus: what they offer for a pane, a tab or a workspace, and keys in them.

use super::picker::Step;
use crate::client::scratch;
use crate::client::state::{Choice, Hit, Item, Layer, Menu, State};
use crate::config::keymap::Action;
use crate::protocol::command::{ClosePolicy, Command, Launch, MoveTarget};
use crate::protocol::geometry::Axis;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::key::{KeyCode, KeyEvent};

/// Opens the menu of what lies under the pointer; false if it has none.
pub fn open(state: &mut State, hit: Hit, at: (u16, u16)) -> bool {
    let Some(menu) = of(state, hit, at) else { return false };
    state.layers.push(menu);
    state.damage.full = true;
    true
}

/// The menu of a thing, if it has one.
pub fn of(state: &State, hit: Hit, at: (u16, u16)) -> Option<Layer> {
    let (title, items) = match hit {
        Hit::Pane(pane) | Hit::Frame(pane) => of_pane(state, pane),
        Hit::Agent(pane) => of_agent(state, pane),
        Hit::Past(index) => of_past(state, index),
        Hit::Tab(tab) | Hit::CloseTab(tab) => of_tab(state, tab),
        Hit::Workspace(workspace) => of_workspace(state, workspace),
        _ => None,
    }?;
    Some(Layer::Menu(Menu { title, items, selected: 0, at }))
}

/// Takes a key.
pub fn key(menu: &mut Menu, event: KeyEvent) -> Step {
    match event.code {
        KeyCode::Up | KeyCode::Char('k') => menu.step(false),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => menu.step(true),
        KeyCode::Enter | KeyCode::Char(' ') => return choose(menu, menu.selected),
        KeyCode::Escape | KeyCode::Char('q') => return Step::Close,
        _ => {}
    }
    Step::Stay
}

/// Chooses a line.
pub fn choose(menu: &Menu, index: usize) -> Step {
    menu.items.get(index).map_or(Step::Close, |item| Step::Choose(item.choice.clone()))
}

/// A line that does to its own thing what an action does to the focused one.
fn like(state: &State, text: &'static str, action: Action, command: Command) -> Item {
    Item { text, keys: keys(state, action), choice: Choice::Command(command) }
}

/// A line that no key does the same as.
fn only(text: &'static str, command: Command) -> Item {
    Item { text, keys: String::new(), choice: Choice::Command(command) }
}

/// A line that is an action itself.
fn action(state: &State, text: &'static str, action: Action) -> Item {
    Item { text, keys: keys(state, action), choice: Choice::Action(action) }
}

fn keys(state: &State, action: Action) -> String {
    state.keymap.keys_of(action).into_iter().next().unwrap_or_default()
}

fn of_pane(state: &State, pane: PaneId) -> Option<(String, Vec<Item>)> {
    let scene = state.scene()?;
    if scratch::is(state, pane) {
        let items = vec![action(state, "Hide", Action::Scratch), action(state, "Close", Action::ClosePane)];
        return Some(("scratch terminal".to_owned(), items));
    }
    let title = scene.pane(pane)?.display_name().to_owned();
    let on = Some(pane);
    let split = |axis| Command::SplitPane { pane: on, axis, launch: Launch::default(), focus: true };
    let own = scene.layout.focused == on;
    let mut items = vec![
        like(state, "Split right", Action::SplitRight, split(Some(Axis::Horizontal))),
        like(state, "Split down", Action::SplitDown, split(Some(Axis::Vertical))),
        like(state, "Zoom", Action::ZoomPane, Command::ZoomPane { pane: on, zoomed: None }),
        like(
            state,
            "Move to a new tab",
            Action::MovePaneToNewTab,
            Command::MovePane { pane: on, to: MoveTarget::NewTab },
        ),
    ];
    if own {
        items.push(action(state, "Move to a tab…", Action::MovePaneToTab));
        items.push(action(state, "Name…", Action::RenamePane));
    }
    if own && scene.pane(pane)?.agent.as_ref().is_some_and(|agent| agent.kind.is_some()) {
        items.push(action(state, "Fork the conversation", Action::ForkAgent));
    }
    let policy = ClosePolicy::Ask;
    items.push(like(state, "Close", Action::ClosePane, Command::ClosePane { pane: on, policy }));
    Some((title, items))
}

/// What can be done with an agent: first what a person comes for.
fn of_agent(state: &State, pane: PaneId) -> Option<(String, Vec<Item>)> {
    let (title, of_its_pane) = of_pane(state, pane)?;
    let look = Item { text: "Look and answer", keys: String::new(), choice: Choice::Mission(pane) };
    let mut items = vec![only("Go there", Command::FocusPane { pane }), look];
    items.extend(of_its_pane);
    Some((title, items))
}

fn of_past(state: &State, index: usize) -> Option<(String, Vec<Item>)> {
    let past = state.conversations.get(index)?;
    let choice = Choice::Resume { agent: past.agent.clone(), id: past.id.clone() };
    let item = Item { text: "Go on with it", keys: String::new(), choice };
    Some((past.title.clone().unwrap_or_else(|| past.agent.clone()), vec![item]))
}

fn of_tab(state: &State, tab: TabId) -> Option<(String, Vec<Item>)> {
    let scene = state.scene()?;
    let workspace =
        scene.workspaces.iter().find(|workspace| workspace.tabs.iter().any(|own| own.id == tab))?;
    let index = workspace.tabs.iter().position(|own| own.id == tab)?;
    let found = workspace.tabs.get(index)?;
    let title = found.name.clone().unwrap_or_else(|| format!("tab {}", index + 1));
    let mut items = vec![only("Go there", Command::FocusTab { tab })];
    if found.active && workspace.active {
        items.push(action(state, "Rename…", Action::RenameTab));
    }
    if let Some(before) = index.checked_sub(1) {
        items.push(only("Move left", Command::MoveTab { tab, to: before }));
    }
    if index + 1 < workspace.tabs.len() {
        items.push(only("Move right", Command::MoveTab { tab, to: index + 1 }));
    }
    let policy = ClosePolicy::Ask;
    items.push(like(state, "Close", Action::CloseTab, Command::CloseTab { tab: Some(tab), policy }));
    Some((title, items))
}

fn of_workspace(state: &State, workspace: WorkspaceId) -> Option<(String, Vec<Item>)> {
    let scene = state.scene()?;
    let found = scene.workspaces.iter().find(|own| own.id == workspace)?;
    let mut items = vec![only("Go there", Command::FocusWorkspace { workspace })];
    if found.active {
        items.push(action(state, "Rename…", Action::RenameWorkspace));
    }
    let pin = if found.pinned { "Unpin" } else { "Pin" };
    items.push(only(pin, Command::PinWorkspace { workspace, pinned: !found.pinned }));
    let new = Command::NewTab { workspace: Some(workspace), launch: Launch::default(), focus: true };
    items.push(only("New tab", new));
    let close = Command::CloseWorkspace { workspace: Some(workspace), policy: ClosePolicy::Ask };
    items.push(like(state, "Close", Action::CloseWorkspace, close));
    Some((found.name.clone(), items))
}
