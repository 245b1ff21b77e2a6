//! How others reach the hub, and what it publishes.

use super::bus::{Bus, Conflict};
use super::clients::Attached;
use super::notify::Message;
use super::{Facts, InForce, Lifecycle, Reply, Request, RestoreReport, Told};
use crate::config::Patch;
use crate::protocol::attach::message::{ProjectWish, Room, ScratchWish};
use crate::protocol::command::Command;
use crate::protocol::geometry::{Direction, Size};
use crate::protocol::ids::{ClientId, PaneId, ServerGeneration, TabId, TerminalId, WorkspaceId};
use crate::protocol::metadata::Metadata;
use crate::protocol::outer::OuterColors;
use crate::protocol::scene::{ExitStatus, Scene};
use crate::protocol::tree::TabLayout;
use crate::server::agents::{ManagedAgent, Views};
use crate::server::exec::Executor;
use crate::server::model::{ModelError, Outcome};
use crate::server::terminal::handle::PaneHandle;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// How many closed terminals are remembered: enough for any client that lags behind.
const CLOSED_TERMINALS: usize = 4_096;

/// The git branch by folder; none outside a repository.
pub type Branches = HashMap<String, Option<String>>;

/// All terminals by pane, republished when one comes or goes.
#[derive(Clone, Default)]
pub struct Directory {
    /// By pane.
    pub panes: BTreeMap<PaneId, PaneEntry>,
    /// What was reported of workspaces.
    pub facts: BTreeMap<WorkspaceId, Arc<Facts>>,
    /// The scratch terminal, which is in no list of panes.
    pub scratch: Option<PaneHandle>,
}

impl Directory {
    /// The terminal of a pane, or the scratch terminal.
    #[must_use]
    pub fn terminal(&self, pane: PaneId) -> Option<&PaneHandle> {
        let scratch = || self.scratch.as_ref().filter(|scratch| scratch.pane() == pane);
        self.panes.get(&pane).map(|entry| &entry.handle).or_else(scratch)
    }
}

/// One pane's terminal and what the hub knows of it.
#[derive(Clone)]
pub struct PaneEntry {
    /// The terminal.
    pub handle: PaneHandle,
    /// Whether the child has started.
    pub started: bool,
    /// Restart policy.
    pub restore: bool,
    /// Whether the person's shell was started in it, not a command of its own.
    pub shell: bool,
    /// Whether an orchestrator made it.
    pub spawned: bool,
    /// What an orchestrator says of it.
    pub metadata: Option<Arc<Metadata>>,
    /// How the child ended, if the pane is held.
    pub exited: Option<ExitStatus>,
}

