//! Messages as bytes: a 4-byte big-endian length, then postcard (or JSON in the handshake).

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::codec::LengthDelimitedCodec;

/// Why a message could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The bytes are no message of this version.
    #[error("malformed attach message")]
    Malformed(#[from] postcard::Error),
    /// The bytes are no handshake.
    #[error("malformed attach handshake")]
    Handshake(#[from] serde_json::Error),
    /// Bytes follow the message.
    #[error("attach message with {0} bytes too many")]
    Trailing(usize),
}

/// The framing of a side that reads messages of at most `max_bytes`.
#[must_use]
pub fn framing(max_bytes: usize) -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().max_frame_length(max_bytes).new_codec()
}

/// Encodes one message.
///
/// # Errors
/// [`CodecError::Malformed`] if a value has no encoding; no message of ours is one.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, CodecError> {
    Ok(postcard::to_stdvec(message)?)
}

/// Decodes one message that fills `bytes`.
///
/// # Errors
/// [`CodecError`] for anything else.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, CodecError> {
    let (message, rest) = postcard::take_from_bytes(bytes)?;
    if rest.is_empty() { Ok(message) } else { Err(CodecError::Trailing(rest.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::attach::message::{Room, ScrollTo, ToServer};
    use crate::protocol::geometry::Size;
    use crate::protocol::ids::PaneId;
    use proptest::prelude::*;

    #[test]
    fn messages_read_back_what_was_written() {
        for message in [
            ToServer::Resize(Room { area: Size::new(50, 200), alone: true }),
            ToServer::Paste(PaneId(3), "héllo\n".into()),
            ToServer::Scroll(PaneId(3), ScrollTo::Up(-4)),
            ToServer::Detach,
        ] {
            let bytes = encode(&message).expect("encodes");
            assert_eq!(decode::<ToServer>(&bytes).expect("decodes"), message);
        }
    }

    proptest! {
        #[test]
        fn rubbish_is_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode::<ToServer>(&bytes);
            let _ = decode::<crate::protocol::attach::message::ToClient>(&bytes);
        }
    }
}
