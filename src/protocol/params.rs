//! Reading the closed `params` object of a request: every field with its type and bounds, and no
//! field more.
//!
//! Invariant: an error names the field and what was expected, never what was sent: params carry
//! prompts and commands.

use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// A field that breaks the schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {problem}")]
pub struct ParamError {
    /// Name of the field; `params` when an unknown field has a name that is not worth repeating.
    pub field: String,
    /// What was expected.
    pub problem: String,
}

impl ParamError {
    /// An error of that field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// Reads a value, or says what was expected.
pub trait Reader<T>: FnOnce(Value) -> Result<T, String> {}

impl<T, F: FnOnce(Value) -> Result<T, String>> Reader<T> for F {}

/// The fields that have not been read yet.
#[derive(Debug, Clone, Default)]
pub struct Params {
    fields: Map<String, Value>,
}

impl Params {
    /// The fields of a `params` object.
    #[must_use]
    pub fn new(fields: Map<String, Value>) -> Self {
        Self { fields }
    }

    /// Whether the field is there and not yet read.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// A field that is not read yet, if it is a natural number.
    #[must_use]
    pub fn number(&self, field: &str) -> Option<u64> {
        self.fields.get(field)?.as_u64()
    }

    /// A field that must be there.
    pub fn required<T>(&mut self, field: &str, read: impl Reader<T>) -> Result<T, ParamError> {
        let value = self.fields.remove(field).ok_or_else(|| ParamError::new(field, "is required"))?;
        read(value).map_err(|problem| ParamError::new(field, problem))
    }

    /// A field that may be absent, but not null.
    pub fn optional<T>(&mut self, field: &str, read: impl Reader<T>) -> Result<Option<T>, ParamError> {
        let Some(value) = self.fields.remove(field) else { return Ok(None) };
        read(value).map(Some).map_err(|problem| ParamError::new(field, problem))
    }

    /// A field that may be absent or null, which means the same.
    pub fn nullable<T>(&mut self, field: &str, read: impl Reader<T>) -> Result<Option<T>, ParamError> {
        if self.fields.get(field).is_some_and(Value::is_null) {
            self.fields.remove(field);
        }
        self.optional(field, read)
    }

    /// How long the fields are as JSON.
    #[must_use]
    pub fn bytes(&self) -> usize {
        serde_json::to_vec(&self.fields).map_or(usize::MAX, |text| text.len())
    }

    /// Refuses fields that nobody read. Call it before anything happens.
    pub fn finish(self) -> Result<(), ParamError> {
        let Some(field) = self.fields.keys().next() else { return Ok(()) };
        let plain = (1..=32).contains(&field.len())
            && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Err(ParamError::new(if plain { field } else { "params" }, "is not a parameter of this method"))
    }
}

/// An integer within bounds.
pub fn integer(range: RangeInclusive<u64>) -> impl Reader<u64> {
    move |value| {
        value.as_u64().filter(|number| range.contains(number)).ok_or_else(|| {
            if *range.end() == u64::MAX {
                format!("expected an integer of at least {}", range.start())
            } else {
                format!("expected an integer from {} to {}", range.start(), range.end())
            }
        })
    }
}

/// A number within bounds.
pub fn number(range: RangeInclusive<f64>) -> impl Reader<f64> {
    move |value| {
        let inside = value.as_f64().filter(|number| range.contains(number));
        inside.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
    }
}

/// A truth value.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
pub fn boolean(value: Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "expected true or false".to_owned())
}

/// A text whose UTF-8 bytes lie within bounds.
pub fn text(bytes: RangeInclusive<usize>) -> impl Reader<String> {
    move |value| match value {
        Value::String(text) if bytes.contains(&text.len()) => Ok(text),
        _ => Err(format!("expected a text of {} to {} bytes", bytes.start(), bytes.end())),
    }
}

/// One word of a closed list, given with what it means.
pub fn word<T: Copy>(words: &'static [(&'static str, T)]) -> impl Reader<T> {
    move |value| {
        let known = value.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
        known.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

/// An object, to be read further.
pub fn object(value: Value) -> Result<Params, String> {
    match value {
        Value::Object(fields) => Ok(Params::new(fields)),
        _ => Err("expected an object".to_owned()),
    }
}

/// An absolute path that a child can be started in: no NUL, at most 4,096 bytes.
pub fn absolute_path(value: Value) -> Result<String, String> {
    match value {
        Value::String(path) if is_absolute(&path) && path.len() <= PATH_BYTES && !path.contains('\0') => {
            Ok(path)
        }
        _ => Err(format!("expected an absolute path of at most {PATH_BYTES} bytes")),
    }
}

/// `cwd_bytes` of `uhp.md` section 5.3.
pub const PATH_BYTES: usize = 4_096;

fn is_absolute(path: &str) -> bool {
    std::path::Path::new(path).is_absolute()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn params(value: Value) -> Params {
        object(value).unwrap()
    }

    #[test]
    fn absent_null_and_wrong_are_told_apart() {
        let mut fields = params(json!({"a": null, "b": 3}));
        assert_eq!(fields.optional("c", boolean), Ok(None));
        assert!(fields.clone().optional("a", boolean).is_err());
        assert_eq!(fields.nullable("a", boolean), Ok(None));
        assert_eq!(fields.required("b", integer(1..=3)), Ok(3));
        assert_eq!(fields.required("b", integer(1..=3)), Err(ParamError::new("b", "is required")));
        assert_eq!(fields.finish(), Ok(()));
    }

    #[test]
    fn integers_are_integers() {
        for bad in [json!(0), json!(4), json!(1.0), json!("1"), json!(-1), json!(true), json!(null)] {
            assert!(integer(1..=3)(bad.clone()).is_err(), "{bad}");
        }
        assert_eq!(integer(0..=u64::MAX)(json!(u64::MAX)), Ok(u64::MAX));
        assert!(number(0.05..=0.95)(json!("0.5")).is_err());
    }

    #[test]
    fn errors_name_fields_but_never_repeat_values() {
        let mut fields = params(json!({"text": 12345, "rm -rf secret": 1}));
        let error = fields.required("text", text(1..=9)).unwrap_err();
        assert_eq!(error.to_string(), "`text`: expected a text of 1 to 9 bytes");
        assert_eq!(fields.finish().unwrap_err().field, "params");
        assert_eq!(params(json!({"linez": 1})).finish().unwrap_err().field, "linez");
    }
}
