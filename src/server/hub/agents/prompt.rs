//! Prompting an agent: who may be given a text, and when it is refused.
//!
//! Invariant: identity and state are checked in the turn in which a prompt is queued; a prompt is never
//! sent twice.

use super::requests::AgentRequest;
use crate::protocol::agent::{AgentState, BlockedKind};
use crate::protocol::ids::{PaneId, TerminalId};
use crate::server::agents::AgentView;
use crate::server::agents::detect::{self, ComposerText, Finding};
use crate::server::agents::state::Source;
use crate::server::hub::{Hub, HubHandle};
use crate::server::terminal::handle::InputError;
use std::sync::Arc;

/// When a prompt is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuse {
    /// While the agent is blocked, starts, wants a sign-in, or its composer holds a text.
    NotReady,
    /// While an approval waits (`runtime.md` 8.2).
    Attention,
}

/// A text for an agent.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Its pane.
    pub pane: PaneId,
    /// Its terminal, if it must be that one.
    pub terminal: Option<TerminalId>,
    /// Id and generation of the agent, if it must be that one.
    pub agent: Option<(String, u64)>,
    /// The text.
    pub text: String,
    /// Whether Enter follows, in the same action.
    pub submit: bool,
    /// When it is refused.
    pub refuse: Refuse,
    /// Whether somebody waits for what comes of it: one at a time and pane.
    pub waits: bool,
    /// What the screen told just now.
    pub finding: Option<Finding>,
}

/// A queued prompt.
#[derive(Debug, Clone)]
pub struct Prompted {
    /// The agent as it was when the text was queued: changes after its counter are of this prompt.
    pub view: Arc<AgentView>,
    /// The content revision by then.
    pub content_revision: u64,
    /// Held while somebody waits.
    pub waiting: Option<Arc<()>>,
}

/// Why a prompt was refused; nothing was queued then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// There is no such pane.
    #[error("no pane {0}")]
    NoPane(PaneId),
    /// No agent runs there.
    #[error("no agent runs in pane {0}")]
    NoAgent(PaneId),
    /// It is another agent, or another terminal, than was meant.
    #[error("another agent runs there now")]
    Replaced,
    /// It cannot take a prompt now; the text says why.
    #[error("the agent {0}")]
    NotReady(&'static str),
    /// Somebody waits for another prompt.
    #[error("another prompt is being waited for in pane {0}")]
    Busy(PaneId),
    /// The terminal refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

impl Hub {
    /// Queues a text for an agent, if it is the one that is meant and can take it.
    pub(super) fn prompt(&mut self, prompt: &Prompt) -> Result<Prompted, PromptError> {
        let pane = prompt.pane;
        let state = self.panes.get(&pane).ok_or(PromptError::NoPane(pane))?;
        let handle = state.handle().clone();
        let view = self.agents.views.get(&pane).cloned().ok_or(PromptError::NoAgent(pane))?;
        if view.identity.is_none() || state.exited().is_some() {
            return Err(PromptError::NoAgent(pane));
        }
        let registered = view.registered.as_ref();
        let same = |(id, generation): &(String, u64)| {
            registered.is_some_and(|agent| agent.agent_id == *id && agent.generation == *generation)
        };
        let other_terminal = prompt.terminal.is_some_and(|terminal| terminal != view.terminal);
        if other_terminal || prompt.agent.as_ref().is_some_and(|agent| !same(agent)) {
            return Err(PromptError::Replaced);
        }
        if let Some(problem) = refusal(&view, prompt.finding.as_ref(), prompt.refuse) {
            return Err(PromptError::NotReady(problem));
        }
        let Some(tracked) = self.agents.panes.get_mut(&pane) else { return Err(PromptError::NoAgent(pane)) };
        if prompt.waits && tracked.waiter.strong_count() > 0 {
            return Err(PromptError::Busy(pane));
        }
        let content_revision = handle.revision();
        if prompt.submit {
            handle.submit(&prompt.text)?;
        } else {
            handle.paste(&prompt.text)?;
        }
        let waiting = prompt.waits.then(|| Arc::new(()));
        if let Some(waiting) = &waiting {
            tracked.waiter = Arc::downgrade(waiting);
        }
        Ok(Prompted { view, content_revision, waiting })
    }
}

/// Why an agent takes no prompt now. `finding`: what its screen told just now, if that was looked at.
fn refusal(view: &AgentView, finding: Option<&Finding>, refuse: Refuse) -> Option<&'static str> {
    let finding = finding.or(view.finding.as_ref());
    // What the program reports itself is better than what its screen looks like.
    let reported = view.source >= Source::ProgramStatus;
    let matched = finding.and_then(|finding| finding.matched.as_ref());
    let on_screen = matched.is_some_and(|matched| matched.state == AgentState::Blocked);
    let blocked = view.state == AgentState::Blocked || view.reports_blocked || on_screen;
    match refuse {
        Refuse::Attention => {
            let kind =
                matched.filter(|_| on_screen && !reported).and_then(|matched| matched.kind).or(view.blocked);
            let question = kind == Some(BlockedKind::Question);
            (blocked && !question).then_some("waits for an approval")
        }
        Refuse::NotReady if blocked => Some("waits for a person"),
        Refuse::NotReady if matched.is_some_and(|matched| matched.refuses_prompts) => {
            Some("shows a screen that takes no prompt")
        }
        Refuse::NotReady => {
            let working = matched.is_some_and(|matched| matched.state == AgentState::Working);
            let written = finding.is_some_and(|finding| finding.composer == Some(ComposerText::Written));
            (written && !working).then_some("has a text in its composer already")
        }
    }
}

