//! Copy mode, searching and selecting: keys and the mouse in, questions and screens out.

use super::scenes::{ONE, drawn, event, frame, picture, prefixed, press, show, single, split, state};
use crate::client::input::Event;
use crate::client::mouse_select;
use crate::client::out::Out;
use crate::client::state::State;
use crate::client::update::{Input, update};
use crate::client::view;
use crate::protocol::attach::message::{ScrollTo, ToClient, ToServer};
use crate::protocol::command::{Command, Side};
use crate::protocol::frame::{Frame, Position, ScreenModes};
use crate::protocol::geometry::Size;
use crate::protocol::ids::TabId;
use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::protocol::text::motion::{Motion, Walk};
use crate::protocol::text::{Answer, Around, Ask, Shape, Spot, Toward};

const AREA: Size = Size::new(10, 60);
const LEFT: MouseButton = MouseButton::Left;

fn spot(row: u64, col: u16) -> Spot {
    Spot { row, col }
}

/// The rows from number 100 on, 20 rows before them; the live screen begins `below` further down.
fn shown(below: u64) -> State {
    let mut state = state();
    show(&mut state, single(AREA));
    look(&mut state, 100, below);
    state
}

fn look(state: &mut State, first: u64, below: u64) {
    let rows = ["one two", "  three", "", "four.five six", "$ "];
    let position = Position { above: first - 80, below };
    picture(state, ONE, &Frame { first, position, ..frame(first, AREA, &rows) });
}

fn sent(out: &[Out]) -> Vec<&ToServer> {
    out.iter()
        .filter_map(|out| match out {
            Out::Send(message) => Some(message),
            _ => None,
        })
        .collect()
}

fn asked(out: &[Out]) -> Vec<Ask> {
    sent(out)
        .into_iter()
        .filter_map(|message| match message {
            ToServer::Ask(ONE, _, ask) => Some(ask.clone()),
            _ => None,
        })
        .collect()
}

fn keys(state: &mut State, keys: &[&str]) -> Vec<Out> {
    keys.iter().flat_map(|key| press(state, key)).collect()
}

fn answer(state: &mut State, answer: Answer) -> Vec<Out> {
    let number = state.asked.last().expect("a question").number;
    update(state, Input::Server(ToClient::Answered(number, answer)))
}

fn at(state: &mut State, kind: MouseKind, row: u16, col: u16, modifiers: Modifiers) -> Vec<Out> {
    event(state, Event::Mouse(MouseEvent { kind, row, col, modifiers }))
}

fn cursor(state: &State) -> Spot {
    state.copy.as_ref().expect("copy mode").cursor
}

#[test]
fn it_begins_at_the_cursor_and_holds_the_view() {
    let mut state = shown(0);
    assert_eq!(prefixed(&mut state, "y"), [Out::Send(ToServer::Scroll(ONE, ScrollTo::Hold(100)))]);
    assert_eq!(cursor(&state), spot(104, 2));
    let rows = drawn(&mut state);
    assert!(rows[11].contains("COPY"), "{rows:#?}");
    assert!(rows[1].ends_with(" 25/30"), "{rows:#?}");
    let seen = view::cursor(&state).expect("a cursor");
    assert_eq!((seen.row, seen.col), (5, 2));
    // Output has arrived: the view is the same, the live screen further down.
    look(&mut state, 100, 7);
    assert_eq!(cursor(&state), spot(104, 2));
    assert!(drawn(&mut state)[1].ends_with(" 25/37 ↑7"));
    assert_eq!(press(&mut state, "q"), [Out::Send(ToServer::Scroll(ONE, ScrollTo::Live))]);
    assert!(state.copy.is_none() && !state.scrolling());
}

#[test]
fn it_begins_at_the_top_of_a_scrolled_view_and_goes_back_to_that() {
    let mut state = shown(0);
    press(&mut state, "shift+Up");
    look(&mut state, 90, 10);
    assert_eq!(press(&mut state, "y"), [Out::Send(ToServer::Scroll(ONE, ScrollTo::Hold(90)))]);
    assert_eq!(cursor(&state), spot(90, 0));
    assert_eq!(press(&mut state, "Escape"), [Out::Send(ToServer::Scroll(ONE, ScrollTo::Row(90)))]);
    look(&mut state, 90, 10);
    assert!(state.scrolling(), "still in scroll mode");
}

