//! `runtime.orchestrate` (`runtime.md` section 10): several steps in one request, with a receipt.
//!
//! Invariants: nothing happens before all steps are checked; agents get ready beside each other, and
//! each is prompted before anything else is typed into its pane; nothing is rolled back.

mod steps;

use super::launches::Record;
use super::wait::Wish;
use super::{Context, agent, input, layout, run, start, wait};
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;
use crate::protocol::params::Params;
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::runtime::snapshot::TaskState;
use crate::server::agents::ClosedReason;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use steps::{Op, Step, Target, Workflow};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

/// Lines of a pane whose step failed.
const FAILED_TAIL: u64 = 40;
/// Text of a tail.
const TAIL_BYTES: usize = 4_096;

/// `runtime.orchestrate`
pub async fn orchestrate(params: Params, context: &Arc<Context>) -> Result<Value, Failure> {
    let bytes = params.bytes();
    let workflow = Workflow::read(params, bytes)?;
    let began = Instant::now();
    let mut run = Running {
        context: Arc::clone(context),
        panes: BTreeMap::new(),
        baselines: HashMap::new(),
        launches: Vec::new(),
        receipts: Vec::new(),
    };
    let total = workflow.steps.len();
    for (place, step) in workflow.steps.into_iter().enumerate() {
        let ok = Box::pin(run.step(place, step)).await;
        if !ok && !workflow.goes_on {
            break;
        }
    }
    run.ready_all().await;
    let completed = run.receipts.iter().filter(|receipt| receipt.outcome.is_ok()).count();
    let failed = run.receipts.iter().find(|receipt| receipt.outcome.is_err());
    Ok(json!({
        "workflow_id": format!("workflow-{}", context.next_workflow()),
        "ok": completed == total,
        "partial": completed > 0 && completed < total,
        "completed": completed,
        "failed_step": failed.map(|receipt| receipt.id.clone()),
        "duration_ms": millis(began.elapsed()),
        "steps": run.receipts.iter().map(Receipt::json).collect::<Vec<_>>(),
    }))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

struct Receipt {
    id: String,
    name: &'static str,
    took: Duration,
    outcome: Result<Value, Failure>,
    /// What a failed step leaves to look at.
    action: Option<Value>,
}

impl Receipt {
    fn json(&self) -> Value {
        let mut receipt = json!({
            "id": self.id,
            "op": self.name,
            "ok": self.outcome.is_ok(),
            "duration_ms": millis(self.took),
        });
        match &self.outcome {
            Ok(action) => receipt["action"] = action.clone(),
            Err(failure) => {
                let mut error = json!({"code": failure.code.as_str(), "message": failure.message});
                if let Some(details) = &failure.details {
                    error["details"] = details.clone();
                }
                receipt["error"] = error;
                if let Some(action) = &self.action {
                    receipt["action"] = action.clone();
                }
            }
        }
        receipt
    }
}

/// An agent that gets ready.
struct Pending {
    receipt: usize,
    pane: PaneId,
    ready: JoinHandle<(Result<Value, Failure>, Duration)>,
}

struct Running {
    context: Arc<Context>,
    /// The panes that steps have yielded, by their place in the list.
    panes: BTreeMap<usize, u64>,
    /// Of each pane, the counter after the last submit.
    baselines: HashMap<u64, u64>,
    launches: Vec<Pending>,
    receipts: Vec<Receipt>,
}

impl Running {
    /// Carries out a step and writes its receipt; whether it succeeded so far.
    async fn step(&mut self, place: usize, step: Step) -> bool {
        let began = Instant::now();
        let mut tail = None;
        let outcome = self.carry_out(step.op, &mut tail).await;
        let mut action = None;
        let outcome = match outcome {
            Ok((pane, mut done)) => {
                self.panes.insert(place, pane);
                if let Some((pane, Some(lines))) = tail {
                    done["tail"] = json!(self.tail(pane, lines).await);
                }
                Ok(done)
            }
            Err(failure) => {
                if let Some((pane, lines)) = tail {
                    let text = self.tail(pane, lines.unwrap_or(FAILED_TAIL)).await;
                    action = Some(json!({"pane_id": pane, "tail": text}));
                }
                Err(failure)
            }
        };
        let ok = outcome.is_ok();
        self.receipts.push(Receipt { id: step.id, name: step.name, took: began.elapsed(), outcome, action });
        if let Some(pending) = self.launches.iter_mut().find(|pending| pending.receipt == usize::MAX) {
            pending.receipt = self.receipts.len() - 1;
        }
        ok
    }

    fn resolve(&self, target: &Target) -> Result<(Option<u64>, u64), Failure> {
        match target {
            Target::Pane { window, pane } => Ok((*window, *pane)),
            Target::Step(place) => self.panes.get(place).map(|pane| (None, *pane)).ok_or_else(|| {
                Failure::new(ErrorCode::InvalidReference, "the step that it refers to has failed")
            }),
        }
    }

    /// The pane that a step yields, and its action. `tail` is set once there is a pane to look at.
    async fn carry_out(
        &mut self,
        op: Op,
        tail: &mut Option<(u64, Option<u64>)>,
    ) -> Result<(u64, Value), Failure> {
        let context = Arc::clone(&self.context);
        match op {
            Op::NewTab { window, cwd } => yielded(
                &layout::tab_new(given([("window_id", json!(window)), ("cwd", json!(cwd))]), &context)
                    .await?,
            ),
            Op::Focus(target) => {
                let params = given(named(self.resolve(&target)?));
                yielded(&layout::window_focus(params, &context).await?)
            }
            Op::Split { window, target, axis } => {
                let (window, pane) = match target {
                    Some(target) => {
                        let (window, pane) = self.resolve(&target)?;
                        (window, Some(pane))
                    }
                    None => (window, None),
                };
                let direction = if axis == Axis::Horizontal { "left_right" } else { "top_bottom" };
                let place = [("window_id", json!(window)), ("pane_id", json!(pane))];
                let params = given(place.into_iter().chain([("direction", json!(direction))]));
                yielded(&layout::pane_split(params, &context).await?)
            }
            Op::Prompt { target, text, submit } => {
                let place = self.resolve(&target)?;
                self.ready_in(place.1).await?;
                let rest = [("text", json!(text)), ("submit", json!(submit))];
                let done = self
                    .retrying(|| input::prompt(given(named(place).into_iter().chain(rest.clone())), &context))
                    .await?;
                if submit {
                    self.submitted(place.1);
                }
                let (pane, mut action) = yielded(&done)?;
                action["submitted"] = json!(submit);
                Ok((pane, action))
            }
            Op::Run { target, command, tail: lines } => {
                let (window, pane) = self.resolve(&target)?;
                self.ready_in(pane).await?;
                *tail = Some((pane, lines));
                let done = Box::pin(run::carry_out(&context, window, pane, &command)).await?;
                self.submitted(pane);
                Ok((pane, few(done.get("action").unwrap_or(&done))))
            }
            Op::AgentLaunch { target, agent, prompt, ready } => {
                let (window, pane) = self.resolve(&target)?;
                self.ready_in(pane).await?;
                let began = Instant::now();
                let done = start::in_pane(&context, &agent, window, pane).await?;
                self.submitted(pane);
                let id = done["agent"]["agent_id"].as_str().unwrap_or_default().to_owned();
                let prompted = ready_and_prompted(Arc::clone(&context), id, prompt, began + ready);
                let task = async move { (prompted.await, began.elapsed()) };
                let pane_id = PaneId(u32::try_from(pane).unwrap_or(u32::MAX));
                // Its place in the receipts is known once its receipt is written.
                let ready = tokio::spawn(task);
                self.launches.push(Pending { receipt: usize::MAX, pane: pane_id, ready });
                let mut action = few(&done["action"]);
                action["agent_id"] = done["agent"]["agent_id"].clone();
                action["generation"] = done["agent"]["generation"].clone();
                action["ready"] = json!(false);
                action["submitted"] = json!(false);
                Ok((pane, action))
            }
            Op::Wait { target, state, timeout, tail: lines } => {
                let (window, pane) = self.resolve(&target)?;
                self.ready_in(pane).await?;
                *tail = Some((pane, lines));
                let id = wait::known(&context, window, pane)?;
                let wish = Wish { wanted: state, timeout, after: self.baselines.get(&pane).copied() };
                let met = wait::until(&context, id, wish, || Ok(())).await?;
                let window = met.snapshot.pane(id.0).map(|(window, _)| window);
                let action = json!({
                    "window_id": window,
                    "pane_id": pane,
                    "state": met.transition.state,
                    "state_change_seq": met.transition.seq,
                });
                Ok((pane, action))
            }
        }
    }

    /// Tries again while the pane's previous input is on its way: output of the pane or a state change
    /// says when to look.
    async fn retrying(&self, attempt: impl Fn() -> Result<Value, Failure>) -> Result<Value, Failure> {
        let deadline = Instant::now() + Duration::from_secs(5);
        let mut looks = self.context.tracker.looks();
        loop {
            looks.borrow_and_update();
            match attempt() {
                Err(failure) if failure.code == ErrorCode::InputInProgress && Instant::now() < deadline => {
                    let again = (Instant::now() + Duration::from_millis(50)).min(deadline);
                    let _ = timeout_at(again, looks.changed()).await;
                }
                done => return done,
            }
        }
    }

    /// Notes the counter after a submit.
    fn submitted(&mut self, pane: u64) {
        let snapshot = self.context.tracker.snapshot(&self.context.hub);
        let row = u32::try_from(pane).ok().and_then(|pane| snapshot.pane(pane));
        if let Some((_, row)) = row {
            self.baselines.insert(pane, row.state_change_seq);
        }
    }

    /// Ends the deferral of an agent in that pane.
    async fn ready_in(&mut self, pane: u64) -> Result<(), Failure> {
        while let Some(at) = self.launches.iter().position(|pending| u64::from(pending.pane.0) == pane) {
            let pending = self.launches.remove(at);
            let receipt = pending.receipt;
            self.settle(pending).await;
            if self.receipts.get(receipt).is_some_and(|receipt| receipt.outcome.is_err()) {
                return Err(Failure::new(
                    ErrorCode::InvalidReference,
                    "the agent of that pane did not start",
                ));
            }
            self.submitted(pane);
        }
        Ok(())
    }

    async fn ready_all(&mut self) {
        for pending in std::mem::take(&mut self.launches) {
            self.settle(pending).await;
        }
    }

    /// Waits for an agent and completes its receipt.
    async fn settle(&mut self, pending: Pending) {
        let stopping = |_| {
            let failure = Failure::new(ErrorCode::RuntimeUnavailable, "the server is stopping");
            (Err(failure), Duration::ZERO)
        };
        let (outcome, took) = pending.ready.await.unwrap_or_else(stopping);
        let Some(receipt) = self.receipts.get_mut(pending.receipt) else { return };
        receipt.took = receipt.took.max(took);
        match (&mut receipt.outcome, outcome) {
            (Ok(action), Ok(record)) => {
                action["generation"] = record["generation"].clone();
                action["ready"] = json!(true);
                action["submitted"] = json!(true);
            }
            (outcome @ Ok(_), Err(failure)) => {
                receipt.action = outcome.as_ref().ok().cloned();
                *outcome = Err(failure);
            }
            (Err(_), _) => {}
        }
    }

    /// The last lines of a pane, if it can still be read.
    async fn tail(&self, pane: u64, lines: u64) -> String {
        let params = given([("pane_id", json!(pane)), ("lines", json!(lines))]);
        let Ok(read) = input::read(params, &self.context).await else { return String::new() };
        let text = read["text"].as_str().unwrap_or_default();
        let start =
            (text.len().saturating_sub(TAIL_BYTES)..=text.len()).find(|at| text.is_char_boundary(*at));
        text[start.unwrap_or(text.len())..].to_owned()
    }
}

/// Waits until an agent has been seen and is not at work, and gives it its task.
async fn ready_and_prompted(
    context: Arc<Context>,
    id: String,
    prompt: String,
    deadline: Instant,
) -> Result<Value, Failure> {
    let mut looks = context.tracker.looks();
    loop {
        let stopped = looks.borrow_and_update().stopped;
        let records = context.tracker.records(&context.hub);
        let gone = || Failure::new(ErrorCode::AgentExited, "the agent has ended");
        let record: &Record = records.iter().find(|record| record.agent_id == id).ok_or_else(gone)?;
        let observed = record.core.is_some();
        match record.closed {
            // Its program never came up: nothing is gained by waiting for the rest of the time.
            Some(ClosedReason::AgentExited) if !observed => {
                let details = json!({"observed": false, "closed_reason": ClosedReason::AgentExited.as_str()});
                return Err(not_ready(details));
            }
            Some(reason) => return Err(agent::closed(reason)),
            None => {}
        }
        let snapshot = context.tracker.snapshot(&context.hub);
        let state = snapshot.pane(record.pane.0).map(|(_, row)| row.task_state);
        // An approval is no readiness: a task typed into it could answer it.
        let ready = state.is_some_and(|state| !matches!(state, TaskState::Running | TaskState::Attention));
        if observed && ready {
            match agent::give(&context, record, &prompt, true, false).await {
                Err(failure) if failure.code == ErrorCode::InputInProgress => {}
                given => return given.map(|_| record.json()),
            }
        }
        if stopped {
            return Err(Failure::new(ErrorCode::RuntimeUnavailable, "the server is stopping"));
        }
        if timeout_at(deadline, looks.changed()).await.is_err() {
            return Err(not_ready(json!({"observed": observed, "task_state": state})));
        }
    }
}

fn not_ready(details: Value) -> Failure {
    Failure::new(ErrorCode::AgentReadyTimeout, "the agent was not ready in time").with(details)
}

/// The pane that an action is about, and what a receipt says of it.
fn yielded(done: &Value) -> Result<(u64, Value), Failure> {
    let action = few(&done["action"]);
    let none = || Failure::new(ErrorCode::TargetNotFound, "the step yields no pane");
    Ok((action["pane_id"].as_u64().ok_or_else(none)?, action))
}

/// The members of an action that a receipt has.
fn few(action: &Value) -> Value {
    const KEYS: [&str; 5] = ["window_id", "pane_id", "run_id", "state", "exit_code"];
    let members = action.as_object().into_iter().flatten();
    let few = members.filter(|(key, _)| KEYS.contains(&key.as_str()));
    Value::Object(few.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>())
}

fn named((window, pane): (Option<u64>, u64)) -> [(&'static str, Value); 2] {
    [("window_id", json!(window)), ("pane_id", json!(pane))]
}

/// Params of a method, without those that are absent.
fn given(fields: impl IntoIterator<Item = (&'static str, Value)>) -> Params {
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    Params::new(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}
