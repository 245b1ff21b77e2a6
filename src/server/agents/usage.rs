//! What a conversation used: the counters that its agent tells, and what it costs in an hour.
//!
//! Invariant: nothing is estimated. A rate needs two samples of one conversation and one model, with costs and times
//! that rise; without them there is none.

use crate::protocol::agent::{ContextUsed, UsageScene};
use std::collections::VecDeque;

/// Older samples than this say nothing about the present.
const WINDOW_MS: u64 = 3_600_000;
/// A shorter stretch is no measure of an hour.
const SHORTEST_MS: u64 = 60_000;
/// Samples of one conversation.
const SAMPLES: usize = 64;
/// Millionths in one.
const MICROS: f64 = 1e6;

/// Counters of a conversation, as an agent reports them.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    /// The model.
    pub model: Option<String>,
    /// Tokens that went in and came out, and those read from and written to a cache.
    pub tokens: [u64; 4],
    /// What it cost.
    pub cost: Option<f64>,
    /// What its context holds.
    pub context: Option<ContextUsed>,
    /// When that was, by the reporter's clock: milliseconds since 1970.
    pub updated_at: u64,
}

impl Usage {
    /// Tokens that went in and came out.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.tokens[0].saturating_add(self.tokens[1])
    }

    /// What clients draw.
    #[must_use]
    pub fn scene(&self, burn_per_hour: Option<f64>) -> UsageScene {
        UsageScene {
            tokens: self.used(),
            context: self.context,
            cost_micros: self.cost.map(micros),
            burn_micros: burn_per_hour.map(micros),
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are bounded and positive")]
fn micros(cost: f64) -> u64 {
    (cost * MICROS).round() as u64
}

/// The costs of one conversation over the last hour.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    model: Option<String>,
    samples: VecDeque<(u64, f64)>,
}

impl Meter {
    /// Takes a sample in. One that cannot be compared with those before begins anew.
    pub fn take(&mut self, usage: &Usage) {
        let Some(cost) = usage.cost else { return };
        let last = self.samples.back().copied();
        if self.model != usage.model || last.is_some_and(|(_, before)| cost < before) {
            self.samples.clear();
        }
        self.model.clone_from(&usage.model);
        match self.samples.back() {
            Some((at, _)) if usage.updated_at < *at => return,
            Some((at, _)) if usage.updated_at == *at => drop(self.samples.pop_back()),
            _ => {}
        }
        self.samples.push_back((usage.updated_at, cost));
        let old = |(at, _): &(u64, f64)| usage.updated_at - at > WINDOW_MS;
        while self.samples.len() > SAMPLES || self.samples.front().is_some_and(old) {
            self.samples.pop_front();
        }
    }

    /// What an hour costs, if two samples can be compared.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an hour of milliseconds is a small number")]
    pub fn per_hour(&self) -> Option<f64> {
        let (first, first_cost) = *self.samples.front()?;
        let (last, last_cost) = *self.samples.back()?;
        let span = last.checked_sub(first).filter(|span| *span >= SHORTEST_MS)?;
        Some((last_cost - first_cost) * (WINDOW_MS as f64 / span as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(model: &str, minute: u64, cost: Option<f64>) -> Usage {
        let updated_at = 1 + minute * 60_000;
        Usage { model: Some(model.into()), tokens: [10, 5, 100, 0], cost, context: None, updated_at }
    }

    fn rate(samples: &[(&str, u64, Option<f64>)]) -> Option<f64> {
        let mut meter = Meter::default();
        for (model, minute, cost) in samples {
            meter.take(&usage(model, *minute, *cost));
        }
        meter.per_hour()
    }

    #[test]
    fn a_rate_needs_samples_that_can_be_compared() {
        assert_eq!(rate(&[("a", 0, Some(1.0))]), None, "one is none");
        assert_eq!(rate(&[("a", 0, Some(1.0)), ("a", 30, Some(2.0))]), Some(2.0));
        assert_eq!(rate(&[("a", 0, Some(1.0)), ("a", 0, Some(2.0))]), None, "no time between them");
        assert_eq!(rate(&[("a", 0, Some(1.0)), ("b", 30, Some(2.0))]), None, "another model");
        assert_eq!(rate(&[("a", 0, Some(2.0)), ("a", 30, Some(1.0))]), None, "counters that began anew");
        assert_eq!(rate(&[("a", 0, None), ("a", 30, Some(1.0))]), None, "one without a cost");
        assert_eq!(rate(&[("a", 30, Some(1.0)), ("a", 0, Some(2.0))]), None, "one that came late");
        let hours = [("a", 0, Some(1.0)), ("a", 50, Some(5.0)), ("a", 110, Some(6.0))];
        assert_eq!(rate(&hours), Some(1.0), "the first hour is over");
    }

    #[test]
    fn samples_are_bounded() {
        let mut meter = Meter::default();
        for at in 0..1_000 {
            meter.take(&Usage { updated_at: at, ..usage("a", 0, Some(1.0)) });
        }
        assert_eq!(meter.samples.len(), SAMPLES);
    }

    #[test]
    fn what_is_drawn_holds_what_is_known() {
        let drawn = usage("a", 0, Some(1.25)).scene(None);
        let wanted =
            UsageScene { tokens: 15, context: None, cost_micros: Some(1_250_000), burn_micros: None };
        assert_eq!(drawn, wanted);
    }
}