/// Why the hub refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HubError {
    /// The model refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Busy panes would be closed.
    #[error("{} would be ended", busy_text(.0))]
    Busy(Vec<PaneId>),
    /// A child could not be started.
    #[error("cannot start the program: {0}")]
    StartFailed(String),
    /// The pane closed before its child ran.
    #[error("pane {0} closed before its program started")]
    Closed(PaneId),
    /// As many clients as a server may have.
    #[error("the session has as many clients as it can take")]
    TooManyClients,
    /// A native client is attached, and decides the sizes.
    #[error("a native client is attached and decides the size")]
    Attached,
    /// Something else changed first.
    #[error(transparent)]
    Changed(#[from] Conflict),
    /// Settings that cannot be; the text says why.
    #[error("{0}")]
    BadSettings(String),
    /// The configuration cannot be read; the text says why.
    #[error("{0}")]
    Unreadable(String),
    /// As many facts as a workspace may have.
    #[error("a workspace has at most {0} facts")]
    TooManyFacts(usize),
    /// Too many changes of the configuration wait to be written.
    #[error("the configuration cannot be written at present")]
    NotSaved,
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

fn busy_text(panes: &[PaneId]) -> String {
    match panes {
        [pane] => format!("a program running in pane {pane}"),
        panes => format!("programs running in {} panes", panes.len()),
    }
}

/// The scene and the directory of one instant.
#[derive(Clone)]
pub struct Snapshot {
    /// What clients draw.
    pub scene: Arc<Scene>,
    /// The terminals.
    pub directory: Arc<Directory>,
    /// The layout of every tab.
    pub layouts: Arc<BTreeMap<TabId, TabLayout>>,
    /// The git branch of every folder that a workspace or a pane is in.
    pub branches: Arc<Branches>,
    /// The newest ends of panes, in order.
    pub lifecycles: Arc<VecDeque<Lifecycle>>,
    /// The agents, and programs that report their state, by pane.
    pub agents: Arc<Views>,
    /// Every agent that was recognised, the active ones first.
    pub registry: Arc<Vec<ManagedAgent>>,
    /// How many clients are attached.
    pub attached: usize,
    /// Number of the last event: all up to it are reflected here, none after it is.
    pub sequence: u64,
}

/// What handles read without a visit to the hub.
pub(super) struct Shared {
    generation: ServerGeneration,
    /// The client that owns the sizes, as its number; zero is nobody.
    owner: AtomicU64,
    closed: Mutex<Closed>,
    /// Told of texts that were submitted.
    submits: OnceLock<Submits>,
}

/// Told of each text that was submitted to a terminal; must not wait.
type Submits = Box<dyn Fn(&HubHandle, &PaneHandle) + Send + Sync>;

#[derive(Default)]
struct Closed {
    ids: HashSet<TerminalId>,
    order: VecDeque<TerminalId>,
}

impl Shared {
    pub(super) fn new(generation: ServerGeneration) -> Self {
        Self { generation, owner: AtomicU64::new(0), closed: Mutex::default(), submits: OnceLock::new() }
    }

    pub(super) fn generation(&self) -> ServerGeneration {
        self.generation
    }

    pub(super) fn set_owner(&self, client: Option<ClientId>) {
        self.owner.store(client.map_or(0, |client| client.0), Ordering::Relaxed);
    }

    pub(super) fn closed(&self, terminal: TerminalId) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if closed.ids.insert(terminal) {
            closed.order.push_back(terminal);
        }
        if closed.order.len() > CLOSED_TERMINALS
            && let Some(oldest) = closed.order.pop_front()
        {
            closed.ids.remove(&oldest);
        }
    }
}

/// A way to reach the hub; cheap to clone.
#[derive(Clone)]
pub struct HubHandle {
    requests: mpsc::Sender<Request>,
    snapshots: watch::Receiver<Snapshot>,
    shared: Arc<Shared>,
    bus: Bus,
    executor: Executor,
}

impl HubHandle {
    pub(super) fn new(
        requests: mpsc::Sender<Request>,
        snapshots: watch::Receiver<Snapshot>,
        shared: Arc<Shared>,
        bus: Bus,
        executor: Executor,
    ) -> Self {
        Self { requests, snapshots, shared, bus, executor }
    }

