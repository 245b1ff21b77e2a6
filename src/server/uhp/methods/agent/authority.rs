//! What integrations and hooks report: `agent.report`, `agent.release`, `pane.report_session`,
//! `pane.release_session`, `pane.report_event`.

use super::super::super::Context;
use super::STATES;
use crate::protocol::agent::ContextUsed;
use crate::protocol::params::{ParamError, Params, integer, number, object, text, word};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::agents::registry::{LeaseError, LeaseReport};
use crate::server::agents::usage::Usage;
use crate::server::hub::{Hook, SessionReport};
use crate::server::uhp::{error, target};
use serde_json::{Value, json};

const SOURCE_BYTES: usize = 64;
const MESSAGE_BYTES: usize = 4_096;
const SESSION_BYTES: usize = 512;
/// Seconds that a report holds, usually and at most.
const USUAL_TTL_S: u64 = 300;
const LONGEST_TTL_S: u64 = 86_400;
/// Counters of a conversation end here.
const TOKENS: u64 = 1_000_000_000_000_000;
const COST: f64 = 1e12;
/// The largest integer that every reader of JSON can hold.
const MOMENT: u64 = (1 << 53) - 1;

/// `agent.report`
pub async fn report(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_pane(&mut params, "pane")?;
    let report = LeaseReport {
        source: params.required("source", source)?,
        agent: params.required("agent", kind)?,
        status: params.required("status", word(STATES))?,
        message: params.nullable("message", text(0..=MESSAGE_BYTES))?,
        session: params.nullable("session_id", text(1..=SESSION_BYTES))?,
        sequence: params.nullable("sequence", integer(0..=u64::MAX))?,
        ttl_s: params.nullable("ttl_s", integer(1..=LONGEST_TTL_S))?.unwrap_or(USUAL_TTL_S),
    };
    params.finish()?;
    let snapshot = context.snapshot();
    let pane = target::pane(&snapshot.scene, Some(named))?.id;
    context.terminal(&snapshot, pane)?;
    let told = report.clone();
    let sequence = context.hub.report_agent(pane, report).await.map_err(|error| error::of_hub(&error))?;
    let sequence = sequence.map_err(|error| of_lease(&error))?;
    Ok(json!({
        "type": "agent_report",
        "pane": pane.to_string(),
        "agent": told.agent,
        "status": told.status.as_str(),
        "source": told.source,
        "sequence": sequence,
        "ttl_s": told.ttl_s,
    }))
}

/// `agent.release`
pub async fn release(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_pane(&mut params, "pane")?;
    let source = params.required("source", source)?;
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, Some(named))?.id;
    let released = context.hub.release_agent(pane, source).await.map_err(|error| error::of_hub(&error))?;
    released.map_err(|error| of_lease(&error))?;
    Ok(json!({"type": "agent_release", "pane": pane.to_string()}))
}

fn of_lease(error: &LeaseError) -> Failure {
    let code = match error {
        LeaseError::Held(_) | LeaseError::NotRising(_) => ErrorCode::AuthorityConflict,
        LeaseError::None => ErrorCode::NotFound,
    };
    Failure::new(code, error.to_string())
}

/// `pane.report_session`
pub async fn report_session(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let agent = params.required("agent", text(1..=64))?;
    let id = params.required("session_id", session_id)?;
    let usage = params.nullable("usage", usage)?;
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    let session = SessionReport { agent: agent.clone(), id: id.clone(), usage };
    let taken = context.hub.report_session(pane, session).await.map_err(|error| error::of_hub(&error))?;
    if !taken {
        return Err(Failure::new(ErrorCode::TerminalNotReady, "the terminal has not started yet"));
    }
    Ok(json!({"type": "ok", "pane": pane.to_string(), "agent": agent, "session_id": id}))
}

/// `pane.release_session`: exactly that one; once more does no harm.
pub async fn release_session(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let agent = params.required("agent", text(1..=64))?;
    let id = params.required("session_id", session_id)?;
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    let released = context.hub.end_session(pane, agent, id).await.map_err(|error| error::of_hub(&error))?;
    if !released {
        return Err(Failure::new(ErrorCode::OwnershipConflict, "the pane has another session by now"));
    }
    Ok(json!({"type": "ok", "pane": pane.to_string()}))
}

