//! Messages to a person about a pane (`product.md` section 7).
//!
//! Invariant: what a message says is shown and nothing else: it is never logged.

use super::Hub;
use crate::protocol::attach::message::Level;
use crate::protocol::ids::PaneId;
use crate::protocol::plain::one_line;

/// More does not fit on a line of a screen.
const TITLE_CHARS: usize = 80;
const BODY_CHARS: usize = 240;

/// What somebody has to say about a pane.
pub(super) struct Message {
    pub(super) pane: PaneId,
    pub(super) title: String,
    pub(super) body: String,
}

impl Hub {
    /// Tells the attached clients, unless the pane is being looked at.
    pub(super) fn notify(&mut self, message: &Message) {
        if self.viewed == Some(message.pane) || !self.settings.config.toast {
            return;
        }
        let scene = &self.published.borrow().scene;
        let Some(name) = scene.pane(message.pane).map(|pane| pane.display_name().to_owned()) else { return };
        let text = line(&name, message);
        self.clients.notice(Level::Info, &text);
    }
}

fn line(name: &str, message: &Message) -> String {
    let said = [one_line(&message.title, TITLE_CHARS), one_line(&message.body, BODY_CHARS)];
    let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
    let text = [&[one_line(name, TITLE_CHARS)], said.as_slice()].concat().join(": ");
    if said.is_empty() { text + " wants attention" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_plain_line() {
        let said = |title: &str, body: &str| {
            line("build", &Message { pane: PaneId(1), title: title.into(), body: body.into() })
        };
        assert_eq!(said("Done", "all\n\x1b[31mtests\x1b[0m pass"), "build: Done: all [31mtests[0m pass");
        assert_eq!(said("", "b"), "build: b");
        assert_eq!(said("a", " "), "build: a");
        assert_eq!(said("", ""), "build wants attention");
        assert!(said("", &"x".repeat(8_192)).chars().count() < 300);
    }
}
