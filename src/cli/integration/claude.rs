//! Claude Code: hooks in `~/.claude/settings.json` that tell which conversation runs in a pane, and how its
//! turns go.

use super::json::{self, Node};
use super::{EditError, Integration, News};
use crate::cli::args::agent::Status;
use serde_json::Value;

/// The integration.
pub const INTEGRATION: Integration = Integration {
    agent: "claude",
    title: "Claude Code",
    file: ".claude/settings.json",
    with,
    without,
    nothing: "{}\n",
    news,
};

/// A conversation begins in a pane, a prompt is taken, a person is asked, a turn is over, a conversation ends.
const EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "Notification", "Stop", "SessionEnd"];

/// What is run: nothing outside of a pane, where there is no luvus to be told.
const COMMAND: &str = r#"[ -z \"$LUVUS_BIN_PATH\" ] || \"$LUVUS_BIN_PATH\" integration hook claude"#;
/// What our command, as it is written, is known by.
const MARK: &str = "integration hook claude";

/// What an event tells.
#[must_use]
pub fn news(told: &Value) -> News {
    let text = |name: &str| told[name].as_str().unwrap_or_default();
    match text("hook_event_name") {
        "UserPromptSubmit" => News::State(Status::Working),
        "Stop" => News::State(Status::Done),
        "SessionEnd" => News::End,
        // Of the notifications only some ask for something.
        "Notification" => {
            let kind = text("notification_type");
            let asks = match kind {
                "" => text("message").contains("permission"),
                kind => ["permission_prompt", "elicitation_dialog"].contains(&kind),
            };
            if asks { News::State(Status::Blocked) } else { News::Conversation }
        }
        _ => News::Conversation,
    }
}

fn entry() -> String {
    format!(r#"{{"hooks": [{{"type": "command", "command": "{COMMAND}", "timeout": 5}}]}}"#)
}

fn with(text: &str) -> Result<Option<String>, EditError> {
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    let mut changed = false;
    for event in EVENTS {
        let root = object(&text, json::read(&text)?)?;
        let Some(hooks) = root.member("hooks") else {
            text = json::with(&text, &root, 0, "\"hooks\": {\n  }");
            return with(&text).map(|more| more.or(Some(text)));
        };
        let hooks = object(&text, hooks.clone())?;
        let Some(list) = hooks.member(event) else {
            let member = format!("\"{event}\": [\n      {}\n    ]", entry());
            text = put(&text, &hooks, 1, &member);
            changed = true;
            continue;
        };
        if !text[list.at.clone()].starts_with('[') {
            return Err(EditError::Nonsense(format!("the hooks of {event} are no list")));
        }
        if ours(&text, list).is_none() {
            text = put(&text, list, 2, &entry());
            changed = true;
        }
    }
    Ok(changed.then_some(text))
}

fn without(text: &str) -> Result<Option<String>, EditError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut text = text.to_owned();
    let mut changed = false;
    for event in EVENTS {
        let root = object(&text, json::read(&text)?)?;
        let Some(hooks_at) = root.items.iter().position(|item| item.name == "hooks") else { break };
        let hooks = &root.items[hooks_at].value;
        let Some(event_at) = hooks.items.iter().position(|item| item.name == event) else { continue };
        let list = &hooks.items[event_at].value;
        let Some(index) = ours(&text, list) else { continue };
        // What held nothing else was made for it, unless a person had made it.
        text = match (list.items.len(), hooks.items.len()) {
            (1, 1) if is_made(&text, list) && is_made(&text, hooks) => json::without(&text, &root, hooks_at),
            (1, _) if is_made(&text, list) => json::without(&text, hooks, event_at),
            _ => json::without(&text, list, index),
        };
        changed = true;
    }
    Ok(changed.then_some(text))
}

/// The text with something more in an object or a list. What a person left empty is filled on its line, by
/// which [`is_made`] knows it again.
fn put(text: &str, node: &Node, depth: usize, what: &str) -> String {
    let inside = node.at.start + 1..node.at.end - 1;
    if !inside.is_empty() || !node.items.is_empty() {
        return json::with(text, node, depth, what);
    }
    let mut text = text.to_owned();
    text.insert_str(inside.start, what);
    text
}

/// Whether an object or a list was made for what is in it.
fn is_made(text: &str, node: &Node) -> bool {
    text[node.at.clone()].chars().nth(1) == Some('\n')
}

/// Which item of a list is ours.
fn ours(text: &str, list: &Node) -> Option<usize> {
    list.items.iter().position(|item| text[item.value.at.clone()].contains(MARK))
}

fn object(text: &str, node: Node) -> Result<Node, EditError> {
    if text[node.at.clone()].starts_with('{') {
        Ok(node)
    } else {
        Err(EditError::Nonsense("it is no object".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_person_wrote_keeps_its_bytes() {
        let own = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\"SessionStart\": [ {\"hooks\": []} ],  \"Stop\": []}\n}\n";
        let empty = "{\"hooks\": {}, \"a\": 1}\n";
        for text in [own, empty, "{}", "{ }\n", "{\"a\": 1.50}"] {
            let more = with(text).expect("understood").expect("changed");
            let value: Value = serde_json::from_str(&more).expect("JSON");
            for event in EVENTS {
                let list = value["hooks"][event].as_array().expect("a list");
                let command = list.last().expect("an entry")["hooks"][0]["command"].as_str();
                let wanted = "[ -z \"$LUVUS_BIN_PATH\" ] || \"$LUVUS_BIN_PATH\" integration hook claude";
                assert_eq!(command, Some(wanted));
            }
            assert_eq!(with(&more), Ok(None), "once is enough");
            let less = without(&more).expect("understood").expect("changed");
            assert_eq!(less.replace("{ }", "{}"), text.replace("{ }", "{}"));
        }
        assert_eq!(without(own), Ok(None));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for bad in ["{", "[]", "{\"hooks\": []}", "{\"hooks\": {\"SessionEnd\": 1}}", "// note\n{}"] {
            assert!(matches!(with(bad), Err(EditError::Nonsense(_))), "{bad}");
        }
    }

    #[test]
    fn an_entry_of_before_is_filled_up() {
        let whole = with("{}").expect("understood").expect("changed");
        let root = json::read(&whole).expect("JSON");
        let hooks = root.member("hooks").expect("hooks").clone();
        let less = json::without(&whole, &hooks, 2);
        let more = with(&less).expect("understood").expect("changed");
        assert_eq!(serde_json::from_str::<Value>(&more).ok(), serde_json::from_str(&whole).ok());
    }

    #[test]
    fn events_tell_how_a_turn_goes() {
        let event = |name: &str| json!({"hook_event_name": name});
        assert_eq!(news(&event("SessionStart")), News::Conversation);
        assert_eq!(news(&event("UserPromptSubmit")), News::State(Status::Working));
        assert_eq!(news(&event("Stop")), News::State(Status::Done));
        assert_eq!(news(&event("SessionEnd")), News::End);
        let asked = |kind: &str, message: &str| {
            news(&json!({"hook_event_name": "Notification", "notification_type": kind, "message": message}))
        };
        assert_eq!(asked("permission_prompt", "x"), News::State(Status::Blocked));
        assert_eq!(asked("", "Claude needs your permission to use Bash"), News::State(Status::Blocked));
        assert_eq!(asked("idle_prompt", "Claude is waiting for your input"), News::Conversation);
    }
}
