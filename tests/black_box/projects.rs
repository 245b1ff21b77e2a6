//! Layouts of projects (`.luvus.toml`): asked for once a folder and content, and made as they were shown.

use crate::support::terminal::{DOWN, ESCAPE, UP};
use crate::support::{Home, Terminal, eventually};
use std::fs;
use std::path::{Path, PathBuf};

const LAYOUT: &str = "[[tab]]\nname = \"serve\"\n[[tab.pane]]\ncommand = \"echo fi$((1))rst > ran\"\n\
    [[tab.pane]]\nsplit = \"right\"\nshare = 0.3\ncwd = \"sub\"\ncommand = \"echo se$((2))cond\"\n\
    [[tab]]\nname = \"logs\"\nlayout = \"rows\"\npane = [{}, {}]\n";

fn project(home: &Home, text: &str) -> PathBuf {
    let folder = home.path().join("shop");
    fs::create_dir_all(folder.join("sub")).expect("a folder");
    fs::write(folder.join(".luvus.toml"), text).expect("written");
    folder
}

fn open(home: &Home, folder: &Path) {
    home.ok(&["workspace", "open", &folder.to_string_lossy()]);
}

#[test]
fn a_folder_is_confirmed_once_and_again_when_its_text_has_changed() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("ready>");
    let peer = home.peer();
    peer.wait_for_shape("(1)");
    let folder = project(&home, LAYOUT);
    open(&home, &folder);
    terminal.wait_for_text("Set up this project?");
    terminal.look(|screen| {
        assert!(screen.has("tab 1 serve · 2 panes") && screen.has("sub: echo se$((2))cond"));
    });
    // Whatever was being typed says neither yes nor no.
    terminal.send("yes\r");
    terminal.send(UP);
    terminal.send("\r");
    terminal.send(ESCAPE);
    terminal.wait_for_no_text("Set up this project?");
    peer.wait_for_shape("1 | (2)");
    assert!(!folder.join("ran").exists());
    // It can be asked for, and then it is made; the fresh shell is its first pane.
    terminal.prefix(":");
    terminal.send("describes\r");
    terminal.wait_for_text("Set up this project?");
    terminal.send(DOWN);
    terminal.send("\r");
    peer.wait_for_shape("1 | (2) 3 / 4 5");
    terminal.wait_for_text("se2cond");
    terminal.look(|screen| assert!(screen.has("serve") && screen.has("logs")));
    eventually("the first command ran", || {
        (fs::read_to_string(folder.join("ran")).ok()? == "fi1rst\n").then_some(())
    });
    eventually("it is remembered", || {
        fs::read_to_string(home.path().join("projects.json")).ok()?.contains("/shop").then_some(())
    });
    // Now it needs no word, with nobody attached either.
    drop(terminal);
    home.ok(&["workspace", "close", "1", "--force"]);
    peer.wait_for_shape("(1)");
    open(&home, &folder);
    peer.wait_for_shape("1 | (6) 7 / 8 9");
    // Another text is another question, also for whoever attaches later.
    home.ok(&["workspace", "close", "1", "--force"]);
    project(&home, "[[tab]]\n[[tab.pane]]\ncommand = \"touch changed\"\n");
    open(&home, &folder);
    peer.wait_for_shape("1 | (10)");
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("has changed since you said yes");
    assert!(!folder.join("changed").exists());
    drop(terminal);
    home.stop();
}

#[test]
fn a_malformed_layout_is_told_in_one_line_and_not_used() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("ready>");
    let folder = project(&home, "[[tab]]\ncomand = \"touch ran\"\n");
    open(&home, &folder);
    terminal.wait_for_text(".luvus.toml: line 2: unknown field `comand`");
    home.peer().wait_for_shape("1 | (2)");
    drop(terminal);
    home.stop();
}
