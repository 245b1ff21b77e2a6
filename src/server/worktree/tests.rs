//! Worktrees in repositories of the tests' own; without git they are skipped.

use super::*;
use crate::server::exec::Executor;
use tempfile::TempDir;
use tokio::runtime::Handle;

struct Repo {
    folder: TempDir,
    git: Git,
    notes: Notes,
}

impl Repo {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let variables = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/nonexistent")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let git = Git::new(Executor::new(Handle::current()), &variables);
        let notes = Notes::new(folder.path().join("notes"));
        let repo = Self { folder, git, notes };
        std::fs::create_dir(repo.root()).expect("a folder");
        repo.must(&["init", "-q", "-b", "main"]).await;
        std::fs::write(repo.root().join("file"), "text").expect("a file");
        repo.must(&["add", "."]).await;
        repo.must(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]).await;
        repo
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("canonical").join("repo")
    }

    async fn must(&self, arguments: &[&str]) -> String {
        let ran = self.git.run(&self.root(), arguments).await.expect("git runs");
        assert!(ran.ok, "{arguments:?}: {}", ran.complaint);
        ran.text
    }

    fn wish(&self) -> Wish {
        Wish {
            source: self.root(),
            branch: "nebula/a".to_owned(),
            base: "HEAD".to_owned(),
            path: None,
            slug: "a".to_owned(),
            allow_dirty: false,
        }
    }

    async fn refused(&self, wish: Wish) -> Refused {
        check(&self.git, &wish).await.expect_err("refused")
    }

    async fn make(&self, wish: Wish) -> Worktree {
        let plan = check(&self.git, &wish).await.expect("a plan");
        create(&self.git, &self.notes, plan).await.expect("made")
    }

    /// Branches and worktrees.
    async fn state(&self) -> (Vec<String>, usize) {
        let branches = self.git.branches(&self.root()).await.expect("branches");
        (branches, self.git.worktrees(&self.root()).await.expect("worktrees").len())
    }
}

fn has_git() -> bool {
    std::process::Command::new("git").arg("--version").output().is_ok()
}

#[test]
fn slugs_are_plain() {
    for (name, wanted) in
        [("Login Fixer!", "login-fixer"), ("--a__b--", "a-b"), ("日本", "agent"), ("", "agent")]
    {
        assert_eq!(slug(name), wanted, "{name}");
    }
}

#[tokio::test]
async fn a_worktree_is_made_and_taken_back_whole() {
    if !has_git() {
        return;
    }
    let repo = Repo::new().await;
    let made = repo.make(repo.wish()).await;
    assert_eq!(made.path, repo.root().with_file_name("repo-worktrees").join("a").to_string_lossy());
    assert_eq!((made.base_commit.len(), made.repo_root.as_str()), (40, repo.root().to_str().unwrap()));
    assert!(Path::new(&made.path).join("file").is_file());
    assert!(take_back(&repo.git, &made).await);
    assert_eq!(repo.state().await, (vec!["main".to_owned()], 1));
    assert!(!Path::new(&made.path).exists() && !Path::new(&made.path).parent().unwrap().exists());
}

#[tokio::test]
async fn each_check_refuses_in_its_turn_and_without_effect() {
    if !has_git() {
        return;
    }
    let repo = Repo::new().await;
    let wish = repo.wish();
    let outside = Wish { source: repo.folder.path().to_owned(), ..wish.clone() };
    assert!(matches!(repo.refused(outside).await, Refused::GitUnavailable(_)));
    let wrong = Wish { base: "nowhere".into(), ..wish.clone() };
    assert!(matches!(repo.refused(wrong).await, Refused::InvalidBase(_)));
    for branch in ["a..b", "-x", "", "a b", "x.lock"] {
        let wrong = Wish { branch: branch.into(), ..wish.clone() };
        assert!(matches!(repo.refused(wrong).await, Refused::InvalidBranch(_)), "{branch}");
    }
    for branch in ["main", "main/a"] {
        let wrong = Wish { branch: branch.into(), ..wish.clone() };
        assert!(matches!(repo.refused(wrong).await, Refused::BranchExists { .. }), "{branch}");
    }
    let taken = Wish { path: Some(repo.root()), ..wish.clone() };
    assert!(matches!(repo.refused(taken).await, Refused::PathExists { .. }));
    std::fs::write(repo.root().join("new"), "text").expect("a file");
    let dirty = Wish { base: "nowhere".into(), ..wish.clone() };
    assert!(matches!(repo.refused(dirty).await, Refused::DirtySource(_)), "before the base");
    assert!(check(&repo.git, &Wish { allow_dirty: true, ..wish }).await.is_ok());
    assert_eq!(repo.state().await, (vec!["main".to_owned()], 1));
}

#[tokio::test]
async fn of_two_that_race_one_wins_and_the_other_leaves_it_alone() {
    if !has_git() {
        return;
    }
    let repo = Repo::new().await;
    let plan = check(&repo.git, &repo.wish()).await.expect("a plan");
    let other = check(&repo.git, &Wish { branch: "nebula/b".into(), ..repo.wish() }).await.expect("a plan");
    let made = create(&repo.git, &repo.notes, plan.clone()).await.expect("made");
    let late = create(&repo.git, &repo.notes, plan).await.expect_err("the branch is taken");
    assert!(matches!(late, Refused::BranchExists { .. }), "{late}");
    let late = create(&repo.git, &repo.notes, other).await.expect_err("the place is taken");
    assert!(matches!(late, Refused::PathExists { .. }), "{late}");
    assert!(Path::new(&made.path).join("file").is_file());
    assert_eq!(repo.state().await, (vec!["main".to_owned(), "nebula/a".to_owned()], 2));
}

#[tokio::test]
async fn work_that_was_done_is_never_taken_back() {
    if !has_git() {
        return;
    }
    let repo = Repo::new().await;
    let made = repo.make(repo.wish()).await;
    std::fs::write(Path::new(&made.path).join("work"), "text").expect("a file");
    assert!(!take_back(&repo.git, &made).await);
    assert!(Path::new(&made.path).join("work").is_file());
}

#[tokio::test]
async fn what_a_killed_server_left_is_taken_back() {
    if !has_git() {
        return;
    }
    let repo = Repo::new().await;
    let plan = check(&repo.git, &repo.wish()).await.expect("a plan");
    // As if the process had ended between the branch and the worktree.
    let worktree = plan.worktree.clone();
    repo.must(&["branch", &worktree.branch]).await;
    let notes = repo.folder.path().join("notes");
    std::fs::create_dir(&notes).expect("a folder");
    std::fs::write(notes.join("0-0.json"), serde_json::to_vec(&worktree).unwrap()).expect("a note");
    std::fs::write(notes.join("0-1.json"), "half a no").expect("a note");
    repo.notes.settle(&repo.git).await;
    assert_eq!(repo.state().await, (vec!["main".to_owned()], 1));
    assert_eq!(std::fs::read_dir(&notes).expect("the folder").count(), 0);
    repo.make(repo.wish()).await;
}
