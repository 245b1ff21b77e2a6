//! The command line: every verb, flag and target that a person can write.

pub mod agent;
pub mod integration;
pub mod runtime;

use super::paths::SessionName;
use super::refs::{TabRef, WindowRef, WorkspaceRef};
use crate::client::Form;
use crate::protocol::ids::PaneId;
use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use runtime::{AgentVerb, AwaitArgs, CtlArgs, ExecArgs, SkillVerb, SourceArgs, SubmitArgs};
use std::path::PathBuf;

/// A terminal multiplexer for people who run AI coding agents.
///
/// Without a verb: shows the session, starting its server if needed.
#[derive(Debug, Parser)]
#[command(name = "luvus", version, disable_help_subcommand = true, arg_required_else_help = false)]
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

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Sessions: list, make, attach, leave, end, delete
    #[command(subcommand)]
    Session(SessionVerb),
    /// The server: run in the foreground, or start, stop, look
    Server(ServerArgs),
    /// Workspaces of the session
    #[command(subcommand)]
    Workspace(WorkspaceVerb),
    /// Windows of the runtime protocol: another name of workspaces
    #[command(subcommand)]
    Window(WindowVerb),
    /// Tabs of a workspace
    #[command(subcommand)]
    Tab(TabVerb),
    /// Panes: look, arrange, type, read
    #[command(subcommand)]
    Pane(PaneVerb),
    /// AI agents: list, give tasks, read, wait
    #[command(subcommand)]
    Agent(AgentVerb),
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
    Skill(SkillVerb),
    /// A tab's layout as data
    #[command(subcommand)]
    Layout(LayoutVerb),
    /// Wait until something happens
    #[command(subcommand)]
    Wait(WaitVerb),
    /// All agents by urgency
    #[command(subcommand)]
    Mission(agent::MissionVerb),
    /// Print events as they happen, a line each
    Events {
        /// Begin with those after this number, as far as they are kept
        #[arg(long, value_name = "NUMBER")]
        after: Option<u64>,
    },
    /// The control protocol: its schemas, and one look through it
    #[command(subcommand)]
    Uhp(UhpVerb),
    /// Agents that tell luvus of their conversations by themselves
    #[command(subcommand)]
    Integration(integration::IntegrationVerb),
    /// Find text in the retained output of all panes, or names of workspaces, tabs, panes and agents
    Search(SearchArgs),
    /// Ask the server for a sign of life
    Ping,
    /// Check this machine, the files and the server; say what to do about what is wrong
    Doctor,
    /// The configuration file
    #[command(subcommand)]
    Config(ConfigVerb),
    /// The looks to choose from
    #[command(subcommand)]
    Theme(ThemeVerb),
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

/// `luvus uhp`
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum UhpVerb {
    /// Print the published schemas as one JSON document; needs no server
    Schema,
    /// Print what this server can do
    Capabilities,
    /// Print the structure of the session, with the event number it is true for
    Snapshot,
    /// Print events as they happen, a line each; the first line is the acknowledgment
    Events,
    /// Pass one request line from standard input to the server, and its reply to standard output
    Proxy,
}

/// `luvus session`
#[derive(Debug, Subcommand)]
pub enum SessionVerb {
    /// List the sessions, running or not
    List,
    /// Make a session and attach to it
    New {
        /// Its name
        name: SessionName,
        /// Only start it
        #[arg(long)]
        detached: bool,
        /// Folder of its first workspace [default: the current one]
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
    },
    /// Attach to a session
    Attach {
        /// Its name
        name: SessionName,
    },
    /// Detach the client that was typed into last
    Detach {
        /// Detach all clients
        #[arg(long)]
        all: bool,
    },
    /// End a session's server and everything that runs in it
    #[command(visible_alias = "stop")]
    Kill {
        /// Its name
        name: SessionName,
    },
    /// Say what the start brought back and what it could not
    Report {
        /// Start the shell of this pane again where it was
        #[arg(long, value_name = "PANE")]
        retry: Option<PaneId>,
    },
    /// Delete the files of a stopped session
    Delete {
        /// Its name
        name: SessionName,
        /// Yes, really
        #[arg(long)]
        yes: bool,
    },
}

/// `luvus server`
#[derive(Debug, ClapArgs)]
pub struct ServerArgs {
    /// What to do with it; without: run it in the foreground
    #[command(subcommand)]
    pub verb: Option<ServerVerb>,
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

/// `luvus workspace`
#[derive(Debug, Subcommand)]
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
pub enum WindowVerb {
    /// Close a window; refused while something runs in it
    Close {
        /// Its number
        window: WindowRef,
        #[command(flatten)]
        close: CloseArgs,
    },
}

/// Flags of the four verbs that close.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct CloseArgs {
    /// Also when something runs in it
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub envelope: EnvelopeArgs,
}

/// `luvus search`
#[derive(Debug, ClapArgs)]
pub struct SearchArgs {
    /// What to find
    pub text: String,
    /// Names too, whose characters may leave some out
    #[arg(long)]
    pub fuzzy: bool,
    /// Where; implies --fuzzy
    #[arg(long, value_name = "SCOPE", value_parser = ["all", "navigate", "files", "output"])]
    pub scope: Option<String>,
    /// At most so many matches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200))]
    pub limit: Option<u64>,
}

/// Flags of the verbs that print a runtime envelope.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct EnvelopeArgs {
    /// Indent the printed JSON
    #[arg(long)]
    pub pretty: bool,
    /// How long to wait for the answer
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    pub timeout_ms: u64,
}

impl EnvelopeArgs {
    /// Those of a command line that gives none.
    #[must_use]
    pub const fn usual() -> Self {
        Self { pretty: false, timeout_ms: 30_000 }
    }
}

