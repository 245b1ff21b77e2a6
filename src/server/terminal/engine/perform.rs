//! What the parser calls: control characters, escape sequences, and the way to the other families.

use super::marks::Mark;
use super::parser::{Csi, Perform, Terminator};
use super::terminal::{PRIMARY, Protection, Terminal};
use super::{Modes, answers};

impl Perform for Terminal {
    fn ascii(&mut self, text: &[u8]) {
        self.print_ascii(text);
    }

    fn text(&mut self, text: &str) {
        self.print_text(text);
    }

    fn control(&mut self, byte: u8) {
        match byte {
            0x07 => self.effects.bell = true,
            0x08 => self.backspace(1),
            b'\t' => self.tab_forward(1),
            b'\n' | 0x0b | 0x0c => {
                self.index();
                if self.modes.packed().contains(Modes::NEWLINE) {
                    self.carriage_return();
                }
            }
            b'\r' => self.carriage_return(),
            0x0e => self.charsets.shift(1),
            0x0f => self.charsets.shift(0),
            _ => {}
        }
    }

    fn escape(&mut self, intermediate: u8, last: u8) {
        match (intermediate, last) {
            (0, b'7') => self.save_cursor(),
            (0, b'8') => self.restore_cursor(),
            (0, b'D') => self.index(),
            (0, b'E') => {
                self.index();
                self.carriage_return();
            }
            (0, b'H') => self.tabs.set(self.place.col, true),
            (0, b'M') => self.reverse_index(),
            (0, b'N') => self.charsets.shift_once(2),
            (0, b'O') => self.charsets.shift_once(3),
            (0, b'V') => {
                self.protection = Protection::Ordinary;
                self.pen.protected = true;
            }
            (0, b'W') => self.pen.protected = false,
            (0, b'Z') => self.reply(answers::DA1),
            (0, b'c') => {
                self.reset();
                // xterm drops its saved lines too.
                self.history.clear();
                self.effects.marks.push(Mark::Reset);
            }
            (0, b'n') => self.charsets.shift(2),
            (0, b'o') => self.charsets.shift(3),
            (0, b'=') => self.modes.put(Modes::APPLICATION_KEYPAD, true),
            (0, b'>') => self.modes.put(Modes::APPLICATION_KEYPAD, false),
            (0, b'6') => self.back_index(),
            (0, b'9') => self.forward_index(),
            (b' ', b'F') => self.answers_in_8_bits = false,
            (b' ', b'G') if self.level > 1 => self.answers_in_8_bits = true,
            (b'#', b'8') => self.alignment_pattern(),
            (b'(', name) => self.charsets.choose(0, name),
            (b')', name) => self.charsets.choose(1, name),
            (b'*', name) => self.charsets.choose(2, name),
            (b'+', name) => self.charsets.choose(3, name),
            _ => {}
        }
    }

    fn csi(&mut self, csi: &Csi) {
        self.control_sequence(csi);
    }

    fn osc(&mut self, text: &[u8], terminator: Terminator) {
        self.system_command(text, terminator);
    }

    fn dcs(&mut self, text: &[u8]) {
        self.device_string(text);
    }
}

impl Terminal {
    /// BS and CUB, with reverse wrap (45, 1045) if that is on.
    pub(super) fn backspace(&mut self, count: u16) {
        let wraps = self.modes.autowrap && (self.modes.reverse_wrap || self.modes.reverse_wrap_all);
        if !wraps {
            self.place.col = self.place.col.saturating_sub(count).max(self.left_edge());
            self.place.pending = false;
            return;
        }
        let cells = u32::from(self.size.rows) * u32::from(self.size.cols);
        // A cursor that waits beyond the last column is one step further.
        let mut left = u32::from(count).min(cells) - u32::from(self.place.pending).min(u32::from(count));
        self.place.pending = false;
        while left > 0 {
            let edge = self.left_edge();
            let here = u32::from(self.place.col - edge).min(left);
            self.place.col -= u16::try_from(here).unwrap_or(0);
            left -= here;
            if left > 0 && !self.wrap_back() {
                break;
            }
            left = left.saturating_sub(1);
        }
    }

    /// Goes to the end of the row above; whether there is one to go to.
    fn wrap_back(&mut self) -> bool {
        let top = self.place.row == self.margins.top || self.place.row == 0;
        let row = match (top, self.modes.reverse_wrap_all) {
            (true, false) => return false,
            (true, true) => self.margins.bottom - 1,
            (false, _) => self.place.row - 1,
        };
        let goes_on = self.grid().row(row).is_some_and(super::row::Row::wrapped);
        if !goes_on && !self.modes.reverse_wrap_all {
            return false;
        }
        self.place.row = row;
        self.place.col = self.margins.right - 1;
        true
    }

    /// HT, CHT.
    pub(super) fn tab_forward(&mut self, count: u16) {
        if self.place.pending && self.modes.tab_wraps && self.modes.autowrap {
            self.wrap();
        }
        let last = self.right_edge();
        for _ in 0..count.min(self.size.cols) {
            self.place.col = self.tabs.next(self.place.col, last).max(self.place.col);
        }
    }

    /// CBT.
    pub(super) fn tab_back(&mut self, count: u16) {
        let first = if self.modes.origin { self.margins.left } else { 0 };
        for _ in 0..count.min(self.size.cols) {
            self.place.col = self.tabs.previous(self.place.col, first);
        }
        self.place.pending = false;
    }

    /// DECBI.
    fn back_index(&mut self) {
        if self.place.col == self.margins.left {
            if self.in_rows() {
                self.shift_columns(self.place.col, 1, true);
            }
        } else {
            self.place.col = self.place.col.saturating_sub(1);
        }
        self.place.pending = false;
    }

    /// DECFI.
    fn forward_index(&mut self) {
        if self.place.col + 1 == self.margins.right {
            if self.in_rows() {
                self.shift_columns(self.margins.left, 1, false);
            }
        } else {
            self.place.col = (self.place.col + 1).min(self.size.cols - 1);
        }
        self.place.pending = false;
    }

    /// DECALN.
    fn alignment_pattern(&mut self) {
        self.margins = super::terminal::Margins::whole(self.size);
        self.modes.origin = false;
        self.go_to(0, 0);
        let text = vec![b'E'; self.cols()];
        let shown = self.shown;
        self.clear(shown, super::cell::Cell::default());
        for row in self.grid_mut().rows_mut() {
            row.write_ascii(0, &text, 0, 0);
        }
    }

    /// Whether the primary screen is shown.
    pub(super) fn is_primary(&self) -> bool {
        self.shown == PRIMARY
    }
}
