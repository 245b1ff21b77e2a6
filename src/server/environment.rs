//! What children find in their environment (`product.md` section 9, `runtime.md` section 4,
//! `spec/README.md` points 3 and 34).

use crate::config::Config;
use crate::protocol::ids::{PaneId, TabId, TerminalId, WorkspaceId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values of another life or another terminal that must not reach children.
const STALE: [&str; 17] = [
    "SSH_CONNECTION",
    "SSH_CLIENT",
    "SSH_TTY",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "COLORTERM",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "CLAUDE_PANE_BACKEND_SOCKET",
    "PI_PANE_BACKEND_SOCKET",
    "PSMUX",
    "PSMUX_SESSION",
    "PSMUX_PANE_ID",
    "COLUMNS",
    "LINES",
];

/// What a person sets for every luvus that they start: not of another life, so children keep it.
const PERSONAL: [&str; 4] = ["LUVUS_HOME", "LUVUS_LOG", "LUVUS_SHELL", "LUVUS_PSMUX_DIR"];

/// The names under which programs look for the pane backend.
const BACKEND: [&str; 3] =
    ["CLAUDE_PANE_BACKEND_SOCKET", "PI_PANE_BACKEND_SOCKET", "LUVUS_PANE_BACKEND_SOCKET"];

/// What every child's environment is made of.
#[derive(Debug, Clone)]
pub struct Environment {
    base: BTreeMap<String, String>,
    shell: String,
    session: String,
    /// The address of the pane backend, if there is one.
    backend: Option<String>,
    compat: Compat,
}

/// What other programs want to find in a pane (`pane-backend.md` 1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compat {
    /// `compat.psmux`
    psmux: bool,
    /// `compat.agent_teams`
    agent_teams: bool,
}

impl Compat {
    /// As configured.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self { psmux: config.psmux, agent_teams: config.agent_teams }
    }
}

/// Where things are, for [`Environment::new`].
#[derive(Debug, Clone)]
pub struct Places {
    /// Name of the session.
    pub session: String,
    /// The state root as the person named it, absolute.
    pub home: PathBuf,
    /// The socket's logical path.
    pub socket: PathBuf,
    /// The address that clients connect to.
    pub address: PathBuf,
    /// The running executable.
    pub executable: PathBuf,
    /// The session's own folder that leads `PATH`.
    pub bin_dir: PathBuf,
    /// The link that each attach points to its agent's socket.
    pub ssh_auth_link: PathBuf,
    /// `TERM_PROGRAM`
    pub term_program: &'static str,
    /// The runtime protocol's own endpoint, `<port> <token>`, if it has one.
    pub runtime: Option<String>,
}

