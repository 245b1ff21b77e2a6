//! `spawn_agent` (`pane-backend.md` 4.2).

use super::contexts::{Context, exit_code};
use super::dispatch::{Caller, Step};
use super::error::{of_spawn, spawn_failed};
use super::exec::absolute;
use super::list::program_name;
use super::shell::{self, Shell};
use super::{context_id, millis};
use crate::protocol::command::{Command, Launch, Spawned};
use crate::protocol::geometry::{Axis, Size};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::{MIN_PANE_COLS, MIN_PANE_ROWS, TITLE_BYTES};
use crate::protocol::metadata::Metadata;
use crate::protocol::pane_backend::error::{ErrorCode, Failure};
use crate::protocol::pane_backend::params::{argv, change, environment, milliseconds, plain};
use crate::protocol::params::{Params, boolean, word};
use crate::server::environment::overlaid;
use crate::server::exec::find_program;
use crate::server::folder;
use crate::server::hub::HubHandle;
use crate::server::terminal::handle::PaneHandle;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a pane may take to be ready, usually.
const USUAL_READY_MS: u64 = 15_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Split,
    Window,
    Auto,
}

struct Wanted {
    command: Vec<String>,
    cwd: Option<PathBuf>,
    env: Vec<(String, String)>,
    metadata: Option<Metadata>,
    axis: Option<Axis>,
    mode: Mode,
    window_name: Option<String>,
    /// How long to wait until it is ready; nothing to wait for without.
    ready: Option<Duration>,
    shell: Option<Shell>,
}

impl Wanted {
    fn read(mut params: Params) -> Result<Self, Failure> {
        const AXES: &[(&str, Axis)] = &[("horizontal", Axis::Horizontal), ("vertical", Axis::Vertical)];
        const MODES: &[(&str, Mode)] =
            &[("split", Mode::Split), ("window", Mode::Window), ("auto", Mode::Auto)];
        let mut command = params.required("command", argv)?;
        let cwd = params.nullable("cwd", absolute)?;
        let env = params.nullable("env", environment)?.unwrap_or_default();
        let change = params.nullable("metadata", change)?;
        let axis = params.nullable("split_direction", word(AXES))?;
        let mode = params.nullable("mode", word(MODES))?.unwrap_or(Mode::Auto);
        let window_name = params.nullable("window_name", label)?;
        let waits = params.nullable("wait_ready", boolean)?.unwrap_or(true);
        let limit = params.nullable("ready_timeout_ms", milliseconds)?.unwrap_or(USUAL_READY_MS);
        let shell = params.nullable("shell", shell::read)?;
        if params.nullable("bare", boolean)?.unwrap_or(false) {
            make_bare(&mut command);
        }
        Ok(Self {
            command,
            cwd,
            env,
            metadata: change.map(|change| Metadata::default().changed(change)),
            axis,
            mode,
            window_name,
            ready: waits.then(|| Duration::from_millis(limit)),
            shell,
        })
    }

    /// What a new tab is called.
    fn tab_name(&self) -> Option<String> {
        let described = || self.metadata.as_ref().and_then(|metadata| metadata.name.clone());
        let program = || self.command.first().and_then(|program| program_name(program)).map(str::to_owned);
        let name = self.window_name.clone().or_else(described).or_else(program)?;
        Some(name[..name.floor_char_boundary(TITLE_BYTES)].to_owned()).filter(|name| !name.is_empty())
    }
}

/// A name for a tab.
fn label(value: Value) -> Result<String, String> {
    let name = plain(value)?;
    if name.chars().any(char::is_control) {
        Err("expected no control characters".to_owned())
    } else {
        Ok(name)
    }
}

/// Claude draws without flicker if it is asked to.
fn make_bare(command: &mut Vec<String>) {
    let name = command.first().and_then(|program| program_name(program)).map(str::to_lowercase);
    if name.is_some_and(|name| name.contains("claude")) && !command.iter().any(|item| item == "--bare") {
        command.insert(1, "--bare".to_owned());
    }
}

