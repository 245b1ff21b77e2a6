//! Links on a pane's picture: where they are and what they lead to.
//!
//! An address with a scheme, a local port and a program's own link (OSC 8) are links as they stand; a path is
//! one if the server finds it. Text is looked at as lines: soft-wrapped rows are joined.
//!
//! Invariant: pure; what is under the pointer is found in the picture that is shown, live or scrolled back.

use crate::protocol::frame::{Frame, Row};
use crate::protocol::text::without_ending;

/// The longest text that is taken for a path.
pub const PATH_BYTES: usize = 4_096;
/// Schemes that are opened; a program's link could name any other.
const SCHEMES: [&str; 4] = ["https://", "http://", "ftp://", "mailto:"];

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Opened where the person sits.
    Url(String),
    /// Opened in an editor, if it is there.
    Path {
        /// As it was written, without a line.
        text: String,
        /// One-based.
        line: Option<u32>,
    },
}

/// A link and its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads.
    pub target: Target,
    /// Rows of the picture with the first column and the one after the last.
    pub cells: Vec<(u16, u16, u16)>,
}

/// One character of a line and the cells it is on.
struct Glyph {
    char: char,
    row: u16,
    col: u16,
    cols: u16,
}

/// The link at a cell.
#[must_use]
pub fn at(frame: &Frame, row: u16, col: u16) -> Option<Link> {
    own_link(frame, row, col).or_else(|| {
        let line = line(frame, row);
        let pointed = line.iter().position(|glyph| {
            glyph.row == row && (glyph.col..glyph.col.saturating_add(glyph.cols)).contains(&col)
        })?;
        let (start, end, target) = url(&line, pointed).or_else(|| path(&line, pointed))?;
        Some(Link { target, cells: cells(&line[start..end]) })
    })
}

/// A program's own link: all cells of it that touch, over rows that go on.
fn own_link(frame: &Frame, row: u16, col: u16) -> Option<Link> {
    let spans = |row: &Row| -> Vec<(u32, u16, u16)> {
        let mut col = 0_u16;
        let span = |run: &crate::protocol::frame::Run| {
            let start = col;
            col = col.saturating_add(u16::try_from(run.unit.columns(&run.text)).unwrap_or(u16::MAX));
            (if row.link(run).is_some() { run.style.link } else { 0 }, start, col)
        };
        let mut spans: Vec<(u32, u16, u16)> = Vec::new();
        for (link, start, end) in row.runs.iter().map(span).collect::<Vec<_>>() {
            match spans.last_mut() {
                Some(last) if last.0 == link => last.2 = end,
                _ => spans.push((link, start, end)),
            }
        }
        spans
    };
    let own = frame.rows.get(usize::from(row))?;
    let (number, ..) = spans(own).into_iter().find(|(_, start, end)| (*start..*end).contains(&col))?;
    let (_, link) = own.links.iter().find(|(own, _)| *own == number && number != 0)?;
    let target = target_of(&link.uri)?;
    let mut found = Vec::new();
    for (index, row) in (0_u16..).zip(&frame.rows) {
        let same = spans(row).into_iter().filter(|(link, ..)| *link == number);
        found.extend(same.map(|(_, start, end)| (index, start, end)));
    }
    Some(Link { target, cells: found })
}

/// What a program's own link leads to; nothing for schemes that are not opened.
fn target_of(uri: &str) -> Option<Target> {
    if let Some(rest) = uri.strip_prefix("file://") {
        let path = &rest[rest.find('/')?..];
        return Some(Target::Path { text: unescaped(path), line: None });
    }
    let known = SCHEMES
        .iter()
        .any(|scheme| uri.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme)));
    known.then(|| Target::Url(uri.to_owned()))
}

