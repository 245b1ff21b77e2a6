//! What a conversation used, as its agent wrote it down: counters and the model's name, nothing else.
//!
//! Invariant: a file that is too long, or that cannot be understood, gives nothing: half a sum would be an estimate.

use super::{Found, entries, found, is_uuid, newest_folders, rollouts};
use crate::protocol::agent::ContextUsed;
use crate::server::agents::usage::Usage;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A longer conversation is not read: a person waits for the answer.
const BYTES: u64 = 128 * 1024 * 1024;

/// The counters of a conversation on disk. Reads files.
#[must_use]
pub fn usage(home: &Path, agent: &str, id: &str) -> Option<Usage> {
    if !is_uuid(id) {
        return None;
    }
    match agent {
        "claude" => claude(&of_claude(home, id)?),
        "codex" => codex(&of_codex(home, id)?.path),
        _ => None,
    }
}

fn of_claude(home: &Path, id: &str) -> Option<PathBuf> {
    let name = format!("{id}.jsonl");
    let projects = newest_folders(&home.join(".claude/projects"));
    projects.into_iter().map(|project| project.join(&name)).find(|path| path.is_file())
}

fn of_codex(home: &Path, id: &str) -> Option<Found> {
    let is_it = |stem: &str| stem.ends_with(id).then(|| id.to_owned());
    rollouts(home).flat_map(|day| entries(&day).collect::<Vec<_>>()).find_map(|entry| found(&entry, is_it))
}

/// The lines of a conversation that tell of tokens, and when it was written last.
fn lines(path: &Path) -> Option<(impl Iterator<Item = Vec<u8>>, u64)> {
    let metadata = fs::metadata(path).ok().filter(|metadata| metadata.len() <= BYTES)?;
    let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let lines = BufReader::new(File::open(path).ok()?).split(b'\n').map_while(Result::ok);
    let told = |line: &Vec<u8>| memchr::memmem::find(line, b"token").is_some() || has_model(line);
    Some((lines.filter(told), u64::try_from(written.as_millis()).ok()?))
}

fn has_model(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"\"model\"").is_some()
}

#[derive(Deserialize)]
struct ClaudeLine {
    #[serde(default, rename = "isSidechain")]
    sidechain: bool,
    #[serde(default, rename = "requestId")]
    request: Option<String>,
    #[serde(default, rename = "costUSD")]
    cost: Option<f64>,
    message: ClaudeMessage,
}

#[derive(Deserialize)]
struct ClaudeMessage {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    usage: ClaudeUsage,
}

#[derive(Deserialize, Clone, Copy)]
struct ClaudeUsage {
    input_tokens: u64,
    output_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
}

impl ClaudeUsage {
    fn tokens(self) -> [u64; 4] {
        let cached = |tokens: Option<u64>| tokens.unwrap_or(0);
        let (read, written) = (self.cache_read_input_tokens, self.cache_creation_input_tokens);
        [self.input_tokens, self.output_tokens, cached(read), cached(written)]
    }
}

/// Each answer of the model has its own counters; what is written of one several times counts once, as it was last.
fn claude(path: &Path) -> Option<Usage> {
    let (lines, updated_at) = lines(path)?;
    let mut answers = HashMap::new();
    let (mut model, mut context) = (None, None);
    for line in lines {
        let Ok(line) = serde_json::from_slice::<ClaudeLine>(&line) else { continue };
        let tokens = line.message.usage.tokens();
        if !line.sidechain {
            context = Some(total(&tokens));
            model = line.message.model.or(model);
        }
        answers.insert((line.message.id, line.request), (tokens, line.cost));
    }
    if answers.is_empty() {
        return None;
    }
    let mut tokens = [0_u64; 4];
    let mut cost = Some(0.0);
    for (more, its_cost) in answers.into_values() {
        for (sum, more) in tokens.iter_mut().zip(more) {
            *sum = sum.saturating_add(more);
        }
        cost = cost.zip(its_cost).map(|(sum, more)| sum + more);
    }
    Some(Usage { model, tokens, cost, context: context.map(ContextUsed::Tokens), updated_at })
}

fn total(tokens: &[u64; 4]) -> u64 {
    tokens.iter().fold(0, |sum, more| sum.saturating_add(*more))
}

#[derive(Deserialize)]
struct CodexLine {
    payload: CodexPayload,
}

#[derive(Deserialize)]
struct CodexPayload {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    info: Option<CodexInfo>,
}

#[derive(Deserialize)]
struct CodexInfo {
    total_token_usage: CodexUsage,
    #[serde(default)]
    last_token_usage: Option<CodexUsage>,
    #[serde(default)]
    model_context_window: Option<u64>,
}

