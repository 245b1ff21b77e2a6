//! Reads the sources and holds the house's rules that no compiler knows (`docs/architecture.md`).

use std::fs;
use std::path::{Path, PathBuf};

/// A part of the house, and what its files must not name.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "src/protocol",
        &["crate::server", "crate::client", "crate::cli::", "crate::config", "std::fs", "std::net"],
    ),
    ("src/config", &["crate::server", "crate::client", "crate::cli::", "std::fs"]),
    ("src/client", &["crate::server", "crate::cli::"]),
    ("src/server", &["crate::client", "crate::cli::"]),
    (
        "src/server/model",
        &[
            "tokio",
            "std::time",
            "std::fs",
            "server::hub",
            "server::terminal",
            "server::attach",
            "server::uhp",
            "server::adapters",
        ],
    ),
    (
        "src/server/agents",
        &[
            "tokio",
            "server::hub",
            "server::terminal",
            "server::model",
            "server::attach",
            "server::uhp",
            "server::adapters",
        ],
    ),
    (
        "src/server/terminal",
        &[
            "server::hub",
            "server::model",
            "server::agents",
            "server::attach",
            "server::uhp",
            "server::adapters",
        ],
    ),
    ("src/server/hub", &["server::attach", "server::uhp", "server::adapters", "server::endpoint"]),
    ("src/server/attach", &["server::uhp", "server::adapters", "server::endpoint"]),
    ("src/server/uhp", &["server::attach", "server::adapters", "server::endpoint"]),
    ("src/server/adapters", &["server::attach", "server::uhp", "server::endpoint"]),
    ("src/protocol", &["env::var"]),
    ("src/config", &["env::var"]),
    ("src/client", &["env::var"]),
    ("src/server", &["env::var"]),
];

/// A file past this is asked whether it holds a second idea.
const LINES: usize = 500;
/// Every Rust file below a folder, with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a text");
                files.push((path, text));
            }
        }
    }
    assert!(!files.is_empty(), "{folder} has no sources");
    files
}

/// The lines of code, without comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn floors_use_only_the_floors_under_them() {
    let mut broken = Vec::new();
    for (folder, names) in FORBIDDEN {
        for (path, text) in sources(folder) {
            for (line, code) in code(&text) {
                for name in names.iter().filter(|name| code.contains(*name)) {
                    broken.push(format!("{}:{line}: {folder} must not name {name}", path.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// Tests beside the code, which may be many for one idea.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.iter().any(|part| part == "tests")
}

#[test]
fn a_file_holds_one_idea() {
    let mut long = Vec::new();
    for (path, text) in sources("src") {
        let lines = text.lines().count();
        if lines > LINES && !is_test(&path) {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    assert!(long.is_empty(), "\n{}", long.join("\n"));
}

#[test]
fn every_file_says_what_it_owns() {
    let silent: Vec<_> = sources("src")
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(silent.is_empty(), "files without a first line of documentation:\n{}", silent.join("\n"));
}