/// `spawn_agent`
pub async fn begin(params: Params, caller: &mut Caller) -> Result<Step, Failure> {
    let began = Instant::now();
    let wanted = Wanted::read(params)?;
    if let Some(cwd) = &wanted.cwd
        && !folder::exists(&cwd.to_string_lossy()).await
    {
        return Err(spawn_failed("cwd", "no such folder"));
    }
    let anchor = caller.origin(None).await?.pane;
    let hub = caller.hub()?;
    let made = {
        let _turn = caller.backend.spawning.lock().await;
        make(&hub, &wanted, anchor, &caller.backend.environment).await?
    };
    let context = caller.backend.contexts.find(made.handle.pane());
    match wanted.ready {
        None => Ok(Ok(made.result(false, began, made.version())).into()),
        Some(limit) => {
            let deadline = began + limit;
            Ok(Step::Beside(Box::pin(async move { made.ready(context, began, deadline).await })))
        }
    }
}

/// A pane that runs.
struct Made {
    handle: PaneHandle,
    via: &'static str,
}

impl Made {
    fn version(&self) -> u64 {
        self.handle.written().borrow().version
    }

    fn result(&self, ready: bool, began: Instant, version: u64) -> Value {
        json!({
            "context_id": context_id(self.handle.pane()), "ready": ready,
            "elapsed_ms": millis(began.elapsed()), "data_version": version, "created_via": self.via,
        })
    }

    /// Waits until it is ready and everybody knows.
    async fn ready(
        &self,
        context: Option<Arc<Context>>,
        began: Instant,
        deadline: Instant,
    ) -> Result<Value, Failure> {
        let ready = async {
            match &context {
                Some(context) => context.ready().await,
                // Its end has been told already.
                None => std::future::pending().await,
            }
        };
        let message = tokio::select! {
            biased;
            ready = ready => return Ok(self.result(true, began, ready.version)),
            () = self.handle.over() => "the program ended before it was ready",
            () = sleep_until(deadline) => "the pane was not ready in time",
        };
        let mut data = json!({
            "context_id": context_id(self.handle.pane()), "created_via": self.via,
            "elapsed_ms": millis(began.elapsed()), "data_version": self.version(),
        });
        if self.handle.written().borrow().over {
            data["exited"] = json!(true);
            data["exit_code"] = json!(exit_code(&self.handle).unwrap_or(-1));
        }
        Err(Failure::new(ErrorCode::SpawnTimeout, message).with(data))
    }
}

async fn make(
    hub: &HubHandle,
    wanted: &Wanted,
    anchor: Option<PaneId>,
    server: &[(String, String)],
) -> Result<Made, Failure> {
    let snapshot = hub.snapshot();
    let anchor = anchor.and_then(|pane| snapshot.directory.panes.get(&pane)).cloned();
    let cwd = match (&wanted.cwd, &anchor) {
        (Some(cwd), _) => Some(cwd.clone()),
        (None, Some(anchor)) => Some(anchor.handle.cwd()).filter(|cwd| cwd.is_dir()),
        (None, None) => None,
    };
    let launch = launch(wanted, cwd, server)?;
    let anchor = anchor.map(|anchor| anchor.handle);
    let (command, via) = match (&anchor, wanted.mode) {
        (Some(anchor), Mode::Split) => (split(wanted, anchor, launch), "split"),
        (Some(anchor), Mode::Auto) if is_comfortable(hub, wanted, anchor).await? => {
            (split(wanted, anchor, launch), "split")
        }
        _ => {
            let workspace = anchor.as_ref().and_then(|anchor| snapshot.scene.pane(anchor.pane()));
            let workspace = workspace.map(|pane| pane.workspace);
            (Command::NewTab { workspace, launch, focus: false }, "window")
        }
    };
    let (outcome, after) =
        hub.command_seen(command).await.map_err(|error| refused(&error, anchor.as_ref()))?;
    if let Some((tab, name)) = outcome.tab.zip(wanted.tab_name()).filter(|_| via == "window") {
        // The program may have ended already, and its tab with it.
        let _ = hub.command(Command::RenameTab { tab, name }).await;
    }
    let made = outcome.pane.and_then(|pane| after.directory.panes.get(&pane).cloned());
    let made = made.ok_or_else(|| spawn_failed("pty", "the new pane was gone at once"))?;
    Ok(Made { handle: made.handle, via })
}

