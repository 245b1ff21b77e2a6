//! The program's titles, how they are written (XTSMTITLE) and the stack it keeps them on (XTWINOPS 22, 23).

use super::sanitize;
use super::terminal::Terminal;
use crate::protocol::limits::TITLE_BYTES;

/// Entries of the stack; the oldest goes first.
const STACK: usize = 16;

/// Which titles a sequence is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Which {
    icon: bool,
    window: bool,
}

impl Which {
    /// As OSC 0, 1, 2 and the parameters of XTWINOPS say it.
    pub(super) const fn of(number: u16) -> Self {
        Self { icon: number != 2, window: number != 1 }
    }
}

#[derive(Debug, Default)]
struct Saved {
    icon: Option<String>,
    window: Option<String>,
}

/// Titles.
#[derive(Debug, Default)]
pub(super) struct Titles {
    icon: String,
    window: String,
    stack: Vec<Saved>,
    /// XTSMTITLE 0 and 1: titles are set, and told, in hexadecimal.
    hex_set: bool,
    hex_told: bool,
}

impl Titles {
    /// RIS: titles stay.
    pub(super) fn reset_modes(&mut self) {
        (self.hex_set, self.hex_told) = (false, false);
        self.stack.clear();
    }

    /// XTSMTITLE (`on`) and XTRMTITLE; the default of the latter is every mode.
    pub(super) fn set_modes(&mut self, modes: &[u16], on: bool) {
        for mode in modes {
            match mode {
                0 => self.hex_set = on,
                1 => self.hex_told = on,
                _ => {}
            }
        }
    }
}

impl Terminal {
    /// OSC 0, 1, 2.
    pub(super) fn set_title(&mut self, which: Which, text: &[u8]) {
        let decoded = if self.titles.hex_set { from_hex(text) } else { Some(text.to_vec()) };
        let Some(text) = decoded else { return };
        let title = sanitize::message(&text, TITLE_BYTES);
        if which.icon {
            self.titles.icon.clone_from(&title);
        }
        if which.window {
            self.titles.window.clone_from(&title);
            self.effects.title = Some(title);
        }
    }

    /// XTWINOPS 22.
    pub(super) fn push_title(&mut self, which: Which) {
        let titles = &mut self.titles;
        if titles.stack.len() == STACK {
            titles.stack.remove(0);
        }
        let saved = Saved {
            icon: which.icon.then(|| titles.icon.clone()),
            window: which.window.then(|| titles.window.clone()),
        };
        titles.stack.push(saved);
    }

    /// XTWINOPS 23: what the newest entry does not have comes from the one below.
    pub(super) fn pop_title(&mut self, which: Which) {
        let Some(newest) = self.titles.stack.pop() else { return };
        let below = || self.titles.stack.iter().rev();
        let icon = newest.icon.or_else(|| below().find_map(|saved| saved.icon.clone()));
        let window = newest.window.or_else(|| below().find_map(|saved| saved.window.clone()));
        if let Some(icon) = icon.filter(|_| which.icon) {
            self.titles.icon = icon;
        }
        if let Some(window) = window.filter(|_| which.window) {
            self.titles.window.clone_from(&window);
            self.effects.title = Some(window);
        }
    }

    /// XTWINOPS 20 and 21. A title holds no control character, so that what is told can be read as text but
    /// never acts.
    pub(super) fn tell_title(&mut self, icon: bool) {
        let (letter, title) = if icon { ('L', &self.titles.icon) } else { ('l', &self.titles.window) };
        let hex = || title.bytes().map(|byte| format!("{byte:02X}")).collect();
        let title = if self.titles.hex_told { hex() } else { title.clone() };
        self.answer(format_args!("\x1b]{letter}{title}\x1b\\"));
    }
}

fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    if rest.is_empty() { bytes } else { None }
}
