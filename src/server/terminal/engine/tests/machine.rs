//! Our parser beside the state machine of the `vte` crate, on any bytes in any chunks: both tell the same
//! events. Where they differ on purpose the difference is taken out of both, and pinned by a test here.

use super::super::parser::{Csi, Parser, Perform, Terminator};
use proptest::prelude::*;

const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
/// The C1 form of ST. It ends a DCS of `vte`; in UTF-8 it is the middle of a character.
const STRING_TERMINATOR: u8 = 0x9c;
const PARAMS: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Event {
    Text(String),
    Control(u8),
    Escape(u8, u8),
    /// Groups of values, marker, intermediate, final byte.
    Csi(Vec<Vec<u16>>, u8, u8, u8),
    Osc(Vec<u8>, bool),
    /// What follows the final byte.
    Dcs(Vec<u8>),
}

#[derive(Debug, Default)]
struct Log {
    events: Vec<Event>,
    /// The DCS of `vte` that is being told.
    data: Vec<u8>,
}

impl Log {
    fn char(&mut self, char: char) {
        // C1 characters and bytes that are not UTF-8: see the tests below.
        if matches!(char, '\u{7f}'..='\u{9f}' | char::REPLACEMENT_CHARACTER) {
            return;
        }
        match self.events.last_mut() {
            Some(Event::Text(text)) => text.push(char),
            _ => self.events.push(Event::Text(char.to_string())),
        }
    }

    fn c0(&mut self, byte: u8) {
        // They end a sequence; of themselves they do nothing.
        if byte < 0x20 && !matches!(byte, CAN | SUB) {
            self.events.push(Event::Control(byte));
        }
    }
}

impl Perform for Log {
    fn ascii(&mut self, text: &[u8]) {
        assert!(!text.is_empty() && text.iter().all(|byte| matches!(byte, 0x20..=0x7e)));
        text.iter().for_each(|byte| self.char(char::from(*byte)));
    }

    fn text(&mut self, text: &str) {
        assert!(!text.bytes().any(|byte| byte < 0x20 || byte == 0x7f));
        text.chars().for_each(|char| self.char(char));
    }

    fn control(&mut self, byte: u8) {
        self.c0(byte);
    }

    fn escape(&mut self, intermediate: u8, last: u8) {
        self.events.push(Event::Escape(intermediate, last));
    }

    fn csi(&mut self, csi: &Csi) {
        let groups = csi.params.groups().map(<[u16]>::to_vec).collect();
        self.events.push(Event::Csi(groups, csi.marker, csi.intermediate, csi.last));
    }

    fn osc(&mut self, text: &[u8], terminator: Terminator) {
        self.events.push(Event::Osc(text.to_vec(), terminator == Terminator::Bell));
    }

    fn dcs(&mut self, text: &[u8]) {
        if let Some(data) = dcs_data(text) {
            self.events.push(Event::Dcs(data));
        }
    }
}

/// What follows the final byte of a well-formed DCS. Ours hands the whole string out, whatever it holds.
fn dcs_data(text: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| *byte < 0x7f).collect();
    let skip = |text: &[u8], of: std::ops::RangeInclusive<u8>| {
        text.iter().position(|byte| !of.contains(byte)).unwrap_or(text.len())
    };
    let mut at = usize::from(matches!(text.first(), Some(b'<'..=b'?')));
    at += skip(&text[at..], b'0'..=b';');
    at += skip(&text[at..], b' '..=b'/');
    text.get(at).filter(|byte| matches!(byte, 0x40..=0x7e))?;
    Some(text[at + 1..].to_vec())
}

impl vte::Perform for Log {
    fn print(&mut self, char: char) {
        self.char(char);
    }

    fn execute(&mut self, byte: u8) {
        self.c0(byte);
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, last: u8) {
        // Ours drops a sequence with more intermediates than any known one has.
        match *intermediates {
            [] if !ignore => self.events.push(Event::Escape(0, last)),
            [one] if !ignore => self.events.push(Event::Escape(one, last)),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &vte::Params, intermediates: &[u8], ignore: bool, last: char) {
        let groups: Vec<Vec<u16>> = params.iter().map(<[u16]>::to_vec).collect();
        let too_many_params = params.iter().map(<[u16]>::len).sum::<usize>() == PARAMS;
        if ignore && !too_many_params {
            return;
        }
        let (marker, intermediate) = match *intermediates {
            [] => (0, 0),
            [marker @ b'<'..=b'?'] => (marker, 0),
            [one] => (0, one),
            [marker @ b'<'..=b'?', one] => (marker, one),
            _ => return,
        };
        self.events.push(Event::Csi(groups, marker, intermediate, u8::try_from(last).unwrap_or(0)));
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], bell: bool) {
        self.events.push(Event::Osc(params.join(&b';'), bell));
    }

    fn hook(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
        self.data.clear();
    }

    fn put(&mut self, byte: u8) {
        if byte >= 0x20 {
            self.data.push(byte);
        }
    }

    fn unhook(&mut self) {
        self.events.push(Event::Dcs(self.data.clone()));
    }
}

