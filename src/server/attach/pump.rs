//! One pane's pictures on their way to one client, as patches.
//!
//! A picture is taken only when there is room to send it: a slow client skips to the newest one.

use super::pace::Pace;
use crate::protocol::attach::message::{ScrollTo, ToClient};
use crate::protocol::frame::Frame;
use crate::protocol::ids::PaneId;
use crate::protocol::patch::{self, Patch};
use crate::server::terminal::handle::Viewer;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How many wishes may wait for a pump; more are dropped, the client asks again.
pub const WISHES: usize = 64;

/// What the client wants of one pane's pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Look elsewhere; the number of this request.
    Scroll(ScrollTo, u32),
    /// Send the picture whole.
    Refresh,
    /// The pane was typed into: serve it first.
    Typed,
}

/// Sends patches until the terminal, the presenter or the client is gone.
pub async fn pump(
    pane: PaneId,
    mut viewer: Viewer,
    mut wishes: mpsc::Receiver<Wish>,
    out: mpsc::Sender<ToClient>,
) {
    // each with the number of the scroll request that it answers
    let mut sent: Option<(Arc<Frame>, u32)> = None;
    let mut taken: Option<(Arc<Frame>, u32)> = None;
    let mut scrolls = 0;
    let mut pace = Pace::new(Instant::now());
    loop {
        let due = pace.next(Instant::now());
        tokio::select! {
            biased;
            wish = wishes.recv() => {
                match wish {
                    Some(Wish::Scroll(to, number)) => {
                        viewer.scroll(to);
                        scrolls = number;
                    }
                    // Whatever goes next must be whole, also if a newer picture waits already.
                    Some(Wish::Refresh) => {
                        let last = sent.take();
                        taken = taken.or(last);
                    }
                    Some(Wish::Typed) => {}
                    None => return,
                }
                pace.refill();
            }
            permit = out.reserve(), if taken.is_some() => {
                let (Ok(permit), Some((frame, scrolls))) = (permit, taken.take()) else { return };
                let before = sent.as_ref().map(|(frame, _)| &**frame);
                permit.send(ToClient::Pane(pane, Patch { scrolls, ..patch::diff(before, &frame) }));
                sent = Some((frame, scrolls));
                pace.sent(Instant::now());
            }
            frame = picture(&mut viewer, due), if taken.is_none() => {
                let Some(frame) = frame else { return };
                taken = Some((frame, scrolls));
            }
        }
    }
}

/// The next picture, not before `due`; `None` when the terminal is gone.
async fn picture(viewer: &mut Viewer, due: Instant) -> Option<Arc<Frame>> {
    if due > Instant::now() {
        sleep_until(due).await;
    }
    viewer.next().await
}
