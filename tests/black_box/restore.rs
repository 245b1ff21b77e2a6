//! Coming back: what a server knew is there again after any end, and nothing is ever replaced by less.

use crate::support::{Home, Server, Terminal, eventually, processes};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn snapshot_file(home: &Home) -> PathBuf {
    home.path().join("session.json")
}

/// What is to come back, without what belongs to one life of the server.
fn structure(server: &Server) -> Value {
    let session = server.call("session.snapshot", &json!({}));
    let mut workspaces = session["workspaces"].clone();
    forget(&mut workspaces);
    let mut layout = server.call("layout.export", &json!({}));
    forget(&mut layout);
    json!({"workspaces": workspaces, "layout": layout})
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in [
                "terminal_id",
                "root_process",
                "content_revision",
                "state",
                "size",
                "busy",
                "program",
                "title",
                "foreground",
                "revision",
                "branch",
                "process",
                "cols",
                "rows",
                "processes",
                "live",
                "created",
            ] {
                fields.remove(name);
            }
            fields.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

/// Waits until the snapshot on disk holds a text.
fn saved(home: &Home, text: &str) {
    eventually(&format!("{text:?} in the snapshot"), || {
        std::fs::read_to_string(snapshot_file(home)).ok().filter(|found| found.contains(text)).map(drop)
    });
}

/// Two workspaces, tabs, splits, names, a zoom.
fn furnish(server: &Server) -> Value {
    let home = server.home();
    let other = home.person().join("other");
    std::fs::create_dir_all(other.join("deep")).expect("a folder");
    server.call("pane.split", &json!({"direction": "right"}));
    server.call("pane.split", &json!({"direction": "down", "cwd": home.person()}));
    server.call("pane.rename", &json!({"pane": "3", "name": "third"}));
    server.call("pane.resize", &json!({"pane": "1", "direction": "left", "cells": 7}));
    server.call("tab.new", &json!({}));
    server.call("tab.rename", &json!({"tab": 2, "name": "second"}));
    server.call("workspace.new", &json!({"cwd": other}));
    server.call("workspace.rename", &json!({"workspace": 1, "name": "elsewhere"}));
    server.call("workspace.pin", &json!({"workspace": 1, "pinned": true}));
    server.call("pane.split", &json!({"direction": "down", "cwd": other.join("deep")}));
    server.call("pane.zoom", &json!({"zoomed": true}));
    let labelled = server.terminals()[0].clone();
    let params = crate::support::server::with(&server.locator(&labelled), &json!({"title": "marked"}));
    server.call("terminal.backend.set_title", &params);
    structure(server)
}

fn end(mut server: Server, how: &str) {
    match how {
        "stop" => server.stop(),
        "TERM" => {
            let asked = Instant::now();
            server.signal(Signal::TERM);
            assert!(server.wait().success());
            assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
        }
        _ => {
            server.signal(Signal::KILL);
            server.wait();
        }
    }
}

#[test]
fn everything_is_there_again_after_any_end() {
    let home = Arc::new(Home::new());
    let server = Server::start_in(Arc::clone(&home));
    let before = furnish(&server);
    saved(&home, "marked");
    end(server, "KILL");
    processes::end_all(&home.path());
    for how in ["TERM", "stop"] {
        let server = Server::start_in(Arc::clone(&home));
        assert_eq!(structure(&server), before, "before {how}");
        let report = server.call("session.report", &json!({}));
        assert_eq!((&report["restored"], &report["problems"]), (&json!(true), &json!([])));
        end(server, how);
    }
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(structure(&server), before);
    let text = std::fs::read_to_string(snapshot_file(&home)).expect("the snapshot");
    assert!(serde_json::from_str::<Value>(&text).is_ok() && !text.contains("PATH"));
    assert!(home.path().join("session.json.prev").exists());
    server.stop();
}

#[test]
fn a_terminal_that_is_not_to_be_restored_leaves_no_gap_and_a_command_comes_back_as_a_shell() {
    let home = Arc::new(Home::new());
    let server = Server::start_in(Arc::clone(&home));
    let beside = server.first();
    let sibling = json!({"kind": "sibling", "of_terminal": beside});
    let secret = ["/bin/sh", "-c", "exec cat # sesame-argument"];
    server.create(&json!({"command": secret, "placement": sibling, "restore": false, "label": "gone"}));
    server.create(&json!({"command": secret, "placement": sibling, "label": "kept"}));
    server.create(&json!({"command": secret, "cwd": home.person(), "restore": false}));
    server.wait_for_terminals(4);
    server.stop();
    let text = std::fs::read_to_string(snapshot_file(&home)).expect("the snapshot");
    assert!(!text.contains("sesame"), "an argument vector is never stored");
    let server = Server::start_in(Arc::clone(&home));
    let terminals = server.wait_for_terminals(2);
    let titles: Vec<&Value> = terminals.iter().map(|terminal| &terminal["label"]).collect();
    assert!(titles.iter().any(|title| **title == json!("kept")), "{terminals:?}");
    let kept = server.locator(&terminals[1]);
    server.type_text(&kept, "echo shell-$((1+1))\r");
    server.wait_for_text(&kept, "shell-2");
    server.stop();
}

#[test]
fn of_several_who_try_a_pane_again_one_starts_it_and_all_see_it() {
    let home = Arc::new(Home::new());
    let gone = home.project().join("gone");
    std::fs::create_dir_all(&gone).expect("a folder");
    let server = Server::start_in(Arc::clone(&home));
    server.call("pane.split", &json!({"direction": "right", "cwd": gone}));
    server.stop();
    std::fs::remove_dir_all(&gone).expect("removed");
    let server = Server::start_in(Arc::clone(&home));
    server.wait_for_terminals(2);
    let open = || {
        let client = Terminal::attach_sized(&home, (160, 30));
        client.wait_for_text("ready>");
        client.prefix(":");
        client.wait_for_text("Commands");
        client.send("restore_report\r");
        client.wait_for_text("try again");
        client
    };
    let (first, second) = (open(), open());
    std::fs::create_dir_all(&gone).expect("a folder");
    second.send("\r");
    second.wait_for_text("nothing is missing");
    // What the first still shows is done already.
    first.send("\r");
    first.wait_for_text("no problem with pane 2");
    first.wait_for_text("nothing is missing");
    let there = |server: &Server| {
        let terminals = server.terminals();
        terminals.iter().find(|found| found["pane_id"] == "2").expect("the pane")["cwd"].clone()
    };
    assert_eq!(there(&server), json!(gone));
    drop((first, second));
    server.stop();
    // Many at the same instant.
    std::fs::remove_dir_all(&gone).expect("removed");
    let server = Server::start_in(Arc::clone(&home));
    server.wait_for_terminals(3);
    std::fs::create_dir_all(&gone).expect("a folder");
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let ask = || server.peer().request("session.retry", &json!({"pane": "2"}));
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().expect("an answer")).collect()
    });
    assert_eq!(answers.iter().filter(|answer| answer["result"]["type"] == "ok").count(), 1, "{answers:?}");
    for answer in answers.iter().filter(|answer| answer.get("error").is_some()) {
        let code = answer["error"]["code"].as_str().expect("a code");
        assert!(["not_found", "confirmation_required", "busy"].contains(&code), "{answer}");
    }
    assert_eq!(there(&server), json!(gone));
    server.stop();
}

