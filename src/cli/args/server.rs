//! Verbs of `luvus server`, and what a starter tells the server it spawns.

use super::later::Later;
use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

/// `luvus server`
#[derive(Debug, ClapArgs)]
pub struct ServerArgs {
    /// What to do with it; without: run it in the foreground
    #[command(subcommand)]
    pub verb: Option<Later<ServerVerb>>,
    #[command(flatten)]
    pub child: ChildArgs,
}

/// What a starter tells the server it spawns.
#[derive(Debug, Clone, Default, PartialEq, Eq, ClapArgs)]
pub struct ChildArgs {
    /// Leave the terminal and report readiness on standard output
    #[arg(long, hide = true)]
    pub detached_child: bool,
    /// The starter's screen in rows
    #[arg(long, hide = true, requires = "cols")]
    pub rows: Option<u16>,
    /// The starter's screen in columns
    #[arg(long, hide = true, requires = "rows")]
    pub cols: Option<u16>,
    /// Folder of the first workspace
    #[arg(long, hide = true)]
    pub folder: Option<PathBuf>,
}

/// `luvus server …`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ServerVerb {
    /// Say whether it runs
    Status,
    /// Start it in the background
    Start,
    /// End it and everything that runs in it
    Stop,
    /// End it and start it anew; attached clients come back by themselves
    Restart {
        /// Every session that runs
        #[arg(long)]
        all: bool,
    },
    /// Read the configuration again
    Reload,
}
