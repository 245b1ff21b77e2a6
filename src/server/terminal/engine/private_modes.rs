//! Private modes that do something when they are set or reset.

use super::cell::Cell;
use super::terminal::{ALTERNATE, Margins, PRIMARY, Terminal};

impl Terminal {
    /// DECSET, DECRST.
    pub(super) fn set_private_mode(&mut self, mode: u16, on: bool) {
        if matches!(mode, 47 | 1047 | 1049) {
            return self.show_alternate(mode, on);
        }
        if mode == 2026 && !on {
            self.end_update();
        }
        // Only a VT420 has left and right margins; the width changes only where that is allowed.
        if (mode == 69 && self.level < 4) || (mode == 3 && !self.modes.allows_wide_screen) {
            return;
        }
        let reversed = self.modes.reverse_screen;
        self.modes.private(mode, on);
        match mode {
            3 => {
                self.clear_for_width();
                self.ask_size(0, if on { 132 } else { 80 });
            }
            5 if reversed != on => self.repaint(),
            6 => self.go_to(0, 0),
            7 => self.place.pending = false,
            69 => {
                self.margins = Margins { left: 0, right: self.size.cols, ..self.margins };
            }
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            2026 if on => self.begin_update(),
            2048 if on => self.tell_size(),
            _ => {}
        }
    }

    /// DECCOLM: all of it but the other width.
    fn clear_for_width(&mut self) {
        self.margins = Margins::whole(self.size);
        self.modes.column_margins = false;
        self.erase_display(2, false);
        self.modes.origin = false;
        self.go_to(0, 0);
    }

    fn show_alternate(&mut self, mode: u16, on: bool) {
        if on {
            if mode == 1049 && self.is_primary() {
                self.save_cursor();
            }
            let went = self.show(ALTERNATE);
            if mode == 1049 && went {
                self.clear(ALTERNATE, Cell::default());
            }
        } else {
            if mode == 1047 && !self.is_primary() {
                self.clear(ALTERNATE, Cell::default());
            }
            let went = self.show(PRIMARY);
            if mode == 1049 && went {
                self.restore_cursor();
            }
        }
    }

    /// 2048: tells the size now, and at every change.
    pub(super) fn tell_size(&mut self) {
        if self.modes.tells_size {
            let (rows, cols) = (self.size.rows, self.size.cols);
            let (height, width) = self.pixels();
            self.answer(format_args!("\x1b[48;{rows};{cols};{height};{width}t"));
        }
    }
}
