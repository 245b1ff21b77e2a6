//! The rows of the live screen, painted again only where something may have changed.
//!
//! Invariant: a row that looks the same as before is the same `Arc`.

use super::draft::Draft;
use super::terminal::Terminal;
use crate::protocol::frame::{Frame, Position, Row};
use crate::protocol::geometry::Size;
use std::sync::Arc;

/// The last painted rows.
#[derive(Debug)]
pub(super) struct Painter {
    /// As they were last given out.
    shown: Vec<Arc<Row>>,
    draft: Draft,
}

impl Painter {
    pub(super) fn new(size: Size) -> Self {
        Self { shown: vec![Arc::default(); usize::from(size.rows)], draft: Draft::default() }
    }
}

impl Terminal {
    /// The live picture.
    pub(super) fn paint_live(&mut self) -> Frame {
        let history = self.history.range();
        Frame {
            revision: self.revision,
            size: self.size,
            rows: self.paint_rows().to_vec(),
            first: history.end,
            cursor: self.visible_cursor(),
            position: Position { above: history.end - history.start, below: 0 },
            modes: self.modes.packed().screen_modes(),
        }
    }

    fn paint_rows(&mut self) -> &[Arc<Row>] {
        let Painter { shown, draft } = &mut self.painter;
        let (tables, links) = (&self.tables, &self.links);
        let recolor = self.palette.recolor(self.modes.reverse_screen);
        let cols = usize::from(self.size.cols);
        for (row, shown) in self.grids[self.shown].rows_mut().zip(shown.iter_mut()) {
            let painted = row.painted(|row, before| {
                draft.read_screen(row.cells(), cols, tables);
                draft.finish(cols, recolor);
                if before.wrapped == row.wrapped() && draft.matches(before) {
                    Arc::clone(before)
                } else {
                    Arc::new(draft.to_row(row.wrapped(), links))
                }
            });
            if Arc::ptr_eq(painted, shown) {
                continue;
            }
            if painted == shown {
                // Another row moved here that looks the same as the one before.
                painted.clone_from(shown);
            } else {
                shown.clone_from(painted);
            }
        }
        shown
    }

    /// The rows of the live picture without the colours that the program has set; nothing if it has set none.
    pub(super) fn paint_plain(&self) -> Option<Vec<Arc<Row>>> {
        self.palette.recolor(self.modes.reverse_screen)?;
        let mut draft = Draft::default();
        let rows = self.grid().rows().map(|row| {
            draft.read_screen(row.cells(), self.cols(), &self.tables);
            draft.finish(self.cols(), None);
            Arc::new(draft.to_row(row.wrapped(), &self.links))
        });
        Some(rows.collect())
    }

    /// The picture whose first row is the history's row `first`.
    pub(super) fn paint_history(&mut self, first: u64) -> Frame {
        let history = self.history.range();
        let end = self.shown_first();
        let below = end - first;
        let mut frame = match &self.update {
            Some(update) => update.picture.clone(),
            None => self.paint_live(),
        };
        let rows = usize::from(self.size.rows);
        let cols = self.cols();
        let mut draft = Draft::default();
        let recolor = self.palette.recolor(self.modes.reverse_screen);
        let kept = (first..end).take(rows).map(|number| {
            draft.clear();
            let wrapped =
                self.history.read(number, |text, wide, style| draft.push_within(text, wide, style, cols));
            draft.finish(cols, recolor);
            Arc::new(draft.to_row(wrapped.unwrap_or(false), &self.links))
        });
        let kept: Vec<Arc<Row>> = kept.collect();
        let live = std::mem::take(&mut frame.rows);
        frame.rows = kept.into_iter().chain(live).take(rows).collect();
        frame.cursor = frame.cursor.and_then(|cursor| {
            let row = u64::from(cursor.row) + below;
            let row = u16::try_from(row).ok().filter(|row| *row < self.size.rows)?;
            Some(crate::protocol::frame::Cursor { row, ..cursor })
        });
        frame.first = first;
        frame.position = Position { above: first - history.start, below };
        frame
    }

    /// Makes every row painted again.
    pub(super) fn mark_all(&mut self) {
        self.grids.iter_mut().flat_map(super::grid::Grid::rows_mut).for_each(super::row::Row::make_stale);
    }
}
