//! `mission.*` (`uhp.md` section 17.2): all agents by urgency, with what their conversations used.
//!
//! Invariant: counters are those that an agent reported, or absent; nothing is estimated.

use super::super::{Context, error};
use super::agent;
use crate::protocol::agent::AgentState;
use crate::protocol::command::Command;
use crate::protocol::ids::WorkspaceId;
use crate::protocol::params::{ParamError, Params, word};
use crate::protocol::uhp::error::Failure;
use crate::server::agents::AgentView;
use crate::server::hub::{Snapshot, Usage};
use crate::server::uhp::target;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::sync::Arc;

/// What a mission looks at.
struct Scope {
    /// One workspace; `None` is all of them.
    workspace: Option<WorkspaceId>,
}

impl Scope {
    fn read(mut params: Params, snapshot: &Snapshot) -> Result<Self, Failure> {
        const SCOPES: &[(&str, bool)] = &[("workspace", false), ("all", true)];
        let all = params.nullable("scope", word(SCOPES))?;
        let named = target::read_workspace(&mut params)?;
        params.finish()?;
        if all == Some(true) {
            if named.is_some() {
                return Err(ParamError::new("workspace", "stands beside the scope `all`").into());
            }
            return Ok(Self { workspace: None });
        }
        // Without a scope everything is looked at, unless a workspace is named.
        if all.is_none() && named.is_none() {
            return Ok(Self { workspace: None });
        }
        let workspace = target::workspace(&snapshot.scene, named)?;
        Ok(Self { workspace: Some(workspace.scene.id) })
    }

    fn word(&self) -> &'static str {
        if self.workspace.is_some() { "workspace" } else { "all" }
    }

    /// The agents in it, the most urgent first, of those the longest waiting.
    fn agents<'a>(&self, snapshot: &'a Snapshot) -> Vec<&'a Arc<AgentView>> {
        let inside = |view: &&Arc<AgentView>| {
            let workspace = snapshot.scene.pane(view.pane).map(|pane| pane.workspace);
            self.workspace.is_none() || workspace == self.workspace
        };
        let mut views: Vec<&Arc<AgentView>> = snapshot.agents.values().filter(inside).collect();
        views.sort_by_key(|view| (Reverse(view.state), view.since_ms, view.pane));
        views
    }
}

/// `mission.snapshot`
pub async fn snapshot(params: Params, context: Context) -> Result<Value, Failure> {
    let snapshot = context.snapshot();
    let scope = Scope::read(params, &snapshot)?;
    let views = scope.agents(&snapshot);
    let mut rows = Vec::new();
    let mut totals = Totals::default();
    for view in views {
        let explained = context.hub.explain_agent(view.pane).await.map_err(|error| error::of_hub(&error))?;
        let usage = explained.and_then(|explained| explained.usage);
        totals.add(view.state.presented(), usage.as_ref());
        rows.push(row(&snapshot, view, usage.as_ref()));
    }
    Ok(json!({
        "type": "mission_snapshot",
        "revision": snapshot.sequence,
        "scope": scope.word(),
        "summary": totals.summary(),
        "rows": rows,
        "refreshing": false,
        "automation": null,
        "refresh": null,
    }))
}

/// `mission.refresh`: counters are told by the agents themselves, so what is known is up to date.
pub async fn refresh(params: Params, context: Context) -> Result<Value, Failure> {
    let snapshot = context.snapshot();
    Scope::read(params, &snapshot)?;
    let id = format!("refresh-{}", snapshot.sequence);
    Ok(json!({"type": "mission_refresh", "refreshing": true, "refresh_id": id}))
}

/// `mission.open`: every attached client shows Mission Control; of a workspace, if one is named, which is
/// focused then.
pub async fn open(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_workspace(&mut params)?;
    params.finish()?;
    let this_workspace = named.is_some();
    if this_workspace {
        let workspace = target::workspace(&context.snapshot().scene, named)?.scene.id;
        let focused = context.hub.command(Command::FocusWorkspace { workspace }).await;
        focused.map_err(|error| error::of_hub(&error))?;
    }
    context.hub.show_mission(this_workspace).await.map_err(|error| error::of_hub(&error))?;
    Ok(json!({"type": "ok", "mission": true}))
}

fn row(snapshot: &Snapshot, view: &AgentView, usage: Option<&Usage>) -> Value {
    let mut row = agent::row(snapshot, view);
    row["hint"] = json!(view.hint.as_deref().map(|hint| crate::protocol::plain::one_line(hint, 512)));
    row["usage"] = usage.map_or(Value::Null, |usage| {
        let [tokens_in, tokens_out, cache_read, cache_write] = usage.tokens;
        json!({
            "model": usage.model,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cache_read": cache_read,
            "cache_write": cache_write,
            "cost": usage.cost,
            "updated_at": usage.updated_at,
        })
    });
    row
}

/// Sums over the agents of a mission.
#[derive(Default)]
struct Totals {
    states: [u64; AgentState::ALL.len()],
    tokens: Option<u64>,
    cost: Option<f64>,
}

impl Totals {
    fn add(&mut self, state: AgentState, usage: Option<&Usage>) {
        if let Some(place) = AgentState::ALL.iter().position(|known| *known == state) {
            self.states[place] += 1;
        }
        if let Some(usage) = usage {
            let used = usage.tokens[0].saturating_add(usage.tokens[1]);
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(used));
            self.cost = match (self.cost, usage.cost) {
                (Some(sum), Some(cost)) => Some(sum + cost),
                (sum, cost) => sum.or(cost),
            };
        }
    }

    fn summary(&self) -> Value {
        let mut summary = json!({
            "agents": self.states.iter().sum::<u64>(),
            "tokens": self.tokens,
            "cost": self.cost,
            "burn_per_hour": null,
        });
        for (state, count) in AgentState::ALL.iter().zip(self.states) {
            summary[state.as_str()] = json!(count);
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_hold_what_is_known_and_nothing_else() {
        let mut totals = Totals::default();
        totals.add(AgentState::Idle, None);
        let summary = totals.summary();
        assert_eq!(
            (&summary["agents"], &summary["idle"], &summary["tokens"]),
            (&json!(1), &json!(1), &Value::Null)
        );
        let usage = |cost| Usage { model: None, tokens: [10, 5, 100, 0], cost, updated_at: 1 };
        totals.add(AgentState::Blocked, Some(&usage(Some(0.5))));
        totals.add(AgentState::Blocked, Some(&usage(None)));
        let summary = totals.summary();
        assert_eq!(
            (&summary["blocked"], &summary["tokens"], &summary["cost"]),
            (&json!(2), &json!(30), &json!(0.5))
        );
    }
}
