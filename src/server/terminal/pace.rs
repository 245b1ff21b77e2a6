//! When to announce output and when to look at the foreground program.
//!
//! Invariant: nothing is due while a terminal is quiet, so an idle pane arms no timer.

use super::handle::{Announce, Announced};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The least time between two announcements of output (`spec/README.md` point 22).
const ANNOUNCEMENTS_APART: Duration = Duration::from_millis(16);
/// Output that just came is often followed by more; a look waits so long for quiet.
const LOOK_AFTER_QUIET: Duration = Duration::from_millis(50);
/// The least time between two looks, and the longest that one is put off by continuing output.
const LOOKS_APART: Duration = Duration::from_millis(250);

/// Announces content revisions: at once after quiet, then paced, the last one always.
pub(super) struct Announcer {
    /// Gone once nobody is to hear of the terminal any more.
    sender: Option<watch::Sender<Announced>>,
    announce: Announce,
    announced: Option<Instant>,
    newest: u64,
    due: Option<Instant>,
}

impl Announcer {
    /// Announces to `announce` and then to the receivers of `sender`, which hold the present revision.
    pub(super) fn new(sender: watch::Sender<Announced>, announce: Announce) -> Self {
        let newest = sender.borrow().revision;
        Self { sender: Some(sender), announce, announced: None, newest, due: None }
    }

    /// The content has this revision now.
    pub(super) fn content(&mut self, revision: u64, now: Instant) {
        if revision == self.newest {
            return;
        }
        self.newest = revision;
        match self.announced {
            Some(last) if now < last + ANNOUNCEMENTS_APART => self.due = Some(last + ANNOUNCEMENTS_APART),
            _ => self.announce(now),
        }
    }

    /// When to call [`fire`](Self::fire).
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Announces what is due.
    pub(super) fn fire(&mut self, now: Instant) {
        if self.due.is_some_and(|due| due <= now) {
            self.announce(now);
        }
    }

    fn announce(&mut self, now: Instant) {
        self.announced = Some(now);
        self.tell();
    }

    /// The event comes first: whoever is woken finds it in the stream.
    fn tell(&mut self) {
        self.due = None;
        let Some(sender) = &self.sender else { return };
        match self.announce.tell(self.newest) {
            Some(sequence) => drop(sender.send_replace(Announced { revision: self.newest, sequence })),
            None => self.sender = None,
        }
    }
}

impl Drop for Announcer {
    /// The last value is announced before the channel closes.
    fn drop(&mut self) {
        if self.due.is_some() {
            self.tell();
        }
    }
}

/// Plans looks at the foreground program.
#[derive(Debug, Default)]
pub(super) struct LookPlan {
    due: Option<Instant>,
    /// When the output began that no look has followed yet.
    since: Option<Instant>,
    looked: Option<Instant>,
}

impl LookPlan {
    /// Output came.
    pub(super) fn output(&mut self, now: Instant) {
        let since = *self.since.get_or_insert(now);
        let wanted = (now + LOOK_AFTER_QUIET).min(since + LOOKS_APART);
        self.due = Some(self.looked.map_or(wanted, |last| wanted.max(last + LOOKS_APART)));
    }

    /// One more look, for what may not have settled yet.
    pub(super) fn again(&mut self, now: Instant) {
        self.due.get_or_insert(now + LOOKS_APART);
    }

    /// When to look.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether to look now; then it counts as done.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let now_due = self.due.is_some_and(|due| due <= now);
        if now_due {
            *self = Self { looked: Some(now), ..Self::default() };
        }
        now_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn the_first_change_is_announced_at_once_and_the_last_one_always() {
        let (sender, receiver) = watch::channel(Announced { revision: 1, sequence: 0 });
        let told = Arc::new(AtomicU64::new(1));
        let tell = Arc::clone(&told);
        let announce = Announce::new(move |revision| Some(tell.swap(revision, Ordering::Relaxed)));
        let (mut announcer, start) = (Announcer::new(sender, announce), Instant::now());
        let revision = || receiver.borrow().revision;
        announcer.content(1, start);
        assert!(!receiver.has_changed().unwrap(), "no change, nothing to announce");
        announcer.content(2, start);
        assert_eq!((revision(), announcer.due()), (2, None));
        announcer.content(3, start + ms(1));
        announcer.content(4, start + ms(15));
        assert_eq!((revision(), announcer.due()), (2, Some(start + ms(16))));
        announcer.fire(start + ms(16));
        assert_eq!((revision(), announcer.due()), (4, None));
        announcer.content(5, start + ms(40));
        assert_eq!(revision(), 5, "quiet before");
        announcer.content(6, start + ms(41));
        drop(announcer);
        assert_eq!(
            *receiver.borrow(),
            Announced { revision: 6, sequence: 5 },
            "told before anybody was woken"
        );
        assert_eq!(told.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn what_nobody_is_to_hear_of_wakes_nobody() {
        let (sender, receiver) = watch::channel(Announced::default());
        let (mut announcer, now) = (Announcer::new(sender, Announce::new(|_| None)), Instant::now());
        announcer.content(2, now);
        announcer.content(3, now + ms(20));
        assert_eq!(receiver.borrow().revision, 0);
        assert!(receiver.has_changed().is_err(), "the channel has closed");
    }

    #[test]
    fn looks_wait_for_quiet_but_not_for_ever() {
        let (mut plan, start) = (LookPlan::default(), Instant::now());
        assert_eq!(plan.due(), None);
        plan.output(start);
        plan.output(start + ms(20));
        assert_eq!(plan.due(), Some(start + ms(70)));
        (1..30).for_each(|n| plan.output(start + ms(10 * n)));
        assert_eq!(plan.due(), Some(start + ms(250)));
        assert!(!plan.take(start + ms(249)) && plan.take(start + ms(250)));
        assert_eq!(plan.due(), None, "one look, then quiet");
        plan.output(start + ms(260));
        assert_eq!(plan.due(), Some(start + ms(500)), "not sooner after the last look");
    }
}
