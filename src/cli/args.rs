//! The command line: every noun with its verbs, flags and targets that a person can write; a file a noun.
//!
//! Invariant: a command line costs what it names. Verbs are put together when their noun is named
//! ([`Later`]), and flags when their verb is (`defer`); help, completions and manual pages put everything
//! together. Flags that several verbs share (`flatten`) have plain comments: what documents them would be said
//! of the verb.

pub mod agent;
pub mod ctl;
pub mod integration;
pub mod later;
pub mod pane;
pub mod runtime;
pub mod search;
pub mod server;
pub mod session;
pub mod settings;
pub mod tab;
#[cfg(test)]
mod tests;
pub mod uhp;
pub mod workspace;

use super::paths::SessionName;
use crate::client::Form;
use agent::{AgentVerb, MissionVerb};
use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use ctl::CtlArgs;
use integration::IntegrationVerb;
use later::Later;
use pane::{PaneVerb, WaitVerb};
use search::SearchArgs;
use server::ServerArgs;
use session::SessionVerb;
use settings::{ConfigVerb, ThemeVerb};
use std::ffi::OsString;
use std::path::PathBuf;
use tab::{LayoutVerb, TabVerb};
use uhp::UhpVerb;
use workspace::{WindowVerb, WorkspaceVerb};

/// How the program is called.
const NAME: &str = "luvus";

/// A terminal multiplexer for people who run AI coding agents.
///
/// Without a verb: shows the session, starting its server if needed.
#[derive(Debug, Parser)]
#[command(name = NAME, version, disable_help_subcommand = true, arg_required_else_help = false)]
pub struct Args {
    /// The session [default: the one this pane belongs to, else `default`]
    #[arg(long, global = true, value_name = "NAME")]
    pub session: Option<SessionName>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Attach to a session of another machine over ssh; options of ssh may follow
    #[arg(long, value_name = "HOST")]
    pub remote: Option<String>,
    /// Attach as on a narrow screen: one pane and a menu to tap
    #[arg(long, global = true, conflicts_with = "desktop")]
    pub mobile: bool,
    /// Attach with bars and sidebars however narrow the screen is
    #[arg(long, global = true)]
    pub desktop: bool,
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

impl Args {
    /// Reads a command line, the name of the program included.
    ///
    /// # Errors
    /// What is wrong with it, or the help that it asks for.
    pub fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        // Whatever is to be said is said by the whole: it knows what else could have been meant.
        match noun_of(words).and_then(Self::only).and_then(|few| Self::read_by(few, words).ok()) {
            Some(args) => Ok(args),
            None => Self::read_by(Self::command(), words),
        }
    }

    fn read_by(mut command: Command, words: &[OsString]) -> Result<Self, clap::Error> {
        let read = command.try_get_matches_from_mut(words).and_then(|mut matches| {
            Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
        });
        // To take it apart again is a good part of the work, and the process ends soon.
        std::mem::forget(command);
        read
    }

    /// The command line with this noun only: flags that hold everywhere are then not copied to all nouns.
    fn only(noun: &str) -> Option<Command> {
        let whole = Self::command();
        let noun = whole.find_subcommand(noun)?.clone();
        let flags: Vec<Arg> = whole.get_arguments().cloned().collect();
        std::mem::forget(whole);
        Some(Command::new(NAME).disable_help_subcommand(true).args(flags).subcommand(noun))
    }

    /// How an attach tells narrow screens from others.
    #[must_use]
    pub fn form(&self) -> Form {
        match (self.mobile, self.desktop) {
            (true, _) => Form::Mobile,
            (_, true) => Form::Desktop,
            _ => Form::Auto,
        }
    }
}

/// The first word that is no flag of all nouns, nor the value of one. None where another flag comes before it.
fn noun_of(words: &[OsString]) -> Option<&str> {
    let mut words = words.iter().skip(1);
    loop {
        match words.next()?.to_str()? {
            "--json" | "--mobile" | "--desktop" => {}
            "--session" => drop(words.next()),
            flag if flag.starts_with("--session=") => {}
            flag if flag.starts_with('-') => return None,
            noun => return Some(noun),
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Sessions: list, make, attach, leave, end, delete
    #[command(subcommand)]
    Session(Later<SessionVerb>),
    /// The server: run in the foreground, or start, stop, look
    Server(ServerArgs),
    /// Workspaces of the session
    #[command(subcommand)]
    Workspace(Later<WorkspaceVerb>),
    /// Windows of the runtime protocol: another name of workspaces
    #[command(subcommand)]
    Window(Later<WindowVerb>),
    /// Tabs of a workspace
    #[command(subcommand)]
    Tab(Later<TabVerb>),
    /// Panes: look, arrange, type, read
    #[command(subcommand)]
    Pane(Later<PaneVerb>),
    /// AI agents: list, give tasks, read, wait
    #[command(subcommand)]
    Agent(Later<AgentVerb>),
    /// Say where this process is and what it can do here
    Env {
        /// Indent the printed JSON
        #[arg(long)]
        pretty: bool,
    },
    /// The whole runtime protocol, a verb for each method
    Ctl(CtlArgs),
    /// What a model in a pane should know
    #[command(subcommand)]
    Skill(Later<SkillVerb>),
    /// A tab's layout as data
    #[command(subcommand)]
    Layout(Later<LayoutVerb>),
    /// Wait until something happens
    #[command(subcommand)]
    Wait(Later<WaitVerb>),
    /// All agents by urgency
    #[command(subcommand)]
    Mission(Later<MissionVerb>),
    /// Print events as they happen, a line each
    Events {
        /// Begin with those after this number, as far as they are kept
        #[arg(long, value_name = "NUMBER")]
        after: Option<u64>,
    },
    /// The control protocol: its schemas, and one look through it
    #[command(subcommand)]
    Uhp(Later<UhpVerb>),
    /// Agents that tell luvus of their conversations by themselves
    #[command(subcommand)]
    Integration(Later<IntegrationVerb>),
    /// Find text in the retained output of all panes, or names of workspaces, tabs, panes and agents
    Search(SearchArgs),
    /// Ask the server for a sign of life
    Ping,
    /// Check this machine, the files and the server; say what to do about what is wrong
    Doctor,
    /// The configuration file
    #[command(subcommand)]
    Config(Later<ConfigVerb>),
    /// The looks to choose from
    #[command(subcommand)]
    Theme(Later<ThemeVerb>),
    /// Print what a shell needs to complete verbs and flags
    Completions {
        /// The shell
        shell: Completing,
    },
    /// Print the manual page, or write all pages to a folder
    Man {
        /// The folder
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
    /// Carry the attach protocol over the standard streams
    #[command(hide = true)]
    AttachProxy {
        /// Start no server
        #[arg(long)]
        existing: bool,
    },
    /// Explain a verb, the keys (`help keys`) or everything (`help all`)
    Help {
        /// A verb with its sub-verb, `keys` or `all`
        topic: Vec<String>,
    },
}

/// `luvus skill`
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum SkillVerb {
    /// Print how a program in a pane uses luvus
    Show,
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Completing {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
    /// PowerShell
    #[value(name = "powershell")]
    PowerShell,
}
