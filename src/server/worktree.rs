//! A git worktree with a branch of its own, made whole or not at all (`runtime.md` section 8.3).
//!
//! Invariants: every check comes before anything is made; what is taken back is what this very
//! transaction made and nobody has touched since: a worktree with changes and a branch with commits
//! stay. A server that is killed in between leaves a note, by which the next one takes it back.

mod git;
mod note;

pub use git::Git;
pub use note::Notes;

use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// A folder of the repository.
    pub source: PathBuf,
    /// The new branch.
    pub branch: String,
    /// What it begins at.
    pub base: String,
    /// Where the worktree goes; without, beside the repository.
    pub path: Option<PathBuf>,
    /// The last part of that place.
    pub slug: String,
    /// Whether changes that are not committed do not matter.
    pub allow_dirty: bool,
}

/// A worktree that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// The repository's main work tree.
    pub repo_root: String,
    /// The root of the work tree it was made from.
    pub source_root: String,
    /// Where it is.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// What that began at.
    pub base_commit: String,
    /// Always true: what was there before is never used.
    pub created: bool,
}

/// Why there is none; nothing of it is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// No git, or no repository.
    #[error("{0}")]
    GitUnavailable(String),
    /// The source has changes.
    #[error("{0} has changes that are not committed")]
    DirtySource(String),
    /// The base is no commit.
    #[error("`{0}` is no commit of this repository")]
    InvalidBase(String),
    /// The branch cannot have that name.
    #[error("`{0}` is no name for a branch")]
    InvalidBranch(String),
    /// There is such a branch, or one in whose way it would be.
    #[error(
        "branch `{branch}` exists; choose another name, or remove it with `git -C {repo} branch -D {branch}`"
    )]
    BranchExists {
        /// The branch that is there.
        branch: String,
        /// Its repository.
        repo: String,
    },
    /// Something is there.
    #[error(
        "{path} exists or belongs to a worktree; choose another path, or remove it with `git -C {repo} worktree remove {path}`"
    )]
    PathExists {
        /// What is there.
        path: String,
        /// The repository.
        repo: String,
    },
    /// Git or the system would not make it.
    #[error("cannot make the worktree: {0}")]
    Failed(String),
}

/// What has been checked, and is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    worktree: Worktree,
}

/// The last part of names: small letters and digits, runs of anything else as one dash.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.to_lowercase().chars() {
        if character.is_ascii_lowercase() || character.is_ascii_digit() {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "agent".to_owned() } else { slug.to_owned() }
}

/// Checks everything, without any effect, in the order of the contract.
///
/// # Errors
/// The first check that fails.
pub async fn check(git: &Git, wish: &Wish) -> Result<Plan, Refused> {
    let inside = git.line(&wish.source, &["rev-parse", "--is-inside-work-tree"]).await?;
    if inside.as_deref() != Some("true") {
        let place = wish.source.display();
        return Err(Refused::GitUnavailable(format!("{place} is in no work tree of a git repository")));
    }
    let unknown = || Refused::GitUnavailable("git does not tell where the repository is".to_owned());
    let source_root = git.line(&wish.source, &["rev-parse", "--show-toplevel"]).await?.ok_or_else(unknown)?;
    let worktrees = git.worktrees(&wish.source).await?;
    let repo_root = worktrees.first().cloned().ok_or_else(unknown)?;
    if !wish.allow_dirty && git.is_dirty(&wish.source).await? {
        return Err(Refused::DirtySource(source_root));
    }
    let base = format!("{}^{{commit}}", wish.base);
    let commit =
        git.line(&wish.source, &["rev-parse", "--verify", "--quiet", "--end-of-options", &base]).await?;
    let base_commit = commit.ok_or_else(|| Refused::InvalidBase(wish.base.clone()))?;
    let branch = wish.branch.clone();
    let full = format!("refs/heads/{branch}");
    let named = !branch.starts_with('-') && branch != "HEAD" && !branch.contains("@{");
    if !named || git.line(&wish.source, &["check-ref-format", &full]).await?.is_none() {
        return Err(Refused::InvalidBranch(branch));
    }
    if let Some(taken) =
        git.branches(&wish.source).await?.into_iter().find(|taken| in_the_way(taken, &branch))
    {
        return Err(Refused::BranchExists { branch: taken, repo: repo_root });
    }
    let path = match &wish.path {
        Some(path) => path.clone(),
        None => beside(Path::new(&repo_root), &wish.slug),
    };
    let path = path.to_string_lossy().into_owned();
    if worktrees.contains(&path) || exists(&path).await {
        return Err(Refused::PathExists { path, repo: repo_root });
    }
    Ok(Plan { worktree: Worktree { repo_root, source_root, path, branch, base_commit, created: true } })
}

