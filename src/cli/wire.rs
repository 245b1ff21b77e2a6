//! Asking the server: one connection, one line out, one line in; blocking, with a deadline.

use super::error::{CliError, Exit};
use super::paths::Paths;
use super::trust::{self, TrustError};
use crate::protocol::limits::UHP_FRAME_BYTES;
use interprocess::local_socket::{GenericFilePath, Stream, prelude::*};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::time::Duration;

/// How long an answer may take when the request itself does not wait.
pub const ANSWER_DEADLINE: Duration = Duration::from_secs(30);

/// The id of the one request of a connection.
pub const ID: &str = "cli";

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Nothing listens.
    #[error(
        "no server is running for session `{0}`; start it with `{command} server start`, or attach with `{command}`",
        command = command_for(.0)
    )]
    NoServer(String),
    /// What is there is not trusted.
    #[error(transparent)]
    Untrusted(TrustError),
    /// The loopback listener that was named does not listen.
    #[error("no server listens where LUVUS_RUNTIME_ENDPOINT says: {0}")]
    Stale(io::Error),
    /// A variable names no listener.
    #[error("LUVUS_RUNTIME_ENDPOINT is not `<port> <token>`; unset it or use `--session {0}`")]
    Endpoint(String),
    /// The connection broke after the request had been written.
    #[error("the connection to the server was lost: {0}")]
    Lost(io::Error),
    /// The server closed the connection, or is gone.
    #[error("the server ended the connection before it had answered")]
    Ended,
    /// It listens and does not answer in time.
    #[error("the server did not answer within {} ms; `luvus doctor` says what to do", .0.as_millis())]
    Silent(Duration),
    /// The connection broke.
    #[error("the connection to the server broke: {0}")]
    Broken(#[from] io::Error),
    /// The answer is none.
    #[error("the server's answer makes no sense: {0}")]
    Nonsense(String),
}

impl WireError {
    /// Whether the request had been written: then it may have taken effect.
    #[must_use]
    pub const fn is_after_writing(&self) -> bool {
        match self {
            Self::NoServer(_) | Self::Untrusted(_) | Self::Stale(_) | Self::Endpoint(_) | Self::Broken(_) => {
                false
            }
            Self::Lost(_) | Self::Ended | Self::Silent(_) | Self::Nonsense(_) => true,
        }
    }
}

/// How this program is called for a session.
fn command_for(session: &str) -> String {
    if session == "default" { "luvus".to_owned() } else { format!("luvus --session {session}") }
}

impl From<WireError> for CliError {
    fn from(error: WireError) -> Self {
        Self::failed(error)
    }
}

/// What a UHP request came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The `result` object.
    Result(Map<String, Value>),
    /// The `error` object.
    Error {
        /// Its code.
        code: String,
        /// Its text.
        message: String,
    },
}

impl Answer {
    fn of_line(line: &[u8]) -> Result<Self, WireError> {
        let nonsense = |what: &str| WireError::Nonsense(what.to_owned());
        let Ok(Value::Object(mut response)) = serde_json::from_slice(line) else {
            return Err(nonsense("not a JSON object"));
        };
        match (response.remove("result"), response.remove("error")) {
            (Some(Value::Object(result)), None) => Ok(Self::Result(result)),
            (None, Some(Value::Object(error))) => {
                let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                Ok(Self::Error { code: text("code"), message: text("message") })
            }
            _ => Err(nonsense("neither result nor error")),
        }
    }

    /// The result, or the error as the end of the command.
    ///
    /// # Errors
    /// The server's.
    pub fn into_result(self) -> Result<Map<String, Value>, CliError> {
        match self {
            Self::Result(result) => Ok(result),
            Self::Error { code, message } => {
                let exit = Exit::of_error_code(&code);
                let message = if message.is_empty() { code } else { message };
                Err(CliError { message: one_line(&message), exit })
            }
        }
    }
}

/// `text` on one line.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Calls a UHP method and waits for at most `deadline`.
///
/// # Errors
/// When there is no answer; an error that the server answers is an [`Answer`].
pub fn call(paths: &Paths, method: &str, params: Value, deadline: Duration) -> Result<Answer, WireError> {
    let mut request = json!({"id": ID, "method": method});
    request["params"] = params;
    Answer::of_line(&exchange(paths, &request, UHP_FRAME_BYTES, deadline)?)
}

/// Calls a UHP method that answers at once, and takes its result.
///
/// # Errors
/// When there is no answer, or an error.
pub fn ask(paths: &Paths, method: &str, params: Value) -> Result<Map<String, Value>, CliError> {
    call(paths, method, params, ANSWER_DEADLINE)?.into_result()
}

