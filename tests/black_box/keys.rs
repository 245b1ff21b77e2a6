//! Keys: every key of the core table does what it says, all others reach the program in the pane.

use crate::support::terminal::{DOWN, ESCAPE, LEFT, PREFIX, RIGHT, SHIFT_PAGE_UP, Screen, UP};
use crate::support::{Home, Terminal};

const PAGE_UP: &str = "\x1b[5~";
const PAGE_DOWN: &str = "\x1b[6~";
const SHIFT_UP: &str = "\x1b[1;2A";
const SHIFT_TAB: &str = "\x1b[Z";

/// A client with one pane, and its home.
fn one_pane() -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    home.peer().wait_for_shape("(1)");
    (home, terminal)
}

/// A client with two panes side by side; the right one is focused.
fn two_panes() -> (Home, Terminal) {
    let (home, terminal) = one_pane();
    terminal.prefix("v");
    home.peer().wait_for_shape("1 (2)");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    (home, terminal)
}

/// Where the prompts are, from the top.
fn prompts(terminal: &Terminal) -> Vec<(u16, u16)> {
    terminal.look(|screen| screen.find_all("ready>"))
}

fn mode(screen: &Screen, word: &str) -> bool {
    screen.status().contains(word)
}

#[test]
fn splits_go_right_down_and_along_the_longer_side() {
    let (home, terminal) = two_panes();
    let at = prompts(&terminal);
    assert_eq!(at[0].0, at[1].0, "`v` puts panes side by side: {at:?}");
    terminal.prefix("s");
    home.peer().wait_for_shape("1 2 (3)");
    terminal.wait_for("a prompt below", |screen| {
        let at = screen.find_all("ready>");
        at.len() == 3 && at[2].0 > at[1].0 && at[2].1 == at[1].1
    });
    home.stop();

    let (home, terminal) = one_pane();
    terminal.prefix("+");
    home.peer().wait_for_shape("1 (2)");
    terminal.wait_for("a prompt to the right", |screen| {
        let at = screen.find_all("ready>");
        at.len() == 2 && at[0].0 == at[1].0
    });
    home.stop();
}

#[test]
fn a_split_without_room_is_refused_with_a_notice() {
    let home = Home::new();
    let terminal = Terminal::attach_sized(&home, (50, 10));
    terminal.prefix("b");
    terminal.wait_for_no_text("WORKSPACES");
    terminal.prefix("s");
    terminal.prefix("s");
    terminal.prefix("s");
    terminal.wait_for_text("room");
    let shape = home.peer().shape();
    assert!(shape.split(' ').count() <= 2, "{shape}");
    home.stop();
}

#[test]
fn focus_moves_by_direction() {
    let (home, terminal) = two_panes();
    let peer = home.peer();
    terminal.prefix("s");
    peer.wait_for_shape("1 2 (3)");
    for (key, shape) in [
        (UP, "1 (2) 3"),
        (LEFT, "(1) 2 3"),
        (RIGHT, "1 (2) 3"),
        (DOWN, "1 2 (3)"),
        ("k", "1 (2) 3"),
        ("h", "(1) 2 3"),
        ("l", "1 (2) 3"),
        ("j", "1 2 (3)"),
    ] {
        terminal.prefix(key);
        peer.wait_for_shape(shape);
    }
    // what is typed goes where the focus is
    terminal.prefix("h");
    peer.wait_for_shape("(1) 2 3");
    terminal.line("echo left-$((1+1))");
    let (_, col) = terminal.wait_to_see("the text", |screen| screen.find("left-2"));
    assert_eq!(col, prompts(&terminal)[0].1);
    home.stop();
}

#[test]
fn focus_goes_round_and_back_in_its_history() {
    let (home, terminal) = two_panes();
    let peer = home.peer();
    terminal.prefix("s");
    peer.wait_for_shape("1 2 (3)");
    for (key, shape) in [
        (";", "(1) 2 3"),
        (";", "1 (2) 3"),
        ("[", "(1) 2 3"),
        ("[", "1 2 (3)"),
        ("]", "(1) 2 3"),
        ("]", "1 (2) 3"),
    ] {
        terminal.prefix(key);
        peer.wait_for_shape(shape);
    }
    home.stop();
}

