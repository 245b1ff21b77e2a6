//! A session of another machine: the system's own ssh carries the attach protocol over its standard streams.
//!
//! Invariant: nothing listens and nothing is stored. Until the far end has said its line, whatever ssh has to
//! say or to ask is the person's; afterwards the screen is the client's, and ssh's words are kept for the end.

mod link;

use super::attach::{self, Way};
use super::context::Context;
use super::error::{CliError, Exit};
use super::output;
use super::paths::SessionName;
use crate::client::{Ending, Far, Keyboard, Session, Sessions, Told};
use link::Opened;
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Where luvus may be on a machine whose `PATH` does not name it, in this order.
const FOLDERS: [&str; 8] = [
    "$HOME/.cargo/bin",
    "$HOME/.local/bin",
    "$HOME/bin",
    "$HOME/.nix-profile/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/bin",
];

/// A machine and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What ssh is told to connect to.
    pub host: String,
    /// What ssh is told besides.
    pub arguments: Vec<OsString>,
    /// The session; none is the far side's own default.
    pub session: Option<SessionName>,
}

impl Target {
    /// The ssh that runs `luvus` with these arguments there.
    fn ssh(&self, unattended: bool, luvus: &[&str]) -> Command {
        let mut command = Command::new("ssh");
        // Of options that are given twice ssh takes the first: the person's.
        command.args(&self.arguments);
        command.args(["-T", "-oServerAliveInterval=15", "-oServerAliveCountMax=3"]);
        if unattended {
            command.args(["-oBatchMode=yes", "-oConnectTimeout=10"]);
        }
        command.arg(&self.host).arg(self.script(luvus));
        command
    }

    /// What the far side's login shell is told, whichever shell that is.
    fn script(&self, luvus: &[&str]) -> String {
        let mut arguments = Vec::from(luvus);
        if let Some(session) = &self.session {
            arguments.extend(["--session", session.as_str()]);
        }
        let places: Vec<String> = FOLDERS.iter().map(|folder| format!("\"{folder}/luvus\"")).collect();
        format!(
            "exec sh -c 'for luvus in luvus {}; do if command -v \"$luvus\" >/dev/null 2>&1; then \
             exec \"$luvus\" {}; fi; done; exit 127'",
            places.join(" "),
            arguments.join(" ")
        )
    }

    /// Why nothing came of it, by ssh's exit code.
    fn failure(&self, code: Option<i32>) -> CliError {
        let host = &self.host;
        match code {
            Some(127) => CliError::failed(format_args!(
                "luvus is not installed on {host}: it is neither in its PATH nor in {}; install it there, \
                 or make a link to it in one of these folders",
                FOLDERS.map(|folder| folder.replace("$HOME", "~")).join(", ")
            )),
            Some(255) => CliError::failed(format_args!("ssh could not connect to {host}")),
            Some(64) => CliError::failed(format_args!(
                "the luvus of {host} does not know `attach-proxy`; install luvus {} there",
                env!("CARGO_PKG_VERSION")
            )),
            Some(code) => CliError::failed(format_args!(
                "luvus on {host} ended with exit code {code} before it attached"
            )),
            None => CliError::failed(format_args!("ssh to {host} was ended by a signal")),
        }
    }
}

/// Takes `--remote HOST` and what follows it out of a command line: what follows is for ssh, but for options of
/// two dashes, which ssh has none of.
///
/// # Errors
/// When something else than options follows.
pub fn split(arguments: Vec<OsString>) -> Result<(Vec<OsString>, Vec<OsString>), CliError> {
    let Some(at) = position(&arguments) else { return Ok((arguments, Vec::new())) };
    let mut own = arguments;
    let rest = own.split_off((at + if own[at] == "--remote" { 2 } else { 1 }).min(own.len()));
    let mut ssh: Vec<OsString> = Vec::new();
    let mut rest = rest.into_iter();
    while let Some(word) = rest.next() {
        if word.as_encoded_bytes().starts_with(b"--") {
            let takes = word == "--session";
            own.push(word);
            own.extend(takes.then(|| rest.next()).flatten());
        } else if ssh.is_empty() && !word.as_encoded_bytes().starts_with(b"-") {
            return Err(CliError::usage(format_args!(
                "--remote attaches, and options of ssh may follow the host; `{}` is none (verbs run there as \
                 `ssh HOST luvus …`)",
                word.to_string_lossy()
            )));
        } else {
            ssh.push(word);
        }
    }
    Ok((own, ssh))
}

/// Where `--remote` stands: before any verb, whose own words are its matter.
fn position(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = arguments.get(at).and_then(|word| word.to_str()) {
        match word {
            "--remote" => return Some(at),
            _ if word.starts_with("--remote=") => return Some(at),
            "--" => return None,
            "--session" => at += 2,
            _ if word.starts_with('-') => at += 1,
            _ => return None,
        }
    }
    None
}

