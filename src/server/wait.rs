//! Waiting for the content of a terminal, or for an agent: one deadline, no polling.
//!
//! Invariant: an answer rests on an announced revision, never on a newer one, so that whoever follows
//! the events has been told of it (`uhp.md` section 7.15).

use super::agents::AgentView;
use super::hub::Snapshot;
use super::terminal::handle::{Announced, Gone};
use crate::protocol::ids::{PaneId, TerminalId};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

/// How long one look at a terminal may take, so that even a wait of no length looks once. A worker
/// answers within one turn; this bound only keeps a wait from hanging on a broken one.
const LOOK: Duration = Duration::from_secs(2);

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// It came true at this announced revision.
    At(u64),
    /// The terminal went away.
    Gone,
    /// The deadline passed.
    TimedOut,
}

/// Asks `probe` at the present announced revision and at every later one, until it says yes.
pub async fn until<P, F>(mut announced: watch::Receiver<Announced>, deadline: Instant, mut probe: P) -> Waited
where
    P: FnMut(u64) -> F,
    F: Future<Output = Result<bool, Gone>>,
{
    loop {
        let revision = announced.borrow_and_update().revision;
        match timeout(LOOK, probe(revision)).await {
            Ok(Ok(true)) => return Waited::At(revision),
            Ok(Ok(false)) => {}
            Ok(Err(Gone)) => return Waited::Gone,
            Err(_) => return Waited::TimedOut,
        }
        // Asked for on its own: under steady output the next announcement is always there already.
        if Instant::now() >= deadline {
            return Waited::TimedOut;
        }
        match timeout_at(deadline, announced.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Waited::Gone,
            Err(_) => return Waited::TimedOut,
        }
    }
}

/// How a wait for an agent ended.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentWaited<T> {
    /// The probe found this.
    Found(T),
    /// The terminal went away.
    Gone,
    /// The deadline passed.
    TimedOut,
}

/// Shows `probe` the agent of a terminal, or that there is none, now and after every change of the
/// session, until it finds something. [`AgentView::transitions`] tells of states that came and went
/// between two looks.
pub async fn agent<T>(
    mut snapshots: watch::Receiver<Snapshot>,
    (pane, terminal): (PaneId, TerminalId),
    deadline: Instant,
    mut probe: impl FnMut(Option<&AgentView>) -> Option<T>,
) -> AgentWaited<T> {
    loop {
        {
            let snapshot = snapshots.borrow_and_update();
            let entry = snapshot.directory.panes.get(&pane);
            if entry.is_none_or(|entry| entry.handle.terminal() != terminal) {
                return AgentWaited::Gone;
            }
            let found = probe(snapshot.agents.get(&pane).map(AsRef::as_ref));
            if let Some(found) = found {
                return AgentWaited::Found(found);
            }
        }
        match timeout_at(deadline, snapshots.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return AgentWaited::Gone,
            Err(_) => return AgentWaited::TimedOut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(revision: u64) -> Announced {
        Announced { revision, sequence: 0 }
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_true_already_answers_at_once() {
        let (_announce, revisions) = watch::channel(at(4));
        assert_eq!(until(revisions, soon(), |at| async move { Ok(at > 3) }).await, Waited::At(4));
    }

    #[tokio::test(start_paused = true)]
    async fn every_announcement_is_looked_at_until_one_fits() {
        let (announce, revisions) = watch::channel(at(1));
        let wait = until(revisions, soon(), |at| async move { Ok(at >= 3) });
        let output = async {
            for revision in 2..=3 {
                tokio::task::yield_now().await;
                announce.send_replace(at(revision));
            }
        };
        assert_eq!(tokio::join!(wait, output).0, Waited::At(3));
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_the_terminal_beats_the_deadline() {
        let (announce, revisions) = watch::channel(at(1));
        drop(announce);
        assert_eq!(until(revisions, soon(), |_| async { Ok(false) }).await, Waited::Gone);
        let (_announce, revisions) = watch::channel(at(1));
        assert_eq!(until(revisions, soon(), |_| async { Err(Gone) }).await, Waited::Gone);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_of_no_length_looks_once() {
        let (_announce, revisions) = watch::channel(at(4));
        let looked = |_| async {
            tokio::task::yield_now().await;
            Ok(true)
        };
        assert_eq!(until(revisions, Instant::now(), looked).await, Waited::At(4));
    }

    #[tokio::test(start_paused = true)]
    async fn steady_output_does_not_outlast_the_deadline() {
        let (announce, revisions) = watch::channel(at(0));
        let output = |_| {
            announce.send_modify(|announced| announced.revision += 1);
            async {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Ok(false)
            }
        };
        let before = Instant::now();
        assert_eq!(until(revisions, soon(), output).await, Waited::TimedOut);
        assert_eq!(before.elapsed(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_ends_a_quiet_wait() {
        let (_announce, revisions) = watch::channel(at(1));
        let before = Instant::now();
        assert_eq!(until(revisions, soon(), |_| async { Ok(false) }).await, Waited::TimedOut);
        assert_eq!(before.elapsed(), Duration::from_secs(5));
    }
}
