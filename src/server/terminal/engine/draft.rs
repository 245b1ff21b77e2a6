//! From cells to runs: one row in the making, whose buffers are used again for the next one.
//!
//! Invariant: text never holds a control character.

use super::cell::{Cell, Content};
use super::links::Links;
use super::palette::Recolor;
use super::tables::Tables;
use crate::protocol::frame::{Link, Row, Run, Unit};
use crate::protocol::style::Style;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
struct DraftRun {
    style: Style,
    unit: Unit,
    /// Where its text ends.
    end: usize,
}

/// A row of runs over one text.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    runs: Vec<DraftRun>,
    /// Columns of the cells that came by `push_within`.
    columns: usize,
}

impl Draft {
    /// Reads a row of the screen, at most `cols` cells of it.
    pub(super) fn read_screen(&mut self, cells: &[Cell], cols: usize, tables: &Tables) {
        self.clear();
        let mut style = (0, Style::default());
        let mut buffer = [0; 4];
        // The last column before a wide character that did not fit is no blank of the line.
        let gap = cells.get(cols - 1).is_some_and(|cell| cell.is_gap());
        let shown = if gap { cols - 1 } else { cols };
        for cell in cells.iter().take(shown).filter(|cell| !cell.is_spacer()) {
            if cell.style != style.0 {
                style = (cell.style, tables.style(cell.style));
            }
            let text = match cell.content() {
                Content::Blank => " ",
                Content::Char(char) => char.encode_utf8(&mut buffer),
                Content::Cluster(number) => tables.cluster(number),
            };
            self.push(text, cell.is_wide(), style.1);
        }
    }

    /// Reads a row that was painted.
    pub(super) fn read_painted(&mut self, row: &Row) {
        self.clear();
        for run in &row.runs {
            self.text.push_str(&run.text);
            self.runs.push(DraftRun { style: run.style, unit: run.unit, end: self.text.len() });
        }
    }

    /// Takes the text of a row and not its styles: far cheaper than cell by cell, which counts where
    /// every piece of output is searched.
    pub(super) fn read_text(&mut self, read: impl FnOnce(&mut String)) {
        self.clear();
        read(&mut self.text);
        self.runs.push(DraftRun { style: Style::default(), unit: Unit::Narrow, end: self.text.len() });
    }

    /// Leaves out blanks in the default style at the end.
    pub(super) fn trim(&mut self) {
        while let Some(run) = self.runs.last().copied() {
            if run.style != Style::default() || run.unit != Unit::Narrow {
                return;
            }
            let start = self.runs.len().checked_sub(2).map_or(0, |before| self.runs[before].end);
            let kept = start + self.text[start..run.end].trim_end_matches(' ').len();
            self.text.truncate(kept);
            self.runs.pop();
            if kept > start {
                self.runs.push(DraftRun { end: kept, ..run });
                return;
            }
        }
    }

    /// Makes the row what a picture shows of it: without blanks in the default style at the end, and in the
    /// colours that the program has set.
    pub(super) fn finish(&mut self, cols: usize, recolor: Option<Recolor<'_>>) {
        self.trim();
        let Some(recolor) = recolor else { return };
        if recolor.shows_blanks() {
            let used: usize = self.runs().map(|(_, unit, text)| unit.columns(text)).sum();
            self.text.extend(std::iter::repeat_n(' ', cols.saturating_sub(used)));
            let end = self.text.len();
            match self.runs.last_mut() {
                Some(run) if run.unit == Unit::Narrow && run.style == Style::default() => run.end = end,
                _ if used < cols => {
                    self.runs.push(DraftRun { style: Style::default(), unit: Unit::Narrow, end });
                }
                _ => {}
            }
        }
        self.runs.iter_mut().for_each(|run| run.style = recolor.style(run.style));
    }

    /// Whether it shows nothing but blanks.
    pub(super) fn is_blank(&self) -> bool {
        self.text.bytes().all(|byte| byte == b' ')
    }

    /// Its runs.
    pub(super) fn runs(&self) -> impl Iterator<Item = (Style, Unit, &str)> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let text = &self.text[start..run.end];
            start = run.end;
            (run.style, run.unit, text)
        })
    }

    /// Whether `row` shows the same.
    pub(super) fn matches(&self, row: &Row) -> bool {
        row.runs.len() == self.runs.len()
            && self
                .runs()
                .zip(&row.runs)
                .all(|((style, unit, text), run)| run.text == text && run.style == style && run.unit == unit)
    }

    /// The finished row.
    pub(super) fn to_row(&self, wrapped: bool, links: &Links) -> Row {
        let runs =
            self.runs().map(|(style, unit, text)| Run { style, unit, text: text.to_owned() }).collect();
        Row { runs, wrapped, links: self.links(links) }
    }

    fn links(&self, links: &Links) -> Vec<(u32, Arc<Link>)> {
        let mut named: Vec<u32> =
            self.runs.iter().map(|run| run.style.link).filter(|link| *link != 0).collect();
        named.dedup();
        let found = named.into_iter().filter_map(|number| Some((number, Arc::clone(links.get(number)?))));
        found.collect()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
        self.columns = 0;
    }

    /// Adds a cell unless it would be past the last column.
    pub(super) fn push_within(&mut self, text: &str, wide: bool, style: Style, cols: usize) {
        let columns = self.columns + if wide { 2 } else { 1 };
        if columns <= cols {
            self.columns = columns;
            self.push(text, wide, style);
        }
    }

    /// Adds a cell.
    pub(super) fn push(&mut self, text: &str, wide: bool, style: Style) {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let unit = match (text.len() > first, wide) {
            (false, false) => Unit::Narrow,
            (false, true) => Unit::Wide,
            (true, false) => Unit::NarrowCluster,
            (true, true) => Unit::WideCluster,
        };
        self.text.push_str(text);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some(run) if text.len() == first && run.unit == unit && run.style == style => run.end = end,
            _ => self.runs.push(DraftRun { style, unit, end }),
        }
    }
}