/// A runtime envelope that this program makes itself.
#[must_use]
pub fn envelope(outcome: Result<Value, (&str, String)>) -> Value {
    match outcome {
        Ok(result) => {
            json!({"protocol": "nebula.runtime", "version": 1, "id": ID, "ok": true, "result": result})
        }
        Err((code, message)) => json!({
            "protocol": "nebula.runtime", "version": 1, "id": ID, "ok": false,
            "error": {"code": code, "message": message},
        }),
    }
}

/// Whether the session's server accepts connections.
#[must_use]
pub fn reachable(paths: &Paths) -> bool {
    connect(paths).is_ok()
}

/// Whether it also lives: of one that was just killed the kernel still accepts connections for a moment. One
/// that has no time to answer counts.
#[must_use]
pub fn answers(paths: &Paths) -> bool {
    /// Longer than a living server takes for a ping.
    const PATIENCE: Duration = Duration::from_secs(2);
    match call(paths, "ping", json!({}), PATIENCE) {
        Err(
            WireError::NoServer(_)
            | WireError::Lost(_)
            | WireError::Ended
            | WireError::Broken(_)
            | WireError::Nonsense(_),
        ) => false,
        Ok(_)
        | Err(
            WireError::Silent(_) | WireError::Untrusted(_) | WireError::Stale(_) | WireError::Endpoint(_),
        ) => true,
    }
}

fn connect(paths: &Paths) -> Result<Stream, WireError> {
    let untrusted = |error| match error {
        TrustError::Nothing => WireError::NoServer(paths.session.to_string()),
        error => WireError::Untrusted(error),
    };
    trust::refuse_foreign(paths).map_err(untrusted)?;
    let name = paths.files.address.as_path().to_fs_name::<GenericFilePath>()?;
    let stream = Stream::connect(name).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::NotADirectory => {
            WireError::NoServer(paths.session.to_string())
        }
        _ => WireError::Broken(error),
    })?;
    trust::refuse_open(paths).map_err(untrusted)?;
    Ok(stream)
}

fn exchange(
    paths: &Paths,
    request: &Value,
    longest_bytes: usize,
    deadline: Duration,
) -> Result<Vec<u8>, WireError> {
    pass(paths, &line_of(request)?, longest_bytes, deadline)
}

