//! The attached display: what a person sees, and where their keys and clicks go.
//!
//! The client owns the outer terminal, the keymap, this display's scroll positions and its overlays,
//! and nothing that outlives it. It sends keys and commands and draws scenes and pictures
//! (`docs/architecture.md`). [`update`] is the only road from something that happened to a changed
//! [`state`]; [`view`] draws it; [`display`] is the loop around both.
//!
//! Invariant: the client never names the server's modules, and it wakes for events only.

mod actions;
mod again;
mod alerts;
mod areas;
mod connection;
mod copy;
mod depth;
mod display;
mod field;
mod find;
mod follow;
mod grips;
mod input;
mod keys;
mod layers;
mod links;
mod mirror;
mod mouse;
mod mouse_select;
mod named_color;
mod opener;
mod options;
mod out;
mod outer_colors;
mod outlet;
mod reading;
mod reorder;
mod scratch;
mod screen;
mod scroll;
mod sessions;
mod settings;
mod sgr;
mod sidebars;
mod signals;
mod state;
#[cfg(test)]
mod tests;
mod theme;
mod tty;
mod type_ahead;
mod update;
mod view;

pub use depth::Depth;
pub use input::Keyboard;
pub use options::{
    ClientError, Clipboard, Copied, Ending, Far, Form, Options, Pipe, Reconnect, Themes, Told,
};
pub use sessions::{Session, Sessions, Trouble};

use display::Display;
use std::time::Duration;
use tokio::time::timeout;

/// How long the last bytes to a terminal may take before only its line discipline is given back.
const LAST_FRAME: Duration = Duration::from_millis(300);

/// Attaches: takes the terminal, shows the session until the person leaves or it ends, and gives
/// the terminal back. Needs a tokio runtime with I/O and time; one thread is enough.
///
/// # Errors
/// [`ClientError`]; the terminal is given back before it returns.
pub async fn run(options: Options, keyboard: &mut Keyboard) -> Result<Ending, ClientError> {
    let size = tty::size()?;
    let mouse = options.config.mouse_capture;
    let mut signals = signals::Signals::listen().map_err(ClientError::Terminal)?;
    let (mut display, connection) = Display::connect(options, size).await?;
    let tty = tty::Tty::enter(mouse)?;
    let input = keyboard.events().map_err(ClientError::Terminal)?;
    let mut outlet = outlet::Outlet::spawn(std::io::stdout()).map_err(ClientError::Terminal)?;
    let result = display.run(connection, input, &mut outlet, signals.recv()).await;
    let hung = outlet.is_busy() && timeout(LAST_FRAME, outlet.written()).await.is_err();
    if hung {
        tty.abandon();
    } else {
        drop(tty);
    }
    if tty::has_panicked() { Err(ClientError::Panicked) } else { result }
}
