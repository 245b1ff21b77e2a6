//! Text for programs (`uhp.md` section 8, `spec/README.md` point 30).
//!
//! Invariants: a capture holds text, LF and, if asked for, SGR sequences, nothing else; without its SGR
//! sequences it is the plain capture; every line begins and ends in the default style.

use super::draft::Draft;
use super::history::History;
use super::sgr;
use super::{CaptureMode, CaptureRequest};
use crate::protocol::style::Style;
use vt100::Screen;

/// The text of a capture.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) truncated: bool,
}

/// Gathers the newest lines; the screen is looked at `cols` cells wide.
pub(super) fn gather(screen: &Screen, cols: u16, history: &History, request: CaptureRequest) -> Gathered {
    let ansi = request.ansi && request.mode != CaptureMode::Detection;
    let join = request.mode == CaptureMode::RecentUnwrapped;
    let mut source = Source::new(screen, cols, history, join, ansi);
    let mut lines: Vec<String> = Vec::new();
    let mut left = request.max_bytes;
    let mut truncated = false;
    while !truncated && source.next > source.start {
        if lines.len() == request.lines {
            truncated = true;
            break;
        }
        let (spans, whole) = source.line(request.max_bytes);
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
    screen: &'a Screen,
    cols: u16,
    history: &'a History,
    /// Whether soft-wrapped rows are one line.
    join: bool,
    /// Whether styles are wanted.
    styled: bool,
    start: u64,
    screen_start: u64,
    /// One past the next row to read.
    next: u64,
    draft: Draft,
}

impl<'a> Source<'a> {
    fn new(screen: &'a Screen, cols: u16, history: &'a History, join: bool, styled: bool) -> Self {
        let range = history.range();
        let start = if join { range.start } else { range.end };
        let next = range.end + u64::from(screen.size().0.get());
        let draft = Draft::default();
        let mut source =
            Self { screen, cols, history, join, styled, start, screen_start: range.end, next, draft };
        while source.next > start {
            source.read(source.next - 1);
            if !source.draft.is_blank() {
                break;
            }
            source.next -= 1;
        }
        source
    }

    /// The number of a screen row; `None` for a row of the history.
    fn screen_row(&self, number: u64) -> Option<u16> {
        number.checked_sub(self.screen_start).and_then(|row| u16::try_from(row).ok())
    }

    fn read(&mut self, number: u64) {
        match self.screen_row(number) {
            Some(row) => self.draft.read_screen(self.screen, row, self.cols),
            None => {
                let stored = self.history.row(number).map_or("", |row| row.text);
                if self.styled {
                    self.draft.read_stored(stored, usize::MAX);
                } else {
                    self.draft.read_stored_text(stored);
                }
            }
        }
    }

    fn goes_on(&self, number: u64) -> bool {
        match self.screen_row(number) {
            Some(row) => self.screen.row_wrapped(row),
            None => self.history.row(number).is_some_and(|row| row.wrapped),
        }
    }

    /// The next line up, without blanks at its end, and whether it is whole: rows that would make it
    /// longer than `max_bytes` are left out.
    fn line(&mut self, max_bytes: usize) -> (Vec<Span>, bool) {
        let mut rows: Vec<Vec<Span>> = Vec::new();
        let mut bytes = 0;
        let mut whole = true;
        while self.next > self.start {
            self.read(self.next - 1);
            let spans: Vec<Span> =
                self.draft.runs().map(|(style, _, text)| (style, text.to_owned())).collect();
            bytes += spans
                .iter()
                .map(|(_, text)| text.len() + if self.styled { sgr::MAX_BYTES } else { 0 })
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
