//! From cells to runs: one row in the making, whose buffers are used again for the next one.
//!
//! Invariant: text never holds a control character.

use super::sgr;
use crate::protocol::frame::{Row, Run, Unit};
use crate::protocol::style::{Attrs, Color, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
}

impl Draft {
    /// Reads a row of the screen, blanks at its end included.
    pub(super) fn read_screen(&mut self, screen: &vt100::Screen, row: u16, cols: u16) {
        self.clear();
        let mut col = 0;
        while let Some(cell) = (col < cols).then(|| screen.cell(row, col)).flatten() {
            let wide = cell.is_wide() && col + 1 < cols;
            let text = if cell.has_contents() && wide == cell.is_wide() { cell.contents() } else { " " };
            self.push(text, wide, cell_style(cell));
            col += if wide { 2 } else { 1 };
        }
    }

    /// Reads a stored row, at most `cols` cells of it.
    pub(super) fn read_stored(&mut self, stored: &str, cols: usize) {
        self.clear();
        let mut style = Style::default();
        let mut left = cols;
        let mut rest = stored;
        while !rest.is_empty() {
            let (text, sequence) = rest.split_once('\x1b').unwrap_or((rest, ""));
            for (cell, wide) in clusters(text) {
                let Some(after) = left.checked_sub(if wide { 2 } else { 1 }) else { return };
                left = after;
                self.push(cell, wide, style);
            }
            let (parameters, after) = sequence.split_once('m').unwrap_or((sequence, ""));
            sgr::apply(&mut style, parameters.strip_prefix('[').unwrap_or(parameters));
            rest = after;
        }
    }

    /// Reads the text of a stored row and not its styles: far cheaper than cell by cell, which counts
    /// where every piece of output is searched.
    pub(super) fn read_stored_text(&mut self, stored: &str) {
        self.clear();
        let mut rest = stored;
        while !rest.is_empty() {
            let (text, sequence) = rest.split_once('\x1b').unwrap_or((rest, ""));
            self.text.push_str(text);
            rest = sequence.split_once('m').map_or("", |(_, after)| after);
        }
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
    pub(super) fn to_row(&self, wrapped: bool) -> Row {
        let runs =
            self.runs().map(|(style, unit, text)| Run { style, unit, text: text.to_owned() }).collect();
        Row { runs, wrapped }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
    }

    fn push(&mut self, text: &str, wide: bool, style: Style) {
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

fn cell_style(cell: &vt100::Cell) -> Style {
    let attributes = [
        (cell.bold(), Attrs::BOLD),
        (cell.dim(), Attrs::DIM),
        (cell.italic(), Attrs::ITALIC),
        (cell.underline(), Attrs::UNDERLINE),
        (cell.inverse(), Attrs::REVERSE),
    ];
    let attrs = attributes.iter().filter(|(on, _)| *on).fold(Attrs::NONE, |set, (_, one)| set.with(*one));
    Style { fg: color(cell.fgcolor()), bg: color(cell.bgcolor()), attrs }
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

/// The cells of a text and whether each is wide, by the rules by which `vt100` filled them.
fn clusters(mut rest: &str) -> impl Iterator<Item = (&str, bool)> {
    std::iter::from_fn(move || {
        let mut chars = rest.chars();
        let first = chars.next()?;
        let mut wide = first.width().unwrap_or(1) > 1;
        let mut end = first.len_utf8();
        for mark in chars {
            if mark.is_ascii() || mark.width() != Some(0) {
                break;
            }
            end += mark.len_utf8();
            if mark == '\u{fe0f}' {
                wide = rest[..end].width() > 1;
            }
        }
        let (cell, tail) = rest.split_at(end);
        rest = tail;
        Some((cell, wide))
    })
}