#[test]
fn an_idle_pane_closes_at_once_and_a_busy_one_asks() {
    let (home, terminal) = two_panes();
    let peer = home.peer();
    terminal.prefix("x");
    peer.wait_for_shape("(1)");
    terminal.prefix("v");
    peer.wait_for_shape("1 (3)");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    terminal.line("cat");
    terminal.wait_for_text("▸ cat");
    terminal.prefix("x");
    terminal.wait_for_text("would be ended");
    terminal.send("n");
    terminal.wait_for_no_text("would be ended");
    peer.wait_for_shape("1 (3)");
    terminal.prefix("x");
    terminal.wait_for_text("would be ended");
    terminal.send("y");
    peer.wait_for_shape("(1)");
    home.stop();
}

#[test]
fn closing_the_last_pane_leaves_a_fresh_shell() {
    let (home, terminal) = one_pane();
    terminal.line("echo old-$((1+1))");
    terminal.wait_for_text("old-2");
    terminal.prefix("x");
    home.peer().wait_for_shape("(2)");
    terminal.wait_for_no_text("old-2");
    terminal.wait_for_text("ready>");
    terminal.line("pwd -P");
    terminal.wait_for_text(home.person().to_str().expect("a plain name"));
    home.stop();
}

#[test]
fn zoom_shows_one_pane_alone() {
    let (home, terminal) = two_panes();
    terminal.prefix("z");
    terminal.wait_for("one pane", |screen| mode(screen, "ZOOM") && screen.find_all("ready>").len() == 1);
    terminal.prefix("z");
    terminal.wait_for("two panes", |screen| !mode(screen, "ZOOM") && screen.find_all("ready>").len() == 2);
    home.peer().wait_for_shape("1 (2)");
    home.stop();
}

#[test]
fn resize_mode_moves_the_divider() {
    let (home, terminal) = two_panes();
    let before = prompts(&terminal)[1].1;
    terminal.prefix("r");
    terminal.wait_for("resize mode", |screen| mode(screen, "RESIZE"));
    terminal.send(LEFT);
    terminal.wait_for("a divider further left", |screen| {
        screen.find_all("ready>").get(1).is_some_and(|at| at.1 < before)
    });
    terminal.send(RIGHT);
    terminal.wait_for("a divider where it was", |screen| {
        screen.find_all("ready>").get(1).is_some_and(|at| at.1 == before)
    });
    terminal.send(ESCAPE);
    terminal.wait_for("normal mode", |screen| mode(screen, "NORMAL"));
    terminal.send("x");
    terminal.wait_for_text("ready> x");
    home.stop();
}

#[test]
fn panes_swap_places() {
    let (home, terminal) = two_panes();
    terminal.prefix("{");
    home.peer().wait_for_shape("(2) 1");
    terminal.prefix("}");
    home.peer().wait_for_shape("1 (2)");
    home.stop();
}

#[test]
fn tabs_are_made_found_and_named() {
    let (home, terminal) = one_pane();
    let peer = home.peer();
    for (key, shape) in [
        ("c", "1 / (2)"),
        ("c", "1 / 2 / (3)"),
        ("n", "(1) / 2 / 3"),
        ("p", "1 / 2 / (3)"),
        ("\t", "(1) / 2 / 3"),
        (SHIFT_TAB, "1 / 2 / (3)"),
        ("2", "1 / (2) / 3"),
        ("1", "(1) / 2 / 3"),
    ] {
        terminal.prefix(key);
        peer.wait_for_shape(shape);
    }
    terminal.prefix(",");
    // whatever stands there already is cleared first
    terminal.send("\x15first\r");
    terminal.wait_for("the name on the tab bar", |screen| screen.row(0).contains("first"));
    home.stop();
}

#[test]
fn workspaces_are_opened_walked_and_closed() {
    let (home, terminal) = one_pane();
    let peer = home.peer();
    terminal.prefix("N");
    terminal.send(&format!("\x15{}\r", home.person().display()));
    peer.wait_for_shape("1 | (2)");
    terminal.wait_for_text("person");
    for (key, shape) in [("u", "(1) | 2"), ("U", "1 | (2)"), ("!", "(1) | 2"), ("@", "1 | (2)")] {
        terminal.prefix(key);
        peer.wait_for_shape(shape);
    }
    terminal.prefix("D");
    peer.wait_for_shape("(1)");
    home.stop();
}

#[test]
fn the_workspaces_dock_is_walked_by_keys() {
    let (home, terminal) = one_pane();
    let peer = home.peer();
    home.ok(&["workspace", "open", home.person().to_str().expect("a plain name")]);
    peer.wait_for_shape("1 | (2)");
    terminal.wait_for_text("person");
    terminal.prefix("w");
    terminal.send("k\r");
    peer.wait_for_shape("(1) | 2");
    terminal.prefix("w");
    terminal.wait_for("the dock's keys", |screen| screen.status().contains("Esc"));
    terminal.send(ESCAPE);
    // the keyboard is back in the pane
    terminal.wait_for("no keys of the dock", |screen| !screen.status().contains("Esc"));
    terminal.line("echo back-$((1+1))");
    terminal.wait_for_text("back-2");
    home.stop();
}

