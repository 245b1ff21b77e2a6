//! `exec` and `run_shell` (`pane-backend.md` 4.6 and 4.7): children outside any pane.

use super::dispatch::{Caller, Step};
use super::error::{command_failed, no_pane, of_exec};
use super::events::Events;
use super::list::Target;
use super::shell::{self, Shell};
use super::{context_id, millis, origin};
use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use crate::protocol::pane_backend::params::{argv, context, environment, filled, milliseconds, plain};
use crate::protocol::params::{Params, boolean};
use crate::server::exec::{Done, End, ExecError, Job, Output};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a command may take, usually.
const USUAL_MS: u64 = 30_000;
/// What is kept of each stream.
const OUTPUT_BYTES: usize = 4 * 1_048_576;

/// `exec`
pub fn exec(mut params: Params, caller: &Caller) -> Result<Step, Failure> {
    let named = params.nullable("context_id", context)?;
    let command = params.required("command", filled)?;
    let capture = params.nullable("capture", boolean)?.unwrap_or(false);
    let limit = params.nullable("timeout_ms", milliseconds)?.unwrap_or(USUAL_MS);
    let shell = params.nullable("shell", shell::read)?;
    let hub = caller.hub()?;
    let (number, context) = match named {
        Some(named) => named,
        None => match origin::active(&hub) {
            Some(pane) => (u64::from(pane.0), context_id(pane)),
            None => return Err(no_pane("")),
        },
    };
    let handle = Target::find(number, context.clone(), caller)?.entry.handle;
    let shell = shell.unwrap_or_else(|| usual_shell(handle.argv(), handle.environment()));
    let (cwd, env) = (handle.cwd(), handle.environment().to_vec());
    let report = Report {
        events: Arc::clone(&caller.backend.events),
        context,
        command: command.clone(),
        began: Instant::now(),
        exit_code: -1,
        elapsed: None,
    };
    let executor = hub.executor().clone();
    Ok(Step::Beside(Box::pin(async move {
        let mut report = report;
        let path = shell.find(&cwd, &env).map_err(|error| {
            command_failed(&format!("cannot find the shell: {error}"), error.raw_os_error())
        })?;
        let argv = shell.run(path, command);
        let deadline = Some(Duration::from_millis(limit));
        let job = Job { argv, cwd, env, stdin: None, output_bytes: OUTPUT_BYTES, deadline };
        let ended = executor.run(job).await;
        if let Ok(done) = &ended {
            report.elapsed = Some(done.elapsed);
            report.exit_code = code(done.end).unwrap_or(-1);
        }
        answer(ended, capture)
    })))
}

/// The pane's shell if it is a known one, else the person's.
fn usual_shell(argv: &[String], env: &[(String, String)]) -> Shell {
    let of_pane = argv.first().and_then(|program| Shell::known(program));
    let of_person = || env.iter().find(|(name, _)| name == "SHELL").map(|(_, shell)| Shell::any(shell));
    of_pane
        .or_else(of_person)
        .unwrap_or_else(|| Shell::any(if cfg!(windows) { "cmd.exe" } else { "/bin/sh" }))
}

/// Tells everybody that a command has ended, whichever way: when it is dropped.
struct Report {
    events: Arc<Events>,
    context: String,
    command: String,
    began: Instant,
    exit_code: i64,
    elapsed: Option<Duration>,
}

impl Drop for Report {
    fn drop(&mut self) {
        let elapsed = self.elapsed.unwrap_or_else(|| self.began.elapsed());
        let params = json!({
            "context_id": self.context, "exit_code": self.exit_code, "command": self.command,
            "elapsed_ms": millis(elapsed),
        });
        self.events.tell("exec_completed", &params);
    }
}

/// `run_shell`
pub fn run_shell(mut params: Params, caller: &Caller) -> Result<Step, Failure> {
    let argv = params.required("command", |value| match argv(value) {
        Ok(argv) if argv.is_empty() => Err("expected a program".to_owned()),
        argv => argv,
    })?;
    let cwd = params.nullable("cwd", absolute)?;
    let named = params.nullable("context_id", context)?;
    let limit = params.nullable("timeout_ms", milliseconds)?.unwrap_or(USUAL_MS);
    let wanted = params.nullable("env", environment)?.unwrap_or_default();
    let cwd = match (cwd, named) {
        (Some(cwd), _) => cwd,
        (None, Some((number, context))) => {
            Target::find(number, context, caller)?.entry.handle.started_in().to_owned()
        }
        (None, None) => std::env::current_dir().unwrap_or_else(|_| std::env::temp_dir()),
    };
    let mut env = caller.backend.environment.clone();
    env.extend(wanted);
    let deadline = Some(Duration::from_millis(limit));
    let job = Job { argv, cwd, env, stdin: None, output_bytes: OUTPUT_BYTES, deadline };
    let executor = caller.hub()?.executor().clone();
    Ok(Step::Beside(Box::pin(async move { answer(executor.run(job).await, true) })))
}

/// The absolute path of a folder, which may not exist.
pub fn absolute(value: Value) -> Result<PathBuf, String> {
    let path = plain(value).ok().filter(|path| Path::new(path).is_absolute());
    path.map(PathBuf::from).ok_or_else(|| "expected an absolute path".to_owned())
}

fn code(end: End) -> Option<i64> {
    match end {
        End::Exited(code) => Some(i64::from(code)),
        End::Signalled(signal) => Some(128 + i64::from(signal)),
        End::TimedOut => None,
    }
}

fn answer(ended: Result<Done, ExecError>, capture: bool) -> Result<Value, Failure> {
    let done = ended.map_err(|error| of_exec(&error))?;
    let mut result = json!({"elapsed_ms": millis(done.elapsed)});
    if capture {
        put(&mut result, "stdout", &done.stdout);
        put(&mut result, "stderr", &done.stderr);
    }
    match code(done.end) {
        Some(code) => {
            result["exit_code"] = json!(code);
            Ok(result)
        }
        None => Err(Failure::new(ErrorCode::CommandTimeout, "the command took too long").with(result)),
    }
}

fn put(result: &mut Value, name: &str, output: &Output) {
    result[name] = json!(output.text());
    if output.is_truncated() {
        result[format!("{name}_truncated")] = json!(true);
    }
}
