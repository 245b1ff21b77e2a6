//! The settings screen: what it asks for, what it shows, and that nothing counts before the server says so.

use super::scenes::{PANES_OF, drawn, event, prefixed, press, show, single, sized};
use crate::client::input::Event;
use crate::client::out::Out;
use crate::client::state::State;
use crate::client::update::{Input, update};
use crate::protocol::attach::message::{ToClient, ToServer};
use crate::protocol::geometry::Size;
use crate::protocol::key::{KeyEvent, KeyKind};

fn opened() -> State {
    let mut state = sized(Size::new(40, 110));
    show(&mut state, single(PANES_OF));
    assert_eq!(prefixed(&mut state, "="), []);
    state
}

fn asked(lines: &str) -> Vec<Out> {
    vec![Out::Send(ToServer::Configure(lines.to_owned()))]
}

fn has(state: &mut State, text: &str) -> bool {
    drawn(state).iter().any(|row| row.contains(text))
}

/// Goes to a section by its title.
fn section(state: &mut State, presses: usize) {
    for _ in 0..presses {
        press(state, "Tab");
    }
}

/// Moves the choice to the line that begins with a text.
fn choose(state: &mut State, text: &str) {
    for _ in 0..120 {
        let on = |layer: &crate::client::state::Layer| match layer {
            crate::client::state::Layer::Preferences(screen) => format!("{:?}", screen.line(state)),
            _ => String::new(),
        };
        if state.layers.last().map(on).is_some_and(|line| line.contains(text)) {
            return;
        }
        press(state, "Down");
    }
    panic!("no line has {text}");
}

#[test]
fn a_flag_is_asked_for_and_counts_when_the_server_says_so() {
    let mut state = opened();
    choose(&mut state, "\"allow_nested\"");
    assert_eq!(press(&mut state, "Enter"), asked("allow_nested = true\n"));
    assert!(!state.config.allow_nested);
    update(&mut state, Input::Server(ToClient::Settings("allow_nested = true\n".into())));
    update(&mut state, Input::Server(ToClient::Configured(Ok(()))));
    assert!(state.config.allow_nested && has(&mut state, "in force"));
    choose(&mut state, "\"confirm_close\"");
    assert_eq!(press(&mut state, "Right"), asked("confirm_close = \"always\"\n"));
    assert_eq!(press(&mut state, "Left"), asked("confirm_close = \"never\"\n"));
}

#[test]
fn a_refused_value_stays_to_be_mended_with_the_reason() {
    let mut state = opened();
    section(&mut state, 2);
    choose(&mut state, "\"layout.mobile_width\"");
    press(&mut state, "Enter");
    assert_eq!(press(&mut state, "9"), []);
    assert_eq!(press(&mut state, "x"), []);
    assert_eq!(press(&mut state, "Enter"), asked("layout.mobile_width = \"649x\"\n"));
    let why = "`layout.mobile_width` must be a whole number from 0 to 1000";
    update(&mut state, Input::Server(ToClient::Configured(Err(why.into()))));
    assert!(has(&mut state, why) && has(&mut state, "› 649x"));
    press(&mut state, "Backspace");
    assert_eq!(press(&mut state, "Enter"), asked("layout.mobile_width = 649\n"));
    update(&mut state, Input::Server(ToClient::Configured(Ok(()))));
    assert!(!has(&mut state, "› 649"), "the field is done");
}

#[test]
fn a_theme_shows_while_moving_and_counts_with_enter_only() {
    let mut state = opened();
    assert_eq!(press(&mut state, "Tab"), []);
    let first = press(&mut state, "Down");
    assert_eq!(first, [Out::Theme("luvus-light".into())]);
    assert_eq!(press(&mut state, "Esc"), [Out::Theme("luvus-dark".into())], "back to what is in force");
    assert_eq!(state.layers, []);
    prefixed(&mut state, "=");
    press(&mut state, "Tab");
    press(&mut state, "Down");
    assert_eq!(press(&mut state, "Enter"), asked("theme = \"luvus-light\"\n"));
    assert_eq!(press(&mut state, "Esc"), [], "what was taken is not taken back");
}

#[test]
fn a_prefix_must_be_pressed_twice() {
    let mut state = opened();
    section(&mut state, 3);
    press(&mut state, "Enter");
    press(&mut state, "b");
    assert!(has(&mut state, "must be F1 to F12"));
    assert_eq!(press(&mut state, "ctrl+b"), []);
    let held = KeyEvent { kind: KeyKind::Repeat, ..super::scenes::key("ctrl+b") };
    assert_eq!(event(&mut state, Event::Key(held)), [], "a key that is held is one press");
    assert!(has(&mut state, "once more"));
    assert_eq!(press(&mut state, "ctrl+g"), []);
    assert!(has(&mut state, "stays what it is"));
    press(&mut state, "Enter");
    press(&mut state, "ctrl+b");
    assert_eq!(press(&mut state, "ctrl+b"), asked("prefix = \"ctrl+b\"\n"));
}

#[test]
fn keys_are_bound_unbound_and_their_conflicts_shown() {
    let mut state = opened();
    section(&mut state, 3);
    choose(&mut state, "SplitRight");
    press(&mut state, "Enter");
    assert_eq!(press(&mut state, "|"), asked("keybindings.split_right = \"|\"\n"));
    press(&mut state, "d");
    assert_eq!(press(&mut state, "alt+v"), asked("direct_keybindings.split_right = \"alt+v\"\n"));
    assert_eq!(press(&mut state, "x"), asked("keybindings.split_right = \"\"\n"));
    let text = "[keybindings]\nsplit_right = \"|\"\nsplit_down = \"|\"\n";
    update(&mut state, Input::Server(ToClient::Settings(text.into())));
    press(&mut state, "Home");
    assert!(has(&mut state, "! `keybindings.split_down` is left out"), "{:#?}", drawn(&mut state));
}

#[test]
fn it_fits_on_the_smallest_screen() {
    let mut state = opened();
    for size in [Size::new(6, 24), Size::new(8, 40), Size::new(60, 200)] {
        event(&mut state, Event::Resize(size));
        for _ in 0..6 {
            press(&mut state, "Tab");
            assert!(has(&mut state, "Settings"));
        }
    }
}

#[test]
fn a_low_screen_shows_a_line_at_a_time_and_a_narrow_one_which_section_it_is() {
    let mut state = sized(Size::new(6, 24));
    show(&mut state, single(PANES_OF));
    prefixed(&mut state, "=");
    assert!(has(&mut state, "General  1 of 6") && has(&mut state, "shell"), "{:?}", drawn(&mut state));
    press(&mut state, "Down");
    assert!(has(&mut state, "allow_nested"), "{:?}", drawn(&mut state));
    section(&mut state, 2);
    assert!(has(&mut state, "Layout  3 of 6"), "{:?}", drawn(&mut state));
}

#[test]
fn a_binding_is_given_back_to_the_preset() {
    let mut state = opened();
    section(&mut state, 3);
    choose(&mut state, "SplitRight");
    let lines = "keybindings.split_right = \"default\"\ndirect_keybindings.split_right = \"default\"\n";
    assert_eq!(press(&mut state, "r"), asked(lines));
}