#[test]
fn sidebars_come_and_go() {
    let (home, terminal) = one_pane();
    terminal.wait_for_text("WORKSPACES");
    let before = prompts(&terminal)[0].1;
    terminal.prefix("b");
    terminal.wait_for_no_text("WORKSPACES");
    terminal.wait_for("a pane further left", |screen| screen.find("ready>").is_some_and(|at| at.1 < before));
    terminal.prefix("b");
    terminal.wait_for_text("WORKSPACES");
    home.stop();
}

#[test]
fn help_shows_the_keys_in_force() {
    let home = Home::with_config("prefix = \"ctrl+b\"\n[keybindings]\nsplit_right = \"|\"\n");
    let terminal = Terminal::attach(&home);
    terminal.send("\x02?");
    terminal.wait_for("prefix and keys", |screen| {
        screen.has("ctrl+b") && screen.text().to_lowercase().contains("split")
    });
    terminal.send(ESCAPE);
    terminal.wait_for_text("ready>");
    home.stop();
}

#[test]
fn what_is_typed_ahead_goes_where_the_command_leads() {
    let (home, terminal) = one_pane();
    // as fast as a terminal can send it
    terminal.send(&format!("{PREFIX}vecho split-$((1+1))\r{PREFIX}cecho tab-$((1+1))\r"));
    terminal.wait_for_text("tab-2");
    home.peer().wait_for_shape("1 2 / (3)");
    terminal.send(&format!("{PREFIX}1{PREFIX}hecho left-$((1+1))\r{PREFIX}lecho right-$((1+1))\r"));
    terminal.wait_for("each line in its pane", |screen| {
        let col = |text: &str| screen.find(text).map(|at| at.1);
        let (left, right) = (col("left-2"), col("right-2"));
        left.zip(right).is_some_and(|(left, right)| left < right) && right == col("split-2")
    });
    // a question is part of the way
    terminal.line("cat");
    terminal.wait_for_text("▸ cat");
    terminal.send(&format!("{PREFIX}xyecho alone-$((1+1))\r"));
    terminal.wait_for_text("alone-2");
    home.peer().wait_for_shape("(1) / 3");
    home.stop();
}

#[test]
fn a_key_of_the_kitty_protocol_is_the_same_key() {
    let (home, terminal) = one_pane();
    // Ctrl+Space and its release, `v` as text: a split
    terminal.send("\x1b[32;5u\x1b[32;5:3uv");
    home.peer().wait_for_shape("1 (2)");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    terminal.line("stty -icanon -echo -isig; echo raw-$((1+1)); cat -v");
    terminal.wait_for_text("raw-2");
    // Ctrl+a and its release; a program that knows nothing of this sees one old byte
    terminal.send("\x1b[97;5u\x1b[97;5:3u.");
    terminal.wait_for_text("^A.");
    home.stop();
}

#[test]
fn a_program_can_ask_for_the_kitty_protocol() {
    let (home, terminal) = one_pane();
    terminal.line("stty -icanon -echo -isig; printf '\\033[>3u'; echo on-$((1+1)); cat -v");
    terminal.wait_for_text("on-2");
    terminal.send("\x1b[97;5u\x1b[97;5:3u.");
    terminal.wait_for_text("^[[97;5u^[[97;5:3u.");
    // Shift+Enter and Enter stay distinct; neither has a release at this level
    terminal.send("\x1b[13;2u\x1b[13;2:3u.\r");
    terminal.wait_for_text("^[[13;2u.");
    home.stop();
}

#[test]
fn shift_enter_is_a_newline_to_a_program_that_knows_no_better() {
    for (setting, shown) in [("esc-cr", "^[^M."), ("csi-u", "^[[13;2u.")] {
        let home = Home::with_config(&format!("[layout]\nshift_enter = \"{setting}\"\n"));
        let terminal = Terminal::attach(&home);
        terminal.line("stty -icanon -echo -icrnl; echo raw-$((1+1)); cat -v");
        terminal.wait_for_text("raw-2");
        terminal.send("\x1b[13;2u\x1b[13;2:3u.");
        terminal.wait_for_text(shown);
        home.stop();
    }
}

#[test]
fn detach_has_two_keys() {
    for key in ["d", "q"] {
        let (home, terminal) = one_pane();
        terminal.prefix(key);
        assert_eq!(terminal.wait_for_exit(), 0);
        home.peer().wait_for_shape("(1)");
        home.stop();
    }
}

