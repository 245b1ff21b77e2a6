//! How often one pane's picture is sent: at once while it changes now and then, about sixty times
//! a second while it floods.

use std::time::Duration;
use tokio::time::Instant;

/// The distance of pictures under flood.
const INTERVAL: Duration = Duration::from_millis(16);
/// How many pictures may go out at once after quiet: enough for the echo, the output and the prompt
/// of a short command, or for a few fast keystrokes.
const BURST: u32 = 6;

/// A bucket of `BURST` pictures that one picture per `INTERVAL` flows into.
#[derive(Debug)]
pub struct Pace {
    tokens: u32,
    since: Instant,
}

impl Pace {
    /// A full bucket.
    pub fn new(now: Instant) -> Self {
        Self { tokens: BURST, since: now }
    }

    /// When the next picture may be sent; `now` if at once.
    pub fn next(&mut self, now: Instant) -> Instant {
        self.flow(now);
        if self.tokens > 0 { now } else { self.since + INTERVAL }
    }

    /// A picture is sent.
    pub fn sent(&mut self, now: Instant) {
        self.flow(now);
        self.tokens = self.tokens.saturating_sub(1);
    }

    /// Lets in what has come since the last look.
    fn flow(&mut self, now: Instant) {
        let intervals = now.saturating_duration_since(self.since).as_nanos() / INTERVAL.as_nanos();
        let intervals = u32::try_from(intervals).unwrap_or(u32::MAX);
        self.tokens = self.tokens.saturating_add(intervals).min(BURST);
        self.since = if self.tokens == BURST { now } else { self.since + INTERVAL * intervals };
    }

    /// The pane was typed into: what it shows next is waited for.
    pub fn refill(&mut self) {
        self.tokens = BURST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_paced_and_quiet_is_not() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let mut now = start;
        let mut sent = 0;
        while now < start + Duration::from_secs(1) {
            now = pace.next(now).max(now);
            pace.sent(now);
            sent += 1;
        }
        assert!((60..=70).contains(&sent), "{sent} pictures in a second");
        let quiet = now + Duration::from_secs(1);
        assert_eq!(pace.next(quiet), quiet);
    }

    #[test]
    fn typing_lifts_the_pace() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        (0..BURST).for_each(|_| pace.sent(now));
        assert!(pace.next(now) > now);
        pace.refill();
        assert_eq!(pace.next(now), now);
    }
}
