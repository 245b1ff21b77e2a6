//! The rules for names (`product.md` section 2, `spec/README.md` point 24).

use super::ModelError;
use crate::protocol::limits::TITLE_BYTES;

/// The longest workspace name, in characters (`uhp.md` section 17).
const WORKSPACE_CHARS: usize = 40;
/// The longest alias, in bytes.
const ALIAS_BYTES: usize = 32;

/// A workspace's name, trimmed.
pub(super) fn workspace(name: &str) -> Result<String, ModelError> {
    let name = name.trim();
    if !(1..=WORKSPACE_CHARS).contains(&name.chars().count()) {
        return Err(bad(format!("a workspace's name has 1 to {WORKSPACE_CHARS} characters")));
    }
    no_control(name)
}

/// A tab's name; nothing if it is empty.
pub(super) fn tab(name: &str) -> Result<Option<String>, ModelError> {
    short(name, "a tab's name")
}

/// A pane's label; nothing if it is empty.
pub(super) fn label(name: &str) -> Result<Option<String>, ModelError> {
    short(name, "a label")
}

/// A pane's alias; nothing if it is empty.
pub(super) fn alias(name: &str) -> Result<Option<String>, ModelError> {
    let tail = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    match name.as_bytes() {
        [] => Ok(None),
        [b'a'..=b'z', rest @ ..] if rest.len() < ALIAS_BYTES && rest.iter().all(|byte| tail(*byte)) => {
            Ok(Some(name.to_owned()))
        }
        _ => Err(bad(format!(
            "a pane's name has at most {ALIAS_BYTES} of a-z, 0-9, `_` and `-` and begins with a letter"
        ))),
    }
}

fn short(name: &str, what: &str) -> Result<Option<String>, ModelError> {
    if name.len() > TITLE_BYTES {
        return Err(bad(format!("{what} has at most {TITLE_BYTES} bytes")));
    }
    Ok(Some(no_control(name)?).filter(|name| !name.is_empty()))
}

fn no_control(name: &str) -> Result<String, ModelError> {
    if name.chars().any(char::is_control) {
        return Err(bad("a name has no control characters".to_owned()));
    }
    Ok(name.to_owned())
}

fn bad(text: String) -> ModelError {
    ModelError::BadName(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_short_plain_words() {
        for good in ["a", "api", "a1_b-c", &"a".repeat(32)] {
            assert_eq!(alias(good), Ok(Some(good.to_owned())), "{good}");
        }
        assert_eq!(alias(""), Ok(None));
        for bad in ["1a", "A", "-a", "a b", "ä", "a.b", &"a".repeat(33)] {
            assert!(alias(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn other_names_are_bounded_and_plain() {
        assert_eq!(workspace("  api  "), Ok("api".to_owned()));
        assert_eq!(workspace(&"ä".repeat(40)), Ok("ä".repeat(40)));
        for bad in ["", "  ", &"a".repeat(41), "a\u{7}b"] {
            assert!(workspace(bad).is_err(), "{bad:?}");
        }
        assert_eq!(tab(""), Ok(None));
        assert_eq!(tab(&"a".repeat(256)), Ok(Some("a".repeat(256))));
        for bad in [&"a".repeat(257), "a\nb", "a\u{7f}", "\u{9b}"] {
            assert!(tab(bad).is_err() && label(bad).is_err(), "{bad:?}");
        }
    }
}
