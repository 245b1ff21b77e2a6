//! The server: one process per session, the single owner of PTYs, grids and state.
//!
//! Two runtimes keep a flood of output away from everything else: the control runtime (this thread)
//! runs the endpoint, the drivers and the hub; the panes' runtime runs one worker a terminal.

mod adapters;
mod agents;
mod attach;
pub mod configuration;
mod conversations;
mod endpoint;
mod environment;
mod exchange;
pub mod exec;
mod files;
mod folder;
mod git;
#[cfg(unix)]
mod gone;
mod hub;
pub mod instance;
mod links;
mod model;
pub mod persist;
mod projects;
mod resumption;
mod shells;
mod signals;
mod spending;
mod terminal;
mod uhp;
mod wait;
mod worktree;

/// For the benchmark, which measures it alone.
pub use terminal::engine;

use crate::config::Config;
use crate::protocol::geometry::Size;
use crate::protocol::ids::ServerGeneration;
use adapters::pane_backend::PaneService;
use adapters::runtime::listener::Listener;
use adapters::runtime::{self, About};
use configuration::{Configuration, Keeper};
use endpoint::Drivers;
use environment::{Compat, Environment, Places};
use hub::{Hub, Settings};
use instance::{Instance, InstanceError};
use shells::Shells;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use terminal::handle::Terminals;
use tokio::runtime::{Builder, Runtime};

/// More workers than this do not make floods end sooner, they only take memory.
const PANE_WORKERS: usize = 4;

/// What the command line hands to a server.
pub struct Options {
    /// Name of the session.
    pub session: String,
    /// The lock and the listener.
    pub instance: Instance,
    /// The configuration.
    pub config: Config,
    /// Where it is kept.
    pub configuration: Arc<dyn Configuration>,
    /// The screen of the client that starts this server, if one does.
    pub area: Option<Size>,
    /// The environment that children inherit.
    pub environment: Vec<(String, String)>,
    /// Where the pane backend is announced to programs that know another multiplexer.
    pub psmux_dir: Option<PathBuf>,
    /// The person's home folder.
    pub home: PathBuf,
    /// The folder of the first workspace; the home folder without one.
    pub folder: Option<PathBuf>,
    /// The running executable.
    pub executable: PathBuf,
    /// Called once, when clients can connect.
    pub ready: Box<dyn FnOnce() + Send>,
}