#[test]
fn the_prefix_twice_is_sent_to_the_pane() {
    let (home, terminal) = one_pane();
    terminal.line("cat -v");
    terminal.prefix(PREFIX);
    terminal.send("twice\r");
    terminal.wait_for_text("^@twice");
    home.stop();
}

#[test]
fn escape_cancels_the_prefix() {
    let (home, terminal) = one_pane();
    terminal.send(PREFIX);
    terminal.wait_for("prefix mode", |screen| mode(screen, "PREFIX"));
    terminal.send(ESCAPE);
    terminal.wait_for("normal mode", |screen| mode(screen, "NORMAL"));
    terminal.send("v");
    terminal.wait_for_text("ready> v");
    home.peer().wait_for_shape("(1)");
    home.stop();
}

#[test]
fn an_unbound_key_is_swallowed_with_a_notice() {
    let (home, terminal) = one_pane();
    terminal.prefix("~");
    terminal.wait_for("a notice", |screen| screen.status().contains('~'));
    terminal.send("z");
    terminal.wait_for_text("ready> z");
    home.stop();
}

#[test]
fn all_other_keys_reach_the_program() {
    let (home, terminal) = one_pane();
    terminal.line("stty -icanon -echo -isig -ixon -icrnl; echo raw-$((1+1)); cat -v");
    terminal.wait_for_text("raw-2");
    for (key, shown) in [
        ("a", "a"),
        ("é", "M-CM-)"),
        ("\x01", "^A"),
        ("\x03", "^C"),
        ("\x1a", "^Z"),
        ("\x13", "^S"),
        ("\r", "^M"),
        ("\x7f", "^?"),
        ("\x1b[A", "^[[A"),
        ("\x1b[1;5C", "^[[1;5C"),
        ("\x1b[H", "^[[H"),
        ("\x1b[3~", "^[[3~"),
        ("\x1bOP", "^[OP"),
        ("\x1b[15~", "^[[15~"),
        ("\x1bx", "^[x"),
        ("\x1b[Z", "^[[Z"),
    ] {
        terminal.send(key);
        terminal.wait_for_text(shown);
        // a fresh line for the next one
        terminal.send("\n");
    }
    home.stop();
}

#[test]
fn a_paste_arrives_whole_and_in_brackets_if_wanted() {
    let (home, terminal) = one_pane();
    terminal.line("stty -echo -icrnl; printf '\\033[?2004h'; echo on-$((1+1)); cat -v");
    terminal.wait_for_text("on-2");
    terminal.send("\x1b[200~one two\x1b[201~\n");
    terminal.wait_for_text("^[[200~one two^[[201~");
    home.stop();
}

#[test]
fn the_prefix_can_be_another_key() {
    let home = Home::with_config("prefix = \"ctrl+b\"\n");
    let terminal = Terminal::attach(&home);
    terminal.send("\x02v");
    home.peer().wait_for_shape("1 (2)");
    // the usual one is now a key like any other
    terminal.line("cat -v");
    terminal.send("\0plain\r");
    terminal.wait_for_text("^@plain");
    home.stop();
}

#[test]
fn presets_bring_their_own_keys() {
    let home = Home::with_config("preset = \"tmux\"\n");
    let terminal = Terminal::attach(&home);
    terminal.send("\x02%");
    home.peer().wait_for_shape("1 (2)");
    terminal.send("\x02\"");
    home.peer().wait_for_shape("1 2 (3)");
    terminal.send("\x02o");
    home.peer().wait_for_shape("(1) 2 3");
    home.stop();

    let home = Home::with_config("preset = \"no-ctrl\"\n");
    let terminal = Terminal::attach(&home);
    terminal.send("\x1b[24~v");
    home.peer().wait_for_shape("1 (2)");
    home.stop();
}

#[test]
fn a_direct_key_needs_no_prefix() {
    let home = Home::with_config("[direct_keybindings]\nnew_tab = \"ctrl+alt+n\"\n");
    let terminal = Terminal::attach(&home);
    terminal.send("\x1b\x0e");
    home.peer().wait_for_shape("1 / (2)");
    home.stop();
}