#[test]
fn a_folder_that_is_gone_is_reported_and_can_be_tried_again() {
    let home = Arc::new(Home::new());
    let gone = home.project().join("gone/deeper");
    std::fs::create_dir_all(&gone).expect("a folder");
    let server = Server::start_in(Arc::clone(&home));
    server.call("pane.split", &json!({"direction": "right", "cwd": gone}));
    server.stop();
    std::fs::remove_dir_all(home.project().join("gone")).expect("removed");
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(server.wait_for_terminals(2)[1]["cwd"], json!(home.project()));
    let report = server.call("session.report", &json!({}));
    let problem = &report["problems"][0];
    assert_eq!((&problem["pane"], &problem["retry"]), (&json!("2"), &json!(true)), "{report}");
    assert!(problem["text"].as_str().expect("a text").contains("gone/deeper is gone"), "{problem}");
    assert_eq!(server.peer().refusal("session.retry", &json!({"pane": "2"})), "unavailable");
    // The same in the client: a list, and Enter on its row.
    let terminal = Terminal::attach_sized(&home, (160, 30));
    terminal.wait_for_text("gone/deeper is gone");
    terminal.prefix(":");
    terminal.wait_for_text("Commands");
    terminal.send("restore_report\r");
    terminal.wait_for_text("try again");
    terminal.send("\r");
    terminal.wait_for_text("is still gone");
    std::fs::create_dir_all(&gone).expect("a folder");
    terminal.send("\r");
    terminal.wait_for_text("nothing is missing");
    // The client's own folder is a workspace now too.
    let terminals = server.wait_for_terminals(3);
    let there = terminals.iter().find(|found| found["pane_id"] == "2").expect("the pane");
    assert_eq!(there["cwd"], json!(gone));
    assert_eq!(server.call("session.report", &json!({}))["problems"], json!([]));
    server.stop();
}

