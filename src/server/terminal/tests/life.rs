//! From start to end.

use super::*;
use crate::server::terminal::engine::{CaptureMode, CaptureRequest};
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

#[tokio::test]
async fn a_child_starts_prints_and_ends_with_its_code() {
    let mut rig = Rig::new();
    let handle = rig.script("printf 'hel%s' lo; exit 7");
    let root = rig.fact(|fact| if let Fact::Started(root) = fact { Some(root) } else { None }).await;
    assert_eq!(handle.root(), Some(root.clone()));
    if cfg!(target_os = "linux") {
        assert!(root.start_marker.is_some_and(|marker| marker.starts_with("linux:")));
    }
    assert_eq!(rig.exited().await, code(7));
    assert!(handle.contains("hello").await.unwrap().0, "the last output came before the exit");
    assert_eq!(rig.rest().await, [], "an exit is reported once, and last");
}

#[tokio::test]
async fn a_signal_is_reported_by_name() {
    let mut rig = Rig::new();
    rig.script("kill -TERM $$");
    assert_eq!(rig.exited().await, signal("SIGTERM"));
}

#[tokio::test]
async fn all_output_is_parsed_before_the_exit() {
    let mut rig = Rig::new();
    let handle =
        rig.script("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; printf last-words");
    assert_eq!(rig.exited().await, code(0));
    assert!(handle.contains("last-words").await.unwrap().0);
}