#[test]
fn a_conflict_disables_only_itself_and_is_shown() {
    let home = Home::with_config("[keybindings]\nsplit_right = \"|\"\nnew_tab = \"|\"\nzoom_pane = \"t\"\n");
    let terminal = Terminal::attach(&home);
    terminal.wait_for("a warning", |screen| screen.status().contains("new_tab"));
    let warnings = home.run(&["config", "check"]);
    let text =
        String::from_utf8_lossy(&warnings.stdout).into_owned() + &String::from_utf8_lossy(&warnings.stderr);
    assert!(text.contains("new_tab") && !text.contains("split_right is left out"), "{text}");
    // the first of the two holds, and what is not concerned keeps its key
    terminal.send("\0|");
    home.peer().wait_for_shape("1 (2)");
    terminal.prefix("c");
    home.peer().wait_for_shape("1 2 / (3)");
    home.stop();
}

#[test]
fn scroll_mode_walks_through_the_history() {
    let (home, terminal) = one_pane();
    terminal.line("seq 1 500; echo end-$((1+1))");
    terminal.wait_for_text("end-2");
    terminal.send(SHIFT_PAGE_UP);
    terminal.wait_for("scroll mode", |screen| mode(screen, "SCROLL") && screen.has("↑"));
    terminal.wait_for_no_text("end-2");
    terminal.send("g");
    terminal.wait_for("the oldest row", |screen| screen.has("seq 1 500"));
    terminal.send("j");
    terminal.wait_for_no_text("seq 1 500");
    terminal.send("k");
    terminal.wait_for_text("seq 1 500");
    terminal.send("f");
    terminal.wait_for_no_text("seq 1 500");
    terminal.send("5");
    terminal.wait_for("the middle", |screen| (200..300).any(|n| screen.has(&format!("{n} "))));
    terminal.send("G");
    terminal.wait_for("the live screen", |screen| screen.has("end-2") && !mode(screen, "SCROLL"));
    // typing leaves it too, and is not lost
    terminal.send(SHIFT_UP);
    terminal.wait_for("scroll mode", |screen| mode(screen, "SCROLL"));
    terminal.send("x");
    terminal.wait_for("the typed key", |screen| screen.has("ready> x") && !mode(screen, "SCROLL"));
    for key in ["q", ESCAPE, "0"] {
        terminal.send(SHIFT_PAGE_UP);
        terminal.wait_for("scroll mode", |screen| mode(screen, "SCROLL"));
        terminal.send(key);
        terminal.wait_for("the live screen", |screen| !mode(screen, "SCROLL"));
    }
    terminal.wait_for_text("ready> x");
    home.stop();
}

#[test]
fn page_keys_scroll_unless_the_program_wants_them() {
    let (home, terminal) = one_pane();
    terminal.line("seq 1 200; echo end-$((1+1))");
    terminal.wait_for_text("end-2");
    terminal.send(PAGE_UP);
    terminal.wait_for("scroll mode", |screen| mode(screen, "SCROLL") && !screen.has("end-2"));
    terminal.send(PAGE_DOWN);
    terminal.wait_for("the live screen", |screen| screen.has("end-2") && !mode(screen, "SCROLL"));
    terminal.line("stty -echo; printf '\\033[?1049h'; echo alt-$((1+1)); cat -v");
    terminal.wait_for_text("alt-2");
    terminal.send(&format!("{PAGE_UP}\r"));
    terminal.wait_for_text("^[[5~");
    home.stop();
}

#[test]
fn output_does_not_move_a_scrolled_view() {
    let (home, terminal) = one_pane();
    terminal.line("seq 1 300; echo half-$((1+1)); read line; seq 301 600");
    terminal.wait_for_text("half-2");
    terminal.send(SHIFT_PAGE_UP);
    terminal.wait_for("scroll mode", |screen| mode(screen, "SCROLL"));
    let before =
        terminal.wait_to_see("the view", |screen| Some(screen.text()).filter(|text| text.contains("260")));
    let first = before.lines().find_map(|line| line.split_whitespace().last()?.parse::<u32>().ok());
    let terminal_of = home.peer().call("terminal.backend.inventory", &serde_json::json!({}));
    let generation = terminal_of["server_generation"].clone();
    let locator = serde_json::json!({
        "server_generation": generation,
        "terminal_id": terminal_of["terminals"][0]["terminal_id"],
        "pane_id": terminal_of["terminals"][0]["pane_id"],
    });
    let type_enter = crate::support::server::with(&locator, &serde_json::json!({"text": "\n"}));
    home.peer().call("terminal.backend.type_literal", &type_enter);
    let wait = serde_json::json!({"after_revision": 0, "match": "600", "timeout_ms": 15000});
    home.peer().call("terminal.backend.wait_output", &crate::support::server::with(&locator, &wait));
    let after = terminal.look(|screen| screen.text());
    assert_eq!(after.lines().find_map(|line| line.split_whitespace().last()?.parse::<u32>().ok()), first);
    home.stop();
}
