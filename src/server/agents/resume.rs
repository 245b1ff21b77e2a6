//! Going on with a conversation: what is kept of an agent for the next start, and the command line that
//! brings it back.
//!
//! Invariant: a conversation is named by its exact id and by nothing else; a prompt that stood on a command
//! line is never given a second time.

use super::manifest::Start;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Arguments of an agent that are kept, and bytes of one.
const ARGUMENTS: usize = 64;
const ARGUMENT_BYTES: usize = 4_096;
/// Bytes of a conversation's id.
const ID_BYTES: usize = 256;

/// What is kept of an agent in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its kind.
    pub kind: String,
    /// The id of its conversation.
    pub session: String,
    /// The arguments that it was started with, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
}

/// Why a conversation cannot be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// The kind knows no way.
    #[error("this kind of agent has no command for it")]
    Unsupported,
    /// The id is none.
    #[error("its id is not one of a conversation")]
    BadId,
}

impl Kept {
    /// What a snapshot holds of it, if that can be made sense of.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let kept = Self::deserialize(value).ok()?;
        let plain = |text: &String| text.len() <= ARGUMENT_BYTES && !text.contains(['\0', '\r', '\n']);
        let fits = kept.args.len() <= ARGUMENTS && kept.args.iter().all(plain);
        (fits && kept.kind.len() <= 32).then_some(kept)
    }

    /// As a snapshot holds it.
    #[must_use]
    pub fn write(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

/// Whether a text may be the id of a conversation.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte);
    (1..=ID_BYTES).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('-')
}

/// The command line that goes on with a conversation, with the agent's own flags if they are given.
///
/// # Errors
/// [`ResumeError`].
pub fn resume(start: &Start, id: &str, args: &[String]) -> Result<String, ResumeError> {
    with_id(start, &start.resume, id, args)
}

/// The command line that begins a new conversation from one.
///
/// # Errors
/// [`ResumeError`].
pub fn fork(start: &Start, id: &str) -> Result<String, ResumeError> {
    with_id(start, &start.fork, id, &[])
}

fn with_id(start: &Start, words: &[String], id: &str, args: &[String]) -> Result<String, ResumeError> {
    if words.is_empty() {
        return Err(ResumeError::Unsupported);
    }
    if !is_id(id) {
        return Err(ResumeError::BadId);
    }
    let words: Vec<String> = words.iter().map(|word| word.replace("{id}", id)).collect();
    let flags = own_flags(start, args);
    Ok(command_line(&start.program, words.iter().chain(&flags).map(String::as_str)))
}

/// The flags among an agent's arguments that say how it works, not on what. A value counts only after a
/// flag that is known to take one: what else stands there may be a prompt.
pub fn own_flags(start: &Start, args: &[String]) -> Vec<String> {
    let mut flags = Vec::new();
    let mut args = args.iter().take_while(|arg| *arg != "--").peekable();
    while let Some(arg) = args.next() {
        let name = arg.split('=').next().unwrap_or_default();
        let has_value = start.value_flags.iter().any(|flag| flag == arg);
        let value = args.next_if(|value| has_value || (!value.starts_with('-') && named(start, name)));
        if arg.starts_with('-') && !named(start, name) {
            flags.extend([Some(arg), value.filter(|_| has_value)].into_iter().flatten().cloned());
        }
    }
    flags
}

/// Whether a flag names a conversation.
fn named(start: &Start, flag: &str) -> bool {
    start.conversation_flags.iter().any(|known| known == flag)
}

/// A command line for a shell.
pub fn command_line<'a>(program: &str, arguments: impl Iterator<Item = &'a str>) -> String {
    let mut line = program.to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

fn quoted(argument: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@,+%".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::agents::manifest::Manifests;
    use serde_json::json;

    fn line(kind: &str, args: &[&str]) -> String {
        let manifests = Manifests::default();
        let start = manifests.get(kind).and_then(|manifest| manifest.start.as_ref()).expect("a known kind");
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        resume(start, "0b1c", &args).expect("a line")
    }

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        let line = command_line("claude", ["--model", "opus 4", "it's", "", "$(rm)"].into_iter());
        assert_eq!(line, r"claude --model 'opus 4' 'it'\''s' '' '$(rm)'");
    }

    #[test]
    fn an_agent_comes_back_with_its_flags_and_without_its_prompt() {
        assert_eq!(line("claude", &[]), "claude --resume 0b1c");
        let args = ["--model", "opus", "--dangerously-skip-permissions", "fix the bug"];
        assert_eq!(line("claude", &args), "claude --resume 0b1c --model opus --dangerously-skip-permissions");
        let args = ["--resume", "old", "-c", "--session-id=9", "--verbose", "--", "--a-prompt"];
        assert_eq!(line("claude", &args), "claude --resume 0b1c --verbose");
        let args = ["resume", "old", "-m", "o3", "--full-auto", "do it"];
        assert_eq!(line("codex", &args), "codex resume 0b1c -m o3 --full-auto");
    }

    #[test]
    fn what_is_no_id_is_refused() {
        let manifests = Manifests::default();
        let start = manifests.get("claude").and_then(|manifest| manifest.start.as_ref()).expect("claude");
        for bad in ["", "--help", "a b", "$(rm)", "a\nb"] {
            assert_eq!(resume(start, bad, &[]), Err(ResumeError::BadId), "{bad:?}");
        }
    }

    #[test]
    fn what_a_snapshot_holds_is_checked() {
        let kept = Kept { kind: "claude".into(), session: "a".into(), args: vec!["-v".into()] };
        assert_eq!(kept.write().as_ref().and_then(Kept::read), Some(kept));
        for bad in
            [json!(1), json!({"kind": "claude"}), json!({"kind": "c", "session": "a", "args": ["x\ny"]})]
        {
            assert_eq!(Kept::read(&bad), None, "{bad}");
        }
    }
}
