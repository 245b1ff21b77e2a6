//! What `vt100` hands over while it parses: rows that leave the top, strings for the outside world, and
//! the sequences that it does not know, among them all queries.
//!
//! Invariant: an answer is written when its query is parsed, so that answers have the order of the
//! queries and the cursor's place in the middle of a chunk is right.

use super::Effects;
use super::history::History;
use super::modes::{Kitty, ModeState, Modes};
use super::row_writer::RowWriter;
use super::sanitize;
use std::fmt::{self, Write};
use vt100::Screen;
use vt100::capture::{BasicFormattedCaptureState, RowContents};

/// The terminal's class and what it can: a VT220 with ANSI colour.
const DA1: &str = "\x1b[?62;22c";
/// VT220; then what programs read as xterm's patch level: Vim takes SGR mouse from 277 on.
const DA2: &str = "\x1b[>1;400;0c";
const DA3: &str = "\x1bP!|00000000\x1b\\";
const XTVERSION: &str = concat!("\x1bP>|luvus ", env!("CARGO_PKG_VERSION"), "\x1b\\");
/// The colours that are told to a program: light grey on black, whatever the viewers' terminals show.
const FOREGROUND: &str = "rgb:cccc/cccc/cccc";
const BACKGROUND: &str = "rgb:0000/0000/0000";
/// A cell in pixels, as far as programs are told: as many terminals have it.
pub(in crate::server::terminal) const CELL_PIXELS: (u16, u16) = (16, 8);

/// What is collected while `vt100` parses.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) history: History,
    pub(super) modes: ModeState,
    pub(super) effects: Effects,
    /// So many rows left the top of the shown screen.
    pub(super) scrolled_rows: usize,
    /// The next string was too long and has no effect.
    pub(super) drop_string: bool,
    scratch: String,
}

impl Watch {
    pub(super) fn new(history_bytes: usize) -> Self {
        Self {
            history: History::new(history_bytes),
            modes: ModeState::default(),
            effects: Effects::default(),
            scrolled_rows: 0,
            drop_string: false,
            scratch: String::new(),
        }
    }

    fn reply(&mut self, answer: fmt::Arguments<'_>) {
        self.effects.replies.extend_from_slice(answer.to_string().as_bytes());
    }

    fn set_title(&mut self, title: &[u8]) {
        if !self.drop_string {
            self.effects.title = Some(sanitize::title(title));
        }
    }

    fn device_attributes(&mut self, marker: Option<u8>) {
        match marker {
            None => self.reply(format_args!("{DA1}")),
            Some(b'>') => self.reply(format_args!("{DA2}")),
            Some(b'=') => self.reply(format_args!("{DA3}")),
            _ => {}
        }
    }

    fn device_status(&mut self, screen: &Screen, private: bool, what: u16) {
        let (row, col) = screen.cursor_position();
        let (row, col) = (row + 1, col.saturating_add(1).min(screen.size().1.get()));
        match (private, what) {
            (false, 5) => self.reply(format_args!("\x1b[0n")),
            (false, 6) => self.reply(format_args!("\x1b[{row};{col}R")),
            (true, 6) => self.reply(format_args!("\x1b[?{row};{col}R")),
            _ => {}
        }
    }

    fn window_report(&mut self, screen: &Screen, what: u16) {
        let (rows, cols) = screen.size();
        let (rows, cols) = (u32::from(rows.get()), u32::from(cols.get()));
        let (height, width) = (u32::from(CELL_PIXELS.0), u32::from(CELL_PIXELS.1));
        match what {
            14 => self.reply(format_args!("\x1b[4;{};{}t", rows * height, cols * width)),
            16 => self.reply(format_args!("\x1b[6;{height};{width}t")),
            18 => self.reply(format_args!("\x1b[8;{rows};{cols}t")),
            19 => self.reply(format_args!("\x1b[9;{rows};{cols}t")),
            _ => {}
        }
    }

    /// DECRQM. Autowrap (7) is on for good: `vt100` knows no other way.
    fn mode_report(&mut self, private: bool, mode: u16) {
        let known = match (private, mode) {
            (true, 7) => return self.reply(format_args!("\x1b[?7;3$y")),
            (true, _) => self.modes.is_private_set(mode),
            (false, 20) => Some(self.modes.packed().contains(Modes::NEWLINE)),
            (false, _) => None,
        };
        let state = match known {
            Some(true) => 1,
            Some(false) => 2,
            None => 0,
        };
        self.reply(format_args!("\x1b[{}{mode};{state}$y", if private { "?" } else { "" }));
    }

    fn keyboard(&mut self, marker: u8, first: u16, second: u16) {
        match marker {
            b'?' => {
                let flags = self.modes.kitty_flags();
                self.reply(format_args!("\x1b[?{flags}u"));
            }
            b'>' => self.modes.kitty(Kitty::Push(first)),
            b'<' => self.modes.kitty(Kitty::Pop(first.max(1))),
            b'=' => self.modes.kitty(Kitty::Set(first, second)),
            _ => {}
        }
    }

