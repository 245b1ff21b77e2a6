//! `luvus server`: alone, `status`, `start`, `stop`, `restart`, `reload`

use crate::cli::args::later::Later;
use crate::cli::args::server::{ServerArgs, ServerVerb};
use crate::cli::autostart::{self, Started};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::wire::{self, Answer, WireError};
use crate::cli::{output, serve, sessions};
use serde_json::{Value, json};

/// `luvus server …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, args: &ServerArgs) -> Result<Exit, CliError> {
    match args.verb.as_ref().map(|Later(verb)| verb) {
        None => serve::run(context, &args.child),
        Some(ServerVerb::Status) => status(context),
        Some(ServerVerb::Start) => start(context),
        Some(ServerVerb::Stop) => stop(context),
        Some(ServerVerb::Restart { all: false }) => restart(context),
        Some(ServerVerb::Restart { all: true }) => restart_all(context),
        Some(ServerVerb::Reload) => reload(context),
    }
}

fn status(context: &Context) -> Result<Exit, CliError> {
    let answer = match wire::call(&context.paths, "ping", json!({}), wire::ANSWER_DEADLINE) {
        Ok(Answer::Result(result)) => Some(result),
        Ok(Answer::Error { message, .. }) => return Err(CliError::failed(message)),
        Err(WireError::NoServer(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let version = answer.as_ref().and_then(|result| result.get("version")).cloned().unwrap_or(Value::Null);
    if context.json {
        output::json(&json!({
            "session": context.paths.session.as_str(), "running": answer.is_some(),
            "version": version, "endpoint": context.paths.endpoint(),
        }))?;
    } else {
        let session = &context.paths.session;
        output::line(&match (&answer, version.as_str()) {
            (None, _) => format!("session `{session}` is not running"),
            (Some(_), Some(version)) => {
                format!("session `{session}` is running (luvus {})", output::printable(version))
            }
            (Some(_), None) => format!("session `{session}` is running"),
        })?;
    }
    Ok(if answer.is_some() { Exit::Ok } else { Exit::Failed })
}

fn start(context: &Context) -> Result<Exit, CliError> {
    let started =
        if wire::answers(&context.paths) { Started::Already } else { autostart::start(context, None, None)? };
    tell_started(context, started)
}

/// Says what a start came to.
///
/// # Errors
/// When it cannot be printed.
pub fn tell_started(context: &Context, started: Started) -> Result<Exit, CliError> {
    let session = &context.paths.session;
    if context.json {
        output::json(&json!({
            "session": session.as_str(), "started": started == Started::Fresh,
            "endpoint": context.paths.endpoint(),
        }))?;
    } else {
        output::line(&match started {
            Started::Fresh => format!("session `{session}` has started"),
            Started::Already => format!("session `{session}` is already running"),
        })?;
    }
    Ok(Exit::Ok)
}

/// Ends the server and waits until it is gone, so that a start may follow at once.
///
/// # Errors
/// When none is running, or it does not end.
pub fn stop(context: &Context) -> Result<Exit, CliError> {
    let result = sessions::end(&context.paths)?;
    if context.json {
        output::json(&Value::Object(result))?;
    } else {
        output::line(&format!("session `{}` has ended", context.paths.session))?;
    }
    Ok(Exit::Ok)
}

/// Ends the server, if there is one, and starts one in its place. What it kept comes back.
fn restart(context: &Context) -> Result<Exit, CliError> {
    let started = start_anew(context)?;
    tell_started(context, started)
}

fn start_anew(context: &Context) -> Result<Started, CliError> {
    if wire::reachable(&context.paths) {
        sessions::end_to_restart(&context.paths)?;
    }
    autostart::start(context, None, None)
}

/// Every session that runs; one that does not come back is told, and the others still do.
fn restart_all(context: &Context) -> Result<Exit, CliError> {
    let mut rows = Vec::new();
    let mut exit = Exit::Ok;
    for (paths, running) in sessions::all(context)? {
        if !running {
            continue;
        }
        let name = paths.session.to_string();
        let result = start_anew(&context.of_session(&paths.session)?);
        match &result {
            Ok(_) if context.json => {}
            Ok(_) => output::line(&format!("session `{name}` has started anew"))?,
            Err(error) => {
                output::tell(&format!("session `{name}`: {error}"));
                exit = Exit::Failed;
            }
        }
        rows.push(json!({"session": name, "restarted": result.is_ok()}));
    }
    if context.json {
        output::json(&json!({"sessions": rows}))?;
    } else if rows.is_empty() {
        output::line("no session is running")?;
    }
    Ok(exit)
}

/// Has the server read the configuration again.
fn reload(context: &Context) -> Result<Exit, CliError> {
    let result = wire::ask(&context.paths, "server.reload_config", json!({}))?;
    let warnings = result.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
    warnings.iter().filter_map(Value::as_str).for_each(output::tell);
    if context.json {
        output::json(&Value::Object(result))?;
    } else {
        output::line("the configuration is in force")?;
    }
    Ok(Exit::Ok)
}
