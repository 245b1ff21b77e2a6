//! Narrow terminals, and terminals that show ASCII only.

use crate::support::{Home, Terminal};

#[test]
fn a_narrow_terminal_shows_one_pane_and_reaches_all_by_taps() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    terminal.wait_for("two panes", |screen| screen.find_all("ready>").len() == 2);
    terminal.resize(40, 12);
    terminal.wait_for("the header", |screen| {
        let (first, second) = (screen.row(0), screen.row(1));
        first.starts_with(" default")
            && first.contains("/ tab 1/1")
            && first.contains("menu")
            && second.contains("pane 2/2")
    });
    terminal.wait_for("the focused pane alone", |screen| screen.find_all("ready>").len() == 1);
    terminal.line("clear; stty size");
    terminal.wait_for_text("10 40");
    // it is no zoom
    let layout = home.json(&["layout", "export", "--json"]);
    let zoomed = layout["layout"]["zoomed"].as_bool().or(layout["zoomed"].as_bool());
    assert!(!zoomed.unwrap_or(false), "{layout}");
    // the buttons to the other pane, and the menu
    let at = terminal.wait_to_see("the way to the other pane", |screen| screen.find("‹"));
    terminal.click(at.0, at.1);
    terminal.wait_for("the first pane", |screen| screen.row(1).contains("pane 1/2"));
    let menu = terminal.wait_to_see("the menu's button", |screen| screen.find("menu"));
    terminal.click(menu.0, menu.1);
    for words in ["Tabs", "Open a new tab"] {
        let at = terminal.wait_to_see(words, |screen| screen.find(words));
        terminal.click(at.0, at.1);
    }
    terminal.wait_for("another tab", |screen| screen.row(0).contains("tab 2/2"));
    // room again
    terminal.resize(100, 30);
    terminal.wait_for("the frame of a wide screen", |screen| screen.status().contains("tab 2/2"));
    terminal.wait_for_text("WORKSPACES");
    home.stop();
}

#[test]
fn flags_overrule_the_width_and_the_smallest_screen_works() {
    let home = Home::new();
    let mobile = Terminal::luvus(&home, (100, 30), &["--mobile"]);
    mobile.wait_for("a header", |screen| screen.row(1).contains("pane 1/1"));
    let desktop = Terminal::luvus(&home, (50, 12), &["--desktop"]);
    desktop.wait_for("a status bar", |screen| screen.status().contains("NORMAL"));
    assert!(home.fails(64, &["--mobile", "--desktop", "ping"]).contains("--desktop"));
    drop(mobile);
    let small = Terminal::luvus(&home, (24, 6), &[]);
    small.wait_for("a header", |screen| screen.row(0).contains("menu") && screen.row(1).contains("pane 1/1"));
    small.line("clear; stty size");
    small.wait_for_text("4 24");
    small.prefix(":");
    small.send("split right");
    small.wait_for_text("split right");
    small.resize(23, 6);
    small.wait_for_text("enlarge");
    home.stop();
}

#[test]
fn a_locale_that_is_not_utf8_gets_ascii() {
    let home = Home::new();
    let shown = |environment: &[(&str, &str)], config: &str| {
        home.write_config(config);
        let argv = [env!("CARGO_BIN_EXE_luvus")];
        let terminal = Terminal::run_with(&home, (100, 30), &argv, environment);
        terminal.wait_for("the screen", |screen| screen.status().contains("NORMAL"));
        terminal.look(|screen| screen.text())
    };
    let ascii = shown(&[("LC_ALL", "C")], "");
    assert!(ascii.is_ascii() && ascii.contains("WORKSPACES"), "{ascii}");
    let unicode = shown(&[], "");
    assert!(unicode.contains('×'), "{unicode}");
    assert!(shown(&[], "[layout]\nborders = \"ascii\"\n").is_ascii());
    assert!(shown(&[("LC_ALL", "C")], "[layout]\nborders = \"unicode\"\n").contains('×'));
    home.stop();
}

#[test]
fn gaps_and_titles_do_as_they_are_told() {
    let home = Home::with_config("[layout]\npane_gaps = true\nshow_titles = false\n");
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    terminal.wait_for("two frames with space between", |screen| screen.row(1).contains("╮ ╭"));
    terminal.look(|screen| assert!(!screen.row(1).contains("sh"), "{}", screen.row(1)));
    home.ok(&["config", "set", "layout.pane_gaps", "false"]);
    terminal.wait_for("a shared line", |screen| screen.row(1).contains('┬'));
    home.stop();
}
