//! The state machine of the wire (after the well-known one of DEC terminals), under a fast front: text
//! comes out as slices and never one character at a time.
//!
//! Invariants: the same calls for any cut of a stream into chunks, except for where text is cut; strings
//! are bounded and dropped whole beyond; bytes that are not UTF-8 come out as U+FFFD, once for each
//! maximal bad sequence.

use super::params::Params;
use super::text_run::{ascii_run, text_run};

/// The longest string of a control sequence (`spec/terminal.md` section 2).
pub(super) const STRING_BYTES: usize = 1_048_576;
/// Memory that is kept between two strings.
const KEPT_BYTES: usize = 4_096;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;
const DEL: u8 = 0x7f;

/// Who does what the wire says.
pub(super) trait Perform {
    /// Printable ASCII.
    fn ascii(&mut self, text: &[u8]);
    /// Text without C0 characters and DEL.
    fn text(&mut self, text: &str);
    /// A C0 character.
    fn control(&mut self, byte: u8);
    /// An escape sequence; `intermediate` is zero for none.
    fn escape(&mut self, intermediate: u8, last: u8);
    /// A control sequence.
    fn csi(&mut self, csi: &Csi);
    /// An operating system command.
    fn osc(&mut self, text: &[u8], terminator: Terminator);
    /// A device control string, parameters and all.
    fn dcs(&mut self, text: &[u8]);
}

/// What ended a string; an answer ends alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    Bell,
    String,
}

/// A control sequence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Csi {
    pub(super) params: Params,
    /// One of `<=>?`, or zero.
    pub(super) marker: u8,
    /// A byte from space to `/`, or zero.
    pub(super) intermediate: u8,
    pub(super) last: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    EscapeIntermediate,
    /// Intermediates that nobody knows.
    EscapeIgnore,
    CsiStart,
    Csi,
    CsiIntermediate,
    CsiIgnore,
    Osc,
    Dcs,
    /// SOS, PM, APC.
    Swallow,
}

/// Reads one stream.
#[derive(Debug)]
pub(super) struct Parser {
    state: State,
    csi: Csi,
    intermediate: u8,
    string: Vec<u8>,
    overflow: bool,
    /// An unfinished character at the end of the last chunk.
    carry: [u8; 4],
    carried: usize,
}

impl Parser {
    pub(super) fn new() -> Self {
        Self {
            state: State::Ground,
            csi: Csi::default(),
            intermediate: 0,
            string: Vec::new(),
            overflow: false,
            carry: [0; 4],
            carried: 0,
        }
    }

    /// Reads a chunk.
    pub(super) fn advance(&mut self, bytes: &[u8], perform: &mut impl Perform) {
        let mut rest = bytes;
        while self.carried > 0 && !rest.is_empty() {
            rest = self.finish_character(rest, perform);
        }
        while let Some(&byte) = rest.first() {
            let used = match self.state {
                State::Ground => self.ground(rest, perform),
                State::Osc | State::Dcs | State::Swallow => self.string_bytes(rest, perform),
                _ => {
                    self.sequence_byte(byte, perform);
                    1
                }
            };
            rest = &rest[used..];
        }
    }

    fn ground(&mut self, bytes: &[u8], perform: &mut impl Perform) -> usize {
        let ascii = ascii_run(bytes);
        if ascii > 0 {
            perform.ascii(&bytes[..ascii]);
        }
        match bytes.get(ascii) {
            None => ascii,
            Some(&ESC) => {
                let rest = &bytes[ascii + 1..];
                if rest.first() == Some(&b'[')
                    && let Some(used) = self.whole_csi(&rest[1..], perform)
                {
                    return ascii + 2 + used;
                }
                self.begin_escape();
                // Sequences are short and many: stay here for as long as this one lasts.
                let mut at = ascii + 1;
                while let Some(&byte) = bytes.get(at)
                    && !matches!(self.state, State::Ground | State::Osc | State::Dcs | State::Swallow)
                {
                    self.sequence_byte(byte, perform);
                    at += 1;
                }
                at
            }
            Some(&DEL) => ascii + 1,
            Some(&byte) if byte < 0x20 => {
                perform.control(byte);
                ascii + 1
            }
            Some(_) => ascii + self.text(&bytes[ascii..], perform),
        }
    }

    /// Reads a control sequence that is whole and ordinary, without a step of the machine for each byte;
    /// any other is left to it.
    fn whole_csi(&mut self, bytes: &[u8], perform: &mut impl Perform) -> Option<usize> {
        let csi = &mut self.csi;
        csi.intermediate = 0;
        csi.marker = bytes.first().copied().filter(|byte| matches!(byte, b'<'..=b'?')).unwrap_or(0);
        let marker = usize::from(csi.marker != 0);
        let at = marker + csi.params.read(&bytes[marker..]);
        csi.last = bytes.get(at).copied().filter(|byte| matches!(byte, 0x40..=0x7e))?;
        csi.params.end();
        perform.csi(csi);
        Some(at + 1)
    }

