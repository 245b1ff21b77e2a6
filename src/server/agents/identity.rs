//! Who runs in a pane, from the signs there are (`product.md` section 6, `uhp.md` 12.4).
//!
//! Invariants: what a program reports of itself never decides who it is; an agent that does not run in
//! the foreground is not there; names and titles are compared and never kept.

use super::manifest::Manifests;

/// Programs that run others whose names cannot be seen from here.
const VEILS: &[&str] = &[
    "ssh",
    "mosh-client",
    "et",
    "docker",
    "podman",
    "kubectl",
    "lxc",
    "incus",
    "wsl",
    "wsl.exe",
    "tmux",
    "screen",
    "zellij",
    "distrobox",
    "toolbox",
    "vagrant",
    "machinectl",
    "nsenter",
    "telnet",
    "sudo",
    "su",
];
/// Programs that run scripts, by what their names begin with.
const INTERPRETERS: &[&str] = &["node", "nodejs", "bun", "deno", "python", "python3", "ruby", "MainThread"];

/// What an identity rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentitySource {
    /// The names of the processes.
    Process,
    /// The script that an interpreter runs.
    Script,
    /// `LUVUS_AGENT` in the environment that the pane was made with.
    Hint,
    /// A report of the agent's session.
    Session,
    /// A leased report.
    Report,
    /// What the pane was started with.
    Launch,
    /// The window title.
    Title,
    /// An unmistakable text on the screen.
    Screen,
}

impl IdentitySource {
    /// The machine's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process | Self::Script => "process",
            Self::Hint => "hint",
            Self::Session => "session",
            Self::Report => "integration_report",
            Self::Launch => "launch",
            Self::Title => "title",
            Self::Screen => "screen",
        }
    }

    /// How sure it is.
    #[must_use]
    pub const fn confidence(self) -> &'static str {
        match self {
            Self::Process | Self::Script | Self::Hint | Self::Session | Self::Report => "high",
            Self::Launch | Self::Title => "medium",
            Self::Screen => "low",
        }
    }

    /// Whether it proves that this very program is there.
    #[must_use]
    pub const fn is_proof(self) -> bool {
        matches!(self, Self::Process | Self::Script | Self::Session)
    }
}

/// A recognised kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its id.
    pub kind: String,
    /// What it rests on.
    pub source: IdentitySource,
}

/// The signs of one moment.
#[derive(Debug, Clone, Default)]
pub struct Signs<'a> {
    /// Names of what runs in the pane, the root first; `None` where the system does not tell.
    pub processes: Option<&'a [String]>,
    /// Name of the foreground program.
    pub program: Option<&'a str>,
    /// Whether something other than a shell at its prompt runs.
    pub busy: bool,
    /// `LUVUS_AGENT` of the pane.
    pub hint: Option<&'a str>,
    /// The kind of the script that an interpreter in the pane runs.
    pub script: Option<&'a str>,
    /// The file that the pane was started with.
    pub launch: Option<&'a str>,
    /// The window title.
    pub title_kind: Option<&'a str>,
    /// The kind that an unmistakable text on the screen names.
    pub screen_kind: Option<&'a str>,
    /// The kind of a session report.
    pub session: Option<&'a str>,
    /// The kind of a leased report.
    pub report: Option<&'a str>,
}

/// Whether a look at the scripts of interpreters could tell more.
#[must_use]
pub fn wants_script(manifests: &Manifests, processes: &[String]) -> bool {
    let known = processes.iter().any(|name| manifests.distinct(name).is_some());
    !known && processes.iter().any(|name| is_interpreter(name))
}

/// Whether the screen may tell who runs: only where processes cannot.
#[must_use]
pub fn is_veiled(signs: &Signs<'_>) -> bool {
    signs.busy
        && (signs.processes.is_none()
            || signs.program.is_some_and(|program| VEILS.contains(&program) || is_interpreter(program)))
}

/// Whether a program of that name runs scripts.
#[must_use]
pub fn is_interpreter(name: &str) -> bool {
    let stem = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&stem)
}