    /// Sends a request and waits for its answer.
    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, HubError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| HubError::Stopping)?;
        answer.await.map_err(|_| HubError::Stopping)?
    }

    /// Sends a request that answers on its own, or not at all.
    pub(super) async fn send(&self, request: Request) -> Result<(), HubError> {
        self.requests.send(request).await.map_err(|_| HubError::Stopping)
    }

    /// Carries out a command. Answers when it has taken effect: a new pane's child runs by then.
    ///
    /// # Errors
    /// [`HubError`]; nothing changed then, except that a pane whose program could not be started
    /// was there for an instant.
    pub async fn command(&self, command: Command) -> Result<Outcome, HubError> {
        self.command_seen(command).await.map(|(outcome, _)| outcome)
    }

    /// [`command`](Self::command), with the session as it was when the command had taken effect: a
    /// child that ends at once may have taken its pane with it a moment later.
    ///
    /// # Errors
    /// Those of [`command`](Self::command).
    pub async fn command_seen(&self, command: Command) -> Result<(Outcome, Snapshot), HubError> {
        self.command_if(command, None).await
    }

    /// [`command_seen`](Self::command_seen), but only if nothing but output has happened since that
    /// event; checked in the same turn.
    ///
    /// # Errors
    /// Those of [`command`](Self::command), and [`HubError::Changed`].
    pub async fn command_if(
        &self,
        command: Command,
        if_revision: Option<u64>,
    ) -> Result<(Outcome, Snapshot), HubError> {
        self.ask(|reply| Request::Command { command, if_revision, reply }).await
    }

    /// Scene, directory and sequence number, from one instant; no hub visit.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let turn = self.bus.turn();
        Snapshot { sequence: turn.sequence(), ..self.snapshots.borrow().clone() }
    }

    /// [`snapshot`](Self::snapshot) with the content revisions of all terminals at that instant: later
    /// events of output tell of these or newer ones.
    #[must_use]
    pub fn snapshot_with_revisions(&self) -> (Snapshot, BTreeMap<PaneId, u64>) {
        let turn = self.bus.turn();
        let snapshot = Snapshot { sequence: turn.sequence(), ..self.snapshots.borrow().clone() };
        let revision = |(pane, entry): (&PaneId, &PaneEntry)| (*pane, entry.handle.revision());
        let revisions = snapshot.directory.panes.iter().map(revision).collect();
        (snapshot, revisions)
    }

    /// The pane that lies beside a pane, where the focus would go.
    ///
    /// # Errors
    /// [`HubError::Model`] if there is no such pane, [`HubError::Stopping`].
    pub async fn neighbour(&self, pane: PaneId, direction: Direction) -> Result<Option<PaneId>, HubError> {
        self.ask(|reply| Request::Neighbour { pane, direction, reply }).await
    }

    /// The frame of a pane in its tab as it would be without a zoom, shared lines included.
    ///
    /// # Errors
    /// [`HubError::Model`] if there is no such pane, [`HubError::Stopping`].
    pub async fn frame(&self, pane: PaneId) -> Result<Size, HubError> {
        self.ask(|reply| Request::Frame { pane, reply }).await
    }

    /// The configuration in force.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn config(&self) -> Result<InForce, HubError> {
        self.ask(Request::Config).await
    }

    /// Changes some settings, and has them written.
    ///
    /// # Errors
    /// [`HubError::BadSettings`], [`HubError::NotSaved`], [`HubError::Changed`], [`HubError::Stopping`].
    pub async fn patch_config(&self, patch: Patch, if_revision: Option<u64>) -> Result<InForce, HubError> {
        self.ask(|reply| Request::PatchConfig { patch, if_revision, reply }).await
    }

    /// Reads the configuration again.
    ///
    /// # Errors
    /// [`HubError::Unreadable`]: then nothing changed; [`HubError::Changed`], [`HubError::Stopping`].
    pub async fn reload_config(&self, if_revision: Option<u64>) -> Result<InForce, HubError> {
        self.ask(|reply| Request::ReloadConfig { if_revision, reply }).await
    }

    /// The events of the server.
    #[must_use]
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Runs children outside any terminal.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// The snapshots as they come; slow readers see the newest only.
    #[must_use]
    pub fn snapshots(&self) -> watch::Receiver<Snapshot> {
        self.snapshots.clone()
    }

    /// The pane of the terminal with that id, if it is still there; no hub visit.
    #[must_use]
    pub fn terminal(&self, id: TerminalId) -> Option<PaneEntry> {
        self.snapshots.borrow().directory.panes.values().find(|entry| entry.handle.terminal() == id).cloned()
    }

    /// The terminal of a pane, for input; no hub visit.
    #[must_use]
    pub fn pane(&self, pane: PaneId) -> Option<PaneHandle> {
        self.snapshots.borrow().directory.terminal(pane).cloned()
    }

    /// Whether a terminal with that id was closed in this server life (the newest 4,096 are known).
    #[must_use]
    pub fn was_closed(&self, id: TerminalId) -> bool {
        self.shared.closed.lock().unwrap_or_else(PoisonError::into_inner).ids.contains(&id)
    }

    /// This server's life.
    #[must_use]
    pub fn generation(&self) -> ServerGeneration {
        self.shared.generation
    }

    /// From now on `told` hears of every text that is submitted. There is one who is told.
    pub fn tell_submits(&self, told: impl Fn(&Self, &PaneHandle) + Send + Sync + 'static) {
        // A second one would be a mistake of ours, and is not told.
        let _ = self.shared.submits.set(Box::new(told));
    }

    /// A text was queued for a terminal with its Enter, or in a shell's prompt with an end of line.
    pub fn submitted(&self, handle: &PaneHandle) {
        if let Some(told) = self.shared.submits.get() {
            told(self, handle);
        }
    }

    /// Adds a client with that room for panes.
    ///
    /// # Errors
    /// [`HubError::TooManyClients`], [`HubError::Stopping`].
    pub async fn attach(&self, room: Room) -> Result<Attached, HubError> {
        self.ask(|reply| Request::Attach { room, reply }).await
    }

    /// The client is gone.
    pub async fn leave(&self, client: ClientId) {
        let _ = self.requests.send(Request::Leave(client)).await;
    }

    /// The client gave input: from now on its area decides the sizes. Costs one atomic load when it
    /// already does; else it answers true, when the new sizes have been asked for.
    pub async fn claim(&self, client: ClientId) -> bool {
        if self.shared.owner.load(Ordering::Relaxed) == client.0 {
            return false;
        }
        self.ask(|reply| Request::Claim { client, reply }).await.is_ok()
    }

    /// The client's room for panes changed.
    pub async fn client_room(&self, client: ClientId, room: Room) {
        let _ = self.requests.send(Request::Room(client, room)).await;
    }

    /// The client's terminal told its colours.
    pub async fn client_colors(&self, client: ClientId, colors: OuterColors) {
        let _ = self.requests.send(Request::Colors(client, colors)).await;
    }

    /// The client's window got or lost the focus.
    pub async fn window_focus(&self, client: ClientId, focused: bool) {
        let _ = self.requests.send(Request::WindowFocus(client, focused)).await;
    }

    /// A client wants something of the scratch terminal.
    ///
    /// # Errors
    /// [`HubError::Model`] when there can be no more terminals; [`HubError::Stopping`].
    pub async fn scratch(&self, client: ClientId, wish: ScratchWish) -> Result<(), HubError> {
        self.ask(|reply| Request::Scratch { client, wish, reply }).await
    }

    /// The person says something about a project's layout.
    pub async fn project(&self, wish: ProjectWish) {
        let _ = self.requests.send(Request::Project(wish)).await;
    }

    /// Detaches the client that gave input last, or all of them; returns how many.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn detach_clients(&self, all: bool) -> Result<usize, HubError> {
        self.ask(|reply| Request::DetachClients { all, reply }).await
    }

    /// Gives a terminal a size of its own for as long as no native client draws it.
    ///
    /// # Errors
    /// [`HubError::Attached`]; [`HubError::Model`] when the terminal is gone; [`HubError::Stopping`].
    pub async fn set_viewport(&self, pane: PaneId, terminal: TerminalId, size: Size) -> Result<(), HubError> {
        self.ask(|reply| Request::Viewport { pane, terminal, size, reply }).await
    }

    /// Tells the attached clients something about a pane, unless it is being looked at.
    pub async fn notify(&self, pane: PaneId, title: String, body: String) {
        let _ = self.requests.send(Request::Notify(Message { pane, title, body })).await;
    }

    /// Takes facts of a workspace.
    ///
    /// # Errors
    /// [`HubError::Model`] when it is gone; [`HubError::TooManyFacts`], [`HubError::Changed`],
    /// [`HubError::Stopping`].
    pub async fn tell_facts(&self, told: Told, if_revision: Option<u64>) -> Result<(), HubError> {
        self.ask(|reply| Request::Facts { told, if_revision, reply }).await
    }

    /// Asks the attached clients to raise the person's attention.
    pub async fn attention(&self) {
        let _ = self.requests.send(Request::Attention).await;
    }

    /// What the start brought back and what it could not.
    ///
    /// # Errors
    /// [`HubError::Stopping`].
    pub async fn report(&self) -> Result<RestoreReport, HubError> {
        self.ask(Request::Report).await
    }

    /// Starts the shell of a pane of the report anew, in that folder.
    ///
    /// # Errors
    /// [`HubError::Busy`], [`HubError::StartFailed`], [`HubError::Stopping`].
    pub async fn retry(&self, pane: PaneId, cwd: String) -> Result<(Outcome, Snapshot), HubError> {
        self.ask(|reply| Request::Retry { pane, cwd, reply }).await
    }

    /// The session cannot be kept, or can again. Waits for nothing: a hub that has no time hears of it
    /// at the next try.
    pub fn kept(&self, unsaved: Option<String>) {
        let _ = self.requests.try_send(Request::Kept(unsaved));
    }

    /// When the server ends, its clients are told to come back.
    pub async fn restart(&self) {
        let _ = self.requests.send(Request::Restart).await;
    }

    /// Ends the server because a signal says so: its children may have heard it first.
    pub async fn stop_on_signal(&self) {
        let _ = self.requests.send(Request::Signalled).await;
    }

    /// Ends the server in good order.
    pub async fn stop(&self) {
        let _ = self.requests.send(Request::Stop).await;
    }
}
