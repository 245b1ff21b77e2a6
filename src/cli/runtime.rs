//! The runtime protocol from the command line: which endpoint is meant (`spec/README.md` points 2 and
//! 18), one request, and what becomes of trouble on the way.
//!
//! Invariant: every outcome is an envelope; an endpoint that was named is never replaced by another.

use super::context::Context;
use super::wire::{self, WireError};
use serde_json::{Value, json};
use std::io::{self, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long a connection to the loopback listener may take (`runtime.md` 2.1).
const CONNECT: Duration = Duration::from_millis(500);
/// The longest answer (`runtime.md` 2.2).
const RESPONSE_BYTES: usize = crate::protocol::limits::RUNTIME_RESPONSE_BYTES;

/// Methods that give a pane input: whether they did is unknown when their answer is lost.
const INPUT: &[&str] = &[
    "pane.prompt",
    "pane.paste",
    "pane.send_key",
    "pane.run",
    "agent.prompt",
    "agent.paste",
    "runtime.orchestrate",
];

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// To the endpoint of the session.
    Session,
    /// To the listener that `LUVUS_RUNTIME_ENDPOINT` names.
    Loopback {
        /// Its port.
        port: u16,
        /// What it wants to hear.
        token: String,
    },
    /// The variable names none.
    Malformed,
}

impl Endpoint {
    /// Reads `<port> <token>`; more may follow.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut words = text.split_whitespace();
        let port = words.next().and_then(|port| port.parse().ok()).filter(|port| *port > 0);
        match (port, words.next()) {
            (Some(port), Some(token)) => Self::Loopback { port, token: token.to_owned() },
            _ => Self::Malformed,
        }
    }
}

/// Calls a method; whatever stops it becomes an envelope too.
#[must_use]
pub fn call(context: &Context, method: &str, params: Value, deadline: Duration) -> Value {
    let endpoint = context.runtime_endpoint();
    let answer = request(context, &endpoint, method, params).and_then(|line| match &endpoint {
        Endpoint::Loopback { port, .. } => {
            let stream = connect(*port)?;
            stream
                .set_read_timeout(Some(deadline))
                .and_then(|()| stream.set_write_timeout(Some(deadline)))?;
            wire::converse(&stream, &stream, &line, RESPONSE_BYTES, deadline)
        }
        Endpoint::Session | Endpoint::Malformed => {
            wire::pass(&context.paths, &line, RESPONSE_BYTES, deadline)
        }
    });
    let envelope = answer.and_then(|line| match serde_json::from_slice(&line) {
        Ok(envelope @ Value::Object(_)) => Ok(envelope),
        _ => Err(WireError::Nonsense("not a runtime envelope".into())),
    });
    envelope.unwrap_or_else(|error| {
        let unknown = error.is_after_writing() && INPUT.contains(&method);
        let code = if unknown { "submission_outcome_unknown" } else { "runtime_unavailable" };
        wire::envelope(Err((code, error.to_string())))
    })
}

/// Subscribes to the state and hands the lines to `each`, the acknowledgment first, until it says
/// something or the server goes.
///
/// # Errors
/// When there is no acknowledgment.
pub fn follow<T>(
    context: &Context,
    params: Value,
    deadline: Duration,
    mut each: impl FnMut(&[u8]) -> Option<T>,
) -> Result<Option<T>, WireError> {
    let endpoint = context.runtime_endpoint();
    let line = request(context, &endpoint, "events.subscribe", params)?;
    match &endpoint {
        Endpoint::Loopback { port, .. } => {
            let stream = connect(*port)?;
            stream.set_read_timeout(Some(deadline))?;
            (&stream).write_all(&line)?;
            let mut lines = BufReader::new(&stream);
            wire::lines(&mut lines, RESPONSE_BYTES, deadline, || stream.set_read_timeout(None), &mut each)
        }
        Endpoint::Session | Endpoint::Malformed => {
            wire::follow_line(&context.paths, &line, RESPONSE_BYTES, deadline, each)
        }
    }
}

fn request(context: &Context, to: &Endpoint, method: &str, params: Value) -> Result<Vec<u8>, WireError> {
    let token = match to {
        // The session's own endpoint knows its peers by their user.
        Endpoint::Session => "",
        Endpoint::Loopback { token, .. } => token,
        Endpoint::Malformed => return Err(WireError::Endpoint(context.paths.session.to_string())),
    };
    let mut request =
        json!({"protocol": "nebula.runtime", "version": 1, "id": wire::ID, "token": token, "method": method});
    request["params"] = params;
    wire::line_of(&request)
}

fn connect(port: u16) -> Result<TcpStream, WireError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect_timeout(&address, CONNECT).map_err(WireError::Stale)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// An interrupt is the ordinary end of a verb that runs until it is interrupted.
///
/// # Errors
/// When the system refuses.
pub fn end_on_interrupt() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let interrupt = {
        let _inside = runtime.enter();
        tokio::signal::ctrl_c()
    };
    std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        if runtime.block_on(interrupt).is_ok() {
            std::process::exit(0);
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_port_and_a_token() {
        let wanted = Endpoint::Loopback { port: 4000, token: "00ff".to_owned() };
        assert_eq!(Endpoint::parse("4000 00ff"), wanted);
        assert_eq!(Endpoint::parse(" 4000  00ff 1 more\n"), wanted);
        for wrong in ["", "4000", "x 00ff", "0 00ff", "70000 00ff", "-1 00ff"] {
            assert_eq!(Endpoint::parse(wrong), Endpoint::Malformed, "{wrong:?}");
        }
    }
}
