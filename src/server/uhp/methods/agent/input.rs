//! `agent.keys` and `agent.name`, and the lists of words that several methods read.

use super::super::super::Context;
use super::super::terminal::send;
use super::{STATES, find_running, read_target};
use crate::protocol::agent::AgentState;
use crate::protocol::key::{KeyCode, Modifiers};
use crate::protocol::params::{ParamError, Params, boolean, integer, text};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::uhp::{error, target};
use serde_json::{Value, json};

/// Keys of one call.
const KEYS: usize = 256;

/// `agent.keys`: all keys as one action, if the screen is still what the caller saw.
pub async fn keys(mut params: Params, context: Context) -> Result<Value, Failure> {
    let target = read_target(&mut params)?;
    let keys = params.required("keys", names)?;
    let revision = params.nullable("if_content_revision", integer(0..=u64::MAX))?;
    let terminal = params.nullable("terminal_id", text(32..=32))?;
    params.finish()?;
    let keys: Option<Vec<_>> = keys.iter().map(|name| key(name)).collect();
    let keys = keys.ok_or_else(|| Failure::new(ErrorCode::InvalidRequest, "one of the keys is not known"))?;
    if revision.is_some() != terminal.is_some() {
        return Err(ParamError::new("terminal_id", "goes together with `if_content_revision`").into());
    }
    let snapshot = context.snapshot();
    let view = find_running(&snapshot, &target)?;
    let entry = context.terminal(&snapshot, view.pane)?;
    let actual = entry.handle.revision();
    if let (Some(expected), Some(terminal)) = (revision, terminal)
        && (expected != actual || terminal != entry.handle.terminal().to_string())
    {
        let failure = Failure::new(ErrorCode::ContentRevisionConflict, "the screen is not what it was");
        return Err(failure.with_data(json!({
            "expected": expected,
            "actual": actual,
            "terminal_id": entry.handle.terminal().to_string(),
        })));
    }
    send(&entry, |handle| handle.taps(&keys))?;
    Ok(json!({"type": "ok", "pane": view.pane.to_string(), "dispatch": "queued"}))
}

/// The names of keys, at least one.
fn names(value: Value) -> Result<Vec<String>, String> {
    let Value::Array(items) = value else { return Err("expected a list of keys".to_owned()) };
    let names: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    names
        .filter(|names| (1..=KEYS).contains(&names.len()))
        .ok_or_else(|| format!("expected 1 to {KEYS} names of keys"))
}

/// A key by its name, case aside: wider than `send_key` on purpose.
fn key(name: &str) -> Option<(KeyCode, Modifiers)> {
    let plain = |code| Some((code, Modifiers::NONE));
    let mut chars = name.chars();
    if let (Some(char), None) = (chars.next(), chars.next()) {
        return if char.is_control() { None } else { plain(KeyCode::Char(char)) };
    }
    let name = name.to_ascii_lowercase();
    if let Some(letter) = name.strip_prefix("ctrl+").or_else(|| name.strip_prefix("c-")) {
        let mut chars = letter.chars();
        let letter = chars.next().filter(|char| char.is_ascii_lowercase() && chars.next().is_none())?;
        return Some((KeyCode::Char(letter), Modifiers::CTRL));
    }
    plain(match name.as_str() {
        "enter" | "return" | "cr" => KeyCode::Enter,
        "esc" | "escape" => KeyCode::Escape,
        "tab" => KeyCode::Tab,
        "space" => KeyCode::Char(' '),
        "backspace" | "bs" => KeyCode::Backspace,
        "delete" | "del" => KeyCode::Delete,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" | "pgup" => KeyCode::PageUp,
        "pagedown" | "pgdn" => KeyCode::PageDown,
        _ => return None,
    })
}

/// `agent.name`: an alias without an event.
pub async fn name(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let name = params.nullable("name", text(1..=32))?;
    let clear = params.nullable("clear", boolean)?;
    params.finish()?;
    let name = match (name, clear) {
        (Some(name), None | Some(false)) => name,
        (None, Some(true)) => String::new(),
        _ => return Err(ParamError::new("name", "give either `name` or `clear`: true").into()),
    };
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    context.hub.name_agent(pane, name).await.map_err(|error| error::of_hub(&error))?;
    let alias = context.snapshot().scene.pane(pane).and_then(|pane| pane.name.clone());
    Ok(json!({"type": "agent_name", "pane": pane.to_string(), "name": alias}))
}

/// A list of states, at least one.
pub fn states(value: Value) -> Result<Vec<AgentState>, String> {
    let known = |item: &Value| {
        let word = item.as_str()?;
        STATES.iter().find(|(name, _)| *name == word).map(|(_, state)| *state)
    };
    let Value::Array(items) = value else { return Err("expected a list of states".to_owned()) };
    let states: Option<Vec<AgentState>> = items.iter().map(known).collect();
    states
        .filter(|states| (1..=16).contains(&states.len()))
        .ok_or_else(|| "expected states: idle, working, blocked, done".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_case_aside_or_stand_for_themselves() {
        for (name, code, modifiers) in [
            ("Enter", KeyCode::Enter, Modifiers::NONE),
            ("cr", KeyCode::Enter, Modifiers::NONE),
            ("ESC", KeyCode::Escape, Modifiers::NONE),
            ("PgDn", KeyCode::PageDown, Modifiers::NONE),
            ("Ctrl+C", KeyCode::Char('c'), Modifiers::CTRL),
            ("c-x", KeyCode::Char('x'), Modifiers::CTRL),
            ("y", KeyCode::Char('y'), Modifiers::NONE),
            ("Y", KeyCode::Char('Y'), Modifiers::NONE),
            ("é", KeyCode::Char('é'), Modifiers::NONE),
        ] {
            assert_eq!(key(name), Some((code, modifiers)), "{name}");
        }
        for bad in ["", "f1", "ctrl+", "ctrl+1", "ctrl+ab", "alt+x", "\u{1b}", "yes"] {
            assert_eq!(key(bad), None, "{bad:?}");
        }
    }
}
