//! Geometry by example, and that every layout tiles its area.

use super::*;
use crate::server::model::notation::{node, pane};
use proptest::prelude::*;

fn rect(row: u16, col: u16, rows: u16, cols: u16) -> Rect {
    Rect { row, col, rows, cols }
}

fn frames(text: &str, rows: u16, cols: u16) -> Vec<Rect> {
    let solved = solve(&node(text), Size::new(rows, cols)).expect("room");
    solved.places.iter().filter_map(|place| place.frame).collect()
}

fn tab(text: &str, focused: u32, zoomed: bool) -> Tab {
    let tree = node(text);
    Tab { tree, zoomed, ..Tab::new(crate::protocol::ids::TabId(1), pane(focused)) }
}

#[test]
fn neighbours_share_the_line_between_them() {
    assert_eq!(frames("1 | 2", 24, 81), [rect(0, 0, 24, 41), rect(0, 40, 24, 41)]);
    assert_eq!(frames("1 / 2", 25, 80), [rect(0, 0, 13, 80), rect(12, 0, 13, 80)]);
    let all = frames("1 | (2 /0.25 3)", 25, 81);
    assert_eq!(all, [rect(0, 0, 25, 41), rect(0, 40, 7, 41), rect(6, 40, 19, 41)]);
}

#[test]
fn dividers_are_the_shared_lines_without_their_ends() {
    let solved = solve(&node("1 | (2 / 3)"), Size::new(25, 81)).unwrap();
    let [vertical, horizontal] = &solved.dividers[..] else { panic!("{:?}", solved.dividers) };
    assert_eq!((vertical.axis, vertical.line), (Axis::Horizontal, rect(1, 40, 23, 1)));
    assert_eq!((&vertical.path[..], vertical.area), (&[][..], rect(0, 0, 25, 81)));
    assert_eq!((horizontal.axis, horizontal.line), (Axis::Vertical, rect(12, 41, 1, 39)));
    assert_eq!((&horizontal.path[..], horizontal.area), (&[Side::B][..], rect(0, 40, 25, 41)));
}

#[test]
fn a_pane_alone_or_zoomed_has_the_whole_area_without_a_frame() {
    let area = Size::new(24, 80);
    for tab in [tab("1", 1, false), tab("2 | 1", 1, true)] {
        let layout = layout(&tab, area);
        assert_eq!(layout.places, [Place { pane: pane(1), frame: None, content: rect(0, 0, 24, 80) }]);
        assert_eq!(layout.dividers, []);
        assert_eq!(layout.focused, Some(pane(1)));
        assert_eq!(layout.zoomed, tab.zoomed);
    }
}

#[test]
fn a_narrow_screen_shows_the_focused_pane_alone_without_a_zoom() {
    let shape = Shape { alone: true, ..Size::new(20, 40).into() };
    let layout = layout(&tab("1 | 2", 2, false), shape);
    assert_eq!(layout.places, [Place { pane: pane(2), frame: None, content: rect(0, 0, 20, 40) }]);
    assert!(!layout.zoomed);
}

#[test]
fn gaps_are_kept_where_every_pane_has_room() {
    let frames = |rows: u16, cols: u16| -> Vec<Rect> {
        let shape = Shape { gaps: true, ..Size::new(rows, cols).into() };
        layout(&tab("1 | 2", 1, false), shape).places.iter().filter_map(|place| place.frame).collect()
    };
    assert_eq!(frames(24, 81), [rect(0, 0, 24, 40), rect(0, 41, 24, 40)]);
    assert_eq!(frames(24, 23), [rect(0, 0, 24, 12), rect(0, 11, 24, 12)], "no room: a shared line");
    let shape = Shape { gaps: true, ..Size::new(24, 80).into() };
    assert_eq!(layout(&tab("1", 1, false), shape).places[0].content, rect(0, 0, 24, 80));
}