#[test]
fn a_folder_that_is_missing_for_a_while_is_not_forgotten() {
    let home = Arc::new(Home::new());
    let away = home.project().join("disk/work");
    std::fs::create_dir_all(&away).expect("a folder");
    let server = Server::start_in(Arc::clone(&home));
    server.call("pane.split", &json!({"direction": "right", "cwd": away}));
    server.stop();
    std::fs::rename(home.project().join("disk"), home.project().join("elsewhere")).expect("moved");
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(server.wait_for_terminals(2)[1]["cwd"], json!(home.project()));
    // A change of something else is saved meanwhile.
    server.call("tab.rename", &json!({"tab_id": "t1", "name": "while away"}));
    saved(&home, "while away");
    server.stop();
    std::fs::rename(home.project().join("elsewhere"), home.project().join("disk")).expect("moved back");
    let server = Server::start_in(Arc::clone(&home));
    let back = server.wait_for_terminals(2);
    assert_eq!(back[1]["cwd"], json!(away));
    assert_eq!(server.call("session.report", &json!({}))["problems"], json!([]));
    // Whoever has gone elsewhere by then is kept there.
    server.stop();
    std::fs::rename(home.project().join("disk"), home.project().join("elsewhere")).expect("moved");
    let server = Server::start_in(Arc::clone(&home));
    let pane = server.wait_for_terminals(2)[1].clone();
    server.type_text(&server.locator(&pane), "cd elsewhere\r");
    saved(&home, "/elsewhere");
    server.stop();
}

#[test]
fn children_that_all_end_at_once_take_nothing_away() {
    let home = Arc::new(Home::new());
    let server = Server::start_in(Arc::clone(&home));
    for _ in 0..3 {
        server.call("pane.split", &json!({"direction": "right"}));
    }
    server.call("pane.rename", &json!({"pane": "4", "name": "fourth"}));
    let before = structure(&server);
    saved(&home, "fourth");
    for terminal in server.wait_for_terminals(4) {
        let pid = terminal["root_process"]["pid"].as_i64().expect("a process");
        processes::signal(i32::try_from(pid).expect("a process"), Signal::KILL);
    }
    eventually("the shell in their place", || {
        let terminals = server.terminals();
        (terminals.len() == 1 && terminals[0]["pane_id"] == "5").then_some(())
    });
    end(server, "TERM");
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(structure(&server), before);
    server.stop();
}

/// What a state of the disk leads to: a start that works and shows so many panes.
fn starts_with(home: &Arc<Home>, panes: usize) -> Server {
    let server = Server::start_in(Arc::clone(home));
    server.wait_for_terminals(panes);
    server
}

fn set_aside(home: &Home) -> usize {
    let entries = std::fs::read_dir(home.path()).expect("the home").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().contains(".broken-")).count()
}

