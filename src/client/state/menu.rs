//! A context menu: what can be done with the thing under the pointer.

use super::Choice;

/// One line of a menu.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it says.
    pub text: &'static str,
    /// The keys that do the same, as a person would write them.
    pub keys: String,
    /// What it does.
    pub choice: Choice,
}

/// A menu.
#[derive(Debug, Clone, PartialEq)]
pub struct Menu {
    /// What it is about.
    pub title: String,
    /// Its lines.
    pub items: Vec<Item>,
    /// The chosen one.
    pub selected: usize,
    /// Row and column of the screen beside which it opens.
    pub at: (u16, u16),
}

impl Menu {
    /// Moves the selection, around the ends.
    pub fn step(&mut self, down: bool) {
        let count = self.items.len().max(1);
        self.selected = (self.selected + if down { 1 } else { count - 1 }) % count;
    }
}
