//! The steps of a workflow (`runtime.md` section 10), read and checked before anything happens.
//!
//! Invariant: a list that is read holds references to earlier steps only, and to steps that yield a pane.

use super::super::counts::Wanted as State;
use super::super::run::Wanted as Command;
use super::super::start::Wanted as Agent;
use super::super::{bad, input, target, wait};
use crate::protocol::geometry::Axis;
use crate::protocol::limits::{RUNTIME_STEPS, RUNTIME_TEXT_BYTES, RUNTIME_WAIT_MS};
use crate::protocol::params::{Params, absolute_path, boolean, integer, object, text, word};
use crate::protocol::runtime::error::{ErrorCode, Failure};
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

/// All params of one request.
const PARAMS_BYTES: usize = 65_536;
/// How long a step waits that does not say, and how long an agent may take.
const WAIT_MS: u64 = 30_000;
const READY_MS: u64 = 10_000;
/// The longest id of a step.
const ID_BYTES: usize = 64;

/// A pane that a step is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The pane that an earlier step yields, by its place in the list.
    Step(usize),
    /// A pane.
    Pane {
        /// Its window, if it was given.
        window: Option<u64>,
        /// Which.
        pane: u64,
    },
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum Op {
    /// Opens a tab.
    NewTab {
        /// Where.
        window: Option<u64>,
        /// In which folder.
        cwd: Option<String>,
    },
    /// Focuses a pane.
    Focus(Target),
    /// Splits a pane.
    Split {
        /// In which window, when there is no target.
        window: Option<u64>,
        /// Which pane; else the focused one at that moment.
        target: Option<Target>,
        /// How.
        axis: Axis,
    },
    /// Types a line.
    Prompt {
        /// Where.
        target: Target,
        /// What.
        text: String,
        /// Whether Enter follows.
        submit: bool,
    },
    /// Runs a command.
    Run {
        /// Where.
        target: Target,
        /// What.
        command: Command,
        /// Lines of the pane in the receipt.
        tail: Option<u64>,
    },
    /// Starts an agent, and gives it its first task.
    AgentLaunch {
        /// Where.
        target: Target,
        /// Which.
        agent: Agent,
        /// The task.
        prompt: String,
        /// How long it may take to be ready.
        ready: Duration,
    },
    /// Waits.
    Wait {
        /// For which pane.
        target: Target,
        /// For what.
        state: State,
        /// How long.
        timeout: Duration,
        /// Lines of the pane in the receipt.
        tail: Option<u64>,
    },
}

/// A step.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it is called.
    pub id: String,
    /// The name of what it does.
    pub name: &'static str,
    /// What it does.
    pub op: Op,
}

/// A checked workflow.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// In order.
    pub steps: Vec<Step>,
    /// Whether it goes on after a failure.
    pub goes_on: bool,
}

impl Workflow {
    /// Reads the params.
    ///
    /// # Errors
    /// `invalid_reference` for a reference, `invalid_params` for the rest.
    pub fn read(mut params: Params, bytes: usize) -> Result<Self, Failure> {
        const ON_ERROR: &[(&str, bool)] = &[("stop", false), ("continue", true)];
        if bytes > PARAMS_BYTES {
            return Err(bad("steps", "the params are longer than 65,536 bytes"));
        }
        let list = params.required("steps", list)?;
        let goes_on = params.optional("on_error", word(ON_ERROR))?.unwrap_or(false);
        params.finish()?;
        let mut places = HashMap::new();
        let mut steps = Vec::new();
        for (place, value) in list.into_iter().enumerate() {
            let step = step(value, &places)?;
            if places.insert(step.id.clone(), place).is_some() {
                return Err(bad("steps", "two steps have the same id"));
            }
            steps.push(step);
        }
        Ok(Self { steps, goes_on })
    }
}

fn list(value: Value) -> Result<Vec<Value>, String> {
    match value {
        Value::Array(list) if (1..=RUNTIME_STEPS).contains(&list.len()) => Ok(list),
        _ => Err(format!("expected a list of 1 to {RUNTIME_STEPS} steps")),
    }
}

fn step(value: Value, places: &HashMap<String, usize>) -> Result<Step, Failure> {
    const OPS: &[(&str, &str)] = &[
        ("new_tab", "new_tab"),
        ("focus", "focus"),
        ("split", "split"),
        ("prompt", "prompt"),
        ("run", "run"),
        ("agent_launch", "agent_launch"),
        ("wait", "wait"),
    ];
    let mut fields = object(value).map_err(|_| bad("steps", "a step is an object"))?;
    let id = fields.required("id", id)?;
    let name = fields.required("op", word(OPS))?;
    let op = op(name, &mut fields, places)?;
    fields.finish()?;
    Ok(Step { id, name, op })
}

