//! Running git, away from every loop, with a deadline and a bounded output.

use super::{Refused, Worktree};
use crate::server::exec::{End, ExecError, Executor, Job};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one command may take: checking out a large tree is the longest.
const DEADLINE: Duration = Duration::from_secs(120);
/// What is kept of what git prints: the branches of a large repository fit.
const OUTPUT_BYTES: usize = 4 * 1_048_576;
/// What is repeated of a complaint.
const COMPLAINT_CHARS: usize = 512;

/// The means to run git.
#[derive(Clone)]
pub struct Git {
    executor: Executor,
    environment: Vec<(String, String)>,
}

/// What a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Whether it succeeded.
    pub ok: bool,
    /// What it printed.
    pub text: String,
    /// What it complained of, on one line.
    pub complaint: String,
}

impl Git {
    /// With the server's own environment: of another repository nothing may be in it.
    #[must_use]
    pub fn new(executor: Executor, environment: &[(String, String)]) -> Self {
        let about_a_repository = |name: &str| name.starts_with("GIT_") && name != "GIT_EXEC_PATH";
        let mut environment: Vec<(String, String)> =
            environment.iter().filter(|(name, _)| !about_a_repository(name)).cloned().collect();
        for (name, value) in [("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0"), ("LC_ALL", "C")] {
            environment.retain(|(known, _)| known != name);
            environment.push((name.to_owned(), value.to_owned()));
        }
        Self { executor, environment }
    }

    /// Runs git in a folder.
    ///
    /// # Errors
    /// [`Refused::GitUnavailable`] when it cannot be started, [`Refused::Failed`] when it does not end.
    pub async fn run(&self, folder: &Path, arguments: &[&str]) -> Result<Ran, Refused> {
        let argv = std::iter::once("git").chain(arguments.iter().copied()).map(str::to_owned).collect();
        let job = Job {
            argv,
            cwd: PathBuf::from(folder),
            env: self.environment.clone(),
            stdin: None,
            output_bytes: OUTPUT_BYTES,
            deadline: Some(DEADLINE),
        };
        let done = self.executor.run(job).await.map_err(|error| match error {
            ExecError::Start(error) => Refused::GitUnavailable(format!("git cannot be started: {error}")),
            ExecError::Broken(_) | ExecError::Busy | ExecError::Stopping => {
                Refused::Failed(error.to_string())
            }
        })?;
        if done.end == End::TimedOut {
            return Err(Refused::Failed(format!("git did not end within {} s", DEADLINE.as_secs())));
        }
        Ok(Ran {
            ok: done.end == End::Exited(0),
            text: done.stdout.text().into_owned(),
            complaint: crate::protocol::plain::one_line(&done.stderr.text(), COMPLAINT_CHARS),
        })
    }

    /// The line that a command prints; nothing when it fails. An empty line is one too.
    pub(super) async fn line(&self, folder: &Path, arguments: &[&str]) -> Result<Option<String>, Refused> {
        let ran = self.run(folder, arguments).await?;
        Ok(ran.ok.then(|| ran.text.trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// The paths of all worktrees, the main one first.
    pub(super) async fn worktrees(&self, folder: &Path) -> Result<Vec<String>, Refused> {
        let ran = self.run(folder, &["worktree", "list", "--porcelain"]).await?;
        Ok(ran.text.lines().filter_map(|line| line.strip_prefix("worktree ")).map(str::to_owned).collect())
    }

    /// The names of all branches.
    pub(super) async fn branches(&self, folder: &Path) -> Result<Vec<String>, Refused> {
        let ran = self.run(folder, &["for-each-ref", "--format=%(refname)", "refs/heads"]).await?;
        Ok(ran.text.lines().filter_map(|line| line.strip_prefix("refs/heads/")).map(str::to_owned).collect())
    }

    /// Whether anything but ignored files differs from the last commit.
    pub(super) async fn is_dirty(&self, folder: &Path) -> Result<bool, Refused> {
        let ran = self.run(folder, &["status", "--porcelain", "--untracked-files=normal"]).await?;
        Ok(!ran.ok || !ran.text.is_empty())
    }

    /// Deletes the branch if it is where it began; whether it is not there any more.
    pub(super) async fn drop_branch(&self, worktree: &Worktree) -> bool {
        let name = format!("refs/heads/{}", worktree.branch);
        let repo = Path::new(&worktree.repo_root);
        let there = self.line(repo, &["rev-parse", "--verify", "--quiet", &name]).await;
        match there {
            Ok(None) => true,
            Ok(Some(commit)) if commit == worktree.base_commit => {
                let dropped = self.run(repo, &["update-ref", "-d", &name, &commit]).await;
                dropped.is_ok_and(|dropped| dropped.ok)
            }
            Ok(Some(_)) | Err(_) => false,
        }
    }
}
