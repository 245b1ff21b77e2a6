//! Params of `terminal.backend.*` (`uhp.md` section 7).

use super::error::{ErrorCode, Failure};
use super::keys;
use super::locator::Locator;
use crate::protocol::key::{KeyCode, Modifiers};
use crate::protocol::limits;
use crate::protocol::params::{ParamError, Params, absolute_path, boolean, integer, object, text, word};
use serde_json::Value;

/// Items of one command.
pub const COMMAND_ARGS: usize = 128;
/// Bytes of one item.
pub const COMMAND_ARG_BYTES: usize = 16_384;
/// Bytes of all items.
pub const COMMAND_BYTES: usize = 65_536;
/// Bytes of a text to wait for.
const MATCH_BYTES: usize = 4_096;

/// Only a locator: `validate`, `close`.
pub fn locator(mut params: Params) -> Result<Locator, Failure> {
    let locator = Locator::read(&mut params)?;
    params.finish()?;
    Ok(locator)
}

/// Which text a capture takes, by its name on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `visible`
    Visible,
    /// `recent_unwrapped`
    RecentUnwrapped,
    /// `detection`
    Detection,
}

impl Mode {
    const WORDS: &[(&str, Self)] = &[
        ("visible", Self::Visible),
        ("recent_unwrapped", Self::RecentUnwrapped),
        ("detection", Self::Detection),
    ];
    /// Those that a stream can have.
    pub(super) const STREAMED: &[(&str, Self)] =
        &[("visible", Self::Visible), ("recent_unwrapped", Self::RecentUnwrapped)];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::RecentUnwrapped => "recent_unwrapped",
            Self::Detection => "detection",
        }
    }
}

/// `capture`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Of which terminal.
    pub locator: Locator,
    /// Which text.
    pub mode: Mode,
    /// At most so many lines.
    pub lines: usize,
    /// Whether styles are kept.
    pub ansi: bool,
}

impl Capture {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let capture = Self {
            locator: Locator::read(&mut params)?,
            mode: params.required("mode", word(Mode::WORDS))?,
            lines: params.required("lines", lines)?,
            ansi: params.required("ansi", boolean)?,
        };
        params.finish()?;
        if capture.ansi && capture.mode == Mode::Detection {
            return Err(ParamError::new("ansi", "must be false with mode detection").into());
        }
        Ok(capture)
    }
}

fn lines(value: Value) -> Result<usize, String> {
    let lines = integer(1..=limits::CAPTURE_LINES as u64)(value)?;
    Ok(usize::try_from(lines).unwrap_or(limits::CAPTURE_LINES))
}

/// `type_literal`, `paste_text`, `submit_text`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Into which terminal.
    pub locator: Locator,
    /// What.
    pub text: String,
}

impl Input {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let locator = Locator::read(&mut params)?;
        Ok(Self { locator, text: input_text(params)? })
    }
}

/// `text`, and nothing else.
pub(super) fn input_text(mut params: Params) -> Result<String, Failure> {
    let text = params.required("text", some_text)?;
    params.finish()?;
    if text.len() > limits::INPUT_BYTES {
        return Err(input_too_large());
    }
    Ok(text)
}

/// Text that is not empty; how long it may be is another error.
pub fn some_text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) if !text.is_empty() => Ok(text),
        _ => Err(format!("expected a text of 1 to {} bytes", limits::INPUT_BYTES)),
    }
}

/// Text over `input_bytes`.
#[must_use]
pub fn input_too_large() -> Failure {
    Failure::new(ErrorCode::InputTooLarge, format!("a text has at most {} bytes", limits::INPUT_BYTES))
}

/// `send_key`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendKey {
    /// Into which terminal.
    pub locator: Locator,
    /// Which key.
    pub key: (KeyCode, Modifiers),
}

impl SendKey {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let send = Self { locator: Locator::read(&mut params)?, key: params.required("key", keys::read)? };
        params.finish()?;
        Ok(send)
    }
}

/// `set_title`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetTitle {
    /// Of which terminal.
    pub locator: Locator,
    /// The label; empty clears it.
    pub title: String,
}

impl SetTitle {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let set = Self {
            locator: Locator::read(&mut params)?,
            title: params.required("title", text(0..=limits::TITLE_BYTES))?,
        };
        params.finish()?;
        Ok(set)
    }
}

/// `notify`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// Of which terminal.
    pub locator: Locator,
    /// What it is about.
    pub title: String,
    /// What there is to say.
    pub body: String,
}

