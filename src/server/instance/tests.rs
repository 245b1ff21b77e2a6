//! Instances in folders of their own: modes, links, foreign files, locks, stale sockets.

use super::*;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Barrier;

fn paths_in(home: &Path) -> InstancePaths {
    InstancePaths {
        given_home: home.to_owned(),
        home: home.to_owned(),
        session_dir: home.to_owned(),
        socket: home.join("luvus.sock"),
        address: home.join("luvus.sock"),
        pane_backend: home.join("pane-backend.sock"),
        lock: home.join("server.lock"),
        log_dir: home.join("logs"),
        bin_dir: home.join("bin"),
    }
}

/// A temporary folder and paths of a home inside it that does not exist yet.
fn fresh() -> (tempfile::TempDir, InstancePaths) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = fs::canonicalize(folder.path()).expect("canonical");
    (folder, paths_in(&root.join("home")))
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("exists").mode() & 0o7777
}

#[test]
fn a_first_start_makes_everything_private() {
    let (_folder, paths) = fresh();
    let instance = Instance::acquire(&paths).expect("acquires");
    for folder in [&paths.home, &paths.log_dir, &paths.bin_dir] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    assert_eq!(mode(&paths.socket), 0o600);
    assert_eq!(mode(&paths.lock), 0o600);
    assert!(UnixStream::connect(&paths.socket).is_ok());
    drop(instance);
    assert!(!paths.socket.exists());
}

#[test]
fn wider_modes_of_our_own_files_are_narrowed() {
    let (_folder, paths) = fresh();
    fs::create_dir(&paths.home).expect("made");
    fs::set_permissions(&paths.home, fs::Permissions::from_mode(0o755)).expect("set");
    fs::write(&paths.lock, "").expect("written");
    fs::set_permissions(&paths.lock, fs::Permissions::from_mode(0o644)).expect("set");
    let _instance = Instance::acquire(&paths).expect("acquires");
    assert_eq!(mode(&paths.home), 0o700);
    assert_eq!(mode(&paths.lock), 0o600);
}

#[test]
fn a_named_session_gets_private_folders_all_the_way() {
    let (_folder, mut paths) = fresh();
    let sessions = paths.home.join("sessions");
    paths.session_dir = sessions.join("work");
    paths.socket = paths.session_dir.join("luvus.sock");
    paths.address.clone_from(&paths.socket);
    paths.lock = paths.session_dir.join("server.lock");
    paths.log_dir = paths.session_dir.join("logs");
    paths.bin_dir = paths.session_dir.join("bin");
    let _instance = Instance::acquire(&paths).expect("acquires");
    assert_eq!(mode(&sessions), 0o700);
    assert_eq!(mode(&paths.session_dir), 0o700);
}

#[test]
fn a_second_server_is_refused_and_leaves_the_first_alone() {
    let (_folder, paths) = fresh();
    let _first = Instance::acquire(&paths).expect("acquires");
    let inode = fs::metadata(&paths.socket).expect("bound").ino();
    assert!(matches!(Instance::acquire(&paths), Err(InstanceError::AlreadyRunning)));
    assert_eq!(fs::metadata(&paths.socket).expect("bound").ino(), inode);
}

#[test]
fn what_a_killed_server_left_is_replaced_by_a_new_socket() {
    let (_folder, paths) = fresh();
    let first = Instance::acquire(&paths).expect("acquires");
    let before = fs::metadata(&paths.socket).expect("bound");
    // As a kill does it: the descriptors close, the files stay. The hard link keeps the inode in
    // use, so that the new socket cannot get the same number.
    fs::hard_link(&paths.socket, paths.home.join("left-over")).expect("linked");
    fs::rename(&paths.socket, paths.home.join("aside")).expect("moved");
    drop(first);
    fs::rename(paths.home.join("aside"), &paths.socket).expect("moved back");
    assert!(UnixStream::connect(&paths.socket).is_err());

    let _second = Instance::acquire(&paths).expect("acquires again");
    assert_ne!(fs::metadata(&paths.socket).expect("bound").ino(), before.ino());
    assert!(UnixStream::connect(&paths.socket).is_ok());
}

#[test]
fn a_live_socket_is_never_taken_over_even_without_its_lock() {
    let (_folder, paths) = fresh();
    let _first = Instance::acquire(&paths).expect("acquires");
    fs::remove_file(&paths.lock).expect("removed");
    assert!(matches!(Instance::acquire(&paths), Err(InstanceError::AlreadyRunning)));
    assert!(UnixStream::connect(&paths.socket).is_ok());
}

#[test]
fn a_start_waits_for_a_server_that_is_ending() {
    let (_folder, paths) = fresh();
    let first = Instance::acquire(&paths).expect("acquires");
    // It has stopped listening and still holds the lock.
    fs::remove_file(&paths.socket).expect("removed");
    std::thread::scope(|scope| {
        let second = scope.spawn(|| Instance::acquire(&paths));
        // The second starter holds the start lock once it waits for the first's end.
        while File::open(paths.start_lock()).is_ok_and(|file| file.try_lock().is_ok()) {
            std::thread::yield_now();
        }
        drop(first);
        second.join().expect("no panic").expect("acquires after the end");
    });
}

