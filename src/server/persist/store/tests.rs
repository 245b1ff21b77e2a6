//! Files that are cut, flipped, newer, or cannot be written.

use super::*;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::server::persist::session::{Last, Node, Pane, Tab, Workspace};

/// A session of so many tabs with a pane each.
fn session(tabs: u32) -> Session {
    let pane = |id: u32| Pane {
        pane: PaneId(id),
        alias: None,
        label: Some(format!("pane {id}")),
        cwd: "/a/folder/with/some/length".to_owned(),
        focused_at: 0,
        agent: None,
    };
    let tab = |id: u32| Tab {
        id: TabId(id),
        name: None,
        focused: PaneId(id),
        zoomed: false,
        layout: vec![Node::Pane(pane(id))],
    };
    let workspace = Workspace {
        id: WorkspaceId(1),
        label: None,
        root: "/".to_owned(),
        pinned: false,
        active: TabId(1),
        tabs: (1..=tabs).map(tab).collect(),
    };
    let last = Last { workspace: 1, tab: tabs, pane: tabs };
    Session { active: Some(WorkspaceId(1)), last, workspaces: vec![workspace] }
}

fn load(folder: &Path) -> (Option<Session>, usize) {
    let (loaded, told) = Store::new(folder).load().expect("not refused");
    (loaded.map(|loaded| loaded.session), told.len())
}

/// Names in a folder that begin with `prefix`.
fn names(folder: &Path, prefix: &str) -> usize {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)).count()
}

#[test]
fn the_newest_is_read_and_the_one_before_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    assert!(store.load().expect("nothing").0.is_none());
    for tabs in 1..4 {
        store.save(&session(tabs)).expect("saved");
    }
    assert_eq!(load(folder.path()), (Some(session(3)), 0));
    fs::remove_file(store.path()).expect("removed");
    assert_eq!(load(folder.path()), (Some(session(2)), 0));
    let mut store = Store::new(folder.path());
    let generation = store.load().expect("loaded").0.expect("one").generation;
    store.save(&session(5)).expect("saved");
    assert_eq!(store.generation, generation + 1);
    assert_eq!(names(folder.path(), "session.json"), 2);
}

#[test]
fn a_cut_or_flipped_snapshot_is_set_aside_and_the_one_before_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    store.save(&session(30)).expect("saved");
    store.save(&session(31)).expect("saved");
    let whole = fs::read(store.path()).expect("the file");
    let cuts = (0..whole.len()).step_by(512).map(|length| whole[..length].to_vec());
    let flips = (0..whole.len()).step_by(97).map(|index| {
        let mut flipped = whole.clone();
        flipped[index] ^= 1 << (index % 8);
        flipped
    });
    for (count, damaged) in cuts.chain(flips).enumerate() {
        fs::write(store.path(), &damaged).expect("written");
        assert_eq!(load(folder.path()), (Some(session(30)), 1), "{count}");
        assert!(!store.path().exists());
        let aside: Vec<PathBuf> = fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.to_string_lossy().contains(".broken-"))
            .collect();
        assert_eq!(aside.iter().map(|path| fs::read(path).expect("the file")).collect::<Vec<_>>(), [damaged]);
        aside.iter().for_each(|path| fs::remove_file(path).expect("removed"));
    }
}

#[test]
fn a_write_that_fails_takes_neither_file_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    store.save(&session(1)).expect("saved");
    store.save(&session(2)).expect("saved");
    // Nothing can be written there, as on a full disk.
    let fresh = folder.path().join("session.json.new");
    fs::create_dir(&fresh).expect("made");
    for _ in 0..2 {
        store.save(&session(3)).expect_err("refused");
    }
    fs::remove_dir(&fresh).expect("removed");
    assert_eq!(names(folder.path(), "session.json"), 2);
    assert_eq!(load(folder.path()), (Some(session(2)), 0));
    fs::remove_file(store.path()).expect("removed");
    assert_eq!(load(folder.path()), (Some(session(1)), 0));
}

#[test]
fn what_was_damaged_while_the_server_ran_does_not_replace_the_good_one_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    for tabs in [3, 4] {
        store.save(&session(tabs)).expect("saved");
    }
    fs::write(store.path(), "half").expect("written");
    store.save(&session(5)).expect("saved");
    assert_eq!(names(folder.path(), "session.json.broken-"), 1);
    assert_eq!(load(folder.path()), (Some(session(5)), 0));
    fs::write(store.path(), "half").expect("written");
    assert_eq!(load(folder.path()).0, Some(session(3)));
}

#[test]
fn a_snapshot_without_workspaces_and_one_with_the_last_number_are_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    for tabs in [1, 2] {
        store.save(&session(tabs)).expect("saved");
    }
    let nothing = file::sealed("{\"version\":1,\"generation\":9,\"session\":{\"workspaces\":7}}");
    fs::write(store.path(), nothing).expect("written");
    assert_eq!(load(folder.path()), (Some(session(1)), 1));
    store.generation = u64::MAX;
    store.save(&session(3)).expect("saved");
    assert_eq!(load(folder.path()).0, Some(session(3)));
}

#[test]
fn when_both_are_damaged_both_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    for name in ["session.json", "session.json.prev"] {
        fs::write(folder.path().join(name), "half").expect("written");
    }
    let (loaded, told) = store.load().expect("not refused");
    assert!(loaded.is_none() && told.len() == 2, "{told:?}");
    store.save(&session(1)).expect("saved");
    assert_eq!(names(folder.path(), "session.json"), 3);
    assert_eq!(load(folder.path()).0, Some(session(1)));
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.json");
    for text in ["{\"version\":2,\"program\":\"9.0\"}".to_owned(), file::sealed("{\"version\":12}")] {
        fs::write(&path, &text).expect("written");
        let error = Store::new(folder.path()).load().expect_err("refused").to_string();
        assert!(error.contains("newer") || error.contains("which reads up to 1"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("read"), text);
    }
}

#[test]
fn copies_of_what_was_more_are_kept_and_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    store.set_copy_aside().expect("nothing to keep");
    store.save(&session(2)).expect("saved");
    for _ in 0..KEPT + 3 {
        store.set_copy_aside().expect("kept");
    }
    assert_eq!(names(folder.path(), "session.json.kept-"), KEPT);
    assert_eq!(load(folder.path()), (Some(session(2)), 0));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_leaves_the_snapshot_as_it_was() {
    use std::os::unix::fs::PermissionsExt as _;
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::new(folder.path());
    store.save(&session(2)).expect("saved");
    let set = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("set");
    set(0o500);
    assert!(store.save(&session(3)).is_err());
    set(0o700);
    assert_eq!(load(folder.path()), (Some(session(2)), 0));
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_a_snapshot_holds_nobody_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.json");
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("it runs");
    assert!(made.success());
    let found = inspect(folder.path());
    assert!(matches!(&found[..], [Err(line)] if line.contains("begins anew")), "{found:?}");
    assert!(Store::new(folder.path()).load().expect("not refused").0.is_none());
    assert_eq!(names(folder.path(), "session.json.broken-"), 1);
}
