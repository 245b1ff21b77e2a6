//! Every schema is one, every fixture gets its verdict, and nothing that is announced is without.

use super::fixture::{FOLDERS, Fixture, all};
use crate::support::schemas::{BASE, documents, faults, folder, of_method, read, validator};
use crate::support::{Home, Server};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_schema_is_valid_and_leads_to_published_ones_only() {
    assert!(documents().len() > 40);
    for (id, document) in documents() {
        jsonschema::meta::validate(document).unwrap_or_else(|error| panic!("{id}: {error}"));
        let path = id.strip_prefix(BASE).expect("every id has the base");
        validator(path);
        for name in document["$defs"].as_object().into_iter().flatten().map(|(name, _)| name) {
            validator(&format!("{path}#/$defs/{name}"));
        }
    }
}

#[test]
fn every_fixture_gets_the_verdict_of_its_manifest() {
    for fixture in all() {
        let (valid, found_by) = (fixture.text("verdict") == "valid", fixture.text("found_by"));
        let verdict = fixture.json().map(|frame| all_faults(&fixture, &frame));
        match (valid, found_by) {
            (true, "") | (false, "server") => {
                assert_eq!(verdict, Some(Vec::new()), "{}", fixture.name);
            }
            (false, "schema") => {
                assert!(verdict.is_some_and(|faults| !faults.is_empty()), "{} passes", fixture.name);
            }
            // what these break is no matter of schemas
            (false, "parser" | "framing") => {}
            other => panic!("{}: {other:?}", fixture.name),
        }
    }
}

/// By the schema of the frame, and by that of the method's params or result.
fn all_faults(fixture: &Fixture, frame: &Value) -> Vec<String> {
    let mut found = faults(&fixture.schema, frame);
    let file = of_method(fixture.text("method"));
    let part = match fixture.text("kind") {
        "request" => "params",
        "response" => "result",
        _ => return found,
    };
    if let Some(value) = frame.get(part).filter(|_| documents().contains_key(&format!("{BASE}{file}"))) {
        found.extend(faults(&format!("{file}#/$defs/{part}"), value));
    }
    found
}

#[test]
fn every_fixture_file_is_in_its_manifest() {
    for below in FOLDERS {
        let base = folder().join(below);
        let manifest = read(&base.join("manifest.json"));
        let named: BTreeSet<String> = manifest["fixtures"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|row| row["file"].as_str().map(str::to_owned))
            .collect();
        let present: BTreeSet<String> = ["valid", "invalid"]
            .iter()
            .flat_map(|kind| std::fs::read_dir(base.join(kind)).expect("a folder").flatten())
            .map(|entry| {
                let path = entry.path();
                let below = path.strip_prefix(&base).expect("below");
                below.to_str().expect("a plain name").to_owned()
            })
            .collect();
        assert_eq!(named, present);
    }
}

#[test]
fn every_announced_method_has_a_schema_and_fixtures() {
    let server = Server::start();
    let capabilities = server.call("uhp.capabilities", &json!({}));
    let announced: BTreeSet<&str> =
        capabilities["methods"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let mut kinds: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for fixture in all() {
        let kind = (fixture.text("verdict").to_owned(), fixture.text("kind").to_owned());
        kinds.entry(fixture.text("method").to_owned()).or_default().insert(kind);
    }
    for method in &announced {
        let document = documents().get(&format!("{BASE}{}", of_method(method)));
        let document = document.unwrap_or_else(|| panic!("`{method}` has no schema"));
        assert_eq!(document["x-method"], *method);
        let kinds = kinds.get(*method).unwrap_or_else(|| panic!("`{method}` has no fixtures"));
        for (verdict, kind) in [("valid", "request"), ("valid", "response"), ("invalid", "request")] {
            let wanted = (verdict.to_owned(), kind.to_owned());
            assert!(kinds.contains(&wanted), "`{method}` has no {verdict} {kind} fixture");
        }
    }
    // and nothing is published that this build does not have
    for document in documents().values() {
        if let Some(method) = document["x-method"].as_str() {
            assert!(announced.contains(method), "`{method}` is published but not announced");
        }
    }
    for contract in capabilities["method_contracts"].as_array().expect("a list") {
        let method = contract["method"].as_str().expect("a name");
        let document = &documents()[&format!("{BASE}{}", of_method(method))];
        assert_eq!(document["x-access"], contract["access"], "{method}");
    }
    let limits = read(&folder().join("terminal/limits.json"));
    for (name, limit) in limits["announced"].as_object().expect("limits") {
        assert_eq!(capabilities["terminal"]["limits"][name], limit["value"], "{name}");
    }
    server.stop();
}

#[test]
fn every_error_code_has_a_fixture_and_every_dispatch_is_allowed() {
    let errors = read(&folder().join("terminal/errors.json"));
    let codes: BTreeMap<&str, &Vec<Value>> = errors["errors"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|error| {
            let dispatch = error["dispatch"].as_array().expect("a list");
            (error["code"].as_str().expect("a code"), dispatch)
        })
        .collect();
    let common = &documents()[&format!("{BASE}terminal/common.schema.json")];
    let listed: BTreeSet<&str> = common["$defs"]["error"]["properties"]["code"]["enum"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(listed, codes.keys().copied().collect());
    let fixtures = all();
    for code in codes.keys() {
        let has = fixtures.iter().any(|fixture| {
            fixture.text("verdict") == "valid"
                && fixture.json().is_some_and(|frame| frame["error"]["code"] == *code)
        });
        assert!(has, "`{code}` has no fixture");
    }
    for fixture in fixtures.iter().filter(|fixture| fixture.name.starts_with("terminal/")) {
        let error = &fixture.row["answer"]["error"];
        let Some(code) = error["code"].as_str() else { continue };
        let dispatch = codes.get(code).unwrap_or_else(|| panic!("{}: `{code}`", fixture.name));
        assert!(error.get("dispatch").is_none_or(|class| dispatch.contains(class)), "{}", fixture.name);
    }
    for document in documents().values() {
        let of_terminals = document["x-method"].as_str().is_some_and(|name| name.starts_with("terminal."));
        for code in document["x-errors"].as_array().into_iter().flatten().filter(|_| of_terminals) {
            assert!(codes.contains_key(code.as_str().expect("a code")), "{code}");
        }
    }
}

#[test]
fn the_program_carries_the_contract() {
    let home = Home::new();
    let bundle = home.json(&["uhp", "schema"]);
    assert!(!home.path().exists(), "printing the schemas touches nothing");
    let printed: BTreeMap<&str, &Value> = bundle["documents"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|document| (document["$id"].as_str().expect("an id"), document))
        .collect();
    let mut published = 0;
    for below in ["", "methods", "terminal"] {
        for entry in std::fs::read_dir(folder().join(below)).expect("a folder").flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "json") {
                let document = read(&entry.path());
                let id = document["$id"].as_str().expect("an id");
                assert_eq!(printed.get(id), Some(&&document), "{id}");
                published += 1;
            }
        }
    }
    assert_eq!(printed.len(), published);
    let catalog = documents()[&format!("{BASE}event-catalog.schema.json")]["properties"].clone();
    assert_eq!(bundle["event_catalog"]["properties"], catalog);
}