impl HubHandle {
    /// Queues a text for an agent, if it can take it. The screen is read first.
    ///
    /// # Errors
    /// [`PromptError`]; nothing was queued then.
    pub async fn prompt(&self, mut prompt: Prompt) -> Result<Prompted, PromptError> {
        (_, prompt.finding) = self.look(prompt.pane).await?;
        let (pane, submit) = (prompt.pane, prompt.submit);
        let queued = self.agent(|reply| AgentRequest::Prompt { prompt, reply }).await;
        let queued = queued.map_err(|_| PromptError::Stopping)??;
        if let Some(handle) = self.pane(pane).filter(|_| submit) {
            self.submitted(&handle);
        }
        Ok(queued)
    }

    /// Why an agent would take no text now, by a look at its screen; nothing when it would.
    ///
    /// # Errors
    /// [`PromptError`], when there is nobody to ask.
    pub async fn refuses_prompt(
        &self,
        pane: PaneId,
        refuse: Refuse,
    ) -> Result<Option<&'static str>, PromptError> {
        let (view, finding) = self.look(pane).await?;
        Ok(refusal(&view, finding.as_ref(), refuse))
    }

    /// The agent of a pane, and what its screen tells now.
    async fn look(&self, pane: PaneId) -> Result<(Arc<AgentView>, Option<Finding>), PromptError> {
        let snapshot = self.snapshot();
        let scene = snapshot.scene.pane(pane).ok_or(PromptError::NoPane(pane))?;
        let view = snapshot.agents.get(&pane).cloned().ok_or(PromptError::NoAgent(pane))?;
        let in_force = self.agents_in_force().await.map_err(|_| PromptError::Stopping)?;
        let manifest = view.kind().and_then(|kind| in_force.manifests.get(kind));
        let (Some(manifest), Some(handle)) = (manifest, self.pane(pane)) else { return Ok((view, None)) };
        let capture = handle.capture(super::watch::screen_request()).await;
        let title = scene.title.as_deref();
        let finding = capture.ok().map(|capture| detect::look(manifest, &capture.text, title));
        Ok((view, finding))
    }
}
