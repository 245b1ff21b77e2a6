//! Finding text in history and screen.
//!
//! Invariants: a step reads a bounded number of rows, and a pattern is bounded in its compiled size and
//! takes linear time, so that no search holds up the output of its terminal; a match may go over soft-wrapped
//! rows and never over the end of a line.

use super::prompts::Spot;
use super::terminal::Terminal;
use crate::protocol::limits::QUERY_BYTES;
pub use crate::protocol::text::Toward;
use regex::{Regex, RegexBuilder};

/// The longest pattern.
pub const PATTERN_BYTES: usize = QUERY_BYTES;
/// The memory of a compiled pattern.
const COMPILED_BYTES: usize = 1 << 20;
/// Rows that one step reads.
const STEP_ROWS: u64 = 512;
/// Bytes of the line that comes with a match.
const SHOWN_BYTES: usize = 512;

/// What is searched.
#[derive(Debug, Clone)]
pub struct Query {
    pattern: Regex,
}

/// Why something cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is empty.
    #[error("there is nothing to search for")]
    Empty,
    /// It is longer than [`PATTERN_BYTES`], or too large once compiled.
    #[error("the pattern is too long")]
    TooLong,
    /// It is no regular expression.
    #[error("the pattern is no regular expression: {0}")]
    Syntax(String),
}

impl Query {
    /// A text as it is.
    ///
    /// # Errors
    /// [`QueryError`]
    pub fn literal(text: &str, case_sensitive: bool) -> Result<Self, QueryError> {
        Self::compile(text, &regex::escape(text), case_sensitive)
    }

    /// A regular expression.
    ///
    /// # Errors
    /// [`QueryError`]
    pub fn regex(pattern: &str, case_sensitive: bool) -> Result<Self, QueryError> {
        Self::compile(pattern, pattern, case_sensitive)
    }

    fn compile(given: &str, pattern: &str, case_sensitive: bool) -> Result<Self, QueryError> {
        if given.is_empty() {
            return Err(QueryError::Empty);
        }
        if given.len() > PATTERN_BYTES {
            return Err(QueryError::TooLong);
        }
        let built = RegexBuilder::new(pattern)
            .case_insensitive(!case_sensitive)
            .size_limit(COMPILED_BYTES)
            .dfa_size_limit(COMPILED_BYTES)
            .build();
        match built {
            Ok(pattern) => Ok(Self { pattern }),
            Err(regex::Error::CompiledTooBig(_)) => Err(QueryError::TooLong),
            Err(error) => Err(QueryError::Syntax(error.to_string())),
        }
    }
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Its first cell.
    pub start: Spot,
    /// The cell after its last one, on the same row as that.
    pub end: Spot,
    /// Its line, without blanks at the end; of a long one the part around the match.
    pub line: String,
}

/// What a step found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// Matches in the order of the search.
    pub matches: Vec<Match>,
    /// The row from which the search goes on; `None` at the end of the rows.
    pub next: Option<u64>,
}

/// One step of a search through lines, from a row on: at most `limit` matches, and the rest of a line that
/// has more is left out.
pub(super) fn step(terminal: &Terminal, query: &Query, from: u64, toward: Toward, limit: usize) -> Step {
    let all = terminal.all_rows();
    let mut step = Step::default();
    let mut row = from.clamp(all.start, all.end - 1);
    let mut read = 0;
    loop {
        let rows = match toward {
            Toward::Older => terminal.line_up_to(row),
            Toward::Newer => terminal.line_from(row),
        };
        read += rows.end - rows.start;
        let line = terminal.line(rows.clone());
        let text = line.text().trim_end_matches(' ');
        let mut found: Vec<Match> = query
            .pattern
            .find_iter(text)
            .filter(|found| !found.is_empty())
            .take(limit)
            .filter_map(|found| {
                let (start, _) = line.cell(found.start())?;
                let (last, end) = line.cell(found.end() - 1)?;
                let line = around(text, found.range()).to_owned();
                Some(Match { start, end: Spot { row: last.row, col: end }, line })
            })
            .collect();
        let next = match toward {
            Toward::Older => {
                found.reverse();
                rows.start.checked_sub(1).filter(|next| *next >= all.start)
            }
            Toward::Newer => Some(rows.end).filter(|next| *next < all.end),
        };
        step.matches.extend(found);
        step.next = next;
        match next {
            Some(next) if read < STEP_ROWS && step.matches.len() < limit => row = next,
            _ => break,
        }
    }
    step.matches.truncate(limit);
    step
}

/// The part of a line that shows a match.
fn around(text: &str, found: std::ops::Range<usize>) -> &str {
    if text.len() <= SHOWN_BYTES {
        return text;
    }
    let start = text.floor_char_boundary(found.start.saturating_sub(SHOWN_BYTES / 4));
    let end = text.floor_char_boundary((start + SHOWN_BYTES).min(text.len()));
    &text[start..end]
}
