//! [`Terminals`]: the means to start terminals, and what all of them have in common.

use super::handle::{Announced, PaneHandle, Report, Start};
use super::reaper::Reaper;
use super::shared::Shared;
use super::supervise::supervise;
use super::worker::{self, Parts};
use crate::protocol::outer::OuterColors;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The means to start terminals: the runtime that their tasks run on, the reaper of their children
/// and the channel of their reports.
#[derive(Clone)]
pub struct Terminals {
    runtime: tokio::runtime::Handle,
    reaper: Reaper,
    reports: mpsc::Sender<Report>,
    /// The colours of the terminal that they are shown in.
    outer: watch::Sender<OuterColors>,
}

impl Terminals {
    /// Tasks run on `runtime`; reports go to `reports` (the hub), which panes may wait for.
    pub fn new(runtime: tokio::runtime::Handle, reports: mpsc::Sender<Report>) -> std::io::Result<Self> {
        let reaper = Reaper::spawn(&runtime)?;
        Ok(Self { runtime, reaper, reports, outer: watch::Sender::default() })
    }

    /// They are shown in a terminal with these colours from now on.
    pub fn shown_in(&self, colors: OuterColors) {
        self.outer.send_if_modified(|outer| std::mem::replace(outer, colors) != colors);
    }

    /// Starts a terminal. Returns at once; [`Fact::Started`] or [`Fact::StartFailed`] follows.
    #[must_use]
    pub fn start(&self, start: Start) -> PaneHandle {
        let shared = Arc::new(Shared::new(&start));
        let (requests, asked) = mpsc::channel(worker::REQUESTS);
        let (announced, ready) = watch::channel(Announced::default());
        self.runtime.spawn(supervise(Parts {
            start,
            shared: Arc::clone(&shared),
            reaper: self.reaper.clone(),
            requests: asked,
            ready: announced,
            reports: self.reports.clone(),
            outer: self.outer.subscribe(),
        }));
        PaneHandle { shared, requests, ready }
    }
}
