//! Verbs of `luvus agent` and of `luvus mission`.

use super::runtime::{AwaitArgs, EnvelopeArgs, SourceArgs, SubmitArgs};
use crate::cli::refs::{WindowRef, WorkspaceRef};
use crate::protocol::ids::PaneId;
use clap::{ArgAction, Args as ClapArgs, Subcommand, ValueEnum, value_parser};

/// The longest wait, in seconds.
const LONGEST_S: u64 = 3_600;

/// A state of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Status {
    /// Quiet, and seen
    Idle,
    /// Generating
    Working,
    /// Waits for a person
    Blocked,
    /// Finished, not yet seen
    Done,
}

impl Status {
    /// As the protocol writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Done => "done",
        }
    }
}

/// Where a new pane goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Beside {
    /// On the right
    Right,
    /// Below
    Down,
}

// An agent that is meant.
#[derive(Debug, Clone, ClapArgs)]
pub struct AgentRef {
    /// Name or stable id, as `agent list` prints them
    pub agent: String,
    /// The session of it that is meant [default: the active one]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub generation: Option<u64>,
}

/// `luvus agent`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    Own(OwnVerb),
}

/// `luvus agent`, the verbs that print what UHP answers.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum OwnVerb {
    /// Show one agent
    Get {
        /// Its name, its pane, or its kind if only one runs
        target: String,
    },
    /// Say why a pane's agent is taken for what it is
    Explain {
        /// Its name, its pane, or its kind if only one runs [default: this pane]
        target: Option<String>,
    },
    /// Start an agent
    Start {
        /// What it is called
        name: String,
        /// Which one, as in `claude`
        #[arg(long)]
        kind: String,
        /// In the shell of this pane
        #[arg(long, conflicts_with = "anchor")]
        pane: Option<PaneId>,
        /// In a new pane beside this one
        #[arg(long)]
        anchor: Option<PaneId>,
        /// On which side of it
        #[arg(long, value_enum, requires = "anchor")]
        direction: Option<Beside>,
        /// For how many seconds to wait until it takes prompts
        #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(0..=LONGEST_S))]
        timeout: u64,
        /// Its arguments
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Give an agent a prompt, if it can take one
    Prompt {
        /// Its name, its pane, or its kind if only one runs
        target: String,
        /// The prompt
        text: String,
        /// Wait until its work on it has come to a state
        #[arg(long)]
        wait: bool,
        /// To which [default: idle, done or blocked]
        #[arg(long, value_enum, requires = "wait", value_delimiter = ',')]
        until: Vec<Status>,
        /// For how many seconds
        #[arg(long, value_name = "SECONDS", requires = "wait", value_parser = value_parser!(u64).range(0..=LONGEST_S))]
        timeout: Option<u64>,
    },
    /// Press keys in an agent's pane: `enter`, `esc`, `ctrl+c`, `y` …
    Keys {
        /// Its name, its pane, or its kind if only one runs
        target: String,
        /// The keys
        #[arg(required = true)]
        keys: Vec<String>,
    },
    /// Give a pane's agent a name
    Name {
        /// The name: a small letter, then small letters, digits, `-` or `_`
        #[arg(required_unless_present = "clear", conflicts_with = "clear")]
        name: Option<String>,
        /// Which pane [default: this pane, else the focused one]
        #[arg(long)]
        pane: Option<PaneId>,
        /// Take its name away
        #[arg(long)]
        clear: bool,
    },
    /// Report the state of a pane's agent, for integrations; holds until it expires
    Report {
        /// Which pane [default: this pane]
        #[arg(long)]
        pane: Option<PaneId>,
        /// Who reports
        #[arg(long)]
        source: String,
        /// The kind of the agent
        #[arg(long)]
        agent: String,
        /// Its state
        #[arg(long, value_enum)]
        status: Status,
        /// What it says
        #[arg(long)]
        message: Option<String>,
        /// Its conversation
        #[arg(long, value_name = "ID")]
        session_id: Option<String>,
        /// The number of the report; must rise
        #[arg(long, value_name = "N")]
        sequence: Option<u64>,
        /// For how many seconds it holds
        #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=86_400))]
        ttl: Option<u64>,
    },
    /// End a report
    Release {
        /// Which pane [default: this pane]
        #[arg(long)]
        pane: Option<PaneId>,
        /// Who reported
        #[arg(long)]
        source: String,
    },
    /// List the conversations that can be gone on with
    Sessions,
    /// Go on with a conversation in a new tab
    Resume {
        /// Its id, as `agent sessions` prints it
        id: String,
    },
    /// Begin a new conversation from an agent's, in a pane beside it
    Fork {
        /// Its name, its pane, or its kind if only one runs
        target: String,
        /// What the new one is called
        #[arg(long)]
        name: Option<String>,
        /// Leave the focus where it is
        #[arg(long = "no-focus", action = ArgAction::SetFalse)]
        focus: bool,
    },
}

/// `luvus mission`
#[derive(Debug, Clone, Copy, Subcommand)]
#[command(defer = true)]
pub enum MissionVerb {
    /// Show the agents by urgency
    Show {
        /// Those of all workspaces [default: of this one]
        #[arg(long)]
        all: bool,
    },
    /// Show Mission Control in the attached clients
    Open {
        /// Of this workspace only: its index, or its id
        #[arg(long)]
        workspace: Option<WorkspaceRef>,
    },
}
