//! The hub: the one task that owns the model, the panes' facts and the list of clients.
//!
//! Invariant: the hub waits for nobody. Terminals start and end in tasks of their own and report
//! back as ordinary input; replies that need a started child are kept in `pending` meanwhile.

mod agents;
mod bus;
mod clients;
mod effects;
mod event;
mod facts;
mod handle;
mod keep;
mod lifecycle;
mod notification_command;
mod notify;
mod policy;
mod projects;
mod record;
mod scene;
mod scratch;
mod settings;
mod viewport;
mod workspace_facts;

pub use agents::{
    AgentLaunch, AgentsInForce, Explained, ForkError, KnownSession, LaunchError, Prompt, PromptError,
    Prompted, Refuse, SessionReport,
};
pub use bus::{Bus, Conflict, Ended, Event, SubscribeError, Subscription, Topic, Turn};
pub use clients::Attached;
pub use event::{Body, Change, Hook, PaneEvent, Place, Reason, SessionEvent, TerminalEvent};
pub use handle::{Branches, Directory, HubError, HubHandle, PaneEntry, Snapshot};
pub use lifecycle::{Lifecycle, PaneEnd};
pub use settings::InForce;
pub use workspace_facts::{Facts, Told};

use super::configuration::{Configuration, Read, Work};
use super::environment::Environment;
use super::exec::Executor;
use super::model::{Context, Model, ModelError, Outcome, Shape};
use super::persist::{Outlet, Report as RestoreReport};
use super::shells::Shells;
use super::terminal::handle::{PaneHandle, Report, Terminals};
use crate::config::{Config, Patch};
use crate::protocol::attach::message::{Level, ProjectWish, Room, ScratchWish, ToClient};
use crate::protocol::command::Command;
use crate::protocol::geometry::{Direction, Size};
use crate::protocol::ids::{ClientId, PaneId, ServerGeneration, TerminalId, WorkspaceId};
use crate::protocol::outer::OuterColors;
use agents::{AgentRequest, Agents};
use clients::Clients;
use facts::PaneState;
use handle::Shared;
use keep::Keeping;
use notify::{Alerts, Message};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};
use viewport::Viewports;

/// How many requests may wait for the hub; past that their senders wait.
const REQUESTS: usize = 256;
/// How many reports of panes may wait for the hub; past that panes wait.
const REPORTS: usize = 256;
/// How long the first program may take to start before the server serves without it.
const FIRST_START: Duration = Duration::from_secs(2);

/// What the hub needs to know for its whole life.
pub struct Settings {
    /// Name of the session.
    pub session: String,
    /// The configuration.
    pub config: Config,
    /// The user's home folder.
    pub home: PathBuf,
    /// What children's environments are made of.
    pub environment: Environment,
    /// How shells are made to tell of their prompts, if that is possible.
    pub shells: Option<Shells>,
    /// Where the configuration is kept.
    pub configuration: Arc<dyn Configuration>,
    /// The way to its file.
    pub keeper: mpsc::Sender<Work>,
    /// The area for panes until a client attaches.
    pub area: Size,
    /// Who hears of each terminal that is started, before anything of it is known.
    pub introduce: Option<Introduce>,
    /// Where work that reads files runs, away from the hub.
    pub background: Handle,
    /// Which folders' layouts the person has confirmed.
    pub projects: super::projects::Projects,
}

/// Told of each terminal in the very turn in which it is started; must not wait.
#[derive(Clone)]
pub struct Introduce(Arc<dyn Fn(&PaneHandle) + Send + Sync>);

