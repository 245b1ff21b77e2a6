//! Showing a session on this terminal: refusals first, then a server if there is none, then the
//! client.

use super::autostart;
use super::clipboard;
use super::context::Context;
use super::error::{CliError, Exit};
use super::logging::{self, Sink};
use super::paths::Paths;
use super::sessions::Neighbours;
use super::trust::{self, TrustError};
use super::{output, settings, themes, wire};
use crate::client::{self, Ending, Far, Keyboard, Pipe, Reconnect, Sessions};
use crate::config::theme::Palette;
use crate::protocol::geometry::Size;
use crate::protocol::limits::{MIN_CLIENT_COLS, MIN_CLIENT_ROWS};
use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::traits::tokio::Stream as _;
use interprocess::local_socket::{GenericFilePath, ToFsName as _};
use std::error::Error;
use std::io::{self, ErrorKind, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folders of an attach.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// To be shown as a workspace.
    pub shown: Option<PathBuf>,
    /// Of the first workspace, if the server has to be started.
    pub first: Option<PathBuf>,
}

/// Shows the session, and others that the person switches to, until they leave or it ends.
///
/// # Errors
/// Refusals, a server that cannot be started or reached, or what the client ends with.
pub fn run(context: &Context, folders: Folders) -> Result<Exit, CliError> {
    let size = check(context)?;
    let (mut here, mut folders) = (context.clone(), folders);
    let mut keyboard = Keyboard::default();
    loop {
        let session = here.paths.session.clone();
        match show(&here, size, folders, &mut keyboard)? {
            Ending::Detached => {
                output::tell(&format!("detached from session `{session}`, which goes on"));
                return Ok(Exit::Ok);
            }
            Ending::Ended => {
                output::tell(&format!("session `{session}` has ended"));
                return Ok(Exit::Ok);
            }
            Ending::Switch(name) => {
                let name =
                    name.parse().map_err(|error| CliError::failed(format_args!("`{name}`: {error}")))?;
                here = here.of_session(&name)?;
                folders = Folders { shown: None, first: here.environment.folder.clone() };
            }
        }
    }
}

/// Shows one session.
fn show(
    context: &Context,
    size: Size,
    folders: Folders,
    keyboard: &mut Keyboard,
) -> Result<Ending, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::failed(format_args!("cannot start the client: {error}")))?;
    let address = &context.paths.files.address;
    let stream = match runtime.block_on(connect(&context.paths)) {
        Ok(stream) if wire::answers(&context.paths) => stream,
        Err(error) if !nobody_listens(&error) => return Err(cannot_connect(address, &error)),
        _ => {
            autostart::start(context, Some(size), folders.first.as_deref())?;
            runtime.block_on(connect(&context.paths)).map_err(|error| cannot_connect(address, &error))?
        }
    };
    let text = |path: PathBuf| path.into_os_string().into_string().ok();
    let paths = context.paths.clone();
    let way = Way {
        pipe: Pipe::new(stream),
        reconnect: Box::new(move || {
            let paths = paths.clone();
            Box::pin(async move { connect(&paths).await.map(Pipe::new) })
        }),
        session: context.paths.session.to_string(),
        sessions: Arc::new(Neighbours(context.clone())),
        folder: folders.shown.and_then(text),
        ssh_auth_sock: context.environment.text("SSH_AUTH_SOCK").map(str::to_owned),
        home: context.environment.user_home.clone().and_then(text),
        far: None,
    };
    let ending = runtime.block_on(converse(context, way, keyboard));
    // A thread that still reads the terminal is no reason to stay.
    runtime.shutdown_background();
    ending
}

/// How a session is reached, and what depends on that.
pub struct Way {
    /// The connection.
    pub pipe: Pipe,
    /// How to connect again.
    pub reconnect: Reconnect,
    /// Name of the session.
    pub session: String,
    /// The sessions beside it.
    pub sessions: Arc<dyn Sessions>,
    /// A folder of the server's machine to show.
    pub folder: Option<String>,
    /// The person's `SSH_AUTH_SOCK`, as that machine has it.
    pub ssh_auth_sock: Option<String>,
    /// The person's home folder there.
    pub home: Option<String>,
    /// The machine, if it is another one.
    pub far: Option<Far>,
}

/// Runs the client over a connection.
///
/// # Errors
/// What the client ends with.
pub async fn converse(context: &Context, way: Way, keyboard: &mut Keyboard) -> Result<Ending, CliError> {
    let options = options(context, way);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "a client attaches");
    let ending = client::run(options, keyboard).await;
    match &ending {
        Ok(Ending::Detached) => tracing::info!("the client has detached"),
        Ok(Ending::Ended) => tracing::info!("the session has ended"),
        Ok(Ending::Switch(_)) => tracing::info!("the client goes to another session"),
        Err(error) => tracing::warn!(%error, "the client has ended"),
    }
    ending.map_err(|error| CliError::failed(with_reasons(&error)))
}

