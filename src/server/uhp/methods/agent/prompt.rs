//! `agent.prompt`: one text and its Enter for an agent that can take it, and what comes of it.

use super::super::super::{Context, error};
use super::input::states;
use super::{find_running, read_target, seconds};
use crate::protocol::agent::AgentState;
use crate::protocol::ids::PaneId;
use crate::protocol::limits::INPUT_BYTES;
use crate::protocol::params::{ParamError, Params, boolean, text};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::agents::AgentView;
use crate::server::hub::{Prompt, PromptError, Prompted, Refuse};
use crate::server::wait::{AgentWaited, agent as wait_for_agent};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The usual wait, in seconds.
const USUAL_S: f64 = 300.0;
/// What ends a wait unless the caller says otherwise.
const USUAL_UNTIL: [AgentState; 3] = [AgentState::Idle, AgentState::Done, AgentState::Blocked];

/// `agent.prompt`, and its alias `agent.send`.
pub async fn prompt(mut params: Params, context: Context) -> Result<Value, Failure> {
    let target = read_target(&mut params)?;
    let text = params.required("text", text(1..=INPUT_BYTES))?;
    let waits = params.nullable("wait", boolean)?.unwrap_or(false);
    if !waits && (params.has("until") || params.has("timeout_s")) {
        return Err(ParamError::new("wait", "`until` and `timeout_s` need `wait`: true").into());
    }
    let until = params.nullable("until", states)?.unwrap_or_else(|| USUAL_UNTIL.to_vec());
    let limit = seconds(&mut params, USUAL_S)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let view = find_running(&snapshot, &target)?;
    let (pane, terminal) = (view.pane, view.terminal);
    let prompt = Prompt {
        pane,
        terminal: Some(terminal),
        agent: None,
        text,
        submit: true,
        refuse: Refuse::NotReady,
        waits,
        finding: None,
    };
    let prompted = context.hub.prompt(prompt).await.map_err(|error| of_prompt(&error))?;
    match prompted.waiting {
        // Nobody else waits for a prompt of that pane until this one is answered.
        Some(_) => follow(&context, &prompted, &until, limit).await,
        None => Ok(queued(pane, &prompted)),
    }
}

fn queued(pane: PaneId, prompted: &Prompted) -> Value {
    json!({
        "type": "agent_prompt",
        "pane": pane.to_string(),
        "submitted": true,
        "matched": false,
        "status": prompted.view.state.presented().as_str(),
        "baseline_revision": prompted.content_revision,
        "content_revision": prompted.content_revision,
        "evidence": "queued",
    })
}

/// What has been seen since the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// The first work or waiting that began after it.
    observed: Option<AgentState>,
    /// A wanted state that came with or after that.
    matched: Option<AgentState>,
}

/// Looks through the changes after `baseline`.
fn seen(view: &AgentView, baseline: u64, until: &[AgentState]) -> Seen {
    let mut seen = Seen { observed: None, matched: None };
    for transition in view.transitions.iter().filter(|transition| transition.seq > baseline) {
        if matches!(transition.state, AgentState::Working | AgentState::Blocked) {
            seen.observed.get_or_insert(transition.state);
        }
        if seen.observed.is_some() && until.contains(&transition.state.presented()) {
            seen.matched.get_or_insert(transition.state.presented());
        }
    }
    seen
}

async fn follow(
    context: &Context,
    prompted: &Prompted,
    until: &[AgentState],
    limit: Duration,
) -> Result<Value, Failure> {
    let (pane, terminal) = (prompted.view.pane, prompted.view.terminal);
    let baseline = prompted.view.state_change_seq;
    let mut observed = None;
    let mut status = prompted.view.state;
    let mut left = false;
    let waited = wait_for_agent(context.hub.snapshots(), (pane, terminal), Instant::now() + limit, |view| {
        let Some(view) = view.filter(|view| view.identity.is_some()) else {
            left = true;
            return Some(None);
        };
        status = view.state;
        let seen = seen(view, baseline, until);
        observed = observed.or(seen.observed);
        seen.matched.map(Some)
    });
    let waited = waited.await;
    let revision = context.hub.terminal(terminal).map(|entry| entry.handle.revision());
    let revision = revision.unwrap_or(prompted.content_revision);
    let observed = observed.map(AgentState::as_str);
    let (matched, status) = match waited {
        AgentWaited::Found(Some(state)) => (true, state),
        AgentWaited::TimedOut => (false, status.presented()),
        AgentWaited::Found(None) | AgentWaited::Gone => {
            let reason = if left { "agent_exited" } else { "pane_closed" };
            let failure =
                Failure::new(ErrorCode::AgentNotRunning, format!("the agent of pane {pane} is gone"));
            return Err(failure.with_data(json!({
                "pane": pane.to_string(),
                "queued": true,
                "submitted": true,
                "observed_state": observed,
                "reason": reason,
                "baseline_revision": prompted.content_revision,
                "content_revision": revision,
            })));
        }
    };
    Ok(json!({
        "type": "agent_prompt",
        "pane": pane.to_string(),
        "submitted": true,
        "matched": matched,
        "status": status.as_str(),
        "baseline_revision": prompted.content_revision,
        "content_revision": revision,
        "evidence": if matched { "state_transition" } else { "timeout" },
        "observed_state": observed,
    }))
}

fn of_prompt(refused: &PromptError) -> Failure {
    let code = match refused {
        PromptError::NoPane(_) => ErrorCode::NotFound,
        PromptError::NoAgent(_) | PromptError::NotReady(_) => ErrorCode::AgentNotReady,
        PromptError::Replaced => ErrorCode::AgentNotRunning,
        PromptError::Busy(_) => ErrorCode::AgentPromptBusy,
        PromptError::Input(refused) => return error::of_input(*refused),
        PromptError::Stopping => ErrorCode::Unavailable,
    };
    Failure::new(code, refused.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::agents::state::Transition;
    use crate::server::agents::view::tests::view;

    #[test]
    fn only_work_that_began_after_the_prompt_counts() {
        let transition =
            |seq, state| Transition { seq, state, kind: None, at_ms: 0, ended: None, alert: false };
        let mut view = view(1, "claude");
        view.transitions = vec![transition(2, AgentState::Working), transition(3, AgentState::Done)];
        let look = |view: &AgentView, until: &[AgentState]| seen(view, 3, until);
        let nothing = Seen { observed: None, matched: None };
        assert_eq!(look(&view, &USUAL_UNTIL), nothing, "the turn before");
        view.transitions.push(transition(4, AgentState::Idle));
        assert_eq!(look(&view, &USUAL_UNTIL), nothing, "quiet alone is no evidence");
        view.transitions.push(transition(5, AgentState::Working));
        assert_eq!(look(&view, &USUAL_UNTIL).observed, Some(AgentState::Working));
        assert_eq!(look(&view, &USUAL_UNTIL).matched, None);
        view.transitions.push(transition(6, AgentState::Done));
        assert_eq!(look(&view, &USUAL_UNTIL).matched, Some(AgentState::Done));
        assert_eq!(look(&view, &[AgentState::Working]).matched, Some(AgentState::Working));
        view.transitions = vec![transition(4, AgentState::Blocked)];
        let blocked = Seen { observed: Some(AgentState::Blocked), matched: Some(AgentState::Blocked) };
        assert_eq!(look(&view, &USUAL_UNTIL), blocked);
    }
}
