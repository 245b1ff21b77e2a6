//! `workspace.report_metadata` (`uhp.md` section 17): facts of a workspace that programs outside know.

use super::super::{Context, error};
use crate::protocol::params::Params;
use crate::protocol::uhp::error::Failure;
use crate::server::hub::Told;
use crate::server::uhp::target;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Facts in one report, and bytes of a fact's name and value.
const FACTS: usize = 32;
const NAME_BYTES: usize = 64;
const VALUE_BYTES: usize = 256;

/// `workspace.report_metadata`
pub async fn report(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_workspace(&mut params)?;
    let facts = params.nullable("metadata", facts)?.unwrap_or_default();
    params.finish()?;
    let scene = context.snapshot().scene;
    let workspace = target::workspace(&scene, named)?;
    let told = Told { workspace: workspace.scene.id, facts };
    let done = context.hub.tell_facts(told, context.if_revision).await;
    done.map_err(|error| error::of_hub(&error))?;
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
            "expected an object of at most {FACTS} texts of at most {VALUE_BYTES} bytes, or nulls, \
             with names of 1 to {NAME_BYTES} bytes"
        )
    };
    let Value::Object(fields) = value else { return Err(refused()) };
    if fields.len() > FACTS || fields.keys().any(|name| !(1..=NAME_BYTES).contains(&name.len())) {
        return Err(refused());
    }
    let fact = |(name, value): (String, Value)| match value {
        Value::Null => Some((name, None)),
        Value::String(text) if text.len() <= VALUE_BYTES => Some((name, Some(text))),
        _ => None,
    };
    fields.into_iter().map(fact).collect::<Option<_>>().ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_few_and_short() {
        assert_eq!(facts(json!({"a": "b", "c": null})).unwrap().len(), 2);
        for bad in [json!([]), json!({"": "x"}), json!({"a": 1}), json!({"a": "x".repeat(257)})] {
            assert!(facts(bad.clone()).is_err(), "{bad}");
        }
    }
}