impl Environment {
    /// From the server's own environment, the person's shell, and where things are.
    #[must_use]
    pub fn new(inherited: Vec<(String, String)>, shell: String, places: &Places) -> Self {
        let mut base: BTreeMap<String, String> =
            inherited.into_iter().filter(|(name, _)| is_lasting(name)).collect();
        let path =
            leading(&places.bin_dir, base.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str));
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let executable = text(&places.executable);
        let bin_dir = text(&places.bin_dir);
        for (name, value) in [
            ("PATH", path),
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            ("TERM_PROGRAM", places.term_program.to_owned()),
            ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION").to_owned()),
            ("SHELL", shell.clone()),
            ("LUVUS_ENV", "1".to_owned()),
            ("LUVUS_SESSION", places.session.clone()),
            ("LUVUS_SOCKET_PATH", text(&places.socket)),
            ("LUVUS_API_ADDRESS", text(&places.address)),
            ("LUVUS_BIN_PATH", executable.clone()),
            ("LUVUS_BIN_DIR", bin_dir.clone()),
            // Set even before there is an agent: a later attach may bring one.
            ("SSH_AUTH_SOCK", text(&places.ssh_auth_link)),
        ] {
            base.insert(name.to_owned(), value);
        }
        if let Some(endpoint) = &places.runtime {
            base.insert("LUVUS_RUNTIME_ENDPOINT".to_owned(), endpoint.clone());
            base.insert("NEBULA_CLI".to_owned(), executable);
            base.insert("NEBULA_BIN_DIR".to_owned(), bin_dir);
        }
        if cfg!(windows) {
            let present = base.get("WSLENV").cloned().unwrap_or_default();
            base.insert("WSLENV".to_owned(), passed_on(&present, places.runtime.is_some()));
        }
        // A relative one would lead elsewhere from every folder.
        if let Some(home) = base.get_mut("LUVUS_HOME") {
            *home = text(&places.home);
        }
        let session = places.session.clone();
        Self { base, shell, session, backend: None, compat: Compat::default() }
    }

    /// Panes find the pane backend there.
    pub fn set_backend(&mut self, address: String) {
        self.backend = Some(address);
    }

    /// Takes other wishes of other programs for panes that are made from now on.
    pub fn set_compat(&mut self, compat: Compat) {
        self.compat = compat;
    }

    /// What a child outside any pane gets.
    #[must_use]
    pub fn of_server(&self) -> Vec<(String, String)> {
        let mut environment = self.base.clone();
        environment.extend(self.of_backend(None));
        environment.into_iter().collect()
    }

    /// The way to the pane backend, and what pane this is for it.
    fn of_backend(&self, pane: Option<PaneId>) -> Vec<(String, String)> {
        let mut own = Vec::new();
        let context = pane.map(|pane| format!("%{pane}"));
        if let Some(address) = &self.backend {
            own.extend(BACKEND.map(|name| (name, address.clone())));
            own.extend(context.clone().map(|context| ("LUVUS_CONTEXT_ID", context)));
        }
        if let Some(context) = context.filter(|_| self.compat.psmux) {
            own.extend([("PSMUX", "1".to_owned()), ("PSMUX_SESSION", self.session.clone())]);
            own.push(("PSMUX_PANE_ID", context));
        }
        own.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The person's shell.
    #[must_use]
    pub fn shell(&self) -> &str {
        &self.shell
    }

    /// Takes another shell for panes that are made from now on.
    pub fn set_shell(&mut self, shell: String) {
        self.base.insert("SHELL".to_owned(), shell.clone());
        self.shell = shell;
    }

    /// The whole environment of one pane's child.
    #[must_use]
    pub fn of_pane(
        &self,
        pane: PaneId,
        terminal: TerminalId,
        tab: TabId,
        workspace: WorkspaceId,
    ) -> Vec<(String, String)> {
        let own = [
            ("LUVUS_PANE_ID", pane.to_string()),
            ("NEBULA_PANE_ID", pane.to_string()),
            ("LUVUS_TERMINAL_ID", terminal.to_string()),
            ("LUVUS_TAB_ID", tab.to_string()),
            ("LUVUS_WORKSPACE_ID", workspace.to_string()),
        ];
        let mut environment = self.base.clone();
        if self.compat.agent_teams {
            environment.insert("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS".to_owned(), "1".to_owned());
        }
        environment.extend(own.map(|(name, value)| (name.to_owned(), value)));
        environment.extend(self.of_backend(Some(pane)));
        environment.into_iter().collect()
    }
}

/// An environment with somebody's wishes: none of them replaces what says which pane this is and how
/// to reach the server.
#[must_use]
pub fn overlaid(environment: Vec<(String, String)>, wishes: &[(String, String)]) -> Vec<(String, String)> {
    let mut result: BTreeMap<String, String> = environment.into_iter().collect();
    for (name, value) in wishes {
        let ours = name.starts_with("LUVUS_") || name.starts_with("NEBULA_") || name.starts_with("PSMUX");
        let ours = ours || name.starts_with("TERM_PROGRAM") || BACKEND.contains(&name.as_str());
        if !(ours && result.contains_key(name)) || PERSONAL.contains(&name.as_str()) {
            result.insert(name.clone(), value.clone());
        }
    }
    result.into_iter().collect()
}