#[test]
fn motions_over_shown_rows_need_nobody() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    assert_eq!(asked(&keys(&mut state, &["H", "w"])), []);
    assert_eq!(cursor(&state), spot(100, 4));
    keys(&mut state, &["2", "j"]);
    assert_eq!(cursor(&state), spot(102, 0));
    keys(&mut state, &["j"]);
    assert_eq!(cursor(&state), spot(103, 4), "the column comes back");
    keys(&mut state, &["$", "b", "B", "e", "l", "h"]);
    assert_eq!(cursor(&state), spot(103, 3));
    keys(&mut state, &["{", "{"]);
    assert_eq!(asked(&keys(&mut state, &["}"])), []);
    assert_eq!(cursor(&state), spot(102, 0));
}

#[test]
fn where_rows_are_missing_the_server_walks_and_keys_wait() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    let out = keys(&mut state, &["1", "2", "k"]);
    let walk = Walk { motion: Motion::Up, count: Some(12), col: 2, free: false };
    assert_eq!(asked(&out), [Ask::Walk(spot(104, 2), walk)]);
    assert_eq!(keys(&mut state, &["v", "l"]), [], "they wait");
    let out = answer(&mut state, Answer::At(spot(92, 0)));
    assert_eq!(sent(&out)[0], &ToServer::Scroll(ONE, ScrollTo::Hold(92)), "the view follows");
    assert_eq!(state.copy.as_ref().expect("copy mode").mark, Some((spot(92, 0), Shape::Characters)));
    assert_eq!(asked(&out).len(), 1, "its row is not here yet either");
    answer(&mut state, Answer::At(spot(92, 1)));
    let out = keys(&mut state, &["9", "9", "9", "9", "9", "k"]);
    assert!(matches!(asked(&out)[..], [Ask::Walk(_, Walk { count: Some(9_999), .. })]), "{out:?}");
}

#[test]
fn a_selection_is_copied_as_the_server_reads_it() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    keys(&mut state, &["H", "v", "e"]);
    let rows = drawn(&mut state);
    assert!(rows[1].starts_with("one two"));
    let out = press(&mut state, "y");
    assert_eq!(asked(&out), [Ask::Copy(spot(100, 0), spot(100, 2), Shape::Characters)]);
    assert!(state.copy.is_none());
    let text = |text: &str, lost| Answer::Text { text: text.into(), cut: false, lost };
    assert_eq!(answer(&mut state, text("one", false)), [Out::Copy("one".into())]);
    assert!(drawn(&mut state)[11].contains("3 characters sent to the terminal's clipboard"));
    prefixed(&mut state, "y");
    let out = keys(&mut state, &["H", "V", "j", "o", "Enter"]);
    assert_eq!(asked(&out), [Ask::Copy(spot(101, 0), spot(100, 0), Shape::Lines)]);
    assert_eq!(answer(&mut state, text("", true)), []);
    assert!(drawn(&mut state)[11].contains("has left the history; nothing was c"));
    prefixed(&mut state, "y");
    let out = keys(&mut state, &["H", "ctrl+v", "j", "l", "y"]);
    assert_eq!(asked(&out), [Ask::Copy(spot(100, 0), spot(101, 1), Shape::Block)]);
}

#[test]
fn the_output_of_a_command_is_selected_by_its_marks() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    assert_eq!(asked(&press(&mut state, "O")), [Ask::Output(104)]);
    answer(&mut state, Answer::Range(Some((spot(100, 0), spot(102, u16::MAX)))));
    assert_eq!(cursor(&state), spot(102, 59));
    let out = press(&mut state, "y");
    assert_eq!(asked(&out), [Ask::Copy(spot(100, 0), spot(102, 59), Shape::Characters)]);
}

