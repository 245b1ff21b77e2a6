//! Answers to a program's questions.
//!
//! Invariant: an answer is written when its query is parsed, so that answers have the order of the
//! queries and tell the state of that moment.

use super::modes::{Kitty, ModeState};
use super::params::Params;
use super::parser::Csi;
use super::sgr;
use super::terminal::Terminal;
use crate::protocol::frame::CursorShape;
use std::fmt;

/// The terminal's class and what it can: a VT420 with selective erasing, the technical characters,
/// horizontal scrolling, ANSI colours and rectangles.
pub(super) const DA1: &str = "\x1b[?64;6;15;21;22;28c";
/// VT420; then what programs read as xterm's patch level: Vim takes SGR mouse from 277 on.
pub(super) const DA2: &str = "\x1b[>41;400;0c";
pub(super) const DA3: &str = "\x1bP!|00000000\x1b\\";
pub(super) const XTVERSION: &str = concat!("\x1bP>|luvus ", env!("CARGO_PKG_VERSION"), "\x1b\\");
/// A cell in pixels, as far as programs are told: as many terminals have it.
pub(in crate::server::terminal) const CELL_PIXELS: (u16, u16) = (16, 8);
/// Capabilities that XTGETTCAP tells, by their termcap and terminfo names.
const CAPABILITIES: [(&[u8], &str); 6] = [
    (b"Co", "256"),
    (b"colors", "256"),
    (b"RGB", "8/8/8"),
    (b"TN", "xterm-256color"),
    (b"name", "xterm-256color"),
    (b"Smulx", "\\E[4:%p1%dm"),
];
/// Names in one XTGETTCAP.
const NAMES: usize = 32;