impl Introduce {
    /// Calls `tell`.
    pub fn new(tell: impl Fn(&PaneHandle) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    fn tell(&self, handle: &PaneHandle) {
        (self.0)(handle);
    }
}

/// An answer that somebody waits for.
type Reply<T> = oneshot::Sender<Result<T, HubError>>;

/// What reaches the hub from its handles.
enum Request {
    Command { command: Command, if_revision: Option<u64>, reply: Reply<(Outcome, Snapshot)> },
    Attach { room: Room, reply: Reply<Attached> },
    Leave(ClientId),
    Claim { client: ClientId, reply: Reply<()> },
    Room(ClientId, Room),
    WindowFocus(ClientId, bool),
    Scratch { client: ClientId, wish: ScratchWish, reply: Reply<()> },
    Colors(ClientId, OuterColors),
    DetachClients { all: bool, reply: Reply<usize> },
    Branch { folder: String, branch: Option<String> },
    Viewport { pane: PaneId, terminal: TerminalId, size: Size, reply: Reply<()> },
    Notify(Message),
    Facts { told: Told, if_revision: Option<u64>, reply: Reply<()> },
    Attention,
    Agent(AgentRequest),
    Config(Reply<InForce>),
    PatchConfig { patch: Patch, if_revision: Option<u64>, reply: Reply<InForce> },
    ReloadConfig { if_revision: Option<u64>, reply: Reply<InForce> },
    Reloaded { read: Result<Read, String>, reply: Reply<InForce> },
    Frame { pane: PaneId, reply: Reply<Size> },
    Report(Reply<RestoreReport>),
    Retry { pane: PaneId, cwd: String, reply: Reply<(Outcome, Snapshot)> },
    Kept(Option<String>),
    Unwritten(String),
    Project(ProjectWish),
    ProjectLooked { workspace: WorkspaceId, looked: projects::Looked, asked: bool },
    Neighbour { pane: PaneId, direction: Direction, reply: Reply<Option<PaneId>> },
    Stop,
    Restart,
    Signalled,
}

/// The hub's state.
pub struct Hub {
    settings: Settings,
    model: Model,
    terminals: Terminals,
    panes: BTreeMap<PaneId, PaneState>,
    branches: Arc<Branches>,
    lifecycles: Arc<VecDeque<Lifecycle>>,
    clients: Clients,
    agents: Agents,
    alerts: Alerts,
    commands: notification_command::Commands,
    pending: HashMap<PaneId, (Reply<(Outcome, Snapshot)>, Outcome)>,
    neutral: effects::Neutral,
    viewed: Option<PaneId>,
    viewports: Viewports,
    scratch: Option<scratch::Scratch>,
    projects: projects::Projects,
    /// What was reported of workspaces.
    facts: BTreeMap<WorkspaceId, Arc<Facts>>,
    keeping: Keeping,
    directory: Arc<Directory>,
    bus: Bus,
    /// What has happened and is published with the session that came of it.
    happened: Vec<Body>,
    /// Whether terminals may stand elsewhere because somebody moved something.
    moved: bool,
    published: watch::Sender<Snapshot>,
    shared: Arc<Shared>,
    requests: mpsc::WeakSender<Request>,
    stopping: bool,
    /// Clients are to come back.
    restarting: bool,
}

/// The hub with its inbox, ready to run.
pub struct Inbox {
    requests: mpsc::Receiver<Request>,
    reports: mpsc::Receiver<Report>,
}

impl Hub {
    /// A hub without workspaces, its inbox and its handle. `terminals` makes the means to start
    /// terminals from the channel that they report on.
    ///
    /// # Errors
    /// Whatever `terminals` fails with.
    pub fn new<E>(
        settings: Settings,
        generation: ServerGeneration,
        outlet: Outlet,
        terminals: impl FnOnce(mpsc::Sender<Report>) -> Result<Terminals, E>,
    ) -> Result<(Self, Inbox, HubHandle), E> {
        let (request_sender, requests) = mpsc::channel(REQUESTS);
        let (report_sender, reports) = mpsc::channel(REPORTS);
        let shared = Arc::new(Shared::new(generation));
        let directory = Arc::new(Directory::default());
        let model = Model::default();
        let bus = Bus::default();
        let snapshot = Snapshot {
            scene: Arc::new(scene::empty(&settings)),
            directory: Arc::clone(&directory),
            layouts: Arc::default(),
            branches: Arc::default(),
            lifecycles: Arc::default(),
            agents: Arc::default(),
            registry: Arc::default(),
            attached: 0,
            sequence: 0,
        };
        let (published, snapshots) = watch::channel(snapshot);
        let executor = Executor::new(settings.background.clone());
        let projects = projects::Projects::new(settings.projects.clone());
        let hub = Self {
            clients: Clients::new(settings.area),
            agents: Agents::new(settings.configuration.manifests()),
            alerts: Alerts::default(),
            commands: notification_command::Commands::new(executor.clone()),
            settings,
            model,
            terminals: terminals(report_sender)?,
            panes: BTreeMap::new(),
            branches: Arc::default(),
            lifecycles: Arc::default(),
            pending: HashMap::new(),
            neutral: effects::Neutral::default(),
            viewed: None,
            viewports: Viewports::default(),
            scratch: None,
            projects,
            facts: BTreeMap::new(),
            keeping: Keeping::new(outlet),
            directory,
            bus: bus.clone(),
            happened: Vec::new(),
            moved: false,
            published,
            shared: Arc::clone(&shared),
            requests: request_sender.downgrade(),
            stopping: false,
            restarting: false,
        };
        let handle = HubHandle::new(request_sender, snapshots, shared, bus, executor);
        Ok((hub, Inbox { requests, reports }, handle))
    }

