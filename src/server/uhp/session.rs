//! What all UHP connections of one server share: whom it serves, its tokens and its counters.

use super::authority::Tokens;
use super::streams::{Storage, Streams};
use crate::protocol::limits;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a connection past the bound waits for a place: enough to notice that a peer has left.
const PLACE_WAIT: Duration = Duration::from_millis(100);

/// What the driver must know besides the hub.
#[derive(Debug)]
pub struct Session {
    /// Name of the session.
    pub name: String,
    /// The home folder, where a workspace starts when nothing else is known.
    pub home: String,
    /// The delegated tokens.
    pub(super) tokens: Tokens,
    /// The live views of terminals.
    pub(super) streams: Arc<Streams>,
    /// Where files that clients hand over are kept.
    pub(super) storage: Storage,
    /// What was served.
    pub counters: Counters,
    places: Arc<Semaphore>,
    started: Instant,
}

/// What a server has served since its start.
#[derive(Debug, Default)]
pub struct Counters {
    accepted: AtomicU64,
    rejected: AtomicU64,
    timeouts: AtomicU64,
    requests: AtomicU64,
    busy_us: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
}

/// The counters at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Connections that were served.
    pub accepted: u64,
    /// Connections that were refused because there were too many.
    pub rejected: u64,
    /// Connections without a first frame in time.
    pub timeouts: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// How long they took on average, in microseconds; waits count in full.
    pub mean_us: u64,
    /// Bytes of requests.
    pub bytes_in: u64,
    /// Bytes of answers; streams are not counted.
    pub bytes_out: u64,
}

impl Counters {
    /// A connection sent no frame in time.
    pub fn timed_out(&self) {
        self.timeouts.fetch_add(1, Ordering::Relaxed);
    }

    /// A request of that many bytes was answered with that many, so much later.
    pub fn answered(&self, bytes_in: usize, bytes_out: usize, took: Duration) {
        let add = |counter: &AtomicU64, count: usize| {
            counter.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
        };
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.busy_us.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        add(&self.bytes_in, bytes_in);
        add(&self.bytes_out, bytes_out);
    }

    /// What has been counted.
    #[must_use]
    pub fn now(&self) -> Counted {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let requests = read(&self.requests);
        Counted {
            accepted: read(&self.accepted),
            rejected: read(&self.rejected),
            timeouts: read(&self.timeouts),
            requests,
            mean_us: read(&self.busy_us).checked_div(requests).unwrap_or(0),
            bytes_in: read(&self.bytes_in),
            bytes_out: read(&self.bytes_out),
        }
    }
}

impl Session {
    /// A session that serves nobody yet; files that clients hand over go to `uploads`.
    #[must_use]
    pub fn new(name: String, home: String, uploads: PathBuf) -> Self {
        Self {
            name,
            home,
            tokens: Tokens::default(),
            streams: Arc::default(),
            storage: Storage::new(uploads),
            counters: Counters::default(),
            places: Arc::new(Semaphore::new(limits::API_CONNECTIONS)),
            started: Instant::now(),
        }
    }

    /// Takes a place for a connection if one is free: at its accept, so that those who come first are
    /// served.
    #[must_use]
    pub fn place(&self) -> Place {
        Place(Arc::clone(&self.places).try_acquire_owned().ok())
    }

    /// Whether a connection is served; counted either way. Without a place yet, it waits a moment for
    /// one of a peer that has just left.
    pub async fn admit(&self, place: &mut Place) -> bool {
        if place.0.is_none() {
            let freed = timeout(PLACE_WAIT, Arc::clone(&self.places).acquire_owned()).await;
            place.0 = freed.ok().and_then(Result::ok);
        }
        let served = place.0.is_some();
        let counter = if served { &self.counters.accepted } else { &self.counters.rejected };
        counter.fetch_add(1, Ordering::Relaxed);
        served
    }

    /// How many connections are being served.
    pub(super) fn connections(&self) -> usize {
        limits::API_CONNECTIONS.saturating_sub(self.places.available_permits())
    }

    /// How long the server has lived.
    pub(super) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The place of one connection, free again when it is dropped.
#[derive(Debug)]
pub struct Place(Option<OwnedSemaphorePermit>);

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Arc<Session> {
        Arc::new(Session::new("default".to_owned(), "/".to_owned(), "/uploads".into()))
    }

    #[tokio::test]
    async fn the_eighty_first_connection_is_one_too_many() {
        let session = session();
        let mut held: Vec<Place> = (0..80).map(|_| session.place()).collect();
        for place in &mut held {
            assert!(session.admit(place).await);
        }
        assert!(!session.admit(&mut session.place()).await);
        assert_eq!(session.connections(), 80);
        held.pop();
        assert!(session.admit(&mut session.place()).await);
        let counted = session.counters.now();
        assert_eq!((counted.accepted, counted.rejected), (81, 1));
    }

    #[tokio::test]
    async fn a_peer_that_has_just_left_makes_room() {
        let session = session();
        let mut held: Vec<Place> = (0..80).map(|_| session.place()).collect();
        let mut late = session.place();
        let (admitted, ()) = tokio::join!(session.admit(&mut late), async { drop(held.pop()) });
        assert!(admitted);
    }

    #[test]
    fn answers_are_counted_with_their_mean_time() {
        let counters = Counters::default();
        assert_eq!(counters.now().mean_us, 0);
        counters.answered(10, 100, Duration::from_micros(30));
        counters.answered(10, 200, Duration::from_micros(50));
        let counted = counters.now();
        assert_eq!((counted.requests, counted.mean_us), (2, 40));
        assert_eq!((counted.bytes_in, counted.bytes_out), (20, 300));
    }
}