impl Terminal {
    pub(super) fn reply(&mut self, answer: &str) {
        let replies = &mut self.effects.replies;
        if !self.answers_in_8_bits {
            replies.extend_from_slice(answer.as_bytes());
            return;
        }
        // Text in an answer holds no ESC, so each begins a C1 character.
        let mut bytes = answer.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                0x1b => replies.extend(bytes.next().map(|byte| byte | 0x80).map(|byte| byte & !0x40)),
                _ => replies.push(byte),
            }
        }
    }

    pub(super) fn answer(&mut self, answer: fmt::Arguments<'_>) {
        self.reply(&answer.to_string());
    }

    /// DSR.
    pub(super) fn device_status(&mut self, private: bool, params: &Params) {
        let (what, id) = (params.get(0), params.get(1));
        let area = self.origin();
        let row = self.place.row.saturating_sub(area.top) + 1;
        let col = self.place.col.saturating_sub(area.left) + 1;
        match (private, what) {
            (false, 5) => self.reply("\x1b[0n"),
            (false, 6) => self.answer(format_args!("\x1b[{row};{col}R")),
            (true, 6) => self.answer(format_args!("\x1b[?{row};{col};1R")),
            // No printer, user-defined keys unlocked, a North American keyboard, no locator.
            (true, 15) => self.reply("\x1b[?13n"),
            (true, 25) => self.reply("\x1b[?20n"),
            (true, 26) => self.reply("\x1b[?27;1;0;0n"),
            (true, 53 | 55) => self.reply("\x1b[?50n"),
            (true, 56) => self.reply("\x1b[?57;0n"),
            // No room for macros, whose checksum is nothing; no errors on the line; one session.
            (true, 62) => self.reply("\x1b[0*{"),
            (true, 63) => self.answer(format_args!("\x1bP{id}!~0000\x1b\\")),
            (true, 75) => self.reply("\x1b[?70n"),
            (true, 85) => self.reply("\x1b[?83n"),
            (true, 996) => self.tell_colors(),
            _ => {}
        }
    }

    /// Whether the colours are dark (1) or light (2) ones.
    pub(super) fn tell_colors(&mut self) {
        let scheme = if self.is_dark() { 1 } else { 2 };
        self.answer(format_args!("\x1b[?997;{scheme}n"));
    }

    /// DECRQM.
    pub(super) fn mode_report(&mut self, private: bool, mode: u16) {
        if self.level < 3 {
            return;
        }
        let known = if private { self.modes.is_private_set(mode) } else { self.modes.is_ansi_set(mode) };
        let state = match known {
            Some(true) => 1,
            Some(false) => 2,
            None if ModeState::is_never_set(private, mode) => 4,
            None => 0,
        };
        self.answer(format_args!("\x1b[{}{mode};{state}$y", if private { "?" } else { "" }));
    }

    /// The kitty keyboard protocol, and xterm's modifyOtherKeys.
    pub(super) fn keyboard(&mut self, csi: &Csi) {
        let (first, second) = (csi.params.get(0), csi.params.get(1));
        match (csi.marker, csi.last) {
            (b'?', b'u') => {
                let flags = self.modes.kitty_flags();
                self.answer(format_args!("\x1b[?{flags}u"));
            }
            (b'>', b'u') => self.modes.kitty(Kitty::Push(first)),
            (b'<', b'u') => self.modes.kitty(Kitty::Pop(first.max(1))),
            (b'=', b'u') => self.modes.kitty(Kitty::Set(first, second)),
            (b'>', b'm') if first == 0 => self.modes.set_modify_other_keys(0),
            (b'>', b'm') if first == 4 => self.modes.set_modify_other_keys(second),
            (b'>', b'n') if first == 4 => self.modes.set_modify_other_keys(0),
            (b'?', b'm') if first == 4 => {
                let level = self.modes.modify_other_keys();
                self.answer(format_args!("\x1b[>4;{level}m"));
            }
            _ => {}
        }
    }

    /// A device control string: DECRQSS and XTGETTCAP; others are swallowed.
    pub(super) fn device_string(&mut self, text: &[u8]) {
        if let Some(setting) = text.strip_prefix(b"$q") {
            self.setting_report(setting);
        } else if let Some(names) = text.strip_prefix(b"+q") {
            names.split(|byte| *byte == b';').take(NAMES).for_each(|name| self.capability_report(name));
        } else if text == b"=1s" {
            self.set_private_mode(2026, true);
        } else if text == b"=2s" {
            self.set_private_mode(2026, false);
        }
    }

    /// DECRQSS.
    fn setting_report(&mut self, setting: &[u8]) {
        let (margins, rows) = (self.margins, self.size.rows);
        match setting {
            b"m" => {
                let mut styled = String::new();
                sgr::write_full(&mut styled, self.style());
                let parameters = styled.trim_start_matches("\x1b[");
                self.answer(format_args!("\x1bP1$r{parameters}\x1b\\"));
            }
            b"r" => self.answer(format_args!("\x1bP1$r{};{}r\x1b\\", margins.top + 1, margins.bottom)),
            b"s" => self.answer(format_args!("\x1bP1$r{};{}s\x1b\\", margins.left + 1, margins.right)),
            b" q" => {
                let shape = match self.shape {
                    CursorShape::Default | CursorShape::Block { blink: true } => 1,
                    CursorShape::Block { blink: false } => 2,
                    CursorShape::Underline { blink: true } => 3,
                    CursorShape::Underline { blink: false } => 4,
                    CursorShape::Bar { blink: true } => 5,
                    CursorShape::Bar { blink: false } => 6,
                };
                self.answer(format_args!("\x1bP1$r{shape} q\x1b\\"));
            }
            b"\"q" => {
                let protected = u8::from(self.pen.protected);
                self.answer(format_args!("\x1bP1$r{protected}\"q\x1b\\"));
            }
            b"\"p" => {
                let (level, controls) = (60 + self.level, u8::from(!self.answers_in_8_bits));
                self.answer(format_args!("\x1bP1$r{level};{controls}\"p\x1b\\"));
            }
            // No status line.
            b"$}" => self.reply("\x1bP1$r0$}\x1b\\"),
            b"$~" => self.reply("\x1bP1$r0$~\x1b\\"),
            b"t" => self.answer(format_args!("\x1bP1$r{rows}t\x1b\\")),
            b"*|" => self.answer(format_args!("\x1bP1$r{rows}*|\x1b\\")),
            b"*x" => {
                let extent = self.extent;
                self.answer(format_args!("\x1bP1$r{extent}*x\x1b\\"));
            }
            _ => self.reply("\x1bP0$r\x1b\\"),
        }
    }

    /// XTGETTCAP: names and values are told in hexadecimal.
    fn capability_report(&mut self, coded: &[u8]) {
        let digits = coded.len() <= 64 && coded.iter().all(u8::is_ascii_hexdigit);
        let coded = if digits { std::str::from_utf8(coded).unwrap_or_default() } else { "" };
        let hex = |text: &[u8]| text.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        let known = CAPABILITIES.iter().find(|(name, _)| hex(name).eq_ignore_ascii_case(coded));
        match known {
            Some((_, value)) => {
                let value = hex(value.as_bytes());
                self.answer(format_args!("\x1bP1+r{coded}={value}\x1b\\"));
            }
            None => self.answer(format_args!("\x1bP0+r{coded}\x1b\\")),
        }
    }
}
