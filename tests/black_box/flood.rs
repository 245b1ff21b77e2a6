//! Floods: a pane that prints without end stays its own problem.

use crate::support::server::with;
use crate::support::terminal::{LEFT, RIGHT};
use crate::support::{Home, Server, Terminal, processes};
use serde_json::json;
use std::time::{Duration, Instant};

/// Far above what a person would call prompt on a quiet host, far below "it hangs".
const PROMPT_ENOUGH: Duration = Duration::from_secs(2);

/// How long `work` takes.
fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// A client with a flood on the left and a shell on the right.
fn beside_a_flood(command: &str) -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    home.peer().wait_for_shape("1 (2)");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    terminal.prefix(LEFT);
    home.peer().wait_for_shape("(1) 2");
    terminal.line(command);
    terminal.prefix(RIGHT);
    home.peer().wait_for_shape("1 (2)");
    (home, terminal)
}

#[test]
fn a_shell_beside_an_endless_flood_stays_prompt() {
    let (home, terminal) = beside_a_flood("yes flooding");
    terminal.wait_for("the flood", |screen| screen.find_all("flooding").len() > 5);
    for round in 0..5 {
        let taken = time(|| {
            terminal.line(&format!("echo round-{round}-$((1+1))"));
            terminal.wait_for_text(&format!("round-{round}-2"));
        });
        assert!(taken < PROMPT_ENOUGH, "{taken:?}");
    }
    let taken = time(|| {
        home.peer().call("ping", &json!({}));
    });
    assert!(taken < PROMPT_ENOUGH, "{taken:?}");
    // the flood itself listens to the interrupt
    terminal.prefix(LEFT);
    home.peer().wait_for_shape("(1) 2");
    terminal.send("\x03");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() >= 2);
    home.stop();
}

#[test]
fn a_hidden_flood_costs_the_screen_nothing() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("yes hidden-flood");
    terminal.wait_for_text("hidden-flood");
    terminal.prefix("c");
    home.peer().wait_for_shape("1 / (2)");
    terminal.wait_for_no_text("hidden-flood");
    terminal.wait_for_text("ready>");
    let before = terminal.written().len();
    let taken = time(|| {
        terminal.line("echo calm-$((1+1))");
        terminal.wait_for_text("calm-2");
    });
    assert!(taken < PROMPT_ENOUGH, "{taken:?}");
    let written = terminal.written().len() - before;
    assert!(written < 20_000, "{written} bytes for a line of text");
    home.stop();
}

#[test]
fn all_of_a_long_output_is_processed_and_its_end_is_right() {
    let server = Server::start();
    let shell = server.first();
    server.type_text(&shell, "seq 1 200000; echo end-$((1+1))\n");
    server.wait_for_text(&shell, "end-2");
    let text = server.text(&shell);
    let numbers: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.last(), Some(&200_000));
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "no line is missing: {text}");
    assert!(numbers.len() > 250);
    server.stop();
}

#[test]
fn a_client_that_does_not_read_delays_nobody() {
    let home = Home::new();
    let reading = Terminal::attach(&home);
    let stopped = Terminal::attach(&home);
    // a stopped client is one whose terminal hangs
    stopped.signal(rustix::process::Signal::STOP);
    reading.line("seq 1 50000; echo end-$((1+1))");
    let taken = time(|| reading.wait_for_text("end-2"));
    assert!(taken < Duration::from_secs(10), "{taken:?}");
    let taken = time(|| {
        reading.line("echo after-$((1+1))");
        reading.wait_for_text("after-2");
    });
    assert!(taken < PROMPT_ENOUGH, "{taken:?}");
    // it catches up when it reads again
    stopped.signal(rustix::process::Signal::CONT);
    stopped.wait_for_text("after-2");
    home.stop();
}

#[test]
fn many_floods_leave_the_hub_responsive() {
    let server = Server::start();
    let generation = server.call("uhp.capabilities", &json!({}))["server_generation"].clone();
    let cwd = server.home().project();
    let create = json!({
        "cwd": cwd, "command": ["yes", "many"], "placement": {"kind": "workspace"}, "focus": false,
    });
    let created: Vec<_> = (0..12).map(|_| server.call("terminal.backend.create", &create)).collect();
    for _ in 0..5 {
        let taken = time(|| {
            server.call("terminal.backend.inventory", &json!({}));
        });
        assert!(taken < PROMPT_ENOUGH, "{taken:?}");
    }
    let taken = time(|| {
        for pane in &created {
            let locator = json!({
                "server_generation": generation,
                "terminal_id": pane["terminal_id"],
                "pane_id": pane["pane_id"],
            });
            server.call("terminal.backend.close", &with(&locator, &json!({})));
        }
    });
    assert!(taken < 12 * PROMPT_ENOUGH, "{taken:?}");
    for pane in &created {
        let pid =
            pane["root_process"]["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("a pid");
        crate::support::eventually("the flood ends", || (!processes::runs(pid)).then_some(()));
    }
    server.stop();
}
