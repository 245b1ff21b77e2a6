//! What each action of the keymap does. Commands carry the ids of the scene that the person saw.

use super::layers::{dock, finder, mission, picker, preferences, project, prompt, sessions, strip, touch};
use super::options::Ending;
use super::out::Out;
use super::state::{Choice, Dock, Help, Layer, Mode, Source, State, next_in, sidebar_order};
use super::{copy, scratch, scroll, sidebars};
use crate::config::keymap::Action;
use crate::protocol::agent::AgentState;
use crate::protocol::attach::message::{Level, ToServer};
use crate::protocol::command::{Arrangement, ClosePolicy, Command, Launch, MoveTarget, Step};
use crate::protocol::geometry::{Axis, Direction};
use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::protocol::scene::{Scene, TabScene, WorkspaceScene};

/// Carries out an action.
pub fn run(state: &mut State, action: Action, out: &mut Vec<Out>) {
    if scratch::steps_aside(action) {
        scratch::hide(state, out);
    }
    match action {
        Action::Scratch => scratch::toggle(state, out),
        Action::ClosePane if scratch::shown(state).is_some() => scratch::close(state, out),
        Action::ResizeMode => state.set_mode(Mode::Resize),
        Action::RenamePane => prompt::open(state, prompt::rename_pane),
        Action::RenameTab => prompt::open(state, prompt::rename_tab),
        Action::RenameWorkspace => prompt::open(state, prompt::rename_workspace),
        Action::NewWorkspace => prompt::new_workspace(state),
        Action::FocusWorkspacesDock => dock::focus(state, Dock::Workspaces, out),
        Action::FocusAgentsDock => dock::focus(state, Dock::Agents, out),
        Action::AgentScope => state.agents_here = !state.agents_here,
        Action::AgentFilter => dock::filter(state, out),
        Action::NextBlocked => next_agent(state, AgentState::Blocked, out),
        Action::NextDone => next_agent(state, AgentState::Done, out),
        Action::ToggleSidebars => sidebars::toggle_both(state, out),
        Action::ToggleRightSidebar => sidebars::toggle_right(state, out),
        Action::ScrollMode => {
            if let Some(pane) = state.focused() {
                scroll::enter_in_place(state, pane);
            }
        }
        Action::CopyMode => copy::enter(state, out),
        Action::CommandPalette => picker::open(state, Source::Commands),
        Action::MissionControl => mission::open(state, out),
        Action::Notifications => picker::open(state, Source::Notifications),
        Action::OpenNotification => open_notification(state, out),
        Action::Settings => preferences::open(state),
        Action::Finder => finder::open(state, out),
        Action::PromptStrip => strip::open(state),
        Action::SessionSwitcher => sessions::open(state, out),
        Action::RestoreReport => sessions::open_report(state, out),
        Action::MovePaneToTab => move_to_tab(state),
        Action::ForkAgent => fork(state, out),
        Action::ProjectLayout => project::look(state, out),
        Action::JumpPalette => picker::open(state, Source::Jump),
        Action::Menu => touch::open(state),
        Action::Help => state.layers.push(Layer::Help(Help::default())),
        Action::Detach => {
            out.push(Out::Send(ToServer::Detach));
            out.push(Out::Leave(Ending::Detached));
        }
        Action::Tab(number) => tab_number(state, number, out),
        Action::Workspace(number) => workspace_number(state, number, out),
        model_action => {
            let command = state.scene().and_then(|scene| command(scene, model_action));
            out.extend(command.map(Out::command));
        }
    }
    state.damage.full = true;
}

