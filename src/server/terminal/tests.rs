//! Terminals with real PTYs and real programs. Every wait is for a fact, a picture or a text, with a
//! deadline.

mod input;
mod life;
mod output;
mod shells;

use super::encode::ShiftEnter;
use super::engine::{CaptureMode, CaptureRequest};
use super::handle::{Announce, Fact, PaneHandle, Report, Start, Terminals};
use super::process;
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::scene::ExitStatus;
use std::path::PathBuf;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// The deadline of every wait: long, because the machine may be busy, and never waited for in vain.
const DEADLINE: Duration = Duration::from_secs(20);

pub(super) fn start(argv: &[&str]) -> Start {
    Start {
        pane: PaneId(1),
        terminal: TerminalId([1; 16]),
        argv: argv.iter().map(|&text| text.to_owned()).collect(),
        command: argv.iter().map(|&text| text.to_owned()).collect(),
        shell: false,
        cwd: PathBuf::from("/"),
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("TERM".into(), "xterm-256color".into())],
        size: Size::new(24, 80),
        history_bytes: 1 << 20,
        recalled: None,
        checksum_reports: false,
        integration: None,
        shift_enter: ShiftEnter::default(),
        announce: Announce::new(|_| Some(1)),
    }
}

/// A server's worth of terminals. Their sessions are killed when it is dropped.
struct Rig {
    terminals: Option<Terminals>,
    reports: mpsc::Receiver<Report>,
    handles: Vec<PaneHandle>,
    panes: Option<Runtime>,
}

impl Rig {
    fn new() -> Self {
        let panes =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (sender, reports) = mpsc::channel(256);
        let terminals = Terminals::new(panes.handle().clone(), sender).unwrap();
        Self { terminals: Some(terminals), reports, handles: Vec::new(), panes: Some(panes) }
    }

    fn start(&mut self, start: Start) -> PaneHandle {
        let handle = self.terminals.as_ref().unwrap().start(start);
        self.handles.push(handle.clone());
        handle
    }

    fn script(&mut self, script: &str) -> PaneHandle {
        self.start(start(&["/bin/sh", "-c", script]))
    }

    /// Waits for the next fact that `wanted` takes, of any terminal.
    async fn fact<T>(&mut self, mut wanted: impl FnMut(Fact) -> Option<T>) -> T {
        let search = async {
            loop {
                let report = self.reports.recv().await.expect("terminals report as long as the rig lives");
                if let Some(found) = wanted(report.fact) {
                    return found;
                }
            }
        };
        tokio::time::timeout(DEADLINE, search).await.expect("the fact came in time")
    }

    async fn exited(&mut self) -> ExitStatus {
        self.fact(|fact| if let Fact::Exited(status) = fact { Some(status) } else { None }).await
    }

    /// All further facts until every terminal is gone.
    async fn rest(mut self) -> Vec<Fact> {
        self.handles.iter().for_each(PaneHandle::end);
        self.terminals = None;
        let mut facts = Vec::new();
        while let Some(report) = within(self.reports.recv()).await {
            facts.push(report.fact);
        }
        facts
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        for root in self.handles.iter().filter_map(PaneHandle::root) {
            process::kill(root.pid, None, true);
        }
        if let Some(panes) = self.panes.take() {
            panes.shutdown_background();
        }
    }
}

async fn within<T>(wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, wait).await.expect("it came in time")
}

/// Waits until `text` is on the screen or in the recent history.
async fn shows(handle: &PaneHandle, text: &str) {
    let mut ready = handle.ready();
    let shown = tokio::time::timeout(DEADLINE, async {
        while !handle.contains(text).await.expect("the terminal lives").0 {
            // A closed channel means that the last output has been parsed: then one more look decides.
            if ready.changed().await.is_err() {
                assert!(handle.contains(text).await.expect("the terminal lives").0, "{text:?} never came");
            }
        }
    })
    .await;
    if shown.is_err() {
        let mode = CaptureMode::RecentUnwrapped;
        let request = CaptureRequest { mode, lines: 100, ansi: false, max_bytes: 10_000, cursor: false };
        panic!("{text:?} is not in\n{}", within(handle.capture(request)).await.unwrap().text);
    }
}

fn code(code: u32) -> ExitStatus {
    ExitStatus { code: Some(code), signal: None }
}

fn signal(name: &str) -> ExitStatus {
    ExitStatus { code: None, signal: Some(name.to_owned()) }
}
