//! [`Outbox`]: what waits to be written to one stream's reader.
//!
//! Invariants: one writer, so that frames and replies never mix; at most two frames wait, and a reader
//! that is too slow for that loses its stream; replies wait for room and are never lost before that.

use crate::protocol::limits::STREAM_QUEUE;
use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// Replies that wait for the reader; then its next action waits.
const REPLIES: usize = 16;

/// The queue of one stream.
#[derive(Default)]
pub struct Outbox {
    state: Mutex<State>,
    filled: Notify,
    room: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Kind, Vec<u8>)>,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Frame,
    Reply,
}

impl State {
    fn count(&self, kind: Kind) -> usize {
        self.waiting.iter().filter(|(waiting, _)| *waiting == kind).count()
    }
}

/// The reader is too slow.
#[derive(Debug, PartialEq, Eq)]
pub struct Overflow;

impl Outbox {
    /// Queues a frame.
    pub fn frame(&self, bytes: Vec<u8>) -> Result<(), Overflow> {
        let mut state = self.lock();
        if state.count(Kind::Frame) == STREAM_QUEUE {
            return Err(Overflow);
        }
        state.waiting.push_back((Kind::Frame, bytes));
        self.filled.notify_one();
        Ok(())
    }

    /// Queues a reply, when there is room. Cancel-safe; for one caller at a time.
    pub async fn reply(&self, bytes: Vec<u8>) {
        while self.lock().count(Kind::Reply) == REPLIES {
            self.room.notified().await;
        }
        self.lock().waiting.push_back((Kind::Reply, bytes));
        self.filled.notify_one();
    }

    /// Nothing more comes: [`write`](Self::write) ends when all is written.
    pub fn end(&self) {
        self.lock().ended = true;
        self.filled.notify_one();
    }

    /// The frames that wait are given up, in favour of a last word.
    pub fn give_up(&self, last: Vec<u8>) {
        let mut state = self.lock();
        state.waiting.retain(|(kind, _)| *kind == Kind::Reply);
        state.waiting.push_back((Kind::Frame, last));
    }

    /// Writes until the end.
    ///
    /// # Errors
    /// When the reader is gone.
    pub async fn write(&self, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        loop {
            match self.next() {
                Next::Write(bytes) => {
                    output.write_all(&bytes).await?;
                    output.flush().await?;
                }
                Next::Wait => self.filled.notified().await,
                Next::Ended => return Ok(()),
            }
        }
    }

    fn next(&self) -> Next {
        let mut state = self.lock();
        match state.waiting.pop_front() {
            Some((_, bytes)) => {
                self.room.notify_one();
                Next::Write(bytes)
            }
            None if state.ended => Next::Ended,
            None => Next::Wait,
        }
    }

    /// Every change is complete in itself, so a state that a panic left behind still holds.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Next {
    Write(Vec<u8>),
    Wait,
    Ended,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, duplex};
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_third_frame_has_no_room_and_gives_way_to_a_last_word() {
        let outbox = Outbox::default();
        assert_eq!(outbox.frame(b"one\n".to_vec()), Ok(()));
        outbox.reply(b"reply\n".to_vec()).await;
        assert_eq!(outbox.frame(b"two\n".to_vec()), Ok(()));
        assert_eq!(outbox.frame(b"three\n".to_vec()), Err(Overflow));
        outbox.give_up(b"last\n".to_vec());
        outbox.end();
        let mut written = Vec::new();
        outbox.write(&mut written).await.unwrap();
        assert_eq!(written, b"reply\nlast\n");
    }

    #[tokio::test]
    async fn all_is_written_in_order_before_the_end() {
        let outbox = Outbox::default();
        let (mut reader, mut output) = duplex(2);
        let fill = async {
            for number in 0..100 {
                outbox.reply(vec![number]).await;
            }
            outbox.end();
        };
        let mut read = Vec::new();
        let read_all = async {
            while read.len() < 100 {
                reader.read_buf(&mut read).await.unwrap();
            }
        };
        let (_, written, ()) = tokio::join!(fill, outbox.write(&mut output), read_all);
        written.unwrap();
        assert_eq!(read, (0..100).collect::<Vec<u8>>());
    }

    #[tokio::test(start_paused = true)]
    async fn replies_wait_for_room() {
        let outbox = Outbox::default();
        for _ in 0..REPLIES {
            outbox.reply(Vec::new()).await;
        }
        assert!(timeout(Duration::from_secs(1), outbox.reply(Vec::new())).await.is_err());
        assert!(matches!(outbox.next(), Next::Write(_)));
        assert!(timeout(Duration::from_secs(1), outbox.reply(Vec::new())).await.is_ok());
    }
}
