//! Looking things up in history and screen: prompts, selections, searches.
//!
//! Invariants: each look is a bounded piece of the worker's time; a long search is many of them, between which
//! output is parsed.

use super::engine::{Around, CommandOutput, Engine, Match, Query, Selected, Shape, Spot, Toward};
use super::handle::{Gone, PaneHandle};
use super::worker::Request;
use crate::protocol::text::motion::Walk;
use std::time::Duration;
use tokio::time::Instant;

/// Rows that a search looks at: more than any history holds in practice, a bound all the same.
const SEARCH_ROWS: u64 = 2_000_000;
/// How long a search takes at most.
pub const SEARCH_TIME: Duration = Duration::from_secs(2);

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hits {
    /// Matches in the order of the search.
    pub matches: Vec<Match>,
    /// Whether rows were left out: the number of matches, the rows or the time had come to their bound.
    pub partial: bool,
}

impl PaneHandle {
    /// Looks something up in the engine; `read` must be short.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, Gone> {
        self.ask(|reply| {
            Request::Read(Box::new(move |engine| {
                // Nobody is left to be told.
                let _ = reply.send(read(engine));
            }))
        })
        .await
    }

    /// The output of the command whose prompt, text or output a row belongs to.
    pub async fn command_output(&self, row: u64) -> Result<Option<CommandOutput>, Gone> {
        self.read(move |engine| engine.command_output(row)).await
    }

    /// The text from one place to another, both included.
    pub async fn select(&self, from: Spot, to: Spot, shape: Shape) -> Result<Selected, Gone> {
        self.read(move |engine| engine.select(from, to, shape)).await
    }

    /// The first and the last cell of what is around a place.
    pub async fn around(&self, spot: Spot, what: Around) -> Result<Option<(Spot, Spot)>, Gone> {
        self.read(move |engine| engine.around(spot, what)).await
    }

    /// Where a way through the text leads.
    pub async fn walk(&self, from: Spot, walk: Walk) -> Result<Spot, Gone> {
        self.read(move |engine| engine.walk(from, walk)).await
    }

    /// Searches from a row on, without it the whole of history and screen, for at most `limit`
    /// matches.
    pub async fn search(
        &self,
        query: &Query,
        from: Option<u64>,
        toward: Toward,
        limit: usize,
    ) -> Result<Hits, Gone> {
        let deadline = Instant::now() + SEARCH_TIME;
        let mut hits = Hits::default();
        let start = if toward == Toward::Older { u64::MAX } else { 0 };
        let mut next = Some(from.unwrap_or(start));
        let mut rows = 0;
        while let Some(row) = next {
            let left = limit - hits.matches.len();
            if left == 0 || rows > SEARCH_ROWS || Instant::now() >= deadline {
                hits.partial = true;
                break;
            }
            let query = query.clone();
            let step = self.read(move |engine| engine.search(&query, row, toward, left)).await?;
            rows += step.next.map_or(0, |next| next.abs_diff(row));
            hits.matches.extend(step.matches);
            next = step.next;
        }
        hits.partial |= hits.matches.len() >= limit;
        Ok(hits)
    }
}
