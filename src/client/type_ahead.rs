//! Keys typed ahead: a command that moves the focus decides where the next key goes, so the next key
//! waits until the server has settled it. A line typed right after a split goes to the new pane, over a
//! slow connection too.
//!
//! Invariant: a server that does not answer holds a key for at most [`HELD`]; leaving is always possible.

use crate::protocol::attach::message::ToServer;
use crate::protocol::command::Command;
use std::time::Duration;
use tokio::time::Instant;

/// How long a key waits: longer than the way around the world, shorter than a person's patience.
const HELD: Duration = Duration::from_secs(1);

/// Counts commands and their answers, which come in order.
#[derive(Debug, Default)]
pub struct TypeAhead {
    sent: u64,
    settled: u64,
    /// The newest command that keys wait for, and until when.
    awaited: Option<(u64, Instant)>,
}

impl TypeAhead {
    /// A message is on its way; what the server settles counts.
    pub fn sent(&mut self, message: &ToServer, now: Instant) {
        let moves = match message {
            ToServer::Command(command) => moves_focus(command),
            ToServer::Scratch(_) | ToServer::Fork(_) => true,
            _ => return,
        };
        self.sent += 1;
        if moves {
            self.awaited = Some((self.sent, now + HELD));
        }
    }

    /// The oldest command without an answer is settled.
    pub fn settled(&mut self) {
        self.settled += 1;
        self.awaited = self.awaited.filter(|(command, _)| *command > self.settled);
    }

    /// Keys wait no longer.
    pub fn give_up(&mut self) {
        self.awaited = None;
    }

    /// Until when keys wait, if they do.
    pub fn deadline(&self) -> Option<Instant> {
        self.awaited.map(|(_, deadline)| deadline)
    }
}

/// Whether the next key may belong to another pane, or to a question, once the command is carried out.
fn moves_focus(command: &Command) -> bool {
    match command {
        Command::OpenWorkspace { focus, .. }
        | Command::NewTab { focus, .. }
        | Command::SplitPane { focus, .. } => *focus,
        Command::FocusWorkspace { .. }
        | Command::StepWorkspace { .. }
        | Command::CloseWorkspace { .. }
        | Command::FocusTab { .. }
        | Command::StepTab { .. }
        | Command::CloseTab { .. }
        | Command::FocusPane { .. }
        | Command::FocusDirection { .. }
        | Command::StepPane { .. }
        | Command::StepFocusHistory { .. }
        | Command::ApplyLayout { .. }
        | Command::ArrangeTab { .. }
        | Command::MovePane { .. }
        | Command::ClosePane { .. } => true,
        Command::RenameWorkspace { .. }
        | Command::PinWorkspace { .. }
        | Command::MoveWorkspace { .. }
        | Command::MoveWorkspaces { .. }
        | Command::RenameTab { .. }
        | Command::MoveTab { .. }
        | Command::SwapTabs { .. }
        | Command::SwapPanes { .. }
        | Command::SwapStep { .. }
        | Command::ResizePane { .. }
        | Command::SetPaneRatio { .. }
        | Command::SetSplitRatio { .. }
        | Command::ZoomPane { .. }
        | Command::RenamePane { .. }
        | Command::LabelPane { .. }
        | Command::DescribePane { .. } => false,
    }
}
