//! The mouse: what it focuses, drags, scrolls and forwards.

use super::scenes::{
    ONE, THREE, TWO, command, drawn, event, frame, picture, show, split, state, with_sidebar, workspace,
};
use crate::client::input::Event;
use crate::client::out::Out;
use crate::client::state::{Hit, State};
use crate::protocol::attach::message::{Room, ScrollTo, ToServer};
use crate::protocol::command::{ClosePolicy, Command, Launch, Side};
use crate::protocol::frame::{Frame, Position, ScreenModes};
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::protocol::scene::PaneScene;

const LEFT: MouseButton = MouseButton::Left;

fn shown() -> State {
    let mut state = state();
    show(&mut state, split());
    drawn(&mut state);
    state
}

fn with_mouse(state: &mut State, pane: PaneId, size: Size) {
    picture(state, pane, &Frame { modes: ScreenModes::MOUSE, ..frame(1, size, &["x"]) });
}

fn at(state: &mut State, kind: MouseKind, row: u16, col: u16) -> Vec<Out> {
    event(state, Event::Mouse(MouseEvent { kind, row, col, modifiers: Modifiers::NONE }))
}

fn forwarded(pane: PaneId, kind: MouseKind, row: u16, col: u16) -> Out {
    Out::Send(ToServer::Mouse(pane, MouseEvent { kind, row, col, modifiers: Modifiers::NONE }))
}

#[test]
fn a_click_focuses_and_is_forwarded_with_its_release() {
    let mut state = shown();
    with_mouse(&mut state, ONE, Size::new(8, 28));
    let press = MouseKind::Press(LEFT);
    let focus = Out::Send(ToServer::Command(Command::FocusPane { pane: ONE }));
    assert_eq!(at(&mut state, press, 3, 5), [focus, forwarded(ONE, press, 1, 4)]);
    let drag = MouseKind::Drag(LEFT);
    assert_eq!(at(&mut state, drag, 3, 50), [forwarded(ONE, drag, 1, 27)], "kept inside its pane");
    let release = MouseKind::Release(LEFT);
    assert_eq!(at(&mut state, release, 11, 50), [forwarded(ONE, release, 7, 27)]);
    assert_eq!(at(&mut state, release, 11, 50), []);
}

#[test]
fn a_lost_release_is_made_up_for() {
    let mut state = shown();
    with_mouse(&mut state, TWO, Size::new(4, 29));
    let press = MouseKind::Press(LEFT);
    assert_eq!(at(&mut state, press, 2, 31), [forwarded(TWO, press, 0, 1)]);
    let focus = Out::Send(ToServer::Command(Command::FocusPane { pane: THREE }));
    assert_eq!(at(&mut state, press, 8, 31), [forwarded(TWO, MouseKind::Release(LEFT), 0, 1), focus]);
}

#[test]
fn shift_keeps_the_mouse_from_the_child() {
    let mut state = shown();
    with_mouse(&mut state, TWO, Size::new(4, 29));
    let kind = MouseKind::Press(LEFT);
    let shifted = MouseEvent { kind, row: 2, col: 31, modifiers: Modifiers::SHIFT };
    assert_eq!(event(&mut state, Event::Mouse(shifted)), []);
}

#[test]
fn the_wheel_scrolls_or_goes_to_the_child() {
    let mut state = shown();
    let size = Size::new(4, 29);
    let history = Position { above: 50, below: 0 };
    picture(&mut state, TWO, &Frame { position: history, ..frame(1, size, &["x"]) });
    assert_eq!(at(&mut state, MouseKind::WheelDown, 2, 31), []);
    let up = MouseKind::WheelUp;
    assert_eq!(at(&mut state, up, 2, 31), [Out::Send(ToServer::Scroll(TWO, ScrollTo::Up(3)))]);
    let scrolled = Position { above: 47, below: 3 };
    picture(&mut state, TWO, &Frame { position: scrolled, ..frame(1, size, &["x"]) });
    let down = [Out::Send(ToServer::Scroll(TWO, ScrollTo::Up(-3)))];
    assert_eq!(at(&mut state, MouseKind::WheelDown, 2, 31), down);
    picture(
        &mut state,
        THREE,
        &Frame { modes: ScreenModes::ALTERNATE, ..frame(1, Size::new(3, 29), &["x"]) },
    );
    assert_eq!(at(&mut state, up, 8, 31), [forwarded(THREE, up, 1, 1)]);
}

#[test]
fn a_divider_follows_the_pointer_and_brightens_under_it() {
    let mut state = shown();
    assert_eq!(at(&mut state, MouseKind::Move, 3, 29), []);
    assert_eq!(state.hover, Some(0));
    assert_eq!(at(&mut state, MouseKind::Press(LEFT), 3, 29), []);
    let ratio = |path: Vec<Side>, ratio| command(Command::SetSplitRatio { tab: TabId(1), path, ratio });
    let dragged = at(&mut state, MouseKind::Drag(LEFT), 4, 20);
    assert_eq!(dragged, ratio(vec![], 20.0 / 59.0));
    assert_eq!(at(&mut state, MouseKind::Drag(LEFT), 5, 20), [], "still on the same column");
    at(&mut state, MouseKind::Release(LEFT), 5, 20);
    at(&mut state, MouseKind::Press(LEFT), 6, 55);
    assert_eq!(at(&mut state, MouseKind::Drag(LEFT), 4, 55), ratio(vec![Side::B], 3.0 / 9.0));
}

