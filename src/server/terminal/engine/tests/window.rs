//! The window that a program believes to have.

use super::super::Engine;
use super::effects;
use crate::protocol::geometry::Size;
use std::time::Instant;

fn replies(bytes: &[u8]) -> String {
    String::from_utf8(effects(bytes).replies).expect("answers are ASCII")
}

#[test]
fn what_a_program_does_to_its_window_is_told_and_changes_nothing() {
    assert_eq!(replies(b"\x1b[11t\x1b[2t\x1b[11t\x1b[1t\x1b[11t"), "\x1b[1t\x1b[2t\x1b[1t");
    assert_eq!(
        replies(b"\x1b[13t\x1b[3;10;20t\x1b[13t\x1b[3;;7t\x1b[13t"),
        "\x1b[3;0;0t\x1b[3;10;20t\x1b[3;0;7t"
    );
    assert_eq!(effects(b"\x1b[3;10;20t\x1b[2t").size, None);
}

#[test]
fn the_size_changes_only_where_a_program_may_choose_it() {
    let wishes: [(&[u8], (u16, u16)); 9] = [
        (b"\x1b[8;30;100t", (30, 100)),
        (b"\x1b[8;30t", (30, 80)),
        (b"\x1b[8;;90t", (24, 90)),
        (b"\x1b[8;1;9999t", (2, 500)),
        (b"\x1b[4;480;800t", (30, 100)),
        (b"\x1b[36t", (36, 80)),
        (b"\x1b[20*|", (20, 80)),
        (b"\x1b[?40;3h", (24, 132)),
        (b"\x1b[?40;3h\x1bc", (24, 80)),
    ];
    for (bytes, (rows, cols)) in wishes {
        let told = format!("\x1b[8;{rows};{cols}t");
        let mut engine = Engine::new(Size::new(24, 80), 1_000);
        engine.allow_resizing(true);
        let mut seen = engine.feed(bytes, Instant::now());
        seen.replies = engine.feed(b"\x1b[18t", Instant::now()).replies;
        assert_eq!(String::from_utf8_lossy(&seen.replies), told, "{}", bytes.escape_ascii());
        assert_eq!(engine.size(), Size::new(rows, cols));
        assert_eq!(seen.size, Some(engine.size()), "{}", bytes.escape_ascii());
        let asked = [bytes, b"\x1b[18t"].concat();
        assert_eq!((replies(&asked), effects(bytes).size), ("\x1b[8;24;80t".to_owned(), None));
    }
    let mut engine = Engine::new(Size::new(24, 80), 1_000);
    engine.allow_resizing(true);
    assert_eq!(engine.feed(b"\x1b[8;24;80t", Instant::now()).size, None, "as it is");
    assert_eq!(engine.feed(b"a\x1b[8;5;3tbcde", Instant::now()).size, Some(Size::new(5, 3)));
    assert_eq!(super::rows(&mut engine, super::View::Live)[..2], ["abc", "de"]);
}