#[test]
fn a_search_goes_along_while_it_is_typed() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    let find = |text: &str, from, toward| Ask::Find { text: text.into(), from, toward };
    let out = keys(&mut state, &["?", "t", "w"]);
    let from = spot(104, 2);
    assert_eq!(asked(&out), [find("t", from, Toward::Older), find("tw", from, Toward::Older)]);
    assert!(drawn(&mut state)[11].contains("?tw"));
    answer(&mut state, Answer::Range(Some((spot(100, 4), spot(100, 5)))));
    assert_eq!(cursor(&state), spot(100, 4));
    keys(&mut state, &["Enter"]);
    assert_eq!(asked(&keys(&mut state, &["n"])), [find("tw", spot(100, 4), Toward::Older)]);
    answer(&mut state, Answer::Range(Some((spot(90, 1), spot(90, 2)))));
    assert_eq!(cursor(&state), spot(90, 1));
    assert_eq!(asked(&keys(&mut state, &["N"])), [find("tw", spot(90, 1), Toward::Newer)]);
    answer(&mut state, Answer::Range(None));
    assert!(drawn(&mut state)[11].contains("nothing matches `tw`"));
    keys(&mut state, &["/", "x"]);
    answer(&mut state, Answer::Range(Some((spot(103, 0), spot(103, 0)))));
    keys(&mut state, &["Escape"]);
    assert_eq!(cursor(&state), spot(90, 1), "back to where it began");
    assert!(state.copy.is_some() && state.find.is_none());
}

#[test]
fn scroll_mode_searches_upward_and_shows_what_it_finds() {
    let mut state = shown(0);
    press(&mut state, "shift+Up");
    look(&mut state, 99, 1);
    let out = keys(&mut state, &["/", "x"]);
    let from = spot(108, u16::MAX);
    assert_eq!(asked(&out), [Ask::Find { text: "x".into(), from, toward: Toward::Older }]);
    let out = answer(&mut state, Answer::Range(Some((spot(84, 3), spot(84, 3)))));
    assert_eq!(out, [Out::Send(ToServer::Scroll(ONE, ScrollTo::Hold(81)))]);
    look(&mut state, 81, 19);
    assert!(state.scrolling());
    keys(&mut state, &["Enter"]);
    let next = Ask::Find { text: "x".into(), from: spot(84, 3), toward: Toward::Older };
    assert_eq!(asked(&keys(&mut state, &["n"])), [next]);
}

#[test]
fn a_drag_selects_and_copies_when_it_ends_and_a_click_clears() {
    let mut state = shown(0);
    drawn(&mut state);
    let none = Modifiers::NONE;
    assert_eq!(at(&mut state, MouseKind::Press(LEFT), 1, 4, none), []);
    assert_eq!(at(&mut state, MouseKind::Drag(LEFT), 2, 6, none), []);
    let out = at(&mut state, MouseKind::Release(LEFT), 2, 6, none);
    assert_eq!(asked(&out), [Ask::Copy(spot(100, 4), spot(101, 6), Shape::Characters)]);
    assert!(state.selection.is_some());
    at(&mut state, MouseKind::Press(LEFT), 4, 4, none);
    assert_eq!(at(&mut state, MouseKind::Release(LEFT), 4, 4, none), []);
    assert!(state.selection.is_none());
    state.config.copy_on_select = false;
    at(&mut state, MouseKind::Press(LEFT), 1, 0, none);
    at(&mut state, MouseKind::Drag(LEFT), 1, 2, none);
    assert_eq!(at(&mut state, MouseKind::Release(LEFT), 1, 2, none), []);
    prefixed(&mut state, "y");
    let out = press(&mut state, "y");
    assert_eq!(asked(&out), [Ask::Copy(spot(100, 0), spot(100, 2), Shape::Characters)]);
}

#[test]
fn clicks_select_words_and_lines() {
    let mut state = shown(0);
    drawn(&mut state);
    let click = |state: &mut State| {
        let mut out = at(state, MouseKind::Press(LEFT), 4, 6, Modifiers::NONE);
        out.extend(at(state, MouseKind::Release(LEFT), 4, 6, Modifiers::NONE));
        asked(&out)
    };
    state.now_ms = 1_000;
    assert_eq!(click(&mut state), []);
    state.now_ms += 200;
    assert_eq!(click(&mut state), [Ask::Around(spot(103, 6), Around::Word)]);
    let out = answer(&mut state, Answer::Range(Some((spot(103, 0), spot(103, 8)))));
    assert_eq!(asked(&out), [Ask::Copy(spot(103, 0), spot(103, 8), Shape::Characters)]);
    state.now_ms += 200;
    assert_eq!(click(&mut state), [Ask::Around(spot(103, 6), Around::Line)]);
    state.now_ms += 5_000;
    assert_eq!(click(&mut state), []);
}

