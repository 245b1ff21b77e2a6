//! Control sequences: which one does what.

use super::parser::Csi;
use super::tabs::Tabs;
use super::terminal::{LEVEL, Margins, Protection, Terminal};
use crate::protocol::frame::CursorShape;

impl Terminal {
    pub(super) fn control_sequence(&mut self, csi: &Csi) {
        match (csi.marker, csi.intermediate) {
            (0, 0) => self.plain_sequence(csi),
            (b'?', 0) => self.private_sequence(csi),
            (b'>' | b'=' | b'<', 0) => self.marked_sequence(csi),
            _ => self.intermediate_sequence(csi),
        }
    }

    fn plain_sequence(&mut self, csi: &Csi) {
        let params = &csi.params;
        let (value, count) = (params.get(0), params.count(0));
        match csi.last {
            b'm' => self.select_graphics(params),
            b'H' | b'f' => self.go_to(count - 1, params.count(1) - 1),
            b'A' => self.up(count),
            b'B' => self.down(count),
            b'e' => self.go_down(count),
            b'C' => self.right(count),
            b'D' => self.backspace(count),
            b'a' => self.go_right(count),
            b'E' => {
                self.down(count);
                self.carriage_return();
            }
            b'F' => {
                self.up(count);
                self.carriage_return();
            }
            b'G' | b'`' => self.go_to_column(count - 1),
            b'd' => self.go_to_row(count - 1),
            b'I' => self.tab_forward(count),
            b'Z' => self.tab_back(count),
            b'g' => self.clear_tabs(value),
            b'J' => self.erase_display(value, false),
            b'K' => self.erase_line(value, false),
            b'X' => self.erase_characters(count),
            b'@' => self.insert_characters(count),
            b'P' => self.delete_characters(count),
            b'L' => self.insert_lines(count),
            b'M' => self.delete_lines(count),
            b'S' => self.scroll_up(self.margins.rows(), count, true),
            // With more parameters it is mouse highlighting.
            b'T' | b'^' if params.all().len() == 1 => self.scroll_down(self.margins.rows(), count),
            b'b' => self.repeat(count),
            b'r' => self.set_row_margins(value, params.get(1)),
            b's' if self.modes.column_margins => self.set_column_margins(value, params.get(1)),
            b's' => self.save_cursor(),
            b'u' => self.restore_cursor(),
            b'h' | b'l' => params.all().iter().for_each(|mode| self.modes.ansi(*mode, csi.last == b'h')),
            b'c' if value == 0 => self.reply(super::answers::DA1),
            b'n' => self.device_status(false, params),
            b't' => self.window_operation(params),
            _ => {}
        }
    }

    fn private_sequence(&mut self, csi: &Csi) {
        let params = &csi.params;
        match csi.last {
            b'h' | b'l' => {
                params.all().iter().for_each(|mode| self.set_private_mode(*mode, csi.last == b'h'));
            }
            b's' => params.all().iter().for_each(|mode| self.modes.save(*mode)),
            b'r' => {
                for mode in params.all() {
                    if let Some(on) = self.modes.saved(*mode) {
                        self.set_private_mode(*mode, on);
                    }
                }
            }
            b'J' => self.erase_display(params.get(0), true),
            b'K' => self.erase_line(params.get(0), true),
            b'n' => self.device_status(true, params),
            b'u' | b'm' => self.keyboard(csi),
            b'W' if params.get(0) == 5 => self.tabs = Tabs::default(),
            _ => {}
        }
    }

    fn marked_sequence(&mut self, csi: &Csi) {
        match (csi.marker, csi.last) {
            (b'>', b'c') if csi.params.get(0) == 0 => self.reply(super::answers::DA2),
            (b'=', b'c') if csi.params.get(0) == 0 => self.reply(super::answers::DA3),
            (b'>', b'q') if csi.params.get(0) == 0 => self.reply(super::answers::XTVERSION),
            (b'>', b't' | b'T') => self.titles.set_modes(csi.params.all(), csi.last == b't'),
            (_, b'u' | b'm' | b'n') => self.keyboard(csi),
            _ => {}
        }
    }