#[tokio::test]
async fn a_background_grandchild_does_not_hold_the_exit_up() {
    let mut rig = Rig::new();
    rig.script("trap '' HUP; sleep 1000 & exit 3");
    let began = Instant::now();
    assert_eq!(rig.exited().await, code(3));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_child_that_lets_go_of_its_terminal_counts_as_ended() {
    let mut rig = Rig::new();
    rig.script("exec sleep 1000 </dev/null >/dev/null 2>&1");
    assert_eq!(rig.exited().await, ExitStatus { code: None, signal: None });
}

#[tokio::test]
async fn an_idle_shell_ends_at_the_hang_up() {
    let mut rig = Rig::new();
    let handle = rig.script("echo up; read line");
    shows(&handle, "up").await;
    handle.end();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
    assert!(within(handle.viewer().next()).await.is_none());
}

/// Waits until the session of `root` is gone: what was killed needs a moment to go.
async fn session_ends(root: u32) {
    within(async {
        while process::has_session(root, None) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_stubborn_tree_is_killed() {
    let mut rig = Rig::new();
    let handle =
        rig.script("trap '' HUP TERM INT; sleep 1000 & sleep 1000 & echo up; while :; do sleep 1000; done");
    shows(&handle, "up").await;
    let began = Instant::now();
    handle.end();
    assert_eq!(rig.exited().await, signal("SIGKILL"));
    assert!(began.elapsed() >= Duration::from_millis(500), "it had its grace");
    session_ends(handle.root().unwrap().pid).await;
}

#[tokio::test]
async fn a_child_that_outlives_its_shell_is_killed_too() {
    let mut rig = Rig::new();
    let handle = rig.script("(trap '' HUP; echo up; sleep 1000) & read line");
    shows(&handle, "up").await;
    handle.end();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
    session_ends(handle.root().unwrap().pid).await;
}

#[tokio::test]
async fn a_stopped_child_can_be_ended() {
    let mut rig = Rig::new();
    let handle = rig.script("echo up; kill -STOP $$; echo never");
    shows(&handle, "up").await;
    handle.end();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
}

#[tokio::test]
async fn a_child_ended_right_after_its_start_still_reports() {
    let mut rig = Rig::new();
    rig.script("sleep 1000").end();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
}

#[tokio::test]
async fn a_terminal_without_handles_ends() {
    let mut rig = Rig::new();
    let handle = rig.script("echo up; read line");
    shows(&handle, "up").await;
    let mut viewer = handle.viewer();
    assert!(within(viewer.next()).await.is_some());
    drop(handle);
    rig.handles.clear();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
    within(async { while viewer.next().await.is_some() {} }).await;
}

#[tokio::test]
async fn an_ended_child_still_has_its_screen() {
    let mut rig = Rig::new();
    let handle = rig.script("echo remains");
    rig.exited().await;
    within(async { while handle.ready().changed().await.is_ok() {} }).await;
    let request =
        CaptureRequest { mode: CaptureMode::Visible, lines: 24, ansi: false, max_bytes: 4096, cursor: false };
    assert!(handle.capture(request).await.unwrap().text.contains("remains"));
    let mut viewer = handle.viewer();
    let frame = within(viewer.next()).await.unwrap();
    assert_eq!(frame.rows[0].text(), "remains");
    handle.resize(Size::new(10, 40));
    assert_eq!(within(viewer.next()).await.unwrap().size, Size::new(10, 40));
    assert!(!handle.is_busy());
    handle.end();
    assert!(within(viewer.next()).await.is_none());
    assert!(handle.capture(request).await.is_err());
}

#[tokio::test]
async fn a_broken_worker_ends_its_own_pane_alone() {
    let mut rig = Rig::new();
    let other = rig.start(start(&["cat"]));
    let handle = rig.script("trap '' HUP; echo up; while :; do sleep 1000; done");
    shows(&handle, "up").await;
    let mut viewer = handle.viewer();
    handle.break_worker().await;
    assert_eq!(rig.exited().await, ExitStatus { code: None, signal: None });
    session_ends(handle.root().unwrap().pid).await;
    within(async { while viewer.next().await.is_some() {} }).await;
    assert!(handle.text("x").is_err());
    other.text("well\r").unwrap();
    shows(&other, "well\nwell").await;
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "text").unwrap();
    let plain = plain.to_str().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "#! /no/such/shell -e\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    let mut nowhere = start(&["/bin/sh"]);
    nowhere.cwd = PathBuf::from("/no/such/folder");
    let cases = [
        (start(&["no-such-program"]), "`no-such-program` was not found".to_owned()),
        (start(&["/no/such/program"]), "`/no/such/program` was not found".to_owned()),
        (start(&[plain]), format!("`{plain}` is not executable")),
        (start(&[script]), format!("`/no/such/shell`, which `{script}` needs, was not found")),
        (start(&["/usr"]), "`/usr` is not executable".to_owned()),
        (start(&[]), "no program was given".to_owned()),
        (nowhere, "the folder `/no/such/folder` does not exist".to_owned()),
    ];
    for (case, text) in cases {
        let mut rig = Rig::new();
        let handle = rig.start(case);
        assert_eq!(rig.fact(Some).await, Fact::StartFailed(text));
        assert!(within(handle.viewer().next()).await.is_none());
        assert!(handle.text("x").is_err() && handle.root().is_none());
        assert_eq!(rig.rest().await, []);
    }
}

#[tokio::test]
async fn the_child_gets_exactly_its_environment_and_folder() {
    let mut rig = Rig::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let mut wanted = start(&["/bin/sh", "-c", "pwd; env; tty"]);
    wanted.cwd.clone_from(&path);
    wanted.env = vec![("PATH".into(), "/usr/bin:/bin".into()), ("MARK".into(), "a b".into())];
    let handle = rig.start(wanted);
    assert_eq!(handle.cwd(), path, "before anything is known");
    rig.exited().await;
    let request =
        CaptureRequest { mode: CaptureMode::Visible, lines: 24, ansi: false, max_bytes: 4096, cursor: false };
    let text = handle.capture(request).await.unwrap().text;
    assert!(text.contains(path.to_str().unwrap()) && text.contains("MARK=a b"), "{text}");
    assert!(text.contains("/dev/"), "a terminal of its own: {text}");
    assert!(!text.contains("CARGO") && !text.contains("HOME="), "{text}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_foreground_program_and_its_folder_are_known() {
    let mut rig = Rig::new();
    let mut shell = start(&["/bin/sh", "-i"]);
    shell.shell = true;
    let handle = rig.start(shell);
    let program = |fact| if let Fact::Program { name, busy } = fact { Some((name, busy)) } else { None };
    assert_eq!(rig.fact(program).await, (Some("sh".into()), false));
    assert!(!handle.is_busy());
    // A look follows output: these say something once they run.
    handle.text("cd /tmp; cat /etc/hosts -\r").unwrap();
    assert_eq!(rig.fact(program).await, (Some("cat".into()), true));
    assert!(handle.is_busy());
    assert_eq!(handle.cwd(), PathBuf::from("/tmp"));
    handle.text("\x03").unwrap();
    assert_eq!(rig.fact(program).await, (Some("sh".into()), false));
    handle.text("exec cat /etc/hosts -\r").unwrap();
    assert_eq!(rig.fact(program).await, (Some("cat".into()), true), "under the shell's own process id");
}

#[tokio::test]
async fn a_program_that_is_no_shell_is_busy() {
    let mut rig = Rig::new();
    let handle = rig.start(start(&["sleep", "1000"]));
    let busy =
        rig.fact(|fact| if let Fact::Program { name, busy } = fact { Some((name, busy)) } else { None });
    assert_eq!(busy.await, (Some("sleep".into()), true));
    assert!(handle.is_busy());
}
