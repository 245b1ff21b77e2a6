//! The outer terminal: its modes are taken here and given back on every way out.
//!
//! Invariant: what [`ENTER`] and [`MOUSE_ON`] set, [`LEAVE`] undoes, also after a panic.

use super::options::ClientError;
use super::outer_colors::ASK;
use crate::protocol::geometry::Size;
use std::io::{self, IsTerminal, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Alternate screen, title saved, bracketed paste, focus reports, kitty keyboard flags 1 + 2 + 4
/// (disambiguate, event types, alternate keys), cursor hidden, screen cleared. The flags are pushed
/// without asking for support first: a terminal that does not know the sequence ignores it, and one
/// that does not answer the question would hold up the first frame.
pub const ENTER: &str = "\x1b[22;0t\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[>7u\x1b[?25l\x1b[2J";
/// Buttons, drags, motion (for hovering), in SGR form.
pub const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h";
/// Undoes [`MOUSE_ON`].
pub const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
/// The keyboard flags are popped before the alternate screen is left, because kitty keeps one
/// stack for each screen. An unfinished synchronized frame is ended first.
pub const LEAVE: &str = "\x1b[?2026l\x1b[0m\x1b[<1u\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\
    \x1b[?1004l\x1b[?2004l\x1b[0 q\x1b[?1049l\x1b[23;0t\x1b[?25h";

/// Whether some thread of the client has panicked: then the terminal is given back, and not ours any more.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Whether the outer terminal is in our modes.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal in our modes; dropping it gives the terminal back.
pub struct Tty(());

impl Tty {
    /// Takes the terminal.
    ///
    /// # Errors
    /// [`ClientError::Terminal`]; nothing stays changed then.
    pub fn enter(mouse: bool) -> Result<Self, ClientError> {
        #[cfg(windows)]
        let _ = crossterm::ansi_support::supports_ansi();
        restore_on_panic();
        crossterm::terminal::enable_raw_mode().map_err(ClientError::Terminal)?;
        TAKEN.store(true, Ordering::SeqCst);
        let tty = Self(());
        let mut bytes = [ENTER, ASK].concat().into_bytes();
        if mouse {
            bytes.extend_from_slice(MOUSE_ON.as_bytes());
        }
        write(&bytes).map_err(ClientError::Terminal)?;
        Ok(tty)
    }

    /// Gives back the line discipline only: the terminal takes no output.
    pub fn abandon(self) {
        if TAKEN.swap(false, Ordering::SeqCst) {
            let _ = crossterm::terminal::disable_raw_mode();
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        restore();
    }
}

/// Whether a thread of the client has panicked. The terminal was given back at once; it is given back
/// again, because a frame may have followed.
pub fn has_panicked() -> bool {
    let panicked = PANICKED.load(Ordering::SeqCst);
    if panicked {
        TAKEN.store(true, Ordering::SeqCst);
        restore();
    }
    panicked
}

/// The size of the outer terminal.
///
/// # Errors
/// [`ClientError::NotATerminal`], or [`ClientError::Terminal`] if it cannot be told.
pub fn size() -> Result<Size, ClientError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(ClientError::NotATerminal);
    }
    let (cols, rows) = crossterm::terminal::size().map_err(ClientError::Terminal)?;
    Ok(Size::new(rows, cols))
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // The terminal may be gone; there is nobody left to tell.
        let _ = write(LEAVE.as_bytes());
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICKED.store(true, Ordering::SeqCst);
            restore();
            previous(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_that_is_set_is_reset() {
        let taken = format!("{ENTER}{MOUSE_ON}");
        for mode in taken.split("\x1b[?").skip(1).filter_map(|part| part.split_once('h')) {
            let number = mode.0;
            if number.bytes().all(|byte| byte.is_ascii_digit()) {
                assert!(LEAVE.contains(&format!("\x1b[?{number}l")), "mode {number}");
            }
        }
        assert_eq!(MOUSE_OFF.matches('l').count(), MOUSE_ON.matches('h').count());
        assert!(LEAVE.contains(MOUSE_OFF));
        assert!(ENTER.contains("\x1b[?25l") && LEAVE.contains("\x1b[?25h"));
        assert!(ENTER.contains("\x1b[22;0t") && LEAVE.contains("\x1b[23;0t"));
        let position = |text: &str| LEAVE.find(text).expect("in the sequence");
        assert!(position("\x1b[<1u") < position("\x1b[?1049l"));
        assert!(ENTER.find("\x1b[?1049h") < ENTER.find("\x1b[>7u"));
    }

    /// Run by the next test in a terminal of its own.
    #[test]
    #[ignore = "takes the terminal that it runs in"]
    #[should_panic(expected = "on purpose")]
    fn takes_the_terminal_and_panics() {
        let _tty = Tty::enter(true).expect("a terminal, on purpose");
        panic!("on purpose");
    }

    #[test]
    #[cfg(unix)]
    fn a_panic_gives_the_terminal_back_before_it_tells() {
        use portable_pty::{CommandBuilder, PtySize, native_pty_system};
        use std::io::Read as _;
        let pair = native_pty_system().openpty(PtySize::default()).expect("a pseudo-terminal");
        let script = r#"before=$(stty -g); "$0" "$@"; [ "$before" = "$(stty -g)" ]"#;
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", script]);
        command.arg(std::env::current_exe().expect("this test"));
        command.args(["--exact", "client::tty::tests::takes_the_terminal_and_panics"]);
        command.args(["--ignored", "--nocapture"]);
        let mut child = pair.slave.spawn_command(command).expect("it starts");
        drop(pair.slave);
        let mut output = Vec::new();
        // On Linux the end is an error.
        let _ = pair.master.try_clone_reader().expect("a reader").read_to_end(&mut output);
        let output = String::from_utf8_lossy(&output);
        assert!(child.wait().expect("it ends").success(), "the line discipline is as before: {output}");
        let place = |text: &str| output.find(text).unwrap_or_else(|| panic!("{text:?} in {output:?}"));
        assert!(place(ENTER) < place(LEAVE) && place(LEAVE) < place("panicked at"), "{output:?}");
    }
}
