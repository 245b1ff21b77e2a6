//! Lines in and out (`pane-backend.md` section 2).
//!
//! Invariant: an id goes back as it came, byte for byte.

use super::error::{ErrorCode, Failure};
use crate::protocol::params::{ParamError, Params};
use serde::Deserialize as _;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a response is addressed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The id as it was written.
    id: String,
    /// Whether the request says that it is JSON-RPC.
    jsonrpc: bool,
}

impl Address {
    /// A response to nobody in particular.
    #[must_use]
    pub fn nobody() -> Self {
        Self { id: "null".to_owned(), jsonrpc: false }
    }
}

/// A request that can be looked at further.
#[derive(Debug)]
pub struct Request {
    /// Where its response goes.
    pub address: Address,
    /// What is wanted.
    pub method: String,
    /// With what.
    pub params: Params,
}

/// A line that is no request.
#[derive(Debug)]
pub struct Refused {
    /// Where the error goes.
    pub address: Address,
    /// What is wrong.
    pub failure: Failure,
}

/// Reads a line, without its LF.
///
/// # Errors
/// [`Refused`].
pub fn decode(line: &[u8]) -> Result<Request, Refused> {
    let text = std::str::from_utf8(line).ok();
    let members = text.and_then(|text| serde_json::from_str::<HashMap<String, Box<RawValue>>>(text).ok());
    let Some(members) = members else {
        let failure = Failure::new(ErrorCode::Parse, "the line is not one JSON object in UTF-8");
        return Err(Refused { address: Address::nobody(), failure });
    };
    let raw = |name: &str| members.get(name).map(|value| value.get());
    let jsonrpc = raw("jsonrpc") == Some("\"2.0\"");
    let id = raw("id").unwrap_or("null");
    if id != "null" && !id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit()) {
        let address = Address { jsonrpc, ..Address::nobody() };
        return Err(Refused { address, failure: wrong("id", "expected a string, a number or null") });
    }
    let address = Address { id: id.to_owned(), jsonrpc };
    let refuse = |failure| Refused { address: address.clone(), failure };
    let method = members.get("method").and_then(|method| String::deserialize(&**method).ok());
    let Some(method) = method else { return Err(refuse(wrong("method", "expected a string"))) };
    let params = match members.get("params").map(|params| Value::deserialize(&**params)) {
        None | Some(Ok(Value::Null)) => Params::default(),
        Some(Ok(Value::Object(params))) => Params::new(params),
        Some(_) => return Err(refuse(wrong("params", "expected an object"))),
    };
    Ok(Request { address, method, params })
}

fn wrong(field: &str, problem: &str) -> Failure {
    ParamError::new(field, problem).into()
}

/// The line of a response.
#[must_use]
pub fn respond(address: &Address, outcome: &Result<Value, Failure>) -> Vec<u8> {
    let jsonrpc = if address.jsonrpc { r#""jsonrpc":"2.0","# } else { "" };
    let id = &address.id;
    let body = match outcome {
        Ok(result) => format!(r#""result":{result}"#),
        Err(failure) => {
            let mut error = json!({"code": failure.code.number(), "message": failure.message});
            if let Some(data) = &failure.data {
                error["data"] = data.clone();
            }
            format!(r#""error":{error}"#)
        }
    };
    format!("{{{jsonrpc}\"id\":{id},{body}}}\n").into_bytes()
}

/// The line of a push event.
#[must_use]
pub fn event(method: &str, params: &Value) -> Vec<u8> {
    format!("{}\n", json!({"method": method, "params": params})).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(line: &str) -> String {
        let (address, outcome) = match decode(line.as_bytes()) {
            Ok(request) => (request.address, Ok(json!({"method": request.method}))),
            Err(refused) => (refused.address, Err(refused.failure)),
        };
        String::from_utf8(respond(&address, &outcome)).unwrap()
    }

    #[test]
    fn ids_go_back_as_they_came() {
        for id in ["1", "\"1\"", "null", "-3", "1.0", "12345678901234567890123", r#""\u0041\"""#] {
            let line = format!(r#"{{"id": {id}, "method":"m", "extra": [1]}}"#);
            assert_eq!(answered(&line), format!("{{\"id\":{id},\"result\":{{\"method\":\"m\"}}}}\n"));
        }
        assert_eq!(
            answered(r#"{"method":"m","params":null}"#),
            "{\"id\":null,\"result\":{\"method\":\"m\"}}\n"
        );
        assert!(
            answered(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).starts_with(r#"{"jsonrpc":"2.0","id":1,"#)
        );
    }

    #[test]
    fn what_is_no_request_says_so_to_whom_it_can() {
        let code = |line: &str| -> (Value, Value) {
            let answer: Value = serde_json::from_str(&answered(line)).unwrap();
            (answer["id"].clone(), answer["error"]["code"].clone())
        };
        for line in ["", "nonsense", "[]", "3", "null", "{} {}", r#"{"id":1"#] {
            assert_eq!(code(line), (Value::Null, json!(-32700)), "{line}");
        }
        for id in ["true", "[]", "{}"] {
            assert_eq!(code(&format!(r#"{{"id":{id},"method":"m"}}"#)), (Value::Null, json!(-32602)));
        }
        for line in [r#"{"id":7}"#, r#"{"id":7,"method":3}"#, r#"{"id":7,"method":"m","params":[]}"#] {
            assert_eq!(code(line), (json!(7), json!(-32602)), "{line}");
        }
        assert!(
            matches!(decode(b"{\"id\":\"\xff\"}"), Err(refused) if refused.failure.code == ErrorCode::Parse)
        );
    }
}
