//! Identities: small numbers for what lives in one server, random 128 bits for what must never be
//! mistaken for something of another server life (`product.md` section 2, `uhp.md` section 4).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A text that is not an id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind} id (expected {expected})")]
pub struct ParseIdError {
    text: String,
    kind: &'static str,
    expected: &'static str,
}

/// Parses `digits` as a positive number without sign or leading zero.
fn positive(digits: &str) -> Option<u32> {
    let first = digits.as_bytes().first()?;
    if !(b'1'..=b'9').contains(first) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

macro_rules! numbered_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $prefix:literal, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.strip_prefix($prefix).and_then(positive).map(Self).ok_or_else(|| ParseIdError {
                    text: text.chars().take(40).collect(),
                    kind: $kind,
                    expected: $expected,
                })
            }
        }
    };
}

numbered_id!(
    /// A workspace; written `w1`. Survives reordering and restarts.
    WorkspaceId, "workspace", "w", "`w` and a number, as in `w1`"
);
numbered_id!(
    /// A tab; written `t1`. Survives reordering and restarts.
    TabId, "tab", "t", "`t` and a number, as in `t1`"
);
numbered_id!(
    /// A pane; written `1`. Never reused while a server lives.
    PaneId, "pane", "", "a number, as in `1`"
);

/// An attached client, for the length of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub [u8; 16]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
                // At once: ids are written often, and a write for each byte costs more than all the digits.
                let mut text = [0; 32];
                for (place, digit) in text.iter_mut().zip(digits) {
                    *place = b"0123456789abcdef"[usize::from(digit)];
                }
                f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                hex16(text).map(Self).ok_or_else(|| ParseIdError {
                    text: text.chars().take(40).collect(),
                    kind: $kind,
                    expected: "32 lowercase hexadecimal digits",
                })
            }
        }
    };
}

random_id!(
    /// One PTY lifetime inside a pane (`uhp.md` section 4): a new child means a new id.
    TerminalId, "terminal"
);
random_id!(
    /// One life of a server process; changes at every start.
    ServerGeneration, "server"
);

fn hex16(text: &str) -> Option<[u8; 16]> {
    let digits = text.as_bytes();
    if digits.len() != 32 {
        return None;
    }
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_ids_read_back_what_they_print() {
        assert_eq!("w12".parse(), Ok(WorkspaceId(12)));
        assert_eq!(TabId(3).to_string(), "t3");
        assert_eq!("7".parse(), Ok(PaneId(7)));
        for bad in ["", "w", "w0", "w01", "w-1", "w+1", "x1", "w4294967296", "w1 "] {
            assert!(bad.parse::<WorkspaceId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn random_ids_are_32_lowercase_hex_digits() {
        let text = "00ff102030405060708090a0b0c0d0e0";
        assert_eq!(text.parse::<TerminalId>().map(|id| id.to_string()), Ok(text.to_owned()));
        assert!("00FF102030405060708090A0B0C0D0E0".parse::<TerminalId>().is_err());
        assert!("00ff".parse::<TerminalId>().is_err());
    }
}
