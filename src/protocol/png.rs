//! Whether bytes are one PNG image, as far as that can be told without decoding its pixels.

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Length, type and checksum around the data of a chunk.
const AROUND_BYTES: usize = 12;
const HEADER_BYTES: usize = 13;

/// Whether signature, header, every chunk with its checksum, and the end are as they must be, and
/// nothing stands behind them.
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(SIGNATURE) else { return false };
    let mut part = Part::Header;
    while part != Part::End {
        let Some((chunk, after)) = Chunk::split(rest) else { return false };
        let Some(next) = part.after(&chunk) else { return false };
        (part, rest) = (next, after);
    }
    rest.is_empty()
}

/// What has been seen, or must come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The header comes.
    Header,
    /// Anything but the end may come.
    Before,
    /// Pixels came last.
    Pixels,
    /// Something came after the pixels.
    Behind,
    /// The end came.
    End,
}

impl Part {
    fn after(self, chunk: &Chunk<'_>) -> Option<Self> {
        match (self, &chunk.kind) {
            (Self::Header, b"IHDR") => is_header(chunk.data).then_some(Self::Before),
            (Self::Header | Self::End, _) | (_, b"IHDR") => None,
            (Self::Before | Self::Pixels, b"IDAT") => Some(Self::Pixels),
            (Self::Pixels | Self::Behind, b"IEND") => chunk.data.is_empty().then_some(Self::End),
            (_, b"IDAT" | b"IEND") => None,
            (Self::Before, _) => Some(Self::Before),
            (Self::Pixels | Self::Behind, _) => Some(Self::Behind),
        }
    }
}

struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// The first chunk and what follows it.
    fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let length = usize::try_from(u32::from_be_bytes(*bytes.first_chunk()?)).ok()?;
        if length > bytes.len().checked_sub(AROUND_BYTES)? {
            return None;
        }
        let (checked, rest) = bytes[4..].split_at(4 + length);
        let (sum, rest) = rest.split_first_chunk()?;
        let (kind, data) = checked.split_first_chunk()?;
        let good = kind.iter().all(u8::is_ascii_alphabetic) && u32::from_be_bytes(*sum) == crc(checked);
        good.then_some((Self { kind: *kind, data }, rest))
    }
}

fn is_header(data: &[u8]) -> bool {
    let Ok([w0, w1, w2, w3, h0, h1, h2, h3, depth, color, compression, filter, interlace]) =
        <[u8; HEADER_BYTES]>::try_from(data)
    else {
        return false;
    };
    let side = |bytes| (1..=i32::MAX.cast_unsigned()).contains(&u32::from_be_bytes(bytes));
    let depths: &[u8] = match color {
        0 => &[1, 2, 4, 8, 16],
        3 => &[1, 2, 4, 8],
        2 | 4 | 6 => &[8, 16],
        _ => &[],
    };
    side([w0, w1, w2, w3])
        && side([h0, h1, h2, h3])
        && depths.contains(&depth)
        && (compression, filter) == (0, 0)
        && interlace <= 1
}

/// The checksum of the PNG specification (CRC-32).
fn crc(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    let step = |crc: u32, byte: &u8| TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ crc >> 8;
    !bytes.iter().fold(u32::MAX, step)
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0_u32;
    while index < 256 {
        let mut value = index;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ value >> 1 } else { value >> 1 };
            bit += 1;
        }
        table[index as usize] = value;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let checked = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], &checked, &crc(&checked).to_be_bytes()].concat()
    }

    const HEADER: [u8; 13] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0];

    fn image(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let chunks = chunks.iter().map(|(kind, data)| chunk(kind, data));
        [SIGNATURE.to_vec()].into_iter().chain(chunks).flatten().collect()
    }

    fn good() -> Vec<u8> {
        image(&[(b"IHDR", &HEADER), (b"tEXt", b"a"), (b"IDAT", b"x"), (b"IDAT", b"y"), (b"IEND", b"")])
    }

    #[test]
    fn the_checksum_is_that_of_the_specification() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn an_image_has_its_parts_in_order() {
        assert!(is_valid(&good()));
        let bad: [&[(&[u8; 4], &[u8])]; 8] = [
            &[(b"IDAT", b"x"), (b"IHDR", &HEADER), (b"IEND", b"")],
            &[(b"IHDR", &HEADER), (b"IEND", b"")],
            &[(b"IHDR", &HEADER), (b"IDAT", b"x")],
            &[(b"IHDR", &HEADER), (b"IHDR", &HEADER), (b"IDAT", b"x"), (b"IEND", b"")],
            &[(b"IHDR", &HEADER), (b"IDAT", b"x"), (b"tEXt", b""), (b"IDAT", b"x"), (b"IEND", b"")],
            &[(b"IHDR", &HEADER), (b"IDAT", b"x"), (b"IEND", b"x")],
            &[(b"IHDR", &HEADER), (b"IDAT", b"x"), (b"IEND", b""), (b"IEND", b"")],
            &[(b"IHDR", &HEADER[1..]), (b"IDAT", b"x"), (b"IEND", b"")],
        ];
        for chunks in bad {
            assert!(!is_valid(&image(chunks)), "{chunks:?}");
        }
        for (at, byte) in [(3, 0), (7, 0), (0, 0x80), (8, 3), (9, 1), (9, 7), (10, 1), (11, 1), (12, 2)] {
            let mut header = HEADER;
            header[at] = byte;
            assert!(!is_valid(&image(&[(b"IHDR", &header), (b"IDAT", b"x"), (b"IEND", b"")])), "{at} {byte}");
        }
        assert!(!is_valid(b"") && !is_valid(SIGNATURE) && !is_valid(b"GIF89a"));
    }

    proptest! {
        #[test]
        fn every_byte_counts(at in any::<prop::sample::Index>(), flip in 1_u8..) {
            let mut image = good();
            let at = at.index(image.len());
            image[at] ^= flip;
            prop_assert!(!is_valid(&image));
        }

        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(!is_valid(&[SIGNATURE, &bytes].concat()));
        }

        #[test]
        fn a_part_is_no_image(cut in any::<prop::sample::Index>()) {
            let image = good();
            prop_assert!(!is_valid(&image[..cut.index(image.len())]));
        }
    }
}
