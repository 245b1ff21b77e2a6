//! Verbs of `luvus pane` and of `luvus wait`.

use super::agent::Status;
use super::runtime::{AwaitArgs, CloseArgs, EnvelopeArgs, ExecArgs, SourceArgs, SubmitArgs};
use crate::cli::refs::{TabRef, WindowRef};
use crate::protocol::ids::PaneId;
use clap::{ArgAction, Subcommand, value_parser};
use std::path::PathBuf;

/// `luvus pane`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum PaneVerb {
    /// List the panes of all windows
    List {
        /// Only those of this window
        #[arg(long)]
        window: Option<WindowRef>,
        /// Only those of the tab with this index
        #[arg(long)]
        tab: Option<u32>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Split a pane
    Split {
        /// Which [default: this pane, else the focused one]
        pane: Option<PaneId>,
        /// Put the new pane below [default: along the longer side]
        #[arg(long, conflicts_with = "right")]
        down: bool,
        /// Put the new pane on the right
        #[arg(long)]
        right: bool,
        /// Leave the focus where it is
        #[arg(long)]
        no_focus: bool,
        /// Where the new pane starts
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
        /// What to run instead of the shell
        #[arg(last = true)]
        command: Vec<String>,
    },
    /// Focus a pane
    Focus {
        /// Which [default: this pane]
        pane: Option<PaneId>,
    },
    /// Move a pane to another tab of its workspace
    Move {
        /// Which [default: this pane, else the focused one]
        pane: Option<PaneId>,
        /// Index or id of the tab
        #[arg(long, required_unless_present = "new_tab", conflicts_with = "new_tab")]
        tab: Option<TabRef>,
        /// Into a tab of its own
        #[arg(long)]
        new_tab: bool,
    },
    /// Swap two panes of a tab
    Swap {
        /// One
        pane: PaneId,
        /// The other
        with: PaneId,
    },
    /// Set a pane's share of its split
    Resize {
        /// Which
        pane: PaneId,
        /// Its share, 0.05 to 0.95
        ratio: f64,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Show a pane alone in its tab, or all again
    Zoom {
        /// Which [default: this pane, else the focused one]
        pane: Option<PaneId>,
        /// Alone, or all again
        #[arg(long, value_name = "true|false", default_value_t = true, action = ArgAction::Set)]
        zoomed: bool,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Type a command and Enter into a pane
    Run {
        /// Which
        pane: PaneId,
        /// The command; several words are joined by spaces
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Type one line of text into a pane, and Enter
    Send {
        /// Which
        pane: PaneId,
        /// The text
        text: String,
        #[command(flatten)]
        submit: SubmitArgs,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Paste a text of several lines into a pane, and press Enter
    Paste {
        /// Which
        pane: PaneId,
        #[command(flatten)]
        source: SourceArgs,
        #[command(flatten)]
        submit: SubmitArgs,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Wait for a state of a pane
    Wait {
        /// Which
        pane: PaneId,
        #[command(flatten)]
        wait: AwaitArgs,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        /// Indent the printed JSON
        #[arg(long)]
        pretty: bool,
    },
    /// Run a program in a pane's folder, outside of its terminal
    Exec {
        /// Which
        pane: PaneId,
        #[command(flatten)]
        exec: ExecArgs,
        /// Program and arguments
        #[arg(last = true, required = true)]
        argv: Vec<String>,
    },
    /// Read the last lines of a pane, history included
    Read {
        /// Which [default: this pane, else the focused one]
        pane: Option<PaneId>,
        /// How many
        #[arg(long)]
        lines: Option<u32>,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Say what a pane is and what runs in it
    Status {
        /// Which [default: this pane, else the focused one]
        pane: Option<PaneId>,
    },
    /// Name the programs that run in a pane
    Processes {
        /// Which [default: this pane]
        pane: Option<PaneId>,
    },
    /// Give a pane a name of its own; an empty name takes it away
    Name {
        /// Which
        pane: PaneId,
        /// The name: a small letter, then small letters, digits, `-` or `_`
        name: String,
    },
    /// Close a pane; refused while something runs in it
    Close {
        /// Which [default: this pane]
        pane: Option<PaneId>,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        close: CloseArgs,
    },
}

/// `luvus wait`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum WaitVerb {
    /// Until a text appears in a pane
    Output {
        /// Which
        pane: PaneId,
        /// The text
        #[arg(long = "match", value_name = "TEXT")]
        text: String,
        /// For how many seconds at most
        #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(0..=3600))]
        timeout: u64,
    },
    /// Until the agent of a pane is in one of some states
    AgentStatus {
        /// Its pane, its name, or its kind if only one runs
        target: String,
        /// The states
        #[arg(long, value_enum, required = true, value_delimiter = ',', value_name = "STATES")]
        status: Vec<Status>,
        /// For how many seconds at most
        #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = value_parser!(u64).range(0..=3600))]
        timeout: u64,
    },
}
