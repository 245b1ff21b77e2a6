//! What a client sends, turned into input for panes and requests to the hub.

use super::finder::Finding;
use super::present::Asked;
use super::pump::Wish;
use super::reading::{self, Reading};
use super::strip;
use super::{fork, locate, mission, past};
use crate::config::Patch;
use crate::config::sections::reasons;
use crate::protocol::attach::message::{Farewell, Level, Reply, ScratchWish, ToClient, ToServer};
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::ids::{ClientId, PaneId};
use crate::protocol::limits::{CONFIGURE_BYTES, PASTE_BYTES, TERMINALS};
use crate::protocol::scene::Scene;
use crate::server::hub::{HubError, HubHandle};
use crate::server::model::ModelError;
use crate::server::spending;
use crate::server::terminal::handle::{InputError, PaneHandle};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// One warning a second is enough about a pane that does not read.
const WARN_EVERY: Duration = Duration::from_secs(1);
/// Keys of one answer.
const KEYS: usize = 64;
/// Programs that a question names; further ones are counted.
const NAMED: usize = 3;

/// The half of a driver that acts on messages.
pub struct Input {
    pub hub: HubHandle,
    pub client: ClientId,
    /// To the presenter.
    pub asked: mpsc::Sender<Asked>,
    /// To the client.
    pub out: mpsc::Sender<ToClient>,
    pub warned: Option<Instant>,
    /// Scroll requests so far.
    pub scrolls: u32,
    /// Questions about panes' texts.
    pub reading: Reading,
    /// The last look at a pane.
    pub looking: Option<AbortHandle>,
    /// The last look for a file.
    pub locating: Option<AbortHandle>,
    /// The last list of conversations.
    pub listing: Option<AbortHandle>,
    /// The last look for what conversations used.
    pub counting: Option<AbortHandle>,
    /// The person's home folder.
    pub home: PathBuf,
    /// The search of its finder.
    pub finding: Finding,
}

