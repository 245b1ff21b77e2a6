//! The published examples run, as a reader would run them. Without Python the suites are skipped.

use crate::support::home::finish;
use crate::support::server::PROGRAM;
use crate::support::{Server, have};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a suite ends with when this host cannot run it.
const SKIPPED: i32 = 77;

fn suite(script: &str, arguments: &[&str]) {
    if !have(&["python3"]) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/uhp/terminal").join(script);
    let mut command = Command::new("python3");
    // no `__pycache__` in the checkout
    command.arg("-B").arg(&script).args(arguments);
    // every wait in a suite has its own deadline
    let output = command.output().expect("Python starts");
    let told = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(SKIPPED) {
        eprintln!("{told}");
        return;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {}\n{told}{errors}", script.display(), output.status);
}

#[test]
fn the_consumer_agrees_with_every_fixture() {
    suite("consumer.py", &["--fixtures"]);
}

#[test]
fn the_consumer_stands_a_misbehaving_server() {
    suite("mock_server.py", &["--self-test"]);
}

#[test]
fn the_life_of_terminals() {
    suite("live.py", &["--luvus", PROGRAM]);
}

#[test]
fn failures_harm_nobody() {
    suite("failures.py", &["--luvus", PROGRAM]);
}

#[test]
fn the_benchmark_reports() {
    suite("bench.py", &["--luvus", PROGRAM, "--panes", "1,2", "--rounds", "5", "--idle-seconds", "0.1"]);
}

/// An example, which `cargo test` builds beside the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this program");
    test.parent().and_then(Path::parent).expect("two folders up").join("examples").join(name)
}

#[test]
fn a_pane_is_driven_by_the_example() {
    let program = example("drive_pane");
    if !program.is_file() {
        eprintln!("skipped: the example was not built (`cargo test --test` leaves examples out)");
        return;
    }
    let server = Server::start();
    server.first();
    let mut command = server.home().command(program.to_str().expect("a plain path"));
    let output = finish(command.arg(PROGRAM));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("answer-42"), "{told}");
    assert_eq!(server.terminals().len(), 1, "it closes what it created");
    server.stop();
}
