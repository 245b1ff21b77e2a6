//! What a start brought back and what it could not, and whether the session is being kept now.

use crate::protocol::ids::PaneId;

/// Something that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problem {
    /// The pane that it is about, which can be tried again.
    pub pane: Option<PaneId>,
    /// What, on one line.
    pub text: String,
    /// Where the pane's shell belongs.
    pub cwd: Option<String>,
    /// Where it started instead, by each name of that folder. While it stays there the pane is kept where it
    /// belongs: a disk that is not mounted today may be tomorrow.
    pub instead: Vec<String>,
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
        self.problems.push(Problem { text: text.into(), ..Problem::default() });
    }

    /// The problem of a pane.
    #[must_use]
    pub fn of_pane(&self, pane: PaneId) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.pane == Some(pane))
    }

    /// The folder that a pane is kept with while its shell is in `cwd`.
    #[must_use]
    pub fn kept_cwd(&self, pane: PaneId, cwd: String) -> String {
        let waits = |problem: &&Problem| problem.instead.contains(&cwd);
        self.of_pane(pane).filter(waits).and_then(|problem| problem.cwd.clone()).unwrap_or(cwd)
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
