//! Reading what several methods have in common.

use crate::protocol::metadata::{Metadata, MetadataChange};
use crate::protocol::params::{ParamError, Params, Reader};
use serde_json::{Value, json};

/// The longest wait.
const LONGEST_MS: u64 = 86_400_000;
/// Bounds of a description (`pane-backend.md` 3.2).
const NAME_CHARS: usize = 128;
const WORD_CHARS: usize = 32;
const TOOLS: usize = 128;

/// A context id: its number, which may be of no pane, and its text.
pub fn context(value: Value) -> Result<(u64, String), String> {
    let wrong = || "expected a context id, `%` and a number".to_owned();
    let Value::String(text) = value else { return Err(wrong()) };
    let digits = text.strip_prefix('%').filter(|digits| !digits.is_empty());
    let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let digits = digits.filter(|digits| *digits == "0" || !digits.starts_with('0')).ok_or_else(wrong)?;
    // Beyond any pane either way.
    Ok((digits.parse().unwrap_or(u64::MAX), text))
}

/// A time in milliseconds.
pub fn milliseconds(value: Value) -> Result<u64, String> {
    crate::protocol::params::integer(0..=LONGEST_MS)(value)
}

/// Any text without NUL.
pub fn plain(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) if !text.contains('\0') => Ok(text),
        _ => Err("expected a text without NUL".to_owned()),
    }
}

/// A text with something in it.
pub fn filled(value: Value) -> Result<String, String> {
    plain(value)
        .ok()
        .filter(|text| !text.is_empty())
        .ok_or_else(|| "expected a text that is not empty and without NUL".to_owned())
}

/// A list of texts without NUL.
pub fn texts(value: Value) -> Result<Vec<String>, String> {
    let wrong = || "expected a list of texts without NUL".to_owned();
    let Value::Array(items) = value else { return Err(wrong()) };
    items.into_iter().map(plain).collect::<Result<_, _>>().map_err(|_| wrong())
}

/// Program and arguments; an empty list is allowed, an empty program is not.
pub fn argv(value: Value) -> Result<Vec<String>, String> {
    let argv = texts(value)?;
    if argv.first().is_some_and(String::is_empty) {
        return Err("expected a program that is not empty".to_owned());
    }
    Ok(argv)
}

/// Variables of an environment.
pub fn environment(value: Value) -> Result<Vec<(String, String)>, String> {
    let wrong = || "expected an object from names, not empty and without `=`, to texts".to_owned();
    let Value::Object(entries) = value else { return Err(wrong()) };
    let entry = |(name, value): (String, Value)| match plain(value) {
        Ok(value) if !name.is_empty() && !name.contains(['=', '\0']) => Ok((name, value)),
        _ => Err(wrong()),
    };
    entries.into_iter().map(entry).collect()
}

/// A change of a description.
pub fn change(value: Value) -> Result<MetadataChange, String> {
    let Value::Object(fields) = value else { return Err("expected an object".to_owned()) };
    let mut fields = Params::new(fields);
    let mut read = || -> Result<MetadataChange, ParamError> {
        Ok(MetadataChange {
            name: member(&mut fields, "name", short(NAME_CHARS))?,
            role: member(&mut fields, "role", short(NAME_CHARS))?,
            color: member(&mut fields, "color", short(WORD_CHARS))?,
            effort: member(&mut fields, "effort", short(WORD_CHARS))?,
            max_turns: member(&mut fields, "max_turns", |value| {
                value.as_u64().ok_or_else(|| "expected a number of turns".to_owned())
            })?,
            disallowed_tools: member(&mut fields, "disallowed_tools", tools)?,
        })
    };
    read().map_err(|error| error.to_string())
}

/// A member that may be missing, or null to clear.
fn member<T>(fields: &mut Params, name: &str, read: impl Reader<T>) -> Result<Option<Option<T>>, ParamError> {
    fields.optional(name, |value| if value.is_null() { Ok(None) } else { read(value).map(Some) })
}

fn short(chars: usize) -> impl Reader<String> {
    move |value| match value {
        Value::String(text) if text.chars().count() <= chars && !text.chars().any(char::is_control) => {
            Ok(text)
        }
        _ => Err(format!("expected a text of at most {chars} characters without control characters")),
    }
}

fn tools(value: Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(items) if items.len() <= TOOLS => {
            items.into_iter().map(|item| short(NAME_CHARS)(item)).collect()
        }
        _ => Err(format!("expected a list of at most {TOOLS} texts")),
    }
}

/// A description, with all six members.
#[must_use]
pub fn described(metadata: &Metadata) -> Value {
    json!({
        "name": metadata.name, "role": metadata.role, "color": metadata.color, "effort": metadata.effort,
        "max_turns": metadata.max_turns, "disallowed_tools": metadata.disallowed_tools,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_ids_are_a_per_cent_sign_and_a_number() {
        assert_eq!(context(json!("%7")).map(|(number, _)| number), Ok(7));
        assert_eq!(context(json!("%0")).map(|(number, _)| number), Ok(0));
        assert_eq!(context(json!("%99999999999999999999999")).map(|(number, _)| number), Ok(u64::MAX));
        for bad in [json!("7"), json!("%"), json!("%x"), json!("% 7"), json!("%-1"), json!("%07"), json!(7)] {
            assert!(context(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn descriptions_are_bounded_and_merge() {
        let of = |value: Value| change(value).map(|change| Metadata::default().changed(change));
        let full =
            of(json!({"name": "é".repeat(128), "max_turns": 0, "disallowed_tools": [], "x": 1})).unwrap();
        assert_eq!((full.max_turns, full.disallowed_tools), (Some(0), Some(vec![])));
        for bad in [
            json!([]),
            json!({"name": "x".repeat(129)}),
            json!({"color": "x".repeat(33)}),
            json!({"role": "a\nb"}),
            json!({"max_turns": -1}),
            json!({"max_turns": 1.5}),
            json!({"disallowed_tools": vec!["x"; 129]}),
            json!({"disallowed_tools": [1]}),
        ] {
            assert!(of(bad.clone()).is_err(), "{bad}");
        }
        assert_eq!(described(&Metadata::default()).as_object().unwrap().len(), 6);
    }

    #[test]
    fn environments_have_plain_names_and_values() {
        assert_eq!(environment(json!({"A": ""})), Ok(vec![("A".into(), String::new())]));
        for bad in [json!({"": "x"}), json!({"A=B": "x"}), json!({"A": 1}), json!({"A": "a\u{0}"}), json!([])]
        {
            assert!(environment(bad.clone()).is_err(), "{bad}");
        }
        assert!(argv(json!(["", "x"])).is_err() && argv(json!([])).is_ok());
    }
}
