//! Forks that are cut off: a server that is killed while it makes a worktree, and what the next one does about
//! what is left.

use crate::support::runtime::Runtime;
use crate::support::{Home, Server, eventually, have, processes};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

/// A git that stops for ever at the moment which `stop` names: `before branch`, `after worktree add`.
const GIT: &str = r#"#!/bin/bash
moment="$(cat "$HOME/stop" 2>/dev/null)"
stop() { rm "$HOME/stop"; echo "$$" > "$HOME/at.new"; mv "$HOME/at.new" "$HOME/at"; exec sleep 1000; }
case "$moment" in "before $1"|"before $1 $2") stop;; esac
GIT "$@"; code=$?
case "$moment" in "after $1"|"after $1 $2") stop;; esac
exit "$code"
"#;

/// A repository, and a server that meets the git above.
struct Scene {
    home: Arc<Home>,
    path: (&'static str, String),
}

impl Scene {
    fn new() -> Self {
        let home = Arc::new(Home::new());
        let scene =
            Self { path: ("PATH", format!("{}:{}", home.person().join("bin").display(), real_path())), home };
        scene.git(&["init", "-q", "-b", "main"]);
        fs::write(scene.home.project().join("file"), "text").expect("a file");
        scene.git(&["add", "."]);
        scene.git(&["commit", "-qm", "first"]);
        let git = crate::support::find_program("git").expect("git is there");
        let bin = scene.home.person().join("bin");
        fs::create_dir_all(&bin).expect("a folder");
        let script = GIT.replace("GIT \"$@\"", &format!("{} \"$@\"", git.display()));
        fs::write(bin.join("git"), script).expect("a script");
        fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).expect("an executable");
        scene
    }

    fn server(&self) -> Server {
        Server::start_with(Arc::clone(&self.home), std::slice::from_ref(&self.path))
    }

    /// What git prints in the repository.
    fn git(&self, arguments: &[&str]) -> String {
        let mut command = self.home.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
        let output = command.output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn fork(&self) -> Value {
        json!({"name": "fixer", "kind": "codex", "source_cwd": self.home.project()})
    }

    fn worktree(&self) -> PathBuf {
        self.home.project().with_file_name("project-worktrees").join("fixer")
    }

    /// Kills a server in the middle of a fork, and everything that it ran.
    fn cut_off(&self, moment: &str) {
        fs::write(self.home.person().join("stop"), moment).expect("written");
        let mut server = self.server();
        let runtime = Runtime::of(&self.home);
        let at = self.home.person().join("at");
        let stopped = std::thread::scope(|scope| {
            let asked = scope.spawn(|| runtime.raw(&runtime.line("agent.fork", &self.fork())));
            let stopped = eventually(&format!("git stops {moment}"), || fs::read_to_string(&at).ok());
            server.signal(Signal::KILL);
            server.wait();
            let answer = asked.join().expect("no panic");
            assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
            stopped
        });
        processes::signal(stopped.trim().parse().expect("a process id"), Signal::KILL);
        processes::end_all(&self.home.path());
        fs::remove_file(at).expect("removed");
    }
}

fn real_path() -> String {
    std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned())
}

#[test]
fn what_a_killed_server_has_half_made_is_taken_back_by_the_next_fork() {
    if !have(&["git", "bash"]) {
        return;
    }
    let scene = Scene::new();
    for moment in ["before branch", "after branch", "before worktree add", "after worktree add"] {
        scene.cut_off(moment);
        let server = scene.server();
        let forked = Runtime::of(&scene.home).call("agent.fork", &scene.fork());
        assert_eq!(forked["worktree"]["path"], json!(scene.worktree()), "{moment}");
        assert_eq!(fs::read_to_string(scene.worktree().join("file")).expect("the file"), "text");
        let notes = fs::read_dir(scene.home.path().join("forks")).expect("the folder of notes").count();
        assert_eq!(notes, 0, "{moment}: nothing is half made any more");
        server.stop();
        scene.git(&["worktree", "remove", scene.worktree().to_str().expect("a plain path")]);
        scene.git(&["branch", "-D", "nebula/fixer"]);
    }
}

#[test]
fn what_somebody_has_changed_since_stays_and_is_named() {
    if !have(&["git", "bash"]) {
        return;
    }
    let scene = Scene::new();
    scene.cut_off("after worktree add");
    let mine = scene.worktree().join("mine");
    fs::write(&mine, "precious").expect("written");
    let server = scene.server();
    for _ in 0..2 {
        let refused = Runtime::of(&scene.home).refusal("agent.fork", &scene.fork());
        assert_eq!(refused["code"], "branch_conflict", "{refused}");
        let told = refused["message"].as_str().expect("a message");
        assert!(told.contains("nebula/fixer") && told.contains("branch -D"), "{told}");
        assert_eq!(fs::read_to_string(&mine).expect("the file"), "precious");
    }
    server.stop();
}
