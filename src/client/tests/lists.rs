//! Lists to choose from and menus: opened, narrowed, clicked.

use super::scenes::{ONE, TWO, command, drawn, event, prefixed, press, show, sized, split, state};
use crate::client::input::Event;
use crate::client::state::{Mode, State};
use crate::config::keymap::actions;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::geometry::Size;
use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};

fn type_text(state: &mut State, text: &str) {
    for char in text.chars() {
        assert_eq!(press(state, &char.to_string()), []);
    }
}

fn pointer(kind: MouseKind, row: usize, col: usize) -> Event {
    let cell = |at| u16::try_from(at).expect("a cell");
    Event::Mouse(MouseEvent { kind, row: cell(row), col: cell(col), modifiers: Modifiers::NONE })
}

/// Row and column of a text on the screen.
fn find(state: &mut State, text: &str) -> (usize, usize) {
    let rows = drawn(state);
    let row = rows.iter().position(|row| row.contains(text)).unwrap_or_else(|| panic!("{text} in {rows:#?}"));
    let before = rows[row].split(text).next().unwrap_or_default();
    (row, before.chars().count())
}

fn shown() -> State {
    let mut state = sized(Size::new(24, 80));
    show(&mut state, split());
    state
}

#[test]
fn the_command_palette_finds_actions_and_runs_them() {
    let mut state = shown();
    assert_eq!(prefixed(&mut state, ":"), []);
    let rows = drawn(&mut state);
    assert!(rows.iter().any(|row| row.contains(&format!("{0} of {0}", actions().len()))), "{rows:#?}");
    type_text(&mut state, "resize");
    let (row, _) = find(&mut state, "Resize the pane with the arrow keys");
    assert!(drawn(&mut state)[row].contains("prefix r"), "its key stands beside it");
    assert_eq!(press(&mut state, "Enter"), []);
    assert_eq!((state.mode, state.layers.len()), (Mode::Resize, 0));
}

#[test]
fn escape_clears_first_and_closes_second() {
    let mut state = shown();
    prefixed(&mut state, ":");
    type_text(&mut state, "zzzz");
    assert!(drawn(&mut state).iter().any(|row| row.contains("nothing found")));
    assert_eq!(press(&mut state, "Enter"), [], "with nothing found there is nothing to do");
    press(&mut state, "Esc");
    assert!(drawn(&mut state).iter().any(|row| row.contains("type to search")));
    press(&mut state, "Esc");
    assert_eq!(state.layers, []);
}

#[test]
fn the_jump_palette_starts_at_the_focused_pane_and_goes_to_another() {
    let mut state = shown();
    prefixed(&mut state, "M");
    assert_eq!(press(&mut state, "Enter"), command(Command::FocusPane { pane: TWO }));
    prefixed(&mut state, "M");
    press(&mut state, "Up");
    assert_eq!(press(&mut state, "Enter"), command(Command::FocusPane { pane: ONE }));
    assert_eq!(state.layers, []);
}

#[test]
fn a_click_chooses_and_one_beside_closes() {
    let mut state = shown();
    let left = MouseKind::Press(MouseButton::Left);
    prefixed(&mut state, ":");
    type_text(&mut state, "zoom");
    let (row, col) = find(&mut state, "Show the pane alone");
    let zoom = Command::ZoomPane { pane: Some(TWO), zoomed: None };
    assert_eq!(event(&mut state, pointer(left, row, col)), command(zoom));
    prefixed(&mut state, ":");
    drawn(&mut state);
    assert_eq!(event(&mut state, pointer(left, 23, 0)), []);
    assert_eq!(state.layers, []);
}

#[test]
fn the_right_button_opens_a_menu_of_what_is_under_it() {
    let mut state = shown();
    drawn(&mut state);
    let right = MouseKind::Press(MouseButton::Right);
    assert_eq!(event(&mut state, pointer(right, 5, 10)), []);
    let (row, col) = find(&mut state, "Close");
    assert_eq!(event(&mut state, pointer(MouseKind::Move, row, col)), []);
    let close = Command::ClosePane { pane: Some(ONE), policy: ClosePolicy::Ask };
    assert_eq!(press(&mut state, "Enter"), command(close), "the pointer has selected it, of that pane");
    assert_eq!(state.layers, []);
}

#[test]
fn a_menu_fits_on_the_smallest_screen() {
    let mut state = state();
    show(&mut state, split());
    event(&mut state, Event::Resize(Size::new(6, 24)));
    drawn(&mut state);
    event(&mut state, pointer(MouseKind::Press(MouseButton::Right), 3, 20));
    assert!(drawn(&mut state).iter().any(|row| row.contains("Split right")));
}
