//! The loop: events in, state changed, messages out, one frame at a time.
//!
//! Invariant: no fixed tick. The loop sleeps until the terminal, the server, a signal, the end of a
//! written frame or the end of a notice wakes it.

use super::again::{LINK_LOST, Patience, RESTARTED, Returning, come_back, handshake};
use super::connection::Connection;
use super::depth::Depth;
use super::input::Event;
use super::opener::Opener;
use super::options::{ClientError, Clipboard, Copied, Ending, Far, Options, Reconnect, Themes};
use super::out::Out;
use super::outer_colors::ASK;
use super::outlet::Outlet;
use super::screen::Screen;
use super::sessions::{Found, Sessions};
use super::state::State;
use super::theme::Theme;
use super::tty::{MOUSE_OFF, MOUSE_ON};
use super::type_ahead::TypeAhead;
use super::update::{Input, update};
use super::{areas, mouse_select, scratch, sessions, sgr, view};
use crate::config::theme::Palette;
use crate::protocol::attach::hello::{Hello, VERSION};
use crate::protocol::attach::message::{Level, Room, ToClient, ToServer};
use crate::protocol::geometry::{Rect, Size};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// How long a notice stays.
const NOTICE: Duration = Duration::from_secs(6);
/// How often the history comes by a row further while the pointer is held at a pane's edge.
const EDGE: Duration = Duration::from_millis(50);
/// How long a toast stays.
const TOAST: Duration = Duration::from_secs(10);
/// How exact times on the screen are.
const MINUTE: Duration = Duration::from_secs(60);
/// How long the last message to the server may take.
const LAST_MESSAGE: Duration = Duration::from_millis(300);
/// Events taken before the screen is drawn: more than a burst of keys or wheel steps.
const EVENTS_PER_TURN: usize = 64;

/// The way to the server.
enum Link {
    Up(Box<Connection>),
    Away(Returning),
}

/// What one turn of the loop heard.
enum Heard {
    Signal,
    Written(std::io::Result<()>),
    Event(Option<Event>),
    Flushed,
    Messages(Result<(), ClientError>),
    Back(Reconnect, Result<Box<Connection>, ClientError>),
    Sessions(Option<Found>),
    NoticeOver,
    ToastOver,
    HeldLongEnough,
    MinuteOver,
    NotOpened(String),
    AtEdge,
    Copied(Option<Copied>),
}

/// What the loop wakes up for by itself.
struct Alarms {
    /// The end of the current notice.
    notice_over: Option<Instant>,
    /// Until when keys wait for the server.
    held: Option<Instant>,
}

/// What the theme depends on besides its name.
struct Look {
    no_color: bool,
    depth: Depth,
    themes: Themes,
}

impl Look {
    fn theme(&self, palette: &Palette) -> Theme {
        match self.depth {
            _ if self.no_color => Theme::plain(),
            // Sixteen colours are the person's own: a theme made of others would only be guessed at.
            Depth::Named => {
                Palette::built_in("terminal").map_or_else(Theme::plain, |named| Theme::of(&named))
            }
            Depth::True | Depth::Indexed => Theme::of(palette),
        }
    }
}

/// One attached display.
pub struct Display {
    state: State,
    screen: Screen,
    hello: Hello,
    reconnect: Option<Reconnect>,
    look: Look,
    /// Bytes for the terminal beside the picture: bells, the clipboard, the mouse.
    aside: Vec<u8>,
    type_ahead: TypeAhead,
    sessions: Arc<dyn Sessions>,
    opener: Opener,
    /// The other machine that the server is on.
    far: Option<Far>,
    /// What is being done about sessions.
    looking: Option<JoinHandle<Found>>,
    clipboard: Option<Clipboard>,
    /// The text that the desktop's clipboard is being given.
    copying: Option<JoinHandle<Copied>>,
    /// When the pointer at a pane's edge scrolls it; none while it is at none.
    edge: Option<Instant>,
    notice_serial: u64,
    notice_over: Option<Instant>,
    toast_serial: u64,
    /// When the toast goes.
    toast_over: Option<Instant>,
    /// When the times on the screen are a minute old; none while none is shown.
    minute_over: Option<Instant>,
    /// How the loop ends, once it does.
    end: Option<Result<Ending, ClientError>>,
}

