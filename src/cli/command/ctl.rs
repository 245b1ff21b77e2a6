//! `luvus ctl`: the whole runtime protocol, a verb for each method (`runtime.md` 12.2).

use super::submit::{self, Awaited, Place, Then};
use crate::cli::args::ctl::{AgentFlag, CtlArgs, CtlVerb, PaneFlag, SplitDirection, TabFlag};
use crate::cli::args::runtime::{EnvelopeArgs, WaitState};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::refs::WindowRef;
use crate::cli::{output, runtime, wire};
use crate::protocol::ids::PaneId;
use crate::protocol::limits::RUNTIME_REQUEST_BYTES;
use serde_json::{Map, Value, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a wait lasts that does not say.
const WAIT_MS: u64 = 600_000;
/// How long a run or a program lasts that does not say.
const RUN_MS: u64 = 30_000;
/// Starting an agent in a new worktree copies files.
const FORK_MS: u64 = 120_000;

/// `luvus ctl …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, args: CtlArgs) -> Result<Exit, CliError> {
    let ctl = Ctl { context, pretty: args.pretty, timeout_ms: args.timeout_ms };
    ctl.run(args.verb.0)
}

struct Ctl<'a> {
    context: &'a Context,
    pretty: bool,
    timeout_ms: Option<u64>,
}

type Params = Map<String, Value>;