fn refused(error: &crate::server::hub::HubError, anchor: Option<&PaneHandle>) -> Failure {
    let failure = of_spawn(error);
    if failure.code != ErrorCode::PaneTooSmall {
        return failure;
    }
    let size = anchor.map_or(Size::new(0, 0), PaneHandle::size);
    failure.with(json!({
        "cols": size.cols, "rows": size.rows, "min_cols": MIN_PANE_COLS, "min_rows": MIN_PANE_ROWS,
    }))
}

/// What the new pane runs, checked as far as it can be before there is one.
fn launch(wanted: &Wanted, cwd: Option<PathBuf>, server: &[(String, String)]) -> Result<Launch, Failure> {
    let mut env = wanted.env.clone();
    env.push(("CLAUDE_CODE_NO_FLICKER".to_owned(), "1".to_owned()));
    let found_in = overlaid(server.to_vec(), &env);
    let folder = cwd.clone().unwrap_or_else(|| PathBuf::from("/"));
    let program = |name: &str| -> Result<(), Failure> {
        let found = find_program(name, &folder, &found_in);
        found.map(drop).map_err(|error| spawn_failed("program", &format!("cannot start `{name}`: {error}")))
    };
    let shell_path = |shell: &Shell| {
        let found = shell.find(Path::new(&folder), &found_in);
        found.map_err(|error| spawn_failed("shell", &format!("cannot find the shell: {error}")))
    };
    let argv = match (&wanted.shell, wanted.command.as_slice()) {
        (None, []) => None,
        (None, command) => {
            program(&command[0])?;
            Some(command.to_vec())
        }
        (Some(shell), []) => Some(vec![shell_path(shell)?]),
        (Some(shell), command) => Some(shell.run(shell_path(shell)?, shell.quoted(command))),
    };
    Ok(Launch {
        argv,
        cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
        label: None,
        restore: Some(false),
        env,
        interactive: wanted.command.is_empty(),
        spawned: Some(Box::new(Spawned { metadata: wanted.metadata.clone() })),
    })
}

fn split(wanted: &Wanted, anchor: &PaneHandle, launch: Launch) -> Command {
    let axis = Some(axis(wanted, anchor));
    Command::SplitPane { pane: Some(anchor.pane()), axis, launch, focus: false }
}

/// How the anchor is split: side by side if it is more than twice as wide as it is high.
fn axis(wanted: &Wanted, anchor: &PaneHandle) -> Axis {
    let Size { rows, cols } = anchor.size();
    let longer = if cols > rows.saturating_mul(2) { Axis::Horizontal } else { Axis::Vertical };
    wanted.axis.unwrap_or(longer)
}

/// Whether both halves of the anchor would be large enough to work in.
async fn is_comfortable(hub: &HubHandle, wanted: &Wanted, anchor: &PaneHandle) -> Result<bool, Failure> {
    let least = hub.config().await.map_err(|error| of_spawn(&error))?.config.auto_split_min;
    // Without room for the pane itself there is none for two.
    let Ok(frame) = hub.frame(anchor.pane()).await else { return Ok(false) };
    // Both halves have the shared line; the smaller one counts, without its frame.
    let half = match axis(wanted, anchor) {
        Axis::Horizontal => Size::new(frame.rows, frame.cols.div_ceil(2)),
        Axis::Vertical => Size::new(frame.rows.div_ceil(2), frame.cols),
    };
    Ok(half.cols.saturating_sub(2) >= least.cols && half.rows.saturating_sub(2) >= least.rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_claude_is_made_bare_and_only_once() {
        let bare = |argv: &[&str]| {
            let mut argv: Vec<String> = argv.iter().map(|item| (*item).to_owned()).collect();
            make_bare(&mut argv);
            argv.join(" ")
        };
        assert_eq!(bare(&["claude", "-p"]), "claude --bare -p");
        assert_eq!(bare(&["/opt/My-CLAUDE.exe"]), "/opt/My-CLAUDE.exe --bare");
        assert_eq!(bare(&["claude", "-p", "--bare"]), "claude -p --bare");
        assert_eq!(bare(&["codex"]), "codex");
        assert_eq!(bare(&[]), "");
    }
}