/// Why a server could not run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The operating system refused something; the text says what was attempted.
    #[error("cannot {attempt}: {source}")]
    System {
        /// What was attempted.
        attempt: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The pane backend's socket cannot be bound.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The snapshot of a server before this one must not be touched.
    #[error(transparent)]
    Snapshot(#[from] persist::LoadError),
    /// No random numbers.
    #[error("the operating system gives no random numbers")]
    Random,
}

/// Names what was attempted when an operation of the system fails.
fn attempt<T>(attempt: &'static str, result: std::io::Result<T>) -> Result<T, ServerError> {
    result.map_err(|source| ServerError::System { attempt, source })
}

/// Runs a server until its session ends.
///
/// # Errors
/// [`ServerError`] when it could not begin.
pub fn run(options: Options) -> Result<(), ServerError> {
    let panes = attempt("start the panes' runtime", panes_runtime())?;
    let control = attempt("start the control runtime", Builder::new_current_thread().enable_all().build())?;
    let served = control.block_on(serve(options, panes.handle().clone()));
    panes.shutdown_background();
    served
}

fn panes_runtime() -> std::io::Result<Runtime> {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    Builder::new_multi_thread()
        .worker_threads(cores.saturating_sub(1).clamp(1, PANE_WORKERS))
        .thread_name("luvus-panes")
        .enable_all()
        .build()
}

async fn serve(options: Options, panes: tokio::runtime::Handle) -> Result<(), ServerError> {
    let Options {
        session,
        mut instance,
        config,
        configuration,
        area,
        environment,
        psmux_dir,
        home,
        folder,
        executable,
        ready,
    } = options;
    let paths = instance.paths();
    let mut store = persist::Store::new(&paths.session_dir);
    let screens = persist::Screens::new(&paths.session_dir);
    let restored = persist::restore(&mut store, &screens)?;
    let ssh_auth_link = paths.session_dir.join("ssh-auth.sock");
    let uploads = paths.session_dir.join("uploads");
    // Before the first pane, whose environment names it.
    let runtime = runtime_listener(&config, &paths.session_dir).await;
    let inherited = environment.clone();
    let notes = worktree::Notes::new(paths.session_dir.join("forks"));
    let about = About {
        session: session.clone(),
        term_program: config.term_program,
        branch_prefix: config.compat_branch_prefix.clone(),
    };
    let shells = Shells::write(paths.session_dir.join("shell"))
        .inspect_err(|error| tracing::warn!(%error, "shells are not integrated"))
        .ok();
    let projects = projects::Projects::new(&paths.given_home);
    let places = Places {
        session: session.clone(),
        home: paths.given_home.clone(),
        socket: paths.socket.clone(),
        address: paths.address.clone(),
        executable,
        bin_dir: paths.bin_dir.clone(),
        ssh_auth_link: ssh_auth_link.clone(),
        term_program: config.term_program,
        runtime: runtime.as_ref().map(Listener::endpoint),
    };
    if let Some((_, agent)) = environment.iter().find(|(name, _)| name == "SSH_AUTH_SOCK") {
        attach::follow_agent(&ssh_auth_link, agent);
    }
    let folder = folder.unwrap_or_else(|| home.clone());
    let home_text = home.to_string_lossy().into_owned();
    let person = home.clone();
    let keeper = Keeper::start(Arc::clone(&configuration));
    let shell = configuration.shell(&config);
    let mut environment = Environment::new(environment, shell, &places);
    environment.set_compat(Compat::of(&config));
    let mut panes_service =
        PaneService::open(&instance, &session, &config, psmux_dir, &mut environment).await?;
    // Whoever reaches this socket finds the others; a program in the first pane finds this one.
    instance.bind()?;
    let settings = Settings {
        session: session.clone(),
        area: area.unwrap_or(config.headless_size),
        config,
        home,
        environment,
        shells,
        configuration,
        keeper: keeper.work(),
        introduce: panes_service.as_ref().map(|service| service.backend().introduce()),
        background: panes.clone(),
        projects,
    };
    let generation = ServerGeneration(random_128().ok_or(ServerError::Random)?);
    let (outlet, inlet) = persist::wire();
    let hub = Hub::new(settings, generation, outlet, |reports| Terminals::new(panes, reports));
    let (mut hub, mut inbox, handle) = attempt("watch for ended children", hub)?;
    if let Some(service) = &mut panes_service {
        service.serve(handle.clone());
    }
    let saver = persist::Saver::start(store, screens, inlet, sources(&handle));
    hub.restore(restored);
    if hub.is_empty() {
        hub.open_first(&folder.to_string_lossy());
    }
    hub.first_started(&mut inbox).await;
    let context = runtime::Context::start(handle.clone(), home_text.clone(), about, inherited, notes);
    let uhp = uhp::Session::new(session.clone(), home_text, uploads);
    let drivers = Arc::new(Drivers {
        attachments: attach::Attachments { hub: handle.clone(), session, ssh_auth_link, home: person },
        service: exchange::Service::new(handle.clone(), uhp, Arc::clone(&context)),
    });
    let listener = attempt("listen on the session's socket", instance.take_listener())?;
    let connections = Arc::new(endpoint::Connections::default());
    let endpoint = tokio::spawn(endpoint::accept(listener, drivers, Arc::clone(&connections)));
    let executor = handle.executor().clone();
    let loopback = runtime::listener::Connections::default();
    let runtime = runtime.map(|listener| tokio::spawn(listener.serve(context, loopback.clone())));
    let signals = tokio::spawn(signals::stop_on_signal(handle));
    ready();
    hub.run(inbox).await;
    signals.abort();
    endpoint.abort();
    if let Some(runtime) = runtime {
        runtime.abort();
        // Its record goes with it.
        let _ = runtime.await;
    }
    let backend_ended = async {
        if let Some(service) = &panes_service {
            service.backend().finish().await;
        }
    };
    tokio::join!(connections.ended(), loopback.ended(), backend_ended);
    drop(panes_service);
    executor.finish().await;
    saver.finish().await;
    keeper.finish().await;
    tracing::info!("the server has ended");
    Ok(())
}

/// The runtime protocol's own listener, if it is wanted. A session works without it.
async fn runtime_listener(config: &Config, folder: &Path) -> Option<Listener> {
    let token = random_128().filter(|_| config.nebula_runtime);
    let Some(token) = token else {
        Listener::none(folder);
        return None;
    };
    match Listener::open(folder, token).await {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::error!(%error, "the runtime protocol has no listener");
            Listener::none(folder);
            None
        }
    }
}

/// What the one who keeps the session asks of the hub, without ever waiting for it.
fn sources(hub: &hub::HubHandle) -> persist::Sources {
    let (asked, told) = (hub.clone(), hub.clone());
    let terminals = move || {
        let directory = asked.snapshot().directory;
        directory.panes.values().filter(|entry| entry.restore).map(|entry| entry.handle.clone()).collect()
    };
    persist::Sources { terminals: Box::new(terminals), tell: Box::new(move |unsaved| told.kept(unsaved)) }
}

/// 128 random bits of the operating system; `None` when it has none to give.
fn random_128() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}
