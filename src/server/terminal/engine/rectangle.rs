//! Rectangles (VT420): copied, filled, erased, given attributes, summed up.

use super::cell::{Cell, Content};
use super::params::Params;
use super::terminal::{Margins, Protection, Terminal};
use super::width::char_width;
use crate::protocol::style::{Attrs, Style};

impl Terminal {
    /// A sequence with `$`.
    pub(super) fn rectangle(&mut self, params: &Params, last: u8) {
        match last {
            b'v' => self.copy_rectangle(params),
            b'x' => self.fill_rectangle(params),
            b'z' => self.erase_rectangle(params, false),
            b'{' => self.erase_rectangle(params, true),
            b'r' | b't' => self.restyle_rectangle(params, last == b't'),
            _ => {}
        }
    }

    /// The rectangle of four parameters, ends excluded; `None` for one without cells.
    fn area(&self, params: &Params, first: usize) -> Option<Margins> {
        let area = self.origin();
        let start = |index: usize, base: u16| base.saturating_add(params.count(index) - 1);
        let end = |index: usize, base: u16, limit: u16| match params.get(index) {
            0 => limit,
            last => base.saturating_add(last).min(limit),
        };
        let area = Margins {
            top: start(first, area.top),
            left: start(first + 1, area.left),
            bottom: end(first + 2, area.top, area.bottom),
            right: end(first + 3, area.left, area.right),
        };
        (area.top < area.bottom && area.left < area.right).then_some(area)
    }

    /// DECCRA.
    fn copy_rectangle(&mut self, params: &Params) {
        let Some(source) = self.area(params, 0) else { return };
        let origin = self.origin();
        let (top, left) =
            (origin.top.saturating_add(params.count(5) - 1), origin.left.saturating_add(params.count(6) - 1));
        if top >= origin.bottom || left >= origin.right {
            return;
        }
        let width = (source.right - source.left).min(origin.right - left);
        let height = (source.bottom - source.top).min(origin.bottom - top);
        let rows = source.top..source.top + height;
        let copied: Vec<Vec<Cell>> =
            rows.map(|row| self.grid().copy(row, source.left..source.left + width).collect()).collect();
        for (row, cells) in (top..).zip(copied) {
            if let Some(row) = self.row_mut(row) {
                row.overwrite(usize::from(left), &cells);
            }
        }
    }

    /// DECFRA.
    fn fill_rectangle(&mut self, params: &Params) {
        let char = char::from_u32(u32::from(params.get(0)));
        let Some(char) = char.filter(|char| !char.is_control() && char_width(*char) == 1) else { return };
        let Some(area) = self.area(params, 1) else { return };
        let cell = Cell::narrow(u32::from(char), self.flags(), self.style_number());
        for row in area.rows() {
            if let Some(row) = self.row_mut(row) {
                row.erase(area.cols(), cell);
            }
        }
    }

    /// DECERA, DECSERA.
    fn erase_rectangle(&mut self, params: &Params, selective: bool) {
        let Some(area) = self.area(params, 0) else { return };
        // Of rectangles only the selective kind looks at protection, and only at DECSCA's.
        let kept = selective && self.protection == Protection::Selective;
        let blank = self.blank();
        for row in area.rows() {
            if let Some(row) = self.row_mut(row) {
                if kept {
                    row.erase_unprotected(area.cols(), blank);
                } else {
                    row.erase(area.cols(), blank);
                }
            }
        }
    }

    /// DECCARA, DECRARA.
    fn restyle_rectangle(&mut self, params: &Params, reverse: bool) {
        let Some(area) = self.area(params, 0) else { return };
        let wanted = params.all().get(4..).filter(|wanted| !wanted.is_empty()).unwrap_or(&[0]).to_vec();
        let change = |mut style: Style| {
            for attribute in &wanted {
                change_attribute(&mut style, *attribute, reverse);
            }
            style
        };
        for row in area.rows() {
            let cols = match (self.extent == 2, row == area.top, row + 1 == area.bottom) {
                (true, ..) | (_, true, true) => area.cols(),
                // As a stream: from the first cell to the last one, whole rows between them.
                (_, true, _) => usize::from(area.left)..usize::from(self.origin().right),
                (_, _, true) => usize::from(self.origin().left)..usize::from(area.right),
                _ => self.origin().cols(),
            };
            self.make_room();
            let tables = &mut self.tables;
            if let Some(row) = self.grids[self.shown].row_mut(row) {
                row.restyle(cols, |number| tables.style_number(change(tables.style(number))));
            }
        }
        self.changed = true;
    }

    /// DECRQCRA: lets a program read the screen back, so only where that is allowed.
    pub(super) fn checksum(&mut self, params: &Params) {
        if !self.checksums {
            return;
        }
        let mut sum = 0_u16;
        if let Some(area) = self.area(params, 2) {
            for row in area.rows() {
                for cell in self.grid().copy(row, area.left..area.right) {
                    sum = sum.wrapping_sub(self.cell_sum(cell));
                }
            }
        }
        let sum = if self.checksum_mode & 1 == 0 { sum } else { sum.wrapping_neg() };
        let id = params.get(0);
        self.answer(format_args!("\x1bP{id}!~{sum:04X}\x1b\\"));
    }

    /// What a cell counts for, as in xterm: its characters and, if they are asked for, its attributes by
    /// bits.
    fn cell_sum(&self, cell: Cell) -> u16 {
        let low = |char: char| u16::try_from(u32::from(char) & 0xffff).unwrap_or(0);
        let text = match cell.content() {
            Content::Blank => 0x20,
            Content::Char(char) => low(char),
            Content::Cluster(number) => {
                self.tables.cluster(number).chars().fold(0, |sum, char| u16::wrapping_add(sum, low(char)))
            }
        };
        if self.checksum_mode & 2 != 0 {
            return text;
        }
        let attrs = self.tables.style(cell.style).attrs;
        let weights = [
            (cell.is_protected(), 0x04),
            (attrs.contains(Attrs::HIDDEN), 0x08),
            (attrs.contains(Attrs::UNDERLINE), 0x10),
            (attrs.contains(Attrs::REVERSE), 0x20),
            (attrs.contains(Attrs::BLINK), 0x40),
            (attrs.contains(Attrs::BOLD), 0x80),
        ];
        weights.iter().filter(|(on, _)| *on).fold(text, |sum, (_, weight)| u16::wrapping_add(sum, *weight))
    }
}

/// The attributes that rectangles know.
fn change_attribute(style: &mut Style, attribute: u16, reverse: bool) {
    const KNOWN: [(u16, Attrs); 4] =
        [(1, Attrs::BOLD), (4, Attrs::UNDERLINE), (5, Attrs::BLINK), (7, Attrs::REVERSE)];
    let all = KNOWN.iter().fold(Attrs::NONE, |set, (_, one)| set.with(*one));
    if attribute == 0 {
        style.attrs = if reverse { style.attrs.toggled(all) } else { style.attrs.without(all) };
    }
    for (number, one) in KNOWN {
        if attribute == number {
            style.attrs = if reverse { style.attrs.toggled(one) } else { style.attrs.with(one) };
        } else if attribute == number + 20 && !reverse {
            style.attrs = style.attrs.without(one);
        }
    }
    if attribute == 22 && !reverse {
        style.attrs = style.attrs.without(Attrs::BOLD);
    }
}
