//! The published schemas of the pane backend (`protocol/pane-backend/v2`) as the judge of every line that
//! a test receives.

use super::schemas::read;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the contract lives.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/pane-backend/v2")
}

/// The one document.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| read(&folder().join("pane-backend.schema.json")))
}

/// The validator of one of its definitions.
fn validator(definition: &str) -> Arc<Validator> {
    static VALIDATORS: OnceLock<Mutex<HashMap<String, Arc<Validator>>>> = OnceLock::new();
    let mut cache = VALIDATORS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let built = cache.entry(definition.to_owned()).or_insert_with(|| {
        let mut schema = document().clone();
        schema["$ref"] = json!(format!("#/$defs/{definition}"));
        Arc::new(jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{definition}: {error}")))
    });
    Arc::clone(built)
}

/// What is wrong with a value by that definition.
pub fn faults(definition: &str, value: &Value) -> Vec<String> {
    let validator = validator(definition);
    validator.iter_errors(value).map(|error| format!("at `{}`: {error}", error.instance_path())).collect()
}

/// Panics unless a server may send this: an event, or a response to that method.
pub fn check(method: Option<&str>, message: &Value) {
    let must = |definition: &str, value: &Value| {
        let faults = faults(definition, value);
        assert!(faults.is_empty(), "{method:?} breaks {definition}: {faults:#?}\n{message:#}");
    };
    if message.get("method").is_some() {
        return must("event", message);
    }
    must("response", message);
    let known = method.filter(|method| document()["$defs"].get(format!("{method}.result")).is_some());
    if let (Some(method), Some(result)) = (known, message.get("result")) {
        must(&format!("{method}.result"), result);
    }
}
