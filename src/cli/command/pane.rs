//! `luvus pane` and `luvus wait`

use super::close::{Target, close};
use super::submit::{self, Place};
use super::{act, ask_and_print, change, envelope};
use crate::cli::args::pane::{PaneVerb, WaitVerb};
use crate::cli::args::runtime::EnvelopeArgs;
use crate::cli::context::{Context, position};
use crate::cli::error::{CliError, Exit};
use crate::cli::refs::{TabRef, WindowRef};
use crate::cli::{output, wire};
use crate::protocol::ids::PaneId;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// How much longer than the server's own time limit the answer of a wait may take.
const WAIT_SLACK: Duration = Duration::from_secs(5);

/// `luvus pane …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: PaneVerb) -> Result<Exit, CliError> {
    match verb {
        PaneVerb::List { window, tab, envelope: flags } => list(context, window, tab, flags),
        PaneVerb::Split { pane, down, right, no_focus, cwd, command } => {
            let direction = if down {
                "down"
            } else if right {
                "right"
            } else {
                "auto"
            };
            let params = split_params(context, pane, direction, !no_focus, cwd, command)?;
            change(context, "pane.split", Value::Object(params))
        }
        PaneVerb::Focus { pane } => {
            act(context, "pane.focus", json!({"pane": named_or_own(context, pane, "focus")?.0}))
        }
        PaneVerb::Move { pane, tab, new_tab } => move_pane(context, pane, tab, new_tab),
        PaneVerb::Swap { pane, with } => act(context, "pane.swap", json!({"pane": pane.0, "with": with.0})),
        PaneVerb::Run { pane, command } => {
            act(context, "pane.run", json!({"pane": pane.0, "command": command.join(" ")}))
        }
        PaneVerb::Status { pane } => {
            let pane = pane.or_else(|| context.own_pane()).map(|pane| pane.0);
            ask_and_print(context, "pane.status", json!({"pane": pane}), status)
        }
        PaneVerb::Processes { pane } => {
            let pane = named_or_own(context, pane, "processes")?.0;
            ask_and_print(context, "pane.processes", json!({"pane": pane}), processes)
        }
        PaneVerb::Name { pane, name } => act(context, "pane.rename", json!({"pane": pane.0, "name": name})),
        PaneVerb::Send { pane, text, submit, window, envelope: flags } => {
            submit::to_pane(context, "pane.prompt", Place { pane, window }, text, submit.into(), flags)
        }
        PaneVerb::Paste { pane, source, submit, window, envelope: flags } => {
            let text = submit::text_of(source)?;
            submit::to_pane(context, "pane.paste", Place { pane, window }, text, submit.into(), flags)
        }
        PaneVerb::Wait { pane, wait, window, pretty } => {
            let params = Place { pane, window }.params();
            submit::wait(context, "pane.wait", params, wait.into(), pretty)
        }
        PaneVerb::Exec { pane, exec, argv } => {
            let params = Place { pane, window: exec.window }.params();
            submit::exec(context, params, argv, exec.timeout_ms, exec.max_output_bytes, exec.pretty)
        }
        PaneVerb::Resize { pane, ratio, window, envelope: flags } => {
            if !ratio.is_finite() {
                return Err(CliError::usage("the ratio is not a number"));
            }
            on_pane(context, "pane.resize", pane, window, json!({"ratio": ratio}), flags)
        }
        PaneVerb::Read { pane, lines, window, envelope: flags } => {
            let rest = lines.map_or(json!({}), |lines| json!({"lines": lines}));
            on_pane_or_focused(context, "pane.read", pane, window, rest, flags)
        }
        PaneVerb::Zoom { pane, zoomed, window, envelope: flags } => {
            on_pane_or_focused(context, "pane.zoom", pane, window, json!({"zoomed": zoomed}), flags)
        }
        PaneVerb::Close { pane, window, close: flags } => {
            close(context, Target::Pane(window, named_or_own(context, pane, "close")?), flags)
        }
    }
}

/// A pane's row for a person.
fn status(result: &Map<String, Value>) -> String {
    let pane = Value::Object(result.clone());
    let size = format!("{}×{}", output::cell(&pane, &["cols"]), output::cell(&pane, &["rows"]));
    let columns = [("pane", "PANE"), ("name", "NAME"), ("program", "PROGRAM"), ("cwd", "FOLDER")];
    let more = [("agent", "AGENT"), ("agent_status", "STATUS")];
    let heads = columns.iter().chain(&more).map(|(_, head)| *head).chain(["SIZE"]).collect::<Vec<_>>();
    let cells = columns.iter().chain(&more).map(|(key, _)| output::cell(&pane, &[*key])).chain([size]);
    output::table(&heads, &[cells.collect()])
}

/// The names of a pane's programs, each on a line of its own.
fn processes(result: &Map<String, Value>) -> String {
    let names = output::rows(result, "executables");
    output::printable_lines(names.iter().filter_map(Value::as_str).map(str::to_owned))
}

/// The pane given, or the own one. Outside a pane these verbs need an id.
fn named_or_own(context: &Context, pane: Option<PaneId>, verb: &str) -> Result<PaneId, CliError> {
    pane.or_else(|| context.own_pane()).ok_or_else(|| {
        CliError::usage(format_args!("`pane {verb}` needs a pane id here; `luvus pane list` shows them"))
    })
}

