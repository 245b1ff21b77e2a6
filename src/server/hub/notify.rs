//! Whom to tell what, and when (`product.md` section 7): agents that wait or have finished, and messages
//! that somebody sent to a pane. Nothing else is told of, and nothing about the pane that is looked at.
//!
//! Invariants: what a message says is shown and nothing else: it is never logged; what was not looked at
//! for the whole delay is told once; a burst becomes one; what was told last is kept here, so that a client that comes
//! later has it too.

use super::Hub;
use super::agents::moment;
use crate::protocol::agent::AgentState;
use crate::protocol::attach::message::{Alert, Matter, ToClient, Told};
use crate::protocol::ids::PaneId;
use crate::protocol::plain::one_line;
use crate::server::agents::state::Transition;
use crate::server::terminal::engine::Mark;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// More does not fit on a line of a screen.
const TITLE_CHARS: usize = 80;
const BODY_CHARS: usize = 240;
/// What is remembered (`product.md` section 7).
const HISTORY: usize = 50;
/// A burst is waited for so many delays at most.
const BURST: u32 = 3;

/// What somebody has to say about a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) pane: PaneId,
    pub(super) title: String,
    pub(super) body: String,
}

/// What is to be told of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    /// Its agent is in that state.
    State(AgentState),
    /// Somebody said so.
    Message(Message),
}

/// What is to be told when its time has come.
#[derive(Default)]
pub(super) struct Alerts {
    waiting: BTreeMap<PaneId, Subject>,
    /// When the first of them came, and when all of them are told.
    since: Option<Instant>,
    due: Option<Instant>,
    /// What was told, the newest first: for whoever attaches later.
    told: VecDeque<Told>,
}

impl Alerts {
    /// When something is to be told.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What was told, the newest first.
    pub(super) fn history(&self) -> Vec<Told> {
        self.told.iter().cloned().collect()
    }

    fn remember(&mut self, alerts: &[Alert], at_ms: u64) {
        for alert in alerts {
            self.told.push_front(Told { alert: alert.clone(), at_ms });
        }
        self.told.truncate(HISTORY);
    }

    fn push(&mut self, pane: PaneId, subject: Subject, delay: Duration, now: Instant) {
        self.waiting.insert(pane, subject);
        let since = *self.since.get_or_insert(now);
        self.due = Some((now + delay).min(since + delay * BURST));
    }

    /// All of them, if their time has come.
    fn take(&mut self, now: Instant) -> BTreeMap<PaneId, Subject> {
        if self.due.is_none_or(|due| due > now) {
            return BTreeMap::new();
        }
        (self.since, self.due) = (None, None);
        std::mem::take(&mut self.waiting)
    }
}

impl Subject {
    fn matter(&self) -> Matter {
        match self {
            Self::State(AgentState::Blocked) => Matter::Blocked,
            Self::State(_) => Matter::Done,
            Self::Message(_) => Matter::Message,
        }
    }
}

impl Hub {
    /// An agent waits, or has finished, and nobody looks.
    pub(super) fn alert(&mut self, pane: PaneId, transition: Transition) {
        self.later(pane, Subject::State(transition.state));
    }

    /// Somebody says something about a pane.
    pub(super) fn notify(&mut self, message: Message) {
        if self.viewed != Some(message.pane) {
            self.later(message.pane, Subject::Message(message));
        }
    }

    /// The program in a pane said something (OSC 9, 777 or 99).
    pub(super) fn notify_marked(&mut self, pane: PaneId, marks: &[Mark]) {
        let said = marks.iter().rev().find_map(|mark| match mark {
            Mark::Notification { title, body } => Some((title.clone().unwrap_or_default(), body.clone())),
            _ => None,
        });
        if let Some((title, body)) = said {
            self.notify(Message { pane, title, body });
        }
    }

    fn later(&mut self, pane: PaneId, subject: Subject) {
        let delay = Duration::from_millis(self.settings.config.notification_delay_ms);
        self.alerts.push(pane, subject, delay, Instant::now());
    }

    /// Tells what still holds of everything whose time has come.
    pub(super) fn fire_alerts(&mut self) {
        let waiting = self.alerts.take(Instant::now());
        let holding = waiting.into_iter().filter(|(pane, subject)| self.holds(*pane, subject));
        let alert = |(pane, subject): (PaneId, Subject)| Alert {
            pane,
            name: self.alert_name(pane),
            matter: subject.matter(),
            text: self.alert_text(pane, &subject),
        };
        let alerts: Vec<Alert> = holding.map(alert).collect();
        for alert in &alerts {
            self.run_notification_command(alert);
        }
        if !alerts.is_empty() {
            self.alerts.remember(&alerts, moment().unix_ms);
            // How they are told is each client's own matter: toast, sound, its terminal.
            self.clients.tell_all(&ToClient::Alerts(alerts));
        }
    }

