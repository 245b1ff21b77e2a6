//! Being the server: takes the instance, reads the configuration, and hands over to the server
//! floor, in the foreground or as the child of a starter.

use super::args::server::ChildArgs;
use super::autostart;
use super::context::Context;
use super::environment::Environment;
use super::error::{CliError, Exit};
use super::logging::{self, Sink};
use super::{output, settings};
use crate::protocol::geometry::Size;
use crate::server;
use crate::server::instance::{Instance, InstanceError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `luvus server` without a verb.
///
/// # Errors
/// When it cannot be the server. A child of a starter has told that one as well.
pub fn run(context: &Context, child: &ChildArgs) -> Result<Exit, CliError> {
    if !child.detached_child {
        return serve(context, child, Box::new(|| tracing::info!("ready"))).map_err(CliError::failed);
    }
    autostart::leave_terminal();
    match serve(context, child, Box::new(autostart::report_ready)) {
        Err(ServeError::Instance(InstanceError::AlreadyRunning)) => {
            autostart::report_running();
            Ok(Exit::Ok)
        }
        Err(error) => {
            tracing::error!(%error, "the server ends");
            autostart::report_error(&error.to_string());
            Err(CliError::failed(error))
        }
        Ok(exit) => Ok(exit),
    }
}

#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error(transparent)]
    Instance(#[from] InstanceError),
    #[error("cannot find the own program: {0}")]
    Program(std::io::Error),
    #[error("cannot make the links in {0}: {1}")]
    Links(PathBuf, std::io::Error),
    #[error(transparent)]
    Server(#[from] server::ServerError),
}

fn serve(context: &Context, child: &ChildArgs, ready: Box<dyn FnOnce() + Send>) -> Result<Exit, ServeError> {
    let paths = &context.paths;
    let executable = std::env::current_exe().map_err(ServeError::Program)?;
    let instance = Instance::reserve(&paths.files)?;
    let sink = if child.detached_child { Sink::File(autostart::server_log(paths)) } else { Sink::Stderr };
    logging::start(context.environment.text("LUVUS_LOG"), sink);
    instance
        .link_programs(&executable)
        .map_err(|error| ServeError::Links(paths.files.bin_dir.clone(), error))?;

    let home = context.environment.user_home.clone().unwrap_or_else(|| PathBuf::from("/"));
    if child.detached_child {
        leave_folder(&home);
    }
    let (config, warnings) = settings::load(&paths.config);
    for warning in &warnings {
        tracing::warn!("{}", output::printable(warning));
    }
    server::run(server::Options {
        session: paths.session.to_string(),
        instance,
        config,
        configuration: Arc::new(settings::File::new(paths.config.clone(), context.environment.clone())),
        area: child.rows.zip(child.cols).map(|(rows, cols)| Size::new(rows, cols)),
        environment: context.environment.all_text(),
        psmux_dir: psmux_dir(&context.environment),
        home,
        folder: child.folder.clone(),
        executable,
        ready,
    })?;
    Ok(Exit::Ok)
}

/// Where programs of other multiplexers look for their endpoint: `LUVUS_PSMUX_DIR`, else `.psmux` in the
/// person's home folder.
fn psmux_dir(environment: &Environment) -> Option<PathBuf> {
    let named = environment.raw("LUVUS_PSMUX_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| environment.user_home.as_ref().map(|home| home.join(".psmux")))
}

/// A server that stays keeps no file system busy but the one of the person's home.
fn leave_folder(home: &Path) {
    if std::env::set_current_dir(home).is_err() {
        let _ = std::env::set_current_dir("/");
    }
}
