//! Verbs of `luvus session`.

use crate::cli::paths::SessionName;
use crate::protocol::ids::PaneId;
use clap::Subcommand;
use std::path::PathBuf;

/// `luvus session`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SessionVerb {
    /// List the sessions, running or not
    List,
    /// Make a session and attach to it
    New {
        /// Its name
        name: SessionName,
        /// Only start it
        #[arg(long)]
        detached: bool,
        /// Folder of its first workspace [default: the current one]
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
    },
    /// Attach to a session
    Attach {
        /// Its name
        name: SessionName,
    },
    /// Detach the client that was typed into last
    Detach {
        /// Detach all clients
        #[arg(long)]
        all: bool,
    },
    /// End a session's server and everything that runs in it
    #[command(visible_alias = "stop")]
    Kill {
        /// Its name
        name: SessionName,
    },
    /// Say what the start brought back and what it could not
    Report {
        /// Start the shell of this pane again where it was
        #[arg(long, value_name = "PANE")]
        retry: Option<PaneId>,
    },
    /// Delete the files of a stopped session
    Delete {
        /// Its name
        name: SessionName,
        /// Yes, really
        #[arg(long)]
        yes: bool,
    },
}
