//! Text for programs (`uhp.md` section 8, `spec/README.md` point 30).
//!
//! Invariants: a capture holds text, LF and, if asked for, SGR sequences, nothing else; without its SGR
//! sequences it is the plain capture; every line begins and ends in the default style.

use super::draft::Draft;
use super::row::Row;
use super::sgr;
use super::terminal::Terminal;
use super::{CaptureMode, CaptureRequest};
use crate::protocol::style::Style;

/// The text of a capture.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) truncated: bool,
}

/// Gathers the newest lines.
pub(super) fn gather(terminal: &Terminal, request: CaptureRequest) -> Gathered {
    let ansi = request.ansi && request.mode != CaptureMode::Detection;
    let mut source = Source::new(terminal, request.mode == CaptureMode::RecentUnwrapped);
    let mut lines: Vec<String> = Vec::new();
    let mut left = request.max_bytes;
    let mut truncated = false;
    while !truncated && source.next > source.start {
        if lines.len() == request.lines {
            truncated = true;
            break;
        }
        let (spans, whole) = source.line(request.max_bytes, ansi);
        let line = render(spans, ansi);
        let cost = line.len() + usize::from(!lines.is_empty());
        truncated = !whole || cost > left;
        // Of a line that is too long by itself the end is better than nothing.
        if cost <= left && (whole || lines.is_empty()) {
            left -= cost;
            lines.push(line);
        }
    }
    lines.reverse();
    Gathered { text: lines.join("\n"), lines: lines.len(), truncated }
}

type Span = (Style, String);

/// The rows of history and screen under one numbering, read from the newest one up.
struct Source<'a> {
    terminal: &'a Terminal,
    /// Whether soft-wrapped rows are one line.
    join: bool,
    start: u64,
    screen_start: u64,
    /// One past the next row to read.
    next: u64,
    draft: Draft,
}

impl<'a> Source<'a> {
    fn new(terminal: &'a Terminal, unwrapped: bool) -> Self {
        let range = terminal.history.range();
        let start = if unwrapped { range.start } else { range.end };
        let next = range.end + u64::from(terminal.size.rows);
        let mut source =
            Self { terminal, join: unwrapped, start, screen_start: range.end, next, draft: Draft::default() };
        while source.next > start {
            source.read(source.next - 1);
            if !source.draft.is_blank() {
                break;
            }
            source.next -= 1;
        }
        source
    }

    /// A row of the screen; `None` for a row of the history.
    fn screen_row(&self, number: u64) -> Option<&'a Row> {
        let row = number.checked_sub(self.screen_start)?;
        self.terminal.grid().row(u16::try_from(row).ok()?)
    }

    fn read(&mut self, number: u64) {
        self.draft.clear();
        match self.screen_row(number) {
            Some(row) => self.draft.read_screen(row.cells(), self.terminal.cols(), &self.terminal.tables),
            None => {
                self.terminal.history.read(number, |text, wide, style| self.draft.push(text, wide, style));
            }
        }
    }

    fn goes_on(&self, number: u64) -> bool {
        match self.screen_row(number) {
            Some(row) => row.wrapped(),
            None => self.terminal.history.row_goes_on(number),
        }
    }

    /// The next line up, without blanks at its end, and whether it is whole: rows that would make it
    /// longer than `max_bytes` are left out.
    fn line(&mut self, max_bytes: usize, ansi: bool) -> (Vec<Span>, bool) {
        let mut rows: Vec<Vec<Span>> = Vec::new();
        let mut bytes = 0;
        let mut whole = true;
        while self.next > self.start {
            self.read(self.next - 1);
            let spans: Vec<Span> =
                self.draft.runs().map(|(style, _, text)| (style, text.to_owned())).collect();
            bytes += spans
                .iter()
                .map(|(_, text)| text.len() + if ansi { sgr::MAX_BYTES } else { 0 })
                .sum::<usize>();
            if bytes > max_bytes && !rows.is_empty() {
                whole = false;
                break;
            }
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
        (spans, whole)
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
