//! The frame around the panes: tab bar, docks, titles, status bar, prompts and help.

use crate::support::terminal::{ESCAPE, Screen};
use crate::support::{Home, Terminal, have};

/// Columns of the left sidebar.
const SIDEBAR: u16 = 28;

fn one_pane() -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    home.peer().wait_for_shape("(1)");
    (home, terminal)
}

fn two_panes(config: &str) -> (Home, Terminal) {
    let home = Home::with_config(config);
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    (home, terminal)
}

/// The text of a row right of the sidebar.
fn right_part(screen: &Screen, row: u16) -> String {
    screen.row(row).chars().skip(SIDEBAR.into()).collect()
}

/// The text of the sidebar.
fn sidebar(screen: &Screen) -> String {
    let rows = screen.text();
    rows.lines().map(|row| row.chars().take(SIDEBAR.into()).collect::<String>() + "\n").collect()
}

#[test]
fn every_part_is_in_its_place() {
    let (home, terminal) = one_pane();
    terminal.look(|screen| {
        assert_eq!(screen.find("WORKSPACES"), Some((0, 1)));
        assert!(screen.find("AGENTS").is_some_and(|at| at.1 == 1));
        assert!(sidebar(screen).contains("project"), "{}", sidebar(screen));
        let tabs = right_part(screen, 0);
        assert!(tabs.contains("1 ×") && tabs.contains('+'), "{tabs}");
        // a pane alone has no frame: its first row is right under the tab bar
        assert_eq!(screen.find("ready>"), Some((1, SIDEBAR)));
        let status = screen.status();
        let version = env!("CARGO_PKG_VERSION");
        for part in ["NORMAL", "ctrl+Space ?", "default", "1 pane", "tab 1/1", version] {
            assert!(status.contains(part), "`{part}` in {status}");
        }
    });
    terminal.prefix("c");
    terminal.wait_for("two tabs", |screen| screen.status().contains("2 panes · tab 2/2"));
    terminal.look(|screen| assert!(right_part(screen, 0).contains("1  2 ×"), "{}", right_part(screen, 0)));
    home.stop();
}

#[test]
fn frames_carry_names_and_directories() {
    let (home, terminal) = two_panes("");
    terminal.look(|screen| {
        let titles = right_part(screen, 1);
        assert_eq!(titles.matches("─ sh ").count(), 2, "{titles}");
        assert_eq!(titles.matches("/project ").count(), 2, "{titles}");
        // the focused frame is another colour
        let color = |col| screen.raw().cell(20, col).expect("a cell").fgcolor();
        assert_ne!(color(SIDEBAR), color(99));
    });
    terminal.line("cd / && cat");
    terminal.wait_for("the program and the directory", |screen| {
        let titles = right_part(screen, 1);
        titles.contains("▸ cat ") && titles.contains(" / ─")
    });
    home.stop();
}

#[test]
fn names_can_be_given_and_taken_back() {
    let config = "[keybindings]\nrename_pane = \"R\"\nrename_workspace = \"W\"\n";
    let (home, terminal) = two_panes(config);
    terminal.prefix("R");
    terminal.wait_for_text("Name pane");
    terminal.send("worker\r");
    terminal.wait_for("the name on the frame", |screen| right_part(screen, 1).contains("─ worker "));
    // what cannot be a name changes nothing and says so
    terminal.prefix("R");
    terminal.wait_for_text("Name pane");
    terminal.send("\x15Not A Name\r");
    terminal.wait_for("a notice", |screen| screen.status().contains("name"));
    // a prompt that is left changes nothing
    terminal.prefix("R");
    terminal.wait_for_text("Name pane");
    terminal.send(&format!("xyz{ESCAPE}"));
    terminal.wait_for_no_text("Name pane");
    terminal.look(|screen| assert!(right_part(screen, 1).contains("─ worker ")));
    terminal.prefix("W");
    terminal.wait_for_text("Rename workspace");
    terminal.send("\x15atelier\r");
    terminal.wait_for("the name in the dock", |screen| sidebar(screen).contains("atelier"));
    terminal.prefix(",");
    terminal.wait_for_text("Rename tab");
    terminal.send("shop\r");
    terminal.wait_for("the name on the tab", |screen| right_part(screen, 0).contains("1 shop ×"));
    terminal.prefix(",");
    terminal.wait_for_text("Rename tab");
    terminal.send("\x15\r");
    terminal.wait_for("its number again", |screen| right_part(screen, 0).contains(" 1 ×"));
    home.stop();
}

