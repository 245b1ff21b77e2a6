//! The loop against a server in the same process.

use super::scenes::{ONE, TWO, frame, key, single, split};
use crate::client::depth::Depth;
use crate::client::display::Display;
use crate::client::input::Event;
use crate::client::options::Told;
use crate::client::options::{ClientError, Ending, Options, Pipe, Reconnect};
use crate::client::outlet::Outlet;
use crate::client::sessions::{Session, Sessions};
use crate::config::Config;
use crate::config::theme::Palette;
use crate::protocol::attach::codec;
use crate::protocol::attach::hello::{Greeting, Hello, MAGIC, VERSION};
use crate::protocol::attach::message::{Farewell, ToClient, ToServer};
use crate::protocol::command::Command;
use crate::protocol::geometry::Size;
use crate::protocol::patch;
use std::future::pending;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio::time::timeout;

const SCREEN: Size = Size::new(12, 60);
const PANES: Size = Size::new(10, 60);
const SOON: Duration = Duration::from_secs(5);

/// The server's end of a connection.
struct Server(DuplexStream);

impl Server {
    async fn frame(&mut self) -> Vec<u8> {
        let length = self.0.read_u32().await.expect("a length");
        let mut frame = vec![0; usize::try_from(length).expect("small")];
        self.0.read_exact(&mut frame).await.expect("a frame");
        frame
    }

    async fn write(&mut self, frame: &[u8]) {
        self.0.write_u32(u32::try_from(frame.len()).expect("small")).await.expect("written");
        self.0.write_all(frame).await.expect("written");
    }

    async fn hello(&mut self) -> Hello {
        let mut magic = [0; 8];
        self.0.read_exact(&mut magic).await.expect("magic");
        assert_eq!(&magic, MAGIC);
        serde_json::from_slice(&self.frame().await).expect("a hello")
    }

    async fn greet(&mut self) -> Hello {
        let hello = self.hello().await;
        let welcome = Greeting::Welcome {
            version: VERSION,
            program: "test".into(),
            generation: "0".repeat(32),
            session: "default".into(),
            capabilities: vec![],
        };
        self.write(&serde_json::to_vec(&welcome).expect("json")).await;
        hello
    }

    async fn send(&mut self, message: &ToClient) {
        self.write(&codec::encode(message).expect("encodes")).await;
    }

    async fn next(&mut self) -> ToServer {
        let frame = timeout(SOON, self.frame()).await.expect("a message comes");
        codec::decode(&frame).expect("a message")
    }
}

/// A terminal that hands each write to the test.
struct Terminal(mpsc::Sender<String>);

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.0.blocking_send(text).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// No other sessions.
struct Alone;

impl Sessions for Alone {
    fn list(&self) -> Vec<Session> {
        Vec::new()
    }

    fn stop(&self, name: &str) -> Told {
        Err(name.to_owned())
    }

    fn delete(&self, name: &str) -> Told {
        Err(name.to_owned())
    }
}

fn options(reconnect: Reconnect) -> (Options, Server) {
    let (ours, theirs) = duplex(65_536);
    let mut config = Config::default();
    config.left.visible = false;
    let options = Options {
        pipe: Pipe::new(ours),
        reconnect,
        config,
        config_warnings: vec![],
        session: "default".into(),
        sessions: Arc::new(Alone),
        clipboard: None,
        folder: Some("/src".into()),
        ssh_auth_sock: None,
        home: None,
        no_color: false,
        palette: Palette::default(),
        themes: Box::new(|name| Palette::built_in(name).ok_or_else(|| "no such theme".to_owned())),
        theme_names: vec![],
        depth: Depth::True,
        form: crate::client::Form::Desktop,
        far: None,
        editor: None,
        utf8: true,
        version: "0.1.0".into(),
    };
    (options, Server(theirs))
}

fn never() -> Reconnect {
    Box::new(|| Box::pin(pending()))
}

/// A running client: what it gets and what it gives.
struct Run {
    events: mpsc::Sender<Event>,
    frames: mpsc::Receiver<String>,
    done: tokio::task::JoinHandle<Result<Ending, ClientError>>,
}

impl Run {
    fn start(options: Options) -> Self {
        let (events, mut input) = mpsc::channel(8);
        let (terminal, frames) = mpsc::channel(64);
        let done = tokio::spawn(async move {
            let (mut display, connection) = Display::connect(options, SCREEN).await?;
            let mut outlet = Outlet::spawn(Terminal(terminal)).map_err(ClientError::Terminal)?;
            display.run(connection, &mut input, &mut outlet, pending()).await
        });
        Self { events, frames, done }
    }

    async fn until(&mut self, text: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(text) {
            let next = timeout(SOON, self.frames.recv()).await;
            let frame = next.unwrap_or_else(|_| panic!("no {text:?} in {seen:?}"));
            seen.push_str(&frame.expect("the client runs"));
        }
        seen
    }

    async fn end(self) -> Result<Ending, ClientError> {
        timeout(SOON, self.done).await.expect("the client ends").expect("without a panic")
    }
}

async fn shown(server: &mut Server) -> Hello {
    let hello = server.greet().await;
    server.send(&ToClient::Scene(Arc::new(single(PANES)))).await;
    server.send(&ToClient::Pane(ONE, patch::diff(None, &frame(1, PANES, &["$ "])))).await;
    hello
}

