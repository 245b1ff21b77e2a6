//! [`Outbox`]: facts on their way to the hub.
//!
//! Invariants: facts of one kind coalesce, so that at most one of each kind waits; the last one is never
//! dropped. Marks are joined, none is dropped. The hub is not waited for before output is read on, unless
//! very many marks wait.

use super::handle::{Fact, Report};
use crate::protocol::ids::{PaneId, TerminalId};
use std::mem::discriminant;
use std::pin::Pin;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{OwnedPermit, Sender, error::SendError};

/// The least time between two bells: more is noise.
const BELLS_APART: Duration = Duration::from_millis(100);

/// Marks that may wait before output is read on: the marks of one more turn of output come on top.
const MARKS: usize = 1_024;

type Permit = Pin<Box<dyn Future<Output = Result<OwnedPermit<Report>, SendError<()>>> + Send>>;

/// One terminal's facts.
pub(super) struct Outbox {
    pane: PaneId,
    terminal: TerminalId,
    sender: Sender<Report>,
    waiting: Vec<Fact>,
    /// The place in the hub's queue that is being waited for; kept, lest others overtake us for ever.
    permit: Option<Permit>,
    rang: Option<Instant>,
}

impl Outbox {
    pub(super) fn new(pane: PaneId, terminal: TerminalId, sender: Sender<Report>) -> Self {
        Self { pane, terminal, sender, waiting: Vec::new(), permit: None, rang: None }
    }

    /// Hands a fact over now if there is room, else later; a waiting one of its kind is replaced.
    pub(super) fn push(&mut self, fact: Fact) {
        if self.waiting.is_empty() {
            if let Ok(permit) = self.sender.try_reserve() {
                permit.send(Report { pane: self.pane, terminal: self.terminal, fact });
                return;
            }
            if self.sender.is_closed() {
                return;
            }
        }
        match self.waiting.iter_mut().find(|waiting| discriminant(*waiting) == discriminant(&fact)) {
            Some(Fact::Marks(waiting)) if let Fact::Marks(marks) = fact => waiting.extend(marks),
            Some(waiting) => *waiting = fact,
            None => self.waiting.push(fact),
        }
    }

    /// Whether so many marks wait that no more output is to be read.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.iter().any(|fact| matches!(fact, Fact::Marks(marks) if marks.len() >= MARKS))
    }

    /// The child rang.
    pub(super) fn ring(&mut self, now: Instant) {
        if self.rang.is_none_or(|last| now.duration_since(last) >= BELLS_APART) {
            self.rang = Some(now);
            self.push(Fact::Bell);
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Waits for room and hands over the oldest waiting fact. Cancel-safe. Never returns while
    /// nothing waits.
    pub(super) async fn deliver(&mut self) {
        if self.waiting.is_empty() {
            std::future::pending::<()>().await;
        }
        let permit = self.permit.get_or_insert_with(|| Box::pin(self.sender.clone().reserve_owned()));
        let result = permit.await;
        self.permit = None;
        match result {
            Ok(permit) => {
                let fact = self.waiting.remove(0);
                permit.send(Report { pane: self.pane, terminal: self.terminal, fact });
            }
            // Nobody is left to be told.
            Err(_) => self.waiting.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::scene::ExitStatus;
    use crate::server::terminal::engine::Mark;
    use tokio::sync::mpsc;

    fn outbox(room: usize) -> (Outbox, mpsc::Receiver<Report>) {
        let (sender, reports) = mpsc::channel(room);
        (Outbox::new(PaneId(1), TerminalId([7; 16]), sender), reports)
    }

    #[tokio::test]
    async fn facts_that_wait_coalesce_by_kind_and_keep_their_order() {
        let (mut outbox, mut reports) = outbox(1);
        outbox.push(Fact::Bell);
        outbox.push(Fact::Title(Some("a".into())));
        outbox.push(Fact::Cwd("/".into()));
        outbox.push(Fact::Title(Some("b".into())));
        outbox.push(Fact::Exited(ExitStatus { code: Some(0), signal: None }));
        let mut seen = vec![reports.recv().await.unwrap().fact];
        while !outbox.is_empty() {
            outbox.deliver().await;
            seen.push(reports.recv().await.unwrap().fact);
        }
        let exited = Fact::Exited(ExitStatus { code: Some(0), signal: None });
        assert_eq!(seen, [Fact::Bell, Fact::Title(Some("b".into())), Fact::Cwd("/".into()), exited]);
    }

    #[tokio::test]
    async fn marks_are_joined_and_none_is_dropped() {
        let (mut outbox, mut reports) = outbox(1);
        outbox.push(Fact::Bell);
        for _ in 0..MARKS {
            assert!(!outbox.is_full());
            outbox.push(Fact::Marks(vec![Mark::PromptStart]));
        }
        assert!(outbox.is_full());
        outbox.push(Fact::Marks(vec![Mark::Reset]));
        assert_eq!(reports.recv().await.unwrap().fact, Fact::Bell);
        outbox.deliver().await;
        assert!(!outbox.is_full());
        let Fact::Marks(marks) = reports.recv().await.unwrap().fact else { panic!("no marks") };
        assert_eq!((marks.len(), marks.last()), (MARKS + 1, Some(&Mark::Reset)));
    }

    #[tokio::test]
    async fn nobody_to_tell_is_not_waited_for() {
        let (mut outbox, reports) = outbox(1);
        outbox.push(Fact::InputRejected);
        outbox.push(Fact::InputRejected);
        assert!(!outbox.is_empty());
        drop(reports);
        outbox.deliver().await;
        assert!(outbox.is_empty());
    }

    #[tokio::test]
    async fn bells_keep_their_distance() {
        let (mut outbox, mut reports) = outbox(8);
        let now = Instant::now();
        for after_ms in [0, 10, 99, 100, 150, 200] {
            outbox.ring(now + Duration::from_millis(after_ms));
        }
        drop(outbox);
        let mut rung = 0;
        while reports.recv().await.is_some() {
            rung += 1;
        }
        assert_eq!(rung, 3);
    }
}
