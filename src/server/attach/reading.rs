//! Questions about panes' texts: where a way leads, what matches, what is around a place, what a selection
//! holds.
//!
//! Invariants: they are answered beside the client's keys, which wait for none of them; only so many are
//! under way at a time, and of searches only the newest.

use crate::protocol::attach::message::ToClient;
use crate::protocol::ids::PaneId;
use crate::protocol::limits::{COPY_BYTES, QUERY_BYTES};
use crate::protocol::text::{Answer, Ask, Spot, Toward};
use crate::server::hub::HubHandle;
use crate::server::terminal::engine::{Match, Query};
use crate::server::terminal::handle::{Gone, PaneHandle};
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::AbortHandle;

/// Questions under way: a client waits for one before it asks the next, so this is more than it needs.
const UNDER_WAY: usize = 8;
/// Matches that are looked at for the first one past a place: those of its own line stand before it.
const MATCHES: usize = 1_000;

/// What one client has asked.
pub struct Reading {
    room: Arc<Semaphore>,
    search: Option<AbortHandle>,
}

impl Default for Reading {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(UNDER_WAY)), search: None }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(search) = self.search.take() {
            search.abort();
        }
    }
}

/// Whether a question breaks the protocol.
pub fn too_long(ask: &Ask) -> bool {
    matches!(ask, Ask::Find { text, .. } if text.len() > QUERY_BYTES)
}

impl Reading {
    /// Begins to answer a question, given with its number.
    pub fn take(
        &mut self,
        hub: &HubHandle,
        out: &mpsc::Sender<ToClient>,
        pane: PaneId,
        (number, ask): (u32, Ask),
    ) {
        let search = matches!(ask, Ask::Find { .. });
        if let Some(earlier) = self.search.take_if(|_| search) {
            earlier.abort();
        }
        let (room, out, handle) = (Arc::clone(&self.room), out.clone(), hub.pane(pane));
        let task = tokio::spawn(async move {
            let answer = match (room.try_acquire(), handle) {
                (Ok(_room), Some(handle)) => answer(&handle, ask).await.unwrap_or(Answer::None),
                _ => Answer::None,
            };
            // A client that is gone needs no answer.
            let _ = out.send(ToClient::Answered(number, answer)).await;
        });
        if search {
            self.search = Some(task.abort_handle());
        }
    }
}

async fn answer(pane: &PaneHandle, ask: Ask) -> Result<Answer, Gone> {
    Ok(match ask {
        Ask::Walk(from, walk) => Answer::At(pane.walk(from, walk).await?),
        Ask::Find { text, from, toward } => Answer::Range(find(pane, &text, from, toward).await?),
        Ask::Around(spot, what) => Answer::Range(pane.around(spot, what).await?),
        Ask::Output(row) => {
            let output = pane.command_output(row).await?;
            Answer::Range(output.and_then(|output| Some((output.start, before(output.start, output.end)?))))
        }
        Ask::Copy(from, to, shape) => {
            let mut selected = pane.select(from, to, shape).await?;
            let cut = selected.truncated || selected.text.len() > COPY_BYTES;
            selected.text.truncate(selected.text.floor_char_boundary(COPY_BYTES));
            Answer::Text { text: selected.text, cut, lost: selected.lost }
        }
    })
}

/// The cell before an end; `None` if nothing is in between.
fn before(start: Spot, end: Spot) -> Option<Spot> {
    let last = match end.col.checked_sub(1) {
        Some(col) => Spot { col, ..end },
        None => Spot { row: end.row.checked_sub(1)?, col: u16::MAX },
    };
    (last >= start).then_some(last)
}

/// The next match past a place, else the first one from the other end.
async fn find(
    pane: &PaneHandle,
    text: &str,
    from: Spot,
    toward: Toward,
) -> Result<Option<(Spot, Spot)>, Gone> {
    let Ok(query) = Query::literal(text, text.chars().any(char::is_uppercase)) else { return Ok(None) };
    let past = |found: &Match| match toward {
        Toward::Newer => found.start > from,
        Toward::Older => found.start < from,
    };
    let range = |found: &Match| Some((found.start, before(found.start, found.end)?));
    let near = pane.search(&query, Some(from.row), toward, MATCHES).await?;
    if let Some(found) = near.matches.iter().find(|found| past(found)) {
        return Ok(range(found));
    }
    let around = pane.search(&query, None, toward, 1).await?;
    Ok(around.matches.first().and_then(range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_at_the_beginning_of_a_row_ends_with_the_row_before() {
        let at = |row, col| Spot { row, col };
        assert_eq!(before(at(3, 0), at(5, 2)), Some(at(5, 1)));
        assert_eq!(before(at(3, 0), at(5, 0)), Some(at(4, u16::MAX)));
        assert_eq!(before(at(3, 0), at(3, 0)), None);
        assert_eq!(before(at(0, 0), at(0, 0)), None);
    }
}