/// Whether an inherited variable is still right in a pane.
fn is_lasting(name: &str) -> bool {
    let of_a_pane = name.starts_with("LUVUS_") || name.starts_with("NEBULA_");
    PERSONAL.contains(&name) || !(of_a_pane || STALE.contains(&name))
}

/// `WSLENV` with our variables: the marked ones are paths, which a guest needs in its own form. What
/// others put there stays.
fn passed_on(present: &str, runtime: bool) -> String {
    const ALWAYS: [&str; 4] = ["LUVUS_BIN_PATH/p", "LUVUS_BIN_DIR/p", "NEBULA_PANE_ID", "LUVUS_PANE_ID"];
    const SERVED: [&str; 3] = ["NEBULA_CLI/p", "NEBULA_BIN_DIR/p", "LUVUS_RUNTIME_ENDPOINT"];
    let name = |entry: &str| entry.split('/').next().unwrap_or_default().to_owned();
    let ours: Vec<&str> = ALWAYS.into_iter().chain(SERVED.into_iter().filter(|_| runtime)).collect();
    let is_ours = |entry: &&str| ours.iter().any(|our| name(our) == name(entry));
    let foreign = present.split(':').filter(|entry| !entry.is_empty() && !is_ours(entry));
    foreign.chain(ours.iter().copied()).collect::<Vec<_>>().join(":")
}

