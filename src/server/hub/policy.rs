//! Closing what runs: who must confirm (`spec/README.md` point 10).

use super::{Hub, HubError};
use crate::config::ConfirmClose;
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::ids::PaneId;

impl Hub {
    /// Refuses a close whose policy does not allow ending what runs.
    pub(super) fn check_policy(&self, command: &Command) -> Result<(), HubError> {
        let (Command::ClosePane { policy, .. }
        | Command::CloseTab { policy, .. }
        | Command::CloseWorkspace { policy, .. }) = command
        else {
            return Ok(());
        };
        let closing = self.model.closing(command);
        let busy: Vec<PaneId> = closing.iter().copied().filter(|pane| self.is_busy(*pane)).collect();
        let refused = match (policy, self.settings.config.confirm_close) {
            (ClosePolicy::Force, _) | (ClosePolicy::Ask, ConfirmClose::Never) => return Ok(()),
            (ClosePolicy::Ask, ConfirmClose::Always) => closing,
            (ClosePolicy::Ask, ConfirmClose::Busy) | (ClosePolicy::IfIdle, _) => busy,
        };
        if refused.is_empty() { Ok(()) } else { Err(HubError::Busy(refused)) }
    }

    fn is_busy(&self, pane: PaneId) -> bool {
        self.panes.get(&pane).is_some_and(|state| state.exited().is_none() && state.handle().is_busy())
    }
}