impl Input {
    /// Acts on one message; returns how the connection ends, if it does.
    pub async fn take(&mut self, message: ToServer) -> Option<Farewell> {
        match message {
            ToServer::Resize(room) => self.hub.client_room(self.client, room).await,
            ToServer::Key(pane, event) => self.give(pane, |handle| handle.key(event)).await,
            ToServer::Paste(_, text) if text.len() > PASTE_BYTES => {
                return Some(Farewell::Dropped("a paste was longer than the protocol allows".into()));
            }
            ToServer::Paste(pane, text) => self.give(pane, |handle| handle.paste(&text)).await,
            ToServer::Mouse(pane, event) => self.give(pane, |handle| handle.mouse(event)).await,
            ToServer::Colors(colors) => self.hub.client_colors(self.client, colors).await,
            ToServer::Focus(focused) => self.hub.window_focus(self.client, focused).await,
            ToServer::Command(command) => {
                self.command(command).await;
                // through the presenter, so that it comes after the scene
                let _ = self.asked.send(Asked::Settled).await;
            }
            ToServer::Scratch(wish) => {
                self.hub.claim(self.client).await;
                if let Err(error) = self.hub.scratch(self.client, wish).await {
                    let _ = self.out.send(ToClient::Notice(level(&error), error.to_string())).await;
                }
                let _ = self.asked.send(Asked::Scratch(wish == ScratchWish::Show)).await;
                let _ = self.asked.send(Asked::Settled).await;
            }
            ToServer::Scroll(pane, to) => {
                self.hub.claim(self.client).await;
                self.scrolls = self.scrolls.wrapping_add(1);
                self.wish(pane, Wish::Scroll(to, self.scrolls));
            }
            ToServer::Refresh(pane) => self.wish(pane, Wish::Refresh),
            ToServer::Peek(pane) => self.peek(pane),
            ToServer::Answer(_, Reply::Keys(keys)) if keys.len() > KEYS => {
                return Some(Farewell::Dropped("an answer had more keys than the protocol allows".into()));
            }
            ToServer::Answer(seen, reply) => {
                self.hub.claim(self.client).await;
                mission::answer(&self.hub, seen, reply, &self.out).await;
            }
            ToServer::Ask(_, _, ask) if reading::too_long(&ask) => {
                return Some(Farewell::Dropped("a search was longer than the protocol allows".into()));
            }
            ToServer::Ask(pane, number, ask) => self.reading.take(&self.hub, &self.out, pane, (number, ask)),
            ToServer::Locate(pane, text) => self.locate(pane, text),
            ToServer::Detach => return Some(Farewell::Detached),
            ToServer::Find(find) => self.finding.begin(&self.hub, find, &self.out),
            ToServer::EndFind => self.finding.end(),
            ToServer::Tell(panes, _) if panes.len() > TERMINALS => {
                return Some(Farewell::Dropped("a text was for more panes than there can be".into()));
            }
            ToServer::Tell(panes, text) => {
                self.hub.claim(self.client).await;
                strip::tell(&self.hub, panes, text, &self.out).await;
            }
            ToServer::Conversations => {
                let (hub, home, out) = (self.hub.clone(), self.home.clone(), self.out.clone());
                let list = tokio::spawn(async move { past::list(&hub, &home, &out).await });
                if let Some(earlier) = self.listing.replace(list.abort_handle()) {
                    earlier.abort();
                }
            }
            ToServer::Resume { agent, id } => {
                self.hub.claim(self.client).await;
                let (hub, home, out) = (self.hub.clone(), self.home.clone(), self.out.clone());
                tokio::spawn(async move { past::resume(&hub, &home, (&agent, &id), &out).await });
            }
            ToServer::ReadUsage(panes) => {
                let (hub, home) = (self.hub.clone(), self.home.clone());
                let read = tokio::spawn(async move { spending::refresh(&hub, &home, &panes).await });
                if let Some(earlier) = self.counting.replace(read.abort_handle()) {
                    earlier.abort();
                }
            }
            ToServer::Integrations(change) => {
                let (hub, out) = (self.hub.clone(), self.out.clone());
                tokio::spawn(async move { past::integrations(&hub, change, &out).await });
            }
            ToServer::Fork(pane) => {
                self.hub.claim(self.client).await;
                fork::fork(&self.hub, pane, &self.out).await;
                let _ = self.asked.send(Asked::Settled).await;
            }
            ToServer::Project(wish) => {
                self.hub.claim(self.client).await;
                self.hub.project(wish).await;
            }
            ToServer::Configure(text) => {
                let answer = ToClient::Configured(self.configure(&text).await);
                let _ = self.out.send(answer).await;
            }
        }
        None
    }

    /// Changes some settings.
    async fn configure(&self, text: &str) -> Result<(), String> {
        if text.len() > CONFIGURE_BYTES {
            return Err("the change is too long".to_owned());
        }
        let patch = Patch::parse(text).map_err(|warnings| reasons(&warnings))?;
        self.hub.patch_config(patch, None).await.map(drop).map_err(|error| error.to_string())
    }

    /// Looks at a pane beside the keys, which wait for no pane. A person reads one screen at a time: an earlier
    /// look that is not done is called off.
    fn peek(&mut self, pane: PaneId) {
        let (hub, out) = (self.hub.clone(), self.out.clone());
        let look = tokio::spawn(async move { mission::peek(&hub, pane, &out).await });
        if let Some(earlier) = self.looking.replace(look.abort_handle()) {
            earlier.abort();
        }
    }

    /// Looks for a file beside the keys. A person points at one thing at a time: an earlier look is called off.
    fn locate(&mut self, pane: PaneId, text: String) {
        let folder = self.hub.pane(pane).map(|handle| handle.cwd());
        let out = self.out.clone();
        let look = tokio::spawn(locate::locate(pane, text, folder, out));
        if let Some(earlier) = self.locating.replace(look.abort_handle()) {
            earlier.abort();
        }
    }