fn op(name: &str, fields: &mut Params, places: &HashMap<String, usize>) -> Result<Op, Failure> {
    const DIRECTIONS: &[(&str, Axis)] = &[("left_right", Axis::Horizontal), ("top_bottom", Axis::Vertical)];
    Ok(match name {
        "new_tab" => {
            Op::NewTab { window: target::read_window(fields)?, cwd: fields.nullable("cwd", absolute_path)? }
        }
        "focus" => Op::Focus(required(fields, places)?),
        "split" => Op::Split {
            window: target::read_window(fields)?,
            target: fields.nullable("target", object)?.map(|target| of(target, places)).transpose()?,
            axis: fields.required("direction", word(DIRECTIONS))?,
        },
        "prompt" => Op::Prompt {
            target: required(fields, places)?,
            text: line(fields, "text")?,
            submit: fields.optional("submit", boolean)?.unwrap_or(true),
        },
        "run" => Op::Run {
            target: required(fields, places)?,
            command: Command::read(fields)?,
            tail: tail(fields)?,
        },
        "agent_launch" => Op::AgentLaunch {
            target: required(fields, places)?,
            agent: Agent::read(fields)?,
            prompt: line(fields, "initial_prompt")?,
            ready: duration(fields, "ready_timeout_ms", READY_MS)?,
        },
        _ => Op::Wait {
            target: required(fields, places)?,
            state: fields.required("state", word(wait::STATES))?,
            timeout: duration(fields, "timeout_ms", WAIT_MS)?,
            tail: tail(fields)?,
        },
    })
}

fn id(value: Value) -> Result<String, String> {
    let expected = || "expected a letter or `_`, then letters, digits, `_` or `-`".to_owned();
    let id = text(1..=ID_BYTES)(value).map_err(|_| expected())?;
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let good = id.bytes().next().is_some_and(first)
        && id.bytes().all(|byte| first(byte) || byte.is_ascii_digit() || byte == b'-');
    if good { Ok(id) } else { Err(expected()) }
}

fn line(fields: &mut Params, field: &str) -> Result<String, Failure> {
    let text = fields.required(field, text(1..=RUNTIME_TEXT_BYTES))?;
    input::refuse_controls(field, &text, "")?;
    Ok(text)
}

fn duration(fields: &mut Params, field: &str, usual_ms: u64) -> Result<Duration, Failure> {
    let given = fields.optional(field, integer(1..=RUNTIME_WAIT_MS))?;
    Ok(Duration::from_millis(given.unwrap_or(usual_ms)))
}

fn tail(fields: &mut Params) -> Result<Option<u64>, Failure> {
    Ok(fields.optional("tail_lines", integer(1..=crate::protocol::limits::RUNTIME_READ_LINES))?)
}

fn required(fields: &mut Params, places: &HashMap<String, usize>) -> Result<Target, Failure> {
    of(fields.required("target", object)?, places)
}

/// `{step, field}` or `{pane_id, window_id?}`.
fn of(mut fields: Params, places: &HashMap<String, usize>) -> Result<Target, Failure> {
    const FIELDS: &[(&str, ())] = &[("pane_id", ())];
    if let Some(step) = fields.optional("step", text(1..=ID_BYTES))? {
        fields.required("field", word(FIELDS))?;
        fields.finish()?;
        let place = places.get(&step).copied().ok_or_else(|| {
            let message = "a step can only refer to an earlier one";
            Failure::new(ErrorCode::InvalidReference, message).with(serde_json::json!({"step": step}))
        })?;
        return Ok(Target::Step(place));
    }
    let pane = target::require_pane(&mut fields)?;
    let window = target::read_window(&mut fields)?;
    fields.finish()?;
    Ok(Target::Pane { window, pane })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(steps: &Value) -> Result<Workflow, ErrorCode> {
        let params = object(json!({"steps": steps})).expect("an object");
        Workflow::read(params, 0).map_err(|failure| failure.code)
    }

    #[test]
    fn references_lead_back_only() {
        let split = json!({"id": "a", "op": "split", "direction": "left_right"});
        let focus =
            |step: &str| json!({"id": "b", "op": "focus", "target": {"step": step, "field": "pane_id"}});
        let workflow = read(&json!([split, focus("a")])).expect("a workflow");
        assert!(matches!(&workflow.steps[1].op, Op::Focus(Target::Step(0))));
        for wrong in [json!([focus("b")]), json!([focus("c"), split]), json!([focus("a"), split])] {
            assert_eq!(read(&wrong).err(), Some(ErrorCode::InvalidReference));
        }
    }

    #[test]
    fn steps_are_closed_bounded_and_have_ids_of_their_own() {
        let pane = json!({"pane_id": 1});
        for wrong in [
            json!([]),
            json!([{"id": "1", "op": "focus", "target": pane}]),
            json!([{"id": "a", "op": "dance"}]),
            json!([{"id": "a", "op": "new_tab", "more": 1}]),
            json!([{"id": "a", "op": "focus"}]),
            json!([{"id": "a", "op": "focus", "target": {"pane_id": 1, "step": "x"}}]),
            json!([{"id": "a", "op": "focus", "target": "a"}]),
            json!([{"id": "a", "op": "new_tab"}, {"id": "a", "op": "new_tab"}]),
            json!([{"id": "a", "op": "prompt", "target": pane, "text": "a\nb"}]),
            json!([{"id": "a", "op": "wait", "target": pane, "state": "gone"}]),
            json!([{"id": "a", "op": "run", "target": pane, "command": "x", "tail_lines": 0}]),
            json!(vec![json!({"id": "a", "op": "new_tab"}); 33]),
        ] {
            assert_eq!(read(&wrong).err(), Some(ErrorCode::InvalidParams), "{wrong}");
        }
        assert!(read(&json!([{"id": "a", "op": "wait", "target": {"pane_id": 1, "window_id": null}, "state": "idle"}])).is_ok());
    }
}
