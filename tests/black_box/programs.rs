//! Programs that people use, in panes, as they are. What the host lacks is skipped with a reason.

use crate::support::terminal::Screen;
use crate::support::{Home, Terminal, eventually, have};
use std::time::Duration;

/// Presses Ctrl+C and waits for a new prompt: the terminal drops what is typed before it.
fn interrupt(terminal: &Terminal, prompt: &str) {
    let below = |screen: &Screen| screen.find_all(prompt).last().map(|at| at.0);
    let before = terminal.look(below);
    // A signal may fall between a line editor's look for signals and its wait for keys.
    eventually("a new prompt", || {
        terminal.send("\x03");
        terminal.see_within(Duration::from_secs(1), |screen| (below(screen) > before).then_some(()))
    });
}

#[test]
fn bash_edits_its_line() {
    if !have(&["bash"]) {
        return;
    }
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("PS1='bash> ' exec bash --norc --noprofile -i");
    terminal.wait_for_text("bash>");
    // to the start of the line, kill a word, type another one; then find it again in the history
    terminal.send("false one-$((1+1))\x01\x1bdecho\r");
    terminal.wait_for_text("one-2");
    terminal.send("\x1b[A");
    terminal.wait_for("the line of before", |screen| screen.find_all("echo one-$((1+1))").len() == 2);
    interrupt(&terminal, "bash>");
    // completion
    terminal.line("mkdir some-folder-with-a-name");
    terminal.send("cd some-fo\t");
    terminal.wait_for_text("cd some-folder-with-a-name/");
    // job control
    interrupt(&terminal, "bash>");
    // one job tells and goes on, so that what is told is told by what is stopped
    terminal.line("sh -c 'echo cat-$((1+1)); exec cat'");
    terminal.wait_for_text("cat-2");
    terminal.send("\x1a");
    terminal.wait_for_text("Stopped");
    home.stop();
}

#[test]
fn vim_draws_moves_and_leaves_the_screen_as_it_was() {
    if !have(&["vim"]) {
        return;
    }
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    let text: String = (1..=200).map(|n| format!("line {n}\n")).collect();
    std::fs::write(home.project().join("text"), text).expect("a file");
    terminal.line("echo before-$((1+1)); vim -u NONE -N text");
    terminal.wait_for("the file", |screen| screen.has("line 1") && screen.has("\"text\" 200L"));
    terminal.wait_for_no_text("before-2");
    terminal.send("G");
    terminal.wait_for_text("line 200");
    terminal.send("ggOnew first line\x1b");
    terminal.wait_for_text("new first line");
    // half a page down and the cursor keys in application mode
    terminal.send("\x04\x1b[A\x1b[A");
    terminal.wait_for_no_text("new first line");
    // a smaller window is a smaller vim
    terminal.send(":set laststatus=2 statusline=lines=%{&lines}.\r");
    let lines = |screen: &Screen| {
        let text = screen.text();
        let (_, rest) = text.split_once("lines=")?;
        rest.split_once('.')?.0.parse::<u16>().ok()
    };
    let before = terminal.wait_to_see("the number of lines", |screen| lines(screen));
    terminal.resize(80, 20);
    terminal.wait_for("ten lines less", |screen| lines(screen) == Some(before - 10));
    terminal.send(":wq\r");
    terminal.wait_for("the screen of before", |screen| screen.has("before-2") && !screen.has("line 7"));
    let saved = std::fs::read_to_string(home.project().join("text")).expect("the file");
    assert!(saved.starts_with("new first line\nline 1\n"));
    home.stop();
}

#[test]
fn less_pages_and_searches() {
    if !have(&["less"]) {
        return;
    }
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 1000 | sed 's/^/number /' > numbers; less numbers");
    terminal.wait_for("the first page", |screen| screen.has("number 1") && screen.has("numbers"));
    terminal.send(" ");
    terminal.wait_for_no_text("number 2 ");
    terminal.send("/number 500\r");
    terminal.wait_for_text("number 510");
    // page keys belong to the program on the alternate screen
    terminal.send("\x1b[6~");
    terminal.wait_for_no_text("number 500");
    terminal.send("q");
    terminal.wait_for_text("ready>");
    home.stop();
}

#[test]
fn process_viewers_fill_their_pane() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    for (program, sign) in [("top", "PID"), ("htop", "PID")] {
        if !have(&[program]) {
            continue;
        }
        terminal.line(program);
        terminal.wait_for_text(sign);
        terminal.send("q");
        terminal.wait_for_text("ready>");
        terminal.line("clear");
        terminal.wait_for_no_text(sign);
    }
    home.stop();
}

#[test]
fn another_multiplexer_runs_inside() {
    if !have(&["tmux"]) {
        return;
    }
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    let socket = home.project().join("tmux.sock");
    terminal.line(&format!("tmux -f /dev/null -S {} new -s inner", socket.display()));
    terminal.wait_for_text("[inner]");
    terminal.line("echo nested-$((1+1))");
    terminal.wait_for_text("nested-2");
    terminal.send("\x02%");
    terminal.wait_for_text("│");
    terminal.line("tmux kill-server");
    terminal.wait_for_no_text("[inner]");
    home.stop();
}

#[test]
fn questions_to_the_terminal_are_answered() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    // cursor position and device attributes; the answers come as input
    terminal.line("stty -echo -icanon min 1; clear; printf '\\033[3;5H\\033[6n'; head -c 6 | cat -v; echo .");
    terminal.wait_for_text("^[[3;5R.");
    terminal.line("clear; printf '\\033[c'; head -c 4 | cat -v; echo .");
    terminal.wait_for_text("^[[?");
    home.stop();
}

#[test]
fn titles_and_bells_reach_the_person() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    home.peer().wait_for_shape("1 (2)");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    terminal.line("printf '\\033]2;my-own-title\\007'; cat");
    terminal.wait_for("the title on the frame", |screen| {
        screen.find_all("my-own-title").into_iter().any(|at| at.0 <= 1)
    });
    let before = terminal.written().matches('\x07').count();
    interrupt(&terminal, "ready>");
    terminal.line("printf '\\007'; echo rung-$((1+1))");
    terminal.wait_for_text("rung-2");
    crate::support::eventually("the bell rings", || {
        (terminal.written().matches('\x07').count() > before).then_some(())
    });
    home.stop();
}
