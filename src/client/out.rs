//! What a change of the state asks for outside of it.

use super::options::Ending;
use super::sessions::Wish;
use crate::protocol::attach::message::ToServer;
use crate::protocol::command::Command;

/// What must happen outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    /// A message goes to the server.
    Send(ToServer),
    /// The server has settled a command.
    Settled,
    /// The outer terminal rings.
    Bell,
    /// The outer terminal tells the person something.
    Notify(String),
    /// The outer clipboard gets a text.
    Clipboard(String),
    /// A text that the person has copied goes to the outer clipboard, and to the desktop's.
    Copy(String),
    /// The outer terminal reports the mouse, or not any more.
    Mouse(bool),
    /// The outer terminal is asked for its colours.
    AskColors,
    /// The look is the theme of that name.
    Theme(String),
    /// An address is opened where the person sits.
    Open(String),
    /// Something is to be done about sessions.
    Sessions(Wish),
    /// The client ends.
    Leave(Ending),
    /// The server ended the connection, and why.
    Dropped(String),
    /// The server restarts: the connection must be made anew.
    Reconnect,
}

impl Out {
    /// A command on its way to the server.
    pub fn command(command: Command) -> Self {
        Self::Send(ToServer::Command(command))
    }
}
