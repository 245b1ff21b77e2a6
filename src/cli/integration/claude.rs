//! Claude Code: hooks in `~/.claude/settings.json` that tell which conversation runs in a pane.

use super::json::{self, Node};
use super::{EditError, Integration};

/// The integration.
pub const INTEGRATION: Integration = Integration {
    agent: "claude",
    title: "Claude Code",
    file: ".claude/settings.json",
    with,
    without,
    nothing: "{}\n",
};

/// When a conversation begins in a pane, and when it ends.
const EVENTS: [&str; 2] = ["SessionStart", "SessionEnd"];

/// What is run: nothing outside of a pane, where there is no luvus to be told.
const COMMAND: &str = r#"[ -z \"$LUVUS_BIN_PATH\" ] || \"$LUVUS_BIN_PATH\" integration hook claude"#;
/// What our command, as it is written, is known by.
const MARK: &str = "integration hook claude";

fn entry() -> String {
    format!(r#"{{"hooks": [{{"type": "command", "command": "{COMMAND}", "timeout": 5}}]}}"#)
}

fn with(text: &str) -> Result<Option<String>, EditError> {
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    let mut changed = false;
    for event in EVENTS {
        let root = object(&text, json::read(&text)?)?;
        let Some(hooks) = root.member("hooks") else {
            text = json::with(&text, &root, 0, "\"hooks\": {}");
            return with(&text).map(|more| more.or(Some(text)));
        };
        let hooks = object(&text, hooks.clone())?;
        let Some(list) = hooks.member(event) else {
            let member = format!("\"{event}\": [\n      {}\n    ]", entry());
            text = json::with(&text, &hooks, 1, &member);
            changed = true;
            continue;
        };
        if !text[list.at.clone()].starts_with('[') {
            return Err(EditError::Nonsense(format!("the hooks of {event} are no list")));
        }
        if ours(&text, list).is_none() {
            text = json::with(&text, list, 2, &entry());
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
        // What held nothing else was made for it.
        text = match (list.items.len(), hooks.items.len()) {
            (1, 1) => json::without(&text, &root, hooks_at),
            (1, _) => json::without(&text, hooks, event_at),
            _ => json::without(&text, list, index),
        };
        changed = true;
    }
    Ok(changed.then_some(text))
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
    use serde_json::Value;

    #[test]
    fn what_a_person_wrote_keeps_its_bytes() {
        let own = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\"SessionStart\": [ {\"hooks\": []} ],  \"Stop\": []}\n}\n";
        for text in [own, "{}", "{ }\n", "{\"a\": 1.50}"] {
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
}
