//! Streams of a terminal on the wire (`uhp.md` sections 7.6, 7.7 and 9.3): what opens them, and the
//! actions of a control stream.

use super::envelope::{Refused, refuse, split_id};
use super::error::{Dispatch, ErrorCode, Failure};
use super::keys;
use super::locator::Locator;
use super::terminal::{Mode, input_text};
use crate::protocol::base64;
use crate::protocol::geometry::Size;
use crate::protocol::key::{KeyCode, Modifiers};
use crate::protocol::limits;
use crate::protocol::params::{ParamError, Params, boolean, integer, text, word};
use crate::protocol::strict::Parsed;
use serde_json::Value;

/// Lines of a frame when the request does not say.
const USUAL_LINES: usize = 80;
/// The longest base64 of an image or a chunk: both have the same bound.
const BASE64_BYTES: usize = limits::IMAGE_BYTES.div_ceil(3) * 4;
const _: () = assert!(limits::IMAGE_BYTES == limits::UPLOAD_CHUNK_BYTES);

/// `observe`, `control`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Of which terminal.
    pub locator: Locator,
    /// Which text: the screen or the newest lines.
    pub mode: Mode,
    /// At most so many lines.
    pub lines: usize,
    /// Whether styles are kept.
    pub ansi: bool,
    /// Whether frames tell where the cursor is.
    pub cursor: bool,
}

fn lines(value: Value) -> Result<usize, String> {
    let lines = integer(1..=limits::STREAM_LINES as u64)(value)?;
    Ok(usize::try_from(lines).unwrap_or(limits::STREAM_LINES))
}

impl Open {
    /// Reads the params.
    pub fn read(mut params: Params) -> Result<Self, Failure> {
        let open = Self {
            locator: Locator::read(&mut params)?,
            mode: params.optional("mode", word(Mode::STREAMED))?.unwrap_or(Mode::Visible),
            lines: params.optional("lines", lines)?.unwrap_or(USUAL_LINES),
            ansi: params.optional("ansi", boolean)?.unwrap_or(true),
            cursor: params.optional("cursor", boolean)?.unwrap_or(false),
        };
        params.finish()?;
        Ok(open)
    }
}

/// What a client does over a control stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// `type_literal`
    TypeLiteral(String),
    /// `paste_text`
    PasteText(String),
    /// `submit_text`
    SubmitText(String),
    /// `send_key`
    SendKey(KeyCode, Modifiers),
    /// `paste_image`: the bytes, not yet looked at.
    PasteImage(Vec<u8>),
    /// `upload_start`
    UploadStart {
        /// What the file is called.
        name: String,
        /// How long it will be.
        size: u64,
    },
    /// `upload_chunk`
    UploadChunk {
        /// Of which upload.
        upload: UploadId,
        /// Where in the file.
        offset: u64,
        /// What.
        data: Vec<u8>,
    },
    /// `upload_finish`
    UploadFinish(UploadId),
    /// `upload_cancel`
    UploadCancel(UploadId),
    /// `set_viewport`
    SetViewport(Size),
}

/// Names an upload for the length of its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadId(pub [u8; 16]);

impl std::fmt::Display for UploadId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Names of the actions that are no methods too, as they are announced.
pub const ACTIONS: &[&str] =
    &["paste_image", "upload_start", "upload_chunk", "upload_finish", "upload_cancel", "set_viewport"];

/// Reads an action frame: exactly `{id, action, params}`.
pub fn decode(parsed: Parsed) -> Result<(String, Action), Refused> {
    let (id, mut fields) = split_id(parsed)?;
    let envelope = || refuse(&id, "an action has `id`, `action`, `params` and nothing else");
    let (Some(Value::String(name)), Some(Value::Object(params))) =
        (fields.remove("action"), fields.remove("params"))
    else {
        return Err(envelope());
    };
    if !fields.is_empty() {
        return Err(envelope());
    }
    match Action::read(&name, Params::new(params)) {
        Ok(action) => Ok((id, action)),
        Err(failure) => Err(Refused { id, failure }),
    }
}

