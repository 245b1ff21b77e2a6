//! What can be done to sessions without being in them: find all, end one, delete one.

use super::context::Context;
use super::error::CliError;
use super::output;
use super::paths::{Paths, SessionName};
use super::wire::{self, Answer};
use crate::client::{Session, Sessions, Told, Trouble};
use crate::server::instance::{LOCK_DEADLINE, lock_within};
use serde_json::{Map, Value, json};
use std::fs::{self, File};

/// All sessions of the state root, whichever one is meant, and whether each is up.
///
/// # Errors
/// When there is no state root.
pub fn all(context: &Context) -> Result<Vec<(Paths, bool)>, CliError> {
    let root = Paths::of_session(&context.environment, SessionName::unnamed())?;
    let with_state = |paths: Paths| {
        let up = wire::reachable(&paths);
        (paths, up)
    };
    Ok(root.all_sessions()?.into_iter().map(with_state).collect())
}

/// Ends a session's server and waits until it is gone, so that a start may follow at once.
///
/// # Errors
/// When none is running, or it does not end.
pub fn end(paths: &Paths) -> Result<Map<String, Value>, CliError> {
    let result = wire::ask(paths, "server.stop", json!({}))?;
    wait_for_end(paths)?;
    Ok(result)
}

/// The same, but attached clients are told to come back, where the server can tell them.
///
/// # Errors
/// As [`end`].
pub fn end_to_restart(paths: &Paths) -> Result<(), CliError> {
    match wire::call(paths, "server.restart", json!({}), wire::ANSWER_DEADLINE)? {
        // An older server.
        Answer::Error { code, .. } if code == "unsupported_capability" => end(paths).map(drop),
        answer => answer.into_result().and_then(|_| wait_for_end(paths)),
    }
}

fn wait_for_end(paths: &Paths) -> Result<(), CliError> {
    // The kernel releases the lock when the process is gone.
    if let Ok(lock) = File::open(&paths.files.lock)
        && !lock_within(&lock, LOCK_DEADLINE).map_err(CliError::failed)?
    {
        return Err(CliError::failed(format_args!(
            "the server of session `{}` agreed to end and has not within {} s",
            paths.session,
            LOCK_DEADLINE.as_secs()
        )));
    }
    Ok(())
}

/// Removes the folder of a session, holding its lock so that no server can come up meanwhile.
///
/// # Errors
/// When it is the default session, runs, or its folder cannot be removed.
pub fn remove(paths: &Paths) -> Result<(), CliError> {
    if paths.session.is_default() {
        return Err(CliError::failed(
            "the default session cannot be deleted; its files are shared with the others",
        ));
    }
    let folder = &paths.files.session_dir;
    let cannot = |error| CliError::failed(format_args!("cannot delete {}: {error}", folder.display()));
    if fs::symlink_metadata(folder).map_err(cannot)?.is_symlink() {
        return Err(CliError::failed(format_args!(
            "{} is a symbolic link; remove it yourself",
            folder.display()
        )));
    }
    let lock = File::open(&paths.files.lock);
    let held = lock.as_ref().is_ok_and(|lock| lock.try_lock().is_err());
    if held || wire::reachable(paths) {
        let name = &paths.session;
        return Err(CliError::failed(format_args!(
            "session `{name}` is running; end it first with `luvus session kill {name}`"
        )));
    }
    if paths.files.address != paths.files.socket {
        let _ = fs::remove_file(&paths.files.address);
    }
    fs::remove_dir_all(folder).map_err(cannot)
}

/// What a `session.report` tells, a line each.
#[must_use]
pub fn troubles(report: &Map<String, Value>) -> Vec<Trouble> {
    let text = |value: &Value| value.as_str().map(output::printable);
    let trouble = |problem: &Value| {
        let pane = problem["pane"].as_str().filter(|_| problem["retry"] == true).map(str::to_owned);
        Some(Trouble { text: text(&problem["text"])?, pane })
    };
    let unsaved = report.get("unsaved").and_then(text).map(|text| Trouble { text, pane: None });
    output::rows(report, "problems").iter().filter_map(trouble).chain(unsaved).collect()
}

/// The same for an attached client.
pub struct Neighbours(pub Context);

impl Neighbours {
    fn paths(&self, name: &str) -> Result<Paths, String> {
        let name: SessionName = name.parse().map_err(|error| format!("{error}"))?;
        Ok(self.0.of_session(&name).map_err(|error| error.message)?.paths)
    }
}

impl Sessions for Neighbours {
    fn list(&self) -> Vec<Session> {
        let all = all(&self.0).unwrap_or_default();
        all.into_iter().map(|(paths, running)| Session { name: paths.session.to_string(), running }).collect()
    }

    fn stop(&self, name: &str) -> Told {
        end(&self.paths(name)?).map(drop).map_err(|error| error.message)
    }

    fn delete(&self, name: &str) -> Told {
        remove(&self.paths(name)?).map_err(|error| error.message)
    }

    fn report(&self) -> Result<Vec<Trouble>, String> {
        let report = wire::ask(&self.0.paths, "session.report", json!({})).map_err(|error| error.message)?;
        Ok(troubles(&report))
    }

    fn retry(&self, pane: &str) -> Told {
        let asked = wire::ask(&self.0.paths, "session.retry", json!({"pane": pane}));
        asked.map(drop).map_err(|error| error.message)
    }
}
