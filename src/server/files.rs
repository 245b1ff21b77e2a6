//! Finding files by their path below a folder. What git ignores is left out, and so is git's own folder;
//! links are not followed.
//!
//! Invariants: a search runs on a thread that may wait, never on a runtime's own; it is bounded in paths, depth,
//! time and answers, and ends soon after nobody wants it any more.

use ignore::WalkBuilder;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Paths that are looked at.
const PATHS: usize = 300_000;
/// Folders in each other.
const DEPTH: usize = 40;
/// How long a walk takes.
const TIME: Duration = Duration::from_secs(5);
/// Answers of one search: a better one may still come in the place of a worse one.
const BEST: usize = 300;
/// How long a found path waits for others.
const BATCH: Duration = Duration::from_millis(20);
/// Paths between two looks at the clock.
const BETWEEN: usize = 256;
/// How long the paths of a walk count for the next search.
const FRESH: Duration = Duration::from_secs(10);

/// A path that matches: below the folder, and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path, with `/` between its parts.
    pub path: String,
    /// The higher the better.
    pub score: u32,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Below this folder.
    pub root: PathBuf,
    /// Characters that a path has in this order.
    pub query: String,
    /// Whether capitals count.
    pub sensitive: bool,
}

/// The paths of the last whole walk.
#[derive(Clone, Default)]
pub struct Known(Arc<Mutex<Option<Walked>>>);

struct Walked {
    root: PathBuf,
    at: Instant,
    paths: Arc<Vec<Box<str>>>,
    partial: bool,
}

impl Known {
    fn of(&self, root: &Path) -> Option<(Arc<Vec<Box<str>>>, bool)> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let walked = known.as_ref().filter(|walked| walked.root == root && walked.at.elapsed() < FRESH)?;
        Some((Arc::clone(&walked.paths), walked.partial))
    }

    fn keep(&self, root: &Path, paths: Vec<Box<str>>, partial: bool) {
        let walked = Walked { root: root.to_owned(), at: Instant::now(), paths: Arc::new(paths), partial };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(walked);
    }
}

/// Looks for paths and hands them over in batches, as they are found; `tell` says whether more are wanted.
/// Returns whether something was left out.
pub fn find(
    wanted: &Wanted,
    known: &Known,
    cancelled: &AtomicBool,
    mut tell: impl FnMut(Vec<Found>) -> bool,
) -> bool {
    let mut search = Search::new(wanted);
    let stop = || cancelled.load(Ordering::Relaxed);
    if let Some((paths, partial)) = known.of(&wanted.root) {
        for path in paths.iter() {
            search.look(path);
            if search.is_time() && (stop() || !search.tell(&mut tell)) {
                return true;
            }
        }
        search.tell_rest(&mut tell);
        return partial || search.left_out;
    }
    let (begun, mut paths, mut partial) = (Instant::now(), Vec::new(), false);
    for entry in walk(&wanted.root) {
        // What cannot be read has nothing to find.
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        let Ok(below) = entry.path().strip_prefix(&wanted.root) else { continue };
        let Some(path) = below.to_str() else { continue };
        let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
        search.look(&path);
        paths.push(path.into_boxed_str());
        if search.is_time() {
            if stop() || !search.tell(&mut tell) {
                return true;
            }
            partial = begun.elapsed() > TIME;
        }
        partial |= paths.len() >= PATHS;
        if partial {
            break;
        }
    }
    search.tell_rest(&mut tell);
    known.keep(&wanted.root, paths, partial);
    partial || search.left_out
}

fn walk(root: &Path) -> ignore::Walk {
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .max_depth(Some(DEPTH))
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
}

/// One search under way.
struct Search {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
    /// The scores that were handed over, the worst on top.
    best: BinaryHeap<Reverse<u32>>,
    batch: Vec<Found>,
    told: Option<Instant>,
    looked: usize,
    left_out: bool,
}

impl Search {
    fn new(wanted: &Wanted) -> Self {
        let case = if wanted.sensitive { CaseMatching::Respect } else { CaseMatching::Ignore };
        Self {
            pattern: Pattern::parse(&wanted.query, case, Normalization::Smart),
            matcher: Matcher::new(Config::DEFAULT.match_paths()),
            buffer: Vec::new(),
            best: BinaryHeap::new(),
            batch: Vec::new(),
            told: None,
            looked: 0,
            left_out: false,
        }
    }

