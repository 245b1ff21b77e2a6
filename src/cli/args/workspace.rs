//! Verbs of `luvus workspace` and of `luvus window`.

use super::runtime::CloseArgs;
use crate::cli::refs::{WindowRef, WorkspaceRef};
use clap::Subcommand;
use std::path::PathBuf;

/// `luvus workspace`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum WorkspaceVerb {
    /// List the workspaces
    List,
    /// Show the workspace of a folder, opening it if needed
    Open {
        /// The folder
        path: PathBuf,
    },
    /// Open one more workspace
    New {
        /// Its folder [default: the current one]
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
    },
    /// Show a workspace
    Focus {
        /// Index or id
        workspace: WorkspaceRef,
    },
    /// Rename a workspace
    Rename {
        /// Index or id
        workspace: WorkspaceRef,
        /// The new name
        name: String,
    },
    /// Keep a workspace at the top of the list
    Pin {
        /// Index or id
        workspace: WorkspaceRef,
    },
    /// Take the pin away
    Unpin {
        /// Index or id
        workspace: WorkspaceRef,
    },
    /// Move a workspace to another index
    Move {
        /// Index or id
        workspace: WorkspaceRef,
        /// Its new index
        to: u32,
    },
    /// Close a workspace; refused while something runs in it
    Close {
        /// Index or id
        workspace: WorkspaceRef,
        #[command(flatten)]
        close: CloseArgs,
    },
}

/// `luvus window`
#[derive(Debug, Clone, Copy, Subcommand)]
#[command(defer = true)]
pub enum WindowVerb {
    /// Close a window; refused while something runs in it
    Close {
        /// Its number
        window: WindowRef,
        #[command(flatten)]
        close: CloseArgs,
    },
}
