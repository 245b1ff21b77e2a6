//! The signals that tell the client to leave. Each ends in the same orderly way out, so that the
//! terminal is given back.

use std::io;

#[cfg(unix)]
mod platform {
    use super::io;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// SIGTERM, SIGHUP and SIGINT.
    pub struct Signals([Signal; 3]);

    impl Signals {
        /// Starts to listen.
        ///
        /// # Errors
        /// The operating system's.
        pub fn listen() -> io::Result<Self> {
            Ok(Self([
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::interrupt())?,
            ]))
        }

        /// Waits for one of them.
        pub async fn recv(&mut self) {
            let [terminate, hangup, interrupt] = &mut self.0;
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
    }
}

#[cfg(windows)]
mod platform {
    use super::io;
    use tokio::signal::windows::{CtrlBreak, CtrlClose, CtrlShutdown, ctrl_break, ctrl_close, ctrl_shutdown};

    /// The console's close, break and shutdown events. Ctrl+C is a key.
    pub struct Signals(CtrlBreak, CtrlClose, CtrlShutdown);

    impl Signals {
        /// Starts to listen.
        ///
        /// # Errors
        /// The operating system's.
        pub fn listen() -> io::Result<Self> {
            Ok(Self(ctrl_break()?, ctrl_close()?, ctrl_shutdown()?))
        }

        /// Waits for one of them.
        pub async fn recv(&mut self) {
            tokio::select! {
                _ = self.0.recv() => {}
                _ = self.1.recv() => {}
                _ = self.2.recv() => {}
            }
        }
    }
}

pub use platform::Signals;