/// Who it is, from the best sign there is.
#[must_use]
pub fn identify(manifests: &Manifests, signs: &Signs<'_>) -> Option<Identity> {
    let of = |kind: &str, source| Some(Identity { kind: kind.to_owned(), source });
    let running = || {
        let names = signs.processes.unwrap_or_default();
        let kind = names.iter().find_map(|name| manifests.distinct(name))?;
        of(kind, IdentitySource::Process)
    };
    let script = || of(signs.script?, IdentitySource::Script);
    let hint = || of(manifests.kind_named(signs.hint?)?, IdentitySource::Hint);
    let ambiguous = || {
        let names = signs.processes.unwrap_or_default();
        let found = manifests.iter().find(|manifest| {
            let second = [signs.title_kind, signs.screen_kind, signs.session];
            names.iter().any(|name| manifest.ambiguous.contains(name))
                && second.into_iter().flatten().any(|kind| kind == manifest.id)
        })?;
        of(&found.id, IdentitySource::Process)
    };
    let launch = || of(manifests.distinct(signs.launch?)?, IdentitySource::Launch);
    let title = || of(signs.title_kind?, IdentitySource::Title);
    let screen = || of(signs.screen_kind.filter(|_| is_veiled(signs))?, IdentitySource::Screen);
    let foreground = || {
        let proved = running().or_else(script).or_else(hint).or_else(ambiguous);
        let session = || of(signs.session?, IdentitySource::Session);
        proved.or_else(session).or_else(launch).or_else(title).or_else(screen)
    };
    let found = if signs.busy { foreground() } else { None };
    found.or_else(|| of(signs.report?, IdentitySource::Report))
}

/// What a program that reports its state is called: not by a name that belongs to an agent, unless it
/// is that very agent.
#[must_use]
pub fn label<'a>(manifests: &Manifests, app: Option<&'a str>, identity: Option<&'a Identity>) -> &'a str {
    /// What a program without a name of its own is called.
    const NAMELESS: &str = "program";
    if let Some(identity) = identity {
        return &identity.kind;
    }
    app.filter(|app| manifests.kind_named(app).is_none()).unwrap_or(NAMELESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn source(signs: &Signs<'_>) -> Option<(String, IdentitySource)> {
        identify(&Manifests::default(), signs).map(|found| (found.kind, found.source))
    }

    fn some(kind: &str, source: IdentitySource) -> Option<(String, IdentitySource)> {
        Some((kind.to_owned(), source))
    }

    #[test]
    fn the_process_tree_comes_first_then_launch_then_title_then_screen() {
        let processes = names(&["bash", "node", "claude"]);
        let mut signs = Signs {
            processes: Some(&processes),
            program: Some("ssh"),
            busy: true,
            launch: Some("codex"),
            title_kind: Some("gemini"),
            screen_kind: Some("aider"),
            ..Signs::default()
        };
        assert_eq!(source(&signs), some("claude", IdentitySource::Process));
        let other = names(&["bash", "ssh"]);
        signs.processes = Some(&other);
        assert_eq!(source(&signs), some("codex", IdentitySource::Launch));
        signs.launch = Some("ssh");
        assert_eq!(source(&signs), some("gemini", IdentitySource::Title));
        signs.title_kind = None;
        assert_eq!(source(&signs), some("aider", IdentitySource::Screen));
        signs.program = Some("less");
        assert_eq!(source(&signs), None, "a text about an agent is none");
    }

    #[test]
    fn who_does_not_run_in_front_is_not_there() {
        let processes = names(&["bash", "claude"]);
        let signs = Signs { processes: Some(&processes), title_kind: Some("claude"), ..Signs::default() };
        assert_eq!(source(&signs), None, "suspended, and its title is old");
        assert_eq!(
            source(&Signs { report: Some("codex"), ..signs }),
            some("codex", IdentitySource::Report),
            "a lease stands for itself"
        );
    }

    #[test]
    fn an_ambiguous_name_needs_a_second_sign() {
        let processes = names(&["bash", "agent"]);
        let signs =
            Signs { processes: Some(&processes), program: Some("agent"), busy: true, ..Signs::default() };
        assert_eq!(source(&signs), None);
        let titled = Signs { title_kind: Some("cursor"), ..signs.clone() };
        assert_eq!(source(&titled), some("cursor", IdentitySource::Process));
        let hinted = Signs { hint: Some("agent"), ..signs };
        assert_eq!(source(&hinted), some("cursor", IdentitySource::Hint));
    }

    #[test]
    fn a_hint_and_a_script_see_through_wrappers() {
        let processes = names(&["zsh", "node"]);
        let manifests = Manifests::default();
        assert!(wants_script(&manifests, &processes));
        assert!(!wants_script(&manifests, &names(&["zsh", "node", "codex"])));
        let signs =
            Signs { processes: Some(&processes), busy: true, script: Some("gemini"), ..Signs::default() };
        assert_eq!(source(&signs), some("gemini", IdentitySource::Script));
        assert!(is_interpreter("python3.12") && !is_interpreter("vim"));
    }

    #[test]
    fn nobody_goes_by_the_name_of_an_agent() {
        let manifests = Manifests::default();
        assert_eq!(label(&manifests, Some("deploy"), None), "deploy");
        for app in ["claude", "CODEX", "cursor-agent", "agent"] {
            assert_eq!(label(&manifests, Some(app), None), "program", "{app}");
        }
        assert_eq!(label(&manifests, None, None), "program");
        let identity = Identity { kind: "claude".into(), source: IdentitySource::Process };
        assert_eq!(label(&manifests, Some("claude"), Some(&identity)), "claude");
    }
}
