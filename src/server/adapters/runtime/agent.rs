//! Named agents (`runtime.md` section 8): who is meant, and that it is still the same one.
//!
//! Invariant: an agent is found by its id or its exact name, never by kind, title or focus; its
//! identity is checked in the step that gives it something.

use super::launches::Record;
use super::wait::{self, Wish};
use super::{Context, bad, error, fields, input, target};
use crate::protocol::limits::RUNTIME_TEXT_BYTES;
use crate::protocol::params::{Params, boolean, integer, text};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::runtime::snapshot::{Snapshot, TaskState};
use crate::server::agents::ClosedReason;
use crate::server::hub::Refuse;
use serde_json::{Map, Value, json};

/// The longest selector.
const SELECTOR_BYTES: usize = 128;

/// Who is meant.
pub struct Selector {
    agent: String,
    generation: Option<u64>,
}

impl Selector {
    fn read(params: &mut Params) -> Result<Self, Failure> {
        Ok(Self {
            agent: params.required("agent", text(1..=SELECTOR_BYTES))?,
            generation: params.nullable("generation", integer(1..=u64::MAX))?,
        })
    }

    /// The record that is meant, active or not.
    fn find(&self, context: &Context) -> Result<Record, Failure> {
        let records = context.tracker.records(&context.hub);
        let by_id: Vec<&Record> = records.iter().filter(|record| record.agent_id == self.agent).collect();
        let meant = if by_id.is_empty() {
            records.iter().filter(|record| record.name == self.agent).collect()
        } else {
            by_id
        };
        let active = meant.iter().find(|record| record.closed.is_none());
        let of_generation = |wanted: u64| meant.iter().find(|record| record.generation == wanted);
        let found = match self.generation {
            None => active.or_else(|| meant.iter().max_by_key(|record| record.generation)),
            Some(wanted) => match (of_generation(wanted), active) {
                (Some(found), _) => Some(found),
                (None, Some(active)) => return Err(mismatch(wanted, active.generation)),
                (None, None) => match meant.iter().max_by_key(|record| record.generation) {
                    Some(last) => return Err(mismatch(wanted, last.generation)),
                    None => None,
                },
            },
        };
        let unknown = || Failure::new(ErrorCode::TargetNotFound, "no such agent");
        found.map(|record| (*record).clone()).ok_or_else(unknown)
    }

    /// The record that is meant, which must be active.
    fn active(&self, context: &Context) -> Result<Record, Failure> {
        let found = self.find(context)?;
        let Some(reason) = found.closed else { return Ok(found) };
        // Another one that has the name now is no answer to a question about this one.
        if let Some(wanted) = self.generation {
            let records = context.tracker.records(&context.hub);
            let now = records.iter().find(|other| other.closed.is_none() && other.name == found.name);
            if let Some(now) = now.filter(|now| now.agent_id != found.agent_id) {
                return Err(mismatch(wanted, now.generation));
            }
        }
        Err(closed(reason))
    }
}

/// Refuses with the reason why an agent is not active any more, whoever has its name by then.
fn still_active(context: &Context, waited: &Record) -> Result<(), Failure> {
    let records = context.tracker.records(&context.hub);
    match records.iter().find(|record| record.agent_id == waited.agent_id) {
        Some(Record { closed: Some(reason), .. }) => Err(closed(*reason)),
        Some(_) => Ok(()),
        // So long ago that it is not kept.
        None => Err(closed(ClosedReason::AgentExited)),
    }
}

fn mismatch(expected: u64, actual: u64) -> Failure {
    let failure = Failure::new(ErrorCode::AgentIdentityMismatch, "the agent has another generation");
    failure.with(json!({"expected": expected, "actual": actual}))
}

/// Why an agent is not there any more, as an error.
pub fn closed(reason: ClosedReason) -> Failure {
    let (code, message) = match reason {
        ClosedReason::AgentExited => (ErrorCode::AgentExited, "the agent has ended"),
        ClosedReason::AgentReplaced => (ErrorCode::AgentReplaced, "another agent runs in its pane"),
        ClosedReason::PaneClosed => (ErrorCode::PaneClosed, "its pane was closed"),
        ClosedReason::PaneExited => (ErrorCode::PaneExited, "its pane's program has ended"),
        ClosedReason::AgentClosed => (ErrorCode::AgentExited, "the agent was ended"),
    };
    Failure::new(code, message)
}

/// `agents.list`
pub fn list(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    params.finish()?;
    if window.is_some() {
        target::window_or_focused(&context.hub.snapshot().scene, window)?;
    }
    let snapshot = context.tracker.snapshot(&context.hub);
    let rows = rows(&snapshot).filter(|(id, _)| window.is_none_or(|window| window == u64::from(*id)));
    let rows: Vec<Value> = rows.map(|(_, row)| row).collect();
    Ok(json!({"revision": snapshot.revision, "agents": rows}))
}

