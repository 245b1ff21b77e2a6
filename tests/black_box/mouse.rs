//! Mouse: what can be pointed at can be used.

use crate::support::{Home, Terminal};

const WHEEL_UP: u8 = 64;
const WHEEL_DOWN: u8 = 65;

fn two_panes() -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    home.peer().wait_for_shape("1 (2)");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    (home, terminal)
}

#[test]
fn a_click_focuses_a_pane() {
    let (home, terminal) = two_panes();
    let at = terminal.look(|screen| screen.find_all("ready>"));
    terminal.click(at[0].0 + 2, at[0].1 + 3);
    home.peer().wait_for_shape("(1) 2");
    terminal.click(at[1].0 + 2, at[1].1 + 3);
    home.peer().wait_for_shape("1 (2)");
    home.stop();
}

#[test]
fn a_click_focuses_a_tab() {
    let (home, terminal) = two_panes();
    terminal.prefix("c");
    home.peer().wait_for_shape("1 2 / (3)");
    home.ok(&["tab", "rename", "0", "leftmost"]);
    let at = terminal.wait_to_see("the tab's name", |screen| screen.find("leftmost"));
    terminal.click(at.0, at.1 + 2);
    home.peer().wait_for_shape("1 (2) / 3");
    home.stop();
}

#[test]
fn a_click_focuses_a_workspace() {
    let (home, terminal) = two_panes();
    home.ok(&["workspace", "open", home.person().to_str().expect("a plain name")]);
    home.peer().wait_for_shape("1 2 | (3)");
    let at = terminal.wait_to_see("the row of the other workspace", |screen| {
        screen.find_all("project").into_iter().find(|at| at.1 < 28)
    });
    terminal.click(at.0, at.1);
    home.peer().wait_for_shape("1 (2) | 3");
    home.stop();
}

#[test]
fn a_divider_can_be_dragged() {
    let (home, terminal) = two_panes();
    let at = terminal.look(|screen| screen.find_all("ready>"));
    // the content of the right pane begins one cell right of the line
    let line = at[1].1 - 1;
    terminal.drag((at[1].0 + 5, line), (at[1].0 + 5, line - 10));
    terminal.wait_for("a line ten columns further left", |screen| {
        screen.find_all("ready>").get(1).is_some_and(|now| now.1 == at[1].1 - 10)
    });
    home.peer().wait_for_shape("1 (2)");
    home.stop();
}

#[test]
fn the_wheel_scrolls_the_history() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 1 300; echo end-$((1+1))");
    let at = terminal.wait_to_see("the end", |screen| screen.find("end-2"));
    terminal.mouse(WHEEL_UP, at.0, at.1, true);
    terminal.wait_for("a scrolled view", |screen| screen.status().contains("SCROLL") && screen.has("↑"));
    for _ in 0..3 {
        terminal.mouse(WHEEL_DOWN, at.0, at.1, true);
    }
    terminal.wait_for("the live screen", |screen| screen.has("end-2") && !screen.status().contains("SCROLL"));
    home.stop();
}

#[test]
fn a_program_that_asked_gets_clicks_and_wheel() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal
        .line("clear; stty -echo -icanon; printf '\\033[?1000h\\033[?1006h'; echo mouse-$((1+1)); cat -v");
    let at = terminal.wait_to_see("the program", |screen| screen.find("mouse-2"));
    terminal.click(at.0, at.1 + 3);
    // its own coordinates, one-based, press and release
    terminal.wait_for_text("^[[<0;4;1M^[[<0;4;1m");
    terminal.mouse(WHEEL_UP, at.0, at.1, true);
    terminal.wait_for_text("^[[<64;1;1M");
    home.stop();
}

#[test]
fn capture_can_be_switched_off() {
    let home = Home::with_config("[mouse]\ncapture = false\n");
    let terminal = Terminal::attach(&home);
    terminal.look(|screen| {
        assert_eq!(screen.raw().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
    home.stop();
}