/// With `%20` and the like as what they stand for.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The line that a row belongs to, as far as the picture shows it.
fn line(frame: &Frame, row: u16) -> Vec<Glyph> {
    let wraps = |index: usize| frame.rows.get(index).is_some_and(|row| row.wrapped);
    let mut first = usize::from(row);
    while first > 0 && wraps(first - 1) {
        first -= 1;
    }
    let mut last = usize::from(row);
    while wraps(last) && last + 1 < frame.rows.len() {
        last += 1;
    }
    let mut glyphs = Vec::new();
    for (index, row) in frame.rows.iter().enumerate().take(last + 1).skip(first) {
        let mut col = 0_u16;
        for (text, cols) in row.runs.iter().flat_map(|run| run.cells()) {
            let row = u16::try_from(index).unwrap_or(u16::MAX);
            glyphs.extend(text.chars().next().map(|char| Glyph { char, row, col, cols }));
            col = col.saturating_add(cols);
        }
    }
    glyphs
}

fn cells(glyphs: &[Glyph]) -> Vec<(u16, u16, u16)> {
    let mut cells: Vec<(u16, u16, u16)> = Vec::new();
    for glyph in glyphs {
        let end = glyph.col.saturating_add(glyph.cols);
        match cells.last_mut() {
            Some(last) if last.0 == glyph.row => last.2 = end,
            _ => cells.push((glyph.row, glyph.col, end)),
        }
    }
    cells
}

fn text(glyphs: &[Glyph]) -> String {
    glyphs.iter().map(|glyph| glyph.char).collect()
}

/// The run of characters around a place that `part` holds for.
fn around(line: &[Glyph], at: usize, part: impl Fn(char) -> bool) -> Option<(usize, usize)> {
    if !part(line.get(at)?.char) {
        return None;
    }
    let start = line[..at].iter().rposition(|glyph| !part(glyph.char)).map_or(0, |before| before + 1);
    let end = line[at..].iter().position(|glyph| !part(glyph.char)).map_or(line.len(), |after| at + after);
    Some((start, end))
}

/// An address with a scheme, or a port of this machine.
fn url(line: &[Glyph], at: usize) -> Option<(usize, usize, Target)> {
    const LOCAL: [&str; 3] = ["localhost:", "127.0.0.1:", "0.0.0.0:"];
    let part = |char: char| {
        !char.is_whitespace() && !char.is_control() && !matches!(char, '<' | '>' | '"' | '`' | '\'' | '│')
    };
    let (first, end) = around(line, at, part)?;
    // An address may stand in brackets or behind an equals sign: it begins where its scheme does.
    let begins = |start: &usize| {
        let rest = text(&line[*start..end.min(start + 12)]);
        let fresh = *start == first || !line[start - 1].char.is_alphanumeric();
        fresh
            && (SCHEMES[..3].iter().any(|scheme| rest.starts_with(scheme))
                || LOCAL.iter().any(|own| rest.starts_with(own)))
    };
    let start = (first..=at).rev().find(begins)?;
    let whole = text(&line[start..end]);
    let kept = without_ending(&whole).chars().count();
    if start + kept <= at {
        return None;
    }
    let mut url = without_ending(&whole).to_owned();
    if let Some(own) = LOCAL.iter().find(|own| url.starts_with(**own)) {
        if !url[own.len()..].starts_with(|char: char| char.is_ascii_digit()) {
            return None;
        }
        url = format!("http://{url}");
    } else if url.split_once("://").is_none_or(|(_, rest)| rest.is_empty()) {
        return None;
    }
    Some((start, start + kept, Target::Url(url)))
}

/// What may be a path: `src/main.rs`, `main.rs:12`, `main.rs:12:5`, `main.rs(12)` is left to its name.
fn path(line: &[Glyph], at: usize) -> Option<(usize, usize, Target)> {
    let part = |char: char| {
        char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | '~' | '+' | '@' | '%' | '#' | ':')
    };
    let (start, end) = around(line, at, part)?;
    let whole = text(&line[start..end]);
    let kept = whole.trim_end_matches(['.', ':', ',']);
    let end = start + kept.chars().count();
    if end <= at || kept.len() > PATH_BYTES {
        return None;
    }
    let (name, number) = split_line(kept);
    // A word of letters alone could be a file too, but hardly ever is meant as one.
    let likely = name.contains(['/', '.']) && name.contains(char::is_alphanumeric);
    likely.then(|| (start, end, Target::Path { text: name.to_owned(), line: number }))
}