/// A request as a line.
///
/// # Errors
/// Never, for JSON.
pub fn line_of(request: &Value) -> Result<Vec<u8>, WireError> {
    let mut line = serde_json::to_vec(request).map_err(|error| WireError::Nonsense(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

/// Writes a line that ends with LF, and returns the answer without its LF.
///
/// # Errors
/// When there is no answer.
pub fn pass(
    paths: &Paths,
    line: &[u8],
    longest_bytes: usize,
    deadline: Duration,
) -> Result<Vec<u8>, WireError> {
    let stream = connect(paths)?;
    limit_waits(&stream, Some(deadline))?;
    converse(&stream, &stream, line, longest_bytes, deadline)
}

/// Writes a line to a connection that has limited waits, and reads the answer without its LF.
///
/// # Errors
/// When there is no answer.
pub fn converse(
    read: impl io::Read,
    mut write: impl io::Write,
    line: &[u8],
    longest_bytes: usize,
    deadline: Duration,
) -> Result<Vec<u8>, WireError> {
    // A server that refuses an overlong line answers before it has read it all.
    let written = write.write_all(line);
    match read_line(&mut BufReader::new(read), longest_bytes) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => {
            written.map_err(|error| broken(error, deadline))?;
            Err(WireError::Ended)
        }
        Err(error) => Err(broken(error, deadline)),
    }
}

/// Asks for a stream and hands its lines to `each`, the acknowledgment first, until `each` gives
/// something or the stream ends.
///
/// # Errors
/// When there is no acknowledgment.
pub fn follow<T>(
    paths: &Paths,
    method: &str,
    params: &Value,
    mut each: impl FnMut(&[u8]) -> Option<T>,
) -> Result<Option<T>, WireError> {
    let request = line_of(&json!({"id": ID, "method": method, "params": params}))?;
    follow_line(paths, &request, UHP_FRAME_BYTES, ANSWER_DEADLINE, &mut each)
}

/// The same with a line that is ready.
///
/// # Errors
/// When there is no acknowledgment.
pub fn follow_line<T>(
    paths: &Paths,
    line: &[u8],
    longest_bytes: usize,
    deadline: Duration,
    mut each: impl FnMut(&[u8]) -> Option<T>,
) -> Result<Option<T>, WireError> {
    let stream = connect(paths)?;
    limit_waits(&stream, Some(deadline))?;
    (&stream).write_all(line).map_err(|error| broken(error, deadline))?;
    let mut reader = BufReader::new(&stream);
    lines(&mut reader, longest_bytes, deadline, || limit_waits(&stream, None), &mut each)
}

/// Hands lines to `each`; the first has to come in time, and `unlimited` takes the limit away after it.
///
/// # Errors
/// When there is no first line.
pub fn lines<T>(
    lines: &mut impl io::BufRead,
    longest_bytes: usize,
    deadline: Duration,
    unlimited: impl FnOnce() -> io::Result<()>,
    each: &mut impl FnMut(&[u8]) -> Option<T>,
) -> Result<Option<T>, WireError> {
    let first =
        read_line(lines, longest_bytes).map_err(|error| broken(error, deadline))?.ok_or(WireError::Ended)?;
    // From here on silence only means that nothing happens.
    unlimited()?;
    let mut line = Some(first);
    while let Some(frame) = line {
        if let Some(end) = each(&frame) {
            return Ok(Some(end));
        }
        line = read_line(lines, longest_bytes)?;
    }
    Ok(None)
}

/// Named pipes have no time limits; there a wait ends with the server.
fn limit_waits(stream: &Stream, deadline: Option<Duration>) -> io::Result<()> {
    if cfg!(unix) {
        stream.set_recv_timeout(deadline)?;
        stream.set_send_timeout(deadline)?;
    }
    Ok(())
}

fn broken(error: io::Error, deadline: Duration) -> WireError {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => WireError::Silent(deadline),
        _ => WireError::Lost(error),
    }
}

/// One line without its LF; nothing when the stream ends before the line does, or the line is too long.
fn read_line(lines: &mut impl io::BufRead, longest_bytes: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let limit = u64::try_from(longest_bytes).unwrap_or(u64::MAX);
    lines.take(limit).read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    fn paths_in(home: &Path) -> Paths {
        let home = home.to_str().expect("text");
        Paths::select(&Environment::of(&[("LUVUS_HOME", home)]), None).expect("paths")
    }

    /// A private endpoint, as a server makes it.
    fn bound(paths: &Paths) -> UnixListener {
        let listener = UnixListener::bind(&paths.files.address).expect("bound");
        for (path, mode) in [(&paths.files.home, 0o700), (&paths.files.address, 0o600)] {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("a mode");
        }
        listener
    }

    /// Runs `ask` against a peer that answers one request with `answer`; returns the request too.
    fn against<T: Send>(answer: &str, ask: impl FnOnce(&Paths) -> T + Send) -> (Value, T) {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = paths_in(folder.path());
        let listener = bound(&paths);
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| ask(&paths));
            let (stream, _) = listener.accept().expect("accepted");
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).expect("a request");
            (&stream).write_all(answer.as_bytes()).expect("answered");
            drop(stream);
            (serde_json::from_str(&line).expect("JSON"), asked.join().expect("no panic"))
        })
    }

    #[test]
    fn a_call_is_one_line_each_way() {
        let (request, answer) = against("{\"id\":\"cli\",\"result\":{\"type\":\"pong\"}}\n", |paths| {
            call(paths, "ping", json!({}), ANSWER_DEADLINE)
        });
        assert_eq!(request, json!({"id": "cli", "method": "ping", "params": {}}));
        let Ok(Answer::Result(result)) = answer else { panic!("{answer:?}") };
        assert_eq!(result["type"], "pong");
    }

    #[test]
    fn an_error_ends_the_command_with_its_code() {
        let line = "{\"id\":\"cli\",\"error\":{\"code\":\"not_found\",\"message\":\"no\\npane 9\"}}\n";
        let (_, answer) = against(line, |paths| ask(paths, "pane.focus", json!({"pane": 9})));
        assert_eq!(answer, Err(CliError { message: "no pane 9".into(), exit: Exit::Gone }));
    }

    #[test]
    fn half_an_answer_is_none() {
        for (half, ended) in [("", true), ("{\"id\":", true), ("[]\n", false), ("{\"id\":\"cli\"}\n", false)]
        {
            let (_, answer) = against(half, |paths| call(paths, "ping", json!({}), ANSWER_DEADLINE));
            match answer {
                Err(WireError::Ended) if ended => {}
                Err(WireError::Nonsense(_)) if !ended => {}
                answer => panic!("{half}: {answer:?}"),
            }
        }
    }

    #[test]
    fn silence_ends_at_the_deadline() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = paths_in(folder.path());
        let _listener = bound(&paths);
        let answer = call(&paths, "ping", json!({}), Duration::from_millis(20));
        assert!(matches!(answer, Err(WireError::Silent(_))), "{answer:?}");
    }

    #[test]
    fn nobody_listening_is_told_from_trouble() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = paths_in(&folder.path().join("none"));
        assert!(matches!(call(&paths, "ping", json!({}), ANSWER_DEADLINE), Err(WireError::NoServer(_))));
        assert!(!reachable(&paths));
        let named = WireError::NoServer("work".into()).to_string();
        assert!(named.contains("`luvus --session work server start`"), "{named}");
        let stale = paths_in(folder.path());
        drop(UnixListener::bind(&stale.files.address).expect("bound"));
        assert!(matches!(call(&stale, "ping", json!({}), ANSWER_DEADLINE), Err(WireError::NoServer(_))));
    }
}
