//! `luvus agent`: named agents. Each verb is bound to one session of its agent, so that a task never
//! reaches one that took the name over meanwhile.

use super::{envelope, submit};
use crate::cli::args::agent::{AgentRef, AgentVerb};
use crate::cli::args::runtime::EnvelopeArgs;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::output;
use crate::cli::refs::WindowRef;
use serde_json::{Map, Value, json};

/// `luvus agent …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: AgentVerb) -> Result<Exit, CliError> {
    match verb {
        AgentVerb::Own(verb) => super::agents::run(context, verb),
        AgentVerb::List { window, envelope: flags } => {
            let params = window.map_or(json!({}), |WindowRef(window)| json!({"window_id": window}));
            envelope::verb(context, "agents.list", params, flags)
        }
        AgentVerb::Send { agent, text, submit, envelope: flags } => {
            let send = |agent| submit::to_agent(context, "agent.prompt", agent, text, submit.into(), flags);
            bound(context, agent, flags, send)
        }
        AgentVerb::Paste { agent, source, submit, envelope: flags } => {
            let text = submit::text_of(source)?;
            let paste = |agent| submit::to_agent(context, "agent.paste", agent, text, submit.into(), flags);
            bound(context, agent, flags, paste)
        }
        AgentVerb::Read { agent, lines, envelope: flags } => bound(context, agent, flags, |mut params| {
            if let Some(lines) = lines {
                params.insert("lines".into(), lines.into());
            }
            envelope::verb(context, "agent.read", Value::Object(params), flags)
        }),
        AgentVerb::Wait { agent, wait, pretty } => {
            let flags = EnvelopeArgs { pretty, ..EnvelopeArgs::usual() };
            bound(context, agent, flags, |params| {
                submit::wait(context, "agent.wait", params, wait.into(), pretty)
            })
        }
    }
}

/// Carries a verb out with the params that name the agent and its generation; without one given, that
/// of the active session is looked up.
fn bound(
    context: &Context,
    agent: AgentRef,
    flags: EnvelopeArgs,
    verb: impl FnOnce(Map<String, Value>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let mut params = Map::from_iter([("agent".to_owned(), Value::from(agent.agent))]);
    let generation = match agent.generation {
        Some(generation) => Value::from(generation),
        None => {
            let mut found = envelope::request(context, "agent.get", Value::Object(params.clone()), flags);
            if found["ok"] != true {
                return output::envelope(&found, flags.pretty);
            }
            found["result"]["agent"]["generation"].take()
        }
    };
    params.insert("generation".into(), generation);
    verb(params)
}
