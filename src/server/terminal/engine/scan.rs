//! What the wire says, read ahead of `vt100`: where a chunk must be cut because something happens that
//! `vt100` does by itself without telling, and whether a piece of it can have changed cells.
//!
//! Invariants: keeps no text; follows the state machine of `vte` 0.15, so that what is taken for a
//! sequence here is one there; where in doubt, cells count as touched.

/// The longest OSC string (`spec/terminal.md` section 2); `vte` itself would collect without end.
pub(super) const STRING_BYTES: usize = 1_048_576;
/// As many parameters as `vte` keeps.
const PARAMETERS: usize = 32;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;

/// The emoji selector, U+FE0F.
const SELECTOR: &[u8] = "\u{fe0f}".as_bytes();

/// Something that the engine must know of; its last byte (of the selector all bytes) is not passed on yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The cursor may go to another row.
    Move,
    /// ED with its parameter.
    Erase(u16),
    /// Rows are moved: IL, DL, SU, SD, RI.
    Rows,
    /// REP with its count.
    Repeat(u16),
    /// DECSTBM with its top and bottom row, counted from one.
    Margins(u16, u16),
    /// Private modes are set or reset; the modes are the parameters.
    PrivateModes(bool),
    /// DECPAM or DECPNM.
    Keypad(bool),
    /// RIS.
    Reset,
    /// The end of an OSC string that was too long: it must have no effect.
    DroppedString,
    /// An emoji selector in the text, which may widen the character before it.
    Selector,
}

impl Event {
    /// How many bytes complete it.
    pub(super) fn bytes(self) -> usize {
        if self == Self::Selector { SELECTOR.len() } else { 1 }
    }
}

/// A piece of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Step {
    /// So many bytes come before the event's last byte (all bytes, without an event).
    pub bytes: usize,
    /// They belong to a string that is too long and must not be passed on.
    pub dropped: bool,
    /// What the byte after them completes.
    pub event: Option<Event>,
    /// They may have changed cells of the rows from the cursor's on.
    pub touched: bool,
    /// A line feed was among them, which may have scrolled.
    pub fed_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    EscapeIntermediate,
    CsiEntry,
    CsiParameter,
    CsiIntermediate,
    CsiIgnore,
    Osc,
    Dcs,
    /// SOS, PM, APC.
    OtherString,
}

#[derive(Debug, Clone, Copy, Default)]
struct Parameter {
    value: u16,
    /// Has sub-parameters, which no sequence of interest takes.
    divided: bool,
}

/// The state between two chunks.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    state: State,
    /// The first private marker or intermediate byte of a control sequence, else 0.
    marker: u8,
    parameters: [Parameter; PARAMETERS],
    count: usize,
    string_bytes: usize,
    overflow: bool,
}

