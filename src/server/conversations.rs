//! The conversations that agents keep themselves, as they document it: Claude Code below
//! `~/.claude/projects`, Codex below `~/.codex/sessions`. Read for a list, never written.
//!
//! Invariants: bounded in folders, files and bytes; of what is written in a conversation nothing is read but
//! its folder, its summary and its counters; what looks different is left out.

mod usage;

pub use usage::usage;

use serde_json::Value;
use std::fs::{self, DirEntry, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Conversations of one agent that are listed.
const CONVERSATIONS: usize = 100;
/// Entries of one folder that are looked at, and folders of one store.
const ENTRIES: usize = 10_000;
const FOLDERS: usize = 1_000;
/// Bytes of a conversation that are read, and lines.
const HEAD_BYTES: u64 = 64 * 1024;
const HEAD_LINES: usize = 40;
/// Characters of a title.
const TITLE_CHARS: usize = 160;
/// Characters of an id, which is a UUID.
const ID_CHARS: usize = 36;

/// A conversation on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The agent's kind.
    pub agent: &'static str,
    /// The conversation's id.
    pub id: String,
    /// Where the agent ran.
    pub cwd: Option<String>,
    /// Its summary, if it has one.
    pub title: Option<String>,
    /// When it was written last.
    pub at: SystemTime,
}

/// All conversations of a person, the newest first. Reads files.
#[must_use]
pub fn stored(home: &Path) -> Vec<Stored> {
    let mut all = claude(home);
    all.extend(codex(home));
    all.sort_by_key(|stored| std::cmp::Reverse(stored.at));
    all
}

struct Found {
    id: String,
    path: PathBuf,
    at: SystemTime,
}

fn claude(home: &Path) -> Vec<Stored> {
    let projects = newest_folders(&home.join(".claude/projects"));
    let files = projects.iter().flat_map(|project| entries(project));
    let found = files.filter_map(|entry| found(&entry, |stem| Some(stem.to_owned())));
    newest(found.collect()).into_iter().map(|found| read(found, "claude")).collect()
}

/// The folders of Codex's days, the newest first.
fn rollouts(home: &Path) -> impl Iterator<Item = PathBuf> {
    let below = |folder: &Path| {
        let mut folders: Vec<PathBuf> = entries(folder).map(|entry| entry.path()).collect();
        folders.sort_unstable_by(|a, b| b.cmp(a));
        folders
    };
    let years = below(&home.join(".codex/sessions")).into_iter();
    years.flat_map(move |year| below(&year)).flat_map(move |month| below(&month)).take(FOLDERS)
}

fn codex(home: &Path) -> Vec<Stored> {
    // The newest days hold enough.
    let mut found = Vec::new();
    for day in rollouts(home) {
        let id = |stem: &str| {
            let at = stem.strip_prefix("rollout-")?.len().checked_sub(ID_CHARS)?;
            stem.strip_prefix("rollout-")?.get(at..).map(str::to_owned)
        };
        found.extend(entries(&day).filter_map(|entry| self::found(&entry, id)));
        if found.len() >= CONVERSATIONS {
            break;
        }
    }
    newest(found).into_iter().map(|found| read(found, "codex")).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES)
}

fn newest_folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<(SystemTime, PathBuf)> = entries(folder)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    folders.sort_unstable_by(|a, b| b.cmp(a));
    folders.into_iter().take(FOLDERS).map(|(_, path)| path).collect()
}

fn found(entry: &DirEntry, id: impl Fn(&str) -> Option<String>) -> Option<Found> {
    let path = entry.path();
    if path.extension()? != "jsonl" {
        return None;
    }
    let id = id(path.file_stem()?.to_str()?).filter(|id| is_uuid(id))?;
    let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(Found { id, at: metadata.modified().ok()?, path })
}

fn is_uuid(text: &str) -> bool {
    let fits = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == ID_CHARS && text.bytes().enumerate().all(fits)
}

fn newest(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_unstable_by_key(|found| std::cmp::Reverse(found.at));
    found.truncate(CONVERSATIONS);
    found
}

/// Reads what stands at the head of a conversation.
fn read(found: Found, agent: &'static str) -> Stored {
    let Found { id, path, at } = found;
    let (mut cwd, mut title) = (None, None);
    if let Ok(file) = File::open(&path) {
        for line in BufReader::new(file.take(HEAD_BYTES)).split(b'\n').take(HEAD_LINES).map_while(Result::ok)
        {
            let Ok(line) = serde_json::from_slice::<Value>(&line) else { continue };
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let folder = text(&line["cwd"]).or_else(|| text(&line["payload"]["cwd"]));
            cwd = cwd.or(folder.filter(|folder| Path::new(folder).is_absolute()));
            let summary = text(&line["summary"]).filter(|_| line["type"] == "summary");
            title = title.or(summary.map(|text| crate::protocol::plain::one_line(&text, TITLE_CHARS)));
        }
    }
    Stored { agent, id, cwd, title, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0b1c2d3e-0000-4000-8000-00000000000";

    fn write(home: &Path, path: &str, text: &str) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn both_stores_are_read_as_they_are_documented() {
        let home = tempfile::tempdir().expect("a folder");
        let summary = "{\"type\":\"summary\",\"summary\":\"Mend the\\nlexer\"}\n";
        let turn = "{\"type\":\"user\",\"cwd\":\"/src/lexer\",\"message\":{}}\n";
        write(
            home.path(),
            &format!(".claude/projects/-src-lexer/{ID}1.jsonl"),
            &format!("{summary}no json\n{turn}"),
        );
        write(home.path(), ".claude/projects/-src-lexer/notes.jsonl", "{}");
        write(home.path(), &format!(".claude/projects/-src-lexer/{ID}9.txt"), "{}");
        let meta = "{\"type\":\"session_meta\",\"payload\":{\"cwd\":\"/src/parser\"}}\n";
        let name = format!(".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{ID}2.jsonl");
        write(home.path(), &name, meta);
        let mut stored = stored(home.path());
        stored.sort_by(|a, b| a.id.cmp(&b.id));
        let told: Vec<_> = stored
            .iter()
            .map(|stored| (stored.agent, stored.id.as_str(), stored.cwd.as_deref(), stored.title.as_deref()))
            .collect();
        let (one, two) = (format!("{ID}1"), format!("{ID}2"));
        assert_eq!(
            told,
            [
                ("claude", one.as_str(), Some("/src/lexer"), Some("Mend the lexer")),
                ("codex", two.as_str(), Some("/src/parser"), None),
            ]
        );
    }

    #[test]
    fn no_store_is_an_empty_list() {
        assert_eq!(stored(Path::new("/nonexistent")), []);
    }
}
