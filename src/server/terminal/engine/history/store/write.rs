//! How the cells of a row are written into a block.

use super::{Block, WIDE};
use crate::server::terminal::engine::cell::{Cell, Content};
use crate::server::terminal::engine::history::record;
use crate::server::terminal::engine::tables::Tables;

/// Writes cells into a block.
pub(super) struct Pen<'a> {
    pub(super) numbers: &'a mut Vec<(u64, u16)>,
    pub(super) era: u64,
    pub(super) tables: &'a Tables,
}

impl Pen<'_> {
    /// Writes cells; returns their columns. A line that goes on may have ended in any style.
    pub(super) fn write(
        &mut self,
        block: &mut Block,
        cells: &[Cell],
        info: &mut u32,
        goes_on: bool,
    ) -> usize {
        let mut style = if goes_on { None } else { Some(0) };
        let mut columns = 0;
        let mut rest = cells;
        while let Some((&cell, after)) = rest.split_first() {
            // In the last column a gap is no part of the line; one that was moved from there is a blank.
            if cell.is_spacer() || cell.is_gap() && after.is_empty() {
                rest = after;
                continue;
            }
            if style != Some(cell.style) {
                style = Some(cell.style);
                let number = self.number(block, cell.style);
                record::write_style(&mut block.data, number);
            }
            let ascii = rest.iter().take_while(|next| next.bits() < 0x80 && next.style == cell.style).count();
            if ascii > 0 {
                let (run, after) = rest.split_at(ascii);
                block.data.extend(run.iter().map(byte));
                columns += ascii;
                rest = after;
                continue;
            }
            let wide = cell.is_wide();
            if wide {
                *info |= WIDE;
            }
            columns += if wide { 2 } else { 1 };
            match cell.content() {
                Content::Blank => block.data.push(b' '),
                Content::Char(char) if char.is_ascii() => block.data.push(char as u8),
                Content::Char(char) => record::write_char(&mut block.data, char, wide),
                Content::Cluster(number) => {
                    record::write_cluster(&mut block.data, self.tables.cluster(number), wide);
                }
            }
            rest = after;
        }
        columns
    }

    /// The number of a style in the block.
    fn number(&mut self, block: &mut Block, style: u32) -> u16 {
        if style == 0 {
            return 0;
        }
        let index = style as usize;
        if self.numbers.len() <= index {
            self.numbers.resize(index + 1, (0, 0));
        }
        let (era, number) = self.numbers[index];
        if era == self.era {
            return number;
        }
        block.styles.push(self.tables.style(style));
        let number = u16::try_from(block.styles.len()).unwrap_or(0);
        self.numbers[index] = (self.era, number);
        number
    }
}

/// The text of a cell that is a blank or an unprotected ASCII character.
pub(super) fn byte(cell: &Cell) -> u8 {
    cell.bits().to_le_bytes()[0].max(b' ')
}