    fn look(&mut self, path: &str) {
        self.looked += 1;
        let text = Utf32Str::new(path, &mut self.buffer);
        let Some(score) = self.pattern.score(text, &mut self.matcher) else { return };
        if self.best.len() >= BEST {
            self.left_out = true;
            if self.best.peek().is_some_and(|Reverse(worst)| *worst >= score) {
                return;
            }
            self.best.pop();
        }
        self.best.push(Reverse(score));
        self.batch.push(Found { path: path.to_owned(), score });
    }

    /// Whether to look up from the work. The first paths go out at once.
    fn is_time(&self) -> bool {
        self.looked.is_multiple_of(BETWEEN) || (self.told.is_none() && self.batch.len() >= 16)
    }

    /// Hands over what was found, unless the last time was just now.
    fn tell(&mut self, tell: &mut impl FnMut(Vec<Found>) -> bool) -> bool {
        if self.batch.is_empty() || self.told.is_some_and(|told| told.elapsed() < BATCH) {
            return true;
        }
        self.told = Some(Instant::now());
        tell(std::mem::take(&mut self.batch))
    }

    /// Hands over the rest.
    fn tell_rest(&mut self, tell: &mut impl FnMut(Vec<Found>) -> bool) {
        if !self.batch.is_empty() {
            tell(std::mem::take(&mut self.batch));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn wanted(root: &Path, query: &str) -> Wanted {
        Wanted { root: root.to_owned(), query: query.to_owned(), sensitive: false }
    }

    fn found(wanted: &Wanted, known: &Known) -> (Vec<String>, bool) {
        let mut all = Vec::new();
        let partial = find(wanted, known, &AtomicBool::new(false), |batch| {
            all.extend(batch);
            true
        });
        all.sort_by_key(|found| Reverse(found.score));
        (all.into_iter().map(|found| found.path).collect(), partial)
    }

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn paths_are_found_and_what_git_ignores_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for path in ["src/main.rs", "src/server/main.c", "target/main.o", ".github/main.yml", ".git/main"] {
            write(root, path, "");
        }
        write(root, ".gitignore", "/target\n");
        let (paths, partial) = found(&wanted(root, "main"), &Known::default());
        let mut sorted = paths.clone();
        sorted.sort();
        assert_eq!(
            (sorted, partial),
            (vec![".github/main.yml".into(), "src/main.rs".into(), "src/server/main.c".into()], false)
        );
        assert_eq!(found(&wanted(root, "smrs"), &Known::default()).0, ["src/main.rs"]);
        let sensitive = Wanted { sensitive: true, ..wanted(root, "MAIN") };
        assert_eq!(found(&sensitive, &Known::default()).0, [""; 0]);
    }

    #[test]
    fn a_walk_serves_the_next_search_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let known = Known::default();
        write(folder.path(), "one", "");
        assert_eq!(found(&wanted(folder.path(), "o"), &known).0, ["one"]);
        fs::remove_file(folder.path().join("one")).expect("removed");
        assert_eq!(found(&wanted(folder.path(), "one"), &known).0, ["one"], "it is not walked again at once");
        assert_eq!(found(&wanted(&folder.path().join("other"), "one"), &known).0, [""; 0]);
    }

    #[test]
    fn of_many_the_best_are_told_and_an_unwanted_search_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        for at in 0..1_000 {
            write(folder.path(), &format!("d{}/a-long-name-{at}", at % 10), "");
        }
        write(folder.path(), "name", "");
        let (paths, partial) = found(&wanted(folder.path(), "name"), &Known::default());
        assert!(partial && paths.len() >= BEST && paths[0] == "name", "{} {}", paths.len(), paths[0]);
        let mut batches = 0;
        let partial =
            find(&wanted(folder.path(), "name"), &Known::default(), &AtomicBool::new(false), |_| {
                batches += 1;
                false
            });
        assert_eq!((partial, batches), (true, 1));
        assert!(find(&wanted(folder.path(), "name"), &Known::default(), &AtomicBool::new(true), |_| true));
    }
}
