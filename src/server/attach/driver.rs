//! One attached client: handshake, messages in, farewell.

use super::finder::Finding;
use super::input::Input;
use super::present::present;
use super::pump::WISHES;
use super::reading::Reading;
use super::write::{OUTGOING, write};
use crate::protocol::attach::codec;
use crate::protocol::attach::hello::{Greeting, Hello, VERSION};
use crate::protocol::attach::message::{Farewell, Room, ToClient, ToServer};
use crate::protocol::command::{Command, Launch};
use crate::protocol::limits;
use crate::server::hub::{Attached, HubError, HubHandle};
use crate::server::links;
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_stream::StreamExt as _;
use tokio_util::codec::FramedRead;

/// A handshake is a few hundred bytes; this leaves room for later fields.
const HELLO_BYTES: usize = 65_536;
/// How long a farewell may take to be read.
const FAREWELL: Duration = Duration::from_secs(1);

/// What all drivers share.
pub struct Attachments {
    /// The hub.
    pub hub: HubHandle,
    /// Name of the session.
    pub session: String,
    /// The link that panes' `SSH_AUTH_SOCK` names.
    pub ssh_auth_link: PathBuf,
    /// The person's home folder, where agents keep their conversations.
    pub home: PathBuf,
}

/// Serves one client whose magic bytes have been read.
///
/// # Errors
/// When the connection breaks or the client breaks the protocol; either ends this connection only.
pub async fn serve(
    mut socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    attachments: &Attachments,
) -> io::Result<()> {
    let first = Duration::from_millis(limits::FIRST_FRAME_MS);
    let hello = timeout(first, read_hello(&mut socket)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    let Attachments { hub, session, ssh_auth_link, home } = attachments;
    let hello = match hello {
        Ok(hello) if hello.versions.contains(&VERSION) => hello,
        Ok(Hello { program, .. }) | Err(Stranger { program }) => {
            return greet(&mut socket, &refusal(&program, session)).await;
        }
    };
    let attached = match hub.attach(Room { area: hello.area, alone: hello.alone }).await {
        Ok(attached) => attached,
        Err(error) => return greet(&mut socket, &refused_by_hub(&error)).await,
    };
    let client = attached.client;
    if let Some(agent) = &hello.ssh_auth_sock {
        follow_agent(ssh_auth_link, agent);
    }
    let welcome = Greeting::Welcome {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        generation: hub.generation().to_string(),
        session: session.clone(),
        capabilities: Vec::new(),
    };
    let served = match greet(&mut socket, &welcome).await {
        Ok(()) => converse(socket, hub, attached, (hello.folder, home)).await,
        Err(error) => Err(error),
    };
    hub.leave(client).await;
    served
}

/// Points the link that panes find in `SSH_AUTH_SOCK` to an agent's socket.
pub fn follow_agent(link: &Path, agent: &str) {
    // A client inside a pane names the link itself.
    if Path::new(agent) == link {
        return;
    }
    if let Err(error) = links::point(link, Path::new(agent)) {
        tracing::warn!(%error, "the link to the SSH agent could not be renewed");
    }
}

/// Runs the connection to its end.
async fn converse(
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    hub: &HubHandle,
    attached: Attached,
    (folder, home): (Option<String>, &Path),
) -> io::Result<()> {
    let (incoming, outgoing) = tokio::io::split(socket);
    let (out, messages) = mpsc::channel(OUTGOING);
    let (ask, asked) = mpsc::channel(WISHES);
    let writer = tokio::spawn(write(outgoing, messages));
    let presenter = AbortOnDrop(tokio::spawn(present(hub.clone(), asked, out.clone())).abort_handle());
    let writer_abort = AbortOnDrop(writer.abort_handle());
    let input = Input {
        reading: Reading::default(),
        looking: None,
        locating: None,
        listing: None,
        counting: None,
        home: home.to_owned(),
        finding: Finding::default(),
        hub: hub.clone(),
        client: attached.client,
        asked: ask,
        out: out.clone(),
        warned: None,
        scrolls: 0,
    };
    if let Some(folder) = folder {
        show_folder(hub, folder).await;
    }
    let farewell = listen(incoming, input, attached, &out).await?;
    drop(presenter);
    let _ = timeout(FAREWELL, out.send(ToClient::Bye(farewell))).await;
    drop(out);
    let _ = timeout(FAREWELL, writer).await;
    drop(writer_abort);
    Ok(())
}

/// Takes the client's messages and the hub's until one of them ends the connection.
async fn listen(
    incoming: impl AsyncRead + Unpin,
    mut input: Input,
    mut attached: Attached,
    out: &mpsc::Sender<ToClient>,
) -> io::Result<Farewell> {
    let mut frames = FramedRead::new(incoming, codec::framing(limits::ATTACH_REQUEST_BYTES));
    let mut notice = None;
    loop {
        tokio::select! {
            biased;
            farewell = &mut attached.farewell => return Ok(farewell.unwrap_or(Farewell::Ended)),
            frame = frames.next() => {
                let Some(frame) = frame else { return Err(io::ErrorKind::UnexpectedEof.into()) };
                let message: ToServer = match frame.map(|bytes| codec::decode(&bytes)) {
                    Ok(Ok(message)) => message,
                    Ok(Err(error)) => return Ok(Farewell::Dropped(error.to_string())),
                    Err(error) => return Ok(Farewell::Dropped(error.to_string())),
                };
                // A client that does not read its answers can still be told to leave.
                let ending = tokio::select! {
                    biased;
                    farewell = &mut attached.farewell => Some(farewell.unwrap_or(Farewell::Ended)),
                    ending = input.take(message) => ending,
                };
                if let Some(farewell) = ending {
                    return Ok(farewell);
                }
            }
            // A client that reads nothing leaves its notices with the hub, which drops what is too much.
            message = attached.control.recv(), if notice.is_none() => notice = message,
            permit = out.reserve(), if notice.is_some() => {
                if let (Ok(permit), Some(message)) = (permit, notice.take()) {
                    permit.send(message);
                }
            }
        }
    }
}

/// Shows the folder that `luvus` was typed in as a workspace, without taking the focus.
async fn show_folder(hub: &HubHandle, path: String) {
    let command = Command::OpenWorkspace { path, focus: false, reuse: true, launch: Launch::default() };
    if let Err(error) = hub.command(command).await {
        tracing::warn!(%error, "the client's folder could not be opened as a workspace");
    }
}

/// Somebody whose hello has another shape; as much as every version says.
#[derive(Deserialize)]
struct Stranger {
    program: String,
}

async fn read_hello(socket: &mut (impl AsyncRead + Unpin)) -> io::Result<Result<Hello, Stranger>> {
    let length = socket.read_u32().await? as usize;
    if length > HELLO_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "handshake is too long"));
    }
    let mut bytes = vec![0; length];
    socket.read_exact(&mut bytes).await?;
    let other = |_| serde_json::from_slice(&bytes).map(Err);
    let hello = serde_json::from_slice(&bytes).map(Ok).or_else(other);
    hello.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

