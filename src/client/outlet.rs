//! Writing to the outer terminal: a thread, because a terminal may take as long as it likes, and
//! the loop must still hear signals and the server meanwhile.
//!
//! Invariant: at most one frame is on its way. Whoever draws waits until it is written, so that a
//! slow terminal sees fewer frames and never old ones.

use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use tokio::sync::mpsc;

/// The way to the outer terminal.
pub struct Outlet {
    frames: SyncSender<Vec<u8>>,
    written: mpsc::Receiver<io::Result<Vec<u8>>>,
    busy: bool,
    spare: Vec<u8>,
}

impl Outlet {
    /// Starts the writing thread.
    ///
    /// # Errors
    /// The operating system's, if there can be no thread.
    pub fn spawn(mut terminal: impl Write + Send + 'static) -> io::Result<Self> {
        let (frames, next) = sync_channel::<Vec<u8>>(1);
        let (done, written) = mpsc::channel(1);
        std::thread::Builder::new().name("output".into()).spawn(move || {
            while let Ok(mut frame) = next.recv() {
                let result = terminal.write_all(&frame).and_then(|()| terminal.flush());
                frame.clear();
                if done.blocking_send(result.map(|()| frame)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { frames, written, busy: false, spare: Vec::new() })
    }

    /// Whether a frame is on its way.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// An empty buffer for the next frame.
    pub fn buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spare)
    }

    /// Sends a frame off; only when none is on its way.
    pub fn write(&mut self, frame: Vec<u8>) {
        if frame.is_empty() {
            self.spare = frame;
        } else {
            // A thread that is gone shows in `written`.
            let _ = self.frames.send(frame);
            self.busy = true;
        }
    }

    /// Waits until the frame on its way is written.
    ///
    /// # Errors
    /// The terminal's.
    pub async fn written(&mut self) -> io::Result<()> {
        let gone = || Err(io::Error::from(io::ErrorKind::BrokenPipe));
        self.spare = self.written.recv().await.unwrap_or_else(gone)?;
        self.busy = false;
        Ok(())
    }
}
