//! [`Pipe`]: a bounded row of bytes between a thread that may block and a task that may not.
//!
//! Windows offers only blocking reads and writes on a pseudo-console, hence a thread for each.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Bytes that a pipe holds: what a Unix PTY holds, so that both put the same pressure on a child.
const CAPACITY_BYTES: usize = 65_536;

/// One direction.
#[derive(Default)]
pub(super) struct Pipe {
    state: Mutex<State>,
    /// Wakes the thread.
    thread: Condvar,
    /// Wakes the task.
    task: Notify,
}

#[derive(Default)]
struct State {
    bytes: VecDeque<u8>,
    ended: bool,
}

impl Pipe {
    /// No byte follows: reads drain what is left and then give 0, writes fail.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.thread.notify_all();
        self.task.notify_one();
    }

    /// The task takes what is there.
    pub(super) fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.lock();
        if state.bytes.is_empty() {
            return if state.ended { Ok(0) } else { Err(io::ErrorKind::WouldBlock.into()) };
        }
        let count = take(&mut state.bytes, buffer);
        self.thread.notify_one();
        Ok(count)
    }

    /// The task waits until there is something to take.
    pub(super) async fn readable(&self) {
        self.until(|state| !state.bytes.is_empty()).await;
    }

    /// The task hands over what fits.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.lock();
        if state.ended {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let count = bytes.len().min(CAPACITY_BYTES - state.bytes.len());
        if count == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        state.bytes.extend(&bytes[..count]);
        self.thread.notify_one();
        Ok(count)
    }

    /// The task waits until something fits.
    pub(super) async fn writable(&self) {
        self.until(|state| state.bytes.len() < CAPACITY_BYTES).await;
    }

    /// The thread hands over all of it; whether anybody still reads.
    pub(super) fn write_all(&self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let full = |state: &mut State| state.bytes.len() >= CAPACITY_BYTES && !state.ended;
            let mut state = self.wait_while(full);
            if state.ended {
                return false;
            }
            let count = bytes.len().min(CAPACITY_BYTES - state.bytes.len());
            state.bytes.extend(&bytes[..count]);
            bytes = &bytes[count..];
            self.task.notify_one();
        }
        true
    }

    /// The thread waits for bytes; 0 is the end.
    pub(super) fn read(&self, buffer: &mut [u8]) -> usize {
        let mut state = self.wait_while(|state| state.bytes.is_empty() && !state.ended);
        let count = take(&mut state.bytes, buffer);
        self.task.notify_one();
        count
    }

    async fn until(&self, ready: impl Fn(&State) -> bool) {
        loop {
            {
                let state = self.lock();
                if state.ended || ready(&state) {
                    return;
                }
            }
            self.task.notified().await;
        }
    }

    fn wait_while(&self, condition: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        self.thread.wait_while(self.lock(), condition).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take(bytes: &mut VecDeque<u8>, buffer: &mut [u8]) -> usize {
    let count = buffer.len().min(bytes.len());
    for (slot, byte) in buffer.iter_mut().zip(bytes.drain(..count)) {
        *slot = byte;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_thread_and_a_task_pass_more_than_fits() {
        let pipe = Arc::new(Pipe::default());
        let sent: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        let (thread, bytes) = (Arc::clone(&pipe), sent.clone());
        let writer = std::thread::spawn(move || {
            assert!(thread.write_all(&bytes));
            thread.end();
        });
        let (mut received, mut buffer) = (Vec::<u8>::new(), [0; 4096]);
        loop {
            pipe.readable().await;
            match pipe.try_read(&mut buffer).unwrap() {
                0 => break,
                count => received.extend(&buffer[..count]),
            }
        }
        writer.join().unwrap();
        assert!(received == sent);
    }

    #[tokio::test]
    async fn a_full_pipe_says_so_and_an_ended_one_too() {
        let pipe = Pipe::default();
        let big = vec![b'x'; CAPACITY_BYTES + 1];
        assert_eq!(pipe.try_write(&big).unwrap(), CAPACITY_BYTES);
        assert_eq!(pipe.try_write(&big).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert_eq!(pipe.read(&mut [0; 10]), 10);
        pipe.writable().await;
        assert_eq!(pipe.try_write(&big).unwrap(), 10);
        pipe.end();
        assert_eq!(pipe.try_write(&big).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert!(!pipe.write_all(b"x"));
    }
}
