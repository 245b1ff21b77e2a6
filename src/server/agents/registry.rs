//! Who is who: leased reports of integrations, and the agents with their names and generations
//! (`uhp.md` 17.1, `runtime.md` 8.1).
//!
//! Invariants: one source holds a pane's lease and its sequence only rises; a name belongs to one
//! active agent; an id is never used again.

use crate::protocol::agent::AgentState;
use crate::protocol::ids::{PaneId, TerminalId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Closed agents that are remembered.
const CLOSED: usize = 256;
/// Names whose generation is remembered.
const NAMES: usize = 4_096;

/// What an integration reports of its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseReport {
    /// Who reports.
    pub source: String,
    /// The agent's kind.
    pub agent: String,
    /// Its state.
    pub status: AgentState,
    /// What it says.
    pub message: Option<String>,
    /// Its conversation.
    pub session: Option<String>,
    /// The number of the report; the next one without.
    pub sequence: Option<u64>,
    /// For how many seconds it holds.
    pub ttl_s: u64,
}

/// A report in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Who reported.
    pub source: String,
    /// The agent's kind.
    pub agent: String,
    /// Its state.
    pub status: AgentState,
    /// What it says.
    pub message: Option<String>,
    /// The number of the report.
    pub sequence: u64,
    /// For how many seconds it holds.
    pub ttl_s: u64,
    /// When it ends.
    pub expires: Instant,
    /// Whether somebody has seen its `done`.
    pub seen: bool,
}

/// Why a report was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    /// Another source holds the pane.
    #[error("`{0}` holds the authority over this pane")]
    Held(String),
    /// The sequence does not rise.
    #[error("the sequence must rise above {0}")]
    NotRising(u64),
    /// Nobody holds it.
    #[error("no report is in force for this pane")]
    None,
}

/// Takes a report in; its number. `lease` is what is in force for the pane.
///
/// # Errors
/// [`LeaseError`]; nothing changed then.
pub fn renew(lease: &mut Option<Lease>, report: LeaseReport, now: Instant) -> Result<u64, LeaseError> {
    let before = lease.as_ref().filter(|lease| lease.expires > now);
    if let Some(before) = before.filter(|before| before.source != report.source) {
        return Err(LeaseError::Held(before.source.clone()));
    }
    let last = before.map(|before| before.sequence);
    let sequence = match (report.sequence, last) {
        (Some(sequence), Some(last)) if sequence <= last => return Err(LeaseError::NotRising(last)),
        (Some(sequence), _) => sequence,
        (None, last) => last.map_or(1, |last| last.saturating_add(1)),
    };
    *lease = Some(Lease {
        source: report.source,
        agent: report.agent,
        status: report.status,
        message: report.message,
        sequence,
        ttl_s: report.ttl_s,
        expires: now + Duration::from_secs(report.ttl_s),
        seen: false,
    });
    Ok(sequence)
}

/// Ends a lease of that source.
///
/// # Errors
/// [`LeaseError`]; nothing changed then.
pub fn release(lease: &mut Option<Lease>, source: &str) -> Result<(), LeaseError> {
    match lease {
        Some(held) if held.source == source => {
            *lease = None;
            Ok(())
        }
        Some(held) => Err(LeaseError::Held(held.source.clone())),
        None => Err(LeaseError::None),
    }
}

/// Why an agent is not active any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedReason {
    /// Its process ended.
    AgentExited,
    /// Another agent runs in its pane, or it has another session.
    AgentReplaced,
    /// Its pane was closed.
    PaneClosed,
    /// Its pane's root process ended.
    PaneExited,
    /// Somebody ended it.
    AgentClosed,
}

impl ClosedReason {
    /// The machine's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentExited => "agent_exited",
            Self::AgentReplaced => "agent_replaced",
            Self::PaneClosed => "pane_closed",
            Self::PaneExited => "pane_exited",
            Self::AgentClosed => "agent_closed",
        }
    }
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedAgent {
    /// Opaque, unique in this server's life.
    pub agent_id: String,
    /// The how-manieth under its name.
    pub generation: u64,
    /// Its name: the pane's alias, else its kind, with a number if that is taken.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its pane.
    pub pane: PaneId,
    /// Its terminal.
    pub terminal: TerminalId,
    /// Its conversation, if that is known.
    pub session: Option<String>,
    /// Why it is closed; `None` while it is active.
    pub closed: Option<ClosedReason>,
}