impl Ctl<'_> {
    fn run(&self, verb: CtlVerb) -> Result<Exit, CliError> {
        match verb {
            CtlVerb::Describe => self.call("runtime.describe", Params::new()),
            CtlVerb::Snapshot => self.call("runtime.snapshot", Params::new()),
            CtlVerb::Orchestrate { file, spec } => self.orchestrate(file, spec),
            CtlVerb::Subscribe { since } => self.subscribe(since),
            CtlVerb::Focus { window, pane } => self.call("window.focus", target(window, pane)),
            CtlVerb::NewWindow => self.call("window.create", Params::new()),
            CtlVerb::CloseWindow { window } => self.call("window.close", target(window, None)),
            CtlVerb::NewTab { window, cwd } => {
                let mut params = target(window, None);
                put(&mut params, "cwd", self.path(cwd.as_deref())?);
                self.call("tab.new", params)
            }
            CtlVerb::CloseTab { tab } => self.call("tab.close", of_tab(tab)),
            CtlVerb::RenameTab { tab, name } => self.call("tab.rename", with(of_tab(tab), "name", name)),
            CtlVerb::MoveTab { tab, to } => self.call("tab.move", with(of_tab(tab), "to_index", to)),
            verb @ (CtlVerb::Agents { .. }
            | CtlVerb::AgentStart { .. }
            | CtlVerb::AgentFork { .. }
            | CtlVerb::AgentGet { .. }
            | CtlVerb::AgentPrompt { .. }
            | CtlVerb::AgentPaste { .. }
            | CtlVerb::AgentRead { .. }
            | CtlVerb::AgentWait { .. }) => self.agent(verb),
            verb => self.pane(verb),
        }
    }

    fn pane(&self, verb: CtlVerb) -> Result<Exit, CliError> {
        match verb {
            CtlVerb::Read { pane, lines } => {
                let mut params = of_pane(pane);
                put(&mut params, "lines", lines);
                self.call("pane.read", params)
            }
            CtlVerb::Procs { pane } => self.call("pane.procs", of_pane(pane)),
            CtlVerb::SendKey { pane, key, control, alt, shift, repeat } => {
                let mut params = with(of_pane(pane), "key", key);
                let modifiers = json!({"control": control, "alt": alt, "shift": shift});
                params.insert("modifiers".into(), modifiers);
                put(&mut params, "repeat", repeat);
                self.call("pane.send_key", params)
            }
            CtlVerb::Run { pane, command, no_wait } => {
                let timeout_ms = self.timeout_ms.unwrap_or(RUN_MS);
                let mut params = with(of_pane(pane), "command", command);
                params.insert("wait".into(), (!no_wait).into());
                params.insert("timeout_ms".into(), timeout_ms.into());
                output::envelope(
                    &submit::patiently(self.context, "pane.run", params, timeout_ms),
                    self.pretty,
                )
            }
            CtlVerb::ExecPane { pane, window, max_output_bytes, argv } => {
                let params = Place { pane, window }.params();
                let timeout_ms = self.timeout_ms.unwrap_or(RUN_MS);
                submit::exec(self.context, params, argv, timeout_ms, max_output_bytes, self.pretty)
            }
            CtlVerb::Split { direction, pane, window } => {
                let direction = match direction {
                    SplitDirection::Right => "left_right",
                    SplitDirection::Down => "top_bottom",
                };
                self.call("pane.split", with(target(window, pane), "direction", direction))
            }
            CtlVerb::ClosePane { pane } => self.call("pane.close", of_pane(pane)),
            CtlVerb::Zoom { pane, zoomed } => self.call("pane.zoom", with(of_pane(pane), "zoomed", zoomed)),
            CtlVerb::Resize { pane, ratio } if ratio.is_finite() => {
                self.call("pane.resize", with(of_pane(pane), "ratio", ratio))
            }
            CtlVerb::Prompt { pane, text, no_submit, wait } => {
                self.text("pane.prompt", pane, text, self.then(no_submit, wait))
            }
            CtlVerb::Paste { pane, source, no_submit, wait } => {
                let text = submit::text_of(source.into())?;
                self.text("pane.paste", pane, text, self.then(no_submit, wait))
            }
            CtlVerb::Wait { pane, state, after_seq } => {
                let awaited = Awaited { state, after_seq, timeout_ms: self.required_timeout()? };
                submit::wait(self.context, "pane.wait", of_pane(pane), awaited, self.pretty)
            }
            _ => Err(CliError::usage("the ratio is not a number")),
        }
    }

    fn agent(&self, verb: CtlVerb) -> Result<Exit, CliError> {
        match verb {
            CtlVerb::Agents { window } => self.call("agents.list", target(window, None)),
            CtlVerb::AgentStart { name, kind, window, pane, cwd, resume_session } => {
                let mut params = with(with(target(window, pane), "name", name), "kind", kind);
                put(&mut params, "cwd", self.path(cwd.as_deref())?);
                put(&mut params, "resume_session_id", resume_session);
                self.call("agent.start", params)
            }
            CtlVerb::AgentFork {
                name,
                kind,
                source_pane,
                source_cwd,
                window,
                branch,
                base,
                path,
                resume_session,
                allow_dirty_source,
            } => {
                let mut params = with(with(target(window, None), "name", name), "kind", kind);
                put(&mut params, "source_pane_id", source_pane.map(|pane| pane.0));
                put(&mut params, "source_cwd", self.path(source_cwd.as_deref())?);
                put(&mut params, "branch", branch);
                put(&mut params, "base", base);
                put(&mut params, "path", self.path(path.as_deref())?);
                put(&mut params, "resume_session_id", resume_session);
                params.insert("allow_dirty_source".into(), allow_dirty_source.into());
                let timeout_ms = self.timeout_ms.unwrap_or(FORK_MS);
                let deadline = Duration::from_millis(timeout_ms);
                output::envelope(
                    &runtime::call(self.context, "agent.fork", Value::Object(params), deadline),
                    self.pretty,
                )
            }
            CtlVerb::AgentGet { agent } => self.call("agent.get", of_agent(agent)),
            CtlVerb::AgentPrompt { agent, text, no_submit } => {
                let params = with(with(of_agent(agent), "text", text), "submit", !no_submit);
                self.call("agent.prompt", params)
            }
            CtlVerb::AgentPaste { agent, source, no_submit } => {
                let text = submit::text_of(source.into())?;
                self.call("agent.paste", with(with(of_agent(agent), "text", text), "submit", !no_submit))
            }
            CtlVerb::AgentRead { agent, lines } => {
                let mut params = of_agent(agent);
                put(&mut params, "lines", lines);
                self.call("agent.read", params)
            }
            CtlVerb::AgentWait { agent, generation, state, after_seq } => {
                let awaited = Awaited { state, after_seq, timeout_ms: self.required_timeout()? };
                let params = of_agent(AgentFlag { agent, generation: Some(generation) });
                submit::wait(self.context, "agent.wait", params, awaited, self.pretty)
            }
            _ => Err(CliError::usage("no such verb")),
        }
    }

    fn flags(&self) -> EnvelopeArgs {
        let usual = EnvelopeArgs::usual();
        EnvelopeArgs { pretty: self.pretty, timeout_ms: self.timeout_ms.unwrap_or(usual.timeout_ms) }
    }

    fn call(&self, method: &str, params: Params) -> Result<Exit, CliError> {
        super::envelope::verb(self.context, method, Value::Object(params), self.flags())
    }

    fn then(&self, no_submit: bool, wait: Option<WaitState>) -> Then {
        Then { submit: !no_submit, wait: wait.map(|state| (state, self.timeout_ms.unwrap_or(WAIT_MS))) }
    }

    fn text(&self, method: &str, pane: PaneFlag, text: String, then: Then) -> Result<Exit, CliError> {
        let place = Place { pane: pane.pane, window: pane.window };
        // The time limit is the wait's, if there is one.
        let flags = if then.wait.is_some() { EnvelopeArgs::usual() } else { self.flags() };
        let flags = EnvelopeArgs { pretty: self.pretty, ..flags };
        submit::to_pane(self.context, method, place, text, then, flags)
    }

    fn required_timeout(&self) -> Result<u64, CliError> {
        self.timeout_ms.ok_or_else(|| CliError::usage("say how long to wait: --timeout-ms"))
    }

    fn path(&self, path: Option<&Path>) -> Result<Option<String>, CliError> {
        path.map(|path| self.context.absolute(path)).transpose()
    }

    fn orchestrate(&self, file: Option<PathBuf>, spec: Option<String>) -> Result<Exit, CliError> {
        let text = match (file, spec) {
            (Some(file), _) => read_spec(&file)?,
            (None, spec) => spec.unwrap_or_default(),
        };
        let Ok(params @ Value::Object(_)) = serde_json::from_str(&text) else {
            return Err(CliError::usage("the steps are not a JSON object"));
        };
        let deadline = Duration::from_millis(self.timeout_ms.unwrap_or(WAIT_MS));
        let envelope = runtime::call(self.context, "runtime.orchestrate", params, deadline);
        let exit = output::envelope(&envelope, self.pretty)?;
        Ok(if exit == Exit::Ok && envelope["result"]["ok"] != true { Exit::Failed } else { exit })
    }

    fn subscribe(&self, since: Option<u64>) -> Result<Exit, CliError> {
        runtime::end_on_interrupt().map_err(CliError::failed)?;
        let mut params = Params::new();
        put(&mut params, "since_revision", since);
        let deadline = Duration::from_millis(self.flags().timeout_ms);
        let mut first = true;
        let ended = runtime::follow(self.context, Value::Object(params), deadline, |line| {
            let text = String::from_utf8_lossy(line);
            let value = if self.pretty || first { serde_json::from_str::<Value>(&text).ok() } else { None };
            let refused = std::mem::take(&mut first)
                && value.as_ref().is_none_or(|acknowledged| acknowledged["ok"] != true);
            match value {
                // The one line on standard error goes with it.
                Some(envelope) if refused => Some(output::envelope(&envelope, self.pretty)),
                Some(value) if self.pretty => output::line(&format!("{value:#}")).err().map(Err),
                _ => output::line(&text).err().map(Err),
            }
        });
        match ended {
            Ok(Some(outcome)) => outcome,
            Ok(None) => Err(CliError::failed("the server has gone away")),
            Err(error) if first => output::envelope(
                &wire::envelope(Err(("runtime_unavailable", error.to_string()))),
                self.pretty,
            ),
            Err(error) => Err(error.into()),
        }
    }
}