    /// XTMODKEYS and its query, of which only modifyOtherKeys (4) is kept.
    fn modify_keys(&mut self, marker: u8, resource: u16, value: u16) {
        match (marker, resource) {
            (b'>', 0) => self.modes.set_modify_other_keys(0),
            (b'>', 4) => self.modes.set_modify_other_keys(value),
            (b'?', 4) => {
                let level = self.modes.modify_other_keys();
                self.reply(format_args!("\x1b[>4;{level}m"));
            }
            _ => {}
        }
    }

    /// OSC 10 and 11: several colours may be asked for at once, each one number further.
    fn colors(&mut self, first: u16, wanted: &[&[u8]]) {
        for (number, _) in (first..=11).zip(wanted).filter(|(_, spec)| **spec == b"?") {
            let color = if number == 10 { FOREGROUND } else { BACKGROUND };
            self.reply(format_args!("\x1b]{number};{color}\x1b\\"));
        }
    }
}

impl vt100::Callbacks for Watch {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.effects.bell = true;
    }

    fn visual_bell(&mut self, _: &mut Screen) {
        self.effects.bell = true;
    }

    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.set_title(title);
    }

    fn copy_to_clipboard(&mut self, _: &mut Screen, selection: &[u8], base64: &[u8]) {
        let clipboard = selection.is_empty() || selection.iter().any(|name| matches!(name, b'c' | b's'));
        if clipboard && !self.drop_string {
            self.effects.clipboard = sanitize::clipboard(base64).or(self.effects.clipboard.take());
        }
    }

    fn unhandled_osc(&mut self, _: &mut Screen, params: &[&[u8]]) {
        if self.drop_string {
            return;
        }
        match params {
            // A title that has semicolons, or none at all.
            [b"0" | b"2", title @ ..] => self.set_title(&title.join(&b';')),
            [b"7", url @ ..] => {
                self.effects.cwd = sanitize::file_url_path(&url.join(&b';')).or(self.effects.cwd.take());
            }
            [b"10", wanted @ ..] => self.colors(10, wanted),
            [b"11", wanted @ ..] => self.colors(11, wanted),
            _ => {}
        }
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        i1: Option<u8>,
        i2: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        let parameter =
            |index: usize| params.get(index).and_then(|values| values.first()).copied().unwrap_or(0);
        let first = parameter(0);
        match (i1, i2, c) {
            (_, None, 'c') if first == 0 => self.device_attributes(i1),
            (None, None, 'n') => self.device_status(screen, false, first),
            (Some(b'?'), None, 'n') => self.device_status(screen, true, first),
            (Some(b'>'), None, 'n') if first == 4 => self.modes.set_modify_other_keys(0),
            (Some(b'>'), None, 'q') if first == 0 => self.reply(format_args!("{XTVERSION}")),
            (None, None, 't') => self.window_report(screen, first),
            (Some(b'$'), None, 'p') => self.mode_report(false, first),
            (Some(b'?'), Some(b'$'), 'p') => self.mode_report(true, first),
            (Some(b'!'), None, 'p') => self.modes.soft_reset(),
            (Some(marker), None, 'u') => self.keyboard(marker, first, parameter(1)),
            (Some(marker), None, 'm') => self.modify_keys(marker, first, parameter(1)),
            (None, None, 'h' | 'l') if params.iter().any(|one| **one == [20]) => {
                self.modes.put(Modes::NEWLINE, c == 'h');
            }
            _ => {}
        }
    }

    fn on_scroll(&mut self, contents: RowContents<'_>, alternate: bool) {
        // A change of size also shortens the alternate screen that is not shown, and tells its old rows.
        if alternate && !self.modes.is_alternate() {
            return;
        }
        self.scrolled_rows += 1;
        let mut state = BasicFormattedCaptureState::new();
        let mut row = RowWriter::new(std::mem::take(&mut self.scratch));
        let written = contents.write_formatted_basic(&mut row, &mut state).is_ok();
        // Whether the row goes on is told only by what comes before the next one: ask for its first character.
        let mut next = FirstCharacter(None);
        let _ = contents.write_formatted_basic(&mut next, &mut state);
        self.scratch = row.finish();
        if written {
            self.history.push(&self.scratch, next.0 != Some('\n'), alternate);
        }
    }
}

/// Takes one character and refuses the rest.
struct FirstCharacter(Option<char>);

impl Write for FirstCharacter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = text.chars().next();
        Err(fmt::Error)
    }

    fn write_char(&mut self, char: char) -> fmt::Result {
        self.0 = Some(char);
        Err(fmt::Error)
    }
}
