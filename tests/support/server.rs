//! [`Server`]: the real program as a foreground server.

use super::{Home, Orchestrator, Peer, eventually, processes};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_luvus");

/// A server of the default session in a home of its own, stopped on drop.
pub struct Server {
    home: Arc<Home>,
    child: Child,
    ended: Option<ExitStatus>,
}

impl Server {
    /// Starts a server in a new home and waits until it accepts.
    pub fn start() -> Self {
        Self::start_in(Arc::new(Home::new()))
    }

    /// The same with this `config.toml`.
    pub fn with_config(text: &str) -> Self {
        Self::start_in(Arc::new(Home::with_config(text)))
    }

    /// The same in a home that is there already.
    pub fn start_in(home: Arc<Home>) -> Self {
        Self::start_with(home, &[])
    }

    /// The same with more in its environment.
    pub fn start_with(home: Arc<Home>, environment: &[(&str, String)]) -> Self {
        let log = std::fs::File::create(home.project().with_file_name("server.stderr")).expect("a file");
        let mut command = home.luvus(&["server"]);
        command.envs(environment.iter().cloned()).stdout(Stdio::null()).stderr(log);
        let mut child = command.spawn().expect("the server starts");
        eventually("the server accepts connections", || {
            if let Some(status) = child.try_wait().expect("the server is our child") {
                let log = std::fs::read_to_string(home.project().with_file_name("server.stderr"));
                panic!("the server ended at once: {status}: {}", log.unwrap_or_default());
            }
            Peer::reaches(&home.socket()).then_some(())
        });
        Self { home, child, ended: None }
    }

    /// Its home.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Its process.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a process id")
    }

    /// A program that talks to it.
    pub fn peer(&self) -> Peer {
        self.home.peer()
    }

    /// A program on its pane backend.
    pub fn orchestrator(&self) -> Orchestrator {
        // its first answer is given when all of it is there
        self.call("ping", &json!({}));
        Orchestrator::connect(&self.home.path().join("pane-backend.sock"))
    }

    /// The result of a UHP request that must succeed.
    pub fn call(&self, method: &str, params: &Value) -> Value {
        self.peer().call(method, params)
    }

    /// The started terminals.
    pub fn terminals(&self) -> Vec<Value> {
        let inventory = self.call("terminal.backend.inventory", &json!({}));
        inventory["terminals"].as_array().expect("`terminals` is a list").clone()
    }

    /// Waits until exactly so many terminals run.
    pub fn wait_for_terminals(&self, count: usize) -> Vec<Value> {
        eventually(&format!("{count} terminals"), || {
            Some(self.terminals()).filter(|list| list.len() == count)
        })
    }

    /// The locator of the first shell, which a server has from its first answer on.
    pub fn first(&self) -> Value {
        let terminals = self.terminals();
        assert_eq!(terminals.len(), 1, "{terminals:?}");
        self.locator(&terminals[0])
    }

    /// The locator of a terminal: of an inventory entry, or of what a create answered.
    pub fn locator(&self, terminal: &Value) -> Value {
        let generation = self.call("uhp.capabilities", &json!({}))["server_generation"].clone();
        json!({
            "server_generation": generation,
            "terminal_id": terminal["terminal_id"],
            "pane_id": terminal["pane_id"],
        })
    }

    /// Makes a terminal in the project's folder; `more` stands beside or in place of the usual params.
    pub fn create(&self, more: &Value) -> (Value, Value) {
        let usual = json!({"cwd": self.home.project(), "placement": {"kind": "workspace"}, "focus": false});
        let created = self.call("terminal.backend.create", &with(&usual, more));
        (self.locator(&created), created)
    }

    /// Makes a terminal in which a shell runs this script.
    pub fn script(&self, script: &str) -> (Value, Value) {
        self.create(&json!({"command": ["/bin/sh", "-c", script]}))
    }

    /// Runs a command in a tab of its own, without taking the focus; returns its locator.
    pub fn run(&self, command: &[&str]) -> Value {
        self.create(&json!({"command": command})).0
    }

    /// Text of a terminal: its last 300 logical lines.
    pub fn text(&self, locator: &Value) -> String {
        let params = with(locator, &json!({"mode": "recent_unwrapped", "lines": 300, "ansi": false}));
        let capture = self.call("terminal.backend.capture", &params);
        capture["text"].as_str().expect("`text` is a string").to_owned()
    }

    /// Waits, inside the server, until `text` is in the terminal.
    pub fn wait_for_text(&self, locator: &Value, text: &str) {
        let params = with(locator, &json!({"after_revision": 0, "match": text, "timeout_ms": 15000}));
        self.call("terminal.backend.wait_output", &params);
    }

    /// Types text into a terminal, without Enter.
    pub fn type_text(&self, locator: &Value, text: &str) {
        self.call("terminal.backend.type_literal", &with(locator, &json!({"text": text})));
    }

    /// Everything that it has logged.
    pub fn log(&self) -> String {
        let folder = std::fs::read_dir(self.home.path().join("logs")).expect("the folder of the logs");
        let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
        // in the foreground it says on standard error what it would write to a file
        files.push(self.home.project().with_file_name("server.stderr"));
        files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
    }

    /// Sends a signal to the server.
    pub fn signal(&self, signal: Signal) {
        processes::signal(self.pid(), signal);
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        if self.ended.is_none() {
            let child = &mut self.child;
            self.ended = Some(eventually("the server ends", || child.try_wait().ok().flatten()));
        }
        self.ended.expect("just set")
    }

    /// Stops it over its socket and checks that nothing is left.
    pub fn stop(mut self) {
        self.call("server.stop", &json!({}));
        let status = self.wait();
        assert!(status.success(), "the server ended with {status}");
        processes::wait_until_gone(&self.home.path());
        assert!(!self.home.socket().exists(), "the server left its socket behind");
    }
}

/// `locator` with the members of `more`.
pub fn with(locator: &Value, more: &Value) -> Value {
    let mut params = locator.as_object().expect("a locator is an object").clone();
    params.extend(more.as_object().expect("params are an object").clone());
    Value::Object(params)
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.ended.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
