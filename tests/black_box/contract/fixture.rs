//! [`Fixture`]: one row of a manifest with its frame.

use crate::support::schemas::{folder, read};
use serde_json::Value;
use std::fs;

/// The folders with a manifest, below the contract.
pub const FOLDERS: [&str; 2] = ["fixtures", "terminal/fixtures"];

/// A frame of the contract and what its manifest says of it.
pub struct Fixture {
    /// Its file, or its name when it is made.
    pub name: String,
    /// The bytes on the wire.
    pub frame: Vec<u8>,
    /// The manifest's row.
    pub row: Value,
    /// The manifest's `identity`.
    pub identity: Value,
    /// Its schema, below the contract.
    pub schema: String,
}

impl Fixture {
    /// A text of the row.
    pub fn text(&self, key: &str) -> &str {
        self.row[key].as_str().unwrap_or_default()
    }

    /// The frame as JSON, if it is one text without duplicate keys.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.frame).ok()
    }
}

/// All fixtures of all manifests.
pub fn all() -> Vec<Fixture> {
    FOLDERS.iter().flat_map(|folder| of(folder)).collect()
}

fn of(below: &str) -> Vec<Fixture> {
    let base = folder().join(below);
    let manifest = read(&base.join("manifest.json"));
    let rows = manifest["fixtures"].as_array().expect("`fixtures` is a list");
    let fixture = |row: &Value| {
        let (name, frame) = match row["file"].as_str() {
            Some(file) => (file.to_owned(), frame_of(&fs::read(base.join(file)).expect("the fixture"), file)),
            None => (row["name"].as_str().expect("a name").to_owned(), made(&row["make"])),
        };
        Fixture {
            name: format!("{below}/{name}"),
            frame,
            identity: manifest["identity"].clone(),
            schema: resolve(below, row["schema"].as_str().expect("a schema")),
            row: row.clone(),
        }
    };
    rows.iter().map(fixture).collect()
}

/// A `.json` fixture is laid out for people; on the wire it is one line. Others are the very bytes.
fn frame_of(bytes: &[u8], file: &str) -> Vec<u8> {
    if !file.ends_with(".json") {
        return bytes.to_vec();
    }
    let value: Value = serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
    format!("{value}\n").into_bytes()
}

fn made(make: &Value) -> Vec<u8> {
    let text = |key: &str| make[key].as_str().expect("a text");
    let times = make["times"].as_u64().and_then(|times| usize::try_from(times).ok()).expect("a count");
    format!("{}{}{}", text("head"), text("repeat").repeat(times), text("tail")).into_bytes()
}

fn resolve(below: &str, schema: &str) -> String {
    let mut parts: Vec<&str> = below.split('/').collect();
    for part in schema.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}
