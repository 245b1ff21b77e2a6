//! Request and response frames (`uhp.md` section 1).

use super::error::{Dispatch, ErrorCode, Failure};
use crate::protocol::limits;
use crate::protocol::params::Params;
use crate::protocol::strict::Parsed;
use serde::Serialize;
use serde_json::{Map, Value};

/// The id of an answer to a frame whose own id cannot be used.
pub const NO_ID: &str = "0";

/// The longest id and the longest token, in characters.
const ID_CHARS: usize = 128;
const AUTH_BYTES: usize = 256;

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Chosen by the client.
    pub id: String,
    /// Which method.
    pub method: String,
    /// Its params.
    pub params: Params,
    /// A delegated token.
    pub auth: Option<String>,
}

/// A frame that is no request, with the id for the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The frame's id if it can be used, else [`NO_ID`].
    pub id: String,
    /// Why.
    pub failure: Failure,
}

/// Reads a request from a parsed frame.
pub fn decode(parsed: Parsed) -> Result<Request, Refused> {
    let (id, fields) = split_id(parsed)?;
    match rest(fields) {
        Ok((method, params, auth)) => Ok(Request { id, method, params, auth }),
        Err(message) => Err(refuse(&id, message)),
    }
}

/// The id of a frame and its other fields.
pub(super) fn split_id(parsed: Parsed) -> Result<(String, Map<String, Value>), Refused> {
    let Value::Object(mut fields) = parsed.value else {
        return Err(refuse(NO_ID, "a frame is a JSON object"));
    };
    let Some(id) = fields.remove("id").and_then(usable_id) else {
        return Err(refuse(NO_ID, "`id` must be 1 to 128 characters of A-Z a-z 0-9 . _ : -"));
    };
    match parsed.fault {
        Some(fault) => Err(refuse(&id, fault.to_string())),
        None => Ok((id, fields)),
    }
}

fn rest(mut fields: Map<String, Value>) -> Result<(String, Params, Option<String>), &'static str> {
    let Some(Value::String(method)) = fields.remove("method") else { return Err("`method` must be a text") };
    let Some(Value::Object(params)) = fields.remove("params") else {
        return Err("`params` must be an object");
    };
    let auth = match fields.remove("auth") {
        None => None,
        Some(Value::String(token)) if is_token(&token) => Some(token),
        Some(_) => return Err("`auth` must be 1 to 256 printable ASCII characters without a space"),
    };
    if !fields.is_empty() {
        return Err("a request has `id`, `method`, `params`, `auth` and nothing else");
    }
    Ok((method, Params::new(params), auth))
}

fn usable_id(value: Value) -> Option<String> {
    let Value::String(id) = value else { return None };
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    ((1..=ID_CHARS).contains(&id.len()) && id.bytes().all(known)).then_some(id)
}

fn is_token(token: &str) -> bool {
    (1..=AUTH_BYTES).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic())
}

pub(super) fn refuse(id: &str, message: impl Into<String>) -> Refused {
    Refused { id: id.to_owned(), failure: Failure::new(ErrorCode::InvalidRequest, message) }
}

/// The frame of an event, with its LF.
#[must_use]
pub fn event(name: &str, sequence: u64, data: &Value) -> Vec<u8> {
    line(&Event { event: name, sequence, data })
}

#[derive(Serialize)]
struct Event<'a> {
    event: &'a str,
    sequence: u64,
    data: &'a Value,
}

#[derive(Serialize)]
struct Success<'a> {
    id: &'a str,
    result: &'a Value,
}

#[derive(Serialize)]
struct Error<'a> {
    id: &'a str,
    error: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch: Option<Dispatch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
}

/// The frame of a success, with its LF. A result that does not fit becomes a failure.
#[must_use]
pub fn success(id: &str, result: &Value) -> Vec<u8> {
    let frame = line(&Success { id, result });
    if frame.len() <= limits::UHP_FRAME_BYTES { frame } else { too_long(id) }
}

/// [`success`] for a result that is one JSON object as text. Ids need no escapes.
#[must_use]
pub fn written(id: &str, result: &[u8]) -> Vec<u8> {
    let frame = [b"{\"id\":\"", id.as_bytes(), b"\",\"result\":", result, b"}\n"].concat();
    if frame.len() <= limits::UHP_FRAME_BYTES { frame } else { too_long(id) }
}

fn too_long(id: &str) -> Vec<u8> {
    failure(id, &Failure::new(ErrorCode::LimitExceeded, "the answer is longer than a frame may be"), false)
}