#[test]
fn bars_and_docks_are_clicked() {
    let mut state = with_sidebar(Size::new(20, 90));
    let mut scene = split();
    scene.workspaces.push(super::scenes::workspace(2, "api", false, vec![super::scenes::tab(3, "", true)]));
    let working = super::scenes::agent("claude", crate::protocol::agent::AgentState::Working);
    scene.panes[1] = PaneScene { name: None, agent: Some(working), ..scene.panes[1].clone() };
    show(&mut state, scene);
    let rows = drawn(&mut state);
    let column = |row: usize, text: &str| {
        let before = rows[row].find(text).unwrap_or_else(|| panic!("{text} in {rows:#?}"));
        u16::try_from(rows[row][..before].chars().count()).expect("small")
    };
    let press = MouseKind::Press(LEFT);
    let (logs, close) = (column(0, "logs"), column(0, "×"));
    assert_eq!(at(&mut state, press, 0, logs), command(Command::FocusTab { tab: TabId(2) }));
    let policy = ClosePolicy::Ask;
    assert_eq!(at(&mut state, press, 0, close), command(Command::CloseTab { tab: Some(TabId(1)), policy }));
    let new = Command::NewTab { workspace: Some(WorkspaceId(1)), launch: Launch::default(), focus: true };
    let plus =
        u16::try_from(rows[0].chars().count() - rows[0].chars().rev().position(|c| c == '+').expect("+") - 1);
    assert_eq!(at(&mut state, press, 0, plus.expect("small")), command(new));
    let api = rows.iter().position(|row| row.contains(" api")).expect("a row");
    let focus = Command::FocusWorkspace { workspace: WorkspaceId(2) };
    assert_eq!(at(&mut state, press, u16::try_from(api).expect("small"), 3), command(focus));
    let agent = rows.iter().position(|row| row.starts_with("▎ ● claude")).expect("a row");
    let focus = Command::FocusPane { pane: TWO };
    assert_eq!(at(&mut state, press, u16::try_from(agent).expect("small"), 3), command(focus));
    let toggle = column(0, "«");
    assert_eq!(
        at(&mut state, press, 0, toggle),
        [Out::Send(ToServer::Resize(Room { area: Size::new(18, 90), alone: false }))]
    );
}

#[test]
fn the_edge_of_a_sidebar_is_dragged() {
    let mut state = with_sidebar(Size::new(20, 90));
    show(&mut state, split());
    drawn(&mut state);
    let edge = state.left.width - 1;
    at(&mut state, MouseKind::Press(LEFT), 10, edge);
    let narrower = at(&mut state, MouseKind::Drag(LEFT), 10, 19);
    assert_eq!(narrower, [Out::Send(ToServer::Resize(Room { area: Size::new(18, 70), alone: false }))]);
    assert_eq!(state.left.width, 20);
}

#[test]
fn the_wheel_moves_a_list_that_is_cut_until_the_focus_changes() {
    let mut state = with_sidebar(Size::new(12, 90));
    let mut scene = split();
    scene.workspaces.extend((2..=9).map(|id| workspace(id, &format!("api{id}"), false, vec![])));
    show(&mut state, scene.clone());
    let first = |state: &mut State| drawn(state)[1].chars().skip(2).take(5).collect::<String>();
    assert_eq!(first(&mut state), "luvus");
    assert_eq!(at(&mut state, MouseKind::WheelDown, 1, 5), []);
    assert_eq!(first(&mut state), "api2 ");
    for _ in 0..20 {
        at(&mut state, MouseKind::WheelDown, 0, 5);
    }
    assert_eq!(first(&mut state), "api8 ", "the end stays in view");
    at(&mut state, MouseKind::WheelUp, 1, 5);
    assert_eq!(first(&mut state), "api7 ");
    scene.layout.focused = Some(ONE);
    show(&mut state, scene);
    assert_eq!(first(&mut state), "luvus");
}

#[test]
fn a_dragged_tab_passes_another_behind_its_middle() {
    let mut state = shown();
    // ` »  1 ×  2 logs  +`: the second one has columns 8 to 15.
    let focus = command(Command::FocusTab { tab: TabId(1) });
    assert_eq!(at(&mut state, MouseKind::Press(LEFT), 0, 4), focus);
    let drag = MouseKind::Drag(LEFT);
    assert_eq!(at(&mut state, drag, 0, 10), []);
    let moved = command(Command::MoveTab { tab: TabId(1), to: 1 });
    assert_eq!(at(&mut state, drag, 2, 13), moved, "the row does not matter");
    assert_eq!(at(&mut state, drag, 0, 14), [], "not twice");
    assert_eq!(at(&mut state, MouseKind::Release(LEFT), 0, 14), []);
    assert_eq!(at(&mut state, drag, 0, 12), []);
}

#[test]
fn a_dragged_workspace_stays_among_its_own() {
    let mut state = with_sidebar(Size::new(20, 110));
    let mut scene = split();
    scene.workspaces.push(workspace(2, "api", false, vec![]));
    scene.workspaces.push(workspace(3, "web", false, vec![]));
    scene.workspaces[2].pinned = true;
    show(&mut state, scene);
    drawn(&mut state);
    let row = |state: &State, id| {
        let own = |(_, hit): &&(_, Hit)| *hit == Hit::Workspace(WorkspaceId(id));
        state.hits.iter().find(own).map(|(rect, _)| rect.bottom() - 1).expect("a row")
    };
    let (first, second, pinned) = (row(&state, 1), row(&state, 2), row(&state, 3));
    at(&mut state, MouseKind::Press(LEFT), first, 3);
    let drag = MouseKind::Drag(LEFT);
    assert_eq!(at(&mut state, drag, pinned, 3), []);
    let moved = command(Command::MoveWorkspace { workspace: WorkspaceId(1), to: 1 });
    assert_eq!(at(&mut state, drag, second, 3), moved);
}
