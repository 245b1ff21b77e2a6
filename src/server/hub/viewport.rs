//! Sizes that a protocol gave to panes while nobody looks (`spec/README.md` point 21).
//!
//! Invariant: no viewport outlives a native attach, a change of its tab's layout, or its pane.

use super::{Hub, HubError, Reply};
use crate::protocol::geometry::Size;
use crate::protocol::ids::{PaneId, TabId, TerminalId};
use crate::protocol::tree::TabLayout;
use crate::server::model::ModelError;
use std::collections::BTreeMap;

struct Viewport {
    size: Size,
    tab: TabId,
    /// The tab's layout when it was set.
    layout: TabLayout,
}

/// The viewports in force.
#[derive(Default)]
pub(super) struct Viewports(BTreeMap<PaneId, Viewport>);

impl Viewports {
    /// Ends those whose time is over.
    pub(super) fn refresh(&mut self, attached: usize, layouts: &BTreeMap<TabId, TabLayout>) {
        if attached > 0 {
            self.0.clear();
        }
        self.0.retain(|_, viewport| layouts.get(&viewport.tab) == Some(&viewport.layout));
    }

    /// The size of a pane, if it has a viewport.
    pub(super) fn size(&self, pane: PaneId) -> Option<Size> {
        self.0.get(&pane).map(|viewport| viewport.size)
    }
}

impl Hub {
    /// Gives a terminal a size of its own.
    pub(super) fn set_viewport(&mut self, pane: PaneId, terminal: TerminalId, size: Size, reply: Reply<()>) {
        let _ = reply.send(self.try_set_viewport(pane, terminal, size));
    }

    /// A program has given itself a size while nobody looked. If somebody does by now, theirs comes back.
    pub(super) fn resized_itself(&mut self, pane: PaneId, size: Size) {
        let Some((_, tab)) = self.place(pane) else { return };
        if self.clients.count() == 0
            && let Some(layout) = self.layouts().remove(&tab)
        {
            self.viewports.0.insert(pane, Viewport { size, tab, layout });
        }
    }

    fn try_set_viewport(&mut self, pane: PaneId, terminal: TerminalId, size: Size) -> Result<(), HubError> {
        if self.clients.count() > 0 {
            return Err(HubError::Attached);
        }
        let missing = ModelError::NoPane(pane);
        let state = self.panes.get(&pane).filter(|state| state.handle().terminal() == terminal);
        let tab = self.place(pane).map(|(_, tab)| tab);
        let (Some(state), Some(tab)) = (state, tab) else { return Err(missing.into()) };
        let layout = self.layouts().remove(&tab).ok_or(missing)?;
        self.viewports.0.insert(pane, Viewport { size, tab, layout });
        state.handle().resize(size);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::tree::Tree;

    #[test]
    fn a_viewport_ends_with_an_attach_and_with_its_layout() {
        let (pane, tab, size) = (PaneId(1), TabId(1), Size::new(18, 40));
        let alone = TabLayout { tree: Tree::Pane(pane), zoomed: None };
        let set = || Viewports([(pane, Viewport { size, tab, layout: alone.clone() })].into());
        let layouts = BTreeMap::from([(tab, alone.clone())]);
        let mut viewports = set();
        viewports.refresh(0, &layouts);
        assert_eq!(viewports.size(pane), Some(size));
        viewports.refresh(1, &layouts);
        assert_eq!(viewports.size(pane), None);
        let zoomed = TabLayout { zoomed: Some(pane), ..alone.clone() };
        for changed in [BTreeMap::new(), BTreeMap::from([(tab, zoomed)])] {
            let mut viewports = set();
            viewports.refresh(0, &changed);
            assert_eq!(viewports.size(pane), None);
        }
    }
}
