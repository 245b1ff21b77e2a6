//! `mission.*` (`uhp.md` section 17.2): all agents by urgency, with what their conversations used.
//!
//! Invariant: counters are those that an agent reported, or absent; nothing is estimated.

use super::super::{Context, error};
use super::agent;
use crate::protocol::agent::{AgentState, ContextUsed};
use crate::protocol::command::Command;
use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::protocol::params::{ParamError, Params, word};
use crate::protocol::uhp::error::Failure;
use crate::server::agents::AgentView;
use crate::server::agents::usage::Usage;
use crate::server::hub::Snapshot;
use crate::server::spending;
use crate::server::uhp::target;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::path::PathBuf;
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
        totals.add(view.state.presented(), view.usage.as_ref(), view.burn_per_hour);
        rows.push(row(&snapshot, view));
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

/// `mission.refresh`: counters that agents keep themselves are read beside the answer; what they report is up to date
/// anyway.
pub async fn refresh(params: Params, context: Context) -> Result<Value, Failure> {
    let snapshot = context.snapshot();
    let scope = Scope::read(params, &snapshot)?;
    let panes: Vec<PaneId> = scope.agents(&snapshot).iter().map(|view| view.pane).collect();
    let (hub, home) = (context.hub.clone(), PathBuf::from(&context.session.home));
    tokio::spawn(async move { spending::refresh(&hub, &home, &panes).await });
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

fn row(snapshot: &Snapshot, view: &AgentView) -> Value {
    let mut row = agent::row(snapshot, view);
    row["hint"] = json!(view.hint.as_deref().map(|hint| crate::protocol::plain::one_line(hint, 512)));
    row["usage"] = view.usage.as_ref().map_or(Value::Null, |usage| {
        let [tokens_in, tokens_out, cache_read, cache_write] = usage.tokens;
        let (share, held) = match usage.context {
            Some(ContextUsed::Percent(percent)) => (Some(f64::from(percent) / 100.0), None),
            Some(ContextUsed::Tokens(tokens)) => (None, Some(tokens)),
            None => (None, None),
        };
        json!({
            "model": usage.model,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cache_read": cache_read,
            "cache_write": cache_write,
            "cost": usage.cost,
            "context": share,
            "context_tokens": held,
            "burn_per_hour": view.burn_per_hour,
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
    burn: Option<f64>,
}

/// The sum of what is known.
fn sum(known: Option<f64>, more: Option<f64>) -> Option<f64> {
    match (known, more) {
        (Some(known), Some(more)) => Some(known + more),
        (known, more) => known.or(more),
    }
}

impl Totals {
    fn add(&mut self, state: AgentState, usage: Option<&Usage>, burn: Option<f64>) {
        if let Some(place) = AgentState::ALL.iter().position(|known| *known == state) {
            self.states[place] += 1;
        }
        if let Some(usage) = usage {
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(usage.used()));
            self.cost = sum(self.cost, usage.cost);
        }
        self.burn = sum(self.burn, burn);
    }

    fn summary(&self) -> Value {
        let mut summary = json!({
            "agents": self.states.iter().sum::<u64>(),
            "tokens": self.tokens,
            "cost": self.cost,
            "burn_per_hour": self.burn,
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
        totals.add(AgentState::Idle, None, None);
        let summary = totals.summary();
        assert_eq!(
            (&summary["agents"], &summary["idle"], &summary["tokens"]),
            (&json!(1), &json!(1), &Value::Null)
        );
        assert_eq!(summary["burn_per_hour"], Value::Null);
        let usage = |cost| Usage { model: None, tokens: [10, 5, 100, 0], cost, context: None, updated_at: 1 };
        totals.add(AgentState::Blocked, Some(&usage(Some(0.5))), Some(1.5));
        totals.add(AgentState::Blocked, Some(&usage(None)), None);
        let summary = totals.summary();
        assert_eq!(
            (&summary["blocked"], &summary["tokens"], &summary["cost"]),
            (&json!(2), &json!(30), &json!(0.5))
        );
        assert_eq!(summary["burn_per_hour"], json!(1.5));
    }
}