#[test]
fn help_is_made_from_the_keys_in_force() {
    let config =
        "[keybindings]\nsplit_right = \"|\"\nzoom_pane = \"\"\n[direct_keybindings]\nnew_tab = \"alt+t\"\n";
    let home = Home::with_config(config);
    let terminal = Terminal::attach(&home);
    let row_of = |text: &str| {
        terminal.prefix("?");
        terminal.wait_for_text("/ search");
        terminal.send(&format!("/{text}"));
        let row = terminal.wait_to_see(text, |screen| {
            let found = screen.find_all(text);
            // the line that is searched for, and the search itself
            (found.len() == 2).then(|| screen.row(found[0].0))
        });
        terminal.send("\r");
        terminal.send("q");
        terminal.wait_for_no_text(text);
        row
    };
    assert!(row_of("split_right").contains("│  |  "), "the new key");
    assert!(row_of("split_down").contains("│  s  "), "an old key");
    assert!(row_of("zoom_pane").contains("—"), "no key");
    assert!(row_of("toggle_right_sidebar").contains("│  B  "));
    // direct keys stand apart
    terminal.prefix("?");
    terminal.wait_for_text("/ search");
    terminal.send("/alt+t\r");
    terminal.wait_for("a section of its own", |screen| {
        screen.find("Without the prefix").zip(screen.find("Open a new tab")).is_some_and(|(a, b)| a.0 < b.0)
    });
    home.stop();
}

#[test]
fn help_scrolls_and_closes() {
    let (home, terminal) = one_pane();
    for close in [ESCAPE, "q", "?"] {
        terminal.prefix("?");
        terminal.wait_for_text("Panes, after ctrl+Space");
        terminal.send("G");
        terminal.wait_for_text("In a dock");
        terminal.send("g");
        terminal.wait_for_text("Panes, after ctrl+Space");
        terminal.send(" ");
        terminal.wait_for_no_text("Panes, after ctrl+Space");
        terminal.send(close);
        terminal.wait_for_no_text("/ search");
    }
    // the pane has seen none of it
    terminal.line("echo clean-$((1+1))");
    terminal.wait_for_text("ready> echo clean-$((1+1))");
    home.stop();
}

#[test]
fn the_agents_dock_leads_to_what_runs() {
    let (home, terminal) = one_pane();
    terminal.line("cp $(command -v cat) claude; echo run-$((1+1)); ./claude");
    terminal.wait_for("a row in the dock", |screen| sidebar(screen).contains("claude"));
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    terminal.prefix("a");
    terminal.wait_for("the dock's keys", |screen| screen.status().contains("Esc"));
    terminal.send("\r");
    home.peer().wait_for_shape("(1) / 2");
    terminal.wait_for_text("run-2");
    terminal.send("\x04");
    terminal.wait_for("an empty dock", |screen| sidebar(screen).contains("no agents"));
    home.stop();
}

#[test]
fn docks_can_be_on_the_right() {
    let home = Home::with_config(
        "[sidebars.left]\ndocks = [\"workspaces\"]\n[sidebars.right]\ndocks = [\"agents\"]\nvisible = false\nwidth = 20\n",
    );
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("WORKSPACES");
    terminal.look(|screen| assert!(!screen.has("AGENTS")));
    terminal.prefix("B");
    terminal.wait_for("a dock on the right", |screen| screen.find("AGENTS").is_some_and(|at| at.1 == 81));
    terminal.prefix("B");
    terminal.wait_for_no_text("AGENTS");
    home.stop();
}

#[test]
fn workspaces_show_their_branch() {
    if !have(&["git"]) {
        return;
    }
    let home = Home::new();
    let git = |arguments: &[&str]| {
        let output = crate::support::home::finish(home.command("git").args(arguments));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet", "--initial-branch", "trunk"]);
    let terminal = Terminal::attach(&home);
    terminal.wait_for("the branch", |screen| sidebar(screen).contains("trunk"));
    terminal.line("git checkout -q -b topic");
    terminal.wait_for("the new branch", |screen| sidebar(screen).contains("topic"));
    home.stop();
}

#[test]
fn a_bell_marks_its_tab_until_it_is_viewed() {
    let (home, terminal) = one_pane();
    terminal.line("read line; printf '\\007'");
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    let inventory = home.peer().call("terminal.backend.inventory", &serde_json::json!({}));
    let generation =
        home.peer().call("uhp.capabilities", &serde_json::json!({}))["server_generation"].clone();
    let enter = serde_json::json!({
        "server_generation": generation, "pane_id": inventory["terminals"][0]["pane_id"],
        "terminal_id": inventory["terminals"][0]["terminal_id"], "text": "\n",
    });
    home.peer().call("terminal.backend.type_literal", &enter);
    terminal.wait_for("a mark", |screen| right_part(screen, 0).contains("1 !"));
    terminal.prefix("1");
    terminal.wait_for("no mark", |screen| !right_part(screen, 0).contains('!'));
    home.stop();
}

#[test]
fn without_colours_weight_tells_the_parts_apart() {
    let home = Home::new();
    let argv = [crate::support::server::PROGRAM];
    let terminal = Terminal::run_with(&home, (100, 30), &argv, &[("NO_COLOR", "1")]);
    terminal.wait_for_text("ready>");
    terminal.look(|screen| {
        let (rows, cols) = (30, 100);
        let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        for (row, col) in cells {
            let cell = screen.raw().cell(row, col).expect("a cell");
            let colors = (cell.fgcolor(), cell.bgcolor());
            assert_eq!(colors, (vt100::Color::Default, vt100::Color::Default), "{row} {col}");
        }
        let word = screen.raw().cell(29, 1).expect("a cell");
        assert!(word.inverse() || word.bold());
    });
    home.stop();
}