#[test]
fn shares_give_way_to_the_smallest_pane_and_then_to_one_cell() {
    assert_eq!(frames("1 |0.01 2", 24, 81)[0].cols, 12);
    assert_eq!(frames("1 |0.99 2", 24, 81)[1].cols, 12);
    assert_eq!(
        frames("(1 | 2) |0.1 3", 24, 81).iter().map(|frame| frame.cols).collect::<Vec<_>>(),
        [12, 12, 59]
    );
    assert_eq!(frames("1 |0.01 2", 24, 20)[0].cols, 3);
    let area = Size::new(3, 5);
    let content: Vec<_> =
        layout(&tab("1 | 2", 2, false), area).places.iter().map(|place| place.content).collect();
    assert_eq!(content, [rect(1, 1, 1, 1), rect(1, 3, 1, 1)]);
}

#[test]
fn below_that_only_the_focused_pane_shows() {
    for area in [Size::new(3, 4), Size::new(2, 80), Size::new(1, 1)] {
        let layout = layout(&tab("1 | 2", 2, false), area);
        let content = Rect::new(0, 0, area);
        assert_eq!(layout.places, [Place { pane: pane(2), frame: None, content }]);
        assert!(!layout.zoomed);
    }
}

#[test]
fn a_split_leaves_the_smallest_pane_on_both_sides_or_is_refused() {
    let axis = |rows, cols, wished| splittable(Size::new(rows, cols), wished);
    assert_eq!(axis(5, 23, Some(Axis::Horizontal)), Some(Axis::Horizontal));
    assert_eq!(axis(5, 22, Some(Axis::Horizontal)), None);
    assert_eq!(axis(4, 23, Some(Axis::Horizontal)), None);
    assert_eq!(axis(9, 12, Some(Axis::Vertical)), Some(Axis::Vertical));
    assert_eq!(axis(8, 12, Some(Axis::Vertical)), None);
    assert_eq!(axis(24, 80, None), Some(Axis::Horizontal));
    assert_eq!(axis(40, 79, None), Some(Axis::Vertical));
    assert_eq!(axis(9, 22, None), Some(Axis::Vertical), "the longer side has no room");
    assert_eq!(axis(8, 22, None), None);
    for (rows, cols, text) in [(5, 23, "1 | 2"), (9, 12, "1 / 2")] {
        for frame in frames(text, rows, cols) {
            assert!(frame.rows >= 5 && frame.cols >= 12, "{frame:?}");
        }
    }
}

#[test]
fn neighbours_are_those_that_touch() {
    let tree = node("(1 | 2) / (3 |0.3 (4 | 5))");
    let beside = |number, direction| neighbours(&tree, Size::new(40, 120), pane(number), direction);
    assert_eq!(beside(1, Direction::Right), [pane(2)]);
    assert_eq!(beside(1, Direction::Down), [pane(3), pane(4)]);
    assert_eq!(beside(2, Direction::Down), [pane(4), pane(5)]);
    assert_eq!(beside(4, Direction::Up), [pane(1), pane(2)]);
    assert_eq!(beside(4, Direction::Left), [pane(3)]);
    assert_eq!(beside(3, Direction::Left), []);
    let tiny = neighbours(&tree, Size::new(2, 2), pane(1), Direction::Right);
    assert_eq!(tiny, [pane(2)], "the shape counts, not the screen");
}

/// A random tree with panes 1, 2, 3…
pub fn trees() -> impl Strategy<Value = Tree> {
    let leaf = Just(node("1")).boxed();
    leaf.prop_recursive(6, 24, 2, |inner| {
        (inner.clone(), inner, any::<bool>(), 0.0_f32..=1.0).prop_map(|(a, b, horizontal, ratio)| {
            Tree::Split {
                axis: if horizontal { Axis::Horizontal } else { Axis::Vertical },
                ratio,
                a: Box::new(a),
                b: Box::new(b),
            }
        })
    })
    .prop_map(|mut tree| {
        number(&mut tree, &mut 0);
        tree
    })
}