impl Display {
    /// Makes the handshake for a screen of `size`.
    ///
    /// # Errors
    /// What [`Connection::open`] says.
    pub async fn connect(options: Options, size: Size) -> Result<(Self, Box<Connection>), ClientError> {
        let mut state = State::new(&options.config, size);
        let look = Look { no_color: options.no_color, depth: options.depth, themes: options.themes };
        state.theme = look.theme(&options.palette);
        state.form = options.form;
        state.utf8 = options.utf8;
        state.announce();
        state.session = options.session;
        state.version.clone_from(&options.version);
        state.home = options.home;
        state.editor = options.editor;
        state.theme_names = options.theme_names;
        for warning in options.config_warnings {
            // It begins with the path of the file.
            let warning = state.short_path(&warning).into_owned();
            state.notices.queue(Level::Warning, warning);
        }
        let mut hello = Hello {
            versions: vec![VERSION],
            program: options.version,
            capabilities: Vec::new(),
            area: state.announced.area,
            alone: state.announced.alone,
            folder: options.folder,
            ssh_auth_sock: options.ssh_auth_sock,
        };
        let connection = handshake(options.pipe, &hello).await?;
        // The folder is shown once; a restarted server has its own memory.
        hello.folder = None;
        let mut screen = Screen::new(size);
        screen.depth = options.depth;
        let display = Self {
            state,
            screen,
            hello,
            reconnect: Some(options.reconnect),
            look,
            aside: Vec::new(),
            type_ahead: TypeAhead::default(),
            sessions: options.sessions,
            opener: Opener::default(),
            far: options.far,
            looking: None,
            clipboard: options.clipboard,
            copying: None,
            edge: None,
            notice_serial: 0,
            notice_over: None,
            toast_serial: 0,
            toast_over: None,
            minute_over: None,
            end: None,
        };
        Ok((display, connection))
    }

