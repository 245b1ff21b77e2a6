//! `luvus --remote`, with an ssh that runs the command on this machine.

use crate::support::terminal::{PREFIX, Terminal};
use crate::support::{Home, eventually};
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// Records its arguments, says something as ssh does, and runs the last argument here. With a file named `down`
/// beside it there is no connection.
const SSH: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$*" >> "$here/ssh.txt"
echo "banner of the far side" >&2
[ ! -e "$here/down" ] || exit 255
for command; do :; done
echo $$ > "$here/ssh.pid"
HOME=$FAR_HOME exec sh -c "$command"
"#;

struct Far {
    home: Home,
    path: String,
}

impl Far {
    fn new() -> Self {
        let home = Home::new();
        let bin = home.person().join("stub");
        std::fs::create_dir_all(&bin).expect("made");
        std::fs::write(bin.join("ssh"), SSH).expect("written");
        std::fs::set_permissions(bin.join("ssh"), std::fs::Permissions::from_mode(0o755)).expect("a program");
        Self { path: format!("{}:/usr/bin:/bin", bin.display()), home }
    }

    fn install(&self) {
        let bin = self.home.person().join(".local/bin");
        std::fs::create_dir_all(&bin).expect("made");
        symlink(env!("CARGO_BIN_EXE_luvus"), bin.join("luvus")).expect("linked");
    }

    fn attach(&self, arguments: &[&str]) -> Terminal {
        let argv: Vec<&str> =
            std::iter::once(env!("CARGO_BIN_EXE_luvus")).chain(arguments.iter().copied()).collect();
        let person = self.home.person();
        let variables = [("PATH", self.path.as_str()), ("FAR_HOME", person.to_str().expect("text"))];
        Terminal::run_with(&self.home, (100, 30), &argv, &variables)
    }

    fn stub(&self, name: &str) -> std::path::PathBuf {
        self.home.person().join("stub").join(name)
    }
}

#[test]
fn a_far_session_is_shown_comes_back_after_a_broken_line_and_is_left() {
    let far = Far::new();
    far.install();
    let terminal = far.attach(&["--remote", "box", "-p", "2222", "--session", "work"]);
    terminal.wait_for_text("ready>");
    terminal.wait_for("the session's name", |screen| screen.status().contains("work"));
    assert!(
        terminal.written().contains("banner of the far side"),
        "ssh's own words are shown before the screen"
    );
    let asked = std::fs::read_to_string(far.stub("ssh.txt")).expect("recorded");
    assert!(asked.starts_with("-p 2222 ") && asked.contains(" box exec sh -c"), "{asked}");
    terminal.line("echo far-$((40+2))");
    terminal.wait_for_text("far-42");
    // the line breaks: the last frame stays, and so do the programs
    std::fs::write(far.stub("down"), "").expect("written");
    let pid = std::fs::read_to_string(far.stub("ssh.pid")).expect("a process");
    crate::support::processes::signal(pid.trim().parse().expect("a number"), rustix::process::Signal::KILL);
    terminal.wait_for("a stale frame", |screen| screen.status().contains("STALE") && screen.has("far-42"));
    terminal.wait_for("what happened", |screen| screen.status().contains("the link to box is lost"));
    std::fs::remove_file(far.stub("down")).expect("removed");
    terminal
        .wait_for("the session again", |screen| screen.status().contains("NORMAL") && screen.has("far-42"));
    let asked = std::fs::read_to_string(far.stub("ssh.txt")).expect("recorded");
    let last = asked.lines().last().expect("a line");
    assert!(last.contains("BatchMode=yes") && last.contains("--existing"), "{last}");
    terminal.send(&format!("{PREFIX}d"));
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.written().contains("on box, which goes on"));
    far.home.ok(&["session", "kill", "work"]);
}

#[test]
fn what_is_missing_is_told() {
    let installed = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin"];
    if installed.iter().any(|folder| std::path::Path::new(folder).join("luvus").exists()) {
        eprintln!("skipped: luvus is installed on this host");
        return;
    }
    let far = Far::new();
    let terminal = far.attach(&["--remote", "box"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    let told = terminal.written();
    assert!(told.contains("not installed on box") && told.contains("~/.local/bin"), "{told}");
    std::fs::write(far.stub("down"), "").expect("written");
    let terminal = far.attach(&["--remote", "box"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert!(terminal.written().contains("ssh could not connect to box"));
    assert!(far.home.fails(64, &["--remote", "box", "pane", "list"]).contains("--remote"));
}

#[test]
fn a_far_server_that_ends_is_no_broken_line() {
    let far = Far::new();
    far.install();
    let terminal = far.attach(&["--remote", "box"]);
    terminal.wait_for_text("ready>");
    far.home.ok(&["server", "stop"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.written().contains("on box has ended"));
    eventually("nothing of it", || (!far.home.socket().exists()).then_some(()));
}