impl Notify {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let notify = Self {
            locator: Locator::read(&mut params)?,
            title: params.required("title", text(0..=limits::TITLE_BYTES))?,
            body: params.required("body", text(0..=limits::NOTIFICATION_BODY_BYTES))?,
        };
        params.finish()?;
        Ok(notify)
    }
}

/// `wait_change`, and `wait_output` with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// For which terminal.
    pub locator: Locator,
    /// Only content newer than this counts.
    pub after_revision: u64,
    /// How long at most.
    pub timeout_ms: u64,
    /// The text.
    pub text: Option<String>,
}

impl Wait {
    /// Reads the params of `wait_change`.
    pub fn change(params: Params) -> Result<Self, Failure> {
        Self::read(params, false)
    }

    /// Reads the params of `wait_output`.
    pub fn output(params: Params) -> Result<Self, Failure> {
        Self::read(params, true)
    }

    fn read(mut params: Params, output: bool) -> Result<Self, Failure> {
        let wait = Self {
            locator: Locator::read(&mut params)?,
            after_revision: params.required("after_revision", integer(0..=u64::MAX))?,
            timeout_ms: params.required("timeout_ms", integer(1..=limits::WAIT_TIMEOUT_MS))?,
            text: if output { Some(match_text(&mut params)?) } else { None },
        };
        params.finish()?;
        Ok(wait)
    }
}

/// The literal text of a wait.
pub fn match_text(params: &mut Params) -> Result<String, ParamError> {
    params.required("match", text(1..=MATCH_BYTES))
}

/// Where a new terminal goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// A tab of the workspace of that folder.
    Workspace,
    /// A split beside that terminal.
    Sibling(Locator),
}

/// `create`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Create {
    /// Where it starts.
    pub cwd: String,
    /// What it runs; `None` is the shell.
    pub command: Option<Vec<String>>,
    /// Its label.
    pub label: Option<String>,
    /// Where it goes.
    pub placement: Placement,
    /// Whether it is focused.
    pub focus: bool,
    /// Its restart policy, if the request has one.
    pub restore: Option<bool>,
}

impl Create {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let create = Self {
            cwd: params.required("cwd", absolute_path)?,
            command: params.nullable("command", command)?,
            label: params.nullable("label", text(0..=limits::TITLE_BYTES))?,
            placement: placement(params.required("placement", object)?)?,
            focus: params.required("focus", boolean)?,
            restore: params.optional("restore", boolean)?,
        };
        params.finish()?;
        Ok(create)
    }
}

fn placement(mut params: Params) -> Result<Placement, ParamError> {
    let sibling = params.required("kind", word(&[("workspace", false), ("sibling", true)]))?;
    let placement = if sibling {
        let mut of = params.required("of_terminal", object)?;
        let locator = Locator::read(&mut of)?;
        of.finish()?;
        Placement::Sibling(locator)
    } else {
        Placement::Workspace
    };
    params.finish()?;
    Ok(placement)
}

