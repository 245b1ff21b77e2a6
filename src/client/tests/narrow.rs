//! Narrow screens: one pane under a header, a menu to tap, and back again when there is room.

use super::scenes::{
    ONE, THREE, TWO, agent, command, drawn, event, frame, picture, press, show, single, sized, split, state,
};
use crate::client::Form;
use crate::client::input::Event;
use crate::client::out::Out;
use crate::client::state::{Hit, Layer, State};
use crate::client::view;
use crate::protocol::agent::AgentState;
use crate::protocol::attach::message::{Level, Room, ToServer};
use crate::protocol::command::Command;
use crate::protocol::geometry::Size;
use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};

fn narrow(size: Size) -> State {
    let mut state = sized(size);
    state.config.mobile_width = 64;
    state.announce();
    state
}

fn tap(state: &mut State, at: (u16, u16)) -> Vec<Out> {
    let kind = MouseKind::Press(MouseButton::Left);
    event(state, Event::Mouse(MouseEvent { kind, row: at.0, col: at.1, modifiers: Modifiers::NONE }))
}

/// Where a text stands.
fn find(rows: &[String], text: &str) -> (u16, u16) {
    let row =
        rows.iter().position(|row| row.contains(text)).unwrap_or_else(|| panic!("no {text} in {rows:#?}"));
    let col = rows[row].split(text).next().map_or(0, |before| before.chars().count());
    (u16::try_from(row).expect("small"), u16::try_from(col).expect("small"))
}

fn tap_text(state: &mut State, text: &str) -> Vec<Out> {
    let rows = drawn(state);
    tap(state, find(&rows, text))
}

#[test]
fn one_pane_has_all_rows_under_a_header_of_two() {
    let mut state = narrow(Size::new(12, 40));
    let mut scene = split();
    scene.panes[0].agent = Some(agent("claude", AgentState::Blocked));
    show(&mut state, scene);
    picture(&mut state, TWO, &frame(1, Size::new(4, 29), &["make", "ok"]));
    let rows = drawn(&mut state);
    assert_eq!(rows[0], " default  luvus / tab 1/2        ≡ menu");
    assert_eq!(rows[1], " ◆ 1                       ‹ pane 2/3 ›");
    assert!(rows[2].starts_with("make   "), "no frame, no sidebar: {}", rows[2]);
    assert!(rows.iter().all(|row| !row.contains("NORMAL")));
    assert_eq!(tap_text(&mut state, "›"), command(Command::FocusPane { pane: THREE }));
    assert_eq!(tap_text(&mut state, "‹"), command(Command::FocusPane { pane: ONE }));
    assert_eq!(tap_text(&mut state, "◆ 1"), command(Command::FocusPane { pane: ONE }));
    state.notices.show(Level::Info, "done".into());
    assert_eq!(drawn(&mut state)[1], " done");
}

#[test]
fn a_screen_gets_narrow_and_wide_again_by_its_columns_unless_it_is_told() {
    let mut state = state();
    state.config.mobile_width = 50;
    show(&mut state, split());
    let told =
        |rows, cols, alone| vec![Out::Send(ToServer::Resize(Room { area: Size::new(rows, cols), alone }))];
    assert_eq!(event(&mut state, Event::Resize(Size::new(12, 50))), told(10, 50, true));
    assert_eq!(state.scene().map(|scene| scene.layout.places.len()), Some(1));
    assert!(!state.scene().is_some_and(|scene| scene.layout.zoomed));
    assert_eq!(event(&mut state, Event::Resize(Size::new(12, 51))), told(10, 51, false));
    assert_eq!(state.scene().map(|scene| scene.layout.places.len()), Some(3), "the layout that is known");
    state.form = Form::Mobile;
    assert!(state.narrow());
    state.form = Form::Desktop;
    state.size = Size::new(12, 30);
    assert!(!state.narrow());
    state.form = Form::Auto;
    state.config.mobile_width = 0;
    assert!(!state.narrow(), "0 is never");
}

