//! Notifications: toasts, their key and their click, the history, sounds and the outer terminal.

use super::scenes::{ONE, THREE, TWO, command, drawn, event, prefixed, press, show, sized, split};
use crate::client::input::Event;
use crate::client::out::Out;
use crate::client::state::State;
use crate::client::update::{Input, update};
use crate::config::Config;
use crate::protocol::attach::message::{Alert, Matter, ToClient, Told};
use crate::protocol::command::Command;
use crate::protocol::geometry::Size;
use crate::protocol::ids::PaneId;
use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};

fn shown() -> State {
    let mut state = sized(Size::new(24, 80));
    show(&mut state, split());
    state
}

fn alert(pane: PaneId, matter: Matter, text: &str) -> Alert {
    Alert { pane, name: format!("pane-{}", pane.0), matter, text: text.into() }
}

fn told(state: &mut State, alerts: Vec<Alert>) -> Vec<Out> {
    update(state, Input::Server(ToClient::Alerts(alerts)))
}

fn has(state: &mut State, text: &str) -> bool {
    drawn(state).iter().any(|row| row.contains(text))
}

#[test]
fn a_toast_leads_to_its_pane_by_key_and_by_click_and_goes_by_itself() {
    let mut state = shown();
    assert_eq!(told(&mut state, vec![alert(THREE, Matter::Blocked, "notes needs you")]), []);
    assert!(has(&mut state, "notes needs you"));
    assert_eq!(prefixed(&mut state, "T"), command(Command::FocusPane { pane: THREE }));
    assert!(!has(&mut state, "notes needs you"));
    told(&mut state, vec![alert(ONE, Matter::Done, "bash is done")]);
    let row = drawn(&mut state).iter().position(|row| row.contains("bash is done")).expect("a toast");
    let click = MouseEvent {
        kind: MouseKind::Press(MouseButton::Left),
        row: u16::try_from(row).expect("a row"),
        col: 75,
        modifiers: Modifiers::NONE,
    };
    assert_eq!(event(&mut state, Event::Mouse(click)), command(Command::FocusPane { pane: ONE }));
    told(&mut state, vec![alert(ONE, Matter::Done, "bash is done")]);
    assert_eq!(update(&mut state, Input::ToastOver), []);
    assert!(!has(&mut state, "bash is done"));
}

#[test]
fn the_last_fifty_are_listed_and_lead_to_their_panes() {
    let mut state = shown();
    for at in 0..60 {
        told(&mut state, vec![alert(THREE, Matter::Done, &format!("told {at}"))]);
    }
    told(&mut state, vec![alert(ONE, Matter::Blocked, "one"), alert(THREE, Matter::Blocked, "three")]);
    assert!(has(&mut state, "2 agents need you: pane-1, pane-3"), "a burst is one toast");
    prefixed(&mut state, ":");
    for key in "last notifications".chars() {
        press(&mut state, &if key == ' ' { "Space".to_owned() } else { key.to_string() });
    }
    press(&mut state, "Enter");
    assert!(has(&mut state, "50 of 50") && has(&mut state, "told 59") && !has(&mut state, "told 11"));
    press(&mut state, "Down");
    assert_eq!(press(&mut state, "Enter"), command(Command::FocusPane { pane: ONE }));
}

#[test]
fn settings_say_how_a_person_is_told() {
    let mut state = shown();
    let text = "[notifications]\ntoast = false\nterminal = true\nsound_on_blocked = true\n";
    state.config = Config::parse(text).0;
    let notify = Out::Notify("it is done".into());
    assert_eq!(told(&mut state, vec![alert(ONE, Matter::Done, "it is done")]), [notify]);
    assert!(!has(&mut state, "it is done"));
    let both = vec![alert(ONE, Matter::Done, "a"), alert(THREE, Matter::Blocked, "b")];
    assert_eq!(
        told(&mut state, both),
        [Out::Bell, Out::Bell, Out::Notify("2 agents need you: pane-3, pane-1".into())]
    );
    assert_eq!(state.alerts.history.len(), 3, "what was told is remembered in any case");
}

#[test]
fn what_was_told_before_is_there_too() {
    let mut state = shown();
    let told = |pane, text: &str| Told { alert: alert(pane, Matter::Blocked, text), at_ms: 0 };
    let history = vec![told(ONE, "bash needs you"), told(THREE, "notes needs you")];
    assert_eq!(update(&mut state, Input::Server(ToClient::History(history))), []);
    assert!(!has(&mut state, "needs you"), "it is no news");
    prefixed(&mut state, ":");
    for key in "last notifications".chars() {
        press(&mut state, &if key == ' ' { "Space".to_owned() } else { key.to_string() });
    }
    press(&mut state, "Enter");
    assert!(has(&mut state, "bash needs you") && has(&mut state, "2 of 2"));
    assert_eq!(press(&mut state, "Enter"), command(Command::FocusPane { pane: ONE }));
}

#[test]
fn a_burst_leads_to_the_one_that_waits_and_names_a_few() {
    let mut state = shown();
    let messages = [ONE, TWO, THREE, PaneId(4)].map(|pane| alert(pane, Matter::Message, "said"));
    told(
        &mut state,
        messages.into_iter().chain([alert(THREE, Matter::Blocked, "notes needs you")]).collect(),
    );
    assert!(has(&mut state, "5 panes need you: pane-3, pane-1, pane-2,"), "{:#?}", drawn(&mut state));
    assert_eq!(prefixed(&mut state, "T"), command(Command::FocusPane { pane: THREE }));
}
