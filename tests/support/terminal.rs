//! [`Terminal`]: a person's terminal: a PTY with an emulator behind it and a program in it.

use super::{Home, PATIENCE};
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The prefix key.
pub const PREFIX: &str = "\0";
/// The escape key.
pub const ESCAPE: &str = "\x1b";
/// The arrow keys.
pub const LEFT: &str = "\x1b[D";
/// See [`LEFT`].
pub const RIGHT: &str = "\x1b[C";
/// See [`LEFT`].
pub const UP: &str = "\x1b[A";
/// See [`LEFT`].
pub const DOWN: &str = "\x1b[B";
/// Shift and page up.
pub const SHIFT_PAGE_UP: &str = "\x1b[5;2~";

/// A terminal of a given size and what a program has drawn on it.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    pid: i32,
    shared: Arc<Shared>,
    waiter: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    emulator: vt100::Parser,
    /// Everything the program wrote, for what an emulator does not keep.
    written: Vec<u8>,
    closed: bool,
    exit: Option<u32>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

/// What is on a terminal at one instant.
pub struct Screen<'a> {
    state: &'a State,
}

impl Screen<'_> {
    /// The emulator's screen.
    pub fn raw(&self) -> &vt100::Screen {
        self.state.emulator.screen()
    }

    /// The whole text, a line a row.
    pub fn text(&self) -> String {
        let (_, cols) = self.raw().size();
        let rows: Vec<String> = self.raw().rows(0, cols.into()).collect();
        rows.join("\n")
    }

    /// The text of one row, without blanks at its end.
    pub fn row(&self, row: u16) -> String {
        let (_, cols) = self.raw().size();
        let text = self.raw().rows(0, cols.into()).nth(usize::from(row)).unwrap_or_default();
        text.trim_end().to_owned()
    }

    /// The last row.
    pub fn status(&self) -> String {
        let (rows, _) = self.raw().size();
        self.row(u16::from(rows) - 1)
    }

    /// Whether `text` stands on one row.
    pub fn has(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Row and column of the first `text`.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        self.find_all(text).first().copied()
    }

    /// Rows and columns of every `text`, from the top.
    pub fn find_all(&self, text: &str) -> Vec<(u16, u16)> {
        let (rows, cols) = self.raw().size();
        let (rows, cols) = (u16::from(rows), u16::from(cols));
        let starts = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        starts.filter(|(row, col)| self.starts_with(*row, *col, text)).collect()
    }

    fn starts_with(&self, row: u16, mut col: u16, text: &str) -> bool {
        let mut rest = text;
        while !rest.is_empty() {
            let Some(cell) = self.raw().cell(row, col) else { return false };
            let contents = if cell.has_contents() { cell.contents() } else { " " };
            let Some(tail) = rest.strip_prefix(contents) else { return false };
            rest = tail;
            col += if cell.is_wide() { 2 } else { 1 };
        }
        true
    }

    /// Where the cursor is, if it is shown.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        (!self.raw().hide_cursor()).then(|| self.raw().cursor_position())
    }
}

impl Terminal {
    /// A terminal of `cols` × `rows` in which `luvus` with these arguments runs.
    pub fn luvus(home: &Home, (cols, rows): (u16, u16), arguments: &[&str]) -> Self {
        let argv: Vec<&str> =
            std::iter::once(super::server::PROGRAM).chain(arguments.iter().copied()).collect();
        Self::run(home, (cols, rows), &argv)
    }

    /// A terminal of 100 × 30 in which a client is attached and the shell of its pane is ready.
    pub fn attach(home: &Home) -> Self {
        Self::attach_sized(home, (100, 30))
    }

    /// The same of another size.
    pub fn attach_sized(home: &Home, size: (u16, u16)) -> Self {
        let terminal = Self::luvus(home, size, &[]);
        terminal.wait_for_text(super::home::PROMPT.trim_end());
        terminal
    }