/// A path and the line behind it.
fn split_line(text: &str) -> (&str, Option<u32>) {
    let mut parts = text.splitn(3, ':');
    let name = parts.next().unwrap_or(text);
    match parts.next().map(str::parse) {
        Some(Ok(line)) => (name, Some(line)),
        Some(Err(_)) => (text, None),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::frame::{Link as Named, Run, Unit};
    use crate::protocol::geometry::Size;
    use crate::protocol::style::Style;
    use std::sync::Arc;

    fn shown(rows: &[(&str, bool)]) -> Frame {
        let mut frame = Frame::blank(Size::new(4, 20));
        for (row, (text, wrapped)) in frame.rows.iter_mut().zip(rows) {
            let run = Run { style: Style::default(), unit: Unit::Narrow, text: (*text).to_owned() };
            *row = Arc::new(Row { runs: vec![run], wrapped: *wrapped, ..Row::default() });
        }
        frame
    }

    fn url_at(text: &str, col: u16) -> Option<String> {
        match at(&shown(&[(text, false)]), 0, col)?.target {
            Target::Url(url) => Some(url),
            Target::Path { .. } => None,
        }
    }

    #[test]
    fn addresses_end_where_a_sentence_does() {
        for (text, col, url) in [
            ("see https://a.b/c?d=e.", 9, "https://a.b/c?d=e"),
            ("(http://a.b/c(d))", 5, "http://a.b/c(d)"),
            ("url=http://a.b,", 6, "http://a.b"),
            ("on localhost:3000/x", 6, "http://localhost:3000/x"),
            ("127.0.0.1:80", 0, "http://127.0.0.1:80"),
        ] {
            assert_eq!(url_at(text, col).as_deref(), Some(url), "{text}");
        }
        for (text, col) in
            [("see https://a.b", 1), ("https://", 2), ("localhost:port", 3), ("javascript:x", 3)]
        {
            assert_eq!(url_at(text, col), None, "{text}");
        }
    }

    #[test]
    fn an_address_goes_on_over_soft_wrapped_rows() {
        let frame = shown(&[("ab https://host/aaaa", true), ("bbbb end", false)]);
        let link = at(&frame, 1, 2).expect("a link");
        assert_eq!(link.target, Target::Url("https://host/aaaabbbb".into()));
        assert_eq!(link.cells, [(0, 3, 20), (1, 0, 4)]);
        assert_eq!(at(&shown(&[("ab https://host/aaaa", false), ("bbbb", false)]), 1, 2), None);
    }

    #[test]
    fn paths_may_name_a_line() {
        let path = |text: &str, line| Some(Target::Path { text: text.into(), line });
        for (text, wanted) in [
            ("src/main.rs:12:5: bad", path("src/main.rs", Some(12))),
            ("main.rs:7", path("main.rs", Some(7))),
            ("~/a.txt.", path("~/a.txt", None)),
            ("/etc/hosts", path("/etc/hosts", None)),
            ("word", None),
        ] {
            assert_eq!(at(&shown(&[(text, false)]), 0, 1).map(|link| link.target), wanted, "{text}");
        }
    }

    #[test]
    fn a_programs_own_link_leads_where_it_says_if_that_is_opened() {
        let linked = |uri: &str| {
            let mut frame = shown(&[("x", false)]);
            let run = |text: &str, link| Run {
                style: Style { link, ..Style::default() },
                unit: Unit::Narrow,
                text: text.into(),
            };
            let links = vec![(3, Arc::new(Named { id: String::new(), uri: uri.into() }))];
            frame.rows[0] =
                Arc::new(Row { runs: vec![run("ab ", 0), run("here", 3)], wrapped: false, links });
            at(&frame, 0, 4)
        };
        let link = linked("https://a.b/").expect("a link");
        assert_eq!((link.target, link.cells), (Target::Url("https://a.b/".into()), vec![(0, 3, 7)]));
        let file = linked("file://box/tmp/a%20b").map(|link| link.target);
        assert_eq!(file, Some(Target::Path { text: "/tmp/a b".into(), line: None }));
        assert_eq!(linked("javascript:alert(1)").map(|link| link.target), None);
    }
}
