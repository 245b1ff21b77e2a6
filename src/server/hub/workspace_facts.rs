//! Facts of workspaces that programs outside report (`uhp.md` section 17): short texts by name.
//!
//! Invariant: they are few, change nothing else, and are gone with their workspace.

use super::{Body, Hub, HubError, Reply, SessionEvent};
use crate::protocol::ids::WorkspaceId;
use crate::server::model::{ModelError, Workspace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Facts of one workspace at most.
const FACTS: usize = 32;

/// Facts of a workspace by name.
pub type Facts = BTreeMap<String, String>;

/// New facts of a workspace; those without a value are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Which workspace.
    pub workspace: WorkspaceId,
    /// The facts.
    pub facts: BTreeMap<String, Option<String>>,
}

impl Hub {
    pub(super) fn told_of(&mut self, told: Told, if_revision: Option<u64>, reply: Reply<()>) {
        let done = self.check_unchanged(if_revision).and_then(|()| self.take_facts(told));
        let _ = reply.send(done);
    }

    fn take_facts(&mut self, Told { workspace, facts: told }: Told) -> Result<(), HubError> {
        let known: Vec<WorkspaceId> = self.model.workspaces().iter().map(Workspace::id).collect();
        let index = known.iter().position(|known| *known == workspace);
        let index = index.ok_or(ModelError::NoWorkspace(workspace))?;
        let mut facts = self.facts.get(&workspace).map(|facts| Facts::clone(facts)).unwrap_or_default();
        for (name, value) in told {
            match value {
                Some(value) => drop(facts.insert(name, value)),
                None => drop(facts.remove(&name)),
            }
        }
        if facts.len() > FACTS {
            return Err(HubError::TooManyFacts(FACTS));
        }
        self.facts.retain(|workspace, _| known.contains(workspace));
        self.facts.insert(workspace, Arc::new(facts));
        self.happened.push(Body::Session(SessionEvent::MetadataReported(index)));
        self.directory_changed();
        self.publish();
        Ok(())
    }
}
