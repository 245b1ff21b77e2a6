//! Strings that the child sends for use outside of the grid: titles, directories, clipboard.
//!
//! Invariant: everything is bounded, and nothing of it is trusted.

use crate::protocol::base64::decode_digits;
use crate::protocol::plain::is_unsafe;

/// The longest text that a child may put on the clipboard.
const CLIPBOARD_BYTES: usize = 1_048_576;

/// Text without control, bidi and zero-width format characters, at most `limit` bytes long.
pub(super) fn message(bytes: &[u8], limit: usize) -> String {
    let mut message = String::new();
    for char in String::from_utf8_lossy(bytes).chars().filter(|char| !is_unsafe(*char)) {
        if message.len() + char.len_utf8() > limit {
            break;
        }
        message.push(char);
    }
    message
}

/// An address as printable ASCII: other characters are written as its escapes. `None` if it is too long or
/// holds control characters.
pub(super) fn uri(bytes: &[u8], limit: usize) -> Option<String> {
    let mut uri = String::new();
    for byte in bytes {
        match byte {
            ..b' ' | 0x7f => return None,
            0x21..=0x7e => uri.push(char::from(*byte)),
            b' ' | 0x80.. => uri.push_str(&format!("%{byte:02X}")),
        }
        if uri.len() > limit {
            return None;
        }
    }
    Some(uri)
}

/// What base64, padded or not, stands for.
pub(super) fn base64(digits: &[u8]) -> Option<Vec<u8>> {
    let digits = digits.strip_suffix(b"==").or_else(|| digits.strip_suffix(b"=")).unwrap_or(digits);
    decode_digits(digits)
}

/// The absolute path of a `file:` URL (OSC 7). The host is not looked at: nobody here knows the names
/// of this one.
pub(super) fn file_url_path(url: &[u8]) -> Option<String> {
    let rest = url.strip_prefix(b"file://")?;
    let start = rest.iter().position(|byte| *byte == b'/')?;
    let path = String::from_utf8(percent_decoded(&rest[start..])).ok()?;
    let path = if cfg!(windows) { path.trim_start_matches('/').to_owned() } else { path };
    let absolute = std::path::Path::new(&path).is_absolute();
    (absolute && !path.chars().any(char::is_control)).then_some(path)
}

fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let pair =
            (byte == b'%').then(|| Some((hex(*bytes.get(at + 1)?)?, hex(*bytes.get(at + 2)?)?))).flatten();
        if let Some((high, low)) = pair {
            decoded.push(high << 4 | low);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    decoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// The text of an OSC 52 write; `None` if it is not base64 of at most a mebibyte of text.
pub(super) fn clipboard(text: &[u8]) -> Option<String> {
    if text.is_empty() || text.len() / 4 * 3 > CLIPBOARD_BYTES {
        return None;
    }
    String::from_utf8(base64(text)?).ok()
}
