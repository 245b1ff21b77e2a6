//! What runs below a process: the names, each once.
//!
//! Invariant: bounded, whatever a child starts. Where the system tells of all processes only at once,
//! looks that come together share one such list.

use super::system;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Processes of one tree that are looked at, and so names at most.
const PROCESSES: usize = 256;
/// A longer name tells nothing more.
const NAME_CHARS: usize = 512;
/// How old a list of all processes may be.
const FRESH: Duration = Duration::from_millis(25);

/// A process of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Row {
    pub(in super::super) pid: u32,
    pub(in super::super) parent: u32,
    pub(in super::super) name: String,
}

/// The names of `root` and of everything below it; `None` where it cannot be learnt.
pub(in super::super) fn names(root: u32) -> Option<Arc<[String]>> {
    if system::children_are_told() {
        return walk(root, system::children, system::executable);
    }
    let table = recent()?;
    let row = |pid: u32| table.rows.get(&pid);
    walk(
        root,
        |pid| table.children.get(&pid).cloned().unwrap_or_default(),
        |pid| row(pid).map(|row| row.name.clone()),
    )
}

/// One process of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent in the tree; none for the root.
    pub parent: Option<u32>,
    /// The file it runs, or its name where that is not told.
    pub executable: String,
    /// Its name.
    pub name: String,
    /// Steps from the root.
    pub depth: usize,
}

/// `root` and everything below it, parents before children; `None` where it cannot be learnt.
pub(in super::super) fn list(root: u32) -> Option<Vec<Process>> {
    if system::children_are_told() {
        return descend(root, system::children, system::executable);
    }
    let table = recent()?;
    descend(
        root,
        |pid| table.children.get(&pid).cloned().unwrap_or_default(),
        |pid| table.rows.get(&pid).map(|row| row.name.clone()),
    )
}

fn descend(
    root: u32,
    children: impl Fn(u32) -> Vec<u32>,
    name: impl Fn(u32) -> Option<String>,
) -> Option<Vec<Process>> {
    let mut seen = BTreeSet::new();
    let mut next = vec![(root, None, 0)];
    let mut list = Vec::new();
    while let Some((pid, parent, depth)) = next.pop() {
        if list.len() == PROCESSES || !seen.insert(pid) {
            continue;
        }
        // One that has just ended has no name any more.
        let Some(name) = name(pid).map(shortened) else { continue };
        let executable = system::path(pid).unwrap_or_else(|| name.clone());
        list.push(Process { pid, parent, executable, name, depth });
        next.extend(children(pid).into_iter().rev().map(|child| (child, Some(pid), depth + 1)));
    }
    (!list.is_empty()).then_some(list)
}

fn walk(
    root: u32,
    children: impl Fn(u32) -> Vec<u32>,
    name: impl Fn(u32) -> Option<String>,
) -> Option<Arc<[String]>> {
    let mut names = vec![shortened(name(root)?)];
    let mut seen = BTreeSet::from([root]);
    let mut next = VecDeque::from([root]);
    while let Some(parent) = next.pop_front() {
        for pid in children(parent) {
            if seen.len() == PROCESSES {
                return Some(names.into());
            }
            if seen.insert(pid) {
                next.push_back(pid);
                // One that has just ended has no name any more.
                let found = name(pid).map(shortened).filter(|name| !names.contains(name));
                names.extend(found);
            }
        }
    }
    Some(names.into())
}

fn shortened(name: String) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => name[..end].to_owned(),
        None => name,
    }
}

/// All processes at one instant.
#[derive(Default)]
struct Table {
    rows: BTreeMap<u32, Row>,
    children: BTreeMap<u32, Vec<u32>>,
}

impl Table {
    fn of(rows: Vec<Row>) -> Self {
        let mut table = Self::default();
        for row in rows {
            table.children.entry(row.parent).or_default().push(row.pid);
            table.rows.insert(row.pid, row);
        }
        table
    }
}