fn read_spec(file: &Path) -> Result<String, CliError> {
    let unreadable =
        |error: std::io::Error| CliError::usage(format_args!("cannot read {}: {error}", file.display()));
    let mut text = String::new();
    // Longer than any request: the server would refuse it.
    let limit = u64::try_from(RUNTIME_REQUEST_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    std::fs::File::open(file)
        .map_err(unreadable)?
        .take(limit)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    Ok(text)
}

fn target(window: Option<WindowRef>, pane: Option<PaneId>) -> Params {
    let mut params = Params::new();
    put(&mut params, "window_id", window.map(|WindowRef(window)| window));
    put(&mut params, "pane_id", pane.map(|pane| pane.0));
    params
}

fn of_pane(pane: PaneFlag) -> Params {
    target(pane.window, Some(pane.pane))
}

fn of_tab(tab: TabFlag) -> Params {
    with(target(tab.window, None), "tab_index", tab.tab)
}

fn of_agent(agent: AgentFlag) -> Params {
    let mut params = Params::from_iter([("agent".to_owned(), Value::from(agent.agent))]);
    put(&mut params, "generation", agent.generation);
    params
}

fn with(mut params: Params, key: &str, value: impl Into<Value>) -> Params {
    params.insert(key.to_owned(), value.into());
    params
}

fn put(params: &mut Params, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        params.insert(key.to_owned(), value.into());
    }
}
