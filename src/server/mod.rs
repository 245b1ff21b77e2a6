//! The server: one process per session, the single owner of PTYs, grids and state.
//!
//! Two runtimes keep a flood of output away from everything else: the control runtime (this thread)
//! runs the endpoint, the drivers and the hub; the panes' runtime runs one worker a terminal.

mod adapters;
mod attach;
pub mod configuration;
mod endpoint;
mod environment;
mod exchange;
pub mod exec;
mod folder;
mod git;
#[cfg(unix)]
mod gone;
mod hub;
pub mod instance;
mod links;
mod model;
mod signals;
mod terminal;
mod uhp;
mod wait;

/// For the benchmark, which measures it alone.
pub use terminal::engine;

use crate::config::Config;
use crate::protocol::geometry::Size;
use crate::protocol::ids::ServerGeneration;
use adapters::pane_backend::{self, Backend, Discovery};
use configuration::{Configuration, Keeper};
use endpoint::Drivers;
use environment::{Compat, Environment, Places};
use hub::{Hub, Settings};
use instance::{Beside, Instance, InstanceError};
use std::path::PathBuf;
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
    let ssh_auth_link = paths.session_dir.join("ssh-auth.sock");
    let uploads = paths.session_dir.join("uploads");
    let places = Places {
        session: session.clone(),
        home: paths.given_home.clone(),
        socket: paths.socket.clone(),
        address: paths.address.clone(),
        executable,
        bin_dir: paths.bin_dir.clone(),
        ssh_auth_link: ssh_auth_link.clone(),
    };
    if let Some((_, agent)) = environment.iter().find(|(name, _)| name == "SSH_AUTH_SOCK") {
        attach::follow_agent(&ssh_auth_link, agent);
    }
    let folder = folder.unwrap_or_else(|| home.clone());
    let home_text = home.to_string_lossy().into_owned();
    let keeper = Keeper::start(Arc::clone(&configuration));
    let shell = configuration.shell(&config);
    let mut environment = Environment::new(environment, shell, &places);
    environment.set_compat(Compat::of(&config));
    let panes_service = match config.pane_backend {
        true => Some(PaneService::open(&instance, &session, &config, psmux_dir, &mut environment).await?),
        false => None,
    };
    let settings = Settings {
        session: session.clone(),
        area: area.unwrap_or(config.headless_size),
        config,
        home,
        environment,
        configuration,
        keeper: keeper.work(),
        introduce: panes_service.as_ref().map(|service| service.backend.introduce()),
        background: panes.clone(),
    };
    let generation = ServerGeneration(random_128().ok_or(ServerError::Random)?);
    let hub = Hub::new(settings, generation, |reports| Terminals::new(panes, reports));
    let (mut hub, mut inbox, handle) = attempt("watch for ended children", hub)?;
    if let Some(service) = &panes_service {
        service.backend.serve(handle.clone());
    }
    hub.open_first(&folder.to_string_lossy());
    hub.first_started(&mut inbox).await;
    let drivers = Arc::new(Drivers {
        attachments: attach::Attachments { hub: handle.clone(), session: session.clone(), ssh_auth_link },
        service: exchange::Service::start(handle.clone(), uhp::Session::new(session, home_text, uploads)),
    });
    let listener = attempt("listen on the session's socket", instance.take_listener())?;
    let connections = Arc::new(endpoint::Connections::default());
    let endpoint = tokio::spawn(endpoint::accept(listener, drivers, Arc::clone(&connections)));
    let executor = handle.executor().clone();
    let signals = tokio::spawn(signals::stop_on_signal(handle));
    ready();
    hub.run(inbox).await;
    signals.abort();
    endpoint.abort();
    let backend = panes_service.as_ref().map(|service| &service.backend);
    let backend_ended = async {
        if let Some(backend) = backend {
            backend.finish().await;
        }
    };
    tokio::join!(connections.ended(), backend_ended);
    executor.finish().await;
    drop(panes_service);
    keeper.finish().await;
    tracing::info!("the server has ended");
    Ok(())
}

/// The pane backend with its socket and the files that lead to it. Dropping it takes them away.
struct PaneService {
    backend: Arc<Backend>,
    accepting: tokio::task::JoinHandle<()>,
    _discovery: Discovery,
    _socket: Beside,
}

impl PaneService {
    /// Listens, and tells children where.
    async fn open(
        instance: &Instance,
        session: &str,
        config: &Config,
        folder: Option<PathBuf>,
        environment: &mut Environment,
    ) -> Result<Self, ServerError> {
        let mut socket = instance.bind_pane_backend()?;
        let listener = attempt("listen on the pane backend's socket", socket.take_listener())?;
        let paths = instance.paths();
        let address = paths.pane_backend.to_string_lossy().into_owned();
        environment.set_backend(address.clone());
        let backend = Backend::new(session.to_owned(), address.clone(), environment.of_server());
        let accepting = tokio::spawn(pane_backend::accept(listener, Arc::clone(&backend)));
        let folder = folder.filter(|_| config.psmux_discovery);
        let discovery = Discovery::announce(address, &paths.session_dir, folder.as_deref(), session).await;
        Ok(Self { backend, accepting, _discovery: discovery, _socket: socket })
    }
}

impl Drop for PaneService {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// 128 random bits of the operating system; `None` when it has none to give.
fn random_128() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}
