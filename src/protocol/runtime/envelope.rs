//! Request and response lines (`runtime.md` sections 3.1 and 3.2).

use super::error::{ErrorCode, Failure};
use super::snapshot::Snapshot;
use super::{NAME, VERSION};
use crate::protocol::params::Params;
use crate::protocol::strict::Parsed;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The longest id, in bytes.
const ID_BYTES: usize = 256;

/// One request, its token already taken off.
#[derive(Debug, Clone)]
pub struct Request {
    /// Chosen by the client.
    pub id: String,
    /// Which method.
    pub method: String,
    /// Its params.
    pub params: Params,
}

/// A line that is no request, with the id for the answer (empty when it has none).
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The line's id.
    pub id: String,
    /// Why.
    pub failure: Failure,
}

/// Whether a text is meant for this protocol and not for UHP, where `protocol` would be one unknown
/// field.
#[must_use]
pub fn is_meant(value: &Value) -> bool {
    let named = value.get("protocol");
    named.is_some() && (value.get("version").is_some() || named.and_then(Value::as_str) == Some(NAME))
}

/// Reads a request from a parsed line. A token may stand in it; it has been checked or needs none.
pub fn decode(parsed: Parsed) -> Result<Request, Refused> {
    let Value::Object(mut fields) = parsed.value else {
        return Err(Refused { id: String::new(), failure: invalid("a request is a JSON object") });
    };
    let id = match fields.remove("id") {
        Some(Value::String(id)) if (1..=ID_BYTES).contains(&id.len()) => id,
        _ => {
            return Err(Refused {
                id: String::new(),
                failure: invalid("`id` must be 1 to 256 bytes of text"),
            });
        }
    };
    let checked = match parsed.fault {
        Some(fault) => Err(invalid(fault.to_string())),
        None => rest(fields),
    };
    match checked {
        Ok((method, params)) => Ok(Request { id, method, params }),
        Err(failure) => Err(Refused { id, failure }),
    }
}

fn rest(mut fields: Map<String, Value>) -> Result<(String, Params), Failure> {
    let Some(Value::String(protocol)) = fields.remove("protocol") else {
        return Err(invalid("`protocol` must be a text"));
    };
    let Some(version) = fields.remove("version").filter(|version| version.is_i64() || version.is_u64())
    else {
        return Err(invalid("`version` must be an integer"));
    };
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err(invalid("`method` must be a text"));
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(invalid("`params` must be an object")),
    };
    if fields.remove("token").is_some_and(|token| !token.is_string()) {
        return Err(invalid("`token` must be a text"));
    }
    if !fields.is_empty() {
        return Err(invalid(
            "a request has `protocol`, `version`, `id`, `token`, `method`, `params` and nothing else",
        ));
    }
    if protocol != NAME || version.as_u64() != Some(VERSION) {
        let failure =
            Failure::new(ErrorCode::ProtocolVersionMismatch, format!("this is {NAME} version {VERSION}"));
        return Err(failure.with(json!({"supported_versions": [VERSION]})));
    }
    Ok((method, Params::new(params)))
}

fn invalid(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, message)
}

#[derive(Serialize)]
struct Response<'a> {
    protocol: &'static str,
    version: u64,
    id: &'a str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Body<'a>>,
}

#[derive(Serialize)]
struct Body<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Value>,
}

/// The answer's line, with its LF.
#[must_use]
pub fn respond(id: &str, outcome: &Result<Value, Failure>) -> Vec<u8> {
    let error = outcome.as_ref().err().map(|failure| Body {
        code: failure.code.as_str(),
        message: &failure.message,
        details: failure.details.as_ref(),
    });
    let result = outcome.as_ref().ok();
    let response = Response { protocol: NAME, version: VERSION, id, ok: result.is_some(), result, error };
    // Texts and numbers only: there is nothing that could fail to be written as JSON.
    let mut line = serde_json::to_vec(&response).unwrap_or_default();
    line.push(b'\n');
    line
}

#[derive(Serialize)]
struct Event<'a> {
    protocol: &'static str,
    version: u64,
    event: &'static str,
    revision: u64,
    data: &'a Snapshot,
}

