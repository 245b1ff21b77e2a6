//! [`AgentView`]: one pane's agent as everybody outside of the hub sees it, and how agents are named.
//!
//! Invariant: a view is made of one moment and never changes; the hub makes a new one.

use super::detect::Finding;
use super::identity::Identity;
use super::registry::ManagedAgent;
use super::state::{Source, Transition};
use super::usage::Usage;
use crate::protocol::agent::{AgentScene, AgentState, BlockedKind};
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::plain::one_line;
use std::collections::BTreeMap;

/// A hint and a title as they are drawn.
const HINT_CHARS: usize = 240;
const TITLE_CHARS: usize = 160;

/// A lease as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// Who reports.
    pub source: String,
    /// The number of the last report.
    pub sequence: u64,
    /// For how many seconds it holds.
    pub ttl_s: u64,
}

/// A program that works for a person: a recognised agent, or one that reports its state.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentView {
    /// Its pane.
    pub pane: PaneId,
    /// Its terminal.
    pub terminal: TerminalId,
    /// Who it is; `None` for a program that only reports.
    pub identity: Option<Identity>,
    /// What it is called in lists.
    pub label: String,
    /// Its state.
    pub state: AgentState,
    /// What it waits for.
    pub blocked: Option<BlockedKind>,
    /// What the state rests on.
    pub source: Source,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
    /// Whether `blocked` or `done` has not been looked at.
    pub unread: bool,
    /// How often the state changed; rises by one each time.
    pub state_change_seq: u64,
    /// The latest changes, the oldest first.
    pub transitions: Vec<Transition>,
    /// Whether the last result is a failure.
    pub failed: bool,
    /// The lease in force.
    pub authority: Option<Authority>,
    /// Its conversation, from a hook or a session report.
    pub session: Option<String>,
    /// The title of its conversation, raw.
    pub title: Option<String>,
    /// What it asks or says, raw.
    pub hint: Option<String>,
    /// Progress in percent.
    pub progress: Option<u8>,
    /// What its screen told when it was looked at last.
    pub finding: Option<Finding>,
    /// Whether a report of the program itself, still in force, says that it waits.
    pub reports_blocked: bool,
    /// Its record in the registry.
    pub registered: Option<ManagedAgent>,
    /// The counters of its conversation.
    pub usage: Option<Usage>,
    /// What its conversation costs in an hour.
    pub burn_per_hour: Option<f64>,
}

impl AgentView {
    /// The recognised kind.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.identity.as_ref().map(|identity| identity.kind.as_str())
    }

    /// The title of its conversation on one plain line.
    #[must_use]
    pub fn session_title(&self) -> Option<String> {
        self.title.as_deref().map(|title| shortened(title, TITLE_CHARS)).filter(|title| !title.is_empty())
    }

    /// Which kind of authority holds its state, as `uhp.capabilities` announces it; who that is, is
    /// `authority`.
    #[must_use]
    pub fn authority_kind(&self) -> Option<&'static str> {
        self.authority.as_ref().map(|_| Source::Integration.as_str())
    }

    /// What clients draw.
    #[must_use]
    pub fn scene(&self) -> AgentScene {
        AgentScene {
            kind: self.kind().map(str::to_owned),
            label: self.label.clone(),
            state: self.state,
            blocked: self.blocked,
            hint: self.hint.as_deref().map(|hint| one_line(hint, HINT_CHARS)),
            since_ms: self.since_ms,
            unread: self.unread,
            progress: self.progress,
            title: self.session_title(),
            usage: self.usage.as_ref().map(|usage| usage.scene(self.burn_per_hour)),
        }
    }
}

/// One plain line of at most so many characters.
fn shortened(text: &str, chars: usize) -> String {
    one_line(text, chars.saturating_sub(1))
}

/// All agents by pane.
pub type Views = BTreeMap<PaneId, std::sync::Arc<AgentView>>;

/// Why a name means no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Nothing goes by it.
    #[error("no agent `{0}`")]
    NotFound(String),
    /// Several do.
    #[error("`{name}` may be {}", candidates(.panes))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The panes that it may be.
        panes: Vec<PaneId>,
    },
}

fn candidates(panes: &[PaneId]) -> String {
    panes.iter().map(|pane| format!("pane {pane}")).collect::<Vec<_>>().join(", ")
}

/// The pane that a target means (`uhp.md` section 14): a live alias, a pane id, or a kind that exactly
/// one agent has. `alias` finds the pane of that alias, `exists` tells whether there is such a pane.
///
/// # Errors
/// [`TargetError`].
pub fn resolve(
    target: &str,
    views: &Views,
    alias: impl Fn(&str) -> Option<PaneId>,
    exists: impl Fn(PaneId) -> bool,
) -> Result<PaneId, TargetError> {
    if let Some(pane) = alias(target) {
        return Ok(pane);
    }
    if let Some(pane) = target.parse().ok().filter(|pane| exists(*pane)) {
        return Ok(pane);
    }
    let of_kind = views.values().filter(|view| view.kind() == Some(target));
    let panes: Vec<PaneId> = of_kind.map(|view| view.pane).collect();
    match panes[..] {
        [] => Err(TargetError::NotFound(target.chars().take(64).collect())),
        [pane] => Ok(pane),
        _ => Err(TargetError::Ambiguous { name: target.to_owned(), panes }),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::server::agents::identity::IdentitySource;
    use std::sync::Arc;

    /// A view of a working agent, to be changed.
    pub fn view(pane: u32, kind: &str) -> AgentView {
        AgentView {
            pane: PaneId(pane),
            terminal: TerminalId([1; 16]),
            identity: Some(Identity { kind: kind.to_owned(), source: IdentitySource::Process }),
            label: kind.to_owned(),
            state: AgentState::Working,
            blocked: None,
            source: Source::Screen,
            since_ms: 0,
            unread: false,
            state_change_seq: 2,
            transitions: Vec::new(),
            failed: false,
            authority: None,
            session: None,
            title: None,
            hint: None,
            progress: None,
            finding: None,
            reports_blocked: false,
            registered: None,
            usage: None,
            burn_per_hour: None,
        }
    }

    #[test]
    fn a_target_is_an_alias_a_pane_or_the_only_one_of_its_kind() {
        let views: Views = [(1, "claude"), (2, "codex"), (3, "codex")]
            .map(|(pane, kind)| (PaneId(pane), Arc::new(view(pane, kind))))
            .into();
        let find = |target: &str| {
            resolve(target, &views, |name| (name == "ana").then_some(PaneId(3)), |pane| pane.0 < 5)
        };
        assert_eq!(find("ana"), Ok(PaneId(3)));
        assert_eq!(find("4"), Ok(PaneId(4)), "a pane without an agent is a target too");
        assert_eq!(find("claude"), Ok(PaneId(1)));
        assert_eq!(find("9"), Err(TargetError::NotFound("9".into())));
        let ambiguous = find("codex").expect_err("two");
        assert_eq!(ambiguous.to_string(), "`codex` may be pane 2, pane 3");
    }

    #[test]
    fn what_is_drawn_is_plain() {
        let scene = AgentView {
            hint: Some("run\n\u{202e}rm?".into()),
            title: Some("\u{1b}x".repeat(200)),
            ..view(1, "claude")
        }
        .scene();
        assert_eq!(scene.hint.as_deref(), Some("run rm?"));
        assert_eq!(scene.title.map(|title| title.chars().count()), Some(160));
    }
}
