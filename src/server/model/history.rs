//! The panes that were focused, in order, to go back and forward in, as in a browser.

use crate::protocol::ids::PaneId;

/// As many steps as anybody remembers.
const STEPS: usize = 64;

/// Invariant: no pane stands next to itself, and the current one is the focused pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct History {
    panes: Vec<PaneId>,
    /// The current one, if there is any.
    at: usize,
}

impl History {
    /// The current pane.
    pub fn current(&self) -> Option<PaneId> {
        self.panes.get(self.at).copied()
    }

    /// All panes in order.
    pub fn panes(&self) -> &[PaneId] {
        &self.panes
    }

    /// A pane was focused otherwise than by going back or forward: what lay ahead is forgotten.
    pub fn visit(&mut self, pane: PaneId) {
        if self.current() == Some(pane) {
            return;
        }
        self.panes.truncate(self.at + 1);
        if self.panes.len() == STEPS {
            self.panes.remove(0);
        }
        self.panes.push(pane);
        self.at = self.panes.len() - 1;
    }

    /// Goes back to the pane before.
    pub fn back(&mut self) -> Option<PaneId> {
        self.at = self.at.checked_sub(1)?;
        self.current()
    }

    /// Goes forward again.
    pub fn forward(&mut self) -> Option<PaneId> {
        let next = self.panes.get(self.at + 1).copied()?;
        self.at += 1;
        Some(next)
    }

    /// A pane is gone. If it was the current one, the one before is.
    pub fn forget(&mut self, gone: PaneId) {
        let mut kept: Vec<PaneId> = Vec::with_capacity(self.panes.len());
        let mut at = 0;
        for (index, pane) in self.panes.iter().enumerate() {
            if *pane != gone && kept.last() != Some(pane) {
                kept.push(*pane);
            }
            if index == self.at {
                at = kept.len().saturating_sub(1);
            }
        }
        *self = Self { panes: kept, at };
    }

    /// Whether the invariant on its own order holds.
    pub fn in_order(&self) -> bool {
        self.panes.len() <= STEPS
            && self.panes.windows(2).all(|pair| pair[0] != pair[1])
            && (self.panes.is_empty() && self.at == 0 || self.at < self.panes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited(panes: &[u32]) -> History {
        let mut history = History::default();
        panes.iter().for_each(|pane| history.visit(PaneId(*pane)));
        history
    }

    #[test]
    fn back_and_forward_until_something_else_is_focused() {
        let mut history = visited(&[1, 2, 2, 3]);
        assert_eq!(history.back(), Some(PaneId(2)));
        assert_eq!(history.back(), Some(PaneId(1)));
        assert_eq!(history.back(), None);
        assert_eq!(history.forward(), Some(PaneId(2)));
        history.visit(PaneId(4));
        assert_eq!(history.forward(), None);
        assert_eq!(history.panes(), [PaneId(1), PaneId(2), PaneId(4)]);
    }

    #[test]
    fn a_gone_pane_leaves_no_doubles_and_the_place_stays() {
        let mut history = visited(&[1, 2, 1, 3, 1, 4]);
        history.back();
        history.forget(PaneId(3));
        assert_eq!(history.panes(), [PaneId(1), PaneId(2), PaneId(1), PaneId(4)]);
        assert_eq!(history.current(), Some(PaneId(1)));
        assert_eq!(history.forward(), Some(PaneId(4)));
        history.forget(PaneId(4));
        assert_eq!(history.current(), Some(PaneId(1)));
        history.forget(PaneId(1));
        history.forget(PaneId(2));
        assert!(history.in_order() && history.current().is_none());
    }

    #[test]
    fn it_remembers_a_bounded_number() {
        let mut history = visited(&(0..200).collect::<Vec<_>>());
        assert!(history.in_order());
        assert_eq!(history.panes().len(), STEPS);
        assert_eq!(history.current(), Some(PaneId(199)));
        assert_eq!(history.back(), Some(PaneId(198)));
    }
}