impl Action {
    fn read(name: &str, mut params: Params) -> Result<Self, Failure> {
        let action = match name {
            "type_literal" => return input_text(params).map(Self::TypeLiteral),
            "paste_text" => return input_text(params).map(Self::PasteText),
            "submit_text" => return input_text(params).map(Self::SubmitText),
            "send_key" => {
                let (code, modifiers) = params.required("key", keys::read)?;
                Self::SendKey(code, modifiers)
            }
            "paste_image" => Self::PasteImage(params.required("png_base64", bytes)?),
            "upload_start" => Self::UploadStart {
                name: params.required("name", file_name)?,
                size: params.required("size", integer(1..=limits::UPLOAD_BYTES))?,
            },
            "upload_chunk" => Self::UploadChunk {
                upload: params.required("upload_id", upload_id)?,
                offset: params.required("offset", integer(0..=limits::UPLOAD_BYTES))?,
                data: params.required("data_base64", bytes)?,
            },
            "upload_finish" => Self::UploadFinish(params.required("upload_id", upload_id)?),
            "upload_cancel" => Self::UploadCancel(params.required("upload_id", upload_id)?),
            "set_viewport" => {
                let cols = side(&mut params, "cols", limits::VIEWPORT_COLS)?;
                Self::SetViewport(Size::new(side(&mut params, "rows", limits::VIEWPORT_ROWS)?, cols))
            }
            _ => return Err(Failure::new(ErrorCode::UnsupportedCapability, "no such action in this build")),
        };
        params.finish()?;
        Ok(action)
    }
}

fn side(params: &mut Params, field: &str, most: u16) -> Result<u16, ParamError> {
    let cells = params.required(field, integer(2..=u64::from(most)))?;
    Ok(u16::try_from(cells).unwrap_or(most))
}

/// Standard base64 of 1 to 163,840 bytes.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn bytes(value: Value) -> Result<Vec<u8>, String> {
    let text = value.as_str().filter(|text| (4..=BASE64_BYTES).contains(&text.len()));
    text.and_then(|text| base64::decode(text.as_bytes()))
        .filter(|bytes| bytes.len() <= limits::IMAGE_BYTES)
        .ok_or_else(|| format!("expected padded base64 of 1 to {} bytes", limits::IMAGE_BYTES))
}

