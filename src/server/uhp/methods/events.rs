//! Following what happens: subscriptions and waits for one event (`uhp.md` sections 9 and 15).

use super::super::{Context, error, events};
use super::nothing;
use crate::protocol::ids::ServerGeneration;
use crate::protocol::limits::EVENT_QUEUE;
use crate::protocol::params::{Params, integer, number, text};
use crate::protocol::uhp::envelope;
use crate::protocol::uhp::error::Failure;
use crate::server::exchange::{Conversation, Talk, Wire};
use crate::server::hub::{Ended, Subscription, Topic};
use serde_json::{Map, Value, json};
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

/// What a peer that lost events gets to read on, before it is told so and cut off.
const LAST_FRAME: Duration = Duration::from_secs(5);
/// The longest and the usual wait, in seconds.
const LONGEST_S: f64 = 3_600.0;
const USUAL_S: f64 = 30.0;
/// Keys of `where`.
const CONDITIONS: usize = 16;
/// Characters of an event's name.
const NAME_CHARS: usize = 128;

/// `events.subscribe`
pub async fn subscribe(mut params: Params, context: Context) -> Result<(Value, Talk), Failure> {
    let after = params.optional("after_sequence", integer(0..=u64::MAX))?;
    params.finish()?;
    open(&context, Topic::All, after, "events.resync_required")
}

/// `terminal.backend.events.subscribe`
pub async fn subscribe_terminals(params: Params, context: Context) -> Result<(Value, Talk), Failure> {
    nothing(params)?;
    open(&context, Topic::Terminals, None, "terminal.resync_required")
}

fn open(
    context: &Context,
    topic: Topic,
    after: Option<u64>,
    lost: &'static str,
) -> Result<(Value, Talk), Failure> {
    let subscription = context.hub.bus().subscribe(topic, after).map_err(error::of_subscribe)?;
    let acknowledgment = json!({
        "type": "subscription_started",
        "sequence": subscription.sequence,
        "queue_capacity": EVENT_QUEUE,
        "loss_behavior": "resync_required_then_close",
    });
    let generation = context.hub.generation();
    Ok((acknowledgment, Box::new(Follower { subscription, generation, lost })))
}

/// Writes events as they come.
struct Follower {
    subscription: Subscription,
    generation: ServerGeneration,
    /// The event that tells of a loss.
    lost: &'static str,
}

impl Conversation for Follower {
    fn run<'a>(
        mut self: Box<Self>,
        wire: &'a mut Wire,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>> {
        Box::pin(async move {
            let Wire { input, output } = wire;
            tokio::select! {
                biased;
                broken = input.ignore() => Err(broken),
                followed = self.follow(output) => followed,
            }
        })
    }
}

impl Follower {
    async fn follow(&mut self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let ended = loop {
            match self.subscription.next().await {
                Ok(event) => {
                    let frame = events::frame(&event, self.generation);
                    if let Some(ended) = self.write(&frame, output).await? {
                        break ended;
                    }
                }
                Err(ended) => break ended,
            }
        };
        match ended {
            Ended::Lost => self.tell_loss(output).await,
            Ended::Stopping => Ok(()),
        }
    }

    /// Writes a frame; how the subscription ended meanwhile, if it did.
    async fn write(
        &mut self,
        frame: &[u8],
        output: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<Option<Ended>> {
        let mut write = pin!(output.write_all(frame));
        let ended = tokio::select! {
            biased;
            written = &mut write => return written.map(|()| None),
            ended = self.subscription.end() => ended,
        };
        // Nothing can be said in the middle of a frame.
        timeout(LAST_FRAME, write).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        Ok(Some(ended))
    }

    /// Best effort: the end of the stream means the same.
    async fn tell_loss(&self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let data = json!({"reason": "subscriber_overflow"});
        let frame = envelope::event(self.lost, self.subscription.present(), &data);
        timeout(LAST_FRAME, output.write_all(&frame))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// `events.wait`
pub async fn wait(mut params: Params, context: Context) -> Result<Value, Failure> {
    let name = params.required("event", name)?;
    let conditions = params.optional("where", conditions)?.unwrap_or_default();
    let seconds = params.optional("timeout_s", number(0.0..=LONGEST_S))?.unwrap_or(USUAL_S);
    let after = params.optional("after_sequence", integer(0..=u64::MAX))?;
    params.finish()?;
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    let mut subscription = context.hub.bus().subscribe(Topic::All, after).map_err(error::of_subscribe)?;
    let mut looked_at = after.unwrap_or(subscription.sequence);
    loop {
        let event = match timeout_at(deadline, subscription.next()).await {
            Ok(Ok(event)) => event,
            Ok(Err(ended)) => return Err(error::of_subscription(ended, subscription.present())),
            Err(_) => {
                return Ok(json!({"type": "event_wait", "matched": false, "sequence": looked_at}));
            }
        };
        looked_at = event.sequence;
        let (known_as, data) = events::shape(&event.body, context.hub.generation());
        if known_as == name && fits(&data, &conditions) {
            let event = json!({"event": known_as, "sequence": event.sequence, "data": data});
            return Ok(json!({"type": "event_wait", "matched": true, "sequence": looked_at, "event": event}));
        }
    }
}

fn name(value: Value) -> Result<String, String> {
    let name = text(1..=NAME_CHARS * 4)(value)?;
    if name.chars().count() > NAME_CHARS {
        return Err(format!("expected a name of at most {NAME_CHARS} characters"));
    }
    Ok(name)
}

/// Values that fields of an event must have.
fn conditions(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(fields)
            if fields.len() <= CONDITIONS && fields.values().all(|value| scalar(value).is_some()) =>
        {
            Ok(fields)
        }
        _ => Err(format!("expected an object of at most {CONDITIONS} plain values")),
    }
}

/// A plain value as text: ids may be given as numbers too.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn fits(data: &Value, conditions: &Map<String, Value>) -> bool {
    conditions
        .iter()
        .all(|(field, wanted)| data.get(field).is_some_and(|value| scalar(value) == scalar(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_flat_few_and_know_numbers_from_their_text() {
        let read = |value: Value| conditions(value);
        let wanted = read(json!({"pane": 3, "name": null})).unwrap();
        assert!(fits(&json!({"pane": "3", "name": null, "more": 1}), &wanted));
        assert!(!fits(&json!({"pane": "4", "name": null}), &wanted));
        assert!(!fits(&json!({"pane": "3"}), &wanted), "a field that is missing is not null");
        for bad in [json!([]), json!({"a": {}}), json!({"a": []})] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
        let many: Map<String, Value> = (0..17).map(|at| (at.to_string(), json!(at))).collect();
        assert!(read(Value::Object(many)).is_err());
    }

    #[test]
    fn a_name_is_counted_in_characters() {
        assert!(name(json!("é".repeat(128))).is_ok());
        assert!(name(json!("é".repeat(129))).is_err() && name(json!("")).is_err());
    }
}