#[test]
fn the_menu_leads_to_actions_by_taps_and_by_keys() {
    let mut state = narrow(Size::new(20, 40));
    show(&mut state, single(Size::new(18, 40)));
    assert_eq!(tap_text(&mut state, "menu"), []);
    assert!(matches!(state.layers.last(), Some(Layer::Touch(_))));
    assert_eq!(tap_text(&mut state, "Tabs"), []);
    assert!(drawn(&mut state)[0].starts_with(" ‹ Tabs"));
    let tab = state.scene().and_then(|scene| scene.workspace()).map(|workspace| workspace.tabs[1].id);
    assert_eq!(
        tap_text(&mut state, "Go to the next tab"),
        command(Command::FocusTab { tab: tab.expect("a tab") })
    );
    assert_eq!(state.layers, [], "it closes");
    // paging by taps, and back
    tap_text(&mut state, "menu");
    tap_text(&mut state, "Panes");
    tap_text(&mut state, "↓ more");
    assert!(drawn(&mut state).iter().all(|row| !row.contains("to the left")));
    tap_text(&mut state, "‹ Panes");
    tap_text(&mut state, "× close");
    assert_eq!(state.layers, []);
    // a list that fills the screen has a way out too
    super::scenes::prefixed(&mut state, ":");
    tap_text(&mut state, "×");
    assert_eq!(state.layers, []);
    // by keys
    tap_text(&mut state, "menu");
    for chord in ["End", "Enter"] {
        press(&mut state, chord);
    }
    assert_eq!(state.layers, [], "the last line detaches");
}

#[test]
fn docks_open_as_overlays() {
    let mut state = narrow(Size::new(20, 40));
    show(&mut state, single(Size::new(18, 40)));
    super::scenes::prefixed(&mut state, "w");
    assert!(matches!(state.layers.pop(), Some(Layer::Picker(_))));
    super::scenes::prefixed(&mut state, "a");
    assert!(matches!(state.layers.pop(), Some(Layer::Mission(_))));
    super::scenes::prefixed(&mut state, "b");
    assert!(drawn(&mut state)[1].contains("no sidebars"));
}

#[test]
fn the_smallest_screen_stays_usable() {
    let mut state = narrow(Size::new(6, 24));
    show(&mut state, single(Size::new(4, 24)));
    let rows = drawn(&mut state);
    assert!(rows[0].contains("1/2") && rows[0].contains("menu"), "{rows:?}");
    assert!(rows[1].contains("pane 1/1"), "{rows:?}");
    for open in ["menu", ":", "?", "m", "N"] {
        if open == "menu" {
            tap_text(&mut state, open);
        } else {
            super::scenes::prefixed(&mut state, open);
        }
        let rows = drawn(&mut state);
        assert!(rows.iter().any(|row| !row.trim().is_empty()));
        state.layers.clear();
    }
    state.size = Size::new(5, 24);
    assert!(drawn(&mut state).iter().any(|row| row.contains("enlarge")));
}

#[test]
fn in_ascii_every_glyph_of_ours_is_ascii_and_programs_keep_theirs() {
    let mut state = super::scenes::with_sidebar(Size::new(14, 90));
    state.config.borders = crate::config::Borders::Ascii;
    let mut scene = split();
    for (pane, of) in [(0, AgentState::Blocked), (1, AgentState::Done), (2, AgentState::Idle)] {
        scene.panes[pane].agent = Some(agent("claude", of));
    }
    show(&mut state, scene);
    picture(&mut state, TWO, &frame(1, Size::new(4, 29), &["─◆─"]));
    let rows = drawn(&mut state);
    let foreign: String = rows.concat().chars().filter(|char| !char.is_ascii()).collect();
    assert_eq!(foreign, "─◆─", "{rows:#?}");
    for mark in ["! claude", "v build", "o notes", "+-"] {
        assert!(rows.iter().any(|row| row.contains(mark)), "{mark} in {rows:#?}");
    }
    super::scenes::prefixed(&mut state, "?");
    let mut screen = crate::client::screen::Screen::new(state.size);
    let hits = view::render(&state, &mut screen.next);
    let overlay = hits.iter().find(|(_, hit)| *hit == Hit::Overlay).expect("the help").0;
    let inside = |index: usize| {
        let (row, col) =
            (u16::try_from(index / 90).expect("small"), u16::try_from(index % 90).expect("small"));
        overlay.contains(row, col)
    };
    let cells = screen.next.content.iter().enumerate().filter(|(index, _)| inside(*index));
    assert!(cells.clone().all(|(_, cell)| cell.symbol().is_ascii()));
}
