//! Mission Control: all agents at once, read and answered from there, without opening their panes.

use crate::support::{Home, Terminal};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// A program that looks like an agent which waits for an approval, and says what it was answered.
fn fake_agent(home: &Home) {
    let screen = fs::read_to_string("tests/agents/claude-blocked-permission.txt").expect("a screen");
    let script = format!(
        "#!/bin/sh\nstty -echo -icanon\ncat <<'END'\n{screen}\nEND\nanswer=$(dd bs=1 count=1 2>/dev/null)\n\
         clear\necho answered-$answer\ncat >/dev/null\n"
    );
    let path = home.project().join("claude");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made a program");
}

#[test]
fn a_blocked_agent_is_found_read_and_answered_without_its_pane() {
    let home = Home::new();
    fake_agent(&home);
    let terminal = Terminal::attach_sized(&home, (140, 40));
    terminal.line("./claude");
    terminal.wait_for("its state on the status bar", |screen| screen.status().contains("◆ 1 blocked"));
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    terminal.wait_for_text("ready>");
    terminal.prefix("m");
    terminal.wait_for_text("Mission Control");
    terminal.wait_for("its question", |screen| screen.has("Remove the build folder"));
    terminal.send("k");
    terminal.wait_for_text("keys   ›");
    terminal.send("1\r");
    terminal.send("r");
    terminal.wait_for("what it was answered", |screen| screen.has("answered-1"));
    // Keys that are none send nothing.
    terminal.send("kno-such-key\r");
    terminal.wait_for_text("is no key");
    terminal.send("\x1b");
    terminal.wait_for_no_text("keys   ›");
    terminal.send("\r");
    terminal.wait_for_no_text("Mission Control");
    home.peer().wait_for_shape("(1) / 2");
    terminal.wait_for_text("answered-1");
    home.stop();
}

#[test]
fn the_next_that_waits_is_a_key_away() {
    let home = Home::new();
    fake_agent(&home);
    let terminal = Terminal::attach(&home);
    terminal.line("./claude");
    terminal.wait_for("its state on the status bar", |screen| screen.status().contains("◆ 1 blocked"));
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    terminal.prefix(".");
    home.peer().wait_for_shape("(1) / 2");
    terminal.prefix(">");
    terminal.wait_for_text("no agent is done");
    home.stop();
}