/// The line that tells of a snapshot, with its LF.
#[must_use]
pub fn event(snapshot: &Snapshot) -> Vec<u8> {
    let event = Event {
        protocol: NAME,
        version: VERSION,
        event: "runtime.snapshot",
        revision: snapshot.revision,
        data: snapshot,
    };
    // Texts and numbers only, as above.
    let mut line = serde_json::to_vec(&event).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::strict;

    fn read(text: &str) -> Result<Request, Refused> {
        decode(strict::parse(text.as_bytes()).unwrap())
    }

    fn code(text: &str) -> (String, ErrorCode) {
        let refused = read(text).unwrap_err();
        (refused.id, refused.failure.code)
    }

    #[test]
    fn a_stray_field_does_not_make_a_runtime_request() {
        assert!(is_meant(&json!({"protocol": "nebula.runtime"})));
        assert!(is_meant(&json!({"protocol": "other", "version": 3})));
        assert!(!is_meant(&json!({"id": "q", "method": "ping", "params": {}, "protocol": "x"})));
        assert!(!is_meant(&json!([])));
    }

    #[test]
    fn params_and_token_may_be_absent() {
        let bare = read(r#"{"protocol":"nebula.runtime","version":1,"id":"c","method":"runtime.snapshot"}"#)
            .unwrap();
        assert_eq!((bare.id.as_str(), bare.method.as_str()), ("c", "runtime.snapshot"));
        assert!(
            read(
                r#"{"protocol":"nebula.runtime","version":1,"id":"c","token":"x","method":"m","params":{}}"#
            )
            .is_ok()
        );
    }

    #[test]
    fn a_broken_envelope_is_refused_before_the_version() {
        let broken = [
            r#"{"protocol":"other","version":1,"id":"c","method":"m","more":1}"#,
            r#"{"protocol":1,"version":1,"id":"c","method":"m"}"#,
            r#"{"protocol":"nebula.runtime","version":"1","id":"c","method":"m"}"#,
            r#"{"protocol":"nebula.runtime","version":1.0,"id":"c","method":"m"}"#,
            r#"{"protocol":"nebula.runtime","version":1,"id":"c"}"#,
            r#"{"protocol":"nebula.runtime","version":1,"id":"c","method":"m","params":null}"#,
            r#"{"protocol":"nebula.runtime","version":1,"id":"c","method":"m","token":1}"#,
            r#"{"protocol":"nebula.runtime","version":1,"id":"c","method":"m","params":{"a":1,"a":2}}"#,
        ];
        for text in broken {
            assert_eq!(code(text), ("c".to_owned(), ErrorCode::InvalidRequest), "{text}");
        }
        for text in [
            r#"{"protocol":"nebula.runtime","version":1,"id":"","method":"m"}"#,
            r#"{"protocol":"nebula.runtime","version":1,"id":3,"method":"m"}"#,
            r#"{"protocol":"nebula.runtime","version":1,"method":"m"}"#,
        ] {
            assert_eq!(code(text), (String::new(), ErrorCode::InvalidRequest), "{text}");
        }
    }

    #[test]
    fn another_version_learns_which_there_are() {
        for text in [
            r#"{"protocol":"nebula.runtime","version":2,"id":"c","method":"m"}"#,
            r#"{"protocol":"nebula.runtime","version":-1,"id":"c","method":"m"}"#,
            r#"{"protocol":"other","version":1,"id":"c","method":"m"}"#,
        ] {
            let failure = read(text).unwrap_err().failure;
            assert_eq!(failure.code, ErrorCode::ProtocolVersionMismatch, "{text}");
            assert_eq!(failure.details, Some(json!({"supported_versions": [1]})));
        }
    }

    #[test]
    fn an_answer_has_either_result_or_error() {
        let value = |line: Vec<u8>| serde_json::from_slice::<Value>(&line).unwrap();
        assert_eq!(
            value(respond("c", &Ok(json!({})))),
            json!({"protocol":"nebula.runtime","version":1,"id":"c","ok":true,"result":{}})
        );
        assert_eq!(
            value(respond("", &Err(Failure::new(ErrorCode::RequestTooLarge, "x")))),
            json!({"protocol":"nebula.runtime","version":1,"id":"","ok":false,
                   "error":{"code":"request_too_large","message":"x"}})
        );
    }
}
