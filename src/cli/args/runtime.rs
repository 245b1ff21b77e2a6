//! Flags of the verbs that speak the runtime protocol (`runtime.md` sections 12.1 and 12.2).

use super::EnvelopeArgs;
use crate::cli::refs::WindowRef;
use crate::protocol::ids::PaneId;
use clap::{ArgAction, Args as ClapArgs, Subcommand, ValueEnum, value_parser};
use std::path::PathBuf;

/// The longest wait, in milliseconds.
const LONGEST_MS: u64 = 86_400_000;

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum WaitState {
    /// At its prompt
    Idle,
    /// At work
    Running,
    /// Asks for something
    WaitingInput,
    /// Asks for an approval
    Attention,
    /// Ended well
    Finished,
    /// Ended badly
    Failed,
    /// Anything but at work
    Settled,
}

impl WaitState {
    /// As the protocol writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::WaitingInput => "waiting_input",
            Self::Attention => "attention",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Settled => "settled",
        }
    }
}

/// Whether Enter follows a text, and whether its end is waited for.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct SubmitArgs {
    /// Leave Enter out
    #[arg(long, conflicts_with = "wait")]
    pub no_submit: bool,
    /// Wait until what was submitted has come to its end
    #[arg(long)]
    pub wait: bool,
    /// How long to wait for that
    #[arg(long, value_name = "MS", default_value_t = 600_000, value_parser = value_parser!(u64).range(1..=LONGEST_MS))]
    pub wait_timeout_ms: u64,
}

/// What a verb waits for.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct AwaitArgs {
    /// The state
    #[arg(long, value_enum, default_value_t = WaitState::Settled)]
    pub state: WaitState,
    /// Only changes after this one count
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub after_seq: Option<u64>,
    /// How long
    #[arg(long, value_name = "MS", default_value_t = 600_000, value_parser = value_parser!(u64).range(1..=LONGEST_MS))]
    pub wait_timeout_ms: u64,
}

/// Where a text comes from: exactly one.
#[derive(Debug, Clone, ClapArgs)]
#[group(required = true, multiple = false)]
pub struct SourceArgs {
    /// The text
    pub text: Option<String>,
    /// From a file
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// From standard input
    #[arg(long)]
    pub stdin: bool,
}

/// The same with a flag for the text.
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

/// How a program is run beside a pane.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct ExecArgs {
    /// When the program is ended
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = value_parser!(u64).range(1..=LONGEST_MS))]
    pub timeout_ms: u64,
    /// How much is kept of each stream
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=16_777_216))]
    pub max_output_bytes: Option<u64>,
    /// Number of the pane's window
    #[arg(long)]
    pub window: Option<WindowRef>,
    /// Indent the printed JSON
    #[arg(long)]
    pub pretty: bool,
}

/// An agent that is meant.
#[derive(Debug, Clone, ClapArgs)]
pub struct AgentRef {
    /// Name or stable id, as `agent list` prints them
    pub agent: String,
    /// The session of it that is meant [default: the active one]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub generation: Option<u64>,
}

/// The same with a flag.
#[derive(Debug, Clone, ClapArgs)]
pub struct AgentFlag {
    /// Name or stable id, as `agents` prints them
    #[arg(long)]
    pub agent: String,
    /// The session of it that is meant
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub generation: Option<u64>,
}

/// `luvus agent`
#[derive(Debug, Subcommand)]
pub enum AgentVerb {
    /// List the panes with an AI agent
    List {
        /// Only those of this window
        #[arg(long)]
        window: Option<WindowRef>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Give an agent a task of one line
    Send {
        #[command(flatten)]
        agent: AgentRef,
        /// The task
        text: String,
        #[command(flatten)]
        submit: SubmitArgs,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Give an agent a task of several lines
    Paste {
        #[command(flatten)]
        agent: AgentRef,
        #[command(flatten)]
        source: SourceArgs,
        #[command(flatten)]
        submit: SubmitArgs,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Read what an agent printed last
    Read {
        #[command(flatten)]
        agent: AgentRef,
        /// How many lines
        #[arg(long)]
        lines: Option<u32>,
        #[command(flatten)]
        envelope: EnvelopeArgs,
    },
    /// Wait for the end of an agent's turn
    Wait {
        #[command(flatten)]
        agent: AgentRef,
        #[command(flatten)]
        wait: AwaitArgs,
        /// Indent the printed JSON
        #[arg(long)]
        pretty: bool,
    },
    /// The verbs that print what UHP answers.
    #[command(flatten)]
    Own(super::agent::OwnVerb),
}

/// A pane by a flag.
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

/// `luvus ctl`
#[derive(Debug, Subcommand)]
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

/// A tab by a flag.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct TabFlag {
    /// Its zero-based index
    #[arg(long)]
    pub tab: u32,
    /// Number of its window
    #[arg(long)]
    pub window: Option<WindowRef>,
}

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
    pub verb: CtlVerb,
}

/// `luvus skill`
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum SkillVerb {
    /// Print how a program in a pane uses luvus
    Show,
}