fn number(node: &mut Tree, last: &mut u32) {
    match node {
        Tree::Pane(pane) => {
            *last += 1;
            pane.0 = *last;
        }
        Tree::Split { a, b, .. } => {
            number(a, last);
            number(b, last);
        }
    }
}

/// Every cell is in one content, or on a frame and in none.
pub fn tiles(layout: &Layout) -> Result<(), String> {
    let cells = usize::from(layout.area.rows) * usize::from(layout.area.cols);
    let (mut contents, mut lines) = (vec![0_u8; cells], vec![false; cells]);
    let at = |row: u16, col: u16| usize::from(row) * usize::from(layout.area.cols) + usize::from(col);
    for place in &layout.places {
        let whole = place.frame.unwrap_or(place.content);
        let inside = place.content;
        if inside.rows == 0
            || inside.cols == 0
            || place.frame.is_some_and(|frame| frame.inside_frame() != inside)
        {
            return Err(format!("{place:?}"));
        }
        if whole.bottom() > layout.area.rows || whole.right() > layout.area.cols {
            return Err(format!("outside: {place:?}"));
        }
        for row in whole.row..whole.bottom() {
            for col in whole.col..whole.right() {
                if inside.contains(row, col) {
                    contents[at(row, col)] += 1;
                } else {
                    lines[at(row, col)] = true;
                }
            }
        }
    }
    match (0..cells).find(|cell| contents[*cell] + u8::from(lines[*cell]) != 1) {
        Some(cell) => Err(format!("cell {cell}: {} contents, line {}", contents[cell], lines[cell])),
        None => Ok(()),
    }
}

proptest! {
    #[test]
    fn every_layout_tiles_its_area(tree in trees(), rows in 1_u16..80, cols in 1_u16..200, pick in any::<usize>()) {
        let panes = tree.panes();
        let focused = panes[pick % panes.len()];
        let before = tree.clone();
        let tab = Tab { tree, focused, ..Tab::new(crate::protocol::ids::TabId(1), focused) };
        let layout = layout(&tab, Size::new(rows, cols));
        prop_assert_eq!(tiles(&layout), Ok(()));
        prop_assert!(layout.places.iter().any(|place| place.pane == focused));
        prop_assert!(layout.places.len() == panes.len() || layout.places.len() == 1);
        prop_assert_eq!(&tab.tree, &before);
        for divider in &layout.dividers {
            prop_assert!(tab.tree.ratio(&divider.path).is_some());
            prop_assert_eq!(rect_of(&tab.tree, layout.area, &divider.path), Some(divider.area));
        }
    }

    #[test]
    fn everyone_has_the_smallest_size_where_the_area_has_room(tree in trees(), more in 0_u16..50) {
        let Size { rows, cols } = needs(&tree, COMFORTABLE);
        let solved = solve(&tree, Size::new(rows + more, cols + more)).unwrap();
        for place in &solved.places {
            prop_assert!(place.content.rows >= MIN_PANE_ROWS && place.content.cols >= MIN_PANE_COLS);
        }
    }

    #[test]
    fn a_cut_that_is_kept_as_a_share_is_found_again(length in 24_u16..1_000, cut in 0_u16..1_000) {
        let mut tree = node("1 | 2");
        let first = 12 + cut % (length - 22);
        let whole = rect(0, 0, 24, length);
        let ratio = super::cut(&tree, whole).unwrap().ratio(first);
        tree.set_ratio(&[], ratio);
        prop_assert_eq!(super::cut(&tree, whole).unwrap().first, first);
    }

    #[test]
    fn whoever_lies_beside_has_the_other_beside(tree in trees(), rows in 1_u16..80, cols in 1_u16..200) {
        let area = Size::new(rows, cols);
        for (there, back) in [(Direction::Left, Direction::Right), (Direction::Up, Direction::Down)] {
            for pane in tree.panes() {
                for other in neighbours(&tree, area, pane, there) {
                    prop_assert!(neighbours(&tree, area, other, back).contains(&pane));
                }
            }
        }
    }
}