fn split_params(
    context: &Context,
    pane: Option<PaneId>,
    direction: &str,
    focus: bool,
    cwd: Option<PathBuf>,
    command: Vec<String>,
) -> Result<Map<String, Value>, CliError> {
    let mut params = Map::new();
    if let Some(pane) = pane.or_else(|| context.own_pane()) {
        params.insert("pane".into(), pane.0.into());
    }
    params.insert("direction".into(), direction.into());
    params.insert("focus".into(), focus.into());
    if let Some(cwd) = cwd {
        params.insert("cwd".into(), context.absolute(&cwd)?.into());
    }
    if !command.is_empty() {
        params.insert("command".into(), command.into());
    }
    Ok(params)
}

fn move_pane(
    context: &Context,
    pane: Option<PaneId>,
    tab: Option<TabRef>,
    new_tab: bool,
) -> Result<Exit, CliError> {
    let mut params = Map::new();
    if let Some(pane) = pane.or_else(|| context.own_pane()) {
        params.insert("pane".into(), pane.0.into());
    }
    match tab {
        _ if new_tab => params.insert("new_tab".into(), true.into()),
        // A pane moves within its workspace, so the position alone says which tab.
        Some(TabRef::Index(index)) => params.insert("tab".into(), position(index)?.into()),
        Some(TabRef::Id(id)) => params.insert("tab_id".into(), id.to_string().into()),
        None => return Err(CliError::usage("say where to: --tab or --new-tab")),
    };
    act(context, "pane.move", Value::Object(params))
}

fn list(
    context: &Context,
    window: Option<WindowRef>,
    tab: Option<u32>,
    flags: EnvelopeArgs,
) -> Result<Exit, CliError> {
    let own = || tab.and_then(|_| context.own_workspace()).map(|id| id.0);
    let window = window.map(|WindowRef(window)| window).or_else(own);
    let envelope = match envelope::snapshot(context, flags) {
        Ok(snapshot) => wire::envelope(Ok(envelope::pane_list(&snapshot, window, tab))),
        Err(refused) => refused,
    };
    output::envelope(&envelope, flags.pretty)
}

fn on_pane_or_focused(
    context: &Context,
    method: &str,
    pane: Option<PaneId>,
    window: Option<WindowRef>,
    rest: Value,
    flags: EnvelopeArgs,
) -> Result<Exit, CliError> {
    if let Some(pane) = pane.or_else(|| context.own_pane()) {
        return on_pane(context, method, pane, window, rest, flags);
    }
    let envelope = match envelope::snapshot(context, flags) {
        Ok(snapshot) => match envelope::focused_pane(&snapshot) {
            Some(pane) => return on_pane(context, method, pane, window, rest, flags),
            None => wire::envelope(Err(("target_not_found", "no pane is focused".to_owned()))),
        },
        Err(refused) => refused,
    };
    output::envelope(&envelope, flags.pretty)
}

fn on_pane(
    context: &Context,
    method: &str,
    pane: PaneId,
    window: Option<WindowRef>,
    mut params: Value,
    flags: EnvelopeArgs,
) -> Result<Exit, CliError> {
    for (key, value) in (Place { pane, window }).params() {
        params[key] = value;
    }
    envelope::verb(context, method, params, flags)
}

/// `luvus wait …`
///
/// # Errors
/// When it does not work.
pub fn run_wait(context: &Context, verb: WaitVerb) -> Result<Exit, CliError> {
    let (pane, text, timeout) = match verb {
        WaitVerb::Output { pane, text, timeout } => (pane, text, timeout),
        WaitVerb::AgentStatus { target, status, timeout } => {
            return super::agents::wait_status(context, &target, &status, timeout);
        }
    };
    let params = json!({"pane": pane.0, "match": text, "timeout_s": timeout});
    let deadline = Duration::from_secs(timeout).saturating_add(WAIT_SLACK);
    let result = wire::call(&context.paths, "wait.output", params, deadline)?.into_result()?;
    let matched = result.get("matched") != Some(&Value::Bool(false));
    if context.json {
        output::json(&Value::Object(result))?;
    }
    if !matched {
        output::tell(&format!("the text did not appear in pane {pane} within {timeout} s"));
        return Ok(Exit::Gone);
    }
    Ok(Exit::Ok)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;

    fn context(inside: bool) -> Context {
        let variables = [
            ("LUVUS_HOME", "/nowhere/l"),
            ("LUVUS_SOCKET_PATH", "/nowhere/l/luvus.sock"),
            ("LUVUS_PANE_ID", "7"),
            ("LUVUS_ENV", "1"),
        ];
        let count = if inside { variables.len() } else { 1 };
        Context::new(Environment::of(&variables[..count]), None, false).expect("a context")
    }

    #[test]
    fn closing_needs_an_id_outside_a_pane() {
        assert_eq!(named_or_own(&context(true), None, "close"), Ok(PaneId(7)));
        assert_eq!(named_or_own(&context(true), Some(PaneId(3)), "close"), Ok(PaneId(3)));
        let refused = named_or_own(&context(false), None, "close").expect_err("refused");
        assert_eq!(refused.exit, Exit::Usage);
    }

    #[test]
    fn a_split_says_only_what_was_asked() {
        let params = split_params(&context(false), None, "auto", true, None, vec![]).expect("params");
        assert_eq!(Value::from(params), json!({"direction": "auto", "focus": true}));
        let command = vec!["vim".to_owned(), "-R".to_owned()];
        let params =
            split_params(&context(true), None, "down", false, Some("/".into()), command).expect("params");
        assert_eq!(
            Value::from(params),
            json!({"pane": 7, "direction": "down", "focus": false, "cwd": "/", "command": ["vim", "-R"]})
        );
    }
}
