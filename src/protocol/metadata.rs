//! What an orchestrator says of a pane that it made (`pane-backend.md` 3.2). It is shown and returned;
//! it never makes a pane an agent.

use serde::{Deserialize, Serialize};

/// The description of a pane, always with all six members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// What it is called.
    pub name: Option<String>,
    /// What it is for.
    pub role: Option<String>,
    /// The colour to tell it by.
    pub color: Option<String>,
    /// How hard its agent thinks.
    pub effort: Option<String>,
    /// How many turns its agent has.
    pub max_turns: Option<u64>,
    /// What its agent must not use.
    pub disallowed_tools: Option<Vec<String>>,
}

/// A change of a description: members that are not given stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataChange {
    /// The new name.
    pub name: Option<Option<String>>,
    /// The new role.
    pub role: Option<Option<String>>,
    /// The new colour.
    pub color: Option<Option<String>>,
    /// The new effort.
    pub effort: Option<Option<String>>,
    /// The new number of turns.
    pub max_turns: Option<Option<u64>>,
    /// The new list of tools.
    pub disallowed_tools: Option<Option<Vec<String>>>,
}

impl Metadata {
    /// The description after a change.
    #[must_use]
    pub fn changed(self, change: MetadataChange) -> Self {
        Self {
            name: change.name.unwrap_or(self.name),
            role: change.role.unwrap_or(self.role),
            color: change.color.unwrap_or(self.color),
            effort: change.effort.unwrap_or(self.effort),
            max_turns: change.max_turns.unwrap_or(self.max_turns),
            disallowed_tools: change.disallowed_tools.unwrap_or(self.disallowed_tools),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_given_stays_and_nothing_clears() {
        let before = Metadata { name: Some("a".into()), role: Some("r".into()), ..Metadata::default() };
        let change = MetadataChange {
            name: Some(None),
            color: Some(Some("blue".into())),
            ..MetadataChange::default()
        };
        let after = before.changed(change);
        assert_eq!((after.name, after.role, after.color), (None, Some("r".into()), Some("blue".into())));
    }
}