    fn intermediate_sequence(&mut self, csi: &Csi) {
        let params = &csi.params;
        let first = params.get(0);
        match (csi.marker, csi.intermediate, csi.last) {
            (0, b'!', b'p') => self.soft_reset(),
            (0, b'$', b'p') => self.mode_report(false, first),
            (b'?', b'$', b'p') => self.mode_report(true, first),
            (0, b' ', b'q') => self.set_shape(first),
            (0, b'"', b'q') => self.set_protected(first),
            (0, b' ', b'@') => self.shift_rows(params.count(0), false),
            (0, b' ', b'A') => self.shift_rows(params.count(0), true),
            (0, b'\'', b'}') if self.in_rows() && self.in_columns() => {
                self.shift_columns(self.place.col, params.count(0), true);
            }
            (0, b'\'', b'~') if self.in_rows() && self.in_columns() => {
                self.shift_columns(self.place.col, params.count(0), false);
            }
            (0, b'"', b'p') => self.set_level(first, params.get(1)),
            (0, b'*', b'|') => self.ask_size(first, 0),
            (0, b'*', b'x') if first <= 2 => self.extent = first,
            (0, b'#', b'y') => self.checksum_mode = first,
            (0, b'*', b'y') => self.checksum(params),
            (0, b'$', b'r' | b't' | b'v' | b'x' | b'z' | b'{') => self.rectangle(params, csi.last),
            _ => {}
        }
    }

    /// HPR.
    fn go_right(&mut self, cols: u16) {
        let area = self.origin();
        self.place.col = self.place.col.saturating_add(cols).min(area.right - 1);
        self.place.pending = false;
    }

    /// VPR.
    fn go_down(&mut self, rows: u16) {
        let area = self.origin();
        self.place.row = self.place.row.saturating_add(rows).min(area.bottom - 1);
        self.place.pending = false;
    }

    /// DECSCL: a terminal of an earlier class, freshly reset; all but the first answer in 8 bits unless
    /// they are told not to.
    fn set_level(&mut self, class: u16, controls: u16) {
        if let Some(level @ 1..=5) = class.checked_sub(60) {
            self.reset();
            self.level = level.min(LEVEL);
            self.answers_in_8_bits = level > 1 && controls != 1;
        }
    }

    /// CHA, HPA.
    fn go_to_column(&mut self, col: u16) {
        let row = self.place.row;
        self.go_to(0, col);
        self.place.row = row;
    }

    /// VPA.
    fn go_to_row(&mut self, row: u16) {
        let col = self.place.col;
        self.go_to(row, 0);
        self.place.col = col;
    }

    fn clear_tabs(&mut self, which: u16) {
        match which {
            0 => self.tabs.set(self.place.col, false),
            3 => self.tabs.clear(),
            _ => {}
        }
    }

    /// DECSTBM.
    fn set_row_margins(&mut self, top: u16, bottom: u16) {
        let Some((top, bottom)) = margins(top, bottom, self.size.rows) else { return };
        self.margins = Margins { top, bottom, ..self.margins };
        self.go_to(0, 0);
    }

    /// DECSLRM.
    fn set_column_margins(&mut self, left: u16, right: u16) {
        let Some((left, right)) = margins(left, right, self.size.cols) else { return };
        self.margins = Margins { left, right, ..self.margins };
        self.go_to(0, 0);
    }

    /// DECSCUSR.
    fn set_shape(&mut self, number: u16) {
        self.shape = match number {
            0 => CursorShape::Default,
            1 => CursorShape::Block { blink: true },
            2 => CursorShape::Block { blink: false },
            3 => CursorShape::Underline { blink: true },
            4 => CursorShape::Underline { blink: false },
            5 => CursorShape::Bar { blink: true },
            6 => CursorShape::Bar { blink: false },
            _ => return,
        };
    }

    /// DECSCA.
    fn set_protected(&mut self, value: u16) {
        if value <= 2 {
            self.protection = Protection::Selective;
            self.pen.protected = value == 1;
        }
    }
}

/// Margins as they are asked for, ends excluded; `None` for less than two rows or columns.
fn margins(first: u16, last: u16, count: u16) -> Option<(u16, u16)> {
    let first = first.max(1) - 1;
    let end = if last == 0 { count } else { last.min(count) };
    (first + 1 < end || (count == 1 && first == 0)).then_some((first, end))
}
