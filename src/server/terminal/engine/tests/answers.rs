//! Queries, titles, bell, directory, clipboard.

use super::super::parser::STRING_BYTES;
use super::super::{Effects, Engine};
use super::{effects, fed};
use crate::protocol::geometry::Size;
use std::time::Instant;

#[track_caller]
fn replies(bytes: &[u8]) -> String {
    String::from_utf8(effects(bytes).replies).expect("answers are ASCII")
}

#[test]
fn the_terminal_says_what_it_is() {
    assert_eq!(replies(b"\x1b[c"), "\x1b[?64;6;15;21;22;28c");
    assert_eq!(replies(b"\x1b[0c"), "\x1b[?64;6;15;21;22;28c");
    assert_eq!(replies(b"\x1b[1c"), "");
    assert_eq!(replies(b"\x1b[>c"), "\x1b[>41;400;0c");
    assert_eq!(replies(b"\x1b[=c"), "\x1bP!|00000000\x1b\\");
    assert_eq!(replies(b"\x1b[>q"), concat!("\x1bP>|luvus ", env!("CARGO_PKG_VERSION"), "\x1b\\"));
}

#[test]
fn answers_keep_the_order_of_their_queries_and_the_cursor_of_that_moment() {
    assert_eq!(
        replies(b"ab\x1b[6n\r\ncde\x1b[5n\x1b[?6n\x1b[c"),
        "\x1b[1;3R\x1b[0n\x1b[?2;4;1R\x1b[?64;6;15;21;22;28c"
    );
    // A cursor that waits beyond the last column is on it.
    assert_eq!(replies(&[&[b'x'; 80], b"\x1b[6n".as_slice()].concat()), "\x1b[1;80R");
}

#[test]
fn sizes_are_told_in_cells_and_in_the_pixels_that_are_assumed() {
    assert_eq!(replies(b"\x1b[18t\x1b[19t"), "\x1b[8;24;80t\x1b[9;24;80t");
    assert_eq!(replies(b"\x1b[14t\x1b[16t"), "\x1b[4;384;640t\x1b[6;16;8t");
    assert_eq!(replies(b"\x1b[21t\x1b[8;9;9t"), "\x1b]l\x1b\\");
}

#[test]
fn colours_are_told_but_not_those_that_nobody_asked_for() {
    assert_eq!(replies(b"\x1b]10;?\x07"), "\x1b]10;rgb:cccc/cccc/cccc\x07");
    assert_eq!(replies(b"\x1b]11;?\x1b\\"), "\x1b]11;rgb:0000/0000/0000\x1b\\");
    assert_eq!(replies(b"\x1b]10;?;?\x07"), "\x1b]10;rgb:cccc/cccc/cccc\x07\x1b]11;rgb:0000/0000/0000\x07");
    assert_eq!(replies(b"\x1b]10;#ffffff\x07\x1b]11;?x\x07"), "");
}

#[test]
fn modes_are_reported() {
    let report = |bytes: &[u8]| replies(&[bytes, b"\x1b[?2004$p"].concat());
    assert_eq!(report(b""), "\x1b[?2004;2$y");
    assert_eq!(report(b"\x1b[?2004h"), "\x1b[?2004;1$y");
    assert_eq!(replies(b"\x1b[?7$p\x1b[?31$p"), "\x1b[?7;1$y\x1b[?31;0$y");
    assert_eq!(replies(b"\x1b[20h\x1b[20$p\x1b[4$p"), "\x1b[20;1$y\x1b[4;2$y");
    assert_eq!(replies(b"\x1b[?1049h\x1b[?1049$p\x1b[?2026h\x1b[?2026$p"), "\x1b[?1049;1$y\x1b[?2026;1$y");
    assert_eq!(
        replies(b"\x1b[?1002;1006h\x1b[?1000$p\x1b[?1002$p\x1b[?1006$p"),
        "\x1b[?1000;2$y\x1b[?1002;1$y\x1b[?1006;1$y"
    );
}

#[test]
fn keyboard_protocols_are_reported() {
    assert_eq!(replies(b"\x1b[?u\x1b[>5u\x1b[?u"), "\x1b[?0u\x1b[?5u");
    assert_eq!(replies(b"\x1b[?4m\x1b[>4;2m\x1b[?4m"), "\x1b[>4;0m\x1b[>4;2m");
}

