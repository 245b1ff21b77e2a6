//! `luvus attach-proxy`: the far end of `luvus --remote`. It says one line, and from then on its standard
//! streams are the attach connection.

use crate::cli::attach;
use crate::cli::autostart;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use serde_json::json;
use std::io::Write as _;

/// What the line begins with; what a login shell prints before it is not ours.
pub const MARK: &str = "LUVUS-ATTACH ";

/// Carries the attach protocol until either side ends it.
///
/// # Errors
/// When there is no server and none can be started, or, with `existing`, when there is none.
pub fn run(context: &Context, existing: bool) -> Result<Exit, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::failed(format_args!("cannot start the proxy: {error}")))?;
    let stream = runtime.block_on(async {
        match attach::connect(&context.paths).await {
            Err(error) if attach::nobody_listens(&error) && !existing => Ok(None),
            Err(error) if attach::nobody_listens(&error) => Err(CliError {
                message: format!("session `{}` does not run any more", context.paths.session),
                exit: Exit::Gone,
            }),
            result => result.map(Some).map_err(|error| cannot(context, &error)),
        }
    })?;
    let stream = if let Some(stream) = stream {
        stream
    } else {
        autostart::start(context, None, context.environment.user_home.as_deref())?;
        runtime.block_on(attach::connect(&context.paths)).map_err(|error| cannot(context, &error))?
    };
    say(context)?;
    runtime.block_on(carry(stream));
    // A thread that still reads standard input is no reason to stay.
    runtime.shutdown_background();
    Ok(Exit::Ok)
}

fn cannot(context: &Context, error: &std::io::Error) -> CliError {
    attach::cannot_connect(&context.paths.files.address, error)
}

/// The line that tells the near end what it cannot know.
fn say(context: &Context) -> Result<(), CliError> {
    let home = context.environment.user_home.as_ref().and_then(|home| home.to_str());
    let about = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "session": context.paths.session.as_str(),
        "home": home,
        "ssh_auth_sock": context.environment.text("SSH_AUTH_SOCK"),
    });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{MARK}{about}").and_then(|()| out.flush()).map_err(CliError::failed)
}

/// Copies both ways until one end is reached.
async fn carry(stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin) {
    let (mut from_server, mut to_server) = tokio::io::split(stream);
    let (mut input, mut output) = (tokio::io::stdin(), tokio::io::stdout());
    // Whichever end comes first, the other one learns of it by the end of this process.
    tokio::select! {
        _ = tokio::io::copy(&mut from_server, &mut output) => {}
        _ = tokio::io::copy(&mut input, &mut to_server) => {}
    }
}
