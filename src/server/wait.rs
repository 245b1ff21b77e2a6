//! Waiting for the content of a terminal: one deadline, no polling.
//!
//! Invariant: an answer rests on an announced revision, never on a newer one, so that whoever follows
//! the events has been told of it (`uhp.md` section 7.15).

use super::terminal::handle::Gone;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

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
pub async fn until<P, F>(mut announced: watch::Receiver<u64>, deadline: Instant, mut probe: P) -> Waited
where
    P: FnMut(u64) -> F,
    F: Future<Output = Result<bool, Gone>>,
{
    let coming_true = async {
        loop {
            let revision = *announced.borrow_and_update();
            match probe(revision).await {
                Ok(true) => return Waited::At(revision),
                Ok(false) => {}
                Err(Gone) => return Waited::Gone,
            }
            if announced.changed().await.is_err() {
                return Waited::Gone;
            }
        }
    };
    timeout_at(deadline, coming_true).await.unwrap_or(Waited::TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_true_already_answers_at_once() {
        let (_announce, revisions) = watch::channel(4);
        assert_eq!(until(revisions, soon(), |at| async move { Ok(at > 3) }).await, Waited::At(4));
    }

    #[tokio::test(start_paused = true)]
    async fn every_announcement_is_looked_at_until_one_fits() {
        let (announce, revisions) = watch::channel(1);
        let wait = until(revisions, soon(), |at| async move { Ok(at >= 3) });
        let output = async {
            for revision in 2..=3 {
                tokio::task::yield_now().await;
                announce.send_replace(revision);
            }
        };
        assert_eq!(tokio::join!(wait, output).0, Waited::At(3));
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_the_terminal_beats_the_deadline() {
        let (announce, revisions) = watch::channel(1);
        drop(announce);
        assert_eq!(until(revisions, soon(), |_| async { Ok(false) }).await, Waited::Gone);
        let (_announce, revisions) = watch::channel(1);
        assert_eq!(until(revisions, soon(), |_| async { Err(Gone) }).await, Waited::Gone);
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_ends_a_quiet_wait() {
        let (_announce, revisions) = watch::channel(1);
        let before = Instant::now();
        assert_eq!(until(revisions, soon(), |_| async { Ok(false) }).await, Waited::TimedOut);
        assert_eq!(before.elapsed(), Duration::from_secs(5));
    }
}