#[test]
fn a_damaged_snapshot_is_set_aside_and_the_one_before_comes_back() {
    let home = Arc::new(Home::new());
    let server = Server::start_in(Arc::clone(&home));
    server.call("pane.split", &json!({"direction": "right"}));
    server.call("pane.rename", &json!({"pane": "2", "name": "second"}));
    saved(&home, "second");
    server.call("pane.split", &json!({"direction": "down"}));
    server.call("pane.rename", &json!({"pane": "3", "name": "third"}));
    saved(&home, "third");
    server.stop();
    let path = snapshot_file(&home);
    let whole = std::fs::read(&path).expect("the snapshot");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let before = std::fs::read_to_string(home.path().join("session.json.prev")).expect("the one before");
    let panes = before.matches("\"pane\":").count() - 1;
    let server = starts_with(&home, panes);
    let report = server.call("session.report", &json!({}));
    assert!(report["problems"][0]["text"].as_str().is_some_and(|text| text.contains("broken")), "{report}");
    server.stop();
    assert_eq!(set_aside(&home), 1);
    for name in ["session.json", "session.json.prev"] {
        std::fs::write(home.path().join(name), b"\0\xff{").expect("written");
    }
    starts_with(&home, 1).stop();
    assert_eq!(set_aside(&home), 3);
}

#[test]
fn what_a_newer_luvus_wrote_is_refused_in_one_line_and_left_alone() {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("the home");
    let text = "{\"version\":99,\"program\":\"7.0\"}";
    std::fs::write(snapshot_file(&home), text).expect("written");
    for arguments in [&["server"][..], &["server", "start"]] {
        let message = home.fails(1, arguments);
        assert!(message.contains("luvus 7.0") && message.contains("move the file away"), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
    assert_eq!(std::fs::read_to_string(snapshot_file(&home)).expect("the file"), text);
    processes::wait_until_gone(&home.path());
}

#[test]
fn the_snapshot_is_private() {
    use std::os::unix::fs::MetadataExt as _;
    let server = Server::start();
    saved(server.home(), "version");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").mode() & 0o777;
    assert_eq!(mode(&snapshot_file(server.home())), 0o600);
    server.stop();
}

/// The files of last screens that hold a text.
fn screens_with(home: &Home, text: &str) -> usize {
    let entries = std::fs::read_dir(home.path().join("screens")).into_iter().flatten().flatten();
    entries
        .filter(|entry| std::fs::read_to_string(entry.path()).is_ok_and(|found| found.contains(text)))
        .count()
}

#[test]
fn the_last_screen_is_shown_dimmed_in_the_history_and_nowhere_else() {
    let home = Arc::new(Home::new());
    let server = Server::start_in(Arc::clone(&home));
    let shell = server.first();
    server.type_text(&shell, "echo before-$((1+1))\r");
    server.wait_for_text(&shell, "before-2");
    eventually("the screen on disk", || (screens_with(&home, "before-2") == 1).then_some(()));
    end(server, "KILL");
    processes::end_all(&home.path());
    // Twice: a shell that was not used keeps what was there before it.
    for how in ["stop", "TERM"] {
        let server = Server::start_in(Arc::clone(&home));
        let shell = server.locator(&server.terminals()[0]);
        server.wait_for_text(&shell, "ready>");
        assert!(!server.text(&shell).contains("before-2"), "no capture sees it");
        let wait = json!({"after_revision": 0, "match": "before-2", "timeout_ms": 100});
        let params = crate::support::server::with(&shell, &wait);
        assert_eq!(server.peer().refusal("terminal.backend.wait_output", &params), "timeout");
        let terminal = Terminal::attach(&home);
        terminal.wait_for_text("ready>");
        terminal.wait_for_no_text("before-2");
        terminal.send("\x1b[5;2~");
        terminal.wait_for("the screen before", |screen| {
            let found = screen.find_all("before-2");
            let marked = !screen.find_all("the screen before the restart").is_empty();
            let dim = |(row, col): &(u16, u16)| screen.raw().cell(*row, *col).is_some_and(|cell| cell.dim());
            marked && !found.is_empty() && found.iter().all(dim)
        });
        end(server, how);
    }
}

#[test]
fn screens_are_not_kept_when_that_is_not_wanted() {
    let home = Arc::new(Home::with_config("session.persist_pane_screen = false\n"));
    let server = Server::start_in(Arc::clone(&home));
    let shell = server.first();
    server.type_text(&shell, "echo before-$((1+1))\r");
    server.wait_for_text(&shell, "before-2");
    server.stop();
    assert!(!home.path().join("screens").exists());
}
