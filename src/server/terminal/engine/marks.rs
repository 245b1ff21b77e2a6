//! What a program marks and tells in passing: shell integration (OSC 133), its own status (OSC 7501),
//! notifications (OSC 9, 777, 99), progress (OSC 9;4), and that it reset the terminal.
//!
//! Invariant: marks leave in the order of the wire, and every one of them is bounded.

use super::parser::Terminator;
use super::sanitize;
use super::terminal::Terminal;
use crate::protocol::limits::{NOTIFICATION_BODY_BYTES, TITLE_BYTES};

/// The longest sequence of OSC 7501 (`uhp.md` 12.1): from ESC to the end of its terminator.
const STATUS_BYTES: usize = 4_096;
/// What of it stands before the body: `ESC ]7501;`.
const STATUS_HEAD_BYTES: usize = 7;
/// Parts of notifications (OSC 99) whose end has not come yet.
const UNFINISHED: usize = 8;

/// Something that the program marked at a place in its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Its prompt begins (OSC 133 A).
    PromptStart,
    /// Its prompt ends, what is typed begins (OSC 133 B).
    PromptEnd,
    /// A command starts, its output begins (OSC 133 C).
    CommandStart,
    /// The command ended (OSC 133 D), with its status if that was told.
    CommandEnd {
        /// The exit status.
        exit: Option<i32>,
    },
    /// A report of the program's status (OSC 7501): what follows `7501;`, as it came.
    Status(Vec<u8>),
    /// A message to the person.
    Notification {
        /// Its title, if it has one of its own.
        title: Option<String>,
        /// Its text, not empty.
        body: String,
    },
    /// How far the program is (OSC 9;4).
    Progress(Progress),
    /// The terminal was reset (RIS).
    Reset,
}

/// How far a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// There is nothing to show any more.
    None,
    /// In per cent.
    Normal(u8),
    /// It failed, at so many per cent.
    Error(u8),
    /// It works, and does not know how far it is.
    Indeterminate,
    /// It waits, at so many per cent.
    Paused(u8),
}

/// A notification (OSC 99) that comes in parts.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    id: Vec<u8>,
    title: String,
    body: String,
}

impl Terminal {
    /// OSC 133.
    pub(super) fn shell_mark(&mut self, text: &[u8]) {
        let mut parts = text.split(|byte| *byte == b';');
        let mark = match parts.next().unwrap_or_default() {
            // The prompt of a line that goes on, or one at the right side, begins no command.
            b"A" | b"N" if parts.any(|part| matches!(part, b"k=s" | b"k=c" | b"k=r")) => return,
            b"A" | b"N" => Mark::PromptStart,
            b"B" => Mark::PromptEnd,
            b"C" => Mark::CommandStart,
            b"D" => {
                let exit = parts.next().and_then(|exit| std::str::from_utf8(exit).ok()?.parse().ok());
                Mark::CommandEnd { exit }
            }
            _ => return,
        };
        self.note_shell_mark(&mark);
        self.effects.marks.push(mark);
    }

    /// OSC 7501: the query is answered here, reports are for others to read.
    pub(super) fn program_status(&mut self, body: &[u8], terminator: Terminator) {
        let end = if terminator == Terminator::Bell { 1 } else { 2 };
        if body == b"?" {
            self.reply("\x1b]7501;?\x1b\\");
        } else if STATUS_HEAD_BYTES + body.len() + end <= STATUS_BYTES {
            self.effects.marks.push(Mark::Status(body.to_vec()));
        }
    }

    /// OSC 9: a notification, or one of the commands that share its number.
    pub(super) fn notify_plain(&mut self, text: &[u8]) {
        match text.strip_prefix(b"4") {
            Some([]) => self.effects.marks.push(Mark::Progress(Progress::None)),
            Some([b';', rest @ ..]) => {
                if let Some(progress) = progress(rest) {
                    self.effects.marks.push(Mark::Progress(progress));
                }
            }
            _ => self.notify("", &sanitize::message(text, NOTIFICATION_BODY_BYTES)),
        }
    }

    /// OSC 777: `notify`, a title and a text.
    pub(super) fn notify_titled(&mut self, text: &[u8]) {
        let mut parts = text.splitn(3, |byte| *byte == b';');
        if parts.next() == Some(b"notify") {
            let title = sanitize::message(parts.next().unwrap_or_default(), TITLE_BYTES);
            let body = sanitize::message(parts.next().unwrap_or_default(), NOTIFICATION_BODY_BYTES);
            self.notify(&title, &body);
        }
    }

    /// OSC 99: keys and values, then a part of the text.
    pub(super) fn notify_in_parts(&mut self, text: &[u8]) {
        let Some(at) = text.iter().position(|byte| *byte == b';') else { return };
        let (keys, payload) = (&text[..at], &text[at + 1..]);
        let value = |wanted: &[u8]| {
            let pair = keys
                .split(|byte| *byte == b':')
                .find(|pair| pair.split(|byte| *byte == b'=').next() == Some(wanted));
            pair.map_or(&[][..], |pair| &pair[(wanted.len() + 1).min(pair.len())..])
        };
        let id = &value(b"i")[..value(b"i").len().min(TITLE_BYTES)];
        let decoded = if value(b"e") == b"1" { sanitize::base64(payload) } else { Some(payload.to_vec()) };
        let Some(payload) = decoded else { return };
        let found = self.unfinished.iter().position(|unfinished| unfinished.id == id);
        let mut notification = match found {
            Some(at) => self.unfinished.remove(at),
            None => Unfinished { id: id.to_vec(), ..Unfinished::default() },
        };
        let (part, limit) = match value(b"p") {
            b"" | b"title" => (&mut notification.title, TITLE_BYTES),
            b"body" => (&mut notification.body, NOTIFICATION_BODY_BYTES),
            // Icons, buttons and questions are not for here, and finish nothing.
            _ => return,
        };
        part.push_str(&sanitize::message(&payload, limit.saturating_sub(part.len())));
        if value(b"d") != b"0" {
            return self.notify(&notification.title, &notification.body);
        }
        if self.unfinished.len() == UNFINISHED {
            self.unfinished.remove(0);
        }
        self.unfinished.push(notification);
    }

    /// A message without a text has its title for one.
    fn notify(&mut self, title: &str, body: &str) {
        let (title, body) = if body.is_empty() { ("", title) } else { (title, body) };
        if !body.is_empty() {
            let title = Some(title.to_owned()).filter(|title| !title.is_empty());
            self.effects.marks.push(Mark::Notification { title, body: body.to_owned() });
        }
    }
}

/// What follows `9;4;`.
fn progress(text: &[u8]) -> Option<Progress> {
    let mut parts = text.split(|byte| *byte == b';');
    let state = parts.next()?;
    let told = parts.next().and_then(|value| std::str::from_utf8(value).ok()?.parse::<u16>().ok());
    let percent = told.and_then(|value| u8::try_from(value.min(100)).ok()).unwrap_or(0);
    match state {
        b"" | b"0" => Some(Progress::None),
        b"1" => Some(Progress::Normal(percent)),
        b"2" => Some(Progress::Error(percent)),
        b"3" => Some(Progress::Indeterminate),
        b"4" => Some(Progress::Paused(percent)),
        _ => None,
    }
}