#[derive(Deserialize)]
struct CodexUsage {
    input_tokens: u64,
    #[serde(default)]
    cached_input_tokens: u64,
    output_tokens: u64,
    #[serde(default)]
    total_tokens: Option<u64>,
}

/// The last line that tells of tokens has the sum of all.
fn codex(path: &Path) -> Option<Usage> {
    let (lines, updated_at) = lines(path)?;
    let (mut model, mut info) = (None, None);
    for line in lines {
        let Ok(CodexLine { payload }) = serde_json::from_slice(&line) else { continue };
        model = payload.model.or(model);
        info = payload.info.or(info);
    }
    let CodexInfo { total_token_usage: all, last_token_usage: last, model_context_window: window } = info?;
    let held = last.and_then(|last| last.total_tokens);
    let context = held.map(|held| match window.filter(|window| *window > 0) {
        Some(window) => ContextUsed::Percent(percent(held, window)),
        None => ContextUsed::Tokens(held),
    });
    let fresh = all.input_tokens.saturating_sub(all.cached_input_tokens);
    let tokens = [fresh, all.output_tokens, all.cached_input_tokens, 0];
    Some(Usage { model, tokens, cost: None, context, updated_at })
}

fn percent(part: u64, whole: u64) -> u8 {
    let percent = part.min(whole).saturating_mul(100).saturating_add(whole / 2) / whole;
    u8::try_from(percent).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0b1c2d3e-0000-4000-8000-000000000001";

    fn store(name: &str, lines: &[&str]) -> tempfile::TempDir {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, lines.join("\n")).expect("written");
        home
    }

    #[test]
    fn claude_counts_each_answer_once_and_its_context_is_that_of_the_last_one() {
        let line = |id: &str, out: u64, more: &str| {
            format!(
                r#"{{"type":"assistant","requestId":"r"{more},"message":{{"id":"{id}","model":"opus","usage":{{"input_tokens":10,"output_tokens":{out},"cache_read_input_tokens":100}}}}}}"#
            )
        };
        let (first, again, second) = (line("a", 1, ""), line("a", 5, ""), line("b", 7, ""));
        let aside = line("c", 1, r#","isSidechain":true"#);
        let user = r#"{"type":"user","message":{"content":"how many tokens has a model?"}}"#;
        let home = store(
            &format!(".claude/projects/-src/{ID}.jsonl"),
            &[&first, &again, user, "no json of a token", &second, &aside],
        );
        let usage = usage(home.path(), "claude", ID).expect("counters");
        assert_eq!(usage.tokens, [30, 13, 300, 0]);
        assert_eq!((usage.model.as_deref(), usage.cost), (Some("opus"), None));
        assert_eq!(usage.context, Some(ContextUsed::Tokens(117)));
    }

    #[test]
    fn claude_tells_a_cost_only_if_every_answer_has_one() {
        let line = |id: &str, cost: &str| {
            format!(r#"{{{cost}"message":{{"id":"{id}","usage":{{"input_tokens":1,"output_tokens":1}}}}}}"#)
        };
        let (a, b) = (line("a", r#""costUSD":0.5,"#), line("b", r#""costUSD":0.25,"#));
        let name = format!(".claude/projects/-src/{ID}.jsonl");
        let home = store(&name, &[&a, &b]);
        assert_eq!(usage(home.path(), "claude", ID).and_then(|usage| usage.cost), Some(0.75));
        let home = store(&name, &[&a, &line("b", "")]);
        assert_eq!(usage(home.path(), "claude", ID).and_then(|usage| usage.cost), None);
    }

    #[test]
    fn codex_tells_the_sum_and_the_share_of_its_context() {
        let count = |all: u64, last: u64| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{all},"cached_input_tokens":100,"output_tokens":7}},"last_token_usage":{{"input_tokens":1,"output_tokens":1,"total_tokens":{last}}},"model_context_window":2000}}}}}}"#
            )
        };
        let turn = r#"{"type":"turn_context","payload":{"model":"o3"}}"#;
        let none = r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#;
        let name = format!(".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{ID}.jsonl");
        let home = store(&name, &[turn, &count(500, 200), &count(900, 840), none]);
        let usage = usage(home.path(), "codex", ID).expect("counters");
        assert_eq!((usage.tokens, usage.model.as_deref()), ([800, 7, 100, 0], Some("o3")));
        assert_eq!(usage.context, Some(ContextUsed::Percent(42)));
    }

    #[test]
    fn what_cannot_be_understood_gives_nothing() {
        let home = store(&format!(".claude/projects/-src/{ID}.jsonl"), &["token", "{}", "[\"token\"]"]);
        assert_eq!(usage(home.path(), "claude", ID), None);
        assert_eq!(usage(home.path(), "claude", "../../etc/passwd"), None);
        assert_eq!(usage(home.path(), "gemini", ID), None);
    }
}