    /// Runs until the person leaves, the session ends, or something breaks. `leave` is a signal.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn run(
        &mut self,
        connection: Box<Connection>,
        input: &mut mpsc::Receiver<Event>,
        outlet: &mut Outlet,
        leave: impl Future<Output = ()>,
    ) -> Result<Ending, ClientError> {
        let mut leave = pin!(leave);
        let mut link = Link::Up(connection);
        let mut messages = Vec::new();
        loop {
            self.draw(outlet);
            self.time_notices();
            self.time_edge();
            let alarms = Alarms { notice_over: self.notice_over, held: self.type_ahead.deadline() };
            let heard = tokio::select! {
                found = done(&mut self.looking) => Heard::Sessions(found),
                copied = done(&mut self.copying) => Heard::Copied(copied),
                () = until(self.edge) => Heard::AtEdge,
                () = until(self.toast_over) => Heard::ToastOver,
                () = until(self.minute_over) => Heard::MinuteOver,
                why = self.opener.failed() => Heard::NotOpened(why),
                heard = hear(&mut link, input, outlet, leave.as_mut(), &mut messages, alarms) => heard,
            };
            self.take(heard, &mut link, input, &mut messages);
            if let Some(end) = self.end.take() {
                if let Link::Up(connection) = &mut link {
                    // A server that does not read any more is left all the same.
                    let _ = timeout(LAST_MESSAGE, connection.outgoing.flush()).await;
                }
                return end;
            }
        }
    }

    fn take(
        &mut self,
        heard: Heard,
        link: &mut Link,
        input: &mut mpsc::Receiver<Event>,
        messages: &mut Vec<ToClient>,
    ) {
        match heard {
            // The terminal is going away, or somebody wants us to: the session goes on.
            Heard::Signal | Heard::Event(None) | Heard::Written(Err(_)) => {
                self.end = Some(Ok(Ending::Detached));
            }
            Heard::Written(Ok(())) | Heard::Flushed => {}
            Heard::Sessions(found) => {
                self.looking = None;
                if let Some(found) = found {
                    self.update(Input::Sessions(found), link);
                }
            }
            Heard::ToastOver => self.update(Input::ToastOver, link),
            Heard::NoticeOver => self.update(Input::NoticeOver, link),
            Heard::NotOpened(why) => self.update(Input::NotOpened(why), link),
            Heard::Copied(copied) => {
                self.copying = None;
                if let Some(told) = copied {
                    self.update(Input::Copied(told), link);
                }
            }
            Heard::AtEdge => {
                self.edge = None;
                self.update(Input::AtEdge, link);
            }
            Heard::MinuteOver => self.state.damage.full = true,
            Heard::HeldLongEnough => self.type_ahead.give_up(),
            Heard::Event(Some(event)) => {
                self.state.now_ms = now_ms();
                self.update(Input::Terminal(event), link);
                for _ in 1..EVENTS_PER_TURN {
                    if self.type_ahead.deadline().is_some() {
                        break;
                    }
                    let Ok(event) = input.try_recv() else { break };
                    self.update(Input::Terminal(event), link);
                }
            }
            Heard::Messages(result) => {
                for message in messages.drain(..) {
                    self.update(Input::Server(message), link);
                }
                if let (Err(ClientError::LinkLost), None, Link::Up(_), true) =
                    (&result, &self.end, &*link, self.far.is_some())
                {
                    return self.lost(link);
                }
                // A farewell explains the end of the stream.
                if let Err(error) = result
                    && self.end.is_none()
                    && matches!(link, Link::Up(_))
                {
                    self.end = Some(Err(error));
                }
            }
            Heard::Back(reconnect, result) => {
                self.reconnect = Some(reconnect);
                match result {
                    Ok(connection) => {
                        *link = Link::Up(connection);
                        self.update(Input::Reconnected, link);
                    }
                    Err(error) => self.end = Some(Err(error)),
                }
            }
        }
    }

    fn update(&mut self, input: Input, link: &mut Link) {
        let size = self.state.size;
        for out in update(&mut self.state, input) {
            match out {
                Out::Send(message) => self.send(&message, link),
                Out::Settled => self.type_ahead.settled(),
                Out::Notify(text) => sgr::notify(&mut self.aside, &text),
                Out::Bell => self.aside.push(b'\x07'),
                Out::Clipboard(text) => sgr::clipboard(&mut self.aside, &text),
                Out::Copy(text) => {
                    sgr::clipboard(&mut self.aside, &text);
                    // A newer text takes the place of one that is still on its way.
                    if let Some(earlier) = self.copying.take() {
                        earlier.abort();
                    }
                    self.copying = self.clipboard.as_ref().map(|clipboard| tokio::spawn(clipboard(text)));
                }
                Out::Mouse(on) => {
                    self.aside.extend_from_slice(if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes());
                }
                Out::AskColors => self.aside.extend_from_slice(ASK.as_bytes()),
                Out::Theme(name) => self.retheme(&name),
                Out::Open(url) => self.opener.open(&self.state.config.link_opener, url),
                Out::Sessions(wish) => self.looking = Some(sessions::spawn(&self.sessions, wish)),
                Out::Leave(ending) => self.end = Some(Ok(ending)),
                Out::Dropped(reason) => self.end = Some(Err(ClientError::Dropped(reason))),
                Out::Reconnect => {
                    self.state.away = "the server restarts; connecting again…".to_owned();
                    self.come_back(link, RESTARTED);
                }
            }
        }
        if self.state.size != size {
            self.screen.resize(self.state.size);
        }
    }

    /// The line to another machine is down: the last frame stays, marked stale, until it is up again.
    fn lost(&mut self, link: &mut Link) {
        let host = self.far.as_ref().map(|far| far.host.as_str()).unwrap_or_default();
        self.state.away = format!("the link to {host} is lost; connecting again…");
        self.update(Input::Lost, link);
        self.come_back(link, LINK_LOST);
    }

    fn come_back(&mut self, link: &mut Link, patience: Patience) {
        if let Some(reconnect) = self.reconnect.take() {
            let Room { area, alone } = self.state.announced;
            let hello = Hello { area, alone, ..self.hello.clone() };
            *link = Link::Away(Box::pin(come_back(reconnect, hello, patience)));
            self.type_ahead = TypeAhead::default();
        }
    }

    /// Sends a message; while the server is away there is nobody to send it to.
    fn send(&mut self, message: &ToServer, link: &mut Link) {
        let Link::Up(connection) = link else { return };
        self.type_ahead.sent(message, Instant::now());
        if let Err(error) = connection.outgoing.send(message) {
            self.end = Some(Err(error));
        }
    }

    fn time_notices(&mut self) {
        let notices = &self.state.notices;
        if notices.serial != self.notice_serial {
            self.notice_serial = notices.serial;
            self.notice_over = notices.current().map(|_| Instant::now() + NOTICE);
        }
        let alerts = &self.state.alerts;
        if alerts.serial != self.toast_serial {
            self.toast_serial = alerts.serial;
            self.toast_over = alerts.toast.as_ref().map(|_| Instant::now() + TOAST);
        }
    }

    fn time_edge(&mut self) {
        if mouse_select::edge(&self.state) == 0 {
            self.edge = None;
        } else if self.edge.is_none() {
            self.edge = Some(Instant::now() + EDGE);
        }
    }

    /// Takes another theme; one that is not there leaves the look as it is.
    fn retheme(&mut self, name: &str) {
        match (self.look.themes)(name) {
            Ok(palette) => self.state.theme = self.look.theme(&palette),
            Err(why) => self.state.notices.queue(Level::Warning, why),
        }
    }

    /// Draws what has changed, unless a frame is still on its way.
    fn draw(&mut self, outlet: &mut Outlet) {
        let nothing_yet = self.state.scene().is_none() && !areas::too_small(self.state.size);
        if outlet.is_busy() || nothing_yet || (self.state.damage.is_none() && self.aside.is_empty()) {
            return;
        }
        self.state.now_ms = now_ms();
        self.minute_over = self.state.shows_ages().then(|| Instant::now() + MINUTE);
        let mut out = outlet.buffer();
        out.append(&mut self.aside);
        draw_changes(&mut self.state, &mut self.screen, &mut out);
        outlet.write(out);
    }
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Waits until then, or for ever.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}

