//! The handshake (`product.md` section 11): hello → welcome (or a refusal) → messages.

use crate::protocol::geometry::Size;
use serde::{Deserialize, Serialize};

/// The first bytes of an attach connection. No JSON protocol starts with them.
pub const MAGIC: &[u8; 8] = b"\0LUVUS\r\n";

/// The version of the messages that follow the handshake.
pub const VERSION: u32 = 4;

/// What a client says first. Unknown fields are ignored, so that later versions may add some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Message versions that the client speaks, best first.
    pub versions: Vec<u32>,
    /// Version of the client's program.
    pub program: String,
    /// Optional abilities by name.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Cells that the client has for panes.
    pub area: Size,
    /// Whether it shows the focused pane only ([`super::message::Room`]).
    #[serde(default)]
    pub alone: bool,
    /// A folder to show as a workspace (where `luvus` was typed), absolute.
    #[serde(default)]
    pub folder: Option<String>,
    /// The client's `SSH_AUTH_SOCK`.
    #[serde(default)]
    pub ssh_auth_sock: Option<String>,
}

/// What the server answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Greeting {
    /// The connection goes on with messages of `version`.
    Welcome {
        /// The version chosen.
        version: u32,
        /// Version of the server's program.
        program: String,
        /// The server's generation, 32 hex digits.
        generation: String,
        /// Name of the session.
        session: String,
        /// Optional abilities by name.
        capabilities: Vec<String>,
    },
    /// The connection ends.
    Refused {
        /// Versions that the server speaks; none from one that is about to end.
        versions: Vec<u32>,
        /// Version of the server's program.
        program: String,
        /// What a person should know and do.
        message: String,
    },
}