#[tokio::test]
async fn a_key_goes_out_and_its_echo_comes_back_as_one_small_frame() {
    let (options, mut server) = options(never());
    let mut run = Run::start(options);
    let hello = shown(&mut server).await;
    assert_eq!((hello.area, hello.folder.as_deref()), (PANES, Some("/src")));
    let first = run.until("$").await;
    assert!(first.contains("\x1b]2;luvus: default - bash\x1b\\"), "{first:?}");

    run.events.send(Event::Key(key("x"))).await.expect("the client runs");
    assert_eq!(server.next().await, ToServer::Key(ONE, key("x")));
    let echo = patch::diff(Some(&frame(1, PANES, &["$ "])), &frame(2, PANES, &["$ x"]));
    server.send(&ToClient::Pane(ONE, echo)).await;
    let wanted = "\x1b[?2026h\x1b[?25l\x1b[2;3Hx\x1b[2;4H\x1b[?25h\x1b[?2026l";
    assert_eq!(run.until("x").await, wanted);

    run.events.send(Event::Key(key("ctrl+space"))).await.expect("the client runs");
    run.events.send(Event::Key(key("d"))).await.expect("the client runs");
    assert_eq!(server.next().await, ToServer::Detach);
    assert!(matches!(run.end().await, Ok(Ending::Detached)));
}

#[tokio::test]
async fn what_is_typed_after_a_split_waits_for_the_new_pane() {
    let (options, mut server) = options(never());
    let mut run = Run::start(options);
    shown(&mut server).await;
    run.until("$").await;
    for typed in ["ctrl+space", "v", "x"] {
        run.events.send(Event::Key(key(typed))).await.expect("the client runs");
    }
    assert!(matches!(server.next().await, ToServer::Command(Command::SplitPane { .. })));
    server.send(&ToClient::Scene(Arc::new(split()))).await;
    server.send(&ToClient::Settled).await;
    assert_eq!(server.next().await, ToServer::Key(TWO, key("x")));
}

#[tokio::test]
async fn a_server_that_does_not_answer_does_not_hold_keys_for_ever() {
    let (options, mut server) = options(never());
    let mut run = Run::start(options);
    shown(&mut server).await;
    run.until("$").await;
    tokio::time::pause();
    for typed in ["ctrl+space", "c", "ctrl+space", "d"] {
        run.events.send(Event::Key(key(typed))).await.expect("the client runs");
    }
    assert!(matches!(server.next().await, ToServer::Command(Command::NewTab { .. })));
    assert_eq!(server.next().await, ToServer::Detach);
    assert!(matches!(run.end().await, Ok(Ending::Detached)));
}

#[tokio::test]
async fn bells_and_the_clipboard_pass_through() {
    let (options, mut server) = options(never());
    let mut run = Run::start(options);
    shown(&mut server).await;
    server.send(&ToClient::Bell).await;
    server.send(&ToClient::Clipboard("hi".into())).await;
    assert!(run.until("\x1b]52;c;aGk=\x1b\\").await.contains('\x07'));
    server.send(&ToClient::Bye(Farewell::Ended)).await;
    assert!(matches!(run.end().await, Ok(Ending::Ended)));
}

#[tokio::test]
async fn a_server_that_dies_is_told_from_one_that_ends() {
    let (options, mut server) = options(never());
    let mut run = Run::start(options);
    shown(&mut server).await;
    run.until("$").await;
    drop(server);
    assert!(matches!(run.end().await, Err(ClientError::ServerDied)));
}

#[tokio::test]
async fn a_refusal_is_passed_on() {
    let (options, mut server) = options(never());
    let run = Run::start(options);
    server.hello().await;
    let refused = Greeting::Refused {
        versions: vec![9],
        program: "9".into(),
        message: "run `luvus server restart`".into(),
    };
    server.write(&serde_json::to_vec(&refused).expect("json")).await;
    match run.end().await {
        Err(ClientError::Refused(message)) => assert!(message.contains("restart")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_restart_keeps_the_picture_and_connects_again() {
    let (again, next) = duplex(65_536);
    let mut again = Some(again);
    let (options, mut server) = options(Box::new(move || {
        let pipe = again.take().map(Pipe::new).ok_or_else(|| io::ErrorKind::NotFound.into());
        Box::pin(async { pipe })
    }));
    let mut run = Run::start(options);
    shown(&mut server).await;
    run.until("$").await;
    server.send(&ToClient::Bye(Farewell::Restarting)).await;
    run.until("STALE").await;
    let mut server = Server(next);
    let hello = shown(&mut server).await;
    assert_eq!(hello.folder, None, "the folder is shown once");
    run.until("NORMAL").await;
    server.send(&ToClient::Bye(Farewell::Detached)).await;
    assert!(matches!(run.end().await, Ok(Ending::Detached)));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_away_is_given_up() {
    let (options, mut server) = options(Box::new(|| Box::pin(async { Err(io::ErrorKind::NotFound.into()) })));
    let run = Run::start(options);
    server.greet().await;
    server.send(&ToClient::Bye(Farewell::Restarting)).await;
    assert!(matches!(run.done.await.expect("no panic"), Err(ClientError::NotBack(10))));
}
