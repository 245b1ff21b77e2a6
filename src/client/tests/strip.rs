//! The prompt strip: whom a line is for.

use super::scenes::{ONE, THREE, TWO, agent, drawn, prefixed, press, show, sized, split};
use crate::client::out::Out;
use crate::client::state::State;
use crate::protocol::agent::AgentState;
use crate::protocol::attach::message::ToServer;
use crate::protocol::geometry::Size;
use crate::protocol::ids::PaneId;

fn opened() -> State {
    let mut state = sized(Size::new(24, 90));
    let mut scene = split();
    scene.panes[2].agent = Some(agent("claude", AgentState::Idle));
    show(&mut state, scene);
    assert_eq!(prefixed(&mut state, "Enter"), []);
    for key in ["g", "o"] {
        press(&mut state, key);
    }
    state
}

fn told(panes: &[PaneId]) -> Vec<Out> {
    vec![Out::Send(ToServer::Tell(panes.to_vec(), "go".into()))]
}

#[test]
fn a_line_goes_to_the_panes_that_are_named() {
    for (tabs, panes) in [(0, vec![TWO]), (1, vec![ONE, TWO, THREE]), (2, vec![THREE])] {
        let mut state = opened();
        for _ in 0..tabs {
            press(&mut state, "Tab");
        }
        assert_eq!(press(&mut state, "Enter"), told(&panes));
        assert_eq!(state.layers, []);
    }
}

#[test]
fn panes_are_picked_from_a_list() {
    let mut state = opened();
    for _ in 0..3 {
        press(&mut state, "Tab");
    }
    assert!(drawn(&mut state).iter().any(|row| row.contains("picked panes: nobody")));
    assert_eq!(press(&mut state, "Enter"), [], "nobody is picked");
    press(&mut state, "ctrl+t");
    press(&mut state, "Down");
    press(&mut state, "ctrl+t");
    press(&mut state, "ctrl+t");
    press(&mut state, "Down");
    press(&mut state, "ctrl+t");
    let rows = drawn(&mut state);
    assert!(rows.iter().any(|row| row.contains("[x] notes (3)")), "{rows:#?}");
    assert_eq!(press(&mut state, "Enter"), told(&[ONE, THREE]));
}

#[test]
fn nothing_is_sent_without_a_line_and_escape_leaves() {
    let mut state = opened();
    press(&mut state, "ctrl+u");
    assert_eq!(press(&mut state, "Enter"), []);
    assert_eq!(state.layers.len(), 1);
    assert_eq!(press(&mut state, "Esc"), []);
    assert_eq!(state.layers, []);
}
