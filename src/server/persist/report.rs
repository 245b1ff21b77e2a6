//! What a start brought back and what it could not, and whether the session is being kept now.

use crate::protocol::ids::PaneId;

/// Something that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The pane that it is about, which can be tried again.
    pub pane: Option<PaneId>,
    /// What, on one line.
    pub text: String,
    /// Where the pane's shell belongs.
    pub cwd: Option<String>,
}

/// The report of a start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Number of the snapshot that was restored; none for a fresh session.
    pub generation: Option<u64>,
    /// What was wrong, in the order that it was found.
    pub problems: Vec<Problem>,
    /// Why the session cannot be kept at present.
    pub unsaved: Option<String>,
}

impl Report {
    /// Adds what is not about one pane.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.problems.push(Problem { pane: None, text: text.into(), cwd: None });
    }

    /// The problem of a pane.
    #[must_use]
    pub fn of_pane(&self, pane: PaneId) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.pane == Some(pane))
    }

    /// The pane's problem is one no more.
    pub fn solved(&mut self, pane: PaneId) {
        self.problems.retain(|problem| problem.pane != Some(pane));
    }

    /// The line for people who attach; none if all is as it was.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let told = match self.problems.as_slice() {
            [] => return self.unsaved.clone(),
            [problem] => problem.text.clone(),
            [problem, more @ ..] => format!("{} (and {} more)", problem.text, more.len()),
        };
        Some(format!("{told}; `luvus session report` tells more"))
    }
}
