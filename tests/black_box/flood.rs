//! Floods: a pane that prints without end stays its own problem.

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
    server.type_text(&shell, "seq 1 60000; echo end-$((1+1))\n");
    server.wait_for_text(&shell, "end-2");
    let text = server.text(&shell);
    let numbers: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.last(), Some(&60_000));
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
fn a_client_that_reads_late_gets_the_newest_screen_and_not_the_history() {
    let server = Server::start();
    let shell = server.first();
    let (mut late, _) = server.peer().attach((200, 60));
    server.type_text(&shell, "seq -f %0190.0f 1 6000; echo end-$((1+1))\n");
    server.wait_for_text(&shell, "end-2");
    let (messages, bytes) = late.read_until("end-2");
    // the sockets' buffers are full of pictures; after those it is at once the newest one
    assert!(bytes < 700_000, "{messages} messages, {bytes} bytes");
    server.stop();
}

#[test]
fn pictures_of_a_flood_are_paced() {
    let server = Server::start();
    let shell = server.first();
    let (mut client, _) = server.peer().attach((80, 24));
    client.read_until("ready>");
    server.type_text(&shell, "yes flooding\n");
    client.read_until("flooding");
    let start = Instant::now();
    let mut pictures = 0;
    while start.elapsed() < Duration::from_secs(1) {
        client.message().expect("the next picture");
        pictures += 1;
    }
    let per_second = f64::from(pictures) / start.elapsed().as_secs_f64();
    // about sixty, and a few at once in the beginning; fewer on a host that is busy
    assert!((5.0..90.0).contains(&per_second), "{per_second} pictures in a second");
    server.stop();
}

#[test]
#[cfg(target_os = "linux")]
fn clients_that_never_read_cost_no_memory() {
    let server = Server::with_config("[layout]\nscrollback_bytes = 100000\n");
    let shell = server.first();
    let deaf = [(); 8].map(|()| server.peer().attach((200, 50)));
    let print = |round: u32| {
        // every line is another one, so that every picture has all rows in it
        let lines = format!("seq -f %0100.0f {round}0001 {round}5000; echo round-{round}-$((1+1))\n");
        server.type_text(&shell, &lines);
        server.wait_for_text(&shell, &format!("round-{round}-2"));
        processes::memory_kib(server.pid()).expect("the host tells the memory")
    };
    // what is kept for those who do not read grows with every round; what is merely in use goes up and down
    let before = (1..4).map(print).max().expect("some rounds");
    let after = (4..7).map(print).min().expect("some rounds");
    assert!(after < before + 2_000, "{before} KiB, then {after} KiB");
    drop(deaf);
    server.stop();
}

#[test]
fn many_floods_leave_the_hub_responsive() {
    let server = Server::start();
    let created: Vec<_> = (0..50).map(|_| server.create(&json!({"command": ["yes", "many"]}))).collect();
    for method in ["ping", "terminal.backend.inventory", "session.snapshot", "ping"] {
        let taken = time(|| {
            server.call(method, &json!({}));
        });
        assert!(taken < PROMPT_ENOUGH, "{method}: {taken:?}");
    }
    let taken = time(|| {
        for (locator, _) in &created {
            server.call("terminal.backend.close", locator);
        }
    });
    assert!(taken < 10 * PROMPT_ENOUGH, "{taken:?}");
    for (_, pane) in &created {
        let pid =
            pane["root_process"]["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("a pid");
        crate::support::eventually("the flood ends", || (!processes::runs(pid)).then_some(()));
    }
    server.stop();
}