    /// Reads text that is not all ASCII.
    fn text(&mut self, bytes: &[u8], perform: &mut impl Perform) -> usize {
        let length = text_run(bytes);
        let ends_chunk = length == bytes.len();
        let mut rest = &bytes[..length];
        while !rest.is_empty() {
            let error = match std::str::from_utf8(rest) {
                Ok(text) => {
                    perform.text(text);
                    break;
                }
                Err(error) => error,
            };
            let (valid, bad) = rest.split_at(error.valid_up_to());
            // Checked a moment ago, so nothing is replaced.
            perform.text(std::str::from_utf8(valid).unwrap_or_default());
            let Some(length) = error.error_len() else {
                if ends_chunk {
                    self.carry[..bad.len()].copy_from_slice(bad);
                    self.carried = bad.len();
                } else {
                    perform.text("\u{fffd}");
                }
                break;
            };
            perform.text("\u{fffd}");
            rest = &bad[length..];
        }
        length
    }

    /// Takes bytes to the unfinished character; returns those that are left.
    fn finish_character<'a>(&mut self, bytes: &'a [u8], perform: &mut impl Perform) -> &'a [u8] {
        let Some((&byte, rest)) = bytes.split_first() else { return bytes };
        self.carry[self.carried] = byte;
        let joined = &self.carry[..=self.carried];
        match std::str::from_utf8(joined) {
            Ok(text) => {
                perform.text(text);
                self.carried = 0;
                rest
            }
            Err(error) if error.error_len().is_none() => {
                self.carried += 1;
                rest
            }
            // The byte does not belong to it.
            Err(_) => {
                perform.text("\u{fffd}");
                self.carried = 0;
                bytes
            }
        }
    }

    fn begin_escape(&mut self) {
        self.state = State::Escape;
        self.intermediate = 0;
    }

    /// Reads a byte of an escape or control sequence.
    fn sequence_byte(&mut self, byte: u8, perform: &mut impl Perform) {
        match (byte, self.state) {
            (b'0'..=b';', State::Csi) => self.csi.params.push(byte),
            (ESC, _) => self.begin_escape(),
            (CAN | SUB, _) => self.state = State::Ground,
            // Control characters act in the middle of a sequence.
            (0..0x20, _) => perform.control(byte),
            (DEL.., _) => {}
            (_, State::Escape | State::EscapeIntermediate | State::EscapeIgnore) => {
                self.escape_byte(byte, perform);
            }
            (0x40.., State::CsiIgnore) => self.state = State::Ground,
            (0x40.., _) => {
                self.state = State::Ground;
                self.csi.last = byte;
                self.csi.params.end();
                perform.csi(&self.csi);
            }
            (_, State::CsiIgnore) => {}
            (0x20..=0x2f, State::CsiIntermediate) => self.state = State::CsiIgnore,
            (0x20..=0x2f, _) => {
                self.csi.intermediate = byte;
                self.state = State::CsiIntermediate;
            }
            (_, State::CsiIntermediate) => self.state = State::CsiIgnore,
            (b'<'..=b'?', State::CsiStart) => {
                self.csi.marker = byte;
                self.state = State::Csi;
            }
            (b'<'..=b'?', _) => self.state = State::CsiIgnore,
            _ => {
                self.csi.params.push(byte);
                self.state = State::Csi;
            }
        }
    }

    fn escape_byte(&mut self, byte: u8, perform: &mut impl Perform) {
        if byte < 0x30 {
            let known = self.state == State::Escape;
            self.state = if known { State::EscapeIntermediate } else { State::EscapeIgnore };
            self.intermediate = byte;
            return;
        }
        let plain = self.state == State::Escape;
        self.overflow = false;
        let next = match byte {
            b'[' if plain => State::CsiStart,
            b']' if plain => State::Osc,
            b'P' if plain => State::Dcs,
            b'X' | b'^' | b'_' if plain => State::Swallow,
            _ => State::Ground,
        };
        if next == State::CsiStart {
            self.csi.params.clear();
            self.csi.marker = 0;
            self.csi.intermediate = 0;
        }
        if next == State::Ground && self.state != State::EscapeIgnore {
            perform.escape(self.intermediate, byte);
        }
        self.state = next;
    }

    fn string_bytes(&mut self, bytes: &[u8], perform: &mut impl Perform) -> usize {
        let length = bytes.iter().position(|byte| *byte < 0x20).unwrap_or(bytes.len());
        if self.state != State::Swallow {
            if self.string.len() + length > STRING_BYTES {
                self.overflow = true;
                self.string = Vec::new();
            }
            if !self.overflow {
                self.string.extend_from_slice(&bytes[..length]);
            }
        }
        let Some(&end) = bytes.get(length) else { return length };
        match end {
            ESC => {
                self.end_string(Terminator::String, perform);
                self.begin_escape();
            }
            BEL if self.state == State::Osc => {
                self.end_string(Terminator::Bell, perform);
                self.state = State::Ground;
            }
            CAN | SUB => {
                self.string.clear();
                self.state = State::Ground;
            }
            _ => {}
        }
        length + 1
    }

    fn end_string(&mut self, terminator: Terminator, perform: &mut impl Perform) {
        if !self.overflow {
            match self.state {
                State::Osc => perform.osc(&self.string, terminator),
                State::Dcs => perform.dcs(&self.string),
                _ => {}
            }
        }
        self.string.clear();
        self.string.shrink_to(KEPT_BYTES);
    }
}
