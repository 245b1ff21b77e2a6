//! Verbs of `luvus integration`.

use clap::{Subcommand, ValueEnum};

/// An agent that luvus can be integrated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

/// `luvus integration`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum IntegrationVerb {
    /// Say which agents tell luvus of their conversations
    Status {
        /// Which agent [default: all]
        #[arg(value_enum)]
        agent: Option<Agent>,
    },
    /// Add luvus's own entry to an agent's settings
    Install {
        /// Which agent
        #[arg(value_enum)]
        agent: Agent,
    },
    /// Take that entry away
    Uninstall {
        /// Which agent
        #[arg(value_enum)]
        agent: Agent,
    },
    /// What the entry runs: passes on what the agent tells
    #[command(hide = true)]
    Hook {
        /// Which agent
        #[arg(value_enum)]
        agent: Agent,
        /// What it tells, if not on its standard input
        told: Option<String>,
    },
}
