//! Operating system commands.

use super::parser::Terminator;
use super::sanitize;
use super::terminal::Terminal;
use super::titles::Which;

/// The longest name of a pointer's shape.
const POINTER_BYTES: usize = 64;

impl Terminal {
    /// OSC.
    pub(super) fn system_command(&mut self, text: &[u8], terminator: Terminator) {
        let (number, rest) = match text.iter().position(|byte| *byte == b';') {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, &text[text.len()..]),
        };
        match number {
            b"0" => self.set_title(Which::of(0), rest),
            b"1" => self.set_title(Which::of(1), rest),
            b"2" => self.set_title(Which::of(2), rest),
            b"7" => {
                if let Some(path) = sanitize::file_url_path(rest) {
                    self.effects.cwd = Some(path);
                }
            }
            b"4" => self.numbered_colors(0, rest, terminator),
            b"5" => self.numbered_colors(256, rest, terminator),
            b"104" => self.reset_numbered(0, rest),
            b"105" => self.reset_numbered(256, rest),
            b"22" => self.pointer_shape(rest, terminator),
            b"52" => self.write_clipboard(rest),
            b"8" => self.hyperlink(rest),
            b"9" => self.notify_plain(rest),
            b"99" => self.notify_in_parts(rest),
            b"133" => self.shell_mark(rest),
            b"777" => self.notify_titled(rest),
            b"7501" => self.program_status(rest, terminator),
            _ => self.dynamic_command(number, rest, terminator),
        }
    }

    /// OSC 10 to 19 and 110 to 119.
    fn dynamic_command(&mut self, number: &[u8], text: &[u8], terminator: Terminator) {
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<u16>().ok());
        match number {
            Some(number @ 10..=19) => self.dynamic_colors(number, text, terminator),
            Some(number @ 110..=119) => self.reset_dynamic(number - 100),
            _ => {}
        }
    }

    /// OSC 22: the shape of the pointer is kept, and told to who asks for it.
    fn pointer_shape(&mut self, text: &[u8], terminator: Terminator) {
        if text == b"?__current__" {
            let end = if terminator == Terminator::Bell { "\x07" } else { "\x1b\\" };
            let shape = self.pointer.clone();
            self.answer(format_args!("\x1b]22;{shape}{end}"));
        } else if !text.contains(&b'?') {
            self.pointer = sanitize::message(text, POINTER_BYTES);
        }
    }

    /// OSC 52; what is asked for is never told.
    fn write_clipboard(&mut self, text: &[u8]) {
        let Some(at) = text.iter().position(|byte| *byte == b';') else { return };
        let (selection, base64) = (&text[..at], &text[at + 1..]);
        let clipboard = selection.is_empty() || selection.iter().any(|name| matches!(name, b'c' | b's'));
        if clipboard && let Some(text) = sanitize::clipboard(base64) {
            self.effects.clipboard = Some(text);
        }
    }
}
