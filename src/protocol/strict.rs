//! Strict JSON for the control protocols: no key twice in one object, at any depth, and a bounded
//! depth. An ordinary parser keeps the last of two equal keys silently, so that what one program
//! checked is not what another one reads.
//!
//! Invariant: a broken rule does not stop the parser, so that an id can still be read for the answer;
//! whoever calls must refuse a text with a [`Fault`].

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// Objects and arrays inside each other. No request of ours needs ten.
const DEPTH: usize = 64;

/// A text that is JSON but breaks our rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A key stands twice in one object.
    #[error("a key stands twice in one object")]
    DuplicateKey,
    /// Objects or arrays are nested too deeply.
    #[error("the JSON is nested deeper than {DEPTH} levels")]
    TooDeep,
}

/// A text that is not JSON, or is followed by something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the frame is not one JSON text in UTF-8")]
pub struct Malformed;

/// A JSON text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Its value; of a duplicate key the first value.
    pub value: Value,
    /// The first rule that it breaks.
    pub fault: Option<Fault>,
}

/// Parses one JSON text with nothing but white space around it.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Malformed> {
    let fault = Cell::new(None);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { fault: &fault, depth: 0 }.deserialize(&mut reader).map_err(|_| Malformed)?;
    reader.end().map_err(|_| Malformed)?;
    Ok(Parsed { value, fault: fault.get() })
}

#[derive(Clone, Copy)]
struct Strict<'a> {
    fault: &'a Cell<Option<Fault>>,
    depth: usize,
}

impl Strict<'_> {
    fn report(self, fault: Fault) {
        if self.fault.get().is_none() {
            self.fault.set(Some(fault));
        }
    }

    fn deeper(self) -> Self {
        if self.depth == DEPTH {
            self.report(Fault::TooDeep);
        }
        Self { depth: self.depth + 1, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.deeper();
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.deeper();
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(inside)?;
            if object.contains_key(&key) {
                self.report(Fault::DuplicateKey);
            } else {
                object.insert(key, value);
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_duplicate_key_is_found_at_any_depth_and_the_rest_is_still_read() {
        for text in [
            r#"{"id":"a","id":"b"}"#,
            r#"{"id":"a","params":{"x":1,"x":1}}"#,
            r#"{"id":"a","p":[[{"x":{"\u0078":1,"x":2}}]]}"#,
        ] {
            let parsed = parse(text.as_bytes()).unwrap();
            assert_eq!(parsed.fault, Some(Fault::DuplicateKey), "{text}");
            assert_eq!(parsed.value["id"], "a");
        }
        assert_eq!(parse(br#"[{"x":1},{"x":1}]"#).unwrap().fault, None);
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(parse(nested(DEPTH).as_bytes()).unwrap().fault, None);
        assert_eq!(parse(nested(DEPTH + 1).as_bytes()).unwrap().fault, Some(Fault::TooDeep));
        assert_eq!(parse(nested(100_000).as_bytes()), Err(Malformed));
    }

    #[test]
    fn what_is_not_one_json_text_is_malformed() {
        let bad: [&[u8]; 8] =
            [b"", b"{}{}", b"{} x", b"{'a':1}", b"{\"a\":1,}", b"\"\xff\"", b"\"\\ud800\"", b"1e999"];
        for text in bad {
            assert_eq!(parse(text), Err(Malformed), "{text:?}");
        }
        assert_eq!(
            parse(b" {\"a\":[1,-2,2.5,null,true]}\r").unwrap().value,
            json!({"a": [1, -2, 2.5, null, true]})
        );
    }

    proptest! {
        #[test]
        fn never_panics_and_agrees_with_the_ordinary_parser(text in r#"[\[\]{}",:a0-9 \\]{0,40}"#) {
            let ours = parse(text.as_bytes());
            let theirs = serde_json::from_str::<Value>(&text);
            match (ours, theirs) {
                (Ok(Parsed { value, fault: None }), Ok(other)) => prop_assert_eq!(value, other),
                (Ok(Parsed { fault: Some(_), .. }), Ok(_)) | (Err(Malformed), Err(_)) => {}
                (ours, theirs) => prop_assert!(false, "{:?} {:?}", ours, theirs),
            }
        }
    }
}
