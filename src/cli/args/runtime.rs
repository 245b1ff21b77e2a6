//! Flags that verbs of several nouns share because they speak the runtime protocol (`runtime.md` section
//! 12.1).

use crate::cli::refs::WindowRef;
use clap::{Args as ClapArgs, ValueEnum, value_parser};
use std::path::PathBuf;

/// The longest wait, in milliseconds.
pub const LONGEST_MS: u64 = 86_400_000;

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

// Flags of the verbs that print a runtime envelope.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct EnvelopeArgs {
    /// Indent the printed JSON
    #[arg(long)]
    pub pretty: bool,
    /// How long to wait for the answer
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = value_parser!(u64).range(1..=LONGEST_MS))]
    pub timeout_ms: u64,
}

impl EnvelopeArgs {
    /// Those of a command line that gives none.
    #[must_use]
    pub const fn usual() -> Self {
        Self { pretty: false, timeout_ms: 30_000 }
    }
}

// Flags of the four verbs that close.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct CloseArgs {
    /// Also when something runs in it
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub envelope: EnvelopeArgs,
}

// Whether Enter follows a text, and whether its end is waited for.
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

// What a verb waits for.
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

// Where a text comes from: exactly one.
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

// How a program is run beside a pane.
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