/// All agents that were recognised.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    active: BTreeMap<PaneId, ManagedAgent>,
    closed: VecDeque<ManagedAgent>,
    generations: HashMap<String, u64>,
    last_id: u64,
}

/// What is known of a recognised agent.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'a> {
    /// Where.
    pub pane: PaneId,
    /// In which terminal.
    pub terminal: TerminalId,
    /// Its kind.
    pub kind: &'a str,
    /// The pane's alias.
    pub alias: Option<&'a str>,
    /// Its conversation.
    pub session: Option<&'a str>,
}

impl Registry {
    /// An agent is there: registers it, or brings its record up to date. Whether that changed anything.
    pub fn seen(&mut self, sighting: Sighting<'_>) -> bool {
        let Sighting { pane, terminal, kind, alias, session } = sighting;
        if let Some(agent) = self.active.get(&pane) {
            let other_session =
                session.is_some() && agent.session.is_some() && agent.session.as_deref() != session;
            if agent.kind == kind && agent.terminal == terminal && !other_session {
                return self.refresh(sighting);
            }
            self.close(pane, ClosedReason::AgentReplaced);
        }
        let name = alias.map_or_else(|| self.free_name(kind), str::to_owned);
        self.last_id += 1;
        let generation = self.next_generation(&name);
        let agent = ManagedAgent {
            agent_id: format!("agent-{}", self.last_id),
            generation,
            name,
            kind: kind.to_owned(),
            pane,
            terminal,
            session: session.map(str::to_owned),
            closed: None,
        };
        self.active.insert(pane, agent);
        true
    }

    /// The same agent: its alias or its session may be new. Its id and its generation stay.
    fn refresh(&mut self, Sighting { pane, kind, alias, session, .. }: Sighting<'_>) -> bool {
        let named_by_kind =
            |name: &str| name == kind || name.strip_prefix(kind).is_some_and(|rest| rest.starts_with('-'));
        let name = match (alias, self.active.get(&pane).map(|agent| agent.name.clone())) {
            (Some(alias), _) => alias.to_owned(),
            (None, Some(name)) if named_by_kind(&name) => name,
            (None, _) => self.free_name(kind),
        };
        let Some(agent) = self.active.get_mut(&pane) else { return false };
        let session = session.map(str::to_owned).or_else(|| agent.session.clone());
        let changed = agent.name != name || agent.session != session;
        if agent.name != name {
            let generation = agent.generation;
            self.generations
                .entry(name.clone())
                .and_modify(|last| *last = (*last).max(generation))
                .or_insert(generation);
        }
        agent.name = name;
        agent.session = session;
        changed
    }

    /// The agent of a pane is gone. Whether there was one.
    pub fn close(&mut self, pane: PaneId, reason: ClosedReason) -> bool {
        let Some(agent) = self.active.remove(&pane) else { return false };
        if self.closed.len() == CLOSED {
            self.closed.pop_front();
        }
        self.closed.push_back(ManagedAgent { closed: Some(reason), ..agent });
        true
    }

    /// The agent of a pane.
    #[must_use]
    pub fn of_pane(&self, pane: PaneId) -> Option<&ManagedAgent> {
        self.active.get(&pane)
    }

    /// Every agent that is known, the active ones first, then the closed ones from the newest on.
    pub fn all(&self) -> impl Iterator<Item = &ManagedAgent> {
        self.active.values().chain(self.closed.iter().rev())
    }

    fn next_generation(&mut self, name: &str) -> u64 {
        if self.generations.len() >= NAMES && !self.generations.contains_key(name) {
            let used: std::collections::HashSet<&str> = self.all().map(|agent| agent.name.as_str()).collect();
            let used: Vec<String> = used.into_iter().map(str::to_owned).collect();
            self.generations.retain(|name, _| used.contains(name));
        }
        let generation = self.generations.entry(name.to_owned()).or_insert(0);
        *generation += 1;
        *generation
    }

