//! [`Painter`]: pictures for those who wait for one.
//!
//! Invariants: nothing is painted while nobody waits; the live picture is painted once for all.

use super::engine::{Engine, View};
use crate::protocol::frame::Frame;
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A picture with what a viewer must know of its instant.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    pub(super) frame: Arc<Frame>,
    /// The oldest row kept and the screen's first row.
    pub(super) history: Range<u64>,
    /// Where it was taken: a change of width may have given the row that was asked for another number.
    pub(super) view: View,
    /// How the engine numbered rows then.
    pub(super) numbering: u64,
    /// Which state of the painter it shows.
    stamp: u64,
}

/// A wish for a picture that differs from the one before.
pub(super) struct Look {
    pub(super) view: View,
    /// How its rows are numbered, as far as is known.
    pub(super) numbering: Option<u64>,
    /// The one before; `None` takes any.
    pub(super) after: Option<Picture>,
    pub(super) reply: oneshot::Sender<Picture>,
}

/// Paints one terminal.
#[derive(Default)]
pub(super) struct Painter {
    /// Rises with everything that may look different.
    stamp: u64,
    live: Option<Picture>,
    /// How many pictures it has painted.
    pub(super) painted: u64,
    parked: Vec<Look>,
}

impl Painter {
    /// Takes a wish and fulfils it at once if there is something new to see.
    pub(super) fn take(&mut self, look: Look, engine: &mut Engine) {
        // A viewer that went away, or looks elsewhere meanwhile, leaves its wish behind.
        self.parked.retain(|parked| !parked.reply.is_closed());
        let up_to_date = look.after.as_ref().is_some_and(|after| after.stamp == self.stamp);
        let unanswered = if up_to_date { Some(look) } else { self.answer(look, engine) };
        self.parked.extend(unanswered);
    }

    /// Something may look different: fulfils the wishes that wait for it.
    pub(super) fn changed(&mut self, engine: &mut Engine) {
        self.stamp += 1;
        for look in std::mem::take(&mut self.parked) {
            if !look.reply.is_closed() {
                let unanswered = self.answer(look, engine);
                self.parked.extend(unanswered);
            }
        }
    }

    /// Paints for one wish; gives it back if the picture is the same as before.
    fn answer(&mut self, mut look: Look, engine: &mut Engine) -> Option<Look> {
        // The width may have changed while it was on its way.
        if let Some(numbering) = look.numbering.replace(engine.numbering()) {
            look.view = engine.renumbered(look.view, numbering);
        }
        let picture = self.paint(look.view, engine);
        if look.after.as_ref().is_some_and(|after| after.frame == picture.frame) {
            return Some(look);
        }
        // Nobody there any more is nobody's loss.
        let _ = look.reply.send(picture);
        None
    }

    fn paint(&mut self, view: View, engine: &mut Engine) -> Picture {
        let view = engine.resolve(view);
        if let (View::Live, Some(live)) = (view, &self.live)
            && live.stamp == self.stamp
        {
            return live.clone();
        }
        self.painted += 1;
        let frame = Arc::new(engine.frame(view));
        let (history, numbering) = (engine.history(), engine.numbering());
        let picture = Picture { frame, history, view, numbering, stamp: self.stamp };
        if view == View::Live {
            self.live = Some(picture.clone());
        }
        picture
    }
}
