//! The messages after the handshake.

use crate::protocol::agent::Conversation;
use crate::protocol::command::Command;
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TerminalId, WorkspaceId};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers, MouseEvent};
use crate::protocol::outer::OuterColors;
use crate::protocol::patch::Patch;
use crate::protocol::scene::Scene;
use crate::protocol::text::{Answer, Ask};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a client wants to look in a pane's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScrollTo {
    /// The live screen.
    Live,
    /// That many rows further up (negative: down).
    Up(i32),
    /// The oldest row.
    Top,
    /// That row of the history, a little below the top; the live screen if it stands there.
    Around(u64),
    /// The last prompt above the first row that is shown, so that it comes to the top.
    PromptAbove,
    /// The first prompt below that row.
    PromptBelow,
    /// That many tenths of the history from its oldest row (1–9).
    Tenth(u8),
    /// The row of that number comes to the top, or the live screen if it begins above that.
    Row(u64),
    /// That row comes to the top and stays there while output arrives, on the live screen too.
    Hold(u64),
}

/// What stands on a pane's screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peek {
    /// Which pane.
    pub pane: PaneId,
    /// Its terminal.
    pub terminal: TerminalId,
    /// Stands for the text: two screens that differ have different ones.
    pub digest: u64,
    /// Its last lines.
    pub lines: Vec<String>,
}

/// What a name in a pane leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// Which pane.
    pub pane: PaneId,
    /// The name.
    pub text: String,
    /// Its absolute path, if it is there.
    pub path: Option<String>,
    /// Whether that is a folder.
    pub folder: bool,
}

/// An answer to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// A text and Enter, if it can take a prompt.
    Prompt(String),
    /// Keys, each pressed and let go, if its screen is still the one that was seen.
    Keys(Vec<(KeyCode, Modifiers)>),
}

/// What a client has for panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Its cells.
    pub area: Size,
    /// Whether it shows the focused pane only, as a narrow screen does. That is this client's view of the tab
    /// and zooms nothing.
    pub alone: bool,
}

/// From client to server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToServer {
    /// The room for panes changed.
    Resize(Room),
    /// A key for a pane.
    Key(PaneId, KeyEvent),
    /// A paste for a pane (at most `PASTE_BYTES`).
    Paste(PaneId, String),
    /// A mouse event for a pane.
    Mouse(PaneId, MouseEvent),
    /// The outer terminal's window got or lost the focus.
    Focus(bool),
    /// A wish to change the model. A failure comes back as [`ToClient::Notice`], a close that
    /// needs a confirmation as [`ToClient::Confirm`], and last, always, a [`ToClient::Settled`].
    Command(Command),
    /// Look elsewhere in a pane's history. This client's view only. Both sides count these requests; the
    /// pictures that answer one say so ([`Patch::scrolls`]).
    Scroll(PaneId, ScrollTo),
    /// The pane's picture is lost: send it whole.
    Refresh(PaneId),
    /// What does this pane show? [`ToClient::Peeked`] answers, unless it is gone.
    Peek(PaneId),
    /// Answers an agent whose screen was seen; what it comes to is told as a [`ToClient::Notice`] where it was
    /// refused.
    Answer(Peek, Reply),
    /// Is there a file or folder of that name, seen from the pane's directory? [`ToClient::Located`] answers.
    Locate(PaneId, String),
    /// A question about a pane's text; the number comes back with [`ToClient::Answered`]. A search that is
    /// still under way is given up for a newer one, and answered by that one's number only.
    Ask(PaneId, u32, Ask),
    /// The person leaves.
    Detach,
    /// Changes some settings: lines of `config.toml`. [`ToClient::Configured`] answers.
    Configure(String),
    /// Searches, in the place of the search before. [`ToClient::Found`] answers, several times.
    Find(Find),
    /// The finder is closed: its search is not wanted any more.
    EndFind,
    /// Which conversations could be gone on with? [`ToClient::Conversations`] answers; an earlier question that is
    /// not answered yet is called off.
    Conversations,
    /// Goes on with a conversation in a new tab; a refusal is a [`ToClient::Notice`].
    Resume {
        /// The agent's kind.
        agent: String,
        /// The conversation's exact id.
        id: String,
    },
    /// Reads the counters of these panes' conversations where their agents keep them; what comes of it is in the
    /// scene.
    ReadUsage(Vec<PaneId>),
    /// Which agents tell of their conversations? With a change, after that was tried. [`ToClient::Integrations`]
    /// answers.
    Integrations(Option<Integrate>),
    /// A text and Enter for several panes: agents among them are prompted, if they can take a prompt. A
    /// [`ToClient::Notice`] says what came of it.
    Tell(Vec<PaneId>, String),
    /// The outer terminal told its colours.
    Colors(OuterColors),
    /// Something about the scratch terminal. A failure comes back as [`ToClient::Notice`], and last, always, a
    /// [`ToClient::Settled`].
    Scratch(ScratchWish),
    /// Forks the conversation of a pane's agent into a new pane beside it. A failure comes back as
    /// [`ToClient::Notice`], and last, always, a [`ToClient::Settled`].
    Fork(PaneId),
    /// Something about a project's layout. [`ToClient::Project`] or a [`ToClient::Notice`] may follow.
    Project(ProjectWish),
}