    fn free_name(&self, kind: &str) -> String {
        let taken = |name: &str| self.active.values().any(|agent| agent.name == name);
        if !taken(kind) {
            return kind.to_owned();
        }
        // One more candidate than there are agents: one of them is free.
        let mut numbered = (2..self.active.len() + 3).map(|number| format!("{kind}-{number}"));
        numbered.find(|name| !taken(name)).unwrap_or_else(|| kind.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(source: &str, sequence: Option<u64>) -> LeaseReport {
        LeaseReport {
            source: source.into(),
            agent: "claude".into(),
            status: AgentState::Working,
            message: None,
            session: None,
            sequence,
            ttl_s: 10,
        }
    }

    #[test]
    fn one_source_holds_a_pane_and_its_sequence_rises() {
        let (mut lease, now) = (None, Instant::now());
        assert_eq!(renew(&mut lease, report("hook", Some(5)), now), Ok(5));
        assert_eq!(renew(&mut lease, report("hook", Some(5)), now), Err(LeaseError::NotRising(5)));
        assert_eq!(renew(&mut lease, report("hook", None), now), Ok(6));
        assert_eq!(renew(&mut lease, report("other", Some(9)), now), Err(LeaseError::Held("hook".into())));
        assert_eq!(release(&mut lease, "other"), Err(LeaseError::Held("hook".into())));
        let later = now + Duration::from_secs(10);
        assert_eq!(renew(&mut lease, report("other", Some(1)), later), Ok(1), "the first has expired");
        assert_eq!(release(&mut lease, "other"), Ok(()));
        assert_eq!(release(&mut lease, "other"), Err(LeaseError::None));
    }

    fn sighting<'a>(pane: u32, kind: &'a str, alias: Option<&'a str>) -> Sighting<'a> {
        Sighting { pane: PaneId(pane), terminal: TerminalId([1; 16]), kind, alias, session: None }
    }

    fn names(registry: &Registry) -> Vec<(String, u64)> {
        registry.active.values().map(|agent| (agent.name.clone(), agent.generation)).collect()
    }

    #[test]
    fn agents_are_named_by_alias_or_kind_and_number() {
        let mut registry = Registry::default();
        for (pane, alias) in [(1, None), (2, None), (3, Some("ana")), (4, None)] {
            assert!(registry.seen(sighting(pane, "claude", alias)));
        }
        assert_eq!(
            names(&registry).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["claude", "claude-2", "ana", "claude-3"]
        );
        registry.close(PaneId(2), ClosedReason::AgentExited);
        registry.seen(sighting(5, "claude", None));
        assert_eq!(
            registry.of_pane(PaneId(5)).map(|agent| (agent.name.as_str(), agent.generation)),
            Some(("claude-2", 2))
        );
    }

    #[test]
    fn renaming_keeps_id_and_generation_and_replacing_does_not() {
        let mut registry = Registry::default();
        registry.seen(sighting(1, "claude", None));
        let first = registry.of_pane(PaneId(1)).cloned().expect("an agent");
        assert!(!registry.seen(sighting(1, "claude", None)));
        assert!(registry.seen(sighting(1, "claude", Some("ana"))));
        let renamed = registry.of_pane(PaneId(1)).cloned().expect("an agent");
        assert_eq!(
            (&renamed.agent_id, renamed.generation, renamed.name.as_str()),
            (&first.agent_id, 1, "ana")
        );
        assert!(registry.seen(sighting(1, "codex", Some("ana"))));
        let next = registry.of_pane(PaneId(1)).cloned().expect("an agent");
        assert_eq!((next.name.as_str(), next.generation), ("ana", 2));
        assert_ne!(next.agent_id, first.agent_id);
        assert_eq!(registry.closed.back().and_then(|agent| agent.closed), Some(ClosedReason::AgentReplaced));
    }

    #[test]
    fn another_session_is_another_agent_and_the_same_one_is_not() {
        let mut registry = Registry::default();
        let with = |session| Sighting { session, ..sighting(1, "claude", None) };
        registry.seen(with(None));
        registry.seen(with(Some("s1")));
        assert_eq!(registry.of_pane(PaneId(1)).map(|agent| agent.generation), Some(1));
        registry.seen(with(None));
        registry.seen(with(Some("s2")));
        assert_eq!(registry.of_pane(PaneId(1)).map(|agent| agent.generation), Some(2));
    }

    #[test]
    fn closed_agents_are_bounded() {
        let mut registry = Registry::default();
        for _ in 0..CLOSED + 10 {
            registry.seen(sighting(1, "pi", None));
            registry.close(PaneId(1), ClosedReason::PaneClosed);
        }
        assert_eq!(registry.all().count(), CLOSED);
    }
}