impl Scanner {
    /// Reads up to the next event.
    pub(super) fn step(&mut self, bytes: &[u8]) -> Step {
        let mut step = Step::default();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::Ground => {
                    let rest = &bytes[at..];
                    let text = rest.iter().position(|byte| *byte == ESC).unwrap_or(rest.len());
                    if let Some(before) = find_selector(&rest[..text]) {
                        note_text(&rest[..before], &mut step);
                        return Step { bytes: at + before, event: Some(Event::Selector), ..step };
                    }
                    note_text(&rest[..text], &mut step);
                    at += text;
                    if text < rest.len() {
                        self.begin_escape();
                        at += 1;
                    }
                }
                State::Osc => match self.osc(&bytes[at..], at) {
                    Osc::Goes(bytes) => at += bytes,
                    Osc::Cut(bytes, dropped, event) => {
                        return Step { bytes: at + bytes, dropped, event, ..step };
                    }
                },
                _ => {
                    let event = self.sequence_byte(byte, &mut step);
                    if event.is_some() {
                        return Step { bytes: at, event, ..step };
                    }
                    at += 1;
                }
            }
        }
        Step { bytes: at, ..step }
    }

    /// The modes of the sequence that [`Event::PrivateModes`] reported.
    pub(super) fn modes(&self) -> impl Iterator<Item = u16> {
        self.parameters[..self.count].iter().filter(|one| !one.divided).map(|one| one.value)
    }

    /// Whether the next byte begins something new.
    pub(super) fn is_ground(&self) -> bool {
        self.state == State::Ground
    }

    fn begin_escape(&mut self) {
        self.state = State::Escape;
        self.marker = 0;
        self.count = 0;
        self.parameters[0] = Parameter::default();
    }

    /// Reads OSC bytes from `at` in the chunk on.
    fn osc(&mut self, rest: &[u8], at: usize) -> Osc {
        let length =
            rest.iter().position(|byte| matches!(*byte, 0x07 | CAN | SUB | ESC)).unwrap_or(rest.len());
        if self.overflow && length > 0 {
            // What came before belongs to the string's first part, which is passed on.
            return if at > 0 { Osc::Cut(0, false, None) } else { Osc::Cut(length, true, None) };
        }
        let room = STRING_BYTES - self.string_bytes;
        if length > room {
            self.overflow = true;
            self.string_bytes = STRING_BYTES;
            return Osc::Cut(room, false, None);
        }
        self.string_bytes += length;
        let Some(&end) = rest.get(length) else { return Osc::Goes(length) };
        if end == ESC {
            self.begin_escape();
        } else {
            self.state = State::Ground;
        }
        if std::mem::take(&mut self.overflow) {
            return Osc::Cut(length, false, Some(Event::DroppedString));
        }
        Osc::Goes(length + 1)
    }

    /// Reads a byte of any sequence but OSC.
    fn sequence_byte(&mut self, byte: u8, step: &mut Step) -> Option<Event> {
        match byte {
            ESC => self.begin_escape(),
            CAN | SUB => self.state = State::Ground,
            _ => match self.state {
                State::Dcs if byte == 0x9c => self.state = State::Ground,
                State::Dcs | State::OtherString => {}
                // Control characters act in the middle of a sequence.
                _ if byte < 0x20 => step.fed_line |= is_line_feed(byte),
                _ if byte >= 0x7f => {}
                State::Escape | State::EscapeIntermediate => return self.escape_byte(byte),
                _ => return self.csi_byte(byte, step),
            },
        }
        None
    }

    fn escape_byte(&mut self, byte: u8) -> Option<Event> {
        if byte < 0x30 {
            self.state = State::EscapeIntermediate;
            return None;
        }
        let plain = self.state == State::Escape;
        self.state = match byte {
            b'[' if plain => State::CsiEntry,
            b']' if plain => State::Osc,
            b'P' if plain => State::Dcs,
            b'X' | b'^' | b'_' if plain => State::OtherString,
            _ => State::Ground,
        };
        self.string_bytes = 0;
        match byte {
            b'8' if plain => Some(Event::Move),
            b'M' if plain => Some(Event::Rows),
            b'c' if plain => Some(Event::Reset),
            b'=' if plain => Some(Event::Keypad(true)),
            b'>' if plain => Some(Event::Keypad(false)),
            _ => None,
        }
    }

    fn csi_byte(&mut self, byte: u8, step: &mut Step) -> Option<Event> {
        match (byte, self.state) {
            (0x40.., State::CsiIgnore) => self.state = State::Ground,
            (0x40.., _) => {
                self.state = State::Ground;
                self.count = (self.count + 1).min(PARAMETERS);
                return self.csi_event(byte, step);
            }
            (_, State::CsiIgnore) => {}
            (0x20..=0x2f, _) => {
                self.mark(byte);
                self.state = State::CsiIntermediate;
            }
            (_, State::CsiIntermediate) => self.state = State::CsiIgnore,
            (0x3c..=0x3f, State::CsiEntry) => {
                self.mark(byte);
                self.state = State::CsiParameter;
            }
            (0x3c..=0x3f, _) => self.state = State::CsiIgnore,
            _ => {
                self.state = State::CsiParameter;
                self.parameter_byte(byte);
            }
        }
        None
    }

    fn mark(&mut self, byte: u8) {
        if self.marker == 0 {
            self.marker = byte;
        }
    }

    fn parameter_byte(&mut self, byte: u8) {
        let Some(parameter) = self.parameters.get_mut(self.count) else { return };
        match byte {
            b';' => {
                self.count += 1;
                if let Some(next) = self.parameters.get_mut(self.count) {
                    *next = Parameter::default();
                }
            }
            b':' => parameter.divided = true,
            _ if parameter.divided => {}
            digit => {
                parameter.value = parameter.value.saturating_mul(10).saturating_add(u16::from(digit - b'0'));
            }
        }
    }

    fn second(&self) -> u16 {
        if self.count > 1 { self.parameters[1].value } else { 0 }
    }

    fn csi_event(&self, last: u8, step: &mut Step) -> Option<Event> {
        let first = self.parameters[0].value;
        match (self.marker, last) {
            (0, b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'f') => Some(Event::Move),
            (0 | b'?', b'J') => Some(Event::Erase(first)),
            (0, b'L' | b'M' | b'S' | b'T') => Some(Event::Rows),
            (0, b'b') => Some(Event::Repeat(first.max(1))),
            (0, b'r') => Some(Event::Margins(first, self.second())),
            (b'?', b'h') => Some(Event::PrivateModes(true)),
            (b'?', b'l') => Some(Event::PrivateModes(false)),
            (0 | b'?', b'K') | (0, b'@' | b'P' | b'X') => {
                step.touched = true;
                None
            }
            _ => None,
        }
    }
}

enum Osc {
    /// So many bytes are read.
    Goes(usize),
    /// A step ends after so many bytes.
    Cut(usize, bool, Option<Event>),
}

fn find_selector(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(lead) = text[from..].iter().position(|byte| *byte == SELECTOR[0]) {
        if text[from + lead..].starts_with(SELECTOR) {
            return Some(from + lead);
        }
        from += lead + 1;
    }
    None
}

fn note_text(text: &[u8], step: &mut Step) {
    step.touched = step.touched || text.iter().any(|byte| *byte >= 0x20 && *byte != 0x7f);
    step.fed_line = step.fed_line || text.iter().any(|byte| is_line_feed(*byte));
}

fn is_line_feed(byte: u8) -> bool {
    matches!(byte, b'\n' | 0x0b | 0x0c)
}