/// Whether a branch is that one, or one of them would have to be a folder where the other is a file.
fn in_the_way(taken: &str, branch: &str) -> bool {
    let under = |whole: &str, part: &str| whole.strip_prefix(part).is_some_and(|rest| rest.starts_with('/'));
    taken == branch || under(branch, taken) || under(taken, branch)
}

fn beside(repo: &Path, slug: &str) -> PathBuf {
    let name = repo.file_name().map_or_else(|| "repository".into(), |name| name.to_string_lossy());
    repo.parent().unwrap_or(repo).join(format!("{name}-worktrees")).join(slug)
}

async fn exists(path: &str) -> bool {
    let path = path.to_owned();
    blocking(move || std::fs::symlink_metadata(path)).await.is_ok()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Makes what was checked. Of two that race for a branch or a place one gets it.
///
/// # Errors
/// [`Refused`]; then nothing that was made is left.
pub async fn create(git: &Git, notes: &Notes, plan: Plan) -> Result<Worktree, Refused> {
    let worktree = plan.worktree;
    let note = notes.begin(&worktree).await;
    let made = make(git, &worktree).await;
    note.done().await;
    made.map(|()| worktree)
}

async fn make(git: &Git, worktree: &Worktree) -> Result<(), Refused> {
    let repo = PathBuf::from(&worktree.repo_root);
    let Worktree { path, branch, base_commit, .. } = worktree;
    // Making a branch is atomic: who makes it owns it.
    let made = git.run(&repo, &["branch", "--no-track", "--", branch, base_commit]).await?;
    if !made.ok {
        return Err(match git.branches(&repo).await?.into_iter().find(|taken| in_the_way(taken, branch)) {
            Some(taken) => Refused::BranchExists { branch: taken, repo: worktree.repo_root.clone() },
            None => Refused::Failed(made.complaint),
        });
    }
    let outcome = place(git, &repo, worktree).await;
    if outcome.is_err() {
        git.drop_branch(worktree).await;
    }
    outcome.map_err(|refused| match refused {
        Refused::PathExists { .. } => {
            Refused::PathExists { path: path.clone(), repo: worktree.repo_root.clone() }
        }
        other => other,
    })
}

/// Takes the place, and has git fill it.
async fn place(git: &Git, repo: &Path, worktree: &Worktree) -> Result<(), Refused> {
    let path = PathBuf::from(&worktree.path);
    let taken = path.clone();
    let parents = blocking(move || take_place(&taken)).await.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Refused::PathExists { path: worktree.path.clone(), repo: worktree.repo_root.clone() }
        }
        _ => Refused::Failed(error.to_string()),
    })?;
    let filled = git.run(repo, &["worktree", "add", "--", &worktree.path, &worktree.branch]).await;
    match filled {
        Ok(filled) if filled.ok => Ok(()),
        other => {
            let _ = git.run(repo, &["worktree", "remove", "--", &worktree.path]).await;
            let _ = blocking(move || clear_place(&path, &parents)).await;
            let _ = git.run(repo, &["worktree", "prune"]).await;
            Err(other.map_or_else(|refused| refused, |filled| Refused::Failed(filled.complaint)))
        }
    }
}

/// Makes a folder that was not there, and the missing ones above it, which are returned.
fn take_place(path: &Path) -> io::Result<Vec<PathBuf>> {
    let parent = path.parent().unwrap_or(path);
    let missing: Vec<PathBuf> =
        parent.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    std::fs::create_dir_all(parent)?;
    std::fs::create_dir(path)?;
    Ok(missing)
}

/// Removes the folder and those above it, if they are empty.
fn clear_place(path: &Path, parents: &[PathBuf]) -> io::Result<()> {
    let _ = std::fs::remove_dir(path);
    for parent in parents {
        std::fs::remove_dir(parent)?;
    }
    Ok(())
}

/// Takes back what was made, if nobody has touched it; whether nothing is left of it.
pub async fn take_back(git: &Git, worktree: &Worktree) -> bool {
    let repo = PathBuf::from(&worktree.repo_root);
    // A place that was taken and not filled is an empty folder, and to git perhaps a worktree all the same.
    let place = worktree.path.clone();
    if blocking(move || std::fs::remove_dir(place)).await.is_ok() {
        let _ = git.run(&repo, &["worktree", "unlock", "--", &worktree.path]).await;
        let _ = git.run(&repo, &["worktree", "prune"]).await;
    }
    if exists(&worktree.path).await {
        let removed = git.run(&repo, &["worktree", "remove", "--", &worktree.path]).await;
        if !removed.is_ok_and(|removed| removed.ok) {
            return false;
        }
    }
    // The folder of all worktrees goes with its last one.
    let parent = Path::new(&worktree.path).parent().map(Path::to_owned);
    if let Some(parent) = parent.filter(|parent| parent.to_string_lossy().ends_with("-worktrees")) {
        let _ = blocking(move || std::fs::remove_dir(parent)).await;
    }
    git.drop_branch(worktree).await
}

#[cfg(test)]
mod tests;
