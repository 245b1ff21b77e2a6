//! The server: one process per session, the single owner of PTYs, grids and state.
//!
//! Two runtimes keep a flood of output away from everything else: the control runtime (this thread)
//! runs the endpoint, the drivers and the hub; the panes' runtime runs one worker a terminal.

mod adapters;
mod attach;
mod endpoint;
mod environment;
mod exchange;
mod folder;
mod git;
mod hub;
pub mod instance;
mod model;
mod signals;
mod terminal;
mod uhp;
mod wait;

pub use environment::Places;

use crate::config::Config;
use crate::protocol::geometry::Size;
use crate::protocol::ids::ServerGeneration;
use endpoint::Drivers;
use environment::Environment;
use hub::{Hub, HubHandle, Settings};
use instance::Instance;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use terminal::handle::Terminals;
use tokio::runtime::{Builder, Runtime};

/// More workers than this do not make floods end sooner, they only take memory.
const PANE_WORKERS: usize = 4;

/// What the command line hands to a server.
pub struct Options {
    /// The lock and the listener.
    pub instance: Instance,
    /// The configuration.
    pub config: Config,
    /// The screen of the client that starts this server, if one does.
    pub area: Option<Size>,
    /// The environment that children inherit.
    pub environment: Vec<(String, String)>,
    /// The person's shell.
    pub shell: String,
    /// The person's home folder.
    pub home: PathBuf,
    /// The folder of the first workspace.
    pub folder: PathBuf,
    /// Where things are.
    pub places: Places,
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
    let Options { instance, config, area, environment, shell, home, folder, places, ready } = options;
    attempt("make the folder of links", environment::make_bin_dir(&places.bin_dir, &places.executable))?;
    let home_text = home.to_string_lossy().into_owned();
    let settings = Settings {
        session: places.session.clone(),
        area: area.unwrap_or(config.headless_size),
        config,
        home,
        environment: Environment::new(environment, shell, &places),
        background: panes.clone(),
    };
    let generation = ServerGeneration(random_128().ok_or(ServerError::Random)?);
    let hub = Hub::new(settings, generation, |reports| Terminals::new(panes, reports));
    let (mut hub, inbox, handle) = attempt("watch for ended children", hub)?;
    hub.open_first(&folder.to_string_lossy());
    let (listener, guard) = attempt("listen on the session's socket", instance.listen())?;
    let drivers = Arc::new(drivers(&handle, &places, home_text));
    let connections = Arc::new(endpoint::Connections::default());
    let endpoint = tokio::spawn(endpoint::accept(listener, drivers, Arc::clone(&connections)));
    let signals = tokio::spawn(signals::stop_on_signal(handle));
    ready();
    tracing::info!(session = places.session, "the server is ready");
    hub.run(inbox).await;
    signals.abort();
    endpoint.abort();
    drop(guard);
    connections.ended().await;
    tracing::info!("the server has ended");
    Ok(())
}

fn drivers(hub: &HubHandle, places: &Places, home: String) -> Drivers {
    Drivers {
        attachments: attach::Attachments {
            hub: hub.clone(),
            session: places.session.clone(),
            ssh_auth_link: places.ssh_auth_link.clone(),
        },
        service: exchange::Service::start(hub.clone(), places.session.clone(), home),
    }
}

/// 128 random bits of the operating system; `None` when it has none to give.
fn random_128() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}
