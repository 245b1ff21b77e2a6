//! The tools themselves: a check that sees nothing would let everything pass.

use crate::support::home::{PROMPT, finish};
use crate::support::{Home, Terminal, eventually, processes};
use rustix::process::Signal;

#[test]
fn a_terminal_shows_types_and_reports_its_size() {
    let home = Home::new();
    let terminal = Terminal::run(&home, (80, 24), &["/bin/sh"]);
    terminal.wait_for_text(PROMPT.trim_end());
    terminal.line("stty size; echo 日本 a-$((1+1))");
    terminal.wait_for_text("24 80");
    let at = terminal.wait_to_see("wide characters", |screen| screen.find("日本 a-2"));
    assert_eq!(at.1, 0);
    terminal.resize(60, 10);
    terminal.line("stty size");
    terminal.wait_for_text("10 60");
    terminal.wait_for("the cursor behind the prompt", |screen| screen.cursor().is_some_and(|at| at.1 == 7));
    terminal.line("exit 5");
    assert_eq!(terminal.wait_for_exit(), 5);
    assert!(terminal.written().contains("24 80"));
}

#[test]
fn a_terminal_answers_what_programs_ask() {
    let home = Home::new();
    let script = "stty -icanon -echo; printf '\\033[?u\\033[c'; head -c 11 | cat -v; echo .";
    let terminal = Terminal::run(&home, (80, 24), &["/bin/sh", "-c", script]);
    terminal.wait_for_text("^[[?0u^[[?62c.");
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_signal_ends_the_program_in_a_terminal() {
    let home = Home::new();
    let terminal = Terminal::run(&home, (80, 24), &["/bin/cat"]);
    terminal.signal(Signal::KILL);
    assert_ne!(terminal.wait_for_exit(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn left_over_processes_are_found_and_ended_by_their_home() {
    let (home, other) = (Home::new(), Home::new());
    let script = "sleep 600 & echo $!";
    let output = finish(home.command("/bin/sh").args(["-c", script]));
    let pid: i32 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a process id");
    assert!(processes::runs(pid));
    assert_eq!(processes::of_home(&home.path()).iter().map(|found| found.pid).collect::<Vec<_>>(), [pid]);
    assert_eq!(processes::of_home(&other.path()), []);
    drop(home);
    eventually("the left-over ends", || (!processes::runs(pid)).then_some(()));
}
