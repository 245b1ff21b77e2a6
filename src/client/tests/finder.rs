//! The finder: what it asks for, how it takes what comes, and where its rows lead.

use super::scenes::{ONE, THREE, TWO, command, drawn, frame, picture, prefixed, press, show, sized, split};
use crate::client::out::Out;
use crate::client::state::{Layer, State};
use crate::client::update::{Input, update};
use crate::protocol::attach::message::{Find, ScrollTo, Spotted, ToClient, ToServer};
use crate::protocol::command::Command;
use crate::protocol::frame::{Frame, Position};
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, WorkspaceId};

fn opened() -> State {
    let mut state = sized(Size::new(30, 110));
    show(&mut state, split());
    assert_eq!(prefixed(&mut state, "/"), [], "with nothing typed the places are listed");
    state
}

fn find(number: u32, query: &str, files: bool, output: bool) -> Vec<Out> {
    let find = Find {
        number,
        query: query.into(),
        sensitive: false,
        files: files.then_some(WorkspaceId(1)),
        output,
    };
    vec![Out::Send(ToServer::Find(find))]
}

fn found(state: &mut State, number: u32, spotted: Vec<Spotted>, end: Option<bool>) {
    assert_eq!(update(state, Input::Server(ToClient::Found { number, spotted, end })), []);
}

fn file(path: &str, score: u32) -> Spotted {
    Spotted::File { path: path.into(), score }
}

fn line(pane: PaneId, row: u64, line: &str) -> Spotted {
    Spotted::Output { pane, row, line: line.into() }
}

/// The text of the selected row.
fn selected(state: &State) -> String {
    match state.layers.last() {
        Some(Layer::Finder(finder)) => format!("{:?}", finder.entry()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn scopes_ask_for_what_is_in_them_and_a_new_query_is_a_new_search() {
    let mut state = opened();
    assert_eq!(press(&mut state, "z"), find(2, "z", true, true));
    assert_eq!(press(&mut state, "Tab"), [], "places are at hand");
    assert_eq!(press(&mut state, "Tab"), find(4, "z", true, false));
    assert_eq!(press(&mut state, "Tab"), find(5, "z", false, true));
    assert_eq!(press(&mut state, "Tab"), find(6, "z", true, true), "around the end");
    let Some(Out::Send(ToServer::Find(asked))) = press(&mut state, "ctrl+i").pop() else {
        panic!("a search")
    };
    assert!(asked.sensitive && asked.number == 7);
    let Some(Out::Send(ToServer::Find(asked))) = press(&mut state, "alt+c").pop() else { panic!("a search") };
    assert!(!asked.sensitive, "a key that every terminal tells from Tab");
    assert_eq!(press(&mut state, "Esc"), [], "the first clears");
    assert_eq!(press(&mut state, "Esc"), [Out::Send(ToServer::EndFind)]);
    assert_eq!(state.layers, []);
}

#[test]
fn the_chosen_row_stays_while_better_ones_arrive() {
    let mut state = opened();
    press(&mut state, "z");
    found(&mut state, 2, vec![file("a/z1", 10), file("a/z2", 5)], None);
    assert!(selected(&state).contains("a/z1"));
    press(&mut state, "Down");
    assert!(selected(&state).contains("a/z2"));
    found(&mut state, 2, vec![file("z", 90), line(ONE, 7, "z was here")], Some(true));
    assert!(selected(&state).contains("a/z2"));
    found(&mut state, 1, vec![file("old", 99)], None);
    let rows = drawn(&mut state);
    assert!(!rows.iter().any(|row| row.contains("old")), "of another search");
    assert!(rows.iter().any(|row| row.contains("4, more left out")), "{rows:#?}");
    let many = (0..2_000).map(|at| file(&format!("f{at}"), at)).collect();
    found(&mut state, 2, many, None);
    let Some(Layer::Finder(finder)) = state.layers.last() else { panic!("the finder") };
    assert!(finder.entries.len() < 400, "{}", finder.entries.len());
}

#[test]
fn a_place_is_gone_to_and_a_file_opened_or_pasted() {
    let mut state = opened();
    for key in ["n", "o", "t", "e", "s"] {
        press(&mut state, key);
    }
    let focus = Out::Send(ToServer::Command(Command::FocusPane { pane: THREE }));
    assert_eq!(press(&mut state, "Enter"), [Out::Send(ToServer::EndFind), focus]);
    prefixed(&mut state, "/");
    press(&mut state, "q");
    let number = state.searches;
    found(&mut state, number, vec![file("it's q.rs", 1)], Some(false));
    let [Out::Send(ToServer::EndFind), Out::Send(ToServer::Command(Command::SplitPane { launch, .. }))] =
        &press(&mut state, "Enter")[..]
    else {
        panic!("a new pane")
    };
    let argv = launch.argv.as_ref().expect("a program");
    assert_eq!(argv.last().map(String::as_str), Some("/home/me/luvus/it's q.rs"));
    prefixed(&mut state, "/");
    press(&mut state, "q");
    let number = state.searches;
    found(&mut state, number, vec![file("it's q.rs", 1)], Some(false));
    let paste = ToServer::Paste(TWO, "'/home/me/luvus/it'\\''s q.rs'".into());
    assert_eq!(press(&mut state, "ctrl+y"), [Out::Send(ToServer::EndFind), Out::Send(paste)]);
}

#[test]
fn a_line_of_output_is_shown_in_scroll_mode_once_its_pane_is() {
    let mut state = opened();
    press(&mut state, "w");
    found(&mut state, 2, vec![line(ONE, 40, "wwhere it went wrong")], Some(false));
    press(&mut state, "End");
    while !selected(&state).contains("went wrong") {
        press(&mut state, "Down");
    }
    let went = press(&mut state, "Enter");
    assert_eq!(
        went,
        [vec![Out::Send(ToServer::EndFind)], command(Command::FocusPane { pane: ONE })].concat()
    );
    let mut scene = split();
    scene.layout.focused = Some(ONE);
    show(&mut state, scene);
    let position = Position { above: 100, below: 0 };
    let history = Frame { position, ..frame(1, Size::new(8, 28), &["$ "]) };
    assert_eq!(picture(&mut state, ONE, &history), [Out::Send(ToServer::Scroll(ONE, ScrollTo::Around(40)))]);
    assert!(state.scrolling() && state.line.is_none());
}
