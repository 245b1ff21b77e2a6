//! Verbs of `luvus ctl`, one for each method of the runtime protocol (`runtime.md` section 12.2).

use super::later::Later;
use super::runtime::{LONGEST_MS, SourceArgs, WaitState};
use crate::cli::refs::WindowRef;
use crate::protocol::ids::PaneId;
use clap::{ArgAction, Args as ClapArgs, Subcommand, ValueEnum, value_parser};
use std::path::PathBuf;

/// `luvus ctl`, with the flags that all its verbs have.
#[derive(Debug, ClapArgs)]
pub struct CtlArgs {
    /// Indent the printed JSON
    #[arg(long, global = true)]
    pub pretty: bool,
    /// How long to wait: for the answer, or for what the verb waits for
    #[arg(long, global = true, value_name = "MS", value_parser = value_parser!(u64).range(1..=LONGEST_MS))]
    pub timeout_ms: Option<u64>,
    /// What to do
    #[command(subcommand)]
    pub verb: Later<CtlVerb>,
}

// The same with a flag for the text.
#[derive(Debug, Clone, ClapArgs)]
#[group(required = true, multiple = false)]
pub struct FlagSourceArgs {
    /// The text
    #[arg(long, allow_hyphen_values = true)]
    pub text: Option<String>,
    /// From a file
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// From standard input
    #[arg(long)]
    pub stdin: bool,
}

impl From<FlagSourceArgs> for SourceArgs {
    fn from(source: FlagSourceArgs) -> Self {
        Self { text: source.text, from_file: source.from_file, stdin: source.stdin }
    }
}

// The same with a flag.
#[derive(Debug, Clone, ClapArgs)]
pub struct AgentFlag {
    /// Name or stable id, as `agents` prints them
    #[arg(long)]
    pub agent: String,
    /// The session of it that is meant
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub generation: Option<u64>,
}

// A pane by a flag.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct PaneFlag {
    /// The pane
    #[arg(long)]
    pub pane: PaneId,
    /// Number of its window
    #[arg(long)]
    pub window: Option<WindowRef>,
}

/// Where a new pane goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitDirection {
    /// Beside
    #[value(alias = "left_right")]
    Right,
    /// Below
    #[value(alias = "top_bottom")]
    Down,
}

// A tab by a flag.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct TabFlag {
    /// Its zero-based index
    #[arg(long)]
    pub tab: u32,
    /// Number of its window
    #[arg(long)]
    pub window: Option<WindowRef>,
}