/// The name of a file in a folder that it cannot leave.
fn file_name(value: Value) -> Result<String, String> {
    let name = text(1..=limits::FILE_NAME_BYTES)(value)?;
    let plain = !name.chars().any(|char| char.is_control() || matches!(char, '/' | '\\'));
    if plain && name != "." && name != ".." {
        return Ok(name);
    }
    Err("expected the name of a file, without folders and control characters".to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn upload_id(value: Value) -> Result<UploadId, String> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let read = |text: &str| {
        let digits: &[u8; 32] = text.as_bytes().try_into().ok()?;
        let mut id = [0; 16];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(UploadId(id))
    };
    value.as_str().and_then(read).ok_or_else(|| "expected 32 lowercase hexadecimal digits".to_owned())
}

/// The failure of an action that its target's state refuses although its params are good.
#[must_use]
pub fn out_of_turn(message: &str) -> Failure {
    Failure::new(ErrorCode::InvalidParams, message).with(Dispatch::Rejected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::params::object;
    use crate::protocol::strict;
    use serde_json::json;

    fn open(fields: &Value) -> Result<Open, Failure> {
        let mut params =
            json!({"server_generation": "0".repeat(32), "terminal_id": "1".repeat(32), "pane_id": "1"});
        for (name, value) in fields.as_object().unwrap() {
            params[name] = value.clone();
        }
        Open::read(object(params).unwrap())
    }

    fn action(name: &str, params: Value) -> Result<Action, ErrorCode> {
        Action::read(name, object(params).unwrap()).map_err(|failure| failure.code)
    }

    #[test]
    fn a_stream_has_defaults_and_bounds() {
        let usual = open(&json!({})).unwrap();
        assert_eq!((usual.mode, usual.lines, usual.ansi, usual.cursor), (Mode::Visible, 80, true, false));
        assert!(
            open(&json!({"mode": "recent_unwrapped", "lines": 200, "ansi": false, "cursor": true})).is_ok()
        );
        for bad in [
            json!({"mode": "detection"}),
            json!({"mode": null}),
            json!({"lines": 0}),
            json!({"lines": 201}),
            json!({"ansi": 1}),
            json!({"cursor": "yes"}),
            json!({"more": 1}),
        ] {
            assert_eq!(open(&bad).unwrap_err().code, ErrorCode::InvalidParams, "{bad}");
        }
    }

    #[test]
    fn an_action_frame_has_exactly_its_fields() {
        let read = |text: &str| decode(strict::parse(text.as_bytes()).unwrap());
        let (id, key) = read(r#"{"id":"k1","action":"send_key","params":{"key":"up"}}"#).unwrap();
        assert_eq!((id.as_str(), key), ("k1", Action::SendKey(KeyCode::Up, Modifiers::NONE)));
        for (bad, id, code) in [
            (r#"{"id":"k","action":"send_key"}"#, "k", "invalid_request"),
            (r#"{"id":"k","action":"send_key","params":[]}"#, "k", "invalid_request"),
            (r#"{"id":"k","action":"send_key","params":{"key":"up"},"auth":"x"}"#, "k", "invalid_request"),
            (r#"{"id":"k","method":"send_key","params":{"key":"up"}}"#, "k", "invalid_request"),
            (r#"{"id":"k","action":"send_key","params":{"key":"up","key":"up"}}"#, "k", "invalid_request"),
            (r#"{"id":"é","action":"send_key","params":{"key":"up"}}"#, "0", "invalid_request"),
            (r#"[]"#, "0", "invalid_request"),
            (r#"{"id":"k","action":"close","params":{}}"#, "k", "unsupported_capability"),
            (r#"{"id":"k","action":"send_key","params":{"key":"raw"}}"#, "k", "invalid_params"),
            (r#"{"id":"k","action":"send_key","params":{"key":"up","pane_id":"1"}}"#, "k", "invalid_params"),
        ] {
            let refused = read(bad).unwrap_err();
            assert_eq!((refused.id.as_str(), refused.failure.code.as_str()), (id, code), "{bad}");
        }
    }

    #[test]
    fn texts_are_bounded_in_bytes() {
        for name in ["type_literal", "paste_text", "submit_text"] {
            assert!(action(name, json!({"text": "x".repeat(limits::INPUT_BYTES)})).is_ok());
            assert_eq!(action(name, json!({"text": ""})), Err(ErrorCode::InvalidParams));
            let long = json!({"text": "x".repeat(limits::INPUT_BYTES + 1)});
            assert_eq!(action(name, long), Err(ErrorCode::InputTooLarge));
        }
    }

    #[test]
    fn viewports_are_bounded() {
        assert_eq!(
            action("set_viewport", json!({"cols": 500, "rows": 2})),
            Ok(Action::SetViewport(Size::new(2, 500)))
        );
        for bad in [
            json!({"cols": 501, "rows": 2}),
            json!({"cols": 1, "rows": 2}),
            json!({"cols": 2, "rows": 301}),
            json!({"cols": 2, "rows": 2.5}),
            json!({"cols": 2}),
        ] {
            assert_eq!(action("set_viewport", bad.clone()), Err(ErrorCode::InvalidParams), "{bad}");
        }
    }

    #[test]
    fn a_file_name_cannot_leave_its_folder() {
        let start = |name: &str, size: u64| action("upload_start", json!({"name": name, "size": size}));
        for good in ["a", "two words.txt", "…", ".hidden", "...", "x".repeat(255).as_str()] {
            assert!(start(good, 33_554_432).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "/", "a\\b", "a\u{0}", "a\nb", "\u{1b}[", "x".repeat(256).as_str()]
        {
            assert_eq!(start(bad, 1), Err(ErrorCode::InvalidParams), "{bad:?}");
        }
        for size in [0, 33_554_433] {
            assert_eq!(start("a", size), Err(ErrorCode::InvalidParams));
        }
    }

    #[test]
    fn chunks_are_padded_base64_of_at_most_160_kib() {
        let chunk = |data: &str| {
            let params = json!({"upload_id": "0a".repeat(16), "offset": 0, "data_base64": data});
            action("upload_chunk", params)
        };
        let Ok(Action::UploadChunk { upload, data, .. }) = chunk("Zm8=") else { panic!("a good chunk") };
        assert_eq!((upload.to_string(), data), ("0a".repeat(16), b"fo".to_vec()));
        let full = "AAAA".repeat(54_613);
        assert!(chunk(&format!("{full}AA==")).is_ok());
        assert_eq!(full.len() + 4, 218_456);
        for bad in ["", "Zm8", "Zm8=\n", "Z===", &format!("{full}AAA="), &format!("{full}AAAA")] {
            assert_eq!(chunk(bad), Err(ErrorCode::InvalidParams));
        }
        for id in ["", "0A", &"0A".repeat(16), &"0".repeat(31)] {
            let params = json!({"upload_id": id});
            assert_eq!(action("upload_cancel", params), Err(ErrorCode::InvalidParams));
        }
    }
}
