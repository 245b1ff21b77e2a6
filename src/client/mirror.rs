//! What the server told us: the scene, and the pictures of the panes in its layout.
//!
//! Invariant: after each scene only panes of its layout have a picture.

use crate::protocol::frame::Frame;
use crate::protocol::geometry::Rect;
use crate::protocol::ids::PaneId;
use crate::protocol::patch::{self, Patch};
use crate::protocol::scene::{Layout, Place, Scene};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pictures kept between two scenes: a patch may come just before the scene that shows its pane.
const EARLY_PANES: usize = 64;

/// What a patch changed on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// These rows, and perhaps the cursor.
    Rows(Vec<u16>),
    /// The whole pane.
    All,
    /// Nothing: the picture is lost and must be asked for.
    Lost,
    /// Nothing: the picture is lost and was already asked for.
    Waiting,
}

/// How the person wants the scratch terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScratchView {
    /// Not on the screen.
    #[default]
    Hidden,
    /// On the screen as soon as the server has one.
    Asked,
    /// On the screen, until it ends.
    Shown,
}

/// The client's copy of the server's state.
#[derive(Debug, Default)]
pub struct Mirror {
    /// The last scene, as it is shown.
    pub scene: Option<Arc<Scene>>,
    /// The last scene as it came.
    given: Option<Arc<Scene>>,
    scratch: ScratchView,
    frames: BTreeMap<PaneId, Frame>,
    lost: BTreeSet<PaneId>,
}

impl Mirror {
    /// Takes a new scene and forgets the panes that it does not show; `alone` shows only its focused one.
    pub fn set_scene(&mut self, scene: Arc<Scene>, alone: bool) {
        self.scratch = match (self.scratch, scene.scratch.is_some()) {
            (ScratchView::Asked, true) => ScratchView::Shown,
            (ScratchView::Shown, false) => ScratchView::Hidden,
            (as_before, _) => as_before,
        };
        let scratch = scene.scratch.as_ref().filter(|_| self.scratch == ScratchView::Shown);
        let places = scene.layout.places.iter().map(|place| place.pane);
        let shown: BTreeSet<PaneId> = places.chain(scratch.map(|scratch| scratch.pane.id)).collect();
        self.frames.retain(|pane, _| shown.contains(pane));
        self.lost.retain(|pane| shown.contains(pane));
        self.given = Some(scene);
        self.look(alone);
    }

    /// Shows the scratch terminal over the layout, or hides it.
    pub fn view_scratch(&mut self, view: ScratchView, alone: bool) {
        let there = self.given.as_ref().is_some_and(|scene| scene.scratch.is_some());
        self.scratch = if view == ScratchView::Asked && there { ScratchView::Shown } else { view };
        self.look(alone);
    }

    /// Shows all panes of the layout, or the focused one alone, as if it had been solved so.
    pub fn look(&mut self, alone: bool) {
        self.scene = self.given.clone().map(|scene| self.with_scratch(scene)).map(|scene| lone(scene, alone));
    }

    /// A scene with the scratch terminal over its layout, which has the focus then.
    fn with_scratch(&self, scene: Arc<Scene>) -> Arc<Scene> {
        let scratch = scene.scratch.as_ref().filter(|_| self.scratch == ScratchView::Shown);
        let Some(place) = scratch.map(|scratch| scratch.place) else { return scene };
        let mut layout = scene.layout.clone();
        layout.places.push(place);
        layout.focused = Some(place.pane);
        Arc::new(Scene { layout, ..Scene::clone(&scene) })
    }

    /// The picture of a pane.
    pub fn frame(&self, pane: PaneId) -> Option<&Frame> {
        self.frames.get(&pane)
    }

    /// Applies a patch.
    pub fn apply(&mut self, pane: PaneId, patch: Patch) -> Changed {
        let whole = patch.base.is_none();
        if !whole && self.lost.contains(&pane) {
            return Changed::Waiting;
        }
        let known = self.frames.remove(&pane);
        if known.is_none() && self.frames.len() >= EARLY_PANES + self.shown() {
            return Changed::Waiting;
        }
        let rows = patch.rows.iter().map(|(row, _)| *row).collect();
        match patch::apply(known, patch) {
            Ok(frame) => {
                self.frames.insert(pane, frame);
                self.lost.remove(&pane);
                if whole { Changed::All } else { Changed::Rows(rows) }
            }
            Err(_) => {
                self.lost.insert(pane);
                Changed::Lost
            }
        }
    }

    fn shown(&self) -> usize {
        self.given.as_ref().map_or(0, |scene| scene.layout.places.len())
    }
}

/// A scene of several panes with the focused one alone, if that is wanted. The scratch terminal lies over one
/// that was solved for it alone.
fn lone(scene: Arc<Scene>, wanted: bool) -> Arc<Scene> {
    let layout = &scene.layout;
    let panes = layout.places.len() - usize::from(scene.shown_scratch().is_some());
    let place = layout.places.iter().find(|place| Some(place.pane) == layout.focused);
    let Some(place) = place.filter(|_| wanted && panes > 1) else { return scene };
    let area = place.content.size();
    let place = Place { pane: place.pane, frame: None, content: Rect::new(0, 0, area) };
    let layout = Layout { area, places: vec![place], dividers: Vec::new(), ..layout.clone() };
    Arc::new(Scene { layout, ..Scene::clone(&scene) })
}
