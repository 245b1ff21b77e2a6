//! The user's own program that is run for each notification (`notifications.command`).
//!
//! Invariants: so many run at a time and no more, each for a bounded time, and nobody waits for one; it is
//! told which pane and what kind of news, and what somebody wrote only where the settings allow texts.

use super::Hub;
use crate::protocol::attach::message::Alert;
use crate::server::environment::overlaid;
use crate::server::exec::{Executor, Job};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How many run at a time; further notifications go without.
const AT_A_TIME: usize = 4;
/// After this long its whole tree is ended.
const LONGEST: Duration = Duration::from_secs(10);
/// What it writes is nobody's business.
const OUTPUT_BYTES: usize = 0;

/// Runs the commands.
pub(super) struct Commands {
    executor: Executor,
    free: Arc<Semaphore>,
}

impl Commands {
    pub(super) fn new(executor: Executor) -> Self {
        Self { executor, free: Arc::new(Semaphore::new(AT_A_TIME)) }
    }
}

impl Hub {
    /// Runs the user's command for a notification, if there is one.
    pub(super) fn run_notification_command(&self, alert: &Alert) {
        let pane = alert.pane;
        let command = &self.settings.config.notification_command;
        let Some(state) = self.panes.get(&pane).filter(|_| !command.is_empty()) else { return };
        let Ok(free) = Arc::clone(&self.commands.free).try_acquire_owned() else {
            tracing::warn!(pane = pane.0, "too many notification commands run; this notification has none");
            return;
        };
        let views = self.agents.views();
        let agent = views.get(&pane).and_then(|view| view.kind().map(str::to_owned)).unwrap_or_default();
        let text = if self.settings.config.notification_text { alert.text.as_str() } else { "" };
        let told = [
            ("LUVUS_NOTIFICATION", alert.matter.as_str().to_owned()),
            ("LUVUS_NOTIFICATION_AGENT", agent),
            ("LUVUS_NOTIFICATION_TEXT", text.to_owned()),
        ];
        let told = told.map(|(name, value)| (name.to_owned(), value));
        let job = Job {
            argv: shell(command),
            cwd: self.settings.home.clone(),
            env: overlaid(state.handle().environment().to_vec(), &told),
            stdin: None,
            output_bytes: OUTPUT_BYTES,
            deadline: Some(LONGEST),
        };
        let executor = self.commands.executor.clone();
        self.settings.background.spawn(async move {
            let done = executor.run(job).await;
            if let Err(error) = done {
                tracing::warn!(%error, "the notification command could not be run");
            }
            drop(free);
        });
    }
}

fn shell(command: &str) -> Vec<String> {
    let words: [&str; 2] = if cfg!(windows) { ["cmd.exe", "/C"] } else { ["/bin/sh", "-c"] };
    words.into_iter().chain([command]).map(str::to_owned).collect()
}
