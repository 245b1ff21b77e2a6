//! Links in panes, opened with Ctrl and a click.

use crate::support::{Home, Terminal, eventually};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// Ctrl with the left button; with motion.
const CTRL: u8 = 16;
const MOTION: u8 = 35;

/// A program that writes its arguments into a file.
fn recorder(home: &Home, name: &str) -> (PathBuf, PathBuf) {
    let (program, record) = (home.person().join(name), home.person().join(format!("{name}.txt")));
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> {}\n", record.display());
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("made a program");
    (program, record)
}

fn ctrl_click(terminal: &Terminal, (row, col): (u16, u16)) {
    terminal.mouse(CTRL, row, col, true);
    terminal.mouse(CTRL, row, col, false);
}

#[test]
fn addresses_open_with_a_click_also_over_wrapped_rows_and_behind_words() {
    let home = Home::new();
    let (program, record) = recorder(&home, "open");
    home.write_config(&format!("[links]\nopen = \"{}\"\n", program.display()));
    let terminal = Terminal::attach(&home);
    let opened = |url: &str| {
        let there =
            || std::fs::read_to_string(&record).is_ok_and(|text| text.lines().any(|line| line == url));
        eventually(url, || there().then_some(()));
    };
    terminal.line("clear; echo '(see http://one.test/a).' on localhost:4000/b");
    let at = terminal
        .wait_to_see("the output", |screen| screen.find("http://one.test/a).").filter(|at| at.1 == 33));
    // underlined while Ctrl is held over it
    terminal.mouse(MOTION + CTRL, at.0, at.1 + 3, true);
    terminal.wait_for("a line under it", |screen| {
        let underlined = |col: u16| screen.raw().cell(at.0, at.1 + col).is_some_and(vt100::Cell::underline);
        underlined(0) && underlined(16) && !underlined(17)
    });
    terminal.mouse(MOTION, at.0, at.1 + 3, true);
    terminal.wait_for("no line", |screen| !screen.raw().cell(at.0, at.1).is_some_and(vt100::Cell::underline));
    ctrl_click(&terminal, (at.0, at.1 + 3));
    opened("http://one.test/a");
    let at = terminal.wait_to_see("the port", |screen| screen.find("localhost:4000").filter(|at| at.1 == 56));
    ctrl_click(&terminal, at);
    opened("http://localhost:4000/b");
    // longer than a row
    let tail = "x".repeat(80);
    terminal.line(&format!("clear; echo http://two.test/{tail}"));
    let at = terminal.wait_to_see("the second row", |screen| {
        screen.find_all("xxxxxxxx").into_iter().find(|at| at.1 == 28 && at.0 == 2)
    });
    ctrl_click(&terminal, at);
    opened(&format!("http://two.test/{tail}"));
    terminal.line("clear; printf '\\033]8;;http://three.test/\\033\\\\here\\033]8;;\\033\\\\\\n'");
    let at = terminal.wait_to_see("the word", |screen| screen.find("here").filter(|at| at.1 == 28));
    ctrl_click(&terminal, at);
    opened("http://three.test/");
    // an opener that fails is told
    home.ok(&["config", "set", "links.open", "false"]);
    eventually("why not", || {
        // the setting is on its way to the client
        ctrl_click(&terminal, at);
        terminal.look(|screen| screen.status().contains("could not open")).then_some(())
    });
    home.stop();
}

#[test]
fn a_path_opens_in_the_editor_at_its_line() {
    let home = Home::new();
    std::fs::write(home.project().join("notes.txt"), "one\ntwo\n").expect("written");
    let argv = [env!("CARGO_BIN_EXE_luvus")];
    let editor = "printf 'edit %s\\n' \"$@\"; cat; true";
    let program = home.person().join("editor");
    std::fs::write(&program, format!("#!/bin/sh\n{editor}\n")).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("made a program");
    let editor = program.to_str().expect("text").to_owned();
    let terminal = Terminal::run_with(&home, (120, 30), &argv, &[("EDITOR", &editor)]);
    terminal.wait_for_text("ready>");
    terminal.line("clear; echo at notes.txt:2: bad; echo not missing.txt");
    let at =
        terminal.wait_to_see("the output", |screen| screen.find("notes.txt:2: bad").filter(|at| at.1 == 31));
    ctrl_click(&terminal, at);
    terminal.wait_for_text("edit +2");
    let at = terminal.wait_to_see("the other name", |screen| screen.find("missing.txt"));
    ctrl_click(&terminal, at);
    terminal.wait_for("that it is not there", |screen| screen.status().contains("no missing.txt"));
    home.stop();
}
