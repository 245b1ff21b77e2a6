//! The frame of the scratch terminal, over the layout.

use super::{overlay, text};
use crate::client::state::{Hit, State};
use crate::config::keymap::Action;
use crate::protocol::geometry::Rect;
use crate::protocol::scene::{Place, Scene};
use ratatui::buffer::Buffer;

/// Draws the frame, if this place is the scratch terminal's: what lies below is covered.
pub fn frame(state: &State, scene: &Scene, place: &Place, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let Some(scratch) = scene.shown_scratch().filter(|scratch| scratch.pane.id == place.pane) else { return };
    let seen = place.frame.and_then(|frame| state.viewport.place(state.areas().panes, frame));
    let Some(area) = seen.map(|seen| seen.rect) else { return };
    let pane = &scratch.pane;
    let folder = state.short_path(&pane.cwd);
    let title = match pane.display_name() {
        "shell" => format!("scratch · {folder}"),
        name => format!("scratch · {name} · {folder}"),
    };
    overlay::frame(state, area, &title, buffer);
    if let Some(keys) = state.keymap.keys_of(Action::Scratch).into_iter().next() {
        let hint = format!(" {keys} hides ");
        let (cols, last) = (text::width(&hint), area.bottom().saturating_sub(1));
        if cols + 4 < area.cols {
            let col = area.right() - cols - 2;
            text::put(buffer, area, last, col, &hint, state.theme.overlay_muted);
        }
    }
    hits.push((area, Hit::Frame(place.pane)));
}
