//! `agent.start` and `agent.fork` (`runtime.md` sections 8.2 and 8.3).
//!
//! Invariants: a name is reserved before anything happens; programs come from a closed list, never
//! from what somebody calls an agent; a worktree whose agent does not start is taken back.

use super::{Context, bad, error, fields, input, target};
use crate::protocol::command::{Command, Launch};
use crate::protocol::ids::PaneId;
use crate::protocol::params::{Params, absolute_path, boolean, text, word};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::server::folder;
use crate::server::hub::HubError;
use crate::server::model::ModelError;
use crate::server::worktree::{self, Git, Refused, Wish, Worktree};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The longest name of an agent, in bytes.
const NAME_BYTES: usize = 64;
/// The longest id of a conversation.
const SESSION_BYTES: usize = 256;
/// The longest name of a branch or a base.
const REF_BYTES: usize = 1_024;

/// A program with a verified start command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    name: &'static str,
    program: &'static str,
    /// What stands before the id of a conversation.
    resume: Option<&'static str>,
}

const fn kind(
    name: &'static str,
    program: &'static str,
    resume: Option<&'static str>,
) -> (&'static str, Kind) {
    (name, Kind { name, program, resume })
}

/// Every kind that can be started.
pub const KINDS: &[(&str, Kind)] = &[
    kind("claude", "claude", Some("--resume")),
    kind("codex", "codex", Some("resume")),
    kind("opencode", "opencode", Some("--session")),
    kind("cursor", "agent", Some("--resume")),
    kind("pi", "pi", None),
    kind("omp", "omp", None),
    kind("kimi", "kimi", None),
];

/// What is to be started.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What it is called.
    pub name: String,
    /// Which program.
    pub kind: Kind,
    /// The conversation to go on with.
    pub resume: Option<String>,
}

impl Wanted {
    /// Reads `name`, `kind` and `resume_session_id`.
    pub fn read(params: &mut Params) -> Result<Self, Failure> {
        let name = params.required("name", text(1..=NAME_BYTES))?;
        let kind = params.required("kind", word(KINDS))?;
        let resume = params.nullable("resume_session_id", text(1..=SESSION_BYTES))?;
        if name.trim() != name {
            return Err(bad("name", "begins or ends with white space"));
        }
        input::refuse_controls("name", &name, "")?;
        if let Some(id) = &resume {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
            if !id.bytes().all(plain) || id.starts_with('-') {
                return Err(bad("resume_session_id", "expected letters, digits and any of `._:-`"));
            }
            if kind.resume.is_none() {
                let failure = bad("resume_session_id", "this kind has no verified way to go on");
                let details = json!({"field": "resume_session_id", "reason": "resume_unsupported"});
                return Err(failure.with(details));
            }
        }
        Ok(Self { name, kind, resume })
    }

    /// What is typed at the shell's prompt. An id has no character that a shell would act on; quotes
    /// keep it one word all the same.
    fn command(&self) -> String {
        match (self.kind.resume, &self.resume) {
            (Some(flag), Some(id)) => format!("{} {flag} '{id}'", self.kind.program),
            _ => self.kind.program.to_owned(),
        }
    }
}

/// `agent.start`
pub async fn start(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::read_pane(&mut params)?;
    let cwd = params.nullable("cwd", absolute_path)?;
    let wanted = Wanted::read(&mut params)?;
    params.finish()?;
    if pane.is_some() && cwd.is_some() {
        return Err(bad("cwd", "cannot be given together with `pane_id`"));
    }
    match pane {
        Some(pane) => in_pane(context, &wanted, window, pane).await,
        None => {
            let number = reserve(context, &wanted)?;
            let made = in_tab(context, &wanted, number, window, cwd, None).await;
            made.inspect_err(|_| context.tracker.launches(|launches, _| launches.release(number)))
        }
    }
}

/// Starts an agent in a pane that is at its shell's prompt.
pub async fn in_pane(
    context: &Context,
    wanted: &Wanted,
    window: Option<u64>,
    pane: u64,
) -> Result<Value, Failure> {
    let (pane, entry) = input::running(context, window, pane)?;
    let idle = context.tracker.is_idle(&context.hub, pane.id);
    if !entry.shell || entry.handle.is_busy() || !idle {
        return Err(Failure::new(ErrorCode::InvalidState, "the pane is not at a shell prompt"));
    }
    let number = reserve(context, wanted)?;
    let submitted = submit(context, wanted, number, pane.id, None);
    submitted.inspect_err(|_| context.tracker.launches(|launches, _| launches.release(number)))?;
    name(context, wanted, number, pane.id).await;
    result(context, "agent.start", number, pane.id)
}

