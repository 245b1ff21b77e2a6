//! One job from its start to its end.

use super::children::{Children, Ended};
use super::output::Pipes;
use super::{Done, End, ExecError, Job, program};
use crate::server::terminal::process::{Ask, Family, Mark};
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

/// How long descendants that hold the streams open are listened to after the child's end.
const LINGER: Duration = Duration::from_millis(500);
/// What a tree gets between the request to end and the kill.
const GRACE: Duration = Duration::from_millis(500);
/// How long a killed process may take to go.
const LAST_WAIT: Duration = Duration::from_millis(250);

/// Runs the job until it ends, its deadline passes, or nobody wants it any more.
pub(super) async fn run(
    job: Job,
    children: &Children,
    given_up: oneshot::Receiver<Infallible>,
) -> Result<Done, ExecError> {
    let began = Instant::now();
    let mark = Mark::job();
    let mut child = start(&job, &mark).map_err(ExecError::Start)?;
    let root = child.id().ok_or_else(|| ExecError::Start(io::ErrorKind::NotFound.into()))?;
    let told = children.began(root);
    let mut pipes = Pipes::of(&mut child, job.stdin.unwrap_or_default(), job.output_bytes);
    let deadline = job.deadline.map(|limit| began + limit);
    let end = tokio::select! {
        biased;
        status = exited(&mut child, &mut pipes) => {
            let end = status.map(end_of);
            told.send_replace(Some(end.as_ref().map_or(Ended { code: None }, |end| Ended::of(*end))));
            let _ = timeout(LINGER, pipes.pump()).await;
            end.map_err(ExecError::Broken)?
        }
        _ = given_up => {
            end_tree(&mut child, Family::of(root, mark), &mut pipes).await;
            return Err(ExecError::Stopping);
        }
        () = at(deadline) => {
            end_tree(&mut child, Family::of(root, mark), &mut pipes).await;
            End::TimedOut
        }
    };
    if end == End::TimedOut {
        // It was ended here, but how is known.
        let status = child.try_wait().ok().flatten().map(end_of);
        told.send_replace(Some(status.map_or(Ended { code: None }, Ended::of)));
    }
    let (stdout, stderr) = pipes.into_outputs();
    Ok(Done { end, stdout, stderr, elapsed: began.elapsed() })
}

fn start(job: &Job, mark: &Mark) -> io::Result<Child> {
    let name = job.argv.first().filter(|name| !name.is_empty()).ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program::find(name, &job.cwd, &job.env)?);
    command.args(&job.argv[1..]).current_dir(&job.cwd);
    command.env_clear().envs(job.env.iter().map(|(name, value)| (name, value))).env(mark.name, &mark.value);
    command.stdin(if job.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // Should this task be dropped with its runtime, the child goes too.
    command.kill_on_drop(true);
    #[cfg(unix)]
    command.arg0(name).process_group(0);
    command.spawn()
}

/// Waits for the child, reading meanwhile.
async fn exited(child: &mut Child, pipes: &mut Pipes) -> io::Result<ExitStatus> {
    tokio::select! {
        biased;
        status = child.wait() => return status,
        () = pipes.pump() => {}
    }
    child.wait().await
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// Ends the whole tree: politely, then for certain. What it still writes is read.
async fn end_tree(child: &mut Child, mut family: Family, pipes: &mut Pipes) {
    let ending = async {
        let deadline = Instant::now() + GRACE;
        family.end(Ask::Politely);
        let _ = timeout_at(deadline, child.wait()).await;
        family.look_again();
        if family.is_left() {
            sleep_until(deadline).await;
            family.look_again();
            family.end(Ask::ForCertain);
        }
        // An error means that it hangs in the kernel, where nobody can reach it.
        let _ = timeout(LAST_WAIT, child.wait()).await;
    };
    let reading = async {
        pipes.pump().await;
        pending::<()>().await;
    };
    tokio::select! {
        () = ending => {}
        () = reading => {}
    }
    let _ = timeout(LAST_WAIT, pipes.pump()).await;
}

#[cfg(unix)]
fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Exited(-1),
    }
}

#[cfg(windows)]
fn end_of(status: ExitStatus) -> End {
    End::Exited(status.code().unwrap_or(-1))
}
