//! What programs in one terminal report of themselves (OSC 7501, `uhp.md` section 12): at most 256
//! records, folded in the order of the wire, and one cached summary of them.
//!
//! Invariants: a report replaces its record completely; nothing here decides who a program is; whoever
//! looks at a result never changes its record, only whether it still counts as unseen.

mod grammar;

pub use grammar::{Record, Report, ReportState, parse};

use crate::protocol::agent::{AgentState, BlockedKind};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Records of one terminal.
pub const RECORDS: usize = 256;

/// A record with what became of it.
#[derive(Debug, Clone)]
struct Kept {
    record: Record,
    /// When it was reported, in the order of all reports.
    stamp: u64,
    /// How many prompts there had been.
    prompts: u64,
    /// Who reported it, once that is known.
    producer: Option<u64>,
    /// Whether somebody has seen its result.
    seen: bool,
    /// Whether what produced it is gone, or a prompt has come since.
    left_over: bool,
}

/// All records of a terminal in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The state that counts: blocked, else working, else an unseen result, else idle.
    pub state: AgentState,
    /// What a blocked one waits for.
    pub kind: Option<BlockedKind>,
    /// The name of what is shown, inherited from above if need be.
    pub app: Option<String>,
    /// Progress of what works.
    pub progress: Option<u8>,
    /// Its title, raw.
    pub title: Option<String>,
    /// Its message, raw.
    pub message: Option<String>,
    /// Whether what is shown is a failure.
    pub failed: bool,
    /// Whether all of it was left behind by a program that is gone.
    pub left_over: bool,
    /// Whether an unseen result came with or after the last stretch of work.
    pub fresh_result: bool,
}

/// The records of one terminal.
#[derive(Debug, Default)]
pub struct Records {
    kept: HashMap<Option<String>, Kept>,
    /// Reports so far.
    stamp: u64,
    /// Prompts so far; none in a shell that marks none.
    prompts: u64,
    /// The stamp at the last scan that found nothing but the shell, if the one before now was such a one.
    alone_since: Option<u64>,
    /// The stamp at the last scan that found nothing but the shell: whoever comes later reported nothing up to it.
    alone_at: u64,
    /// The stamp at which the present, or the last, stretch of work began.
    stretch: Option<u64>,
    /// Whether something works or waits now.
    busy: bool,
    summary: OnceCell<Option<Summary>>,
}

impl Records {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn rows_count(&self) -> usize {
        self.kept.len()
    }

    /// Takes a report in; `producer` is the program in front, if it is known.
    pub fn fold(&mut self, report: Report, producer: Option<u64>) {
        match report {
            Report::Query => return,
            Report::Clear(None) => self.kept.clear(),
            Report::Clear(Some(id)) => {
                let below = format!("{id}/");
                self.kept.retain(|kept, _| {
                    kept.as_ref().is_none_or(|kept| *kept != id && !kept.starts_with(&below))
                });
            }
            Report::Update(record) => self.update(record, producer),
        }
        self.changed();
    }

