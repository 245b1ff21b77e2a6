//! Dragging tabs and workspaces to another place. They move while they are dragged.
//!
//! Invariant: one moves past another only once the pointer is past the middle of that one, so that a pointer at
//! rest never makes two change places again and again.

use super::out::Out;
use super::state::{Hit, State};
use crate::protocol::command::Command;
use crate::protocol::ids::{TabId, WorkspaceId};

/// A dragged tab: the pointer is at a column.
pub fn tab(state: &State, tab: TabId, col: u16, sent: &mut Option<usize>, out: &mut Vec<Out>) {
    let Some(workspace) = state.scene().and_then(|scene| scene.workspace()) else { return };
    let index = |wanted: TabId| workspace.tabs.iter().position(|tab| tab.id == wanted);
    let over = state.hits.iter().find_map(|(rect, hit)| match hit {
        Hit::Tab(over) if (rect.col..rect.right()).contains(&col) => Some((*rect, *over)),
        _ => None,
    });
    let Some((rect, over)) = over.filter(|(_, over)| *over != tab) else { return };
    let (Some(from), Some(to)) = (index(tab), index(over)) else { return };
    if past(col, rect.col, rect.cols, from < to) && sent.replace(to) != Some(to) {
        out.push(Out::command(Command::MoveTab { tab, to }));
    }
}

/// A dragged workspace: the pointer is at a row. Pinned ones stay before the others.
pub fn workspace(
    state: &State,
    workspace: WorkspaceId,
    row: u16,
    sent: &mut Option<usize>,
    out: &mut Vec<Out>,
) {
    let Some(scene) = state.scene() else { return };
    let index = |wanted: WorkspaceId| scene.workspaces.iter().position(|own| own.id == wanted);
    let over = state.hits.iter().find_map(|(rect, hit)| match hit {
        Hit::Workspace(over) if (rect.row..rect.bottom()).contains(&row) => Some((*rect, *over)),
        _ => None,
    });
    let Some((rect, over)) = over.filter(|(_, over)| *over != workspace) else { return };
    let (Some(from), Some(to)) = (index(workspace), index(over)) else { return };
    let pinned = |at: usize| scene.workspaces.get(at).is_some_and(|own| own.pinned);
    if pinned(from) == pinned(to) && past(row, rect.row, rect.rows, from < to) && sent.replace(to) != Some(to)
    {
        out.push(Out::command(Command::MoveWorkspace { workspace, to }));
    }
}

/// Whether a pointer that comes from before (or from behind) is past the middle.
fn past(pointer: u16, start: u16, length: u16, from_before: bool) -> bool {
    let into = pointer.saturating_sub(start);
    if from_before { into >= length / 2 } else { into < length.div_ceil(2) }
}
