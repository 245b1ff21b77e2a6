//! What a screen and a title tell of an agent, by the rules of its manifest.
//!
//! Invariants: only the live bottom of the screen counts; a text that merely talks about an agent
//! matches no rule that a composer or a status line would; output alone proves nothing.

use super::manifest::{Composer, Manifest, Manifests, Region, Rule, Spinner};
use crate::protocol::agent::{AgentState, BlockedKind};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Lines that a frame of a box is drawn with, and blanks, which are no part of what stands in it.
const FRAME: &[char] = &['│', '┃', '║', '▌', '▐', '|', ' ', '\t', '\u{a0}'];
/// Rejected rules that an explanation names.
const REJECTED: usize = 64;

/// What was found on a screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// The rule that holds.
    pub matched: Option<Matched>,
    /// Names of the rules that were asked before it and do not hold.
    pub rejected: Vec<String>,
    /// What stands in the composer, if it can be seen.
    pub composer: Option<ComposerText>,
    /// The text that was looked at, as a hash.
    pub screen_hash: u64,
}

/// What of a finding can change a state: spinners and clocks turn without that.
type Decisive<'a> = (Option<(&'a str, Option<&'a str>)>, Option<ComposerText>);

impl Finding {
    /// What of it can change a state, or what is said of one.
    #[must_use]
    pub fn decisive(&self) -> Decisive<'_> {
        let matched = self.matched.as_ref().map(|matched| {
            let blocked = matched.state == AgentState::Blocked;
            (matched.rule.as_str(), matched.hint.as_deref().filter(|_| blocked))
        });
        (matched, self.composer)
    }
}

/// A rule that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// Its name.
    pub rule: String,
    /// The state that it proves.
    pub state: AgentState,
    /// What a blocked one waits for.
    pub kind: Option<BlockedKind>,
    /// Its priority.
    pub priority: i32,
    /// Where it looked.
    pub region: Region,
    /// Whether a prompt would do harm.
    pub refuses_prompts: bool,
    /// The line that matched, for people.
    pub hint: Option<String>,
}

/// What stands where a person writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComposerText {
    /// Nothing.
    Empty,
    /// Something.
    Written,
}

/// Asks the rules of a manifest.
#[must_use]
pub fn look(manifest: &Manifest, screen: &str, title: Option<&str>) -> Finding {
    let screen_lines = lines(screen);
    let title_lines: Vec<&str> = title.into_iter().collect();
    let mut rejected = Vec::new();
    let mut matched = None;
    for rule in &manifest.rules {
        let region = match rule.region {
            Region::Screen => &screen_lines[screen_lines.len().saturating_sub(rule.lines())..],
            Region::Title => &title_lines[..],
        };
        if let Some(hint) = holds(rule, region) {
            matched = Some(Matched {
                rule: rule.name.clone(),
                state: rule.state,
                kind: rule.kind,
                priority: rule.priority,
                region: rule.region,
                refuses_prompts: rule.refuses_prompts(),
                hint,
            });
            break;
        }
        if rejected.len() < REJECTED {
            rejected.push(rule.name.clone());
        }
    }
    let composer = composer(&manifest.composer, &screen_lines);
    Finding { matched, rejected, composer, screen_hash: hash(screen) }
}

/// A screen as a number: the same for the same text.
#[must_use]
pub fn hash(screen: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    screen.trim_end().hash(&mut hasher);
    hasher.finish()
}

/// The kind whose window titles look like that.
#[must_use]
pub fn kind_of_title<'a>(manifests: &'a Manifests, title: &str) -> Option<&'a str> {
    let found = manifests.iter().find(|manifest| fits_any(&manifest.titles, title));
    found.map(|manifest| manifest.id.as_str())
}

/// The kind that shows an unmistakable text.
#[must_use]
pub fn kind_of_screen<'a>(manifests: &'a Manifests, screen: &str) -> Option<&'a str> {
    let lines = lines(screen);
    let found = manifests.iter().find(|manifest| lines.iter().any(|line| fits_any(&manifest.outputs, line)));
    found.map(|manifest| manifest.id.as_str())
}

/// The lines that are not blank.
fn lines(screen: &str) -> Vec<&str> {
    screen.lines().filter(|line| !bare(line).is_empty()).collect()
}

/// A line without the frame around it.
fn bare(line: &str) -> &str {
    line.trim_matches(FRAME)
}

/// The line that shows why a rule holds; `None` if it does not.
fn holds(rule: &Rule, region: &[&str]) -> Option<Option<String>> {
    let found = |pattern: &String| region.iter().rev().find(|line| fits(pattern, line));
    let any = rule.any.iter().find_map(found);
    let all: Vec<_> = rule.all.iter().map_while(found).collect();
    let spun = match &rule.spinner {
        None | Some(Spinner::Usual(false)) => None,
        Some(spinner) => Some(region.iter().rev().find(|line| spins(spinner, line))?),
    };
    let fulfilled = (rule.any.is_empty() || any.is_some())
        && all.len() == rule.all.len()
        && !rule.not.iter().any(|pattern| found(pattern).is_some());
    let line = any.or(all.first().copied()).or(spun);
    fulfilled.then(|| line.map(|line| bare(line).to_owned()))
}

fn spins(spinner: &Spinner, line: &str) -> bool {
    let mut chars = bare(line).chars();
    let turning = chars.next().is_some_and(|char| match spinner {
        Spinner::Usual(_) => matches!(char, '\u{2801}'..='\u{28ff}' | '◐'..='◓' | '◜'..='◟'),
        Spinner::Of(glyphs) => glyphs.contains(char),
    });
    turning && chars.next().is_none_or(char::is_whitespace)
}

fn fits_any(patterns: &[String], line: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, line))
}

/// Whether a pattern fits a line: anywhere, or from its beginning (`^`), or up to its end (`$`), case
/// aside.
fn fits(pattern: &str, line: &str) -> bool {
    let line = bare(line).to_lowercase();
    let pattern = pattern.to_lowercase();
    let (begins, pattern) = pattern.strip_prefix('^').map_or((false, pattern.as_str()), |rest| (true, rest));
    let (ends, pattern) = pattern.strip_suffix('$').map_or((false, pattern), |rest| (true, rest));
    match (begins, ends) {
        (true, true) => line == pattern.trim_end(),
        (true, false) => line.starts_with(pattern),
        (false, true) => line.ends_with(pattern),
        (false, false) => line.contains(pattern),
    }
}

/// What stands in the composer: the lowest line that begins with its mark.
fn composer(composer: &Composer, lines: &[&str]) -> Option<ComposerText> {
    let text = lines.iter().rev().find_map(|line| {
        let line = bare(line);
        composer.marks.iter().find_map(|mark| {
            let rest = line.strip_prefix(mark.as_str())?;
            (rest.is_empty() || rest.starts_with([' ', '\u{a0}'])).then_some(rest)
        })
    })?;
    let text = text.trim_matches(FRAME);
    let placeholder = |pattern: &String| fits(pattern, text);
    let empty = text.is_empty() || composer.placeholders.iter().any(placeholder);
    Some(if empty { ComposerText::Empty } else { ComposerText::Written })
}

#[cfg(test)]
mod tests;
