//! Text for programs (`uhp.md` section 8, `spec/README.md` point 30).
//!
//! Invariants: a capture holds text, LF and, if asked for, SGR sequences, nothing else; without its SGR
//! sequences it is the plain capture; every line begins and ends in the default style.

use super::draft::Draft;
use super::row::Row;
use super::sgr;
use super::terminal::Terminal;
use super::{CaptureMode, CaptureRequest, TextCursor};
use crate::protocol::frame::{self, Unit};
use crate::protocol::style::Style;

/// The text of a capture.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) truncated: bool,
    pub(super) cursor: Option<TextCursor>,
}

/// Gathers the newest lines.
pub(super) fn gather(terminal: &Terminal, request: CaptureRequest) -> Gathered {
    let ansi = request.ansi && request.mode != CaptureMode::Detection;
    let cursor = terminal.shown_cursor().filter(|_| request.cursor);
    let cursor = cursor.map(|cursor| (cursor.row, cursor.col));
    let join = request.mode == CaptureMode::RecentUnwrapped;
    let with_history = join || request.mode == CaptureMode::Recent;
    let mut source = Source::new(terminal, cursor, join, with_history, ansi);
    let mut lines: Vec<String> = Vec::new();
    let mut cursor = None;
    let mut left = request.max_bytes;
    let mut truncated = false;
    while !truncated && source.next > source.start {
        if lines.len() == request.lines {
            truncated = true;
            break;
        }
        let found = source.line(request.max_bytes);
        let chars = found.chars();
        let line = render(found.spans, ansi);
        let cost = line.len() + usize::from(!lines.is_empty());
        truncated = !found.whole || cost > left;
        // Of a line that is too long by itself the end is better than nothing.
        if cost <= left && (found.whole || lines.is_empty()) {
            left -= cost;
            lines.push(line);
            cursor = match cursor {
                // What stands above it comes before it, with the line's end.
                Some(TextCursor { offset, padding_cells }) => {
                    Some(TextCursor { offset: offset + chars + 1, padding_cells })
                }
                None => found
                    .cursor
                    .map(|at| TextCursor { offset: at.min(chars), padding_cells: at.saturating_sub(chars) }),
            };
        }
    }
    lines.reverse();
    Gathered { text: lines.join("\n"), lines: lines.len(), truncated, cursor }
}

type Span = (Style, String);

/// A row of the screen that is shown.
enum ScreenRow<'a> {
    Live(&'a Row),
    /// What a synchronized update leaves there meanwhile.
    Held(&'a frame::Row),
}

/// The rows of history and screen under one numbering, read from the newest one up.
struct Source<'a> {
    terminal: &'a Terminal,
    /// Whether soft-wrapped rows are one line.
    join: bool,
    /// Whether styles are wanted.
    styled: bool,
    start: u64,
    screen_start: u64,
    /// One past the next row to read.
    next: u64,
    /// Number of the cursor's row, and its column.
    cursor: Option<(u64, u16)>,
    draft: Draft,
}

/// A line on its way into a capture.
struct Line {
    /// Without blanks at the end.
    spans: Vec<Span>,
    /// Whether nothing at its beginning was left out.
    whole: bool,
    /// How many characters stand before the cursor, blanks at the end included, if it is in there.
    cursor: Option<usize>,
}

impl Line {
    fn chars(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.chars().count()).sum()
    }
}

impl<'a> Source<'a> {
    fn new(
        terminal: &'a Terminal,
        cursor: Option<(u16, u16)>,
        join: bool,
        with_history: bool,
        styled: bool,
    ) -> Self {
        let end = terminal.shown_first();
        let mut source = Self {
            terminal,
            join,
            styled,
            start: if with_history { terminal.history.live_start().min(end) } else { end },
            screen_start: end,
            next: end + u64::from(terminal.size.rows),
            cursor: cursor.map(|(row, col)| (end + u64::from(row), col)),
            draft: Draft::default(),
        };
        let first_blank = source.cursor.map_or(source.start, |(row, _)| row + 1);
        while source.next > first_blank {
            source.read(source.next - 1);
            if !source.draft.is_blank() {
                break;
            }
            source.next -= 1;
        }
        source
    }

