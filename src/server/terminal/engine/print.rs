//! Text on the grid: runs of ASCII as a whole, everything else by clusters.

use super::cell::{Cell, Content};
use super::terminal::Terminal;
use super::text_run::ascii_run;
use super::width::{self, EXTRA_BYTES, char_width, is_plainly_wide};

/// The longest cluster: what joins a character, and the character.
const CLUSTER_BYTES: usize = EXTRA_BYTES + 4;

impl Terminal {
    /// Prints printable ASCII.
    pub(super) fn print_ascii(&mut self, text: &[u8]) {
        if !self.charsets.is_plain() || self.modes.insert {
            for byte in text {
                let char = self.charsets.map(*byte);
                self.print_char(char, char_width(char));
            }
            return;
        }
        self.last_char = text.last().copied().map(char::from);
        let (flags, style) = (self.flags(), self.style_number());
        let mut rest = text;
        while !rest.is_empty() {
            self.wrap_pending();
            let edge = self.right_edge();
            let room = usize::from(edge - self.place.col) + 1;
            if rest.len() > room && !self.modes.autowrap {
                // All that is too much goes over the last column.
                let (first, too_much) = rest.split_at(room - 1);
                self.write_ascii(first, flags, style);
                self.place.col = edge;
                rest = &too_much[too_much.len() - 1..];
                continue;
            }
            let (first, after) = rest.split_at(room.min(rest.len()));
            self.write_ascii(first, flags, style);
            self.advance(first.len(), edge);
            rest = after;
        }
    }

    fn write_ascii(&mut self, text: &[u8], flags: u32, style: u32) {
        let col = usize::from(self.place.col);
        if let Some(row) = self.row_mut(self.place.row) {
            row.write_ascii(col, text, flags, style);
        }
    }