/// Does what was chosen in a list or a menu.
pub fn choose(state: &mut State, choice: Choice, out: &mut Vec<Out>) {
    // Who goes somewhere else takes the keyboard along.
    if matches!(
        choice,
        Choice::Command(Command::FocusPane { .. }) | Choice::Mission(_) | Choice::Resume { .. }
    ) {
        state.layers.retain(|layer| !matches!(layer, Layer::Dock(_)));
    }
    match choice {
        Choice::Action(action) => run(state, action, out),
        Choice::Command(command) => {
            scratch::hide(state, out);
            out.push(Out::command(command));
        }
        Choice::EndScratch => scratch::end(state, out),
        Choice::Line(pane, row) => {
            scratch::hide(state, out);
            state.line = Some((pane, row));
            if state.focused() != Some(pane) {
                out.push(Out::command(Command::FocusPane { pane }));
            }
            scroll::to_line(state, out);
        }
        Choice::Paste(text) => {
            if let Some(pane) = state.focused() {
                scroll::leave(state, pane, out);
                out.push(Out::Send(ToServer::Paste(pane, text)));
            }
        }
        Choice::Mission(pane) => mission::open_at(state, Some(pane), out),
        Choice::Resume { agent, id } => {
            state.notices.show(Level::Info, format!("going on with a conversation of {agent}…"));
            out.push(Out::Send(ToServer::Resume { agent, id }));
        }
        Choice::Sessions(wish) => out.push(Out::Sessions(wish)),
        Choice::SwitchSession(name) if name == state.session => {}
        Choice::SwitchSession(name) => {
            out.push(Out::Send(ToServer::Detach));
            out.push(Out::Leave(Ending::Switch(name)));
        }
    }
    state.damage.full = true;
}

/// The command of an action that is one, in a scene; `None` where it has nothing to act on.
fn command(scene: &Scene, action: Action) -> Option<Command> {
    let pane = scene.layout.focused;
    let split = |axis| Command::SplitPane { pane, axis, launch: Launch::default(), focus: true };
    let direction = |direction| Command::FocusDirection { pane, direction };
    let policy = ClosePolicy::Ask;
    Some(match action {
        Action::FocusLeft => direction(Direction::Left),
        Action::FocusDown => direction(Direction::Down),
        Action::FocusUp => direction(Direction::Up),
        Action::FocusRight => direction(Direction::Right),
        Action::NextPane => Command::FocusPane { pane: next_pane(scene)? },
        Action::FocusBack => Command::StepFocusHistory { step: Step::Previous },
        Action::FocusForward => Command::StepFocusHistory { step: Step::Next },
        Action::SplitRight => split(Some(Axis::Horizontal)),
        Action::SplitDown => split(Some(Axis::Vertical)),
        Action::SplitAuto => split(None),
        Action::ClosePane => Command::ClosePane { pane, policy },
        Action::ZoomPane => Command::ZoomPane { pane, zoomed: None },
        Action::SwapPrevious => Command::SwapStep { pane, step: Step::Previous },
        Action::SwapNext => Command::SwapStep { pane, step: Step::Next },
        Action::CycleLayout => Command::ArrangeTab { tab: Some(scene.tab()?.id), arrangement: None },
        Action::EvenLayout => arrange(scene, Arrangement::Even)?,
        Action::LayoutColumns => arrange(scene, Arrangement::Columns)?,
        Action::LayoutRows => arrange(scene, Arrangement::Rows)?,
        Action::LayoutMainLeft => arrange(scene, Arrangement::MainLeft)?,
        Action::LayoutMainTop => arrange(scene, Arrangement::MainTop)?,
        Action::LayoutGrid => arrange(scene, Arrangement::Grid)?,
        Action::MovePaneToNewTab => Command::MovePane { pane, to: MoveTarget::NewTab },
        Action::NewTab => new_tab(scene)?,
        Action::NextTab => Command::FocusTab { tab: beside(&scene.workspace()?.tabs, tab_active, true)?.id },
        Action::PreviousTab => {
            Command::FocusTab { tab: beside(&scene.workspace()?.tabs, tab_active, false)?.id }
        }
        Action::CloseTab => Command::CloseTab { tab: Some(scene.tab()?.id), policy },
        Action::CloseWorkspace => Command::CloseWorkspace { workspace: Some(scene.workspace()?.id), policy },
        Action::NextWorkspace => Command::FocusWorkspace { workspace: workspace_beside(scene, true)? },
        Action::PreviousWorkspace => Command::FocusWorkspace { workspace: workspace_beside(scene, false)? },
        Action::Tab(_)
        | Action::Workspace(_)
        | Action::ResizeMode
        | Action::RenamePane
        | Action::RenameTab
        | Action::RenameWorkspace
        | Action::NewWorkspace
        | Action::FocusWorkspacesDock
        | Action::FocusAgentsDock
        | Action::AgentScope
        | Action::AgentFilter
        | Action::NextBlocked
        | Action::NextDone
        | Action::ToggleSidebars
        | Action::ToggleRightSidebar
        | Action::ScrollMode
        | Action::CopyMode
        | Action::Scratch
        | Action::CommandPalette
        | Action::JumpPalette
        | Action::SessionSwitcher
        | Action::Settings
        | Action::Notifications
        | Action::OpenNotification
        | Action::Finder
        | Action::PromptStrip
        | Action::RestoreReport
        | Action::MovePaneToTab
        | Action::ForkAgent
        | Action::ProjectLayout
        | Action::MissionControl
        | Action::Menu
        | Action::Help
        | Action::Detach => return None,
    })
}

