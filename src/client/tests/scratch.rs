//! The scratch terminal in the client: shown over the layout, hidden by what is meant for that.

use super::scenes::{ONE, TWO, command, drawn, event, frame, picture, prefixed, press, show, split, state};
use crate::client::input::Event;
use crate::client::out::Out;
use crate::client::state::{Layer, State};
use crate::protocol::attach::message::{ScratchWish, ToServer};
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::protocol::scene::{Place, Scene, Scratch};

const OWN: PaneId = PaneId(9);

fn with_scratch(busy: bool) -> Scene {
    let frame = Rect::new(2, 8, Size::new(6, 44));
    let mut pane = super::scenes::pane(OWN, "");
    (pane.tab, pane.workspace, pane.busy) = (TabId(0), WorkspaceId(0), busy);
    if busy {
        pane.program = Some("make".into());
    }
    let place = Place { pane: OWN, frame: Some(frame), content: frame.inside_frame() };
    Scene { scratch: Some(Scratch { pane, place }), ..split() }
}

fn wish(wish: ScratchWish) -> Out {
    Out::Send(ToServer::Scratch(wish))
}

fn shown(busy: bool) -> State {
    let mut state = state();
    show(&mut state, split());
    assert_eq!(prefixed(&mut state, "P"), [wish(ScratchWish::Show)]);
    assert_eq!(state.focused(), Some(TWO), "not before it is there");
    show(&mut state, with_scratch(busy));
    assert_eq!(state.focused(), Some(OWN));
    picture(&mut state, TWO, &frame(1, Size::new(4, 29), &["make", "ok"]));
    picture(&mut state, OWN, &frame(1, Size::new(4, 42), &["$ ls", "notes"]));
    state
}

#[test]
fn it_lies_over_the_layout_and_has_the_keys() {
    let mut state = shown(false);
    assert_eq!(
        drawn(&mut state),
        [
            " »  1 ×  2 logs  +                                        «",
            "╭─ bash ───────────── ~/src ─┬─ ▸ build ─────────── ~/src ─╮",
            "│                            │make                         │",
            "│       ╭─ scratch · bash · ~/src ─────────────────╮       │",
            "│       │$ ls                                      │       │",
            "│       │notes                                     │       │",
            "│       │                                          │~/src ─┤",
            "│       │                                          │       │",
            "│       ╰───────────────────────── prefix P hides ─╯       │",
            "│                            │                             │",
            "╰────────────────────────────┴─────────────────────────────╯",
            " NORMAL  ctrl+Space ? help      default · 3 panes · tab 1/2",
        ]
        .map(str::to_owned)
    );
    assert!(matches!(press(&mut state, "a")[..], [Out::Send(ToServer::Key(OWN, _))]));
    assert_eq!(prefixed(&mut state, "P"), [wish(ScratchWish::Hide)]);
    assert!(matches!(press(&mut state, "b")[..], [Out::Send(ToServer::Key(TWO, _))]));
    // It is there already, so it comes at once, without the old picture's place in the history.
    assert_eq!(prefixed(&mut state, "P"), [wish(ScratchWish::Show)]);
    assert_eq!(state.focused(), Some(OWN));
    // Its shell has ended.
    show(&mut state, split());
    assert_eq!(state.focused(), Some(TWO));
    assert_eq!(prefixed(&mut state, "P"), [wish(ScratchWish::Show)]);
}

#[test]
fn what_is_meant_for_the_layout_hides_it_first() {
    let mut state = shown(false);
    let out = prefixed(&mut state, "z");
    let zoom = command(Command::ZoomPane { pane: Some(TWO), zoomed: None });
    assert_eq!(out, [vec![wish(ScratchWish::Hide)], zoom].concat());
    let mut state = shown(false);
    drawn(&mut state);
    let kind = MouseKind::Press(MouseButton::Left);
    let click = |row, col| Event::Mouse(MouseEvent { kind, row, col, modifiers: Modifiers::NONE });
    assert_eq!(event(&mut state, click(3, 20)), [], "its own frame");
    assert_eq!(event(&mut state, click(5, 20)), [], "its own text");
    assert_eq!(state.focused(), Some(OWN));
    let focus = command(Command::FocusPane { pane: ONE });
    assert_eq!(event(&mut state, click(3, 3)), [vec![wish(ScratchWish::Hide)], focus].concat());
}

#[test]
fn closing_ends_it_and_asks_if_more_than_its_shell_runs() {
    let mut state = shown(false);
    assert_eq!(prefixed(&mut state, "x"), [wish(ScratchWish::End)]);
    assert_eq!(state.focused(), Some(TWO));
    let close = command(Command::ClosePane { pane: Some(TWO), policy: ClosePolicy::Ask });
    assert_eq!(prefixed(&mut state, "x"), close);

    let mut state = shown(true);
    assert_eq!(prefixed(&mut state, "x"), []);
    let asked = |state: &State| matches!(&state.layers[..], [Layer::Confirm { question, .. }] if question.contains("make"));
    assert!(asked(&state));
    assert_eq!(press(&mut state, "n"), []);
    prefixed(&mut state, "x");
    assert_eq!(press(&mut state, "y"), [wish(ScratchWish::End)]);
}
