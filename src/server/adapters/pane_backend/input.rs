//! `write` (`pane-backend.md` 4.5).

use super::dispatch::Caller;
use super::error::{no_pane, of_input};
use super::list::Target;
use crate::protocol::base64;
use crate::protocol::pane_backend::error::Failure;
use crate::protocol::pane_backend::params::context;
use crate::protocol::params::Params;
use crate::server::hub::PaneEntry;
use serde_json::{Value, json};

/// The longest input, decoded.
const BYTES: usize = 524_288;

/// `write`
pub fn write(mut params: Params, caller: &Caller) -> Result<Value, Failure> {
    let (number, context) = params.required("context_id", context)?;
    let bytes = params.required("data", bytes)?;
    let Target { entry, context } = Target::find(number, context, caller)?;
    if entry.exited.is_some() || entry.handle.status().is_some() {
        return Err(no_pane(&context));
    }
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    let enters = bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n')) && is_at_prompt(&entry);
    entry.handle.bytes(bytes).map_err(|error| of_input(error, &context))?;
    if enters {
        caller.hub()?.submitted(&entry.handle);
    }
    Ok(json!({}))
}

/// Whether a line that is entered now is a command for the pane's shell.
fn is_at_prompt(entry: &PaneEntry) -> bool {
    let commands = entry.handle.commands();
    let commands = commands.borrow();
    if commands.marked() { commands.at_prompt() } else { entry.shell && !entry.handle.is_busy() }
}

#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn bytes(value: Value) -> Result<Vec<u8>, String> {
    let text = value.as_str().ok_or("expected a text in base64")?;
    // The padding may be left out, but not be half there.
    let decoded = base64::decode(text.as_bytes()).or_else(|| base64::decode_digits(text.as_bytes()));
    let decoded = decoded.ok_or("expected a text in base64")?;
    if decoded.len() > BYTES { Err(format!("expected at most {BYTES} bytes")) } else { Ok(decoded) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_with_and_without_padding_and_nothing_else() {
        for text in ["aGVsbG8K", "aGk=", "aGk", ""] {
            assert!(bytes(json!(text)).is_ok(), "{text}");
        }
        for bad in [json!("a"), json!("aGk=="), json!("a b="), json!("-_-_"), json!(3)] {
            assert!(bytes(bad.clone()).is_err(), "{bad}");
        }
        let of = |count: usize| bytes(json!("A".repeat(count.div_ceil(3) * 4)));
        assert!(of(BYTES - 2).is_ok() && of(BYTES + 3).is_err());
    }
}