async fn greet(socket: &mut (impl AsyncWrite + Unpin), greeting: &Greeting) -> io::Result<()> {
    let json = serde_json::to_vec(greeting)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    socket.write_all(&[&length.to_be_bytes()[..], &json].concat()).await
}

fn refusal(client: &str, session: &str) -> Greeting {
    let server = env!("CARGO_PKG_VERSION");
    let client: String = client.chars().filter(|char| !char.is_control()).take(40).collect();
    let named = if session == "default" { String::new() } else { format!("--session {session} ") };
    refused(format!(
        "this client is luvus {client}, the session's server is luvus {server} and they share no attach protocol; \
         run `luvus {named}server stop`, which ends the session's programs, and attach again, \
         or attach with luvus {server}"
    ))
}

fn refused_by_hub(error: &HubError) -> Greeting {
    match (error, refused(error.to_string())) {
        // A client that waits for the server after this one tries again.
        (HubError::Stopping, Greeting::Refused { program, message, .. }) => {
            Greeting::Refused { versions: Vec::new(), program, message }
        }
        (_, greeting) => greeting,
    }
}

fn refused(message: String) -> Greeting {
    Greeting::Refused { versions: vec![VERSION], program: env!("CARGO_PKG_VERSION").to_owned(), message }
}

/// Ends a task with the connection that it belongs to, however that ends.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
