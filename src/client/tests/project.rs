//! The question whether a project's layout is made.

use super::scenes::{command, drawn, prefixed, press, show, split, state};
use crate::client::out::Out;
use crate::client::state::State;
use crate::client::update::{Input, update};
use crate::protocol::attach::message::{Offer, ProjectWish, ToClient, ToServer};
use crate::protocol::command::{Command, MoveTarget};
use crate::protocol::ids::{TabId, WorkspaceId};

fn offered(lines: usize) -> State {
    let mut state = state();
    show(&mut state, split());
    let offer = Offer {
        workspace: WorkspaceId(1),
        folder: "/home/me/shop".into(),
        lines: (0..lines).map(|line| format!("line {line}")).collect(),
        digest: "d1".into(),
        changed: false,
    };
    assert_eq!(update(&mut state, Input::Server(ToClient::Project(offer))), []);
    state
}

fn wish(wish: ProjectWish) -> Vec<Out> {
    vec![Out::Send(ToServer::Project(wish))]
}

#[test]
fn what_was_being_typed_says_neither_yes_nor_no() {
    let mut state = offered(3);
    for key in ["y", "e", "s", "Enter", "Up", "Enter", "n", "Tab", "Space", "j", "Enter"] {
        assert_eq!(press(&mut state, key), [], "{key}");
    }
    assert!(drawn(&mut state).iter().any(|row| row.contains("~/shop")));
    press(&mut state, "Down");
    let accept = wish(ProjectWish::Accept(WorkspaceId(1), "d1".into()));
    assert_eq!(press(&mut state, "Enter"), accept);
    assert!(state.layers.is_empty());
    let mut state = offered(3);
    assert_eq!(press(&mut state, "Esc"), wish(ProjectWish::Decline(WorkspaceId(1))));
}

#[test]
fn a_long_layout_is_read_to_its_end_first() {
    let mut state = offered(9);
    let shows = |state: &mut State, text: &str| drawn(state).iter().any(|row| row.contains(text));
    assert!(shows(&mut state, "line 0") && !shows(&mut state, "line 8"));
    for _ in 0..3 {
        press(&mut state, "PageDown");
        assert_eq!(press(&mut state, "Enter"), [], "not read yet");
        if shows(&mut state, "line 8") {
            break;
        }
    }
    assert!(shows(&mut state, "line 8"));
    press(&mut state, "Down");
    assert_eq!(press(&mut state, "Enter").len(), 1);
}

#[test]
fn it_waits_below_what_is_open() {
    let mut state = state();
    show(&mut state, split());
    prefixed(&mut state, ":");
    let offer = Offer {
        workspace: WorkspaceId(1),
        folder: "/x".into(),
        lines: vec!["a".into()],
        digest: "d".into(),
        changed: true,
    };
    update(&mut state, Input::Server(ToClient::Project(offer)));
    assert!(drawn(&mut state).iter().any(|row| row.contains("Commands")));
    press(&mut state, "Esc");
    assert!(drawn(&mut state).iter().any(|row| row.contains("has changed since")));
}

#[test]
fn the_focused_pane_moves_to_a_chosen_tab() {
    let mut state = state();
    show(&mut state, split());
    prefixed(&mut state, "I");
    assert!(drawn(&mut state).iter().any(|row| row.contains("tab 2 logs")));
    let to = MoveTarget::Tab(TabId(2));
    let moved = command(Command::MovePane { pane: Some(super::scenes::TWO), to });
    assert_eq!(press(&mut state, "Enter"), moved);
}
