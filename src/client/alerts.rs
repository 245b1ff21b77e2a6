//! What is done with notifications (`product.md` section 7): a toast, a sound, the outer terminal's own means,
//! and the history. The server decides what is told and when.

use super::out::Out;
use super::state::State;
use crate::protocol::attach::message::{Alert, Matter, Told};

/// Names in one line; further ones are counted.
const NAMED: usize = 4;

/// Takes what came at once.
pub fn take(state: &mut State, alerts: Vec<Alert>, out: &mut Vec<Out>) {
    let config = &state.config;
    let sounds = |matter| match matter {
        Matter::Blocked => config.sound_on_blocked,
        Matter::Done => config.sound_on_done,
        Matter::Message => false,
    };
    // The more urgent cue stands for all.
    let matters = [Matter::Blocked, Matter::Done];
    let has = |matter: &Matter| alerts.iter().any(|alert| alert.matter == *matter);
    let cue = matters.into_iter().find(|matter| has(matter) && sounds(*matter));
    out.extend(cue.into_iter().flat_map(sound));
    let Some(text) = summary(&alerts) else { return };
    if config.notify_terminal {
        out.push(Out::Notify(text.clone()));
    }
    let (toast, first) = (config.toast, by_urgency(&alerts).first().map(|alert| alert.pane));
    for alert in alerts {
        state.alerts.remember(Told { alert, at_ms: state.now_ms });
    }
    if toast && let Some(pane) = first {
        state.alerts.show(pane, text);
    }
    state.damage.full = true;
}

/// What a terminal can sound: its bell, once for done, twice for blocked.
pub fn sound(matter: Matter) -> Vec<Out> {
    match matter {
        Matter::Blocked => vec![Out::Bell, Out::Bell],
        Matter::Done | Matter::Message => vec![Out::Bell],
    }
}

/// One line for all of them.
fn summary(alerts: &[Alert]) -> Option<String> {
    match alerts {
        [] => None,
        [alert] => Some(alert.text.clone()),
        several => Some(format!("{} need you: {}", count(several), names(several))),
    }
}

/// How many of what: a message may come from a pane without an agent.
fn count(alerts: &[Alert]) -> String {
    let agents = alerts.iter().all(|alert| alert.matter != Matter::Message);
    format!("{} {}", alerts.len(), if agents { "agents" } else { "panes" })
}

/// Those that wait for a person first.
fn by_urgency(alerts: &[Alert]) -> Vec<&Alert> {
    let order = |alert: &&Alert| match alert.matter {
        Matter::Blocked => 0,
        Matter::Done => 1,
        Matter::Message => 2,
    };
    let mut alerts: Vec<&Alert> = alerts.iter().collect();
    alerts.sort_by_key(order);
    alerts
}

/// Who it is.
fn names(alerts: &[Alert]) -> String {
    let alerts = by_urgency(alerts);
    let (first, more) = alerts.split_at(alerts.len().min(NAMED));
    let names: Vec<&str> = first.iter().map(|alert| alert.name.as_str()).collect();
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{more}", names.join(", "))
}
