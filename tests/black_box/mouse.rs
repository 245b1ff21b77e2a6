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
fn a_horizontal_divider_can_be_dragged_too() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.prefix("s");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    let below = terminal.look(|screen| screen.find_all("ready>")[1]);
    // right of the title's words
    let line = below.0 - 1;
    terminal.drag((line, below.1 + 20), (line - 5, below.1 + 20));
    terminal.wait_for("a line five rows higher", |screen| {
        screen.find_all("ready>").get(1).is_some_and(|now| now.0 == below.0 - 5)
    });
    home.stop();
}

#[test]
fn the_sidebars_edge_can_be_dragged() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    let at = terminal.look(|screen| screen.find("ready>")).expect("a prompt");
    terminal.drag((10, at.1 - 1), (10, at.1 + 7));
    terminal.wait_for("a wider sidebar", |screen| screen.find("ready>").is_some_and(|now| now.1 == at.1 + 8));
    home.stop();
}

#[test]
fn tabs_and_sidebars_have_their_buttons() {
    let (home, terminal) = two_panes();
    let find = |text: &str| terminal.wait_to_see(text, |screen| screen.find(text));
    let plus = terminal.wait_to_see("the `+` of the tab bar", |screen| {
        screen.find_all("+").into_iter().find(|at| at.0 == 0 && at.1 >= 28)
    });
    terminal.click(plus.0, plus.1);
    home.peer().wait_for_shape("1 2 / (3)");
    let cross = terminal.wait_to_see("the `×` of the new tab", |screen| {
        screen.status().contains("tab 2/2").then(|| screen.find("×")).flatten()
    });
    terminal.click(cross.0, cross.1);
    home.peer().wait_for_shape("1 (2)");
    let toggle = find("«");
    terminal.click(toggle.0, toggle.1);
    terminal.wait_for_no_text("WORKSPACES");
    let toggle = find("»");
    terminal.click(toggle.0, toggle.1);
    let heading = find("WORKSPACES");
    let plus = terminal.wait_to_see("the `+` of the dock", |screen| {
        screen.find_all("+").into_iter().find(|at| at.0 == heading.0 && at.1 < 28)
    });
    terminal.click(plus.0, plus.1);
    terminal.wait_for_text("Open workspace");
    home.stop();
}

#[test]
fn questions_and_help_can_be_answered_by_a_click() {
    let (home, terminal) = two_panes();
    terminal.line("cat");
    terminal.wait_for_text("▸ cat");
    for (answer, shape) in [("[n]", "1 (2)"), ("[y]", "(1)")] {
        terminal.prefix("x");
        let at = terminal.wait_to_see("the question", |screen| screen.find(answer));
        terminal.click(at.0, at.1 + 1);
        terminal.wait_for_no_text("would be ended");
        home.peer().wait_for_shape(shape);
    }
    terminal.prefix("?");
    terminal.wait_for_text("/ search");
    terminal.click(15, 2);
    terminal.wait_for_no_text("/ search");
    home.stop();
}

#[test]
fn the_wheel_moves_a_program_on_the_alternate_screen() {
    if !crate::support::have(&["less"]) {
        return;
    }
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 1000 | sed 's/^/number /' > numbers; less numbers");
    let at = terminal.wait_to_see("the first page", |screen| screen.find("number 1"));
    for _ in 0..5 {
        terminal.mouse(WHEEL_DOWN, at.0 + 3, at.1, true);
    }
    terminal.wait_for_no_text("number 2 ");
    terminal.look(|screen| assert!(!screen.status().contains("SCROLL")));
    home.stop();
}

#[test]
fn a_drag_that_began_in_a_program_ends_in_it() {
    let (home, terminal) = two_panes();
    terminal
        .line("clear; stty -echo -icanon; printf '\\033[?1002h\\033[?1006h'; echo mouse-$((1+1)); cat -v");
    let at = terminal.wait_to_see("the program", |screen| screen.find("mouse-2"));
    // into the other pane and released there: the program sees the nearest cell of its own
    terminal.drag((at.0, at.1 + 4), (at.0 + 2, at.1 - 20));
    terminal.wait_for_text("^[[<0;5;1M^[[<32;1;3M^[[<0;1;3m");
    home.peer().wait_for_shape("1 (2)");
    home.stop();
}

#[test]
fn shift_keeps_a_click_from_the_program() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal
        .line("clear; stty -echo -icanon; printf '\\033[?1000h\\033[?1006h'; echo mouse-$((1+1)); cat -v");
    let at = terminal.wait_to_see("the program", |screen| screen.find("mouse-2"));
    const SHIFT: u8 = 4;
    terminal.mouse(SHIFT, at.0, at.1 + 3, true);
    terminal.mouse(SHIFT, at.0, at.1 + 3, false);
    terminal.click(at.0, at.1 + 5);
    terminal.wait_for_text("^[[<0;6;1M^[[<0;6;1m");
    terminal.look(|screen| assert!(!screen.has("<4;"), "{}", screen.text()));
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
