//! One run of ssh, as a connection.

use super::Target;
use crate::cli::command::proxy::MARK;
use crate::client::Pipe;
use serde_json::Value;
use std::future::Future;
use std::io::{self, ErrorKind, Write as _};
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader, ReadBuf};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

/// What a login shell may print before luvus answers.
const NOISE_BYTES: u64 = 65_536;
/// The exit code of an ssh whose connection failed or broke.
const SSH_FAILED: i32 = 255;
/// The exit code of the far end when there is no server ([`crate::cli::error::Exit::Gone`]).
const NO_SERVER: i32 = 2;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// ssh cannot be run.
    #[error("cannot run ssh: {0}")]
    NoSsh(#[source] io::Error),
    /// ssh ended first, with this code.
    #[error("ssh ended before luvus answered")]
    Ended(Option<i32>),
    /// The far side talks and luvus does not.
    #[error("luvus does not answer")]
    Silent,
}

impl From<LinkError> for io::Error {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Ended(Some(NO_SERVER)) => ErrorKind::NotFound.into(),
            error => Self::new(ErrorKind::NetworkDown, error),
        }
    }
}

/// A connection, and what the far end says of itself.
pub struct Opened {
    pub pipe: Pipe,
    pub about: Value,
}

/// Runs ssh until the far end has said its line. `again` asks the person nothing and starts no server.
pub async fn open(target: &Target, again: bool) -> Result<Opened, LinkError> {
    let luvus: &[&str] = if again { &["attach-proxy", "--existing"] } else { &["attach-proxy"] };
    let mut command = Command::from(target.ssh(again, luvus));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(LinkError::NoSsh)?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(LinkError::Ended(None));
    };
    let quiet = Arc::new(AtomicBool::new(again));
    let words = tokio::spawn(pass_on(stderr, Arc::clone(&quiet)));
    let mut stdout = BufReader::new(stdout);
    let Some(about) = first_line(&mut stdout).await? else {
        let code = child.wait().await.ok().and_then(|status| status.code());
        // All that it has said stands before what we say.
        let _ = words.await;
        return Err(LinkError::Ended(code));
    };
    quiet.store(true, Ordering::SeqCst);
    Ok(Opened { pipe: Pipe::from_halves(Far { stdout, end: Box::pin(broke(child)) }, stdin), about })
}

/// What the far end says of itself; nothing at an end without it.
async fn first_line(stdout: &mut BufReader<ChildStdout>) -> Result<Option<Value>, LinkError> {
    let mut noise = 0;
    loop {
        let mut line = Vec::new();
        let read = stdout.take(NOISE_BYTES).read_until(b'\n', &mut line).await.unwrap_or(0);
        noise += u64::try_from(read).unwrap_or(NOISE_BYTES);
        if read == 0 {
            return Ok(None);
        }
        if noise > NOISE_BYTES {
            return Err(LinkError::Silent);
        }
        let line = String::from_utf8_lossy(&line);
        if let Some((_, about)) = line.split_once(MARK)
            && let Ok(about) = serde_json::from_str(about.trim())
        {
            return Ok(Some(about));
        }
    }
}

/// Shows what ssh says, until the screen is the client's.
async fn pass_on(mut stderr: ChildStderr, quiet: Arc<AtomicBool>) {
    let mut chunk = [0; 1_024];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        let said = &chunk[..count];
        if quiet.load(Ordering::SeqCst) {
            tracing::info!(bytes = count, "ssh said something");
        } else {
            let mut out = io::stderr().lock();
            let _ = out.write_all(said).and_then(|()| out.flush());
        }
    }
}

/// Whether the connection broke, rather than the far end having ended it.
async fn broke(mut child: Child) -> bool {
    let code = child.wait().await.ok().and_then(|status| status.code());
    code.is_none_or(|code| code == SSH_FAILED)
}

/// What comes from the far end. Dropping it ends ssh.
struct Far {
    stdout: BufReader<ChildStdout>,
    end: Pin<Box<dyn Future<Output = bool> + Send>>,
}

impl AsyncRead for Far {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stdout).poll_read(context, buffer))?;
        if buffer.filled().len() > before || buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        // An end of the stream: ssh's own end tells whether the line went down.
        let broke = ready!(this.end.as_mut().poll(context));
        this.end = Box::pin(std::future::ready(broke));
        Poll::Ready(if broke { Err(ErrorKind::NetworkDown.into()) } else { Ok(()) })
    }
}
