//! Starting: the first client brings the server up, races and left-overs do no harm, and what cannot
//! work is refused with a sentence.

use crate::support::home::finish;
use crate::support::{Home, Server, Terminal, eventually, processes};
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it exists").mode() & 0o7777
}

#[test]
fn the_bare_client_brings_a_server_up() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    home.peer().wait_for_shape("(1)");
    terminal.line("echo sum=$((40+2))");
    terminal.wait_for_text("sum=42");
    assert_eq!(mode(&home.path()), 0o700);
    assert_eq!(mode(&home.socket()), 0o600);
    home.stop();
    assert_eq!(terminal.wait_for_exit(), 0, "the session's orderly end is no failure");
}

#[test]
fn the_server_outlives_the_terminal_that_started_it() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("echo here-$((6*7))");
    terminal.wait_for_text("here-42");
    // a closed window: hang-up for the whole process group, and the terminal goes away
    terminal.signal(Signal::HUP);
    terminal.wait_for_exit();
    drop(terminal);
    home.peer().wait_for_shape("(1)");
    Terminal::attach(&home).wait_for_text("here-42");
    home.stop();
}

#[test]
fn the_server_leaves_the_process_group_of_its_starter() {
    let home = Home::new();
    let script = r#""$0" server start && kill -HUP -$$"#;
    let shell = Terminal::run(&home, (80, 24), &["/bin/sh", "-c", script, crate::support::server::PROGRAM]);
    shell.wait_for_exit();
    assert_eq!(home.peer().call("ping", &json!({}))["type"], "pong");
    home.stop();
}

#[test]
fn two_starts_at_once_share_one_server() {
    let home = Home::new();
    let terminals = [(); 2].map(|()| Terminal::luvus(&home, (100, 30), &[]));
    for terminal in &terminals {
        terminal.wait_for_text("ready>");
    }
    home.peer().wait_for_shape("(1)");
    if cfg!(target_os = "linux") {
        assert_eq!(processes::servers(&home.path()).len(), 1);
    }
    terminals[0].line("echo shared-$((1+1))");
    terminals[1].wait_for_text("shared-2");
    home.stop();
}

#[test]
fn what_a_killed_server_left_behind_is_recovered() {
    let home = Arc::new(Home::new());
    let mut server = Server::start_in(Arc::clone(&home));
    let before = server.call("uhp.capabilities", &json!({}))["server_generation"].clone();
    server.signal(Signal::KILL);
    server.wait();
    assert!(home.socket().exists(), "this test is about a socket that nobody listens on");
    let inode = fs::metadata(home.socket()).expect("it exists").ino();
    let changed = fs::metadata(home.socket()).expect("it exists").ctime_nsec();
    let terminal = Terminal::attach(&home);
    let after = home.peer().call("uhp.capabilities", &json!({}))["server_generation"].clone();
    assert_ne!(before, after);
    let fresh = fs::metadata(home.socket()).expect("it exists");
    assert!((inode, changed) != (fresh.ino(), fresh.ctime_nsec()), "the socket is a new one");
    drop(terminal);
    home.stop();
}

/// What is left for a moment of a server that was killed: its lock is held, and the kernel accepts
/// connections that nobody will answer. After three of them it is gone.
fn dying(home: &Home) -> std::thread::JoinHandle<()> {
    fs::create_dir_all(home.path()).expect("a folder");
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).expect("private");
    let lock = fs::File::create(home.path().join("server.lock")).expect("a lock");
    lock.lock().expect("locked");
    let listener = UnixListener::bind(home.socket()).expect("bound");
    fs::set_permissions(home.socket(), fs::Permissions::from_mode(0o600)).expect("private");
    std::thread::spawn(move || {
        for _ in 0..3 {
            drop(listener.accept());
        }
        drop(listener);
        drop(lock);
    })
}

#[test]
fn a_server_that_was_just_killed_is_no_server() {
    let home = Home::new();
    let gone = dying(&home);
    assert!(home.ok(&["server", "start"]).contains("has started"));
    gone.join().expect("it is gone");
    assert_eq!(home.peer().call("ping", &json!({}))["type"], "pong");
    home.stop();

    let home = Home::new();
    let gone = dying(&home);
    Terminal::attach(&home).wait_for_text("ready>");
    gone.join().expect("it is gone");
    home.stop();
}

#[test]
fn a_second_server_of_one_session_is_refused() {
    let server = Server::start();
    let message = server.home().fails(1, &["server"]);
    assert!(message.contains("already"), "{message}");
    assert_eq!(server.call("ping", &json!({}))["type"], "pong", "the first one is unharmed");
    server.stop();
}