/// The layout of a project, which is made once the person has said yes to this very text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Of this workspace.
    pub workspace: WorkspaceId,
    /// Its root folder.
    pub folder: String,
    /// What would be made, and what would run.
    pub lines: Vec<String>,
    /// Stands for the text.
    pub digest: String,
    /// Whether the person has said yes to another text of that folder.
    pub changed: bool,
}

/// What the person says about a project's layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProjectWish {
    /// Look whether the folder has one, and offer it; one that was confirmed before is made at once.
    Look(WorkspaceId),
    /// Make what was shown, with this digest.
    Accept(WorkspaceId, String),
    /// Not now.
    Decline(WorkspaceId),
}

/// What a client wants of the scratch terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScratchWish {
    /// See it; it is started if there is none.
    Show,
    /// See it no more; what runs in it goes on.
    Hide,
    /// End what runs in it.
    End,
}

/// What a finder looks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Find {
    /// The client's number of this search.
    pub number: u32,
    /// Characters that paths have in this order, and the text that output has.
    pub query: String,
    /// Whether capitals count.
    pub sensitive: bool,
    /// The workspace below whose root files are found; none finds none.
    pub files: Option<WorkspaceId>,
    /// Whether retained output is searched.
    pub output: bool,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spotted {
    /// A file.
    File {
        /// Its path below the root.
        path: String,
        /// How well it fits; the higher the better.
        score: u32,
    },
    /// A line of output, the newest first.
    Output {
        /// In this pane.
        pane: PaneId,
        /// The row of the history that it begins on.
        row: u64,
        /// The line.
        line: String,
    },
}

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matter {
    /// An agent waits for a person.
    Blocked,
    /// An agent has finished.
    Done,
    /// Somebody said something about a pane.
    Message,
}

impl Matter {
    /// The machine's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Message => "message",
        }
    }
}

/// One thing that a person is told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// Of this pane.
    pub pane: PaneId,
    /// What the pane is called.
    pub name: String,
    /// What it is about.
    pub matter: Matter,
    /// One plain line.
    pub text: String,
}

/// A notification, and when it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What it said.
    pub alert: Alert,
    /// Milliseconds since 1970.
    pub at_ms: u64,
}

/// A change of an integration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integrate {
    /// The agent's kind.
    pub agent: String,
    /// Whether its entry is to be there.
    pub install: bool,
}

/// An agent that can be made to tell which conversation runs in its pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntegrationState {
    /// The agent's kind.
    pub agent: String,
    /// What the agent is called.
    pub title: String,
    /// The file of settings that our entry belongs into.
    pub path: String,
    /// Whether it is there, or why that cannot be told.
    pub installed: Result<bool, String>,
}

/// How loud a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Something happened.
    Info,
    /// Something did not work.
    Warning,
}

/// Why the server ends an attach connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Farewell {
    /// Somebody detached this client.
    Detached,
    /// The session ended in good order.
    Ended,
    /// The server restarts; the client should connect again.
    Restarting,
    /// The client did not read for too long, or broke the protocol; the text says which.
    Dropped(String),
}

/// From server to client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToClient {
    /// The session changed.
    Scene(Arc<Scene>),
    /// A pane's picture changed.
    Pane(PaneId, Patch),
    /// A line for the status bar.
    Notice(Level, String),
    /// Ask the person; on yes send the command with `ClosePolicy::Force`.
    Confirm {
        /// The question.
        question: String,
        /// What to send on yes.
        command: Command,
    },
    /// The oldest command without an answer was carried out or refused, and everything that the
    /// person should see of it was sent before.
    Settled,
    /// What a pane shows.
    Peeked(Peek),
    /// What a name leads to.
    Located(Located),
    /// The answer to the question of that number.
    Answered(u32, Answer),
    /// Ring the bell.
    Bell,
    /// A child put this on the clipboard (OSC 52).
    Clipboard(String),
    /// The connection ends.
    Bye(Farewell),
    /// The settings are others now: the text of a whole configuration.
    Settings(String),
    /// Show Mission Control, of all workspaces or of the focused one.
    ShowMission {
        /// Which of the two.
        this_workspace: bool,
    },
    /// The oldest [`ToServer::Configure`] without an answer is in force, or refused, and why.
    Configured(Result<(), String>),
    /// What a search has found meanwhile.
    Found {
        /// Its number.
        number: u32,
        /// What has come since the last time.
        spotted: Vec<Spotted>,
        /// Whether it is over, and then whether something was left out.
        end: Option<bool>,
    },
    /// What the person is to be told, all at once.
    Alerts(Vec<Alert>),
    /// What was told before this client came, the newest first.
    History(Vec<Told>),
    /// The conversations that could be gone on with, the newest first.
    Conversations(Vec<Conversation>),
    /// The integrations as they are now, and why the change that was asked for did not work.
    Integrations(Vec<IntegrationState>, Option<String>),
    /// A project has a layout; the person decides.
    Project(Offer),
}
