//! The git branch of a folder, read from `.git/HEAD` without running git.

use std::fs;
use std::path::{Path, PathBuf};

/// The branch that is checked out at or above `folder`: its name, or the first seven digits of a
/// detached commit; `None` outside a repository.
#[must_use]
pub fn branch(folder: &Path) -> Option<String> {
    let head = folder.ancestors().find_map(|folder| git_dir(&folder.join(".git")))?.join("HEAD");
    let head = fs::read_to_string(head).ok()?;
    let head = head.trim_end();
    match head.strip_prefix("ref: ") {
        Some(reference) => Some(reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned()),
        None => head.get(..7).map(str::to_owned),
    }
}

/// The repository's folder behind `.git`, which is a file in a worktree.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = fs::read_to_string(dot_git).ok()?;
    let target = Path::new(text.strip_prefix("gitdir: ")?.trim_end());
    Some(dot_git.parent()?.join(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_read_from_repositories_worktrees_and_detached_heads() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let git = root.path().join("main/.git");
        fs::create_dir_all(git.join("worktrees/side")).expect("folders");
        fs::create_dir_all(root.path().join("main/src")).expect("folders");
        fs::create_dir_all(root.path().join("side")).expect("folders");
        fs::write(git.join("HEAD"), "ref: refs/heads/feature/x\n").expect("a file");
        fs::write(git.join("worktrees/side/HEAD"), "0123456789abcdef\n").expect("a file");
        fs::write(root.path().join("side/.git"), "gitdir: ../main/.git/worktrees/side\n").expect("a file");
        assert_eq!(branch(&root.path().join("main/src")).as_deref(), Some("feature/x"));
        assert_eq!(branch(&root.path().join("side")).as_deref(), Some("0123456"));
        assert_eq!(branch(root.path()), None);
    }
}