#[test]
fn a_client_inside_a_pane_is_refused() {
    let server = Server::start();
    let shell = server.first();
    server.type_text(&shell, "\"$LUVUS_BIN_PATH\"; echo code=$?\n");
    server.wait_for_text(&shell, "code=1");
    assert!(server.text(&shell).contains("allow_nested"), "the message names the setting");
    server.stop();
}

#[test]
fn nesting_can_be_allowed() {
    let home = Home::with_config("allow_nested = true\n");
    let argv = [crate::support::server::PROGRAM];
    let terminal = Terminal::run_with(&home, (100, 30), &argv, &[("LUVUS_ENV", "1")]);
    terminal.wait_for_text("ready>");
    drop(terminal);
    home.stop();
}

#[test]
fn without_a_terminal_nothing_is_started() {
    let home = Home::new();
    let message = home.fails(1, &[]);
    assert!(message.contains("terminal"), "{message}");
    assert!(!home.socket().exists());
    assert_eq!(processes::of_home(&home.path()), []);
}

#[test]
fn a_terminal_that_is_too_small_is_refused() {
    for size in [(23, 30), (100, 5)] {
        let home = Home::new();
        let terminal = Terminal::luvus(&home, size, &[]);
        assert_eq!(terminal.wait_for_exit(), 1);
        let message = terminal.written();
        assert!(message.contains("enlarge") && message.contains("24×6"), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "one line: {message}");
        assert!(!home.socket().exists(), "nothing was started");
    }
}

#[test]
fn a_screen_that_becomes_too_small_says_so_until_it_grows() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("echo kept-$((1+1))");
    terminal.wait_for_text("kept-2");
    terminal.resize(23, 5);
    terminal.wait_for_text("enlarge the terminal");
    terminal.resize(80, 24);
    terminal.wait_for_text("kept-2");
    terminal.wait_for_no_text("enlarge");
    home.stop();
}

#[test]
fn an_open_home_is_closed_to_others() {
    let home = Arc::new(Home::new());
    fs::create_dir(home.path()).expect("the home");
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let server = Server::start_in(Arc::clone(&home));
    assert_eq!(mode(&home.path()), 0o700);
    assert_eq!(mode(&home.socket()), 0o600);
    server.stop();
}

#[test]
fn the_umask_decides_nothing() {
    let home = Home::new();
    let script = r#"umask 0; "$0" server start"#;
    let output = finish(home.command("/bin/sh").args(["-c", script, crate::support::server::PROGRAM]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!((mode(&home.path()), mode(&home.socket())), (0o700, 0o600));
    let logs = home.path().join("logs");
    for entry in fs::read_dir(&logs).expect("logs").flatten() {
        assert_eq!(mode(&entry.path()) & 0o077, 0, "{entry:?}");
    }
    home.stop();
}

#[test]
fn a_home_that_is_a_link_is_refused() {
    let home = Home::new();
    symlink(home.project(), home.path()).expect("a link");
    let message = home.fails(1, &["server"]);
    assert!(message.contains("link"), "{message}");
    assert_eq!(
        fs::read_dir(home.project()).expect("the target").count(),
        0,
        "nothing was written through it"
    );
}

#[test]
fn a_home_that_cannot_be_made_is_refused() {
    let home = Home::new();
    fs::write(home.path(), "in the way").expect("a file");
    let message = home.fails(1, &["server"]);
    assert!(message.contains(home.path().to_str().expect("a plain name")), "{message}");
    // a client that would have started that server must say what is wrong as well
    let terminal = Terminal::luvus(&home, (200, 24), &[]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert!(terminal.written().contains(home.path().to_str().expect("a plain name")));
}

#[test]
fn a_home_that_is_not_writable_is_refused() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: for root every folder is writable");
        return;
    }
    let home = Home::new();
    let parent = home.path().parent().expect("a parent").to_owned();
    fs::set_permissions(&parent, fs::Permissions::from_mode(0o500)).expect("a mode");
    let message = home.fails(1, &["server"]);
    fs::set_permissions(&parent, fs::Permissions::from_mode(0o700)).expect("a mode");
    assert!(message.contains(home.path().to_str().expect("a plain name")), "{message}");
}

/// What a person sees who types `luvus`: it must be one line, exit code 1 and no server.
fn refusal(home: &Home) -> String {
    let terminal = Terminal::luvus(home, (200, 24), &[]);
    assert_eq!(terminal.wait_for_exit(), 1);
    let message = terminal.written();
    assert_eq!(message.trim_end().lines().count(), 1, "one line: {message:?}");
    assert!(message.starts_with("luvus: "), "{message:?}");
    assert_eq!(processes::of_home(&home.path()), []);
    message
}

#[test]
fn a_home_where_nothing_can_be_written_is_refused() {
    // not even root can write there
    let home = Home::at("/dev/null/luvus");
    let message = refusal(&home);
    assert!(message.contains("/dev/null/luvus") && message.contains("LUVUS_HOME"), "{message}");
}

#[test]
fn what_is_in_the_way_of_the_socket_is_refused_and_left_alone() {
    let home = Home::new();
    fs::create_dir(home.path()).expect("the home");
    fs::write(home.socket(), "precious").expect("a file");
    let message = refusal(&home);
    assert!(message.contains("luvus.sock") && message.contains("move it away"), "{message}");
    assert_eq!(fs::read_to_string(home.socket()).expect("still there"), "precious");
}

#[test]
fn links_in_the_way_are_refused() {
    let server = Server::start();
    for name in ["luvus.sock", "server.lock", "start.lock", "logs", "bin"] {
        let home = Home::new();
        fs::create_dir(home.path()).expect("the home");
        // even where it leads to what would do
        symlink(server.home().path().join(name), home.path().join(name)).expect("a link");
        let message = refusal(&home);
        assert!(message.contains(name) && message.contains("symbolic link"), "{name}: {message}");
    }
    server.stop();
}

#[test]
fn what_belongs_to_somebody_else_is_refused() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can give files away");
        return;
    }
    let nobody = |path: &Path| std::os::unix::fs::chown(path, Some(65_534), None).expect("given away");
    let home = Home::new();
    fs::create_dir(home.path()).expect("the home");
    nobody(&home.path());
    let message = refusal(&home);
    assert!(message.contains("65534") && message.contains("LUVUS_HOME"), "{message}");

    let server = Server::start();
    nobody(&server.home().socket());
    let terminal = Terminal::luvus(server.home(), (200, 24), &[]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert!(terminal.written().contains("belongs to user 65534"), "{}", terminal.written());
    server.stop();
}