/// Calls the pane as its agent is called, for all protocols. A name that no pane can have, or that a
/// person has given to another pane, is this protocol's alone.
async fn name(context: &Context, wanted: &Wanted, number: u64, pane: PaneId) {
    let rename = |pane, name: &str| {
        context.hub.command(Command::RenamePane { pane: Some(pane), name: name.to_owned() })
    };
    let mut named = rename(pane, &wanted.name).await;
    if let Err(HubError::Model(ModelError::NameTaken(_, other))) = &named {
        let other = *other;
        // Of an agent that has ended, since no active one has the name.
        if context.tracker.launches(|launches, _| launches.has_named(other, &wanted.name)) {
            // A failure is that of the next try.
            let _ = rename(other, "").await;
            named = rename(pane, &wanted.name).await;
        }
    }
    if named.is_ok() {
        context.tracker.launches(|launches, _| launches.named(number));
    }
}

fn reserve(context: &Context, wanted: &Wanted) -> Result<u64, Failure> {
    let view = context.hub.snapshot();
    let reserved =
        context.tracker.launches(|launches, _| launches.reserve(&wanted.name, wanted.kind.name, &view));
    reserved.ok_or_else(|| {
        Failure::new(ErrorCode::AgentNameConflict, "an active agent has that name; choose another one")
    })
}

/// Starts an agent in a new tab.
async fn in_tab(
    context: &Context,
    wanted: &Wanted,
    number: u64,
    window: Option<u64>,
    cwd: Option<String>,
    worktree: Option<&Worktree>,
) -> Result<Value, Failure> {
    let scene = context.hub.snapshot().scene;
    let workspace = match window {
        None => scene.workspace().map(|workspace| workspace.id),
        named => Some(target::window_or_focused(&scene, named)?.id),
    };
    if let Some(cwd) = &cwd
        && !folder::exists(cwd).await
    {
        let failure = Failure::new(ErrorCode::ActionFailed, "no such folder");
        return Err(failure.with(json!({"reason": "no_such_folder"})));
    }
    let launch = Launch { cwd: cwd.clone(), ..Launch::default() };
    let command = match workspace {
        Some(_) => Command::NewTab { workspace, launch, focus: true },
        None => Command::OpenWorkspace {
            path: cwd.unwrap_or_else(|| context.home.clone()),
            focus: true,
            reuse: false,
            launch,
        },
    };
    let outcome = context.command(command).await?;
    let ended = || {
        let failure = Failure::new(ErrorCode::ActionFailed, "the new pane has ended already");
        failure.with(json!({"reason": "ended"}))
    };
    let pane = outcome.pane.ok_or_else(ended)?;
    submit(context, wanted, number, pane, worktree)?;
    name(context, wanted, number, pane).await;
    let kind = if worktree.is_some() { "agent.fork" } else { "agent.start" };
    result(context, kind, number, pane)
}

/// Types the start command, and notes where.
fn submit(
    context: &Context,
    wanted: &Wanted,
    number: u64,
    pane: PaneId,
    worktree: Option<&Worktree>,
) -> Result<(), Failure> {
    let (pane, entry) = input::running(context, None, u64::from(pane.0))?;
    let command = wanted.command();
    let queued = context.tracker.queue(&context.hub, &entry.handle, true, || entry.handle.enter(&command));
    queued.map_err(error::of_submit)?;
    let worktree = worktree.cloned();
    context.tracker.launches(|launches, _| launches.started(number, pane.id, pane.workspace.0, worktree));
    Ok(())
}

fn result(context: &Context, kind: &str, number: u64, pane: PaneId) -> Result<Value, Failure> {
    let view = context.hub.snapshot();
    let window = view.scene.pane(pane).map(|pane| pane.workspace.0);
    let action = fields(window.unwrap_or_default(), target::tab_index(&view.scene, pane), Some(pane.0));
    let mut result = context.action(kind, action);
    let record = context.tracker.launches(|launches, _| launches.record(number, &view));
    let gone = || Failure::new(ErrorCode::AgentExited, "the agent has ended already");
    let record = record.ok_or_else(gone)?;
    result["agent"] = record.json();
    if let Some(worktree) = &record.worktree {
        result["worktree"] = json!(worktree);
    }
    Ok(result)
}

/// `agent.fork`
pub async fn fork(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let source_pane = params.nullable("source_pane_id", crate::protocol::params::integer(0..=u64::MAX))?;
    let source_cwd = params.nullable("source_cwd", absolute_path)?;
    let branch = params.nullable("branch", text(1..=REF_BYTES))?;
    let base = params.nullable("base", text(1..=REF_BYTES))?;
    let path = params.nullable("path", absolute_path)?;
    let allow_dirty = params.nullable("allow_dirty_source", boolean)?.unwrap_or(false);
    let wanted = Wanted::read(&mut params)?;
    params.finish()?;
    for (field, value) in [("branch", &branch), ("base", &base)] {
        if let Some(value) = value {
            input::refuse_controls(field, value, "")?;
        }
    }
    let source = source(context, source_pane, source_cwd).await?;
    if window.is_some() {
        target::window_or_focused(&context.hub.snapshot().scene, window)?;
    }
    let number = reserve(context, &wanted)?;
    let slug = worktree::slug(&wanted.name);
    let wish = Wish {
        source,
        branch: branch.unwrap_or_else(|| format!("{}{slug}", context.about.branch_prefix)),
        base: base.unwrap_or_else(|| "HEAD".to_owned()),
        path: path.map(PathBuf::from),
        slug,
        allow_dirty,
    };
    let forked = transaction(context, &wanted, number, window, &wish).await;
    forked.inspect_err(|_| context.tracker.launches(|launches, _| launches.release(number)))
}