/// The frame of a failure, with its LF. `mutation`: whether the request would have changed something.
#[must_use]
pub fn failure(id: &str, failure: &Failure, mutation: bool) -> Vec<u8> {
    let class = failure.dispatch.unwrap_or_else(|| failure.code.dispatch());
    let body = Body {
        code: failure.code.as_str(),
        message: &failure.message,
        dispatch: (mutation || failure.dispatch.is_some()).then_some(class),
        data: failure.data.as_ref(),
    };
    line(&Error { id, error: body })
}

fn line(value: &impl Serialize) -> Vec<u8> {
    // Texts and numbers only: there is nothing that could fail to be written as JSON.
    let mut frame = serde_json::to_vec(value).unwrap_or_default();
    frame.push(b'\n');
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::strict;
    use serde_json::json;

    fn read(text: &str) -> Result<Request, Refused> {
        decode(strict::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_request_has_exactly_its_fields() {
        let request = read(r#"{"id":"a.B_1:-","method":"ping","params":{},"auth":"luv_tok_x"}"#).unwrap();
        assert_eq!((request.id.as_str(), request.method.as_str()), ("a.B_1:-", "ping"));
        assert_eq!(request.auth.as_deref(), Some("luv_tok_x"));
        for bad in [
            r#"{"id":"q","method":"ping"}"#,
            r#"{"id":"q","method":"ping","params":null}"#,
            r#"{"id":"q","method":"ping","params":[]}"#,
            r#"{"id":"q","method":1,"params":{}}"#,
            r#"{"id":"q","params":{}}"#,
            r#"{"id":"q","method":"ping","params":{},"extra":1}"#,
            r#"{"id":"q","method":"ping","params":{},"auth":""}"#,
            r#"{"id":"q","method":"ping","params":{},"auth":"a b"}"#,
            r#"{"id":"q","method":"ping","params":{},"auth":null}"#,
            r#"{"id":"q","method":"ping","params":{"a":1,"a":1}}"#,
        ] {
            let refused = read(bad).unwrap_err();
            assert_eq!(refused.id, "q", "{bad}");
            assert_eq!(refused.failure.code, ErrorCode::InvalidRequest, "{bad}");
        }
    }

    #[test]
    fn an_unusable_id_is_answered_with_zero() {
        let long = format!(r#"{{"id":"{}","method":"ping","params":{{}}}}"#, "x".repeat(129));
        for bad in [
            "[]",
            r#"{"method":"ping","params":{}}"#,
            r#"{"id":"","method":"ping","params":{}}"#,
            r#"{"id":7,"method":"ping","params":{}}"#,
            r#"{"id":"é","method":"ping","params":{}}"#,
            r#"{"id":"a b","method":"ping","params":{}}"#,
            &long,
        ] {
            assert_eq!(read(bad).unwrap_err().id, NO_ID, "{bad}");
        }
    }

    #[test]
    fn failures_of_mutations_say_how_far_they_got() {
        let stale = Failure::new(ErrorCode::StaleRoute, "pane route changed");
        let text = |bytes: Vec<u8>| serde_json::from_slice::<Value>(&bytes).unwrap();
        assert_eq!(
            text(failure("q2", &stale, true)),
            json!({"id":"q2","error":{"code":"stale_route","message":"pane route changed","dispatch":"rejected"}})
        );
        assert_eq!(text(failure("q2", &stale, false))["error"].get("dispatch"), None);
        let started = Failure::new(ErrorCode::CreateFailed, "x").with(Dispatch::Started);
        assert_eq!(text(failure("q2", &started, true))["error"]["dispatch"], "started");
    }

    #[test]
    fn a_written_result_makes_the_same_frame() {
        let result = json!({"text": "a\"b", "type": "x"});
        assert_eq!(written("q.1", result.to_string().as_bytes()), success("q.1", &result));
        let long = json!({"text": "x".repeat(limits::UHP_FRAME_BYTES)});
        assert_eq!(written("q", long.to_string().as_bytes()), success("q", &long));
    }

    #[test]
    fn an_answer_never_exceeds_a_frame() {
        let fits = json!({"type": "x", "text": "a".repeat(limits::UHP_FRAME_BYTES - 100)});
        assert!(success("q", &fits).len() <= limits::UHP_FRAME_BYTES);
        let frame = success("q", &json!({"text": "\u{1b}".repeat(limits::UHP_FRAME_BYTES / 4)}));
        assert_eq!(serde_json::from_slice::<Value>(&frame).unwrap()["error"]["code"], "limit_exceeded");
    }
}
