//! What programs outside report of panes and workspaces (`uhp.md` section 17): sessions of agents, their
//! hooks, facts of a workspace.

use super::super::{Context, error};
use crate::protocol::params::{ParamError, Params, integer, number, object, text};
use crate::protocol::uhp::error::Failure;
use crate::server::hub::{AgentSession, HookEvent, Told, Usage};
use crate::server::uhp::target;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The longest name of an agent, of a session and of a model, in bytes.
const AGENT_BYTES: usize = 64;
const SESSION_BYTES: usize = 256;
const MODEL_BYTES: usize = 256;
/// The most of anything that can have been used up, and the last time that can be told exactly.
const TOKENS: u64 = 1_000_000_000_000_000;
const COST: f64 = 1_000_000_000_000.0;
const LAST_TIME: u64 = (1 << 53) - 1;
/// Bytes of what a hook says, of its kind and of a tool's name.
const MESSAGE_BYTES: usize = 4_096;
const WORD_BYTES: usize = 128;
/// Facts in one report, and bytes of a fact's name and value.
const FACTS: usize = 32;
const FACT_NAME_BYTES: usize = 64;
const FACT_BYTES: usize = 256;

async fn report(context: &Context, told: Told) -> Result<(), Failure> {
    let done = context.hub.report(told, context.if_revision).await;
    done.map_err(|error| error::of_hub(&error))
}

/// `pane.report_session`
pub async fn session(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let agent = params.required("agent", text(1..=AGENT_BYTES))?;
    let session_id = params.required("session_id", session_id)?;
    let usage = params.nullable("usage", object)?.map(read_usage).transpose()?;
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    report(&context, Told::Session(pane, AgentSession { agent, session_id, usage })).await?;
    Ok(json!({"type": "ok", "pane": pane.to_string()}))
}

/// `pane.release_session`
pub async fn release_session(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let agent = params.required("agent", text(1..=AGENT_BYTES))?;
    let session_id = params.required("session_id", session_id)?;
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    report(&context, Told::Released(pane, agent, session_id)).await?;
    Ok(json!({"type": "ok", "pane": pane.to_string()}))
}

fn session_id(value: Value) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte);
    text(1..=SESSION_BYTES)(value)
        .ok()
        .filter(|id| id.bytes().all(plain))
        .ok_or_else(|| format!("expected 1 to {SESSION_BYTES} characters of A-Z a-z 0-9 . _ : / -"))
}

fn read_usage(mut params: Params) -> Result<Usage, ParamError> {
    let usage = Usage {
        model: params.nullable("model", text(0..=MODEL_BYTES))?,
        tokens_in: params.required("tokens_in", integer(0..=TOKENS))?,
        tokens_out: params.required("tokens_out", integer(0..=TOKENS))?,
        cache_read: params.required("cache_read", integer(0..=TOKENS))?,
        cache_write: params.required("cache_write", integer(0..=TOKENS))?,
        cost: params.nullable("cost", number(0.0..=COST))?,
        updated_at: params.required("updated_at", integer(1..=LAST_TIME))?,
    };
    params.finish()?;
    Ok(usage)
}

/// `pane.report_event`
pub async fn event(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let event = HookEvent {
        agent: params.required("agent", text(1..=AGENT_BYTES))?,
        kind: params.required("kind", text(1..=WORD_BYTES))?,
        message: params.nullable("message", text(0..=MESSAGE_BYTES))?,
        tool: params.nullable("tool", text(0..=WORD_BYTES))?,
    };
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    report(&context, Told::Hook(pane, event)).await?;
    Ok(json!({"type": "ok", "pane": pane.to_string()}))
}

/// `workspace.report_metadata`
pub async fn metadata(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_workspace(&mut params)?;
    let facts = params.nullable("metadata", facts)?.unwrap_or_default();
    params.finish()?;
    let scene = context.snapshot().scene;
    let workspace = target::workspace(&scene, named)?;
    report(&context, Told::Facts(workspace.scene.id, facts)).await?;
    Ok(json!({
        "type": "ok",
        "workspace": workspace.index.to_string(),
        "workspace_id": workspace.scene.id.to_string(),
    }))
}

/// Short texts by name; null drops one.
fn facts(value: Value) -> Result<BTreeMap<String, Option<String>>, String> {
    let refused = || {
        format!(
            "expected an object of at most {FACTS} texts of at most {FACT_BYTES} bytes, or nulls, \
             with names of 1 to {FACT_NAME_BYTES} bytes"
        )
    };
    let Value::Object(fields) = value else { return Err(refused()) };
    if fields.len() > FACTS || fields.keys().any(|name| !(1..=FACT_NAME_BYTES).contains(&name.len())) {
        return Err(refused());
    }
    let fact = |(name, value): (String, Value)| match value {
        Value::Null => Some((name, None)),
        Value::String(text) if text.len() <= FACT_BYTES => Some((name, Some(text))),
        _ => None,
    };
    fields.into_iter().map(fact).collect::<Option<_>>().ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_whole_and_bounded() {
        let good = json!({
            "model": "m", "tokens_in": 1, "tokens_out": TOKENS, "cache_read": 0, "cache_write": 0,
            "cost": null, "updated_at": LAST_TIME,
        });
        let read = |usage: Value| object(usage).map(read_usage).unwrap();
        assert!(read(good.clone()).is_ok());
        for (field, bad) in [
            ("model", json!("x".repeat(257))),
            ("tokens_in", json!(null)),
            ("tokens_out", json!(TOKENS + 1)),
            ("cost", json!(-0.1)),
            ("updated_at", json!(0)),
            ("updated_at", json!(LAST_TIME + 1)),
            ("more", json!(1)),
        ] {
            let mut usage = good.clone();
            usage[field] = bad;
            assert!(read(usage).is_err(), "{field}");
        }
    }

    #[test]
    fn a_session_has_a_plain_name() {
        assert!(session_id(json!("a/B:9._-")).is_ok());
        for bad in [json!(""), json!("a b"), json!("é"), json!("x".repeat(257)), json!(7)] {
            assert!(session_id(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn facts_are_few_and_short() {
        assert_eq!(facts(json!({"a": "b", "c": null})).unwrap().len(), 2);
        for bad in [json!([]), json!({"": "x"}), json!({"a": 1}), json!({"a": "x".repeat(257)})] {
            assert!(facts(bad.clone()).is_err(), "{bad}");
        }
    }
}