#[test]
fn the_edge_of_a_pane_scrolls_while_the_pointer_is_held_there() {
    let mut state = shown(0);
    drawn(&mut state);
    at(&mut state, MouseKind::Press(LEFT), 4, 4, Modifiers::NONE);
    at(&mut state, MouseKind::Drag(LEFT), 3, 2, Modifiers::NONE);
    assert_eq!(mouse_select::edge(&state), 0);
    at(&mut state, MouseKind::Drag(LEFT), 0, 2, Modifiers::NONE);
    assert_eq!(mouse_select::edge(&state), 2);
    let out = update(&mut state, Input::AtEdge);
    assert_eq!(out, [Out::Send(ToServer::Scroll(ONE, ScrollTo::Up(2)))]);
    assert_eq!(update(&mut state, Input::AtEdge), [], "one picture after the other");
    look(&mut state, 98, 2);
    assert_eq!(state.selection.map(|selection| selection.to), Some(spot(98, 2)));
    look(&mut state, 80, 20);
    assert_eq!(mouse_select::edge(&state), 0, "nothing is above");
    at(&mut state, MouseKind::Release(LEFT), 0, 2, Modifiers::NONE);
    assert_eq!(mouse_select::edge(&state), 0);
}

#[test]
fn shift_selects_what_a_program_would_have_got() {
    let mut state = shown(0);
    let position = Position { above: 20, below: 0 };
    let rows = ["one two"];
    picture(
        &mut state,
        ONE,
        &Frame { first: 100, position, modes: ScreenModes::MOUSE, ..frame(200, AREA, &rows) },
    );
    drawn(&mut state);
    let press = MouseKind::Press(LEFT);
    assert!(matches!(sent(&at(&mut state, press, 1, 0, Modifiers::NONE))[..], [ToServer::Mouse(..)]));
    let out = at(&mut state, press, 1, 0, Modifiers::SHIFT);
    assert!(
        matches!(sent(&out)[..], [ToServer::Mouse(_, MouseEvent { kind: MouseKind::Release(LEFT), .. })]),
        "{out:?}"
    );
    at(&mut state, MouseKind::Drag(LEFT), 1, 2, Modifiers::SHIFT);
    let out = at(&mut state, MouseKind::Release(LEFT), 1, 2, Modifiers::SHIFT);
    assert_eq!(asked(&out), [Ask::Copy(spot(100, 0), spot(100, 2), Shape::Characters)]);
}

#[test]
fn a_pane_is_resized_from_inside() {
    let mut state = state();
    show(&mut state, split());
    drawn(&mut state);
    let ctrl = Modifiers::CTRL;
    // Pane 2, near its left and its lower edge.
    at(&mut state, MouseKind::Press(LEFT), 4, 33, ctrl);
    let out = at(&mut state, MouseKind::Drag(LEFT), 5, 30, ctrl);
    let ratio = |path: Vec<Side>, ratio| {
        Out::Send(ToServer::Command(Command::SetSplitRatio { tab: TabId(1), path, ratio }))
    };
    assert_eq!(out, [ratio(vec![], 26.0 / 59.0), ratio(vec![Side::B], 6.0 / 9.0)]);
    at(&mut state, MouseKind::Release(LEFT), 5, 30, ctrl);
    assert!(state.drag.is_none() && state.selection.is_none());
}

#[test]
fn what_is_laid_out_anew_is_not_selected_any_more() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    keys(&mut state, &["H", "v", "e"]);
    let narrow = Size::new(10, 40);
    show(&mut state, single(narrow));
    let position = Position { above: 30, below: 0 };
    picture(&mut state, ONE, &Frame { first: 110, position, ..frame(300, narrow, &["one two"]) });
    let copy = state.copy.as_ref().expect("copy mode");
    assert_eq!((copy.mark, copy.cursor), (None, spot(110, 2)));
    assert!(state.notices.current().is_some_and(|(_, text)| text.contains("laid out anew")));
}

#[test]
fn what_the_history_has_dropped_takes_the_cursor_along() {
    let mut state = shown(0);
    prefixed(&mut state, "y");
    keys(&mut state, &["H"]);
    let position = Position { above: 0, below: 900 };
    picture(&mut state, ONE, &Frame { first: 150, position, ..frame(300, AREA, &["newer"]) });
    assert_eq!(cursor(&state), spot(150, 0));
    assert!(state.notices.current().is_some_and(|(_, text)| text.contains("left it")));
}
