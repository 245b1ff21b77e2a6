//! On the way to the child.

use super::*;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use crate::protocol::limits::QUEUED_INPUT_BYTES;
use crate::server::terminal::handle::InputError;

#[tokio::test]
async fn keys_reach_the_child_and_come_back() {
    let mut rig = Rig::new();
    let handle = rig.start(start(&["cat"]));
    for key in ['h', 'e', 'y'] {
        handle.key(KeyEvent::press(KeyCode::Char(key), Modifiers::NONE)).unwrap();
    }
    shows(&handle, "hey").await;
    handle.text("\r\x04").unwrap();
    assert_eq!(rig.exited().await, code(0));
    assert_eq!(handle.text("x"), Err(InputError::Closed));
}

#[tokio::test]
async fn what_is_typed_before_the_start_is_not_lost() {
    let mut rig = Rig::new();
    let handle = rig.start(start(&["cat"]));
    handle.text("early\r").unwrap();
    shows(&handle, "early\nearly").await;
}

#[tokio::test]
async fn a_submit_is_one_action_with_enter_last() {
    let mut rig = Rig::new();
    let handle =
        rig.script("printf '\\033[?2004h'; stty raw -echo; echo up; dd bs=1 count=15 2>/dev/null | od -c");
    shows(&handle, "up").await;
    handle.submit("ab").unwrap();
    assert_eq!(rig.exited().await, code(0));
    let (found, _) =
        handle.contains("033   [   2   0   0   ~   a   b 033   [   2   0   1   ~  \\r").await.unwrap();
    assert!(found);
}

#[tokio::test]
async fn a_child_that_does_not_read_delays_nobody_and_can_be_ended() {
    let mut rig = Rig::new();
    let handle = rig.script("stty raw -echo; echo up; sleep 1000");
    let other = rig.start(start(&["cat"]));
    shows(&handle, "up").await;
    let action = "x".repeat(65_536);
    let mut taken = 0;
    while handle.text(&action).is_ok() {
        taken += action.len();
        assert!(taken < 2 * QUEUED_INPUT_BYTES);
    }
    assert!(taken >= QUEUED_INPUT_BYTES - action.len());
    assert_eq!(handle.text(&action), Err(InputError::QueueFull));
    rig.fact(|fact| (fact == Fact::InputRejected).then_some(())).await;
    other.text("prompt\r").unwrap();
    shows(&other, "prompt\nprompt").await;
    handle.end();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
    assert_eq!(handle.text("x"), Err(InputError::Closed));
}

#[tokio::test]
async fn refused_input_leaves_no_byte() {
    let mut rig = Rig::new();
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    make_fifo(&gate);
    // The child reads only after the gate has told it how much.
    let handle = rig.script(&format!(
        "stty raw -echo; echo up; read count < '{}'; head -c $count | tr -d a; echo done",
        gate.display()
    ));
    shows(&handle, "up").await;
    let mut taken = 0;
    while handle.text(&"a".repeat(100_000)).is_ok() {
        taken += 100_000;
    }
    assert_eq!(handle.text(&"b".repeat(100_000)), Err(InputError::QueueFull));
    std::fs::write(&gate, format!("{}\n", taken + 3)).unwrap();
    within(async {
        while handle.text("zzz").is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    shows(&handle, "zzzdone").await;
}

#[tokio::test]
async fn writers_keep_their_order_and_actions_stay_whole() {
    let mut rig = Rig::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("received");
    let (writers, actions) = (4_u8, 200_usize);
    let action_bytes = 1_500;
    let total = usize::from(writers) * actions * action_bytes;
    let handle =
        rig.script(&format!("stty raw -echo; echo up; head -c {total} > '{}'; echo done", file.display()));
    shows(&handle, "up").await;
    let threads: Vec<_> = (0..writers)
        .map(|writer| {
            let handle = handle.clone();
            std::thread::spawn(move || {
                for number in 0..actions {
                    let head = format!("{}{number:04}", char::from(b'A' + writer));
                    let action = format!("{head:.<action_bytes$}");
                    while handle.text(&action) == Err(InputError::QueueFull) {
                        std::thread::yield_now();
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    shows(&handle, "done").await;
    let received = std::fs::read(file).unwrap();
    assert_eq!(received.len(), total);
    let mut next = [0; 4];
    for action in received.chunks(action_bytes) {
        let writer = usize::from(action[0] - b'A');
        let number: usize = std::str::from_utf8(&action[1..5]).unwrap().parse().unwrap();
        assert_eq!(number, next[writer]);
        next[writer] += 1;
        assert!(action[5..].iter().all(|&byte| byte == b'.'));
    }
}

#[tokio::test]
async fn a_child_that_prints_without_reading_is_drained_and_the_other_way_round() {
    let mut rig = Rig::new();
    // It prints far more than a PTY holds before it reads a byte of the paste that waits for it.
    let handle = rig.script(
        "stty raw -echo; echo up; head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 > /dev/null; echo; echo both",
    );
    shows(&handle, "up").await;
    handle.text(&"y".repeat(300_000)).unwrap();
    shows(&handle, "both").await;
}

#[tokio::test]
async fn answers_to_queries_use_the_queue() {
    let mut rig = Rig::new();
    let handle = rig.script("stty raw -echo min 1; printf '\\033[c'; head -c 3 | od -c; echo done");
    shows(&handle, "done").await;
    assert!(handle.contains("033   [   ?").await.unwrap().0);
}

fn make_fifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
