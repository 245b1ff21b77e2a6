//! `luvus integration`

use crate::cli::args::agent::Status;
use crate::cli::args::integration::{Agent, IntegrationVerb};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::integration::{ALL, ChangeError, Integration, News, claude, codex};
use crate::cli::{output, wire};
use serde_json::{Value, json};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

/// An agent waits for its hook, so the hook waits for nobody.
const HOOK_DEADLINE: Duration = Duration::from_secs(2);
/// What a hook reads at most.
const TOLD_BYTES: u64 = 1024 * 1024;
/// Who reports.
const SOURCE: &str = "luvus:integration";
/// For how many seconds a reported state holds. It is true when it is told; not everything that ends it is
/// told too (an interrupt is not), and after a while the screen is the better witness.
const HELD_S: u64 = 10;
/// What is passed on of a message at most, in characters.
const MESSAGE_CHARS: usize = 1_000;

/// `luvus integration …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: IntegrationVerb) -> Result<Exit, CliError> {
    match verb {
        IntegrationVerb::Status { agent } => status(context, agent),
        IntegrationVerb::Install { agent } => {
            change(context, &of(agent), Integration::install, ["is installed", "was installed already"])
        }
        IntegrationVerb::Uninstall { agent } => {
            change(context, &of(agent), Integration::uninstall, ["is taken away", "was not installed"])
        }
        IntegrationVerb::Hook { agent, told } => {
            // Whatever happens is no matter of the agent's.
            let _ = hook(context, agent, told);
            Ok(Exit::Ok)
        }
    }
}

fn of(agent: Agent) -> Integration {
    match agent {
        Agent::Claude => claude::INTEGRATION,
        Agent::Codex => codex::INTEGRATION,
    }
}

fn home(context: &Context) -> Result<&Path, CliError> {
    context.environment.user_home.as_deref().ok_or_else(|| CliError::failed("there is no home folder"))
}

fn failed(integration: &Integration, home: &Path, error: &ChangeError) -> CliError {
    CliError::failed(format_args!("{} is left as it is: {error}", integration.path(home).display()))
}

fn change(
    context: &Context,
    integration: &Integration,
    change: impl Fn(&Integration, &Path) -> Result<bool, ChangeError>,
    [done, before]: [&str; 2],
) -> Result<Exit, CliError> {
    let home = home(context)?;
    let changed = change(integration, home).map_err(|error| failed(integration, home, &error))?;
    let path = integration.path(home);
    if context.json {
        let path = path.to_string_lossy();
        output::json(
            &json!({"type": "integration", "agent": integration.agent, "changed": changed, "path": path}),
        )?;
    } else {
        let told = if changed { done } else { before };
        output::line(&format!("the integration of {} {told} ({})", integration.agent, path.display()))?;
    }
    Ok(Exit::Ok)
}

fn status(context: &Context, agent: Option<Agent>) -> Result<Exit, CliError> {
    let home = home(context)?;
    let wanted = agent.map(of);
    let mut rows = Vec::new();
    for integration in ALL.iter().filter(|one| wanted.is_none_or(|wanted| wanted.agent == one.agent)) {
        let installed = integration.is_installed(home).map_err(|error| failed(integration, home, &error))?;
        let path = integration.path(home).to_string_lossy().into_owned();
        rows.push(json!({"agent": integration.agent, "installed": installed, "path": path}));
    }
    if context.json {
        output::json(&json!({"type": "integration_status", "integrations": rows}))?;
        return Ok(Exit::Ok);
    }
    let cells = |row: &Value| {
        let installed = if row["installed"] == true { "yes" } else { "no" };
        vec![output::cell(row, &["agent"]), installed.to_owned(), output::cell(row, &["path"])]
    };
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    output::line(&output::table(&["AGENT", "INSTALLED", "SETTINGS"], &cells))?;
    Ok(Exit::Ok)
}

/// Tells the session of the pane which conversation goes on in it, or not any more, and how it stands.
fn hook(context: &Context, agent: Agent, told: Option<String>) -> Option<()> {
    let pane = context.own_pane()?;
    let told = match told {
        Some(told) => told,
        None => {
            let mut text = String::new();
            io::stdin().take(TOLD_BYTES).read_to_string(&mut text).ok()?;
            text
        }
    };
    let told: Value = serde_json::from_str(&told).ok()?;
    let integration = of(agent);
    // One that is refused says nothing about the other: somebody else may hold the authority.
    let tell =
        |method: &str, params: Value| wire::call(&context.paths, method, params, HOOK_DEADLINE).is_ok();
    let news = (integration.news)(&told);
    let id = ["session_id", "thread-id", "thread_id"].iter().find_map(|name| told[*name].as_str());
    if let Some(id) = id {
        let method = if news == News::End { "pane.release_session" } else { "pane.report_session" };
        tell(method, json!({"pane": pane.0, "agent": integration.agent, "session_id": id}));
    }
    match news {
        News::Conversation => {}
        News::State(status) => {
            let message = told["message"].as_str().filter(|_| status == Status::Blocked);
            let message = message.map(|text| text.chars().take(MESSAGE_CHARS).collect::<String>());
            let report = json!({
                "pane": pane.0, "source": SOURCE, "agent": integration.agent, "status": status.as_str(),
                "message": message, "ttl_s": HELD_S,
            });
            tell("agent.report", report);
        }
        News::End => {
            tell("agent.release", json!({"pane": pane.0, "source": SOURCE}));
        }
    }
    Some(())
}