/// `path` with `folder` as its first entry and nowhere else.
fn leading(folder: &Path, path: &str) -> String {
    let separator = if cfg!(windows) { ';' } else { ':' };
    let folder = folder.to_string_lossy();
    let rest = path.split(separator).filter(|entry| *entry != folder);
    std::iter::once(folder.as_ref()).chain(rest).collect::<Vec<_>>().join(&separator.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(inherited: &[(&str, &str)]) -> BTreeMap<String, String> {
        environment_with(inherited, None)
    }

    fn environment_with(inherited: &[(&str, &str)], runtime: Option<&str>) -> BTreeMap<String, String> {
        let places = Places {
            session: "default".into(),
            home: "/h".into(),
            socket: "/h/luvus.sock".into(),
            address: "/h/luvus.sock".into(),
            executable: "/bin/luvus".into(),
            bin_dir: "/h/bin".into(),
            ssh_auth_link: "/h/ssh-auth.sock".into(),
            term_program: "luvus",
            runtime: runtime.map(str::to_owned),
        };
        let inherited = inherited.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Environment::new(inherited, "/bin/zsh".into(), &places)
            .of_pane(PaneId(7), TerminalId([1; 16]), TabId(2), WorkspaceId(3))
            .into_iter()
            .collect()
    }

    #[test]
    fn a_pane_knows_who_and_where_it_is() {
        let env = environment(&[("HOME", "/home/ana")]);
        for (name, value) in [
            ("HOME", "/home/ana"),
            ("LUVUS_ENV", "1"),
            ("LUVUS_PANE_ID", "7"),
            ("NEBULA_PANE_ID", "7"),
            ("LUVUS_TAB_ID", "t2"),
            ("LUVUS_WORKSPACE_ID", "w3"),
            ("LUVUS_TERMINAL_ID", "01010101010101010101010101010101"),
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("TERM_PROGRAM", "luvus"),
        ] {
            assert_eq!(env.get(name).map(String::as_str), Some(value), "{name}");
        }
    }

    #[test]
    fn stale_and_foreign_values_do_not_reach_a_pane() {
        let env = environment(&[
            ("LUVUS_PANE_ID", "99"),
            ("LUVUS_RUNTIME_ENDPOINT", "1 x"),
            ("SSH_TTY", "/dev/pts/0"),
            ("TMUX", "x"),
            ("SSH_AUTH_SOCK", "/tmp/agent.1"),
        ]);
        assert_eq!(env["LUVUS_PANE_ID"], "7");
        assert_eq!(env["SSH_AUTH_SOCK"], "/h/ssh-auth.sock");
        for name in ["LUVUS_RUNTIME_ENDPOINT", "SSH_TTY", "TMUX"] {
            assert!(!env.contains_key(name), "{name}");
        }
    }

    #[test]
    fn a_pane_inherits_nothing_of_another_pane_or_connection() {
        for name in [
            "LUVUS_ENV",
            "LUVUS_SESSION",
            "LUVUS_PANE_ID",
            "LUVUS_TERMINAL_ID",
            "LUVUS_TAB_ID",
            "LUVUS_WORKSPACE_ID",
            "LUVUS_SOCKET_PATH",
            "LUVUS_API_ADDRESS",
            "LUVUS_BIN_PATH",
            "LUVUS_BIN_DIR",
            "LUVUS_PANE_REMOTE",
            "LUVUS_RUNTIME_ENDPOINT",
            "NEBULA_PANE_ID",
            "NEBULA_CLI",
            "NEBULA_BIN_DIR",
            "NEBULA_PANE_REMOTE",
            "SSH_CONNECTION",
            "SSH_CLIENT",
            "SSH_TTY",
            "COLUMNS",
            "LINES",
            "TERMCAP",
        ] {
            assert_ne!(
                environment(&[(name, "stale")]).get(name).map(String::as_str),
                Some("stale"),
                "{name}"
            );
        }
    }

    #[test]
    fn what_a_person_set_for_luvus_reaches_a_pane() {
        let env = environment(&[("LUVUS_HOME", "h"), ("LUVUS_SHELL", "/bin/fish"), ("LUVUS_AGENT", "codex")]);
        assert_eq!(env["LUVUS_HOME"], "/h", "the same root from every folder");
        assert_eq!(env["LUVUS_SHELL"], "/bin/fish");
        assert!(!env.contains_key("LUVUS_AGENT"), "it is one pane's");
        assert!(!environment(&[]).contains_key("LUVUS_HOME"));
    }

    #[test]
    fn the_control_variables_are_there_when_the_protocol_is_served() {
        let env = environment_with(&[("LUVUS_RUNTIME_ENDPOINT", "1 old")], Some("4000 00ff"));
        assert_eq!(env["LUVUS_RUNTIME_ENDPOINT"], "4000 00ff");
        assert_eq!((env["NEBULA_CLI"].as_str(), env["NEBULA_BIN_DIR"].as_str()), ("/bin/luvus", "/h/bin"));
        let env = environment(&[]);
        assert!(!env.contains_key("NEBULA_CLI") && !env.contains_key("NEBULA_BIN_DIR"));
        assert_eq!(env["NEBULA_PANE_ID"], "7");
    }

    #[test]
    fn what_a_guest_system_is_told_grows_once() {
        let once = passed_on("TOOL/p:NEBULA_CLI", true);
        assert!(once.starts_with("TOOL/p:") && once.contains("NEBULA_CLI/p:"), "{once}");
        assert_eq!(passed_on(&once, true), once);
        assert!(!passed_on("", false).contains("NEBULA_CLI"));
    }

    #[test]
    fn wishes_add_to_what_a_pane_is_told_and_replace_none_of_it() {
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let of_pane = environment_with(&[("EDITOR", "vi")], Some("4000 00ff")).into_iter().collect();
        let names = ["NEBULA_PANE_ID", "LUVUS_RUNTIME_ENDPOINT", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"];
        let mut wishes: Vec<_> = names.iter().map(|name| text(name, "wish")).collect();
        wishes.extend([text("EDITOR", "wish"), text("NEW", "wish")]);
        let env: BTreeMap<_, _> = overlaid(of_pane, &wishes).into_iter().collect();
        assert!(names.iter().all(|name| env[*name] != "wish"), "{env:?}");
        assert_eq!((env["EDITOR"].as_str(), env["NEW"].as_str()), ("wish", "wish"));
    }

    #[test]
    fn the_folder_of_links_leads_the_path_once() {
        assert_eq!(leading(Path::new("/h/bin"), "/usr/bin:/h/bin:/bin"), "/h/bin:/usr/bin:/bin");
        let env = environment(&[("PATH", "/h/bin:/bin")]);
        assert_eq!(env["PATH"], "/h/bin:/bin");
    }
}
