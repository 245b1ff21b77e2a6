//! The families of sequences, each by what the screen shows after it.

use super::super::{Engine, View};
use super::{effects, fed, rows};
use crate::protocol::geometry::Size;
use crate::protocol::style::{Attrs, Color, Style};
use std::time::Instant;

/// The rows after `bytes` on a screen of 4 rows and 10 columns.
#[track_caller]
fn screen(bytes: &str) -> Vec<String> {
    rows(&mut fed(4, 10, bytes.as_bytes()), View::Live)
}

/// Row and column of the cursor, counted from one.
fn cursor(bytes: &str) -> (u16, u16) {
    let cursor = fed(4, 10, bytes.as_bytes()).frame(View::Live).cursor.expect("a visible cursor");
    (cursor.row + 1, cursor.col + 1)
}

/// The style of the first cell.
fn style(bytes: &str) -> Style {
    fed(1, 10, bytes.as_bytes()).frame(View::Live).rows[0].runs[0].style
}

fn replies(bytes: &str) -> String {
    String::from_utf8(effects(bytes.as_bytes()).replies).expect("answers are ASCII")
}

#[test]
fn the_cursor_moves() {
    let moves = [
        ("\x1b[3;4H", (3, 4)),
        ("\x1b[99;99f", (4, 10)),
        ("\x1b[3;4H\x1b[A\x1b[2C", (2, 6)),
        ("\x1b[3;4H\x1b[9A\x1b[9D", (1, 1)),
        ("\x1b[3;4H\x1b[E", (4, 1)),
        ("\x1b[3;4H\x1b[2F", (1, 1)),
        ("\x1b[3;4H\x1b[7G\x1b[2d", (2, 7)),
        ("\x1b[3;4H\x1b[2a\x1b[e", (4, 6)),
        ("\x1b[3;4H\x1b7\x1b[H\x1b8", (3, 4)),
        ("\x1b[3;4H\x1b[s\x1b[H\x1b[u", (3, 4)),
        ("\x1b[2;3r\x1b[?6h\x1b[9;3H", (3, 3)),
        ("\x1b[2;3r\x1b[2;1H\x1b[9A", (2, 1)),
        ("a\tb", (1, 10)),
        ("\x1b[5G\x1bH\r\t", (1, 5)),
        ("\x1b[3g\t", (1, 10)),
        ("\x1b[10G\x1b[Z", (1, 9)),
    ];
    for (bytes, place) in moves {
        assert_eq!(cursor(bytes), place, "{bytes:?}");
    }
}

#[test]
fn the_last_column_waits_before_it_wraps() {
    assert_eq!(screen("0123456789")[..2], ["0123456789", ""]);
    assert_eq!(screen("0123456789a")[..2], ["0123456789", "a"]);
    assert_eq!(screen("0123456789\rx")[..2], ["x123456789", ""]);
    assert_eq!(screen("0123456789\x08x")[..2], ["01234567x9", ""]);
    assert_eq!(screen("\x1b[?7l0123456789abc")[..2], ["012345678c", ""]);
    assert_eq!(screen("012345678漢")[..2], ["012345678", "漢"]);
    assert_eq!(screen("\x1b[?45h0123456789ab\x08\x08\x08x")[..2], ["012345678x", "ab"]);
}

#[test]
fn cells_are_erased_inserted_and_deleted() {
    assert_eq!(screen("abcdef\x1b[3G\x1b[K")[0], "ab");
    assert_eq!(screen("abcdef\x1b[3G\x1b[1K")[0], "   def");
    assert_eq!(screen("abcdef\x1b[2G\x1b[2X")[0], "a  def");
    assert_eq!(screen("abcdef\x1b[2G\x1b[2@")[0], "a  bcdef");
    assert_eq!(screen("abcdef\x1b[2G\x1b[2P")[0], "adef");
    assert_eq!(screen("abcdef\x1b[4h\x1b[2Gxy")[0], "axybcdef");
    assert_eq!(screen("a漢b\x1b[3GX")[0], "a Xb", "half of a wide character blanks the other");
    assert_eq!(screen("a漢b\x1b[2GX")[0], "aX b");
    assert_eq!(screen("ab\x1b[3b")[0], "abbbb");
    assert_eq!(screen("1\r\n2\r\n3\x1b[2;1H\x1b[J")[..3], ["1", "", ""]);
    assert_eq!(screen("1\r\n2\r\n3\x1b[2;1H\x1b[1J")[..3], ["", "", "3"]);
}