#[test]
fn of_many_starts_at_once_exactly_one_wins() {
    let (_folder, paths) = fresh();
    let barrier = Barrier::new(6);
    let results: Vec<_> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let result = Instance::acquire(&paths);
                    // Whoever is told of a running server can reach it at that moment.
                    if matches!(result, Err(InstanceError::AlreadyRunning)) {
                        assert!(UnixStream::connect(&paths.socket).is_ok());
                    }
                    result
                })
            })
            .collect();
        starts.into_iter().map(|start| start.join().expect("no panic")).collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let refused = |result: &&Result<_, _>| matches!(result, Err(InstanceError::AlreadyRunning));
    assert_eq!(results.iter().filter(refused).count(), 5);
}

#[test]
fn links_in_the_way_are_refused_and_not_followed() {
    let (folder, paths) = fresh();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    symlink(&elsewhere, &paths.home).expect("linked");
    assert!(matches!(Instance::acquire(&paths), Err(InstanceError::Symlink(path)) if path == paths.home));
    assert_eq!(fs::read_dir(&elsewhere).expect("read").count(), 0);

    for name in ["luvus.sock", "server.lock", "logs"] {
        let (_folder, paths) = fresh();
        fs::create_dir(&paths.home).expect("made");
        let link = paths.home.join(name);
        symlink(elsewhere.join("target"), &link).expect("linked");
        assert!(matches!(Instance::acquire(&paths), Err(InstanceError::Symlink(found)) if found == link));
    }
    assert_eq!(fs::read_dir(&elsewhere).expect("read").count(), 0);
}

#[test]
fn a_home_named_through_a_link_is_refused_by_the_name_given() {
    let (folder, mut paths) = fresh();
    let link = folder.path().join("link");
    symlink(&paths.home, &link).expect("linked");
    paths.given_home.clone_from(&link);
    assert!(matches!(Instance::acquire(&paths), Err(InstanceError::Symlink(path)) if path == link));
}

#[test]
fn foreign_files_in_the_way_are_kept() {
    let (_folder, paths) = fresh();
    fs::create_dir(&paths.home).expect("made");
    fs::write(&paths.socket, "precious").expect("written");
    assert!(matches!(Instance::acquire(&paths), Err(InstanceError::InTheWay(path)) if path == paths.socket));
    assert_eq!(fs::read_to_string(&paths.socket).expect("kept"), "precious");

    let (_folder, paths) = fresh();
    fs::create_dir(&paths.home).expect("made");
    fs::write(&paths.log_dir, "precious").expect("written");
    assert!(
        matches!(Instance::acquire(&paths), Err(InstanceError::NotAFolder(path)) if path == paths.log_dir)
    );
}

#[test]
fn a_home_that_cannot_be_made_says_so_in_one_line() {
    let (folder, _) = fresh();
    fs::write(folder.path().join("file"), "").expect("written");
    let paths = paths_in(&fs::canonicalize(folder.path()).expect("canonical").join("file/home"));
    let error = Instance::acquire(&paths).expect_err("refused");
    assert!(matches!(error, InstanceError::NotWritable { .. }));
    let text = error.to_string();
    assert!(text.contains("LUVUS_HOME") && !text.contains('\n'), "{text}");
}

#[test]
fn a_foreign_owner_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // only root can give a folder away
    }
    let (_folder, paths) = fresh();
    fs::create_dir(&paths.home).expect("made");
    std::os::unix::fs::chown(&paths.home, Some(1), None).expect("given away");
    assert!(matches!(Instance::acquire(&paths), Err(InstanceError::ForeignOwner { owner: 1, .. })));
}

#[test]
fn an_alias_is_bound_in_a_private_folder_of_its_own() {
    let (folder, mut paths) = fresh();
    paths.address = fs::canonicalize(folder.path()).expect("canonical").join("alias/0123-api.sock");
    let instance = Instance::acquire(&paths).expect("acquires");
    assert_eq!(mode(paths.address.parent().expect("has one")), 0o700);
    assert!(fs::symlink_metadata(&paths.address).expect("bound").file_type().is_socket());
    assert!(!paths.socket.exists());
    drop(instance);
    assert!(!paths.address.exists());
}

#[test]
fn a_socket_of_somebody_else_survives_the_end() {
    let (_folder, paths) = fresh();
    let instance = Instance::acquire(&paths).expect("acquires");
    fs::remove_file(&paths.socket).expect("removed");
    let _other = UnixListener::bind(&paths.socket).expect("bound");
    drop(instance);
    assert!(UnixStream::connect(&paths.socket).is_ok());
}

#[test]
fn the_listener_is_given_out_once_and_accepts() {
    let (_folder, paths) = fresh();
    let mut instance = Instance::acquire(&paths).expect("acquires");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        use interprocess::local_socket::traits::tokio::Listener as _;
        let listener = instance.take_listener().expect("a listener");
        assert!(instance.take_listener().is_err());
        let _client = UnixStream::connect(&paths.socket).expect("connects");
        listener.accept().await.expect("accepts");
    });
}

#[test]
fn program_links_follow_the_executable() {
    let (folder, paths) = fresh();
    let instance = Instance::acquire(&paths).expect("acquires");
    for executable in ["old", "new", "new"] {
        let executable = folder.path().join(executable);
        instance.link_programs(&executable).expect("links");
        for name in ["luvus", "nebula"] {
            assert_eq!(fs::read_link(paths.bin_dir.join(name)).expect("a link"), executable);
        }
    }
    assert_eq!(fs::read_dir(&paths.bin_dir).expect("read").count(), 2);
}
