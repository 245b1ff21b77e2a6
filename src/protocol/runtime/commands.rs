//! The commands that a program in a pane is told of (`runtime.md` sections 6.1 and 12.3), each with an
//! example that can be copied.

use serde_json::{Value, json};

/// A command: its name, what it does, an example with `{pane}` and `{agent}` for what is known.
struct Row(&'static str, &'static str, &'static str);

const COMMANDS: &[Row] = &[
    Row("env", "Where am I, and what can I do", "luvus env --pretty"),
    Row("pane list", "All panes", "luvus pane list"),
    Row("pane read", "The last lines of a pane", "luvus pane read {pane} --lines 80"),
    Row("pane send", "Type one line and Enter", "luvus pane send {pane} \"cargo test\" --wait"),
    Row("pane paste", "Paste several lines", "luvus pane paste {pane} --from-file task.txt --wait"),
    Row("pane wait", "Wait until a pane is quiet", "luvus pane wait {pane} --state settled"),
    Row("pane exec", "Run a program beside a pane", "luvus pane exec {pane} -- git status --short"),
    Row("pane zoom", "Show a pane alone", "luvus pane zoom {pane} --zoomed true"),
    Row("pane resize", "Set a pane's share of its split", "luvus pane resize {pane} 0.60"),
    Row("pane close", "Close an idle pane", "luvus pane close {pane}"),
    Row("agent list", "The panes with an AI agent", "luvus agent list"),
    Row("agent send", "Give an agent a task", "luvus agent send {agent} \"fix the login test\" --wait"),
    Row(
        "agent paste",
        "The same with several lines",
        "luvus agent paste {agent} --from-file task.txt --wait",
    ),
    Row("agent read", "What an agent printed last", "luvus agent read {agent} --lines 80"),
    Row("agent wait", "Wait for the end of an agent's turn", "luvus agent wait {agent} --state settled"),
    Row("window close", "Close an idle window", "luvus window close {window}"),
    Row("tab close", "Close an idle tab", "luvus tab close {tab} --window {window}"),
    Row("tab rename", "Name a tab", "luvus tab rename {tab} tests --window {window}"),
    Row("tab move", "Move a tab", "luvus tab move {tab} 0 --window {window}"),
    Row(
        "ctl run",
        "Run a command, with its exit code",
        "luvus ctl run --pane {pane} --command \"cargo test\"",
    ),
    Row("ctl split", "Split a pane", "luvus ctl split --pane {pane} --direction right"),
    Row("ctl snapshot", "The whole state", "luvus ctl snapshot --pretty"),
    Row("skill show", "How to use all this", "luvus skill show"),
];

/// What the examples name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// A pane.
    pub pane: u64,
    /// Its tab.
    pub tab: u64,
    /// Its window.
    pub window: u64,
    /// An agent.
    pub agent: String,
}

impl Default for Names {
    fn default() -> Self {
        Self { pane: 1, tab: 0, window: 1, agent: "codex".to_owned() }
    }
}

/// All commands as a list of `{name, summary, example}`.
#[must_use]
pub fn list(names: &Names) -> Value {
    let fill = |text: &str| {
        let text = text.replace("{pane}", &names.pane.to_string()).replace("{tab}", &names.tab.to_string());
        text.replace("{window}", &names.window.to_string()).replace("{agent}", &quoted(&names.agent))
    };
    let rows = COMMANDS.iter().map(
        |Row(name, summary, example)| json!({"name": name, "summary": summary, "example": fill(example)}),
    );
    rows.collect()
}

/// A word of a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if word.bytes().all(plain) && !word.starts_with('-') {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_name_what_is_known() {
        let names = Names { pane: 17, tab: 2, window: 3, agent: "it's me".to_owned() };
        let list = list(&names);
        let example = |name: &str| {
            let rows = list.as_array().expect("a list");
            rows.iter().find(|row| row["name"] == name).expect("a command")["example"].clone()
        };
        assert_eq!(example("pane send"), r#"luvus pane send 17 "cargo test" --wait"#);
        assert_eq!(example("agent read"), r"luvus agent read 'it'\''s me' --lines 80");
        assert_eq!(example("tab move"), "luvus tab move 2 0 --window 3");
        assert!(!list.to_string().contains('{') || !list.to_string().contains("{pane}"));
    }
}