async fn transaction(
    context: &Context,
    wanted: &Wanted,
    number: u64,
    window: Option<u64>,
    wish: &Wish,
) -> Result<Value, Failure> {
    let git = Git::new(context.hub.executor().clone(), &context.environment);
    context.notes.settle(&git).await;
    let plan = worktree::check(&git, wish).await.map_err(refused)?;
    let made = worktree::create(&git, &context.notes, plan).await.map_err(refused)?;
    let started = in_tab(context, wanted, number, window, Some(made.path.clone()), Some(&made)).await;
    match started {
        Ok(result) => Ok(result),
        // Whether there is a tab in it is not known: it stays.
        Err(failure) if failure.code == ErrorCode::RuntimeTimeout => {
            Err(failure.with(json!({"cleanup_deferred": true, "worktree": made})))
        }
        Err(failure) => {
            let mut details = failure.details.clone().unwrap_or_else(|| json!({}));
            let taken_back = worktree::take_back(&git, &made).await;
            details["rolled_back"] = json!(taken_back);
            if !taken_back {
                details["worktree"] = json!(made);
            }
            Err(failure.with(details))
        }
    }
}

/// The folder that is forked from.
async fn source(context: &Context, pane: Option<u64>, cwd: Option<String>) -> Result<PathBuf, Failure> {
    let folder = match pane {
        Some(pane) => {
            let view = context.hub.snapshot();
            let pane = target::pane(&view.scene, None, pane)?;
            PathBuf::from(&pane.cwd)
        }
        None => match &cwd {
            Some(cwd) => PathBuf::from(cwd),
            None => return Err(bad("source_pane_id", "or `source_cwd` is required")),
        },
    };
    if let (Some(_), Some(cwd)) = (pane, &cwd) {
        let same = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if same(Path::new(cwd)) != same(&folder) {
            return Err(bad("source_cwd", "is not the folder of `source_pane_id`"));
        }
    }
    if !folder::exists(&folder.to_string_lossy()).await {
        return Err(bad("source_cwd", "is no folder"));
    }
    Ok(folder)
}

/// Why there is no worktree, as an error.
fn refused(refused: Refused) -> Failure {
    let message = refused.to_string();
    match refused {
        Refused::GitUnavailable(_) => Failure::new(ErrorCode::GitUnavailable, message),
        Refused::DirtySource(source_root) => {
            Failure::new(ErrorCode::DirtySource, message).with(json!({"source_root": source_root}))
        }
        Refused::InvalidBase(base) => {
            Failure::new(ErrorCode::InvalidBase, message).with(json!({"base": base}))
        }
        Refused::InvalidBranch(branch) => {
            Failure::new(ErrorCode::InvalidBranch, message).with(json!({"branch": branch}))
        }
        Refused::BranchExists { branch, .. } => {
            Failure::new(ErrorCode::BranchConflict, message).with(json!({"branch": branch}))
        }
        Refused::PathExists { path, .. } => {
            Failure::new(ErrorCode::WorktreePathConflict, message).with(json!({"path": path}))
        }
        Refused::Failed(_) => Failure::new(ErrorCode::ActionFailed, message)
            .with(json!({"reason": "worktree", "rolled_back": true})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::params::object;

    fn wanted(value: Value) -> Result<Wanted, Failure> {
        Wanted::read(&mut object(value).expect("an object"))
    }

    #[test]
    fn programs_come_from_the_list() {
        let command = |value| wanted(value).map(|wanted| wanted.command());
        assert_eq!(command(json!({"name": "a", "kind": "cursor"})), Ok("agent".to_owned()));
        assert_eq!(
            command(json!({"name": "a", "kind": "codex", "resume_session_id": "01-ab.c:d"})),
            Ok("codex resume '01-ab.c:d'".to_owned())
        );
        for wrong in [
            json!({"name": "a", "kind": "Codex"}),
            json!({"name": "a", "kind": "aider"}),
            json!({"name": " a", "kind": "codex"}),
            json!({"name": "a\u{7}", "kind": "codex"}),
            json!({"name": "", "kind": "codex"}),
            json!({"name": "a", "kind": "codex", "resume_session_id": "a b"}),
            json!({"name": "a", "kind": "codex", "resume_session_id": "-x"}),
            json!({"name": "a", "kind": "codex", "resume_session_id": "'; rm"}),
        ] {
            assert!(wanted(wrong.clone()).is_err(), "{wrong}");
        }
        let refused =
            wanted(json!({"name": "a", "kind": "pi", "resume_session_id": "x"})).expect_err("refused");
        assert_eq!(
            refused.details.map(|details| details["reason"].clone()),
            Some(json!("resume_unsupported"))
        );
    }
}
