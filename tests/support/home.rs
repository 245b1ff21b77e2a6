//! [`Home`]: a `LUVUS_HOME` of a test's own, and commands that run in it.

use super::{Peer, eventually, processes};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The prompt of the shell in every pane.
pub const PROMPT: &str = "ready> ";

/// A temporary folder with the program's home, a person's home and a project in it. On drop, whatever
/// still runs with this home is ended and the folder is removed.
pub struct Home {
    folder: TempDir,
    /// Where the program's folder is, if not in the temporary one.
    elsewhere: Option<PathBuf>,
}

impl Home {
    /// An empty home; the program's own folder does not exist yet.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("luvus-test-").tempdir().expect("a temporary folder");
        let home = Self { folder, elsewhere: None };
        for folder in [home.person(), home.project()] {
            std::fs::create_dir(folder).expect("a folder");
        }
        home
    }

    /// A home whose program's folder is told to be at `path`, which is not made.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let mut home = Self::new();
        home.elsewhere = Some(path.into());
        home
    }

    /// A home with this `config.toml`.
    pub fn with_config(text: &str) -> Self {
        let home = Self::new();
        home.write_config(text);
        home
    }

    /// Writes `config.toml`.
    pub fn write_config(&self, text: &str) {
        std::fs::create_dir_all(self.path()).expect("the home");
        std::fs::write(self.path().join("config.toml"), text).expect("the configuration");
    }

    /// `LUVUS_HOME`, free of symbolic links.
    pub fn path(&self) -> PathBuf {
        self.elsewhere.clone().unwrap_or_else(|| self.root().join("luvus"))
    }

    /// The person's `HOME`.
    pub fn person(&self) -> PathBuf {
        self.root().join("person")
    }

    /// A folder to work in; where everything starts.
    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// The default session's socket.
    pub fn socket(&self) -> PathBuf {
        self.path().join("luvus.sock")
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the temporary folder is there")
    }

    /// The whole environment of everything that a test starts: nothing is inherited.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.to_str().expect("temporary folders have plain names").to_owned();
        vec![
            ("LUVUS_HOME", text(&self.path())),
            ("HOME", text(&self.person())),
            ("PATH", std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".into())),
            ("SHELL", "/bin/sh".into()),
            ("PS1", PROMPT.into()),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
        ]
    }

    /// A command that runs in this home, without a terminal.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).current_dir(self.project()).stdin(Stdio::null());
        command
    }

    /// The program itself with these arguments.
    pub fn luvus(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(super::server::PROGRAM);
        command.args(arguments);
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        finish(&mut self.luvus(arguments))
    }

    /// Runs the program, which must succeed, and returns its standard output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "luvus {arguments:?}: {}\n{stdout}{stderr}", output.status);
        stdout.into_owned()
    }

    /// Runs the program, which must succeed, and parses its standard output as one JSON document.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let text = self.ok(arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("luvus {arguments:?}: {error}: {text}"))
    }

    /// Runs the program, which must fail with this exit code, and returns its standard error.
    pub fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "luvus {arguments:?}: {stderr}");
        stderr
    }

    /// A program that talks to the default session.
    pub fn peer(&self) -> Peer {
        Peer::new(self.socket())
    }

    /// Ends the default session's server, if there is one, and waits until nothing is left of it.
    pub fn stop(&self) {
        if Peer::reaches(&self.socket()) {
            self.peer().call("server.stop", &serde_json::json!({}));
        }
        processes::wait_until_gone(&self.path());
        assert!(!self.socket().exists(), "the server left its socket behind");
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        processes::end_all(&self.path());
    }
}

/// Runs a command to its end, and ends it itself when that takes too long.
pub fn finish(command: &mut Command) -> Output {
    /// A child that does not outlive the test.
    struct Running(Child);
    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    // files and not pipes: a server that the command starts must not keep the test waiting
    let [mut stdout, mut stderr] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
    command.stdout(stdout.try_clone().expect("a file")).stderr(stderr.try_clone().expect("a file"));
    let mut child = Running(command.spawn().expect("the program starts"));
    let status = eventually(&format!("the end of {command:?}"), || {
        child.0.try_wait().expect("the program is our child")
    });
    Output { status, stdout: contents(&mut stdout), stderr: contents(&mut stderr) }
}

fn contents(file: &mut std::fs::File) -> Vec<u8> {
    use std::io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("a readable file");
    bytes
}
