//! Waiting for the end of a process that is not ours.

use std::io;

/// Waits until the process has ended; one that is not there has.
///
/// # Errors
/// When the system does not let us watch it.
#[cfg(target_os = "linux")]
pub(in crate::server) async fn exited(pid: u32) -> io::Result<()> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(()) };
    let process = match pidfd_open(pid, PidfdFlags::NONBLOCK) {
        Ok(process) => process,
        // It is not there, or is a thread of another one, which nobody waits for.
        Err(rustix::io::Errno::SRCH) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    // It becomes readable with the end.
    #[expect(
        deprecated,
        reason = "an `OwnedFd` neither closes nor changes its descriptor; the successor is unsafe"
    )]
    let process = AsyncFd::with_interest(process, Interest::READABLE)?;
    process.readable().await.map(drop)
}

/// Looked at ten times a second: other systems tell only parents without a system library.
#[cfg(all(unix, not(target_os = "linux")))]
pub(in crate::server) async fn exited(pid: u32) -> io::Result<()> {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(()) };
    while test_kill_process(pid) != Err(rustix::io::Errno::SRCH) {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    Ok(())
}

/// Not without a system library.
#[cfg(windows)]
pub(in crate::server) async fn exited(_pid: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
