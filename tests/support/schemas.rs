//! The published schemas (`protocol/uhp/v1`) as the judge of every frame that a test receives.
//!
//! Invariant: nothing is fetched; a reference to a document that is not published fails.

use jsonschema::paths::Location;
use jsonschema::{Keyword, Registry, ValidationError, ValidationOptions, Validator};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What every `$id` begins with.
pub const BASE: &str = "https://luvus.example/protocol/uhp/v1/";

/// Where the contract lives.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/uhp/v1")
}

/// A JSON file.
pub fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every schema document by its `$id`.
pub fn documents() -> &'static HashMap<String, Value> {
    static DOCUMENTS: OnceLock<HashMap<String, Value>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let folders = [folder(), folder().join("methods"), folder().join("terminal")];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the contract"));
        files
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(".schema.json"))
            .map(|entry| read(&entry.path()))
            .map(|document| (document["$id"].as_str().expect("an id").to_owned(), document))
            .collect()
    })
}

fn registry() -> &'static Registry<'static> {
    static REGISTRY: OnceLock<Registry<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut registry = Registry::new();
        for (id, document) in documents() {
            registry = registry.add(id.as_str(), document).expect("an id is a URI");
        }
        registry.prepare().expect("every reference leads to a published document")
    })
}

/// A bound in UTF-8 bytes, of a text or of all texts of a list.
struct Utf8Bytes {
    most: usize,
    total: bool,
}

impl Utf8Bytes {
    fn bytes(&self, instance: &Value) -> usize {
        match instance {
            Value::String(text) if !self.total => text.len(),
            Value::Array(items) if self.total => items.iter().filter_map(Value::as_str).map(str::len).sum(),
            _ => 0,
        }
    }
}

impl<'i> Keyword<'i> for Utf8Bytes {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom(format!("longer than {} UTF-8 bytes", self.most)))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.bytes(instance) <= self.most
    }
}

fn bound<'a>(value: &'a Value, total: bool) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let most = value.as_u64().and_then(|most| usize::try_from(most).ok());
    let most = most.ok_or_else(|| ValidationError::schema("the bound is no number of bytes"))?;
    Ok(Box::new(Utf8Bytes { most, total }))
}

fn one<'a>(
    _: &'a Map<String, Value>,
    value: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    bound(value, false)
}

fn total<'a>(
    _: &'a Map<String, Value>,
    value: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    bound(value, true)
}

/// Options that know the bounds in bytes.
pub fn with_bounds(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    options.with_keyword("x-maxUtf8Bytes", one).with_keyword("x-maxTotalUtf8Bytes", total)
}

/// The validator of a schema, given as a path below the contract, with a fragment or without.
pub fn validator(reference: &str) -> Arc<Validator> {
    static VALIDATORS: OnceLock<Mutex<HashMap<String, Arc<Validator>>>> = OnceLock::new();
    let cache = VALIDATORS.get_or_init(Mutex::default);
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let built = cache.entry(reference.to_owned()).or_insert_with(|| {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": format!("{BASE}{reference}"),
        });
        let options = with_bounds(jsonschema::options().with_registry(registry()));
        Arc::new(options.build(&schema).unwrap_or_else(|error| panic!("{reference}: {error}")))
    });
    Arc::clone(built)
}

/// What is wrong with a value by that schema.
pub fn faults(reference: &str, value: &Value) -> Vec<String> {
    let validator = validator(reference);
    validator.iter_errors(value).map(|error| format!("at `{}`: {error}", error.instance_path())).collect()
}

/// The file of a method's schema, below the contract.
pub fn of_method(method: &str) -> String {
    match method.strip_prefix("terminal.backend.") {
        Some(name) => format!("terminal/{name}.schema.json"),
        None => format!("methods/{method}.schema.json"),
    }
}

/// Panics unless this is what a server may answer to a call of that method, if it is known.
pub fn check_response(method: Option<&str>, response: &Value) {
    let must = |reference: &str, value: &Value| {
        let faults = faults(reference, value);
        assert!(faults.is_empty(), "{method:?} breaks {reference}: {faults:#?}\n{response:#}");
    };
    must("response.schema.json", response);
    let Some(method) = method else { return };
    if let Some(result) = response.get("result") {
        must(&format!("{}#/$defs/result", of_method(method)), result);
    }
    if method.starts_with("terminal.backend.") {
        must("terminal/response.schema.json", response);
    }
}

/// Panics unless this is what a server may answer to an action frame.
pub fn check_action_response(response: &Value) {
    let faults = faults("terminal/response.schema.json", response);
    assert!(faults.is_empty(), "{faults:#?}\n{response:#}");
}

/// Panics unless this is an event of the catalog.
pub fn check_event(frame: &Value) {
    let faults = faults("events.schema.json", frame);
    assert!(faults.is_empty(), "{faults:#?}\n{frame:#}");
    let catalog = &documents()[&format!("{BASE}event-catalog.schema.json")]["properties"];
    let name = frame["event"].as_str().unwrap_or_default();
    assert!(catalog.get(name).is_some(), "the catalog has no event `{name}`");
}