/// An exact argument vector within its bounds.
pub fn command(value: Value) -> Result<Vec<String>, String> {
    let refused = || {
        format!(
            "expected 1 to {COMMAND_ARGS} texts without NUL, the first not empty, \
             each of at most {COMMAND_ARG_BYTES} and all of at most {COMMAND_BYTES} bytes"
        )
    };
    let Value::Array(items) = value else { return Err(refused()) };
    let argv: Option<Vec<String>> = items
        .into_iter()
        .map(|item| match item {
            Value::String(text) if text.len() <= COMMAND_ARG_BYTES && !text.contains('\0') => Some(text),
            _ => None,
        })
        .collect();
    argv.filter(|argv| {
        (1..=COMMAND_ARGS).contains(&argv.len())
            && !argv[0].is_empty()
            && argv.iter().map(String::len).sum::<usize>() <= COMMAND_BYTES
    })
    .ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with_locator(fields: &Value) -> Params {
        let mut params =
            json!({"server_generation": "0".repeat(32), "terminal_id": "1".repeat(32), "pane_id": "1"});
        for (name, value) in fields.as_object().unwrap() {
            params[name] = value.clone();
        }
        object(params).unwrap()
    }

    fn code<T>(result: Result<T, Failure>) -> Option<ErrorCode> {
        result.err().map(|failure| failure.code)
    }

    #[test]
    fn captures_have_no_defaults() {
        let good = json!({"mode": "detection", "lines": 300, "ansi": false});
        assert!(Capture::read(with_locator(&good)).is_ok());
        for (field, bad) in [
            ("mode", json!("all")),
            ("lines", json!(0)),
            ("lines", json!(301)),
            ("ansi", json!(true)),
            ("ansi", json!("no")),
            ("more", json!(1)),
        ] {
            let mut fields = good.clone();
            fields[field] = bad;
            assert_eq!(code(Capture::read(with_locator(&fields))), Some(ErrorCode::InvalidParams), "{field}");
        }
        for field in ["mode", "lines", "ansi"] {
            let mut fields = good.clone();
            fields.as_object_mut().unwrap().remove(field);
            assert_eq!(code(Capture::read(with_locator(&fields))), Some(ErrorCode::InvalidParams), "{field}");
        }
    }

    #[test]
    fn input_is_bounded_in_bytes() {
        let input = |text: &str| Input::read(with_locator(&json!({"text": text})));
        assert_eq!(code(input("")), Some(ErrorCode::InvalidParams));
        assert_eq!(code(input(&"é".repeat(limits::INPUT_BYTES / 2))), None);
        assert_eq!(code(input(&"é".repeat(limits::INPUT_BYTES / 2 + 1))), Some(ErrorCode::InputTooLarge));
    }

    #[test]
    fn waits_are_bounded() {
        let good = json!({"after_revision": 0, "timeout_ms": 300_000});
        assert!(Wait::change(with_locator(&good)).is_ok());
        assert!(Wait::output(with_locator(&good)).is_err());
        let mut output = good.clone();
        output["match"] = json!("ready");
        assert!(Wait::output(with_locator(&output)).is_ok());
        assert!(Wait::change(with_locator(&output)).is_err());
        for (field, bad) in [
            ("after_revision", json!(-1)),
            ("timeout_ms", json!(0)),
            ("timeout_ms", json!(300_001)),
            ("match", json!("")),
        ] {
            let mut fields = output.clone();
            fields[field] = bad;
            assert!(Wait::output(with_locator(&fields)).is_err(), "{field}");
        }
    }

    #[test]
    fn labels_and_messages_are_bounded_in_bytes() {
        let title = |title: Value| SetTitle::read(with_locator(&json!({"title": title})));
        assert!(title(json!("")).is_ok() && title(json!("é".repeat(128))).is_ok());
        assert_eq!(code(title(json!("é".repeat(129)))), Some(ErrorCode::InvalidParams));
        assert_eq!(code(title(json!(null))), Some(ErrorCode::InvalidParams));
        let notify = |fields: Value| Notify::read(with_locator(&fields));
        assert!(notify(json!({"title": "x".repeat(256), "body": "x".repeat(8_192)})).is_ok());
        for bad in [
            json!({"title": "x"}),
            json!({"body": "x"}),
            json!({"title": "x".repeat(257), "body": ""}),
            json!({"title": "", "body": "x".repeat(8_193)}),
        ] {
            assert_eq!(code(notify(bad)), Some(ErrorCode::InvalidParams));
        }
    }

    fn create(change: impl FnOnce(&mut Value)) -> Result<Create, Failure> {
        let mut fields = json!({"cwd": "/srv/demo", "placement": {"kind": "workspace"}, "focus": false});
        change(&mut fields);
        Create::read(object(fields).unwrap())
    }

    #[test]
    fn create_checks_everything_before_anything_happens() {
        let made = create(|fields| fields["command"] = json!(["/bin/sh", "-c", ""])).unwrap();
        assert_eq!((made.command.unwrap().len(), made.restore), (3, None));
        assert_eq!(create(|fields| fields["command"] = json!(null)).unwrap().command, None);
        assert_eq!(create(|fields| fields["restore"] = json!(false)).unwrap().restore, Some(false));
        let bad = [
            ("cwd", json!("srv")),
            ("cwd", json!(format!("/{}", "x".repeat(4_096)))),
            ("cwd", json!("/a\u{0}b")),
            ("command", json!([])),
            ("command", json!([""])),
            ("command", json!("ls")),
            ("command", json!(["a\u{0}"])),
            ("command", json!(vec!["a"; 129])),
            ("command", json!(["a".repeat(16_385)])),
            ("command", json!(vec!["a".repeat(16_384); 5])),
            ("label", json!("x".repeat(257))),
            ("focus", json!(null)),
            ("restore", json!("no")),
            ("restore", json!(null)),
            ("placement", json!({"kind": "tab"})),
            ("placement", json!({"kind": "sibling"})),
            ("placement", json!({"kind": "workspace", "of_terminal": {}})),
            ("placement", json!({"kind": "sibling", "of_terminal": {"pane_id": "1"}})),
            ("pane_id", json!("1")),
        ];
        for (field, value) in bad {
            let result = create(|fields| fields[field] = value.clone());
            assert_eq!(code(result), Some(ErrorCode::InvalidParams), "{field}");
        }
    }
}