/// A row for each pane with an agent, with the number of its window.
fn rows(snapshot: &Snapshot) -> impl Iterator<Item = (u32, Value)> {
    snapshot.windows.iter().flat_map(|window| {
        window.tabs.iter().flat_map(move |tab| {
            tab.panes.iter().filter_map(move |pane| {
                let row = json!({
                    "window_id": window.id,
                    "tab_index": tab.index,
                    "tab_active": tab.active,
                    "pane_id": pane.id,
                    "pane_active": pane.active,
                    "title": pane.title,
                    "cwd": pane.cwd,
                    "branch": pane.branch,
                    "ssh_destination": pane.ssh_destination,
                    "agent": pane.agent.as_ref()?,
                    "task_state": pane.task_state,
                    "state_change_seq": pane.state_change_seq,
                });
                Some((window.id, row))
            })
        })
    })
}

/// `agent.get`
pub fn get(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let selector = Selector::read(&mut params)?;
    params.finish()?;
    let record = match selector.generation {
        Some(_) => selector.find(context)?,
        None => selector.active(context)?,
    };
    let snapshot = context.tracker.snapshot(&context.hub);
    let here = |(_, row): &(u32, Value)| row["pane_id"] == record.pane.0 && record.closed.is_none();
    let row = rows(&snapshot).find(here).map(|(_, row)| row);
    Ok(json!({"agent": record.json(), "pane": row}))
}

/// `agent.prompt` and `agent.paste`
pub async fn submit(mut params: Params, context: &Context, paste: bool) -> Result<Value, Failure> {
    let selector = Selector::read(&mut params)?;
    let text = params.required("text", text(1..=RUNTIME_TEXT_BYTES))?;
    let submit = params.optional("submit", boolean)?.unwrap_or(true);
    params.finish()?;
    input::refuse_controls("text", &text, if paste { "\t\n\r" } else { "" })?;
    let record = selector.active(context)?;
    give(context, &record, &text, submit, paste).await
}

/// Gives an agent text, unless it shows an approval, which the text could answer by accident.
pub async fn give(
    context: &Context,
    record: &Record,
    text: &str,
    submit: bool,
    paste: bool,
) -> Result<Value, Failure> {
    let (pane, entry) = input::running(context, None, u64::from(record.pane.0))?;
    // The state may lag behind the screen: an approval that has just come up counts too.
    let looked = context.hub.refuses_prompt(pane.id, Refuse::Attention).await;
    if matches!(looked, Ok(Some(_))) {
        return Err(attention());
    }
    if paste {
        input::require_bracketed(&entry)?;
    }
    let queued = context.tracker.queue_for_agent(&context.hub, record, &entry.handle, submit, || {
        match (paste, submit) {
            (true, true) => entry.handle.submit(text),
            (true, false) => entry.handle.paste(text),
            (false, true) => entry.handle.enter(text),
            (false, false) => entry.handle.text(text),
        }
    });
    queued?.map_err(error::of_submit)?;
    let scene = context.hub.snapshot().scene;
    let mut action = fields(pane.workspace.0, target::tab_index(&scene, pane.id), Some(pane.id.0));
    action["submitted"] = json!(submit);
    action["bytes"] = json!(text.len());
    let mut result = context.action(if paste { "agent.paste" } else { "agent.prompt" }, action);
    result["agent"] = record.json();
    Ok(result)
}

/// Refuses to type into an approval.
pub fn refuse_attention(state: TaskState) -> Result<(), Failure> {
    if state == TaskState::Attention { Err(attention()) } else { Ok(()) }
}

fn attention() -> Failure {
    let failure = Failure::new(ErrorCode::InvalidState, "the agent asks for an approval");
    failure.with(json!({"reason": "attention"}))
}

/// `agent.read`
pub async fn read(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let selector = Selector::read(&mut params)?;
    let lines = input::read_lines(&mut params)?;
    params.finish()?;
    let record = selector.active(context)?;
    let of_pane = Params::new(Map::from_iter([
        ("pane_id".to_owned(), json!(record.pane.0)),
        ("lines".to_owned(), json!(lines)),
    ]));
    let read = input::read(of_pane, context).await?;
    Ok(json!({"agent": record.json(), "read": read}))
}

/// `agent.wait`
pub async fn wait(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let selector = Selector::read(&mut params)?;
    let wish = Wish::read(&mut params)?;
    params.finish()?;
    if selector.generation.is_none() {
        return Err(bad("generation", "is required"));
    }
    let record = selector.active(context)?;
    let met = wait::until(context, record.pane, wish, || still_active(context, &record)).await?;
    let records = context.tracker.records(&context.hub);
    let now = records.iter().find(|other| other.agent_id == record.agent_id).unwrap_or(&record);
    Ok(json!({
        "agent": now.json(),
        "state": met.transition.state,
        "state_change_seq": met.transition.seq,
        "pane": met.snapshot.pane(record.pane.0).map(|(_, pane)| pane),
        "revision": met.snapshot.revision,
    }))
}