#[test]
fn rows_scroll_between_margins() {
    let four = "1\r\n2\r\n3\r\n4";
    assert_eq!(screen(&format!("{four}\x1b[2;3r\x1b[3;1H\n")), ["1", "3", "", "4"]);
    assert_eq!(screen(&format!("{four}\x1b[2;3r\x1b[2;1H\x1bM")), ["1", "", "2", "4"]);
    assert_eq!(screen(&format!("{four}\x1b[2;1H\x1b[L")), ["1", "", "2", "3"]);
    assert_eq!(screen(&format!("{four}\x1b[2;1H\x1b[M")), ["1", "3", "4", ""]);
    assert_eq!(screen(&format!("{four}\x1b[2S")), ["3", "4", "", ""]);
    assert_eq!(screen(&format!("{four}\x1b[T")), ["", "1", "2", "3"]);
    // Only what leaves the top of the screen is history.
    assert_eq!(fed(4, 10, format!("{four}\x1b[2;3r\x1b[3;1H\n\n").as_bytes()).history(), 0..0);
    assert_eq!(fed(4, 10, format!("{four}\x1b[1;3r\x1b[3;1H\n\n").as_bytes()).history(), 0..2);
}

#[test]
fn columns_have_margins_too() {
    let filled = "abcdefghij\x1b[2;1Habcdefghij\x1b[?69h\x1b[3;5s";
    assert_eq!(screen(&format!("{filled}\x1b[1;3H\x1b[M"))[..2], ["abcdefghij", "ab   fghij"]);
    assert_eq!(screen(&format!("{filled}\x1b[1;3H\x1b[2P"))[0], "abe  fghij");
    assert_eq!(screen(&format!("{filled}\x1b[1;3H\x1b[@"))[0], "ab cdfghij");
    assert_eq!(screen(&format!("{filled}\x1b[1;3HWXYZ"))[..2], ["abWXYfghij", "abZdefghij"]);
    assert_eq!(screen(&format!("{filled}\x1b[1;3H\x1b['}}"))[..2], ["ab cdfghij", "ab cdfghij"]);
    assert_eq!(screen(&format!("{filled}\x1b[?69l\x1b[1;3H\x1b[2P"))[0], "abefghij");
}

#[test]
fn rectangles_are_copied_filled_erased_and_restyled() {
    let filled = "abcd\r\nefgh";
    assert_eq!(screen(&format!("{filled}\x1b[1;2;2;3;1;3;5$v")), ["abcd", "efgh", "    bc", "    fg"]);
    assert_eq!(screen(&format!("{filled}\x1b[42;1;2;2;3$x"))[..2], ["a**d", "e**h"]);
    assert_eq!(screen(&format!("{filled}\x1b[1;2;2;3$z"))[..2], ["a  d", "e  h"]);
    assert_eq!(screen("a\x1b[1\"qb\x1b[0\"qc\x1b[1;1;1;3${")[0], " b", "what is protected stays");
    assert_eq!(screen("a\x1b[1\"qb\x1b[0\"qc\x1b[?2K")[0], " b");
    assert_eq!(style("a\x1b[1;1;1;1;1;4$r").attrs, Attrs::BOLD.with(Attrs::UNDERLINE));
    assert_eq!(style("\x1b[1ma\x1b[1;1;1;1;1;7$t").attrs, Attrs::REVERSE);
}

#[test]
fn line_drawing_is_drawn() {
    assert_eq!(screen("\x1b(0lqk\x1b(Bl")[0], "┌─┐l");
    assert_eq!(screen("\x1b)0a\x0eq\x0fq")[0], "a─q");
    assert_eq!(screen("\x1b*0a\x1bNqq")[0], "a─q");
    assert_eq!(screen("\x1b#8")[3], "EEEEEEEEEE");
}

