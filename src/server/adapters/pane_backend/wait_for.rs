//! `wait_for` (`pane-backend.md` 4.8): waits that end with a result, whatever happens.

use super::capture;
use super::contexts::exit_code;
use super::dispatch::{Caller, Step};
use super::list::Target;
use super::matching::Pattern;
use super::millis;
use super::ready;
use crate::protocol::pane_backend::error::Failure;
use crate::protocol::pane_backend::params::{context, filled, milliseconds};
use crate::protocol::params::{ParamError, Params, word};
use crate::server::exec::{Children, Ended};
use crate::server::hub::HubHandle;
use crate::server::terminal::handle::PaneHandle;
use crate::server::terminal::process::exited;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// How long one waits, usually.
const USUAL_MS: u64 = 3_600_000;
/// How often a file is looked for that has not appeared yet.
const FILE_LOOKS: Duration = Duration::from_millis(100);
/// How long the first look may take, so that even a wait of no length looks once.
const FIRST_LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Exit,
    File,
    Output,
    Ready,
}

/// How a wait came true, or cannot.
enum Met {
    Success,
    Exit(Option<i64>),
    Error(String),
}

/// `wait_for`
pub fn begin(mut params: Params, caller: &Caller) -> Result<Step, Failure> {
    const CONDITIONS: &[(&str, Condition)] = &[
        ("exit", Condition::Exit),
        ("file", Condition::File),
        ("output", Condition::Output),
        ("ready", Condition::Ready),
    ];
    let condition = params.required("condition", word(CONDITIONS))?;
    let arg = params.nullable("arg", Ok)?;
    let pane = params.nullable("pane_id", context)?;
    let pane = pane.or(params.nullable("context_id", context)?);
    let limit = params.nullable("timeout_ms", milliseconds)?.unwrap_or(USUAL_MS);
    let wrong = |field: &str, problem: &str| Failure::from(ParamError::new(field, problem));
    let required = || arg.clone().ok_or_else(|| wrong("arg", "is required"));
    let target = || -> Result<PaneHandle, Failure> {
        let (number, context) = pane.clone().ok_or_else(|| wrong("pane_id", "is required"))?;
        Ok(Target::find(number, context, caller)?.entry.handle)
    };
    let met: super::dispatch::Work<Met> = match condition {
        Condition::Exit => {
            let pid = pid(&required()?).ok_or_else(|| wrong("arg", "expected a process id"))?;
            let hub = caller.hub()?;
            Box::pin(exit(pid, hub))
        }
        Condition::File => {
            let path = filled(required()?).map_err(|problem| wrong("arg", &problem))?;
            if !Path::new(&path).is_absolute() {
                return Err(wrong("arg", "expected an absolute path"));
            }
            Box::pin(file(path))
        }
        Condition::Output => {
            let Value::String(pattern) = required()? else {
                return Err(wrong("arg", "expected a regular expression"));
            };
            Box::pin(output(pattern, target()?))
        }
        Condition::Ready => Box::pin(until_ready(target()?, caller.hub()?)),
    };
    Ok(Step::Beside(Box::pin(async move { Ok(within(met, Duration::from_millis(limit)).await) })))
}

async fn within(met: impl Future<Output = Met>, limit: Duration) -> Value {
    let began = Instant::now();
    // A wait of no length looks once all the same.
    let deadline = began + limit.max(FIRST_LOOK);
    match timeout_at(deadline, met).await {
        Ok(Met::Success) => json!({"kind": "success", "elapsed_ms": millis(began.elapsed())}),
        Ok(Met::Exit(code)) => {
            json!({"kind": "exit_success", "elapsed_ms": millis(began.elapsed()), "exit_code": code})
        }
        Ok(Met::Error(reason)) => json!({"kind": "error", "reason": reason}),
        Err(_) => json!({"kind": "timeout", "elapsed_ms": millis(began.elapsed())}),
    }
}

/// A process id as a text, or as a number. One that no process can have is none's.
fn pid(value: &Value) -> Option<u64> {
    let number = match value {
        Value::String(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().unwrap_or(u64::MAX)
        }
        Value::Number(number) => number.as_u64()?,
        _ => return None,
    };
    Some(number).filter(|number| *number > 0)
}

async fn exit(pid: u64, hub: HubHandle) -> Met {
    let Ok(pid) = u32::try_from(pid) else { return Met::Exit(None) };
    let directory = hub.snapshot().directory;
    let root = directory
        .panes
        .values()
        .find(|entry| entry.exited.is_none() && entry.handle.root().is_some_and(|root| root.pid == pid));
    if let Some(handle) = root.map(|entry| entry.handle.clone()) {
        drop(directory);
        handle.over().await;
        return Met::Exit(exit_code(&handle).map(i64::from));
    }
    if let Some(code) = of_child(hub.executor().children(), pid).await {
        return Met::Exit(code);
    }
    match exited(pid).await {
        Ok(()) => Met::Exit(None),
        Err(error) => Met::Error(format!("the process cannot be watched: {error}")),
    }
}

/// The end of a child of ours, if it is one.
async fn of_child(children: &Children, pid: u32) -> Option<Option<i64>> {
    let mut ended = children.find(pid)?;
    let ended = ended.wait_for(Option::is_some).await.ok().and_then(|ended| *ended);
    Some(ended.and_then(|Ended { code }| code))
}

async fn file(path: String) -> Met {
    loop {
        // Who may not look keeps waiting, as for what is not there.
        let path = path.clone();
        let look = tokio::task::spawn_blocking(move || std::fs::metadata(path).is_ok());
        if look.await.unwrap_or(false) {
            return Met::Success;
        }
        sleep(FILE_LOOKS).await;
    }
}

async fn output(pattern: String, handle: PaneHandle) -> Met {
    let pattern = match Pattern::compile(pattern).await {
        Ok(pattern) => pattern,
        Err(reason) => return Met::Error(reason),
    };
    let mut written = handle.written();
    loop {
        let looked = Instant::now();
        let over = written.borrow_and_update().over;
        let Some(screen) = capture::screen(&handle).await else { return ended() };
        if pattern.matches(screen).await {
            return Met::Success;
        }
        if over {
            return ended();
        }
        capture::changed(&mut written, looked).await;
    }
}

async fn until_ready(handle: PaneHandle, hub: HubHandle) -> Met {
    tokio::select! {
        biased;
        _ = ready::wait(&handle, hub.snapshots()) => Met::Success,
        () = handle.over() => ended(),
    }
}

fn ended() -> Met {
    Met::Error("the pane has ended".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_ids_are_positive_numbers() {
        for (good, number) in [(json!("12"), 12), (json!(12), 12), (json!("99999999999999999999"), u64::MAX)]
        {
            assert_eq!(pid(&good), Some(number));
        }
        for bad in
            [json!("0"), json!(0), json!("-1"), json!(-1), json!("1x"), json!(""), json!(1.5), json!([])]
        {
            assert_eq!(pid(&bad), None, "{bad}");
        }
    }
}