    /// Runs until the session has ended: on a stop request, or when the last pane is gone and
    /// `server.exit_when_empty` is set. All clients have had their farewell and all children have
    /// been ended by then.
    pub async fn run(mut self, mut inbox: Inbox) {
        while !self.stopping {
            let due = [self.agents.due(), self.alerts.due()].into_iter().flatten().min();
            tokio::select! {
                biased;
                () = sleep_until(due) => self.timer(),
                Some(request) = inbox.requests.recv() => self.handle(request),
                Some(report) = inbox.reports.recv() => self.report(report),
                else => break,
            }
        }
        self.shut_down(&mut inbox.reports).await;
    }

    /// Something that was to happen later may be due.
    fn timer(&mut self) {
        self.agents_due();
        self.fire_alerts();
    }

    fn handle(&mut self, request: Request) {
        match request {
            Request::Agent(request) => self.agent_request(request),
            Request::Command { command, if_revision, reply } => self.command(command, if_revision, reply),
            Request::Attach { room, reply } => self.attach(room, reply),
            Request::Leave(client) => self.leave(client),
            Request::Claim { client, reply } => {
                self.claim(client);
                let _ = reply.send(Ok(()));
            }
            Request::Room(client, room) => self.client_room(client, room),
            Request::Colors(client, colors) => self.client_colors(client, colors),
            Request::WindowFocus(client, focused) => self.window_focus(client, focused),
            Request::Scratch { client, wish, reply } => drop(reply.send(self.scratch_wish(client, wish))),
            Request::DetachClients { all, reply } => {
                let _ = reply.send(Ok(self.clients.detach(all)));
            }
            Request::Branch { folder, branch } => self.branch(folder, branch),
            Request::Viewport { pane, terminal, size, reply } => {
                self.set_viewport(pane, terminal, size, reply);
            }
            Request::Notify(message) => self.notify(message),
            Request::Facts { told, if_revision, reply } => self.told_of(told, if_revision, reply),
            Request::Attention => self.clients.tell_all(&ToClient::Bell),
            Request::Config(reply) => drop(reply.send(Ok(self.in_force(Vec::new())))),
            Request::PatchConfig { patch, if_revision, reply } => {
                let _ = reply.send(self.patch_config(patch, if_revision));
            }
            Request::ReloadConfig { if_revision, reply } => self.reload_config(if_revision, reply),
            Request::Reloaded { read, reply } => drop(reply.send(self.reloaded(read))),
            Request::Frame { pane, reply } => {
                let frame = self.model.frame(pane, self.clients.area());
                let _ = reply.send(frame.map_err(HubError::from));
            }
            Request::Neighbour { pane, direction, reply } => {
                let beside = match self.model.pane(pane) {
                    Some(_) => Ok(self.model.neighbour(pane, direction, self.clients.area())),
                    None => Err(ModelError::NoPane(pane).into()),
                };
                let _ = reply.send(beside);
            }
            Request::Report(reply) => drop(reply.send(Ok(self.keeping.report.clone()))),
            Request::Retry { pane, cwd, reply } => self.retry(pane, cwd, reply),
            Request::Kept(unsaved) => self.kept(unsaved),
            Request::Unwritten(why) => self.notice(Level::Warning, &why),
            Request::Project(wish) => self.project_wish(wish),
            Request::ProjectLooked { workspace, looked, asked } => {
                self.project_looked(workspace, looked, asked);
            }
            Request::Stop => self.stopping = true,
            Request::Restart => self.restarting = true,
            Request::Signalled => self.stop_on_signal(),
        }
    }