#[test]
fn titles_are_clean_and_bounded() {
    let title = |bytes: &[u8]| effects(bytes).title;
    assert_eq!(title(b"\x1b]0;both\x07").as_deref(), Some("both"));
    assert_eq!(title(b"\x1b]2;one\x1b\\\x1b]2;a;b;c\x1b\\").as_deref(), Some("a;b;c"));
    assert_eq!(title(b"\x1b]2;\x07").as_deref(), Some(""));
    assert_eq!(title(b"\x1b]1;icon\x07"), None);
    assert_eq!(title("\x1b]2;a\u{202e}b\u{200b}c\u{9b}d\u{7f}e\x07".as_bytes()).as_deref(), Some("abcde"));
    let long = title(format!("\x1b]2;{}\x07", "ä".repeat(1_000)).as_bytes()).expect("a title");
    assert_eq!(long.len(), 256);
}

#[test]
fn a_string_that_is_too_long_has_no_effect_and_ends_where_it_ends() {
    let mut engine = fed(24, 80, b"");
    let mut title = None;
    let mut feed = |engine: &mut Engine, bytes: &[u8]| {
        title = engine.feed(bytes, Instant::now()).title.or(title.take());
    };
    feed(&mut engine, b"\x1b]2;");
    for _ in 0..3 {
        feed(&mut engine, &vec![b'x'; STRING_BYTES / 2 + 1]);
    }
    feed(&mut engine, b"\x07after");
    assert_eq!(title, None);
    assert_eq!(super::rows(&mut engine, super::View::Live)[0], "after");
    assert_eq!(engine.feed(b"\x1b]2;next\x07", Instant::now()).title.as_deref(), Some("next"));
}

#[test]
fn the_bell_is_heard_but_not_that_which_ends_a_string() {
    assert!(effects(b"a\x07").bell);
    assert!(!effects(b"\x1b]2;t\x07").bell);
}

#[test]
fn directories_are_absolute_paths_of_file_urls() {
    let cwd = |bytes: &[u8]| effects(bytes).cwd;
    assert_eq!(cwd(b"\x1b]7;file://host/home/a%20b%C3%A4\x07").as_deref(), Some("/home/a bä"));
    assert_eq!(cwd(b"\x1b]7;file:///tmp/a;b%\x1b\\").as_deref(), Some("/tmp/a;b%"));
    for refused in ["http://host/tmp", "/tmp", "file://host", "file:///a%00b", "file:///a%0ab", "file:///%ff"]
    {
        assert_eq!(cwd(format!("\x1b]7;{refused}\x07").as_bytes()), None, "{refused}");
    }
    assert_eq!(cwd(b"\x1b]7;file:///a\x07\x1b]7;nonsense\x07").as_deref(), Some("/a"));
}

#[test]
fn the_clipboard_is_written_and_never_read() {
    let clipboard = |bytes: &[u8]| effects(bytes).clipboard;
    assert_eq!(clipboard(b"\x1b]52;c;aGVsbG8=\x07").as_deref(), Some("hello"));
    assert_eq!(clipboard(b"\x1b]52;;aGVsbG8h\x1b\\").as_deref(), Some("hello!"));
    assert_eq!(clipboard(b"\x1b]52;s;aGVsbA==\x07").as_deref(), Some("hell"));
    assert_eq!(clipboard(b"\x1b]52;c;aGVsbA\x07").as_deref(), Some("hell"));
    for refused in ["p;aGk=", "c;a", "c;a=b=", "c;/////w==", "c;", "c;!"] {
        assert_eq!(clipboard(format!("\x1b]52;{refused}\x07").as_bytes()), None, "{refused}");
    }
    assert_eq!(effects(b"\x1b]52;c;?\x07"), Effects::default());
}

#[test]
fn other_strings_leave_no_trace() {
    let mut engine = fed(
        3,
        20,
        b"a\x1bP1$rq\nm\x1b\\b\x1b_Gi=1;AAAA\x1b\\c\x1b^pm\x1b\\d\x1b]8;;http://x\x07e\x1b]8;;\x07",
    );
    assert_eq!(super::rows(&mut engine, super::View::Live), ["abcde", "", ""]);
}

#[test]
fn a_character_cut_in_two_is_put_together_again() {
    let mut engine = Engine::new(Size::new(1, 10), 0);
    // Without the carry `vte` 0.15 loses the letter after the cut.
    for chunk in ["é".as_bytes()[..1].to_vec(), "é".as_bytes()[1..].to_vec(), "aéb".as_bytes().to_vec()] {
        engine.feed(&chunk, Instant::now());
    }
    for byte in "漢😀".bytes() {
        engine.feed(&[byte], Instant::now());
    }
    assert_eq!(super::rows(&mut engine, super::View::Live), ["éaéb漢😀"]);
}