    /// Gives input to a pane. A pane that is gone meanwhile gets nothing, as a closed window would.
    async fn give(&mut self, pane: PaneId, input: impl FnOnce(&PaneHandle) -> Result<(), InputError>) {
        let owner_changed = self.hub.claim(self.client).await;
        let Some(handle) = self.hub.pane(pane) else { return };
        if owner_changed {
            // what this key starts shall find the size of the screen that it was typed at
            let _ = handle.settle().await;
        }
        let given = input(&handle);
        self.hub.typed(pane).await;
        self.wish(pane, Wish::Typed);
        let now = Instant::now();
        if given == Err(InputError::QueueFull)
            && self.warned.is_none_or(|warned| now.duration_since(warned) >= WARN_EVERY)
        {
            self.warned = Some(now);
            let text = format!("pane {pane} does not read its input: some was refused");
            let _ = self.out.try_send(ToClient::Notice(Level::Warning, text));
        }
    }

    fn wish(&self, pane: PaneId, wish: Wish) {
        let _ = self.asked.try_send(Asked::Wish(pane, wish));
    }

    async fn command(&self, command: Command) {
        self.hub.claim(self.client).await;
        let answer = match self.hub.command(command.clone()).await {
            Ok(_) => return,
            Err(HubError::Busy(panes)) => {
                let Some(forced) = forced(&command) else { return };
                let scene = self.hub.snapshot().scene;
                let busy: Vec<String> = panes.into_iter().map(|pane| named(&scene, pane)).collect();
                let question = question(&command, &busy);
                ToClient::Confirm { question, command: forced }
            }
            Err(error) => ToClient::Notice(level(&error), error.to_string()),
        };
        let _ = self.out.send(answer).await;
    }
}

/// How loud a refusal is: at an edge nothing went wrong.
fn level(error: &HubError) -> Level {
    match error {
        HubError::Model(ModelError::NoNeighbour | ModelError::NotSplit) => Level::Info,
        _ => Level::Warning,
    }
}

/// A pane as the question names it.
fn named(scene: &Scene, pane: PaneId) -> String {
    let program = scene.pane(pane).and_then(|pane| pane.program.as_deref());
    program.map_or_else(|| format!("pane {pane}"), |program| format!("`{program}`"))
}

/// What a person is asked before something busy is closed: first what they would lose.
fn question(command: &Command, busy: &[String]) -> String {
    let (first, more) = busy.split_at(busy.len().min(NAMED));
    let lost = match (first, more.len()) {
        ([rest @ .., last], 0) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        (_, 0) => first.concat(),
        (_, more) => format!("{} and {more} more", first.join(", ")),
    };
    let what = match command {
        Command::CloseWorkspace { .. } => "workspace",
        Command::CloseTab { .. } => "tab",
        _ => "pane",
    };
    format!("{lost} would be ended. Close the {what}?")
}

/// The same close without a question.
fn forced(command: &Command) -> Option<Command> {
    let policy = ClosePolicy::Force;
    match *command {
        Command::ClosePane { pane, .. } => Some(Command::ClosePane { pane, policy }),
        Command::CloseTab { tab, .. } => Some(Command::CloseTab { tab, policy }),
        Command::CloseWorkspace { workspace, .. } => Some(Command::CloseWorkspace { workspace, policy }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_what_would_be_lost() {
        let asked = |command: &Command, busy: &[&str]| {
            question(command, &busy.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        let policy = ClosePolicy::Ask;
        let pane = Command::ClosePane { pane: None, policy };
        assert_eq!(asked(&pane, &["`top`"]), "`top` would be ended. Close the pane?");
        let tab = Command::CloseTab { tab: None, policy };
        assert_eq!(asked(&tab, &["`top`", "`vim`"]), "`top` and `vim` would be ended. Close the tab?");
        let workspace = Command::CloseWorkspace { workspace: None, policy };
        assert_eq!(
            asked(&workspace, &["`a`", "`b`", "`c`", "`d`", "`e`"]),
            "`a`, `b`, `c` and 2 more would be ended. Close the workspace?"
        );
    }
}
