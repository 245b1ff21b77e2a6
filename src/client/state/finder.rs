//! The finder as data: places of the session, files and output in one list.
//!
//! Invariants: the list is bounded, whatever arrives; what the person has chosen stays chosen while more
//! arrives, and before they choose, the first row is.

use super::{Match, Picker, Row, Source};
use crate::client::field::Field;
use crate::protocol::attach::message::Spotted;
use crate::protocol::ids::PaneId;
use std::cmp::Reverse;

/// Files and lines that are kept.
const KEPT: usize = 300;

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Everywhere.
    #[default]
    All,
    /// Workspaces, tabs, panes and agents.
    Navigate,
    /// Files below the workspace's root.
    Files,
    /// What stands on screens and above them.
    Output,
}

impl Scope {
    /// All of them, in the order of the key that steps through them.
    pub const ALL: [Self; 4] = [Self::All, Self::Navigate, Self::Files, Self::Output];

    /// What it is called.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Navigate => "Navigate",
            Self::Files => "Files",
            Self::Output => "Output",
        }
    }

    /// The next one or the one before, around the end.
    #[must_use]
    pub fn beside(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|scope| *scope == self).unwrap_or(0);
        Self::ALL[(at + if forward { 1 } else { Self::ALL.len() - 1 }) % Self::ALL.len()]
    }

    /// Whether places of the session are in it.
    #[must_use]
    pub fn places(self) -> bool {
        matches!(self, Self::All | Self::Navigate)
    }

    /// Whether files are in it.
    #[must_use]
    pub fn files(self) -> bool {
        matches!(self, Self::All | Self::Files)
    }

    /// Whether output is in it.
    #[must_use]
    pub fn output(self) -> bool {
        matches!(self, Self::All | Self::Output)
    }
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A place.
    Place(Box<Row>, Match),
    /// A file, by its path below the root.
    File(String),
    /// A line of output: its pane, its row, its text.
    Line(PaneId, u64, String),
}

impl Entry {
    /// Whether both stand for the same thing.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Place(one, _), Self::Place(two, _)) => one.choice == two.choice,
            (Self::File(one), Self::File(two)) => one == two,
            (Self::Line(one, row, _), Self::Line(two, other_row, _)) => one == two && row == other_row,
            _ => false,
        }
    }
}

/// The finder.
#[derive(Debug, Clone, PartialEq)]
pub struct Finder {
    /// Where it looks.
    pub scope: Scope,
    /// Whether capitals count.
    pub sensitive: bool,
    /// What is typed.
    pub query: Field,
    /// The number of the search under way, or the last one.
    pub number: u32,
    /// Whether that is over, and then whether something was left out.
    pub end: Option<bool>,
    /// The list.
    pub entries: Vec<Entry>,
    /// The chosen row.
    pub selected: usize,
    /// Whether the person has chosen it.
    chosen: bool,
    places: Picker,
    files: Vec<(u32, String)>,
    lines: Vec<(PaneId, u64, String)>,
}

impl Finder {
    /// The finder as it opens, over the places that there are.
    #[must_use]
    pub fn new(places: Vec<Row>) -> Self {
        let mut finder = Self {
            scope: Scope::All,
            sensitive: false,
            query: Field::default(),
            number: 0,
            end: None,
            entries: Vec::new(),
            selected: 0,
            chosen: false,
            places: Picker::new(Source::Jump, places, 0),
            files: Vec::new(),
            lines: Vec::new(),
        };
        finder.list();
        finder
    }

    /// A new search begins: nothing of the one before counts.
    pub fn begin(&mut self, number: u32, wanted: bool) {
        self.number = number;
        self.end = (!wanted).then_some(false);
        (self.selected, self.chosen) = (0, false);
        self.files.clear();
        self.lines.clear();
        self.places.query = self.query.clone();
        self.places.sensitive = Some(self.sensitive);
        self.places.search();
        self.list();
    }

    /// Other places.
    pub fn set_places(&mut self, rows: Vec<Row>) {
        self.places.replace(rows);
        self.list();
    }

    /// Something was found.
    pub fn add(&mut self, spotted: Vec<Spotted>, end: Option<bool>) {
        for one in spotted {
            match one {
                Spotted::File { path, score } => self.files.push((score, path)),
                Spotted::Output { pane, row, line } if self.lines.len() < KEPT => {
                    self.lines.push((pane, row, line));
                }
                Spotted::Output { .. } => {}
            }
        }
        // The better fit first, of equals the shorter path.
        self.files.sort_by(|a, b| {
            Reverse(a.0)
                .cmp(&Reverse(b.0))
                .then_with(|| a.1.len().cmp(&b.1.len()))
                .then_with(|| a.1.cmp(&b.1))
        });
        self.files.truncate(KEPT);
        self.end = end.or(self.end);
        self.list();
    }

    /// Chooses a row.
    pub fn select(&mut self, index: usize) {
        self.selected = index.min(self.entries.len().saturating_sub(1));
        self.chosen = true;
    }

    /// Moves the choice, around the ends.
    pub fn step(&mut self, rows: isize) {
        if let (Ok(count @ 1..), Ok(at)) =
            (isize::try_from(self.entries.len()), isize::try_from(self.selected))
        {
            self.select((at + rows).rem_euclid(count).unsigned_abs());
        }
    }

    /// The chosen row.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        self.entries.get(self.selected)
    }

    fn list(&mut self) {
        let before = self.entry().filter(|_| self.chosen).cloned();
        self.entries.clear();
        if self.scope.places() {
            let found = |found: &Match| {
                Some(Entry::Place(Box::new(self.places.rows.get(found.row)?.clone()), found.clone()))
            };
            self.entries.extend(self.places.matches.iter().filter_map(found));
        }
        if self.scope.files() {
            self.entries.extend(self.files.iter().map(|(_, path)| Entry::File(path.clone())));
        }
        if self.scope.output() {
            let line = |(pane, row, line): &(PaneId, u64, String)| Entry::Line(*pane, *row, line.clone());
            self.entries.extend(self.lines.iter().map(line));
        }
        let place = before.and_then(|before| self.entries.iter().position(|entry| entry.same(&before)));
        self.selected = place.unwrap_or(self.selected).min(self.entries.len().saturating_sub(1));
    }
}
