//! Layouts as text, for tests: `1 | (2 / 3)` is pane 1 left of 2 above 3; a share of side `a` other
//! than a half follows the sign (`1 |0.3 2`).

use super::layout::Tree;
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;

/// The layout that a text describes.
pub fn node(text: &str) -> Tree {
    let mut rest = text;
    let node = read_split(&mut rest);
    assert_eq!(rest.trim(), "", "left over in {text:?}");
    node
}

/// The text that describes a layout.
pub fn text(node: &Tree) -> String {
    let Tree::Split { axis, ratio, a, b } = node else { return term(node) };
    let sign = if *axis == Axis::Horizontal { '|' } else { '/' };
    let share =
        if (ratio - 0.5).abs() < 0.0005 { String::new() } else { format!("{}", (ratio * 1e3).round() / 1e3) };
    format!("{} {sign}{share} {}", term(a), term(b))
}

fn term(node: &Tree) -> String {
    match node {
        Tree::Pane(pane) => pane.to_string(),
        Tree::Split { .. } => format!("({})", text(node)),
    }
}

fn read_split(rest: &mut &str) -> Tree {
    let a = read_term(rest);
    let axis = match rest.trim_start().chars().next() {
        Some('|') => Axis::Horizontal,
        Some('/') => Axis::Vertical,
        _ => return a,
    };
    *rest = &rest.trim_start()[1..];
    let share = take(rest, |letter| letter.is_ascii_digit() || letter == '.');
    let ratio = if share.is_empty() { 0.5 } else { share.parse().unwrap() };
    Tree::Split { axis, ratio, a: Box::new(a), b: Box::new(read_term(rest)) }
}

fn read_term(rest: &mut &str) -> Tree {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let node = read_split(rest);
        *rest = rest.trim_start().strip_prefix(')').expect("a closing parenthesis");
        return node;
    }
    Tree::Pane(take(rest, |letter| letter.is_ascii_digit()).parse().unwrap())
}

fn take<'a>(rest: &mut &'a str, wanted: fn(char) -> bool) -> &'a str {
    let end = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
    let (head, tail) = rest.split_at(end);
    *rest = tail;
    head
}

/// A pane's id.
pub fn pane(number: u32) -> PaneId {
    PaneId(number)
}
