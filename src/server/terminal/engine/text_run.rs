//! How far text goes, eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// How many bytes at the start are printable ASCII.
pub(super) fn ascii_run(bytes: &[u8]) -> usize {
    run(bytes, |word| other_than_text(word) | word & HIGH, |byte| matches!(byte, 0x20..=0x7e))
}

/// How many bytes at the start are neither C0 characters nor DEL.
pub(super) fn text_run(bytes: &[u8]) -> usize {
    run(bytes, other_than_text, |byte| byte >= 0x20 && byte != 0x7f)
}

/// The lowest high bit that is set marks the first control character of the word; those above it mean
/// nothing.
fn other_than_text(word: u64) -> u64 {
    let low = word.wrapping_sub(0x20 * ONES) & !word;
    let delete = word ^ (0x7f * ONES);
    (low | delete.wrapping_sub(ONES) & !delete) & HIGH
}

fn run(bytes: &[u8], stops: impl Fn(u64) -> u64, goes_on: impl Fn(u8) -> bool) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let stops = stops(u64::from_le_bytes(*word));
        if stops != 0 {
            return index * 8 + (stops.trailing_zeros() / 8) as usize;
        }
    }
    words.len() * 8 + tail.iter().position(|byte| !goes_on(*byte)).unwrap_or(tail.len())
}

#[cfg(test)]
mod tests {
    use super::{ascii_run, text_run};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_say_the_same_as_bytes(bytes in prop::collection::vec(
            prop_oneof![8 => 0x20_u8..0x7f, 1 => any::<u8>(), 1 => Just(0x7f), 1 => Just(0x1f)], 0..60)) {
            let ascii = bytes.iter().position(|byte| !matches!(byte, 0x20..=0x7e)).unwrap_or(bytes.len());
            let text = bytes.iter().position(|byte| *byte < 0x20 || *byte == 0x7f).unwrap_or(bytes.len());
            prop_assert_eq!((ascii_run(&bytes), text_run(&bytes)), (ascii, text));
        }
    }
}
