//! Standard base64, read.

/// The bytes of a text with its padding, as the contracts want it; `None` if it is anything else,
/// also when bits that no byte has are not zero: one file has one text.
#[must_use]
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let digits = &text[..text.len() - padding];
    let bytes = (text.len().is_multiple_of(4)).then(|| decode_digits(digits)).flatten()?;
    let unused = match padding {
        0 => 0,
        1 => 0b11,
        _ => 0b1111,
    };
    digits.last().is_none_or(|last| value(*last).is_some_and(|last| last & unused == 0)).then_some(bytes)
}

/// The bytes of digits without padding.
#[must_use]
pub fn decode_digits(digits: &[u8]) -> Option<Vec<u8>> {
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for &digit in group {
            bits = bits << 6 | value(digit)?;
        }
        // A short group holds one byte less than it has digits, with the bits at the top.
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_padding_is_required_and_exact() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("+/+/", "\u{fb}"),
        ] {
            let wanted = if text == "+/+/" { vec![0xfb, 0xff, 0xbf] } else { bytes.as_bytes().to_vec() };
            assert_eq!(decode(text.as_bytes()), Some(wanted), "{text}");
        }
        for bad in [
            "Z", "Zg", "Zg=", "Zm8", "Zg===", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm 9v", "-_-_", "Zh==",
            "Zm9=",
        ] {
            assert_eq!(decode(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(decode_digits(b"Zg"), Some(b"f".to_vec()));
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_read_back(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let mut text = Vec::new();
            for group in bytes.chunks(3) {
                let bits = group.iter().chain([0, 0].iter()).take(3).fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
                for place in 0..4 {
                    text.push(if place <= group.len() { DIGITS[bits >> (18 - 6 * place) & 63] } else { b'=' });
                }
            }
            prop_assert_eq!(decode(&text), Some(bytes));
        }
    }
}
