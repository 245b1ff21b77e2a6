//! Operating system commands.

use super::parser::Terminator;
use super::sanitize;
use super::terminal::Terminal;

impl Terminal {
    /// OSC.
    pub(super) fn system_command(&mut self, text: &[u8], terminator: Terminator) {
        let (number, rest) = match text.iter().position(|byte| *byte == b';') {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, &text[text.len()..]),
        };
        match number {
            b"0" | b"2" => {
                let title = sanitize::title(rest);
                self.titles.set(title.clone());
                self.effects.title = Some(title);
            }
            b"7" => {
                if let Some(path) = sanitize::file_url_path(rest) {
                    self.effects.cwd = Some(path);
                }
            }
            b"10" => self.colors(10, rest, terminator),
            b"11" => self.colors(11, rest, terminator),
            b"12" => self.colors(12, rest, terminator),
            b"52" => self.write_clipboard(rest),
            b"9" => self.notify_plain(rest),
            b"99" => self.notify_in_parts(rest),
            b"133" => self.shell_mark(rest),
            b"777" => self.notify_titled(rest),
            b"7501" => self.program_status(rest),
            _ => {}
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