fn recent() -> Option<Arc<Table>> {
    static RECENT: Mutex<Option<(Instant, Arc<Table>)>> = Mutex::new(None);
    // One assignment, which leaves nothing half done; those who come meanwhile wait for its result.
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, table)) = recent.as_ref().filter(|(taken, _)| taken.elapsed() < FRESH) {
        return Some(Arc::clone(table));
    }
    let table = Arc::new(Table::of(system::table()?));
    *recent = Some((Instant::now(), Arc::clone(&table)));
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: u32, parent: u32, name: &str) -> Row {
        Row { pid, parent, name: name.to_owned() }
    }

    fn names_in(rows: Vec<Row>, root: u32) -> Option<Vec<String>> {
        let table = Table::of(rows);
        let children = |pid: u32| table.children.get(&pid).cloned().unwrap_or_default();
        let names = walk(root, children, |pid| table.rows.get(&pid).map(|row| row.name.clone()));
        names.map(|names| names.to_vec())
    }

    #[test]
    fn a_tree_has_each_name_once_and_nothing_from_beside_it() {
        let rows = vec![
            row(1, 0, "init"),
            row(10, 1, "sh"),
            row(11, 10, "make"),
            row(12, 11, "sh"),
            row(13, 12, "cc"),
            row(20, 1, "vim"),
        ];
        assert_eq!(names_in(rows.clone(), 10).unwrap(), ["sh", "make", "cc"]);
        assert_eq!(names_in(rows, 99), None);
    }

    #[test]
    fn a_list_has_parents_before_children_with_their_depth() {
        // ids that no system gives, so that no file is found for them
        let (root, child, grandchild, other) = (u32::MAX - 9, u32::MAX - 8, u32::MAX - 7, u32::MAX - 6);
        let rows = vec![
            row(root, 1, "sh"),
            row(other, root, "vi"),
            row(child, root, "make"),
            row(grandchild, child, "cc"),
        ];
        let table = Table::of(rows);
        let children = |pid: u32| table.children.get(&pid).cloned().unwrap_or_default();
        let list = descend(root, children, |pid| table.rows.get(&pid).map(|row| row.name.clone())).unwrap();
        let short: Vec<_> =
            list.iter().map(|found| (found.name.as_str(), found.parent, found.depth)).collect();
        let wanted =
            [("sh", None, 0), ("vi", Some(root), 1), ("make", Some(root), 1), ("cc", Some(child), 2)];
        assert_eq!(short, wanted);
        assert_eq!(list[0].executable, "sh");
    }

    #[test]
    fn rings_and_crowds_are_bounded() {
        assert_eq!(names_in(vec![row(1, 2, "a"), row(2, 1, "b")], 1).unwrap(), ["a", "b"]);
        let crowd = (2..1_000).map(|pid| row(pid, 1, &format!("p{pid}"))).chain([row(1, 0, "root")]);
        assert_eq!(names_in(crowd.collect(), 1).unwrap().len(), PROCESSES);
        assert_eq!(names_in(vec![row(1, 0, &"é".repeat(600))], 1).unwrap()[0].chars().count(), NAME_CHARS);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_of_ours_is_found_both_ways() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        let own = std::process::id();
        let deadline = Instant::now() + Duration::from_secs(10);
        let has = |names: Option<Arc<[String]>>| {
            names.is_some_and(|names| names.iter().any(|name| name == "sleep"))
        };
        // The child becomes its program a moment after its start.
        while !has(names(own)) && Instant::now() < deadline {
            std::thread::yield_now();
        }
        let by_list = Table::of(system::table().expect("a list"));
        let listed = by_list.rows.get(&child.id()).map(|row| (row.parent, row.name.clone()));
        let found = has(names(own));
        child.kill().and_then(|()| child.wait()).expect("its end");
        assert!(found);
        assert_eq!(listed, Some((own, "sleep".to_owned())));
    }
}
