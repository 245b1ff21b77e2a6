//! Opening an address where the person sits: a program of the system's, beside the loop.
//!
//! Invariant: an opener that cannot be run or that fails is told; the client waits for none.

use std::process::Stdio;
use tokio::process::Command;
use tokio::task::JoinSet;

/// Openers that may run at a time; some stay until the browser is closed.
const RUNNING: usize = 16;

/// The openers that run.
#[derive(Default)]
pub struct Opener {
    running: JoinSet<Option<String>>,
}

impl Opener {
    /// Opens an address by the setting `links.open`; what goes wrong comes from [`Self::failed`].
    pub fn open(&mut self, setting: &str, url: String) {
        let command = command(setting);
        let (Some((program, words)), true) = (command.split_first(), self.running.len() < RUNNING) else {
            let busy = format!("cannot open {url}: {RUNNING} links are being opened");
            self.running.spawn(async { Some(busy) });
            return;
        };
        let mut command = Command::new(program);
        command.args(words).arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let program = program.clone();
        self.running.spawn(async move {
            match command.status().await {
                Ok(status) if status.success() => None,
                Ok(status) => Some(format!("{program} could not open {url} ({status})")),
                Err(error) => Some(format!("cannot run {program} to open {url}: {error}")),
            }
        });
    }

    /// Waits for an opener's end that is worth telling.
    pub async fn failed(&mut self) -> String {
        loop {
            match self.running.join_next().await {
                Some(Ok(Some(why))) => return why,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// The words of the command before the address; without a setting those of the system's own opener.
fn command(setting: &str) -> Vec<String> {
    let own = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "rundll32 url.dll,FileProtocolHandler"
    } else {
        "xdg-open"
    };
    let words = if setting.trim().is_empty() { own } else { setting };
    words.split_whitespace().map(str::to_owned).collect()
}
