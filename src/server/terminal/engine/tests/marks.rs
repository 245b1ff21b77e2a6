//! What a program marks and tells in passing.

use super::effects;
use crate::server::terminal::engine::{Mark, Progress};

fn marks(bytes: &[u8]) -> Vec<Mark> {
    effects(bytes).marks
}

fn notification(title: Option<&str>, body: &str) -> Mark {
    Mark::Notification { title: title.map(str::to_owned), body: body.to_owned() }
}

#[test]
fn shell_marks_come_in_order_and_their_parameters_are_tolerated() {
    let seen = marks(
        b"\x1b]133;A;aid=7;cl=m\x07$ \x1b]133;B\x1b\\ls\r\n\x1b]133;C;cmdline=ls\x07a\r\n\x1b]133;D;2;aid=7\x07\
          \x1b]133;D\x07\x1b]133;D;x\x07\x1b]133;A;k=s\x07\x1b]133;Z\x07\x1b]133\x07\x1bc",
    );
    let wanted = [
        Mark::PromptStart,
        Mark::PromptEnd,
        Mark::CommandStart,
        Mark::CommandEnd { exit: Some(2) },
        Mark::CommandEnd { exit: None },
        Mark::CommandEnd { exit: None },
        Mark::Reset,
    ];
    assert_eq!(seen, wanted);
}

#[test]
fn a_status_report_is_handed_on_as_it_came_and_its_query_is_answered() {
    let told = effects(b"\x1b]7501;state=working:id=a/b\x1b\\\x1b]7501;?\x07");
    assert_eq!(told.marks, [Mark::Status(b"state=working:id=a/b".to_vec())]);
    assert_eq!(told.replies, b"\x1b]7501;?\x1b\\");
    for end in [b"\x1b\\".as_slice(), b"\x07"] {
        for (whole, fits) in [(4_096, true), (4_097, false)] {
            let body = vec![b'x'; whole - 7 - end.len()];
            let report = [b"\x1b]7501;".as_slice(), &body, end].concat();
            assert_eq!(marks(&report).len(), usize::from(fits), "{whole} {end:?}");
        }
    }
}

#[test]
fn notifications_of_all_three_kinds_are_clean_and_have_a_text() {
    assert_eq!(marks(b"\x1b]9;done\xe2\x80\xae!\x07"), [notification(None, "done!")]);
    assert_eq!(marks(b"\x1b]777;notify;make;all; done\x07"), [notification(Some("make"), "all; done")]);
    assert_eq!(marks(b"\x1b]777;notify;make\x07"), [notification(None, "make")]);
    assert_eq!(marks(b"\x1b]99;;hello\x07"), [notification(None, "hello")]);
    let parts = b"\x1b]99;i=1:d=0;ti\x07\x1b]99;i=1:d=0;tle\x07\x1b]99;i=1:e=1:p=body;dGV4dA==\x07";
    assert_eq!(marks(parts), [notification(Some("title"), "text")]);
    for nothing in [&b"\x1b]9;\x07"[..], b"\x1b]777;precmd\x07", b"\x1b]99;p=?;\x07", b"\x1b]99;e=1;*\x07"] {
        assert_eq!(marks(nothing), [], "{nothing:?}");
    }
}

#[test]
fn long_notifications_are_cut() {
    let long = [b"\x1b]9;".as_slice(), &vec![b'x'; 10_000], b"\x07"].concat();
    assert_eq!(marks(&long), [notification(None, &"x".repeat(8_192))]);
}

#[test]
fn progress_is_told_apart_from_notifications() {
    let seen = marks(
        b"\x1b]9;4;1;40\x07\x1b]9;4;2\x07\x1b]9;4;3\x07\x1b]9;4;4;900\x07\x1b]9;4;0\x07\x1b]9;4;7\x07\x1b]9;42\x07",
    );
    let progress = [
        Progress::Normal(40),
        Progress::Error(0),
        Progress::Indeterminate,
        Progress::Paused(100),
        Progress::None,
    ];
    assert_eq!(seen[..5], progress.map(Mark::Progress));
    assert_eq!(seen[5..], [notification(None, "42")]);
}