/// What the client floor needs; from here on the session's client log is written.
fn options(context: &Context, way: Way) -> client::Options {
    let client_log = context.paths.files.log_dir.join("client.log");
    logging::start(context.environment.text("LUVUS_LOG"), Sink::File(client_log));
    let (config, warnings) = settings::load(&context.paths.config);
    // The status bar is short: the file's name is enough there.
    let folder_of_config = format!("{}/", context.paths.files.home.display());
    let (palette, bad_theme) = match themes::load(&context.paths.files.home, &config.theme) {
        Ok(palette) => (palette, None),
        Err(why) => (Palette::default(), Some(format!("{why}; the theme is the default one"))),
    };
    let config_warnings = warnings.into_iter().chain(bad_theme);
    let config_warnings = config_warnings.map(|warning| warning.replacen(&folder_of_config, "", 1)).collect();
    let home = context.paths.files.home.clone();
    let here = way.far.is_none();
    client::Options {
        pipe: way.pipe,
        reconnect: way.reconnect,
        config,
        palette,
        theme_names: themes::list(&home).into_iter().map(|theme| theme.name).collect(),
        themes: Box::new(move |name| themes::load(&home, name)),
        config_warnings,
        session: way.session,
        sessions: way.sessions,
        clipboard: clipboard::find(&context.environment),
        folder: way.folder,
        ssh_auth_sock: way.ssh_auth_sock,
        home: way.home,
        far: way.far,
        editor: context.environment.text("EDITOR").filter(|_| here).map(str::to_owned),
        no_color: context.environment.raw("NO_COLOR").is_some(),
        depth: client::Depth::of(|name| context.environment.text(name)),
        form: context.form,
        utf8: context.environment.is_utf8(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// An error with what stands behind it.
fn with_reasons(error: &(dyn Error + 'static)) -> String {
    let reasons = std::iter::successors(Some(error), |&error| error.source());
    reasons.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Refuses what cannot work, before anything is started; the size of the terminal otherwise.
///
/// # Errors
/// A pane of luvus, no terminal, or one that is too small.
pub fn check(context: &Context) -> Result<Size, CliError> {
    refuse_nested(context)?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(CliError::failed(
            "attaching needs a terminal on standard input and output; `luvus server start` only starts the server",
        ));
    }
    let found = crossterm::terminal::window_size()
        .map_err(|error| CliError::failed(format_args!("cannot learn the size of the terminal: {error}")))?;
    large_enough(Size::new(found.rows, found.columns))
}

fn refuse_nested(context: &Context) -> Result<(), CliError> {
    if !context.environment.in_a_pane() || settings::load(&context.paths.config).0.allow_nested {
        return Ok(());
    }
    let session = context.environment.text("LUVUS_SESSION").unwrap_or("default");
    Err(CliError::failed(format_args!(
        "this is already a pane of luvus session `{session}`; detach first (prefix, then `d`), \
         use `--detached`, or set `allow_nested = true` in {}",
        context.paths.config.display()
    )))
}

fn large_enough(size: Size) -> Result<Size, CliError> {
    if size.cols >= MIN_CLIENT_COLS && size.rows >= MIN_CLIENT_ROWS {
        return Ok(size);
    }
    Err(CliError::failed(format_args!(
        "the terminal has {}×{} cells; enlarge it to at least {MIN_CLIENT_COLS}×{MIN_CLIENT_ROWS}",
        size.cols, size.rows
    )))
}

/// Connects to a session's server.
///
/// # Errors
/// When none listens ([`nobody_listens`]), or it is not to be trusted.
pub async fn connect(paths: &Paths) -> io::Result<Stream> {
    let untrusted = |error| match error {
        TrustError::Nothing => io::Error::from(ErrorKind::NotFound),
        error => io::Error::other(error),
    };
    trust::refuse_foreign(paths).map_err(untrusted)?;
    let stream = Stream::connect(paths.files.address.as_path().to_fs_name::<GenericFilePath>()?).await?;
    trust::refuse_open(paths).map_err(untrusted)?;
    Ok(stream)
}

/// Whether a connection failed because there is no server.
pub fn nobody_listens(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::NotADirectory)
}

/// What is said of a connection that failed otherwise.
pub fn cannot_connect(address: &Path, error: &io::Error) -> CliError {
    CliError::failed(format_args!("cannot connect to {}: {error}", address.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;

    #[test]
    fn small_terminals_are_told_the_size_they_need() {
        assert!(large_enough(Size::new(6, 24)).is_ok());
        for size in [Size::new(5, 200), Size::new(100, 23), Size::new(0, 0)] {
            let error = large_enough(size).expect_err("refused");
            assert!(error.message.contains("24×6") && error.exit == Exit::Failed, "{error}");
        }
    }

    #[test]
    fn errors_are_told_with_what_stands_behind_them() {
        let error = client::ClientError::Terminal(io::Error::other("no such device"));
        assert_eq!(with_reasons(&error), "cannot use the terminal: no such device");
    }

    #[test]
    fn a_pane_is_no_place_for_a_client_unless_the_settings_say_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().to_str().expect("text");
        let variables = [("LUVUS_HOME", home), ("LUVUS_ENV", "1"), ("LUVUS_SESSION", "work")];
        let context = |count: usize| {
            Context::new(Environment::of(&variables[..count]), None, false).expect("a context")
        };
        assert!(refuse_nested(&context(1)).is_ok());
        let error = refuse_nested(&context(3)).expect_err("refused");
        assert!(error.message.contains("`work`") && error.message.contains("allow_nested"), "{error}");
        std::fs::write(folder.path().join("config.toml"), "allow_nested = true\n").expect("written");
        assert!(refuse_nested(&context(3)).is_ok());
    }
}