/// `pane.report_event`: what a hook tells goes out as an event, and nowhere else.
pub async fn report_event(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let hook = Hook {
        agent: params.required("agent", text(1..=64))?,
        kind: params.required("kind", text(1..=64))?,
        message: params.nullable("message", text(0..=MESSAGE_BYTES))?,
        tool: params.nullable("tool", text(0..=256))?,
    };
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    context.hub.agent_hook(pane, hook).await.map_err(|error| error::of_hub(&error))?;
    Ok(json!({"type": "ok", "pane": pane.to_string()}))
}

#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn source(value: Value) -> Result<String, String> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(byte);
    let text = value.as_str().filter(|text| {
        let bytes = text.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.len() <= SOURCE_BYTES
            && bytes.iter().all(plain)
    });
    text.map(str::to_owned)
        .ok_or_else(|| format!("expected a letter and up to {} of A-Za-z0-9._:/-", SOURCE_BYTES - 1))
}

/// The id of a kind of agent.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
pub fn kind(value: Value) -> Result<String, String> {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(byte);
    let text = value.as_str().filter(|text| {
        let bytes = text.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_lowercase) && bytes.len() <= 32 && bytes.iter().all(plain)
    });
    text.map(str::to_owned).ok_or_else(|| "expected a small letter and up to 31 of a-z0-9_-".to_owned())
}

/// The id of a conversation.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
pub fn session_id(value: Value) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte);
    let text = value.as_str().filter(|text| (1..=256).contains(&text.len()) && text.bytes().all(plain));
    text.map(str::to_owned).ok_or_else(|| "expected 1 to 256 of A-Za-z0-9._:/-".to_owned())
}

fn usage(value: Value) -> Result<Usage, String> {
    let mut fields = object(value)?;
    let mut read = || -> Result<Usage, ParamError> {
        let model = fields.nullable("model", text(0..=256))?;
        let mut tokens = [0; 4];
        for (place, name) in ["tokens_in", "tokens_out", "cache_read", "cache_write"].iter().enumerate() {
            tokens[place] = fields.required(name, integer(0..=TOKENS))?;
        }
        let cost = fields.nullable("cost", number(0.0..=COST))?;
        let context = fields.nullable("context", number(0.0..=1.0))?.map(percent);
        let updated_at = fields.required("updated_at", integer(1..=MOMENT))?;
        Ok(Usage { model, tokens, cost, context, updated_at })
    };
    let usage = read().map_err(|error| error.to_string())?;
    fields.finish().map_err(|error| error.to_string())?;
    Ok(usage)
}

/// A share of a model's context in percent.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
fn percent(share: f64) -> ContextUsed {
    ContextUsed::Percent((share * 100.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_kinds_and_sessions_are_plain() {
        assert!(source(json!("claude.hook:1/x")).is_ok());
        for bad in [json!(""), json!("1a"), json!("a b"), json!("a".repeat(65)), json!(1)] {
            assert!(source(bad.clone()).is_err(), "{bad}");
        }
        assert!(kind(json!("claude-2")).is_ok() && kind(json!("Claude")).is_err());
        assert!(session_id(json!("a/b:c.d")).is_ok() && session_id(json!("a b")).is_err());
    }

    #[test]
    fn usage_is_closed_and_bounded() {
        let good = json!({"tokens_in": 1, "tokens_out": 2, "cache_read": 0, "cache_write": 0, "cost": null, "updated_at": 5});
        assert!(usage(good.clone()).is_ok());
        let mut full = good.clone();
        full["context"] = json!(0.424);
        assert_eq!(usage(full).map(|usage| usage.context), Ok(Some(ContextUsed::Percent(42))));
        for (field, value) in [
            ("tokens_in", json!(-1)),
            ("updated_at", json!(0)),
            ("more", json!(1)),
            ("cost", json!(-0.1)),
            ("context", json!(1.1)),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert!(usage(bad).is_err(), "{field}");
        }
    }
}
