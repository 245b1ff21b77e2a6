//! Hyperlinks: kept with their text, in the history and through reflow, and no part of captures.

use super::{fed, rows};
use crate::protocol::frame::Row;
use crate::protocol::geometry::Size;
use crate::server::terminal::engine::{CaptureMode, CaptureRequest, View};

fn links(row: &Row) -> Vec<(String, Option<String>)> {
    row.runs.iter().map(|run| (run.text.clone(), row.link(run).map(|link| link.uri.clone()))).collect()
}

fn text(text: &str, uri: Option<&str>) -> (String, Option<String>) {
    (text.to_owned(), uri.map(str::to_owned))
}

#[test]
fn a_link_is_kept_with_its_text_whatever_its_style() {
    let bytes = b"a\x1b]8;id=1;http://x/\x1b\\b\x1b[1mc\x1b[0md\x1b]8;;\x1b\\e";
    let row = fed(2, 20, bytes).frame(View::Live).rows[0].clone();
    let x = Some("http://x/");
    assert_eq!(links(&row), [text("a", None), text("b", x), text("c", x), text("d", x), text("e", None)]);
    assert_eq!(row.links.len(), 1);
    assert_eq!(row.links[0].1.id, "1");
}

#[test]
fn what_is_no_address_is_no_link() {
    let long = format!("\x1b]8;;http://{}\x07a", "x".repeat(3_000));
    for bytes in [long.as_str(), "\x1b]8;http://x/\x07a", "\x1b]8;;\x07a", "\x1b]8;;http://x/\x07\x1bca"] {
        assert!(fed(1, 10, bytes.as_bytes()).frame(View::Live).rows[0].links.is_empty(), "{bytes:.20}");
    }
    let row = fed(1, 10, "\x1b]8;;http://ü/ \x07a".as_bytes()).frame(View::Live).rows[0].clone();
    assert_eq!(row.links[0].1.uri, "http://%C3%BC/%20");
}

#[test]
fn links_move_into_the_history_and_through_reflow() {
    let mut engine = fed(2, 10, b"\x1b]8;;u:1\x07abcdefghij1234\x1b]8;;u:2\x07xy\x1b]8;;\x07\r\n\r\n\r\n");
    for cols in [10, 7, 30, 10] {
        engine.resize(Size::new(2, cols));
        let first = engine.history().start;
        let count = engine.history().end - first;
        let all: Vec<_> =
            (first..first + count).flat_map(|row| links(&engine.frame(View::From(row)).rows[0])).collect();
        let joined = |uri: &str| -> String {
            all.iter()
                .filter(|(_, link)| link.as_deref() == Some(uri))
                .map(|(text, _)| text.as_str())
                .collect()
        };
        assert_eq!((joined("u:1"), joined("u:2")), ("abcdefghij1234".to_owned(), "xy".to_owned()), "{cols}");
    }
    assert_eq!(rows(&mut engine, View::Live), ["", ""]);
}

#[test]
fn a_capture_knows_no_links() {
    let engine = fed(2, 20, b"\x1b[1ma\x1b]8;;http://x/\x07b\x1b]8;;\x07c");
    let request =
        CaptureRequest { mode: CaptureMode::Visible, lines: 10, ansi: true, max_bytes: 1_000, cursor: false };
    let once = engine.capture(request).text;
    assert!(!once.contains("]8") && !once.contains("http"), "{once:?}");
}