#[test]
fn every_attribute_is_kept() {
    let attrs = [
        ("1", Attrs::BOLD),
        ("2", Attrs::DIM),
        ("3", Attrs::ITALIC),
        ("4", Attrs::UNDERLINE),
        ("21", Attrs::UNDERLINE.with(Attrs::DOUBLE)),
        ("4:3", Attrs::UNDERLINE.with(Attrs::CURLY)),
        ("4:4", Attrs::UNDERLINE.with(Attrs::DOTTED)),
        ("4:5", Attrs::UNDERLINE.with(Attrs::DASHED)),
        ("4:3;4:0;1", Attrs::BOLD),
        ("5", Attrs::BLINK),
        ("7", Attrs::REVERSE),
        ("8", Attrs::HIDDEN),
        ("9", Attrs::STRIKE),
        ("53", Attrs::OVERLINE),
        ("1;2;22;9;29;53;55;3", Attrs::ITALIC),
    ];
    for (parameters, attrs) in attrs {
        assert_eq!(style(&format!("\x1b[{parameters}mx")).attrs, attrs, "{parameters}");
    }
    for parameters in ["38;2;1;2;3", "38:2:1:2:3", "38:2::1:2:3"] {
        assert_eq!(style(&format!("\x1b[{parameters}mx")).fg, Color::Rgb(1, 2, 3), "{parameters}");
    }
    assert_eq!(style("\x1b[48:5:200;1mx").bg, Color::Indexed(200));
    assert_eq!(style("\x1b[58:2::1:2:3mx").underline, Color::Rgb(1, 2, 3));
    assert_eq!(style("\x1b[58;5;9;59mx").underline, Color::Default);
}

#[test]
fn graphemes_are_one_cell() {
    let first = |bytes: &str| {
        let mut engine = fed(1, 10, bytes.as_bytes());
        let (runs, col) = (engine.frame(View::Live).rows[0].runs.clone(), engine.frame(View::Live).cursor);
        (runs[0].text.clone(), col.map(|cursor| cursor.col))
    };
    for cluster in ["👩‍💻", "🇨🇭", "👍🏽", "☺\u{fe0f}", "👨‍👩‍👧"] {
        assert_eq!(first(cluster), (cluster.to_owned(), Some(2)), "{cluster:?}");
    }
    assert_eq!(first("e\u{301}\u{302}"), ("e\u{301}\u{302}".to_owned(), Some(1)));
    // A cell takes no more than it may.
    let many = format!("e{}", "\u{301}".repeat(100));
    assert!(first(&many).0.len() <= 36);
    // Two flags are two.
    assert_eq!(cursor("🇨🇭🇩🇪"), (1, 5));
    // Without mode 2027 the parts stand alone.
    assert_eq!(cursor("\x1b[?2027l🇨🇭👍🏽"), (1, 7));
}

#[test]
fn settings_are_told() {
    assert_eq!(replies("\x1b[1;4:3;31m\x1bP$qm\x1b\\"), "\x1bP1$r0;1;4:3;31m\x1b\\");
    assert_eq!(replies("\x1b[2;5r\x1bP$qr\x1b\\"), "\x1bP1$r2;5r\x1b\\");
    assert_eq!(replies("\x1b[4 q\x1bP$q q\x1b\\"), "\x1bP1$r4 q\x1b\\");
    assert_eq!(replies("\x1bP$qx\x1b\\"), "\x1bP0$r\x1b\\");
    assert_eq!(
        replies("\x1bP+q436f;544E;00\x1b\\"),
        "\x1bP1+r436f=323536\x1b\\\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\\x1bP0+r00\x1b\\"
    );
    assert_eq!(replies("\x1b[?2048h"), "\x1b[48;24;80;384;640t");
    assert_eq!(replies("\x1b[?2027$p\x1b[?69h\x1b[?69$p"), "\x1b[?2027;1$y\x1b[?69;1$y");
}

#[test]
fn titles_are_kept_on_a_stack() {
    let title = effects(b"\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07\x1b[23;2t").title;
    assert_eq!(title.as_deref(), Some("one"));
}

#[test]
fn checksums_are_told_only_where_it_is_allowed() {
    let ask = b"ab\x1b[7;1;1;1;1;2*y";
    let mut engine = Engine::new(Size::new(2, 10), 0);
    assert_eq!(engine.feed(ask, Instant::now()).replies, b"");
    engine.allow_checksums(true);
    engine.feed(b"\x1bc", Instant::now());
    // Minus (0x61 + 0x62).
    assert_eq!(engine.feed(ask, Instant::now()).replies, b"\x1bP7!~FF3D\x1b\\");
}

#[test]
fn clearing_the_screen_keeps_what_was_seen() {
    let mut engine = fed(4, 10, b"1\r\n2\x1b[H\x1b[2J");
    assert_eq!(engine.history(), 0..2);
    assert_eq!(rows(&mut engine, View::From(0))[..2], ["1", "2"]);
    // The alternate screen is the program's own matter.
    assert_eq!(fed(4, 10, b"\x1b[?1049h1\r\n2\x1b[2J").history(), 0..0);
}
