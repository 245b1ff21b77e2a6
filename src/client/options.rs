//! What the command line hands to the client, and what it gets back.

use super::depth::Depth;
use super::sessions::Sessions;
use crate::config::Config;
use crate::config::theme::Palette;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// A connection to a server, its handshake not yet made.
pub struct Pipe {
    pub(super) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Pipe {
    /// A pipe over one stream that reads and writes.
    #[must_use]
    pub fn new(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::from_halves(reader, writer)
    }

    /// A pipe over two streams, as those of a child process.
    #[must_use]
    pub fn from_halves(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer) }
    }
}

/// Makes one attempt to connect again, for a server that said it restarts.
pub type Reconnect = Box<dyn FnMut() -> Pin<Box<dyn Future<Output = io::Result<Pipe>> + Send>> + Send>;

/// Finds a theme by its name; the text says why there is none.
pub type Themes = Box<dyn Fn(&str) -> Result<Palette, String> + Send>;

/// Nothing, or a line for the person.
pub type Told = Result<(), String>;

/// Another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Far {
    /// Its name, as the person calls it.
    pub host: String,
}

/// How narrow screens are told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// By their columns.
    #[default]
    Auto,
    /// Every screen counts as narrow.
    Mobile,
    /// None does.
    Desktop,
}

/// What became of a text for the desktop's clipboard: a line for the person.
pub type Copied = Result<String, String>;

/// Gives a text to the desktop's clipboard.
pub type Clipboard = Box<dyn Fn(String) -> Pin<Box<dyn Future<Output = Copied> + Send>> + Send>;

/// Everything that one attach needs.
pub struct Options {
    /// The connection.
    pub pipe: Pipe,
    /// How to connect again after a restart of the server.
    pub reconnect: Reconnect,
    /// The settings.
    pub config: Config,
    /// What was wrong in the settings; shown as notices.
    pub config_warnings: Vec<String>,
    /// Name of the session.
    pub session: String,
    /// The sessions beside it.
    pub sessions: Arc<dyn Sessions>,
    /// The desktop's clipboard, where there is one.
    pub clipboard: Option<Clipboard>,
    /// A folder to show as a workspace, absolute.
    pub folder: Option<String>,
    /// The person's `SSH_AUTH_SOCK`.
    pub ssh_auth_sock: Option<String>,
    /// The person's home folder: shown as `~`, and expanded from it in prompts.
    pub home: Option<String>,
    /// Whether `NO_COLOR` is set: the client's own parts are then drawn without colours.
    pub no_color: bool,
    /// The colours of the theme.
    pub palette: Palette,
    /// Finds the colours of another theme, when the settings name one later.
    pub themes: Themes,
    /// The names of all themes.
    pub theme_names: Vec<String>,
    /// How many colours the outer terminal knows.
    pub depth: Depth,
    /// How narrow screens are told from others.
    pub form: Form,
    /// The other machine that the server is on; its line may break.
    pub far: Option<Far>,
    /// The person's editor, where it is the server's machine too.
    pub editor: Option<String>,
    /// Whether the locale is UTF-8.
    pub utf8: bool,
    /// Version of this program.
    pub version: String,
}

/// How an attach ended in good order (`spec/README.md` point 12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The client left; the session goes on.
    Detached,
    /// The session ended.
    Ended,
    /// The client left for another session; everything goes on.
    Switch(String),
}

/// Why an attach did not end in good order.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A thread of its own broke down; the terminal is given back all the same.
    #[error("the client has broken down, which is a bug (client.log says where); the session goes on")]
    Panicked,
    /// Standard input or output is no terminal.
    #[error("attaching needs a terminal on standard input and output")]
    NotATerminal,
    /// The outer terminal cannot be used.
    #[error("cannot use the terminal")]
    Terminal(#[source] io::Error),
    /// The server refused the handshake; the text is the server's.
    #[error("the server refused: {0}")]
    Refused(String),
    /// The server is about to end; another one may follow.
    #[error("the server refused: {0}")]
    NotNow(String),
    /// The peer does not speak the attach protocol.
    #[error("cannot understand the server: {0}")]
    Protocol(String),
    /// It listens and says nothing.
    #[error("the server does not answer; `luvus doctor` says what to do")]
    Silent,
    /// The connection ended without a farewell.
    #[error("the server is gone: it died or was killed")]
    ServerDied,
    /// The line to another machine broke ([`std::io::ErrorKind::NetworkDown`]).
    #[error("the link is lost; the session goes on")]
    LinkLost,
    /// The server ended the connection; the text says why.
    #[error("the server ended the connection: {0}")]
    Dropped(String),
    /// The server did not come back after its restart.
    #[error("the server did not come back within {0} seconds of its restart")]
    NotBack(u64),
}