/// Shows a session of another machine, and others there that the person switches to.
///
/// # Errors
/// Refusals, an ssh that fails, a luvus that is not there, or what the client ends with.
pub fn run(context: &Context, mut target: Target) -> Result<Exit, CliError> {
    attach::check(context)?;
    if target.host.starts_with('-') {
        return Err(CliError::usage("the host begins with a dash"));
    }
    let mut keyboard = Keyboard::default();
    loop {
        let (session, ending) = show(context, &target, &mut keyboard)?;
        let host = &target.host;
        match ending {
            Ending::Detached => {
                output::tell(&format!("detached from session `{session}` on {host}, which goes on"));
                return Ok(Exit::Ok);
            }
            Ending::Ended => {
                output::tell(&format!("session `{session}` on {host} has ended"));
                return Ok(Exit::Ok);
            }
            Ending::Switch(name) => {
                let name =
                    name.parse().map_err(|error| CliError::failed(format_args!("`{name}`: {error}")))?;
                target.session = Some(name);
            }
        }
    }
}

fn show(context: &Context, target: &Target, keyboard: &mut Keyboard) -> Result<(String, Ending), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::failed(format_args!("cannot start the client: {error}")))?;
    let Opened { pipe, about } =
        runtime.block_on(link::open(target, false)).map_err(|error| match error {
            link::LinkError::NoSsh(error) => CliError::failed(format_args!("cannot run ssh: {error}")),
            link::LinkError::Ended(code) => target.failure(code),
            link::LinkError::Silent => {
                CliError::failed(format_args!("{} says too much before luvus answers", target.host))
            }
        })?;
    let text = |key: &str| about.get(key).and_then(Value::as_str).map(str::to_owned);
    let session = text("session").unwrap_or_else(|| "default".to_owned());
    let again = target.clone();
    let way = Way {
        pipe,
        reconnect: Box::new(move || {
            let target = again.clone();
            Box::pin(
                async move { link::open(&target, true).await.map(|opened| opened.pipe).map_err(Into::into) },
            )
        }),
        session: session.clone(),
        sessions: Arc::new(There(target.clone())),
        folder: None,
        ssh_auth_sock: text("ssh_auth_sock"),
        home: text("home"),
        far: Some(Far { host: target.host.clone() }),
    };
    let ending = runtime.block_on(attach::converse(context, way, keyboard));
    runtime.shutdown_background();
    Ok((session, ending?))
}

/// The sessions of that machine.
struct There(Target);

impl There {
    fn luvus(&self, arguments: &[&str]) -> Result<Value, String> {
        let target = Target { session: None, ..self.0.clone() };
        let mut command = target.ssh(true, arguments);
        let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().last().unwrap_or_default();
            return Err(said.strip_prefix("luvus: ").unwrap_or(said).to_owned());
        }
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
    }
}

impl Sessions for There {
    fn list(&self) -> Vec<Session> {
        let answer = self.luvus(&["session", "list", "--json"]).unwrap_or_default();
        let rows = answer["sessions"].as_array().cloned().unwrap_or_default();
        let session = |row: &Value| {
            let name = row["name"].as_str()?.to_owned();
            Some(Session { name, running: row["running"].as_bool()? })
        };
        rows.iter().filter_map(session).collect()
    }

    fn stop(&self, name: &str) -> Told {
        let name: SessionName = name.parse().map_err(|error| format!("{error}"))?;
        self.luvus(&["session", "kill", name.as_str(), "--json"]).map(drop)
    }

    fn delete(&self, name: &str) -> Told {
        let name: SessionName = name.parse().map_err(|error| format!("{error}"))?;
        self.luvus(&["session", "delete", name.as_str(), "--yes", "--json"]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn what_follows_the_host_is_for_ssh() {
        let split = |line: &str| split(words(line));
        assert_eq!(split("luvus pane list").expect("fine"), (words("luvus pane list"), vec![]));
        let (own, ssh) = split("luvus --session a --remote box -p 2222 -A --mobile").expect("fine");
        assert_eq!((own, ssh), (words("luvus --session a --remote box --mobile"), words("-p 2222 -A")));
        let (own, ssh) = split("luvus --remote=box --session b -v").expect("fine");
        assert_eq!((own, ssh), (words("luvus --remote=box --session b"), words("-v")));
        assert_eq!(split("luvus pane run 3 --remote x").expect("fine").1, words(""), "a verb's own words");
        assert_eq!(split("luvus --remote box pane list").expect_err("refused").exit, Exit::Usage);
    }

    #[test]
    fn the_script_suits_every_shell_and_names_the_session() {
        let target =
            Target { host: "box".into(), arguments: vec![], session: Some("work".parse().expect("a name")) };
        let script = target.script(&["attach-proxy"]);
        assert!(script.starts_with("exec sh -c '") && script.ends_with("exit 127'"), "{script}");
        assert_eq!(script.matches('\'').count(), 2);
        assert!(script.contains("exec \"$luvus\" attach-proxy --session work;"), "{script}");
        let missing = target.failure(Some(127)).message;
        assert!(missing.contains("not installed on box") && missing.contains("~/.cargo/bin"), "{missing}");
    }
}