/// Asks for the tab that the focused pane moves to; with no other there is none to choose.
fn move_to_tab(state: &mut State) {
    if picker::rows(state, Source::MoveTo).is_empty() {
        state.warn("the workspace has no other tab".into());
    } else {
        picker::open(state, Source::MoveTo);
    }
}

/// Forks the conversation of the focused pane's agent.
fn fork(state: &mut State, out: &mut Vec<Out>) {
    let pane = state.scene().and_then(|scene| scene.pane(scene.layout.focused?));
    match pane.filter(|pane| pane.agent.as_ref().is_some_and(|agent| agent.kind.is_some())) {
        Some(pane) => out.push(Out::Send(ToServer::Fork(pane.id))),
        None => state.warn("there is no agent in this pane".into()),
    }
}

fn next_agent(state: &mut State, wanted: AgentState, out: &mut Vec<Out>) {
    match state.scene().and_then(|scene| next_in(scene, wanted)) {
        Some(pane) => out.push(Out::command(Command::FocusPane { pane })),
        None => state.notices.show(Level::Info, format!("no agent is {}", wanted.as_str())),
    }
}

/// Goes to the pane that was told of last.
fn open_notification(state: &mut State, out: &mut Vec<Out>) {
    let shown = state.alerts.close().map(|(pane, _)| pane);
    let there = |pane: PaneId| state.scene().is_some_and(|scene| scene.pane(pane).is_some());
    match shown.filter(|pane| there(*pane)).or_else(|| state.alerts.newest(there)) {
        Some(pane) => out.push(Out::command(Command::FocusPane { pane })),
        None => state.notices.show(Level::Info, "there is no notification to go to".to_owned()),
    }
}

fn arrange(scene: &Scene, arrangement: Arrangement) -> Option<Command> {
    Some(Command::ArrangeTab { tab: Some(scene.tab()?.id), arrangement: Some(arrangement) })
}

/// A new tab in the focused workspace.
pub fn new_tab(scene: &Scene) -> Option<Command> {
    let workspace = Some(scene.workspace()?.id);
    Some(Command::NewTab { workspace, launch: Launch::default(), focus: true })
}

fn tab_active(tab: &TabScene) -> bool {
    tab.active
}

/// The item after (or before) the active one, around the end.
fn beside<T>(items: &[T], active: impl Fn(&T) -> bool, forward: bool) -> Option<&T> {
    let index = items.iter().position(active)?;
    let step = if forward { 1 } else { items.len() - 1 };
    items.get((index + step) % items.len())
}

fn workspace_beside(scene: &Scene, forward: bool) -> Option<WorkspaceId> {
    let order = sidebar_order(scene);
    beside(&order, |workspace: &&WorkspaceScene| workspace.active, forward).map(|workspace| workspace.id)
}

fn next_pane(scene: &Scene) -> Option<PaneId> {
    let tab = scene.tab()?.id;
    let panes: Vec<PaneId> = scene.panes.iter().filter(|pane| pane.tab == tab).map(|pane| pane.id).collect();
    beside(&panes, |pane| Some(*pane) == scene.layout.focused, true).copied()
}

fn tab_number(state: &mut State, number: u8, out: &mut Vec<Out>) {
    let tab =
        state.scene().and_then(|scene| scene.workspace()?.tabs.get(usize::from(number).checked_sub(1)?));
    match tab.map(|tab| tab.id) {
        Some(tab) => out.push(Out::command(Command::FocusTab { tab })),
        None => state.warn(format!("there is no tab {number}")),
    }
}

fn workspace_number(state: &mut State, number: u8, out: &mut Vec<Out>) {
    let workspace = state.scene().and_then(|scene| {
        sidebar_order(scene).get(usize::from(number).checked_sub(1)?).map(|workspace| workspace.id)
    });
    match workspace {
        Some(workspace) => out.push(Out::command(Command::FocusWorkspace { workspace })),
        None => state.warn(format!("there is no workspace {number}")),
    }
}