/// Waits for what is being done beside the loop, if anything is.
async fn done<T>(task: &mut Option<JoinHandle<T>>) -> Option<T> {
    match task {
        Some(task) => task.await.ok(),
        None => std::future::pending().await,
    }
}

/// Waits for whatever comes first; of several, input before output, so that a flood of
/// pictures never keeps a key waiting.
async fn hear(
    link: &mut Link,
    input: &mut mpsc::Receiver<Event>,
    outlet: &mut Outlet,
    leave: Pin<&mut impl Future<Output = ()>>,
    messages: &mut Vec<ToClient>,
    alarms: Alarms,
) -> Heard {
    let (timed, held) = (alarms.notice_over.is_some(), alarms.held.is_some());
    let [notice_over, held_until] =
        [alarms.notice_over, alarms.held].map(|alarm| alarm.unwrap_or_else(Instant::now));
    match link {
        Link::Up(connection) => {
            let Connection { incoming, outgoing } = &mut **connection;
            tokio::select! {
                biased;
                () = leave => Heard::Signal,
                written = outlet.written(), if outlet.is_busy() => Heard::Written(written),
                event = input.recv(), if outgoing.has_room() && !held => Heard::Event(event),
                () = outgoing.flush(), if outgoing.has_pending() => Heard::Flushed,
                () = sleep_until(notice_over), if timed => Heard::NoticeOver,
                () = sleep_until(held_until), if held => Heard::HeldLongEnough,
                result = incoming.receive(messages) => Heard::Messages(result),
            }
        }
        Link::Away(returning) => tokio::select! {
            biased;
            () = leave => Heard::Signal,
            written = outlet.written(), if outlet.is_busy() => Heard::Written(written),
            event = input.recv() => Heard::Event(event),
            () = sleep_until(notice_over), if timed => Heard::NoticeOver,
            (reconnect, result) = returning => Heard::Back(reconnect, result),
        },
    }
}

/// Draws what has changed into `screen`, and adds the bytes for the terminal to `out`. A patch costs
/// its own rows only; everything is drawn when the scene, a mode or an overlay has changed.
pub(super) fn draw_changes(state: &mut State, screen: &mut Screen, out: &mut Vec<u8>) {
    let damage = std::mem::take(&mut state.damage);
    let beneath = scratch::shown(state).is_some_and(|top| damage.panes.keys().any(|pane| *pane != top));
    // Overlays, the scratch terminal, the dimming of a stale picture and the plea for a larger screen lie over the panes.
    let covered = !state.layers.is_empty()
        || beneath
        || state.alerts.toast.is_some()
        || state.stale
        || areas::too_small(state.size);
    let regions = if damage.full || (covered && !damage.panes.is_empty()) {
        state.hits = view::render(state, &mut screen.next);
        screen.set_title(&view::title(state), out);
        vec![Rect::new(0, 0, state.size)]
    } else {
        let mut regions = Vec::new();
        for (pane, rows) in damage.panes {
            let rows: Vec<u16> = rows.into_iter().collect();
            regions.extend(view::pane::render_rows(state, pane, &rows, &mut screen.next));
        }
        regions
    };
    screen.flush(&regions, view::cursor(state), &|row, col| view::pane::link_at(state, row, col), out);
}
