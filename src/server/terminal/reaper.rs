//! Learns how children ended: once each, as soon as the system says so.
//!
//! Invariant: only children that were handed in are waited for; other parts of the process may have
//! children of their own.

use crate::protocol::scene::ExitStatus;
use tokio::sync::watch;

/// How a child ended, once it has.
pub(super) type Status = watch::Receiver<Option<ExitStatus>>;

#[cfg(unix)]
pub(super) use unix::Reaper;
#[cfg(unix)]
pub use unix::{signal_name, signal_number};
#[cfg(windows)]
pub(super) use windows::Reaper;

#[cfg(unix)]
mod unix {
    use super::{ExitStatus, Status};
    use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, waitpid};
    use std::collections::HashMap;
    use std::io;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
    use tokio::runtime::Handle;
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::watch;

    type Children = Mutex<HashMap<u32, watch::Sender<Option<ExitStatus>>>>;

    /// One task for all children, woken by SIGCHLD.
    #[derive(Clone)]
    pub(in super::super) struct Reaper {
        children: Arc<Children>,
    }

    impl Reaper {
        /// Starts the task on `runtime`; it ends with the first signal after the last `Reaper`.
        pub(in super::super) fn spawn(runtime: &Handle) -> io::Result<Self> {
            let _context = runtime.enter();
            let mut ended = signal(SignalKind::child())?;
            let children = Arc::<Children>::default();
            let weak: Weak<Children> = Arc::downgrade(&children);
            runtime.spawn(async move {
                while ended.recv().await.is_some() {
                    let Some(children) = weak.upgrade() else { return };
                    // One signal may stand for many children, so all of ours are asked.
                    lock(&children).retain(|&pid, status| !collect(pid, status));
                }
            });
            Ok(Self { children })
        }

        /// Watches a child of ours. Its signal may have come already, so it is asked at once.
        pub(in super::super) fn watch(&self, pid: u32) -> Status {
            let (sender, status) = watch::channel(None);
            let mut children = lock(&self.children);
            if !collect(pid, &sender) {
                children.insert(pid, sender);
            }
            status
        }
    }

    fn lock(children: &Children) -> MutexGuard<'_, HashMap<u32, watch::Sender<Option<ExitStatus>>>> {
        children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the child's status if it has ended; whether that question is settled.
    fn collect(pid: u32, sender: &watch::Sender<Option<ExitStatus>>) -> bool {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let status = match waitpid(pid, WaitOptions::NOHANG) {
            Ok(None) => return false,
            Ok(Some((_, status))) => exit_status(status),
            // It is not ours any more: how it ended cannot be learnt.
            Err(_) => ExitStatus { code: None, signal: None },
        };
        sender.send_replace(Some(status));
        true
    }

    fn exit_status(status: WaitStatus) -> ExitStatus {
        ExitStatus {
            code: status.exit_status().and_then(|code| u32::try_from(code).ok()),
            signal: status.terminating_signal().map(signal_name),
        }
    }

    const NAMES: [(Signal, &str); 24] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::TSTP, "SIGTSTP"),
        (Signal::TTIN, "SIGTTIN"),
        (Signal::TTOU, "SIGTTOU"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::IO, "SIGIO"),
        (Signal::SYS, "SIGSYS"),
    ];

    /// The stable name of `uhp.md` section 9; real-time signals and rarities by number.
    pub fn signal_name(number: i32) -> String {
        let known = NAMES.iter().find(|(signal, _)| signal.as_raw() == number);
        known.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
    }

    /// The number of a signal with such a name.
    pub fn signal_number(name: &str) -> Option<i32> {
        let known = NAMES.iter().find(|(_, known)| *known == name);
        known.map_or_else(|| name.strip_prefix("signal ")?.parse().ok(), |(signal, _)| Some(signal.as_raw()))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn signals_have_stable_names() {
            assert_eq!(signal_name(9), "SIGKILL");
            assert_eq!(signal_name(1), "SIGHUP");
            assert_eq!(signal_name(64), "signal 64");
            assert_eq!(signal_number("SIGTERM"), Some(15));
            assert_eq!(signal_number("signal 64"), Some(64));
            assert_eq!(signal_number("nothing"), None);
        }
    }
}

#[cfg(windows)]
mod windows {
    use super::{ExitStatus, Status};
    use portable_pty::Child;
    use std::io;
    use tokio::runtime::Handle;
    use tokio::sync::watch;

    /// A thread for each child, because a process handle can only be waited for by blocking.
    #[derive(Clone)]
    pub(in super::super) struct Reaper {}

    impl Reaper {
        /// The runtime is needed on Unix only.
        pub(in super::super) fn spawn(_runtime: &Handle) -> io::Result<Self> {
            Ok(Self {})
        }

        /// Watches a child.
        pub(in super::super) fn watch(
            &self,
            _pid: u32,
            mut child: Box<dyn Child + Send + Sync>,
        ) -> io::Result<Status> {
            let (sender, status) = watch::channel(None);
            std::thread::Builder::new().name("pty-reaper".into()).spawn(move || {
                let code = child.wait().ok().map(|status| status.exit_code());
                sender.send_replace(Some(ExitStatus { code, signal: None }));
            })?;
            Ok(status)
        }
    }
}
