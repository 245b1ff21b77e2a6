//! The menu of narrow screens: every action, on lines that a finger hits.

/// The menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touch {
    /// The group of actions that is open; none is the first page.
    pub group: Option<&'static str>,
    /// The chosen line.
    pub selected: usize,
    /// The first line shown.
    pub top: usize,
}
