//! The cursor saved and restored, and the terminal reset, softly or as a whole.

use super::cell::Cell;
use super::charset::Charsets;
use super::modes::ModeState;
use super::tabs::Tabs;
use super::terminal::{
    ALTERNATE, CHECKSUM_MODE, LEVEL, Margins, PRIMARY, Pen, Place, Protection, Saved, Terminal,
};
use crate::protocol::frame::CursorShape;

impl Terminal {
    /// DECSC.
    pub(super) fn save_cursor(&mut self) {
        self.saved[self.shown] =
            Saved { place: self.place, pen: self.pen, charsets: self.charsets, origin: self.modes.origin };
    }

    /// DECRC.
    pub(super) fn restore_cursor(&mut self) {
        let saved = self.saved[self.shown];
        self.place = saved.place;
        self.pen = saved.pen;
        self.charsets = saved.charsets;
        self.modes.origin = saved.origin;
        let area = self.origin();
        self.place.row = self.place.row.clamp(area.top, area.bottom - 1);
        self.place.col = self.place.col.clamp(area.left, area.right - 1);
    }

    /// DECSTR.
    pub(super) fn soft_reset(&mut self) {
        self.modes.soft_reset();
        self.margins = Margins::whole(self.size);
        self.pen = Pen::default();
        self.charsets = Charsets::default();
        self.saved[self.shown] = Saved::default();
        self.extent = 0;
        self.protection = Protection::Off;
        self.place.pending = false;
    }

    /// RIS, and DECSCL, which is not told of.
    pub(super) fn reset(&mut self) {
        self.end_update();
        if self.modes.is_private_set(3) == Some(true) {
            self.ask_size(0, 80);
        }
        self.show(PRIMARY);
        self.pen = Pen::default();
        self.clear(PRIMARY, Cell::default());
        self.clear(ALTERNATE, Cell::default());
        self.modes = ModeState::default();
        self.charsets = Charsets::default();
        self.margins = Margins::whole(self.size);
        self.tabs = Tabs::default();
        self.saved = [Saved::default(); 2];
        self.place = Place::default();
        self.shape = CursorShape::Default;
        self.titles.reset_modes();
        self.palette.reset();
        self.extent = 0;
        self.level = LEVEL;
        self.answers_in_8_bits = false;
        self.protection = Protection::Off;
        self.checksum_mode = CHECKSUM_MODE;
        self.pointer.clear();
        self.last_char = None;
        self.command_runs = false;
        self.unfinished.clear();
    }
}
