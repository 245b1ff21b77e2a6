//! The model, driven: layouts in, commands, layouts out.

mod commands;
mod properties;

use super::notation::{node, pane, text};
use super::*;
use crate::protocol::command::ClosePolicy;
use crate::protocol::geometry::Axis;

/// A context with a wide screen.
pub fn context() -> Context {
    Context {
        area: Size::new(50, 160),
        home: "/home/me".into(),
        new_pane_to_root: false,
        exit_when_empty: false,
    }
}

/// A session with one workspace `/w` whose tabs have these layouts; the first pane of the first tab
/// is focused.
pub fn model(tabs: &[&str]) -> Model {
    let mut model = Model::default();
    for (index, layout) in tabs.iter().enumerate() {
        let tree = node(layout);
        let id = TabId(u32::try_from(index).unwrap() + 1);
        for pane in tree.panes() {
            let state = Pane {
                tab: id,
                alias: None,
                label: None,
                argv: None,
                restore: true,
                spawned: false,
                metadata: None,
                focused_at: 0,
            };
            model.panes.insert(pane, state);
            model.last_pane = model.last_pane.max(pane.0);
        }
        let tab = Tab { tree: tree.clone(), ..Tab::new(id, tree.panes()[0]) };
        match model.workspaces.first_mut() {
            Some(workspace) => workspace.tabs.push(tab),
            None => model.workspaces.push(Workspace {
                id: WorkspaceId(1),
                label: None,
                root: "/w".into(),
                pinned: false,
                tabs: vec![tab],
                active: id,
            }),
        }
        model.last_tab = id.0;
    }
    model.last_workspace = 1;
    run(&mut model, Command::FocusTab { tab: TabId(1) });
    model
}

/// Carries out a command that must succeed.
pub fn run(model: &mut Model, command: Command) -> Outcome {
    let told = format!("{command:?}");
    let outcome = model.apply(command, &context()).unwrap_or_else(|error| panic!("{told}: {error}"));
    assert_eq!(model.check(), Ok(()), "{told}");
    outcome
}

/// Carries out a command that must be refused and change nothing.
pub fn refuse(model: &mut Model, command: Command) -> ModelError {
    let before = model.clone();
    let error = model.apply(command, &context()).expect_err("refused");
    assert_eq!(*model, before);
    error
}

/// All tabs' layouts, the focused pane in brackets, workspaces apart by `;;`.
pub fn picture(model: &Model) -> String {
    let tab = |tab: &Tab| {
        let zoom = if tab.zoomed { "!" } else { "" };
        format!("{}{zoom}", text(&tab.tree))
    };
    let workspaces = model.workspaces.iter().map(|workspace| {
        let tabs: Vec<_> = workspace.tabs.iter().map(tab).collect();
        tabs.join("; ")
    });
    let all: Vec<_> = workspaces.collect();
    let focus = model.focused().map_or_else(|| "-".to_owned(), |pane| pane.to_string());
    format!("{} @{focus}", all.join(";; "))
}

pub fn split(from: u32, axis: Axis, focus: bool) -> Command {
    Command::SplitPane { pane: Some(pane(from)), axis: Some(axis), launch: Launch::default(), focus }
}

pub fn focus(number: u32) -> Command {
    Command::FocusPane { pane: pane(number) }
}

pub fn close(number: u32) -> Command {
    Command::ClosePane { pane: Some(pane(number)), policy: ClosePolicy::Force }
}

pub fn open(path: &str) -> Command {
    Command::OpenWorkspace { path: path.into(), focus: true, reuse: true, launch: Launch::default() }
}