fn ours(bytes: &[u8], cuts: &[usize]) -> Vec<Event> {
    let (mut parser, mut log) = (Parser::new(), Log::default());
    let mut rest = bytes;
    for cut in cuts.iter().cycle() {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        parser.advance(chunk, &mut log);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    log.events
}

fn theirs(bytes: &[u8]) -> Vec<Event> {
    let (mut parser, mut log) = (vte::Parser::new(), Log::default());
    for piece in bytes.split_inclusive(|byte| matches!(byte, &CAN | &SUB)) {
        let cancels = piece.last().is_some_and(|byte| matches!(byte, &CAN | &SUB));
        let (before, cancel) = piece.split_at(piece.len() - usize::from(cancels));
        parser.advance(&mut log, before);
        // The strings that it cancels are told nevertheless.
        let events = log.events.len();
        parser.advance(&mut log, cancel);
        log.events.truncate(events);
    }
    log.events
}

/// What sequences are made of, so that rubbish has a chance to become one.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: &[&[u8]] = &[
        b"\x1b",
        b"\x1b[",
        b"\x1b]",
        b"\x1bP",
        b"\x1b_",
        b"\x1b^",
        b"\x1bX",
        b"\x1b\\",
        b"\x07",
        b"\x18",
        b"\x1a",
        b"\x7f",
        b"\n",
        b"0",
        b"12",
        b"99999",
        b";",
        b":",
        b"?",
        b">",
        b"=",
        b" ",
        b"!",
        b"$",
        b"(",
        b"#",
        b"m",
        b"h",
        b"q",
        b"@",
        b"~",
        b"text",
        b"\x1b[38;5;1m",
        b"\x1b[4:3m",
        b"\x1b]0;title\x07",
        b"\x1bP1$qm\x1b\\",
        b"\xe6\xbc",
        b"\xa2",
        b"\xc2\x85",
        b"\xff",
        b"\xc3",
        b"\xf0\x9f\x9a",
    ];
    let known = prop::sample::select(known).prop_map(<[u8]>::to_vec);
    let text = "\\PC{1,6}".prop_map(String::into_bytes);
    // More values than are kept; with its end, so that nothing else can be wrong with it.
    let long = (30_usize..36).prop_map(|count| [b"\x1b[1", ";7".repeat(count).as_bytes(), b"m"].concat());
    prop_oneof![12 => known, 2 => text, 1 => long, 2 => prop::collection::vec(any::<u8>(), 1..6)]
}

proptest! {
    #![proptest_config(super::properties::cases(600))]

    #[test]
    fn the_same_events_as_the_state_machine_of_vte(
        pieces in prop::collection::vec(piece(), 0..40),
        cuts in prop::collection::vec(1_usize..9, 1..8),
    ) {
        let mut bytes = pieces.concat();
        bytes.retain(|byte| *byte != STRING_TERMINATOR);
        prop_assert_eq!(ours(&bytes, &cuts), theirs(&bytes));
    }

    #[test]
    fn text_is_what_the_standard_library_makes_of_it(
        bytes in prop::collection::vec(prop_oneof![1 => 0x20_u8..0x7f, 4 => 0x80_u8..=0xff], 0..40),
        cuts in prop::collection::vec(1_usize..5, 1..8),
    ) {
        struct Text(String);
        impl Perform for Text {
            fn ascii(&mut self, text: &[u8]) {
                self.0.push_str(&String::from_utf8_lossy(text));
            }
            fn text(&mut self, text: &str) {
                self.0.push_str(text);
            }
            fn control(&mut self, _: u8) {}
            fn escape(&mut self, _: u8, _: u8) {}
            fn csi(&mut self, _: &Csi) {}
            fn osc(&mut self, _: &[u8], _: Terminator) {}
            fn dcs(&mut self, _: &[u8]) {}
        }
        let (mut parser, mut text) = (Parser::new(), Text(String::new()));
        // The end of a character that is not finished.
        let bytes = [&bytes[..], b"."].concat();
        let mut rest = &bytes[..];
        for cut in cuts.iter().cycle() {
            let (chunk, after) = rest.split_at((*cut).min(rest.len()));
            parser.advance(chunk, &mut text);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(text.0, String::from_utf8_lossy(&bytes));
    }
}

fn text(text: &str) -> Event {
    Event::Text(text.to_owned())
}

#[test]
fn a_cancelled_string_is_not_told() {
    assert_eq!(ours(b"\x1b]0;a\x18b\x1bPq1\x1ac", &[99]), [text("bc")]);
}

#[test]
fn a_byte_of_c1_ends_no_string() {
    // U+5728 has it in the middle: E5 9C A8.
    let title = "\x1b]0;在\x07".as_bytes();
    assert_eq!(ours(title, &[99]), [Event::Osc("0;在".as_bytes().to_vec(), true)]);
    let device = [b"\x1bPq1", &[STRING_TERMINATOR][..], b"2\x1b\\"].concat();
    assert_eq!(ours(&device, &[99]), [Event::Dcs(b"12".to_vec()), Event::Escape(0, b'\\')]);
}

#[test]
fn sequences_with_more_intermediates_than_known_ones_do_nothing() {
    assert_eq!(ours(b"\x1b[1 !p\x1b[? !p\x1b(!Bx", &[99]), [text("x")]);
}

#[test]
fn values_beyond_those_that_are_kept_are_left_out() {
    let long = format!("\x1b[{}m", "7;".repeat(PARAMS + 5));
    assert_eq!(ours(long.as_bytes(), &[99]), [Event::Csi(vec![vec![7]; PARAMS], 0, 0, b'm')]);
}

#[test]
fn a_cut_inside_a_character_loses_nothing() {
    // What follows the character in its second chunk is lost by `vte` 0.15 if bad bytes come right after:
    // hence it gets whole streams here, and hence a parser of our own.
    let chunks: [&[u8]; 2] = [b"\xc3", b"\xa9x\xff\xff"];
    let (mut parser, mut log) = (Parser::new(), Log::default());
    chunks.iter().for_each(|chunk| parser.advance(chunk, &mut log));
    assert_eq!(log.events, [text("éx")]);
    let (mut parser, mut log) = (vte::Parser::new(), Log::default());
    chunks.iter().for_each(|chunk| parser.advance(&mut log, chunk));
    assert_eq!(log.events, [text("é")]);
}