    /// A terminal in which any program runs.
    pub fn run(home: &Home, size: (u16, u16), argv: &[&str]) -> Self {
        Self::run_with(home, size, argv, &[])
    }

    /// The same with more in its environment.
    pub fn run_with(
        home: &Home,
        (cols, rows): (u16, u16),
        argv: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(argv[0]);
        command.args(&argv[1..]);
        command.env_clear();
        for (name, value) in home.environment() {
            command.env(name, value);
        }
        for (name, value) in environment {
            command.env(name, value);
        }
        command.cwd(home.project());
        let mut child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let pid = child.process_id().and_then(|pid| i32::try_from(pid).ok()).expect("a process id");
        let state = State { emulator: emulator(cols, rows), written: Vec::new(), closed: false, exit: None };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let output = pair.master.try_clone_reader().expect("the terminal's output");
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().expect("the terminal's input")));
        // ends by itself once nobody holds the other side any more
        std::thread::spawn({
            let (shared, keyboard) = (Arc::clone(&shared), Arc::clone(&keyboard));
            move || read(output, &shared, &keyboard)
        });
        let waiter = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                let status = child.wait();
                let code = status.map_or(u32::MAX, |status| status.exit_code());
                shared.update(|state| state.exit = Some(code));
            }
        });
        Self { master: pair.master, keyboard, pid, shared, waiter: Some(waiter) }
    }

    /// Presses keys, given as the bytes that a terminal sends for them.
    pub fn send(&self, keys: &str) {
        let mut keyboard = self.keyboard.lock().unwrap_or_else(PoisonError::into_inner);
        // the program may be gone; the test finds out by what it waits for
        let _ = keyboard.write_all(keys.as_bytes()).and_then(|()| keyboard.flush());
    }

    /// Types a line and Enter.
    pub fn line(&self, text: &str) {
        self.send(&format!("{text}\r"));
    }

    /// Presses the prefix and then `key`.
    pub fn prefix(&self, key: &str) {
        self.send(&format!("{PREFIX}{key}"));
    }

    /// Presses and releases the left button at a zero-based cell.
    pub fn click(&self, row: u16, col: u16) {
        self.mouse(0, row, col, true);
        self.mouse(0, row, col, false);
    }

    /// Drags with the left button from one zero-based cell (row, column) to another.
    pub fn drag(&self, from: (u16, u16), to: (u16, u16)) {
        self.mouse(0, from.0, from.1, true);
        self.mouse(32, to.0, to.1, true);
        self.mouse(0, to.0, to.1, false);
    }

    /// One SGR mouse report; `button` as in the protocol, the cell zero-based.
    pub fn mouse(&self, button: u8, row: u16, col: u16, pressed: bool) {
        let end = if pressed { 'M' } else { 'm' };
        self.send(&format!("\x1b[<{button};{};{}{end}", col + 1, row + 1));
    }

    /// Changes the size of the terminal's window.
    pub fn resize(&self, cols: u16, rows: u16) {
        self.shared.update(|state| {
            let size = emulator_size(cols, rows);
            state.emulator.screen_mut().set_size(size.0, size.1);
        });
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("the terminal changes its size");
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        super::processes::signal(self.pid, signal);
    }

    /// Looks at the screen as it is.
    pub fn look<T>(&self, look: impl FnOnce(&Screen) -> T) -> T {
        look(&Screen { state: &self.shared.lock() })
    }

    /// Waits until the screen satisfies `condition`.
    pub fn wait_for(&self, what: &str, mut condition: impl FnMut(&Screen) -> bool) {
        self.wait_to_see(what, |screen| condition(screen).then_some(()));
    }

    /// Waits until `text` stands on a row of the screen.
    pub fn wait_for_text(&self, text: &str) {
        self.wait_for(&format!("`{text}`"), |screen| screen.has(text));
    }

    /// Waits until `text` stands nowhere on the screen.
    pub fn wait_for_no_text(&self, text: &str) {
        self.wait_for(&format!("no `{text}`"), |screen| !screen.has(text));
    }

    /// Waits until `look` finds something on the screen, and returns it.
    pub fn wait_to_see<T>(&self, what: &str, look: impl FnMut(&Screen) -> Option<T>) -> T {
        self.see_within(PATIENCE, look).unwrap_or_else(|| {
            let state = self.shared.lock();
            let (closed, exit, screen) = (state.closed, state.exit, Screen { state: &state }.text());
            drop(state);
            panic!("never seen: {what} (closed: {closed}, exit: {exit:?})\n{}", boxed(&screen));
        })
    }

    /// What `look` finds on the screen, if it does in that time.
    pub fn see_within<T>(&self, time: Duration, mut look: impl FnMut(&Screen) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + time;
        let mut state = self.shared.lock();
        loop {
            let found = look(&Screen { state: &state });
            let left = deadline.saturating_duration_since(Instant::now());
            if found.is_some() || left.is_zero() || state.closed {
                return found;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the program's end, with all its output; returns its exit code.
    pub fn wait_for_exit(&self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.shared.lock();
        loop {
            if let (Some(code), true) = (state.exit, state.closed) {
                return code;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let screen = Screen { state: &state }.text();
                drop(state);
                panic!("the program does not end\n{}", boxed(&screen));
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Everything that the program has written.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.shared.lock().written).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.shared.lock().exit.is_none() {
            self.signal(Signal::KILL);
        }
        if let Some(waiter) = self.waiter.take() {
            let _ = waiter.join();
        }
    }
}

/// A screen with a frame, for messages.
fn boxed(screen: &str) -> String {
    screen.lines().map(|line| format!("│{line}\n")).collect()
}

fn emulator_size(cols: u16, rows: u16) -> (std::num::NonZeroU16, std::num::NonZeroU16) {
    let size = |value| std::num::NonZeroU16::new(value).expect("a terminal has cells");
    (size(rows), size(cols))
}

fn emulator(cols: u16, rows: u16) -> vt100::Parser {
    let (rows, cols) = emulator_size(cols, rows);
    vt100::Parser::new(rows, cols, 0)
}

/// Feeds the emulator and answers what a terminal is asked.
fn read(mut output: Box<dyn Read + Send>, shared: &Shared, keyboard: &Mutex<Box<dyn Write + Send>>) {
    let mut chunk = [0; 16_384];
    let mut answered = 0;
    // a PTY whose program has ended reads as an error on Linux, as an end elsewhere
    while let Ok(count @ 1..) = output.read(&mut chunk) {
        let mut answers = Vec::new();
        shared.update(|state| {
            state.emulator.process(&chunk[..count]);
            state.written.extend_from_slice(&chunk[..count]);
            answers = answers_to(&state.written, &mut answered);
        });
        if !answers.is_empty() {
            let mut keyboard = keyboard.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = keyboard.write_all(&answers).and_then(|()| keyboard.flush());
        }
    }
    shared.update(|state| state.closed = true);
}

/// Answers to the questions in `written` after the first `answered` bytes: kitty keyboard flags and
/// primary device attributes, which programs ask before they decide on the keys.
fn answers_to(written: &[u8], answered: &mut usize) -> Vec<u8> {
    const QUESTIONS: [(&[u8], &[u8]); 3] =
        [(b"\x1b[?u", b"\x1b[?0u"), (b"\x1b[c", b"\x1b[?62c"), (b"\x1b[0c", b"\x1b[?62c")];
    let mut answers = Vec::new();
    while let Some((at, question, answer)) = QUESTIONS
        .iter()
        .filter_map(|(question, answer)| {
            let rest = &written[*answered..];
            let at = rest.windows(question.len()).position(|window| window == *question)?;
            Some((at, question, answer))
        })
        .min_by_key(|(at, ..)| *at)
    {
        *answered += at + question.len();
        answers.extend_from_slice(answer);
    }
    // a question may still be cut in two at the end
    *answered = (*answered).max(written.len().saturating_sub(4));
    answers
}
