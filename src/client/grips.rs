//! Taking hold of dividers: of one by its line, or with `Ctrl` of those next to the pointer inside a pane.

use super::out::Out;
use super::state::{Drag, Grip, State};
use crate::protocol::command::Command;
use crate::protocol::geometry::Axis;
use crate::protocol::ids::PaneId;
use crate::protocol::scene::Divider;

/// Takes hold of the divider with that index in the layout.
pub fn line(state: &State, index: usize) -> Option<Drag> {
    let scene = state.scene()?;
    let divider = scene.layout.dividers.get(index)?;
    Some(Drag::Dividers { tab: scene.tab()?.id, grips: vec![grip(divider, at(divider))] })
}

/// Takes hold of the dividers at the edges of a pane that are nearest to a cell of the layout, one of each
/// direction.
pub fn nearest(state: &State, pane: PaneId, (row, col): (u16, u16)) -> Option<Drag> {
    let scene = state.scene()?;
    let frame = scene.layout.places.iter().find(|place| place.pane == pane)?.frame?;
    let borders = |divider: &&Divider| {
        let line = divider.line;
        let (sides, (start, end), (from, to)) = match divider.axis {
            Axis::Horizontal => (
                [frame.col, frame.right().saturating_sub(1)],
                (line.row, line.bottom()),
                (frame.row, frame.bottom()),
            ),
            Axis::Vertical => (
                [frame.row, frame.bottom().saturating_sub(1)],
                (line.col, line.right()),
                (frame.col, frame.right()),
            ),
        };
        sides.contains(&at(divider)) && start < to && from < end
    };
    let along = |axis: Axis| {
        let pointer = if axis == Axis::Horizontal { col } else { row };
        let dividers = scene.layout.dividers.iter().filter(|divider| divider.axis == axis).filter(borders);
        let nearest = dividers.min_by_key(|divider| at(divider).abs_diff(pointer))?;
        Some(grip(nearest, pointer))
    };
    let grips: Vec<Grip> = [Axis::Horizontal, Axis::Vertical].into_iter().filter_map(along).collect();
    (!grips.is_empty()).then_some(Drag::Dividers { tab: scene.tab()?.id, grips })
}

/// The column or row of a divider's line.
fn at(divider: &Divider) -> u16 {
    if divider.axis == Axis::Horizontal { divider.line.col } else { divider.line.row }
}

fn grip(divider: &Divider, pointer: u16) -> Grip {
    let line = at(divider);
    let Divider { path, axis, area, .. } = divider.clone();
    Grip { path, axis, area, line, after: i32::from(line) - i32::from(pointer) }
}

/// Moves what is held to a cell of the layout.
pub fn drag(drag: &mut Drag, (row, col): (u16, u16), out: &mut Vec<Out>) {
    let Drag::Dividers { tab, grips } = drag else { return };
    for grip in grips {
        let (pointer, start, length) = match grip.axis {
            Axis::Horizontal => (col, grip.area.col, grip.area.cols),
            Axis::Vertical => (row, grip.area.row, grip.area.rows),
        };
        let line = u16::try_from(i32::from(pointer) + grip.after).unwrap_or(0);
        if line == grip.line {
            continue;
        }
        grip.line = line;
        let ratio = f32::from(line.saturating_sub(start)) / f32::from(length.saturating_sub(1).max(1));
        let (tab, path, ratio) = (*tab, grip.path.clone(), ratio.min(1.0));
        out.push(Out::command(Command::SetSplitRatio { tab, path, ratio }));
    }
}