    /// Carries out a command; the answer waits for the child of a new pane.
    fn command(&mut self, command: Command, if_revision: Option<u64>, reply: Reply<(Outcome, Snapshot)>) {
        match self.check_unchanged(if_revision).and_then(|()| self.try_command(command)) {
            Ok((outcome, Some(starting))) => {
                self.pending.insert(starting, (reply, outcome));
            }
            Ok((outcome, None)) => {
                let _ = reply.send(Ok((outcome, self.snapshot())));
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    /// Refuses when more than output has happened since that event.
    fn check_unchanged(&self, if_revision: Option<u64>) -> Result<(), HubError> {
        let unchanged = if_revision.map_or(Ok(()), |revision| self.bus.turn().unchanged_since(revision));
        unchanged.map_err(HubError::from)
    }

    /// What was published last.
    fn snapshot(&self) -> Snapshot {
        self.published.borrow().clone()
    }

    /// Carries out a command and says which pane's child its answer should wait for.
    fn try_command(&mut self, command: Command) -> Result<(Outcome, Option<PaneId>), HubError> {
        self.check_policy(&command)?;
        let outcome = self.model.apply(command, &self.context())?;
        self.keeping.asked();
        self.carry_out(&outcome, Reason::Closed);
        self.publish();
        // Only of a pane that this very command made: nobody else's answer waits for it.
        let made = outcome.pane.filter(|pane| outcome.starts(*pane));
        let starting = made.filter(|pane| self.panes.get(pane).is_some_and(|state| !state.started()));
        Ok((outcome, starting))
    }

    /// What the owner's client shows the focused tab in.
    fn shape(&self) -> Shape {
        let Room { area, alone } = self.clients.room();
        Shape { area, alone, gaps: self.settings.config.pane_gaps }
    }

    /// What the model is told with each command.
    fn context(&self) -> Context {
        Context {
            area: self.clients.area(),
            home: self.settings.home.to_string_lossy().into_owned(),
            new_pane_to_root: self.settings.config.new_pane_to_workspace_root,
            exit_when_empty: self.settings.config.exit_when_empty,
        }
    }

    /// Opens the first workspace. Failures show as a held pane; the server goes on.
    pub fn open_first(&mut self, folder: &str) {
        let command = Command::OpenWorkspace {
            path: folder.to_owned(),
            focus: true,
            reuse: true,
            launch: crate::protocol::command::Launch::default(),
        };
        if let Err(error) = self.try_command(command) {
            tracing::error!(%error, "the first workspace could not be opened");
        }
    }

    /// Waits until the programs of the first panes run or are known not to, so that whoever connects
    /// finds them: a fresh server has its first shell (`uhp.md` section 6).
    pub async fn first_started(&mut self, inbox: &mut Inbox) {
        let deadline = Instant::now() + FIRST_START;
        while self.panes.values().any(|state| !state.started() && state.exited().is_none()) {
            let Ok(Some(report)) = timeout_at(deadline, inbox.reports.recv()).await else { return };
            self.report(report);
        }
    }

    fn notice(&mut self, level: Level, text: &str) {
        self.clients.notice(level, text);
    }
}

/// Waits until then; for ever without a time.
async fn sleep_until(due: Option<std::time::Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}