/// `luvus ctl`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum CtlVerb {
    /// What this server is and can do
    Describe,
    /// The whole state
    Snapshot,
    /// The panes with an AI agent
    Agents {
        /// Only those of this window
        #[arg(long)]
        window: Option<WindowRef>,
    },
    /// Carry out several steps
    #[command(group(clap::ArgGroup::new("from").required(true)))]
    Orchestrate {
        /// From a file
        #[arg(long, value_name = "FILE", group = "from")]
        file: Option<PathBuf>,
        /// From this text
        #[arg(long, value_name = "JSON", group = "from")]
        spec: Option<String>,
    },
    /// Print the state whenever it changes, a line each
    Subscribe {
        /// The revision that is known already
        #[arg(long, value_name = "REVISION")]
        since: Option<u64>,
    },
    /// Start an agent
    AgentStart {
        /// What it is called
        #[arg(long)]
        name: String,
        /// Which program
        #[arg(long)]
        kind: String,
        /// Number of the window
        #[arg(long)]
        window: Option<WindowRef>,
        /// In this pane, which must be at a shell prompt
        #[arg(long)]
        pane: Option<PaneId>,
        /// In this folder
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
        /// The conversation to go on with
        #[arg(long, value_name = "ID")]
        resume_session: Option<String>,
    },
    /// Start an agent in a git worktree of its own
    #[command(group(clap::ArgGroup::new("source").required(true)))]
    AgentFork {
        /// What it is called
        #[arg(long)]
        name: String,
        /// Which program
        #[arg(long)]
        kind: String,
        /// From the repository that this pane is in
        #[arg(long, group = "source")]
        source_pane: Option<PaneId>,
        /// From the repository of this folder
        #[arg(long, value_name = "FOLDER", group = "source")]
        source_cwd: Option<PathBuf>,
        /// Number of the window
        #[arg(long)]
        window: Option<WindowRef>,
        /// Name of the new branch
        #[arg(long)]
        branch: Option<String>,
        /// What it begins at
        #[arg(long)]
        base: Option<String>,
        /// Where the new worktree goes
        #[arg(long)]
        path: Option<PathBuf>,
        /// The conversation to go on with
        #[arg(long, value_name = "ID")]
        resume_session: Option<String>,
        /// Also when the source has changes that are not committed
        #[arg(long)]
        allow_dirty_source: bool,
    },
    /// Who an agent is
    AgentGet {
        #[command(flatten)]
        agent: AgentFlag,
    },
    /// Give an agent a task of one line
    AgentPrompt {
        #[command(flatten)]
        agent: AgentFlag,
        /// The task
        #[arg(long, allow_hyphen_values = true)]
        text: String,
        /// Leave Enter out
        #[arg(long)]
        no_submit: bool,
    },
    /// Give an agent a task of several lines
    AgentPaste {
        #[command(flatten)]
        agent: AgentFlag,
        #[command(flatten)]
        source: FlagSourceArgs,
        /// Leave Enter out
        #[arg(long)]
        no_submit: bool,
    },
    /// Read what an agent printed last
    AgentRead {
        #[command(flatten)]
        agent: AgentFlag,
        /// How many lines
        #[arg(long)]
        lines: Option<u32>,
    },
    /// Wait for a state of an agent
    AgentWait {
        /// Name or stable id, as `agents` prints them
        #[arg(long)]
        agent: String,
        /// The session of it that is meant
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
        generation: u64,
        /// The state
        #[arg(long, value_enum)]
        state: WaitState,
        /// Only changes after this one count
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
        after_seq: Option<u64>,
    },
    /// Read the last lines of a pane
    Read {
        #[command(flatten)]
        pane: PaneFlag,
        /// How many
        #[arg(long)]
        lines: Option<u32>,
    },
    /// The processes of a pane
    Procs {
        #[command(flatten)]
        pane: PaneFlag,
    },
    /// Press a key
    SendKey {
        #[command(flatten)]
        pane: PaneFlag,
        /// Its name
        #[arg(long)]
        key: String,
        /// With Control
        #[arg(long)]
        control: bool,
        /// With Alt
        #[arg(long)]
        alt: bool,
        /// With Shift
        #[arg(long)]
        shift: bool,
        /// So many times
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=64))]
        repeat: Option<u64>,
    },
    /// Run a command in a pane's shell, and wait for its exit code
    Run {
        #[command(flatten)]
        pane: PaneFlag,
        /// The command
        #[arg(long, allow_hyphen_values = true)]
        command: String,
        /// Do not wait
        #[arg(long)]
        no_wait: bool,
    },
    /// Run a program beside a pane
    ExecPane {
        /// The pane
        #[arg(long)]
        pane: PaneId,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
        /// How much is kept of each stream
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=16_777_216))]
        max_output_bytes: Option<u64>,
        /// Program and arguments
        #[arg(last = true, required = true)]
        argv: Vec<String>,
    },
    /// Focus a window or a pane
    Focus {
        /// Number of the window
        #[arg(long)]
        window: Option<WindowRef>,
        /// The pane
        #[arg(long)]
        pane: Option<PaneId>,
    },
    /// Make a window
    NewWindow,
    /// Close an idle window
    CloseWindow {
        /// Its number
        #[arg(long)]
        window: Option<WindowRef>,
    },
    /// Open a tab
    NewTab {
        /// Number of the window
        #[arg(long)]
        window: Option<WindowRef>,
        /// Where its shell starts
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
    },
    /// Close an idle tab
    CloseTab {
        #[command(flatten)]
        tab: TabFlag,
    },
    /// Name a tab
    RenameTab {
        #[command(flatten)]
        tab: TabFlag,
        /// The name; an empty one restores the generated one
        #[arg(long)]
        name: String,
    },
    /// Move a tab
    MoveTab {
        #[command(flatten)]
        tab: TabFlag,
        /// Its new zero-based index
        #[arg(long)]
        to: u32,
    },
    /// Split a pane
    Split {
        /// Where the new pane goes
        #[arg(long, value_enum)]
        direction: SplitDirection,
        /// Which pane [default: the focused one]
        #[arg(long)]
        pane: Option<PaneId>,
        /// Number of its window
        #[arg(long)]
        window: Option<WindowRef>,
    },
    /// Close an idle pane
    ClosePane {
        #[command(flatten)]
        pane: PaneFlag,
    },
    /// Show a pane alone, or all again
    Zoom {
        #[command(flatten)]
        pane: PaneFlag,
        /// Alone, or all again
        #[arg(long, value_name = "true|false", action = ArgAction::Set)]
        zoomed: bool,
    },
    /// Set a pane's share of its split
    Resize {
        #[command(flatten)]
        pane: PaneFlag,
        /// Its share, 0.05 to 0.95
        #[arg(long)]
        ratio: f64,
    },
    /// Type one line, and Enter
    Prompt {
        #[command(flatten)]
        pane: PaneFlag,
        /// The text
        #[arg(long, allow_hyphen_values = true)]
        text: String,
        /// Leave Enter out
        #[arg(long, conflicts_with = "wait")]
        no_submit: bool,
        /// Wait for this state after it
        #[arg(long, value_enum, value_name = "STATE")]
        wait: Option<WaitState>,
    },
    /// Paste a text, and Enter
    Paste {
        #[command(flatten)]
        pane: PaneFlag,
        #[command(flatten)]
        source: FlagSourceArgs,
        /// Leave Enter out
        #[arg(long, conflicts_with = "wait")]
        no_submit: bool,
        /// Wait for this state after it
        #[arg(long, value_enum, value_name = "STATE")]
        wait: Option<WaitState>,
    },
    /// Wait for a state of a pane
    Wait {
        #[command(flatten)]
        pane: PaneFlag,
        /// The state
        #[arg(long, value_enum)]
        state: WaitState,
        /// Only changes after this one count
        #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
        after_seq: Option<u64>,
    },
}