    /// A row of the screen; `None` for a row of the history.
    fn screen_row(&self, number: u64) -> Option<ScreenRow<'a>> {
        let row = number.checked_sub(self.screen_start)?;
        match &self.terminal.update {
            Some(update) => update.row(usize::try_from(row).ok()?).map(ScreenRow::Held),
            None => self.terminal.grid().row(u16::try_from(row).ok()?).map(ScreenRow::Live),
        }
    }

    fn read(&mut self, number: u64) {
        let Terminal { history, tables, .. } = self.terminal;
        match self.screen_row(number) {
            Some(ScreenRow::Live(row)) => self.draft.read_screen(row.cells(), self.terminal.cols(), tables),
            Some(ScreenRow::Held(row)) => self.draft.read_painted(row),
            None if self.styled => {
                self.draft.clear();
                history.read(number, |text, wide, style| self.draft.push(text, wide, style));
            }
            None => self.draft.read_text(|text| history.read_text(number, text)),
        }
    }

    fn goes_on(&self, number: u64) -> bool {
        match self.screen_row(number) {
            Some(ScreenRow::Live(row)) => row.wrapped(),
            Some(ScreenRow::Held(row)) => row.wrapped,
            None => self.terminal.history.row_goes_on(number),
        }
    }

    /// The next line up: rows that would make it longer than `max_bytes` are left out.
    fn line(&mut self, max_bytes: usize) -> Line {
        let mut rows: Vec<Vec<Span>> = Vec::new();
        let mut bytes = 0;
        let mut whole = true;
        let mut cursor = None;
        while self.next > self.start {
            let number = self.next - 1;
            self.read(number);
            let spans: Vec<Span> =
                // A link is no part of a capture.
                self.draft.runs().map(|(style, _, text)| (Style { link: 0, ..style }, text.to_owned())).collect();
            bytes += spans
                .iter()
                .map(|(_, text)| text.len() + if self.styled { sgr::MAX_BYTES } else { 0 })
                .sum::<usize>();
            if bytes > max_bytes && !rows.is_empty() {
                whole = false;
                break;
            }
            let own = self.cursor.filter(|(row, _)| *row == number).map(|(_, col)| self.chars_before(col));
            let chars = || spans.iter().map(|(_, text)| text.chars().count()).sum::<usize>();
            cursor = own.or(cursor.map(|before| before + chars()));
            rows.push(spans);
            self.next -= 1;
            if !(self.join && self.next > self.start && self.goes_on(self.next - 1)) {
                break;
            }
        }
        let mut spans: Vec<Span> = rows.into_iter().rev().flatten().collect();
        while let Some((_, text)) = spans.last_mut() {
            text.truncate(text.trim_end_matches(' ').len());
            if !text.is_empty() {
                break;
            }
            spans.pop();
        }
        Line { spans, whole, cursor }
    }

    /// Characters of the cells that begin before a column of the row that was read.
    fn chars_before(&self, col: u16) -> usize {
        let mut left = usize::from(col);
        let mut chars = 0;
        for (_, unit, text) in self.draft.runs() {
            let count = text.chars().count();
            let (cells, width) = match unit {
                Unit::Narrow => (count, 1),
                Unit::Wide => (count, 2),
                Unit::NarrowCluster => (1, 1),
                Unit::WideCluster => (1, 2),
            };
            let before = cells.min(left.div_ceil(width));
            chars += if cells == count { before } else { before * count };
            left = left.saturating_sub(before * width);
            if before < cells {
                break;
            }
        }
        // Past the cells that are stored are blanks.
        chars + left
    }
}

fn render(spans: Vec<Span>, ansi: bool) -> String {
    let mut line = String::new();
    let mut current = Style::default();
    for (style, text) in spans {
        if ansi && style != current {
            sgr::write(&mut line, style);
            current = style;
        }
        line.push_str(&text);
    }
    if current != Style::default() {
        line.push_str("\x1b[0m");
    }
    line
}
