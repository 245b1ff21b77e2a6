//! [`Viewer`]: one screen's look at one terminal.

use super::engine::View;
use super::painter::{Look, Picture};
use super::shared::Shared;
use super::worker::Request;
use crate::protocol::attach::message::ScrollTo;
use crate::protocol::frame::Frame;
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// One screen that shows a terminal. The worker paints only while somebody waits for a picture.
/// A viewer alone does not keep a terminal alive.
pub struct Viewer {
    shared: Arc<Shared>,
    requests: mpsc::WeakSender<Request>,
    view: View,
    /// The last picture; kept for what it says of the history even when `view` has moved on.
    last: Option<Picture>,
    /// Whether `view` has changed since the last picture.
    moved: bool,
    /// A wish that is under way. It outlives a cancelled [`next`](Self::next).
    awaited: Option<oneshot::Receiver<Picture>>,
}

impl Viewer {
    pub(super) fn new(shared: Arc<Shared>, requests: mpsc::WeakSender<Request>) -> Self {
        Self { shared, requests, view: View::Live, last: None, moved: false, awaited: None }
    }

    /// Waits for a picture other than the last one returned, at this viewer's place in the history;
    /// the first call returns at once. `None` when the terminal is gone.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<Arc<Frame>> {
        if self.awaited.is_none() {
            let after = self.last.clone().filter(|_| !self.moved);
            let (reply, awaited) = oneshot::channel();
            let requests = self.requests.upgrade()?;
            let numbering = self.last.as_ref().map(|last| last.numbering);
            requests.send(Request::Look(Look { view: self.view, numbering, after, reply })).await.ok()?;
            self.awaited = Some(awaited);
        }
        let picture = self.awaited.as_mut()?.await;
        self.awaited = None;
        let picture = picture.ok()?;
        self.moved = false;
        self.view = picture.view;
        Some(Arc::clone(&self.last.insert(picture).frame))
    }

    /// Looks elsewhere; the next [`next`](Self::next) returns that picture at once.
    pub fn scroll(&mut self, to: ScrollTo) {
        // Relative to what was last seen, not to what came since.
        let history =
            self.last.as_ref().map_or_else(|| self.shared.gauge.history(), |last| last.history.clone());
        self.view = target(self.view, to, &history);
        self.moved = true;
        self.awaited = None;
    }

    /// The present place.
    #[cfg(test)]
    pub fn view(&self) -> View {
        self.view
    }
}

/// Rows that are shown above one that is looked for.
const ABOVE: u64 = 3;

/// Where `to` leads from `view`, in a history of these rows. The live screen begins where history ends.
fn target(view: View, to: ScrollTo, history: &Range<u64>) -> View {
    let first = match view {
        View::Live => history.end,
        View::From(row) | View::Hold(row) | View::PromptBefore(row) | View::PromptAfter(row) => {
            row.clamp(history.start, history.end)
        }
    };
    let first = match to {
        ScrollTo::Live => history.end,
        ScrollTo::Up(rows) => first.saturating_add_signed(-i64::from(rows)),
        ScrollTo::PromptAbove => return View::PromptBefore(first),
        ScrollTo::PromptBelow => return View::PromptAfter(first),
        ScrollTo::Top => history.start,
        ScrollTo::Around(row) if row >= history.end => history.end,
        ScrollTo::Around(row) => row.saturating_sub(ABOVE),
        ScrollTo::Row(row) => row,
        ScrollTo::Hold(row) => return View::Hold(row.clamp(history.start, history.end)),
        ScrollTo::Tenth(tenths) => {
            history.start
                + (history.end - history.start) / 10 * u64::from(tenths)
                + (history.end - history.start) % 10 * u64::from(tenths) / 10
        }
    };
    if first >= history.end { View::Live } else { View::From(first.max(history.start)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_moves_through_the_history_and_back_to_live() {
        let history = 100..300;
        let from = |view, to| target(view, to, &history);
        assert_eq!(from(View::Live, ScrollTo::Up(0)), View::Live);
        assert_eq!(from(View::Live, ScrollTo::Up(5)), View::From(295));
        assert_eq!(from(View::Live, ScrollTo::Up(-5)), View::Live);
        assert_eq!(from(View::From(295), ScrollTo::Up(-4)), View::From(299));
        assert_eq!(from(View::From(295), ScrollTo::Up(-5)), View::Live);
        assert_eq!(from(View::From(110), ScrollTo::Up(i32::MAX)), View::From(100));
        assert_eq!(from(View::From(110), ScrollTo::Up(i32::MIN)), View::Live);
        assert_eq!(from(View::Live, ScrollTo::Top), View::From(100));
        assert_eq!(from(View::Live, ScrollTo::Tenth(3)), View::From(160));
        assert_eq!(from(View::Live, ScrollTo::Around(200)), View::From(197));
        assert_eq!(from(View::From(200), ScrollTo::Around(300)), View::Live, "it stands on the screen");
        assert_eq!(from(View::From(7), ScrollTo::Up(-1)), View::From(101), "its own row is gone");
        assert_eq!(from(View::From(110), ScrollTo::Live), View::Live);
        assert_eq!(from(View::Live, ScrollTo::Row(120)), View::From(120));
        assert_eq!(from(View::From(120), ScrollTo::Row(300)), View::Live);
        assert_eq!(from(View::Live, ScrollTo::Hold(300)), View::Hold(300), "not live: it stays there");
        assert_eq!(from(View::Hold(300), ScrollTo::Up(0)), View::Live);
        assert_eq!(from(View::Live, ScrollTo::PromptAbove), View::PromptBefore(300));
        assert_eq!(from(View::From(7), ScrollTo::PromptBelow), View::PromptAfter(100));
    }

    #[test]
    fn without_history_every_way_leads_to_live() {
        for to in [ScrollTo::Up(3), ScrollTo::Top, ScrollTo::Tenth(1)] {
            assert_eq!(target(View::Live, to, &(0..0)), View::Live);
        }
    }
}
