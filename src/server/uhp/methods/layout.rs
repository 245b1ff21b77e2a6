//! How panes lie (`uhp.md` section 17, `spec/README.md` point 32): whole layouts, and where one pane
//! stands in its tab. Positions are those of the split tree in an area of 10,000 × 10,000, whatever the
//! size of a screen and whatever is zoomed.

use super::super::Context;
use super::super::events::{share, sides};
use super::pane::{read_direction, resolve};
use crate::protocol::command::{Command, Side};
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;
use crate::protocol::limits::LAYOUT_DEPTH;
use crate::protocol::params::{Params, number, object, word};
use crate::protocol::tree::{Node, TabLayout, Tree};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::hub::Snapshot;
use crate::server::uhp::error;
use crate::server::uhp::target::{self, Tab};
use serde_json::{Value, json};

/// Both sides of the area that positions are told in.
const AREA: u32 = 10_000;

/// A rectangle in that area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rect {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

const WHOLE: Rect = Rect { x: 0, y: 0, width: AREA, height: AREA };

impl Rect {
    /// Its two sides, the first of which has that share.
    fn cut(self, axis: Axis, ratio: f32) -> (Self, Self) {
        match axis {
            Axis::Horizontal => {
                let width = part(self.width, ratio);
                let second = Self { x: self.x + width, width: self.width - width, ..self };
                (Self { width, ..self }, second)
            }
            Axis::Vertical => {
                let height = part(self.height, ratio);
                let second = Self { y: self.y + height, height: self.height - height, ..self };
                (Self { height, ..self }, second)
            }
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the cast saturates
fn part(length: u32, ratio: f32) -> u32 {
    ((f64::from(length) * f64::from(ratio)).round() as u32).min(length)
}

/// Where a pane stands.
fn find(tree: &Tree, rect: Rect, wanted: PaneId) -> Option<Rect> {
    match tree {
        Tree::Pane(pane) => (*pane == wanted).then_some(rect),
        Tree::Split { axis, ratio, a, b } => {
            let (first, second) = rect.cut(*axis, *ratio);
            find(a, first, wanted).or_else(|| find(b, second, wanted))
        }
    }
}

/// The outer edges of its tab that a pane touches, by the splits above it.
fn edges(tree: &Tree, wanted: PaneId) -> Vec<&'static str> {
    let path = tree.path_to(wanted).unwrap_or_default();
    let mut touched = vec![("left", true), ("right", true), ("up", true), ("down", true)];
    for (at, side) in path.iter().enumerate() {
        let Some(Tree::Split { axis, .. }) = tree.at(&path[..at]) else { continue };
        let inner = match (axis, side) {
            (Axis::Horizontal, Side::A) => 1,
            (Axis::Horizontal, Side::B) => 0,
            (Axis::Vertical, Side::A) => 3,
            (Axis::Vertical, Side::B) => 2,
        };
        touched[inner].1 = false;
    }
    touched.into_iter().filter(|(_, touches)| *touches).map(|(edge, _)| edge).collect()
}

/// The layout of a pane's tab.
fn around(snapshot: &Snapshot, pane: PaneId) -> Result<&TabLayout, Failure> {
    let tab = target::pane(&snapshot.scene, Some(pane))?.tab;
    snapshot.layouts.get(&tab).ok_or_else(|| Failure::new(ErrorCode::Internal, "the tab has no layout"))
}

/// `pane.layout`
pub async fn of_pane(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let pane = resolve(&context, params, named)?;
    let snapshot = context.snapshot();
    let layout = around(&snapshot, pane)?;
    let rect = find(&layout.tree, WHOLE, pane);
    let rect = rect.ok_or_else(|| Failure::new(ErrorCode::Internal, "the pane is not in its layout"))?;
    Ok(json!({
        "type": "pane_layout",
        "revision": snapshot.sequence,
        "pane": pane.to_string(),
        "area": {"width": AREA, "height": AREA},
        "rect": {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height},
        "zoomed": layout.zoomed == Some(pane),
    }))
}

/// `pane.edges`
pub async fn edges_of_pane(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let pane = resolve(&context, params, named)?;
    let snapshot = context.snapshot();
    let edges = edges(&around(&snapshot, pane)?.tree, pane);
    Ok(json!({
        "type": "pane_edges",
        "revision": snapshot.sequence,
        "pane": pane.to_string(),
        "edges": edges,
    }))
}

/// `pane.neighbor`: where `pane.focus_direction` would go.
pub async fn neighbour(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let direction = read_direction(&mut params)?;
    let pane = resolve(&context, params, named)?;
    let beside = context.hub.neighbour(pane, direction).await.map_err(|error| error::of_hub(&error))?;
    Ok(json!({
        "type": "pane_neighbor",
        "pane": pane.to_string(),
        "neighbor": beside.map(|pane| pane.to_string()),
    }))
}

/// `pane.focus_direction`
pub async fn focus_direction(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let direction = read_direction(&mut params)?;
    let pane = resolve(&context, params, named)?;
    let outcome = context.command(Command::FocusDirection { pane: Some(pane), direction }).await?;
    Ok(json!({"type": "ok", "pane": outcome.pane.map(|pane| pane.to_string())}))
}

/// The tab that is meant, when all params have been read.
fn named_tab<'a>(
    snapshot: &'a Snapshot,
    workspace: Option<target::WorkspaceRef>,
    tab: Option<target::TabRef>,
) -> Result<(Tab<'a>, &'a TabLayout), Failure> {
    let tab = target::tab(&snapshot.scene, workspace, tab)?;
    let layout = snapshot.layouts.get(&tab.scene.id);
    Ok((tab, layout.ok_or_else(|| Failure::new(ErrorCode::Internal, "the tab has no layout"))?))
}

fn describe(snapshot: &Snapshot, tab: &Tab<'_>, layout: &TabLayout) -> Value {
    json!({
        "type": "layout",
        "revision": snapshot.sequence,
        "workspace": tab.workspace.index.to_string(),
        "workspace_id": tab.workspace.scene.id.to_string(),
        "tab": tab.place().to_string(),
        "tab_id": tab.scene.id.to_string(),
        "layout": tree(&layout.tree),
        "focused": tab.scene.focused.to_string(),
        "zoomed": layout.zoomed.map(|pane| pane.to_string()),
    })
}

fn tree(node: &Tree) -> Value {
    match node {
        Tree::Pane(pane) => json!({"type": "pane", "pane": pane.to_string()}),
        Tree::Split { axis, ratio, a, b } => {
            let axis = match axis {
                Axis::Horizontal => "horizontal",
                Axis::Vertical => "vertical",
            };
            json!({"type": "split", "axis": axis, "ratio": share(*ratio), "a": tree(a), "b": tree(b)})
        }
    }
}

/// `layout.export`
pub async fn export(mut params: Params, context: Context) -> Result<Value, Failure> {
    let workspace = target::read_workspace(&mut params)?;
    let tab = target::read_tab(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    let (tab, layout) = named_tab(&snapshot, workspace, tab)?;
    Ok(describe(&snapshot, &tab, layout))
}

/// `layout.apply`
pub async fn apply(mut params: Params, context: Context) -> Result<Value, Failure> {
    let workspace = target::read_workspace(&mut params)?;
    let tab = target::read_tab(&mut params)?;
    let nodes = params.required("layout", nodes)?;
    let focus = target::read_pane(&mut params, "focus")?;
    params.finish()?;
    let tab = named_tab(&context.snapshot(), workspace, tab)?.0.scene.id;
    let (_, after) = context.command_seen(Command::ApplyLayout { tab, nodes, focus }).await?;
    let (tab, layout) = named_tab(&after, None, Some(target::TabRef::Id(tab)))?;
    Ok(describe(&after, &tab, layout))
}

fn nodes(value: Value) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    read_node(value, 0, &mut nodes)?;
    Ok(nodes)
}

fn read_node(value: Value, depth: usize, nodes: &mut Vec<Node>) -> Result<(), String> {
    const AXES: &[(&str, Axis)] = &[("horizontal", Axis::Horizontal), ("vertical", Axis::Vertical)];
    const TYPES: &[(&str, bool)] = &[("pane", false), ("split", true)];
    let refuse = |error: crate::protocol::params::ParamError| error.to_string();
    if depth > LAYOUT_DEPTH {
        return Err(format!("expected at most {LAYOUT_DEPTH} splits on the way to a pane"));
    }
    let mut fields = object(value)?;
    if !fields.required("type", word(TYPES)).map_err(refuse)? {
        let pane = target::require_pane(&mut fields, "pane").map_err(|failure| failure.message)?;
        nodes.push(Node::Pane(pane));
        return fields.finish().map_err(refuse);
    }
    let axis = fields.required("axis", word(AXES)).map_err(refuse)?;
    let ratio = fields.required("ratio", number(0.0..=1.0)).map_err(refuse)?;
    let (a, b) = (fields.required("a", Ok).map_err(refuse)?, fields.required("b", Ok).map_err(refuse)?);
    fields.finish().map_err(refuse)?;
    if ratio <= 0.0 || ratio >= 1.0 {
        return Err("`ratio`: expected a number between 0 and 1".to_owned());
    }
    nodes.push(Node::Split { axis, ratio: single(ratio) });
    read_node(a, depth + 1, nodes)?;
    read_node(b, depth + 1, nodes)
}

#[allow(clippy::cast_possible_truncation)] // between 0 and 1: only digits that no cell shows are lost
fn single(ratio: f64) -> f32 {
    ratio as f32
}

/// `layout.set_split_ratio`
pub async fn set_split_ratio(mut params: Params, context: Context) -> Result<Value, Failure> {
    let workspace = target::read_workspace(&mut params)?;
    let tab = target::read_tab(&mut params)?;
    let path = params.required("path", path)?;
    let ratio = params.required("ratio", number(0.0..=1.0))?;
    params.finish()?;
    let tab = named_tab(&context.snapshot(), workspace, tab)?.0.scene.id;
    let command = Command::SetSplitRatio { tab, path: path.clone(), ratio: single(ratio) };
    let (_, after) = context.command_seen(command).await?;
    let ratio = after.layouts.get(&tab).and_then(|layout| layout.tree.ratio(&path));
    Ok(json!({
        "type": "ok",
        "tab_id": tab.to_string(),
        "path": sides(&path),
        "ratio": ratio.map(share),
    }))
}

#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
fn path(value: Value) -> Result<Vec<Side>, String> {
    let side = |side: &Value| match side.as_str() {
        Some("a") => Some(Side::A),
        Some("b") => Some(Side::B),
        _ => None,
    };
    let steps = value.as_array().filter(|steps| steps.len() <= LAYOUT_DEPTH);
    let path = steps.and_then(|steps| steps.iter().map(side).collect());
    path.ok_or_else(|| format!("expected a list of at most {LAYOUT_DEPTH} times `a` or `b`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(pane: u32) -> Box<Tree> {
        Box::new(Tree::Pane(PaneId(pane)))
    }

    /// Pane 1 left with a quarter of the width, 2 above 3 on the right.
    fn sample() -> Tree {
        let right = Tree::Split { axis: Axis::Vertical, ratio: 0.5, a: leaf(2), b: leaf(3) };
        Tree::Split { axis: Axis::Horizontal, ratio: 0.25, a: leaf(1), b: Box::new(right) }
    }

    #[test]
    fn rectangles_fill_the_area() {
        let at = |pane| find(&sample(), WHOLE, PaneId(pane));
        assert_eq!(at(1), Some(Rect { x: 0, y: 0, width: 2_500, height: 10_000 }));
        assert_eq!(at(2), Some(Rect { x: 2_500, y: 0, width: 7_500, height: 5_000 }));
        assert_eq!(at(3), Some(Rect { x: 2_500, y: 5_000, width: 7_500, height: 5_000 }));
        assert_eq!(at(9), None);
    }

    #[test]
    fn edges_are_those_without_a_split_towards_them() {
        let of = |pane| edges(&sample(), PaneId(pane));
        assert_eq!(of(1), ["left", "up", "down"]);
        assert_eq!(of(2), ["right", "up"]);
        assert_eq!(of(3), ["right", "down"]);
        assert_eq!(edges(&leaf(1), PaneId(1)), ["left", "right", "up", "down"]);
    }

    #[test]
    fn a_layout_is_read_as_it_is_written() {
        assert_eq!(Tree::from_nodes(&nodes(tree(&sample())).unwrap()), Some(sample()));
        let split = |change: fn(&mut Value)| {
            let mut value = tree(&sample());
            change(&mut value);
            nodes(value)
        };
        assert!(split(|_| ()).is_ok());
        for bad in [
            split(|value| value["axis"] = json!("diagonal")),
            split(|value| value["ratio"] = json!(0)),
            split(|value| value["ratio"] = json!(1.0)),
            split(|value| value["ratio"] = json!("0.5")),
            split(|value| value["c"] = json!({})),
            split(|value| value["b"]["a"]["pane"] = json!("x")),
            split(|value| value["b"]["a"]["axis"] = json!("vertical")),
            split(|value| value["type"] = json!("stack")),
            split(|value| drop(value.as_object_mut().unwrap().remove("b"))),
        ] {
            assert!(bad.is_err());
        }
        let mut deep = tree(&leaf(1));
        for _ in 0..=LAYOUT_DEPTH {
            deep = json!({"type": "split", "axis": "vertical", "ratio": 0.5, "a": deep, "b": tree(&leaf(2))});
        }
        assert!(nodes(deep).unwrap_err().contains("64"));
    }

    #[test]
    fn a_path_is_a_short_list_of_sides() {
        assert_eq!(path(json!(["a", "b"])), Ok(vec![Side::A, Side::B]));
        assert_eq!(path(json!([])), Ok(Vec::new()));
        for bad in [json!(["c"]), json!("ab"), json!(vec!["a"; 65])] {
            assert!(path(bad).is_err());
        }
    }
}