    /// Whether there still is something to tell.
    fn holds(&self, pane: PaneId, subject: &Subject) -> bool {
        if self.viewed == Some(pane) || !self.panes.contains_key(&pane) {
            return false;
        }
        match subject {
            Subject::Message(_) => true,
            Subject::State(state) => {
                let views = self.agents.views();
                views.get(&pane).is_some_and(|view| view.state == *state && view.unread)
            }
        }
    }

    /// What a pane is called where nothing that was said may be told: a window title and a hint may quote what the
    /// agent was told, or what it wrote.
    fn alert_name(&self, pane: PaneId) -> String {
        let snapshot = self.published.borrow();
        let given = snapshot.scene.pane(pane).and_then(|pane| pane.name.clone().or(pane.label.clone()));
        let label = || self.agents.views().get(&pane).map(|view| view.label.clone());
        let name = given.filter(|name| !name.is_empty()).or_else(label);
        one_line(&name.unwrap_or_else(|| format!("pane {pane}")), TITLE_CHARS)
    }

    fn alert_text(&self, pane: PaneId, subject: &Subject) -> String {
        let snapshot = self.published.borrow();
        let scene = snapshot.scene.pane(pane);
        let state = match subject {
            Subject::Message(message) => {
                let name = scene.map(|pane| pane.display_name().to_owned()).unwrap_or_default();
                return line(&name, message);
            }
            Subject::State(AgentState::Blocked) => "needs you",
            Subject::State(_) => "is done",
        };
        let views = self.agents.views();
        let view = views.get(&pane);
        let told = format!("{} {state}", self.alert_name(pane));
        let hint = view.and_then(|view| view.hint.as_deref().or(view.title.as_deref()));
        match hint.filter(|_| self.settings.config.notification_text) {
            Some(hint) => format!("{told}: {}", one_line(hint, BODY_CHARS)),
            None => told,
        }
    }
}

fn line(name: &str, message: &Message) -> String {
    let said = [one_line(&message.title, TITLE_CHARS), one_line(&message.body, BODY_CHARS)];
    let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
    let text = [&[one_line(name, TITLE_CHARS)], said.as_slice()].concat().join(": ");
    if said.is_empty() { text + " wants attention" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_plain_line() {
        let said = |title: &str, body: &str| {
            line("build", &Message { pane: PaneId(1), title: title.into(), body: body.into() })
        };
        assert_eq!(said("Done", "all\n\x1b[31mtests\x1b[0m pass"), "build: Done: all [31mtests[0m pass");
        assert_eq!(said("", "b"), "build: b");
        assert_eq!(said("a", " "), "build: a");
        assert_eq!(said("", ""), "build wants attention");
        assert!(said("", &"x".repeat(8_192)).chars().count() < 300);
    }

    #[test]
    fn a_burst_is_told_once_and_not_put_off_for_ever() {
        let (mut alerts, start) = (Alerts::default(), Instant::now());
        let delay = Duration::from_millis(1_000);
        let ms = |ms| start + Duration::from_millis(ms);
        assert_eq!(alerts.due(), None);
        for (pane, at) in [(1, 0), (2, 600), (3, 1_200), (4, 1_900), (5, 2_700)] {
            alerts.push(PaneId(pane), Subject::State(AgentState::Blocked), delay, ms(at));
        }
        assert_eq!(alerts.due(), Some(ms(3_000)));
        assert!(alerts.take(ms(2_999)).is_empty());
        assert_eq!(alerts.take(ms(3_000)).len(), 5);
        assert_eq!(alerts.due(), None, "no timer is left");
    }

    #[test]
    fn the_last_fifty_are_remembered_the_newest_first() {
        let mut alerts = Alerts::default();
        for at in 0..60_u32 {
            let alert =
                Alert { pane: PaneId(at), name: String::new(), matter: Matter::Done, text: String::new() };
            alerts.remember(&[alert], u64::from(at));
        }
        let history: Vec<u32> = alerts.history().iter().map(|told| told.alert.pane.0).collect();
        assert_eq!((history.len(), history[0], history[49]), (50, 59, 10));
    }
}