/// `luvus tab`
#[derive(Debug, Subcommand)]
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

/// `luvus pane`
#[derive(Debug, Subcommand)]
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
pub enum WaitVerb {
    /// Until a text appears in a pane
    Output {
        /// Which
        pane: PaneId,
        /// The text
        #[arg(long = "match", value_name = "TEXT")]
        text: String,
        /// For how many seconds at most
        #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=3600))]
        timeout: u64,
    },
    /// Until the agent of a pane is in one of some states
    AgentStatus {
        /// Its pane, its name, or its kind if only one runs
        target: String,
        /// The states
        #[arg(long, value_enum, required = true, value_delimiter = ',', value_name = "STATES")]
        status: Vec<agent::Status>,
        /// For how many seconds at most
        #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(0..=3600))]
        timeout: u64,
    },
}

/// `luvus config`
#[derive(Debug, Subcommand)]
pub enum ConfigVerb {
    /// Print where the file is
    Path,
    /// Say what is wrong in it
    Check,
    /// Print a setting, or all of them
    Get {
        /// Its dotted name
        key: Option<String>,
    },
    /// Change a setting, in the file and in running servers
    Set {
        /// Its dotted name; `keybindings.<command id>` for a key
        key: String,
        /// Its value; texts need no quotes
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
}

/// `luvus layout`
#[derive(Debug, Subcommand)]
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

/// Which tab.
#[derive(Debug, Clone, Copy, ClapArgs)]
pub struct TabOf {
    /// Index or id of the tab [default: the one that is shown]
    #[arg(long)]
    pub tab: Option<TabRef>,
    /// Index or id [default: that of this pane, else the focused one]
    #[arg(long)]
    pub workspace: Option<WorkspaceRef>,
}

/// `luvus theme`
#[derive(Debug, Subcommand)]
pub enum ThemeVerb {
    /// List the themes, built in and your own
    List,
    /// Take a theme, also in what is attached now
    Use {
        /// Its name
        name: String,
    },
    /// Say whether a theme is in order
    Validate {
        /// Its name, or the path of a file
        theme: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn parses(line: &str) -> bool {
        Args::try_parse_from(line.split_whitespace()).is_ok()
    }

    #[test]
    fn the_tables_of_verbs_are_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn documented_forms_are_understood() {
        for line in [
            "luvus",
            "luvus --session work",
            "luvus session list --json",
            "luvus session new work --detached --cwd /tmp",
            "luvus session stop work",
            "luvus session delete work --yes",
            "luvus server",
            "luvus server start --session work",
            "luvus workspace focus 0",
            "luvus workspace close w3 --force",
            "luvus tab focus t5 --workspace 1",
            "luvus tab close 0 --window 1",
            "luvus tab close 0 --window w1 --pretty",
            "luvus pane split 3 --down --no-focus --cwd /tmp -- vim -R file",
            "luvus pane zoom 3 --zoomed false",
            "luvus pane resize 3 0.4",
            "luvus pane run 3 ls -la --color",
            "luvus pane send 3 text --no-submit --timeout-ms 500",
            "luvus pane send 17 text --wait --wait-timeout-ms 5",
            "luvus pane paste 17 --from-file task.txt --wait",
            "luvus pane paste 17 --stdin --no-submit",
            "luvus pane wait 17 --after-seq 41",
            "luvus pane exec 17 -- cargo test --workspace",
            "luvus agent send codex text --wait",
            "luvus agent wait codex --after-seq 41 --generation 2",
            "luvus ctl snapshot --pretty",
            "luvus ctl agent-fork --source-pane 3 --name a --kind codex --pretty",
            "luvus ctl split --window 1 --direction left_right",
            "luvus ctl prompt --pane 1 --text --help --wait settled",
            "luvus ctl exec-pane --window 1 --pane 2 --timeout-ms 5 -- cargo test --workspace",
            "luvus ctl orchestrate --spec {} --timeout-ms 30000",
            "luvus env --pretty",
            "luvus skill show",
            "luvus pane read",
            "luvus pane move 3 --new-tab",
            "luvus wait output 3 --match ready --timeout 5",
            "luvus help keys --json",
            "luvus config get theme",
            "luvus config set layout.scrollback_bytes -1",
            "luvus layout export --tab 0",
            "luvus layout apply - --tab t2",
            "luvus server restart --all",
            "luvus session report --retry 3",
        ] {
            assert!(parses(line), "{line}");
        }
    }

    #[test]
    fn what_is_not_offered_is_refused() {
        for line in [
            "luvus dance",
            "luvus session new a/b",
            "luvus session new",
            "luvus pane send 3 text --wait --no-submit",
            "luvus pane paste 3",
            "luvus pane paste 3 text --stdin",
            "luvus pane paste 3 --stdin --from-file f",
            "luvus pane wait 3 --after-seq 0",
            "luvus pane wait 3 --state gone",
            "luvus pane exec 3",
            "luvus agent send 3 text --no-submit --wait",
            "luvus ctl orchestrate",
            "luvus ctl orchestrate --file f --spec {}",
            "luvus ctl agent-fork --name a --kind codex",
            "luvus ctl agent-fork --name a --kind codex --source-pane 1 --source-cwd /",
            "luvus ctl prompt --pane 1 --text a --wait settled --no-submit",
            "luvus ctl split --direction left",
            "luvus pane send 3",
            "luvus pane run 3",
            "luvus pane read 0",
            "luvus pane read three",
            "luvus pane move 3",
            "luvus pane move 3 --tab 1 --new-tab",
            "luvus tab focus +1",
            "luvus workspace focus t1",
            "luvus wait output 3",
        ] {
            assert!(!parses(line), "{line}");
        }
    }
}