    /// Prints any text without control characters; C1 characters are ignored.
    pub(super) fn print_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            let length = if char.is_ascii() { ascii_run(rest.as_bytes()) } else { 0 };
            if length > 0 {
                let (ascii, after) = rest.split_at(length);
                self.print_ascii(ascii.as_bytes());
                rest = after;
                continue;
            }
            let wide = if is_plainly_wide(char) { self.print_wide(rest) } else { 0 };
            if wide > 0 {
                rest = &rest[wide..];
                continue;
            }
            rest = &rest[char.len_utf8()..];
            if !matches!(char, '\u{80}'..='\u{9f}') {
                self.print_unicode(char);
            }
        }
    }

    /// Prints the plainly wide characters at the start that fit the row; returns their bytes.
    fn print_wide(&mut self, text: &str) -> usize {
        const AT_ONCE: usize = 64;
        self.wrap_pending();
        let edge = self.right_edge();
        let room = usize::from(edge - self.place.col).div_ceil(2);
        if self.modes.insert || room == 0 {
            return 0;
        }
        let mut chars = [0; AT_ONCE];
        let (mut count, mut bytes) = (0, 0);
        for (slot, char) in
            chars.iter_mut().take(room).zip(text.chars().take_while(|char| is_plainly_wide(*char)))
        {
            *slot = u32::from(char);
            count += 1;
            bytes += char.len_utf8();
            self.last_char = Some(char);
        }
        let (flags, style) = (self.flags(), self.style_number());
        let col = usize::from(self.place.col);
        if let Some(row) = self.row_mut(self.place.row) {
            row.write_wide(col, &chars[..count], flags, style);
        }
        self.advance(count * 2, edge);
        bytes
    }

    fn print_unicode(&mut self, char: char) {
        let width = char_width(char);
        if width == 0 {
            self.join(char);
        } else if !(self.modes.graphemes && width::may_extend(char) && self.extend(char)) {
            self.print_char(char, width);
        }
    }

    /// Prints a character in cells of its own.
    pub(super) fn print_char(&mut self, char: char, width: usize) {
        let too_wide = width == 2 && self.margins.right - self.margins.left < 2;
        let (char, width) = if too_wide { (char::REPLACEMENT_CHARACTER, 1) } else { (char, width) };
        self.last_char = Some(char);
        self.wrap_pending();
        let mut edge = self.right_edge();
        if width == 2 && self.place.col == edge {
            if self.modes.autowrap {
                let gap = Cell::gap();
                let col = usize::from(self.place.col);
                // What already stands in the last cell stays, as in xterm.
                if let Some(row) = self.row_mut(self.place.row)
                    && row.cell(col).is_blank()
                {
                    row.put(col, gap);
                }
                self.wrap();
                edge = self.right_edge();
            } else {
                self.place.col = edge.saturating_sub(1);
            }
        }
        if self.modes.insert {
            let (blank, cols) = (self.blank(), self.place.col..edge + 1);
            if let Some(row) = self.row_mut(self.place.row) {
                row.insert(usize::from(cols.start)..usize::from(cols.end), width, blank);
            }
        }
        let cell = Cell::narrow(u32::from(char), self.flags(), self.style_number()).with_width(width == 2);
        let col = usize::from(self.place.col);
        if let Some(row) = self.row_mut(self.place.row) {
            row.put(col, cell);
        }
        self.advance(width, edge);
    }

    /// Moves past cells that were written.
    fn advance(&mut self, width: usize, edge: u16) {
        let col = self.place.col.saturating_add(u16::try_from(width).unwrap_or(u16::MAX));
        self.place.pending = col > edge;
        self.place.col = col.min(edge);
    }

    /// Goes to the next row if the last column is written.
    fn wrap_pending(&mut self) {
        if self.place.pending {
            if self.modes.autowrap {
                self.wrap();
            } else {
                self.place.pending = false;
            }
        }
    }

    /// Goes on in the next row.
    pub(super) fn wrap(&mut self) {
        // Between margins a row is no part of a line that could be wrapped anew.
        let whole = self.is_full_width();
        let row = self.place.row;
        let scrolls = row + 1 == self.margins.bottom || row + 1 < self.size.rows;
        if whole
            && scrolls
            && let Some(row) = self.row_mut(row)
        {
            row.set_wrapped(true);
        }
        self.index();
        self.carriage_return();
    }

    /// The cell before the cursor, and its row and column.
    fn cell_before(&self) -> Option<(u16, usize, Cell)> {
        let col = if self.place.pending { self.place.col } else { self.place.col.checked_sub(1)? };
        let row = self.grid().row(self.place.row)?;
        let col = usize::from(col);
        let cell = row.cell(col);
        let col = if cell.is_spacer() { col.checked_sub(1)? } else { col };
        Some((self.place.row, col, row.cell(col)))
    }

    fn text_of<'a>(&'a self, cell: Cell, buffer: &'a mut [u8; 4]) -> &'a str {
        match cell.content() {
            Content::Blank => " ",
            Content::Char(char) => char.encode_utf8(buffer),
            Content::Cluster(number) => self.tables.cluster(number),
        }
    }

    /// Adds a character to the cell before the cursor if both are one cluster; whether it did.
    fn extend(&mut self, char: char) -> bool {
        let Some((_, _, cell)) = self.cell_before() else { return false };
        let mut buffer = [0; 4];
        let extends = width::extends(char, self.text_of(cell, &mut buffer));
        extends && self.join(char)
    }

    /// Adds a character to the cell before the cursor; whether there was room.
    fn join(&mut self, char: char) -> bool {
        let Some((row, col, cell)) = self.cell_before() else { return false };
        let mut buffer = [0; 4];
        let before = self.text_of(cell, &mut buffer);
        let length = before.len() + char.len_utf8();
        if length > CLUSTER_BYTES {
            return false;
        }
        let mut text = [0; CLUSTER_BYTES];
        text[..before.len()].copy_from_slice(before.as_bytes());
        char.encode_utf8(&mut text[before.len()..]);
        let Ok(cluster) = std::str::from_utf8(&text[..length]) else { return false };
        let was_wide = cell.is_wide();
        let wide = if self.modes.graphemes { width::is_wide(cluster) } else { was_wide };
        let number = self.tables.cluster_number(cluster);
        let cell = cell.with_cluster(number);
        // Only the character right before the cursor may become wide: what follows it is not written yet.
        let widens =
            wide && !was_wide && !self.place.pending && self.place.col < self.right_edge().saturating_add(1);
        if widens {
            let edge = self.right_edge();
            if let Some(row) = self.row_mut(row) {
                row.put(col, cell.with_width(true));
            }
            self.advance(1, edge);
        } else if let Some(row) = self.row_mut(row) {
            row.replace(col, cell);
        }
        self.make_room();
        true
    }

    /// REP.
    pub(super) fn repeat(&mut self, count: u16) {
        let Some(char) = self.last_char else { return };
        let count = usize::from(count).min(usize::from(self.size.rows) * self.cols());
        let width = char_width(char);
        match u8::try_from(char) {
            Ok(byte) if byte.is_ascii() && self.charsets.is_plain() => self.print_ascii(&vec![byte; count]),
            _ => (0..count).for_each(|_| self.print_char(char, width)),
        }
    }
}
