//! `pane.send_key` (`runtime.md` section 7.4): named keys, never bytes.

use super::{Context, bad, error, fields, input, target};
use crate::protocol::key::{KeyCode, Modifiers};
use crate::protocol::params::{Params, boolean, integer, object, text};
use crate::protocol::runtime::error::Failure;
use serde_json::{Value, json};

const NAMED: &[(&str, KeyCode)] = &[
    ("escape", KeyCode::Escape),
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("page_up", KeyCode::PageUp),
    ("page_down", KeyCode::PageDown),
];

/// How often one request may repeat a key.
const REPEAT: u64 = 64;
/// No key has a longer name.
const NAME_BYTES: usize = 16;

/// `pane.send_key`
pub fn send(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    let name = params.required("key", text(1..=NAME_BYTES))?;
    let held = params.optional("modifiers", object)?.map_or(Ok(Modifiers::NONE), modifiers)?;
    let repeat = params.optional("repeat", integer(1..=REPEAT))?.unwrap_or(1);
    params.finish()?;
    let (code, held) = key(&name, held)?;
    let (pane, entry) = input::running(context, window, pane)?;
    let mut known = true;
    let times = usize::try_from(repeat).unwrap_or(1);
    let queued = context.tracker.queue(&context.hub, &entry.handle, false, || {
        known = entry.handle.tap_times(code, held, times)?;
        Ok(())
    });
    queued.map_err(error::of_submit)?;
    if !known {
        return Err(bad("key", "has no encoding with these modifiers"));
    }
    let scene = context.hub.snapshot().scene;
    let mut action = fields(pane.workspace.0, target::tab_index(&scene, pane.id), Some(pane.id.0));
    action["key"] = json!(name);
    action["repeat"] = json!(repeat);
    Ok(context.action("pane.send_key", action))
}

fn modifiers(mut params: Params) -> Result<Modifiers, Failure> {
    let mut held = Modifiers::NONE;
    for (name, modifier) in
        [("shift", Modifiers::SHIFT), ("alt", Modifiers::ALT), ("control", Modifiers::CTRL)]
    {
        if params.optional(name, boolean)?.unwrap_or(false) {
            held = held.with(modifier);
        }
    }
    params.finish()?;
    Ok(held)
}

fn key(name: &str, held: Modifiers) -> Result<(KeyCode, Modifiers), Failure> {
    if let Some((_, code)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Ok((*code, held));
    }
    let number =
        name.strip_prefix('f').filter(|digits| digits.starts_with(|first| matches!(first, '1'..='9')));
    if let Some(number) = number.and_then(|digits| digits.parse().ok()).filter(|n| (1..=12).contains(n)) {
        return Ok((KeyCode::Function(number), held));
    }
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(letter @ 'a'..='z'), None) if held.contains(Modifiers::CTRL) => {
            // With Shift a key event carries the capital.
            let shifted = held.contains(Modifiers::SHIFT);
            Ok((KeyCode::Char(if shifted { letter.to_ascii_uppercase() } else { letter }), held))
        }
        (Some('a'..='z'), None) => {
            Err(bad("key", "a letter needs `control`: text is typed with pane.prompt"))
        }
        _ => Err(bad("key", "expected a named key or a letter")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_keys_and_letters_with_control_are_keys() {
        let code = |name: &str, held| key(name, held).ok().map(|(code, _)| code);
        assert_eq!(code("page_up", Modifiers::NONE), Some(KeyCode::PageUp));
        assert_eq!(code("f12", Modifiers::SHIFT), Some(KeyCode::Function(12)));
        assert_eq!(code("c", Modifiers::CTRL), Some(KeyCode::Char('c')));
        let shifted = Modifiers::CTRL.with(Modifiers::SHIFT);
        assert_eq!(code("c", shifted), Some(KeyCode::Char('C')));
        for wrong in ["c", "f13", "f0", "f01", "f+1", "C", "Enter", "\u{1b}[A", "ctrl-c", "1", "é"] {
            assert_eq!(code(wrong, Modifiers::NONE), None, "{wrong:?}");
        }
    }
}