#[test]
fn a_running_session_that_others_could_reach_is_refused() {
    let server = Server::start();
    for path in [server.home().path(), server.home().socket()] {
        let private = mode(&path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).expect("a mode");
        let message = server.home().fails(1, &["server", "status"]);
        let advice = format!("chmod {private:o} {}", path.display());
        assert!(message.contains(&advice), "{message}");
        fs::set_permissions(&path, fs::Permissions::from_mode(private)).expect("a mode");
        server.home().ok(&["server", "status"]);
    }
    server.stop();
}

#[test]
fn refusals_are_one_line_with_what_to_do() {
    let home = Home::new();
    let message = home.fails(1, &[]);
    assert_eq!(message.trim_end().lines().count(), 1, "{message:?}");
    assert!(message.contains("server start"), "{message}");
    let argv = [crate::support::server::PROGRAM];
    let nested =
        Terminal::run_with(&home, (200, 24), &argv, &[("LUVUS_ENV", "1"), ("LUVUS_SESSION", "work")]);
    assert_eq!(nested.wait_for_exit(), 1);
    let message = nested.written();
    assert_eq!(message.trim_end().lines().count(), 1, "{message:?}");
    assert!(message.contains("`work`") && message.contains("allow_nested"), "{message}");
    assert_eq!(processes::of_home(&home.path()), []);
}

#[test]
fn a_path_too_long_for_a_socket_works_all_the_same() {
    let home = Home::new();
    let long = home.project().join("a-folder-with-a-long-name-".repeat(5));
    fs::create_dir(&long).expect("a folder");
    let run = |arguments: &[&str]| finish(home.luvus(arguments).env("LUVUS_HOME", &long));
    let started = run(&["server", "start"]);
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    let list: serde_json::Value =
        serde_json::from_slice(&run(&["session", "list", "--json"]).stdout).expect("JSON");
    let address = list["sessions"][0]["endpoint"]["address"].as_str().expect("an address").to_owned();
    assert_eq!(list["sessions"][0]["running"], true);
    assert!(Path::new(&address).is_absolute() && address.len() < 100, "{address}");
    let peer = crate::support::Peer::new(address.clone().into());
    assert_eq!(peer.call("ping", &json!({}))["type"], "pong");
    peer.call("server.stop", &json!({}));
    processes::wait_until_gone(&long);
    eventually("the short name is gone", || (!Path::new(&address).exists()).then_some(()));
}

#[test]
fn a_broken_configuration_starts_with_defaults() {
    let home = Home::with_config("prefix = \n[[[\n");
    let terminal = Terminal::attach(&home);
    terminal.prefix("v");
    home.peer().wait_for_shape("1 (2)");
    let kept = fs::read_to_string(home.path().join("config.toml")).expect("the file");
    assert_eq!(kept, "prefix = \n[[[\n", "a broken file is not overwritten");
    home.stop();
}
