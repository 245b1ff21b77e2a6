//! Verbs of `luvus tab` and of `luvus layout`.

use super::runtime::{CloseArgs, EnvelopeArgs};
use crate::cli::refs::{TabRef, WindowRef, WorkspaceRef};
use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

/// `luvus tab`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum TabVerb {
    /// List the tabs of a workspace
    List {
        /// Index or id [default: that of this pane, else the focused one]
        #[arg(long)]
        workspace: Option<WorkspaceRef>,
    },
    /// Open a tab
    New {
        /// Index or id [default: that of this pane, else the focused one]
        #[arg(long)]
        workspace: Option<WorkspaceRef>,
        /// Where its shell starts
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
        /// Leave the focus where it is
        #[arg(long)]
        no_focus: bool,
    },
    /// Show a tab
    Focus {
        /// Index or id
        tab: TabRef,
        /// Index or id [default: that of this pane, else the focused one]
        #[arg(long)]
        workspace: Option<WorkspaceRef>,
    },
    /// Move a tab to another index of its workspace
    Move {
        /// Index or id
        tab: TabRef,
        /// Its new index
        to: u32,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Swap two tabs of a workspace
    Swap {
        /// Index or id
        tab: TabRef,
        /// Index or id
        with: TabRef,
        /// Index or id [default: that of this pane, else the focused one]
        #[arg(long)]
        workspace: Option<WorkspaceRef>,
    },
    /// Name a tab; an empty name restores the generated one
    Rename {
        /// Index or id
        tab: TabRef,
        /// The name
        name: String,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Close a tab; refused while something runs in it
    Close {
        /// Index or id
        tab: TabRef,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        close: CloseArgs,
    },
}

/// `luvus layout`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum LayoutVerb {
    /// Print a tab's layout as JSON
    Export {
        #[command(flatten)]
        of: TabOf,
    },
    /// Lay the panes of a tab out as JSON says; what runs in them goes on
    Apply {
        /// A file [default: standard input]
        file: Option<PathBuf>,
        #[command(flatten)]
        of: TabOf,
    },
}

// Which tab.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct TabOf {
    /// Index or id of the tab [default: the one that is shown]
    #[arg(long)]
    pub tab: Option<TabRef>,
    /// Index or id [default: that of this pane, else the focused one]
    #[arg(long)]
    pub workspace: Option<WorkspaceRef>,
}
