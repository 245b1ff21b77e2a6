//! `uhp.token.*` (`uhp.md` section 20).

use super::super::Context;
use super::super::authority::{Grant, SCOPES, Scopes};
use super::nothing;
use crate::protocol::limits::TOKEN_TTL_S;
use crate::protocol::params::{Params, integer, text};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use serde_json::{Value, json};

/// `uhp.token.create`
pub async fn create(mut params: Params, context: Context) -> Result<Value, Failure> {
    let scopes = params.required("scopes", scopes)?;
    let ttl_s = params.optional("ttl_s", integer(1..=TOKEN_TTL_S))?;
    params.finish()?;
    let (secret, grant) = context.session.tokens.create(&context.authority, scopes, ttl_s)?;
    let mut result = row(&grant);
    result["type"] = json!("uhp_token");
    result["token"] = json!(secret);
    Ok(result)
}

/// 1 to 8 of the scopes, each once.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn scopes(value: Value) -> Result<Scopes, String> {
    let named = value.as_array().filter(|list| (1..=SCOPES.len()).contains(&list.len())).and_then(|list| {
        let known = |name: &Value| SCOPES.iter().copied().find(|scope| name.as_str() == Some(scope));
        list.iter().map(known).collect::<Option<Scopes>>()
    });
    let unique = |scopes: &Scopes| (1..scopes.len()).all(|at| !scopes[..at].contains(&scopes[at]));
    named.filter(unique).ok_or_else(|| format!("expected a list of different words of {}", SCOPES.join(", ")))
}

fn row(grant: &Grant) -> Value {
    json!({"id": grant.id, "scopes": grant.scopes, "expires_at": grant.expires_at})
}

/// `uhp.token.list`
pub async fn list(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let tokens: Vec<Value> = context.session.tokens.list().iter().map(|grant| row(grant)).collect();
    Ok(json!({"type": "uhp_token_list", "tokens": tokens}))
}

/// `uhp.token.revoke`
pub async fn revoke(mut params: Params, context: Context) -> Result<Value, Failure> {
    let id = params.required("id", text(1..=64))?;
    params.finish()?;
    if context.session.tokens.revoke(&id) {
        return Ok(json!({"type": "ok", "id": id}));
    }
    Err(Failure::new(ErrorCode::NotFound, "no such token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_known_different_and_not_none() {
        assert_eq!(scopes(json!(["read", "admin"])), Ok(vec!["read", "admin"]));
        for bad in [json!([]), json!(["read", "read"]), json!(["write"]), json!("read"), json!([1])] {
            assert!(scopes(bad.clone()).is_err(), "{bad}");
        }
    }
}