    fn update(&mut self, record: Record, producer: Option<u64>) {
        self.stamp += 1;
        let before = self.kept.get(&record.id);
        if before.is_none() && self.kept.len() >= RECORDS {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.stamp).map(|(id, _)| id.clone());
            oldest.map(|id| self.kept.remove(&id));
        }
        // The same again, in the same run, is no news.
        let seen = self.kept.get(&record.id).is_some_and(|before| {
            before.seen
                && before.record.state == record.state
                && before.prompts == self.prompts
                && !before.left_over
        });
        let kept =
            Kept { stamp: self.stamp, prompts: self.prompts, producer, seen, left_over: false, record };
        self.kept.insert(kept.record.id.clone(), kept);
    }

    /// A prompt begins (OSC 133 A): what was unfinished has ended, results are left behind.
    pub fn prompt_started(&mut self) {
        self.prompts += 1;
        self.end_where(|_| true);
    }

    /// A command begins (OSC 133 C): results of before its prompt are of no interest any more.
    pub fn command_started(&mut self) {
        let prompts = self.prompts;
        self.kept.retain(|_, kept| !kept.record.state.is_result() || kept.prompts >= prompts);
        self.changed();
    }

    /// The terminal was reset (RIS).
    pub fn reset(&mut self) {
        self.kept.clear();
        self.changed();
    }

    /// What nobody has reported yet was reported by that program, but for results that were there when the shell was
    /// alone: these are left behind.
    pub fn adopt(&mut self, producer: u64) {
        for kept in self.kept.values_mut().filter(|kept| !kept.left_over && kept.producer.is_none()) {
            if kept.record.state.is_result() && kept.stamp <= self.alone_at {
                kept.left_over = true;
            } else {
                kept.producer = Some(producer);
            }
        }
        self.changed();
    }

    /// That program has ended for certain.
    pub fn producer_ended(&mut self, producer: u64) {
        self.end_where(|kept| kept.producer == Some(producer));
    }

    /// Every program of the terminal has ended for certain.
    pub fn all_ended(&mut self) {
        self.end_where(|_| true);
    }

    /// A scan of the processes, in a pane whose root is a shell: whether it found nothing but that
    /// shell. Answers whether one more scan could find something out.
    pub fn scanned(&mut self, alone: bool) -> bool {
        if self.prompts > 0 || !alone {
            self.alone_since = None;
            return false;
        }
        if let Some(first) = self.alone_since {
            self.end_where(|kept| kept.stamp <= first);
        }
        self.alone_since = Some(self.stamp);
        self.alone_at = self.stamp;
        self.kept.values().any(|kept| !kept.record.state.is_result())
    }

    /// Removes what is unfinished and leaves results behind, of those records.
    fn end_where(&mut self, ended: impl Fn(&Kept) -> bool) {
        self.kept.retain(|_, kept| {
            let ended = ended(kept);
            kept.left_over |= ended;
            kept.record.state.is_result() || !ended
        });
        self.changed();
    }

    /// Somebody sees the result that is shown. Says whether there was an unseen one.
    pub fn acknowledge(&mut self) -> bool {
        if self.summary().is_none_or(|summary| summary.state != AgentState::Done) {
            return false;
        }
        for kept in self.kept.values_mut().filter(|kept| kept.record.state.is_result()) {
            kept.seen = true;
        }
        self.changed();
        true
    }

    /// All records in one; kept until one changes.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.get_or_init(|| self.summarise()).as_ref()
    }

    /// All records, the newest first, with the name that each has or inherits.
    #[must_use]
    pub fn rows(&self) -> Vec<(Record, Option<String>)> {
        let mut kept: Vec<&Kept> = self.kept.values().collect();
        kept.sort_by_key(|kept| std::cmp::Reverse(kept.stamp));
        kept.into_iter().map(|kept| (kept.record.clone(), self.effective_app(&kept.record))).collect()
    }

    fn changed(&mut self) {
        self.summary = OnceCell::new();
        let unfinished =
            |kept: &Kept| matches!(kept.record.state, ReportState::Working | ReportState::Blocked);
        let busy = self.kept.values().any(unfinished);
        if busy && !self.busy {
            self.stretch = Some(self.stamp);
        }
        self.busy = busy;
    }

    fn summarise(&self) -> Option<Summary> {
        let shown_as = |kept: &Kept| match kept.record.state {
            ReportState::Blocked => AgentState::Blocked,
            ReportState::Working => AgentState::Working,
            ReportState::Done | ReportState::Error if !kept.seen => AgentState::Done,
            ReportState::Done | ReportState::Error | ReportState::Idle => AgentState::Idle,
        };
        // Not the order of urgency between terminals: here what goes on comes before what is over.
        let rank = |kept: &Kept| match shown_as(kept) {
            AgentState::Blocked => 3,
            AgentState::Working => 2,
            AgentState::Done => 1,
            AgentState::Idle | AgentState::Unknown => 0,
        };
        let shown = self.kept.values().max_by_key(|kept| (rank(kept), kept.stamp))?;
        let state = shown_as(shown);
        let fresh = |kept: &Kept| {
            kept.record.state.is_result()
                && !kept.seen
                && self.stretch.is_none_or(|stretch| kept.stamp >= stretch)
        };
        Some(Summary {
            state,
            kind: shown.record.kind,
            app: self.effective_app(&shown.record),
            progress: shown.record.progress,
            title: shown.record.title.clone(),
            message: shown.record.message.clone(),
            failed: state == AgentState::Done && shown.record.state == ReportState::Error,
            left_over: self.kept.values().all(|kept| kept.left_over),
            fresh_result: self.kept.values().any(fresh),
        })
    }

    /// The name of a record, else that of the nearest one above it.
    fn effective_app(&self, record: &Record) -> Option<String> {
        if record.app.is_some() {
            return record.app.clone();
        }
        let app = |id: Option<&str>| {
            let id = id.map(str::to_owned);
            self.kept.get(&id).and_then(|kept| kept.record.app.clone())
        };
        let mut id = record.id.as_deref()?;
        while let Some((above, _)) = id.rsplit_once('/') {
            if let Some(app) = app(Some(above)) {
                return Some(app);
            }
            id = above;
        }
        app(None)
    }
}

#[cfg(test)]
mod tests;
