//! A list to choose from by typing: the command palette and the jump palette are such lists.

use crate::client::field::Field;
use crate::client::sessions::Wish;
use crate::config::keymap::Action;
use crate::protocol::command::Command;
use crate::protocol::ids::PaneId;
use crate::protocol::scene::PaneScene;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What a chosen row does.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// An action, as if its key had been pressed.
    Action(Action),
    /// A command for the server.
    Command(Command),
    /// Another session in this one's place.
    SwitchSession(String),
    /// Something about a session.
    Sessions(Wish),
    /// A pane, in scroll mode at that row.
    Line(PaneId, u64),
    /// Mission Control with that agent chosen.
    Mission(PaneId),
    /// A conversation goes on.
    Resume {
        /// The agent's kind.
        agent: String,
        /// The conversation's id.
        id: String,
    },
    /// A text for the focused pane, as a paste.
    Paste(String),
    /// The end of the scratch terminal.
    EndScratch,
}

/// Where the rows come from, and so what they are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Every action by name.
    Commands,
    /// Workspaces, tabs and panes.
    Jump,
    /// The sessions of this machine.
    Sessions,
    /// What the person was told of.
    Notifications,
    /// What a start could not restore.
    Report,
    /// The tabs that the focused pane could move to.
    MoveTo,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is searched and shown first.
    pub text: String,
    /// Second-rank text behind it.
    pub detail: String,
    /// What stands at the right: keys, or a kind.
    pub right: String,
    /// What it does.
    pub choice: Choice,
}

/// A row that matches the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Its index among the rows.
    pub row: usize,
    /// The characters of its text that the query found.
    pub chars: Vec<u32>,
}

/// A list, a query, and what matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Picker {
    /// Where the rows come from.
    pub source: Source,
    /// What is typed.
    pub query: Field,
    /// All rows.
    pub rows: Vec<Row>,
    /// The rows that match, the best first.
    pub matches: Vec<Match>,
    /// Index of the chosen one among the matches.
    pub selected: usize,
    /// Whether capitals count; without a word on it they do where some are typed.
    pub sensitive: Option<bool>,
}

impl Picker {
    /// A list with nothing typed; the row of `choice` is selected, if there is one.
    #[must_use]
    pub fn new(source: Source, rows: Vec<Row>, selected: usize) -> Self {
        let mut picker =
            Self { source, query: Field::default(), rows, matches: Vec::new(), selected, sensitive: None };
        picker.search();
        picker
    }

    /// The selected row.
    #[must_use]
    pub fn chosen(&self) -> Option<&Row> {
        self.rows.get(self.matches.get(self.selected)?.row)
    }

    /// Takes other rows; what was selected stays so where it still is.
    pub fn replace(&mut self, rows: Vec<Row>) {
        let chosen = self.chosen().map(|row| row.choice.clone());
        self.rows = rows;
        self.search();
        let same = |found: &Match| self.rows.get(found.row).map(|row| &row.choice) == chosen.as_ref();
        if let Some(selected) = self.matches.iter().position(same) {
            self.selected = selected;
        }
    }

    /// Moves the selection, around the ends.
    pub fn step(&mut self, rows: isize) {
        let Ok(count) = isize::try_from(self.matches.len()) else { return };
        if count > 0 {
            let at = isize::try_from(self.selected).unwrap_or(0);
            self.selected = (at + rows).rem_euclid(count).unsigned_abs();
        }
    }

    /// Looks for the query in all rows: without one they keep their order.
    pub fn search(&mut self) {
        let query = self.query.text();
        let case = match self.sensitive {
            None => CaseMatching::Smart,
            Some(true) => CaseMatching::Respect,
            Some(false) => CaseMatching::Ignore,
        };
        let pattern = Pattern::parse(query, case, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let mut chars = Vec::new();
            let text = Utf32Str::new(&row.text, &mut buffer);
            let score = pattern.indices(text, &mut matcher, &mut chars).or_else(|| {
                chars.clear();
                // What stands behind the name finds a row too, after those that the name finds.
                let text = Utf32Str::new(&row.detail, &mut buffer);
                pattern.score(text, &mut matcher).map(|score| score / 4)
            });
            if let Some(score) = score {
                chars.sort_unstable();
                chars.dedup();
                scored.push((score, Match { row: index, chars }));
            }
        }
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.matches = scored.into_iter().map(|(_, found)| found).collect();
        self.selected = self.selected.min(self.matches.len().saturating_sub(1));
    }
}

/// What a pane is called in a list.
#[must_use]
pub fn pane_name(pane: &PaneScene) -> String {
    format!("{} ({})", pane.display_name(), pane.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

    fn picker(texts: &[&str]) -> Picker {
        let row = |text: &&str| Row {
            text: (*text).to_owned(),
            detail: format!("about {text}"),
            right: String::new(),
            choice: Choice::Action(Action::Tab(u8::try_from(text.len()).expect("a short text"))),
        };
        Picker::new(Source::Commands, texts.iter().map(row).collect(), 0)
    }

    fn typed(picker: &mut Picker, text: &str) -> Vec<String> {
        for char in text.chars() {
            picker.query.key(KeyEvent::press(KeyCode::Char(char), Modifiers::NONE));
        }
        picker.search();
        picker.matches.iter().map(|found| picker.rows[found.row].text.clone()).collect()
    }

    #[test]
    fn letters_in_order_find_a_row_and_say_where() {
        let mut picker = picker(&["Open a new tab", "Split down", "Split the pane to the right"]);
        assert_eq!(typed(&mut picker, ""), ["Open a new tab", "Split down", "Split the pane to the right"]);
        assert_eq!(typed(&mut picker, "spd")[0], "Split down");
        assert_eq!(picker.matches[0].chars, [0, 1, 6]);
        assert_eq!(typed(&mut picker, "zzz"), [""; 0]);
        assert_eq!(picker.chosen(), None);
    }

    #[test]
    fn other_rows_keep_what_is_selected() {
        let mut now = picker(&["a", "bb", "ccc"]);
        now.step(-1);
        assert_eq!(now.chosen().map(|row| row.text.as_str()), Some("ccc"), "around the end");
        now.replace(picker(&["ccc", "a"]).rows);
        assert_eq!(now.selected, 0);
    }
}
