//! The endpoint: whatever a peer sends or does, the server and everybody else go on.

use crate::support::peer::{MAGIC, frame, hello, read_to_end};
use crate::support::server::with;
use crate::support::{PATIENCE, Peer, Server, Terminal};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

fn code(answer: &serde_json::Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

/// That the server answers and that an attached person notices nothing.
fn assert_unharmed(server: &Server, terminal: &Terminal, round: usize) {
    assert_eq!(server.call("ping", &json!({}))["type"], "pong");
    terminal.line(&format!("echo fine-{round}-$((1+1))"));
    terminal.wait_for_text(&format!("fine-{round}-2"));
}

#[test]
fn rubbish_is_answered_or_dropped_and_harms_nobody() {
    let server = Server::start();
    let terminal = Terminal::attach(server.home());
    let peer = server.peer();
    for bytes in [
        &b"rubbish\n"[..],
        b"\n",
        b"[]\n",
        b"null\n",
        b"{}\n",
        b"{\"id\":\"a\"}\n",
        b"\xff\xfe\xfd\n",
        b"{\"id\":\"a\",\"method\":\"ping\",\"params\":{}} trailing\n",
        b"{\"id\":\"a\",\"method\":\"ping\",\"params\":null}\n",
        b"{\"id\":\"a\",\"method\":\"ping\"}\n",
        b"{\"id\":\"a\",\"method\":\"ping\",\"params\":{},\"more\":1}\n",
        b"{\"id\":7,\"method\":\"ping\",\"params\":{}}\n",
        b"{\"id\":\"\",\"method\":\"ping\",\"params\":{}}\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
        let answer = peer.answer(bytes);
        assert_eq!(code(&answer), "invalid_request", "{:?}", String::from_utf8_lossy(bytes));
        assert_eq!(answer["id"].as_str().map(str::is_empty), Some(false));
    }
    // deep nesting neither overflows a stack nor takes long
    let deep =
        [b"{\"id\":\"a\",\"method\":\"ping\",\"params\":".as_slice(), &b"[".repeat(200_000), b"\n"].concat();
    assert_eq!(code(&peer.answer(&deep)), "invalid_request");
    assert_unharmed(&server, &terminal, 1);
    drop(terminal);
    server.stop();
}

#[test]
fn an_unusable_id_is_answered_as_zero() {
    let server = Server::start();
    for bytes in [&b"rubbish\n"[..], b"{\"id\":\"\xc3\xa9\",\"method\":\"ping\",\"params\":{}}\n"] {
        assert_eq!(server.peer().answer(bytes)["id"], "0");
    }
    server.stop();
}

#[test]
fn unknown_methods_are_refused() {
    let server = Server::start();
    let code = server.peer().refusal("no.such.method", &json!({}));
    assert!(matches!(code.as_str(), "unsupported_capability" | "invalid_request"), "{code}");
    server.stop();
}

#[test]
fn duplicate_keys_are_refused_at_any_level() {
    let server = Server::start();
    for text in [
        r#"{"id":"a","id":"a","method":"ping","params":{}}"#,
        r#"{"id":"a","method":"ping","method":"server.stop","params":{}}"#,
        r#"{"id":"a","method":"pane.focus","params":{"pane":1,"pane":2}}"#,
        r#"{"id":"a","method":"pane.focus","params":{"p\u0061ne":1,"pane":2}}"#,
    ] {
        assert_eq!(code(&server.peer().answer(format!("{text}\n").as_bytes())), "invalid_request", "{text}");
    }
    assert_eq!(server.call("ping", &json!({}))["type"], "pong");
    server.stop();
}

#[test]
fn a_second_frame_is_never_looked_at() {
    let server = Server::start();
    let two = [frame("ping", &json!({})), frame("server.stop", &json!({}))].concat();
    let answer = server.peer().answer(&two);
    assert_eq!(answer["result"]["type"], "pong");
    assert_eq!(server.call("ping", &json!({}))["type"], "pong", "the second one was not carried out");
    server.stop();
}

#[test]
fn a_request_without_its_line_end_is_dropped_in_silence() {
    let server = Server::start();
    let mut bytes = frame("server.stop", &json!({}));
    bytes.pop();
    assert_eq!(server.peer().raw(&bytes), b"");
    for part in [1, bytes.len() / 2] {
        assert_eq!(server.peer().raw(&bytes[..part]), b"");
    }
    assert_eq!(server.call("ping", &json!({}))["type"], "pong");
    server.stop();
}

#[test]
fn a_frame_has_a_largest_size() {
    let server = Server::start();
    // exactly the largest: refused for its content only
    let mut largest = frame("ping", &json!({"x": ""}));
    let padding = 1_048_576 - largest.len();
    let at = largest.iter().rposition(|byte| *byte == b'"').expect("a quote");
    largest.splice(at..at, std::iter::repeat_n(b'x', padding));
    assert_eq!(largest.len(), 1_048_576);
    assert_eq!(code(&server.peer().answer(&largest)), "invalid_params");
    // one byte more
    largest.insert(at, b'x');
    let answer = server.peer().answer(&largest);
    assert_eq!((code(&answer), &answer["id"]), ("frame_too_large", &json!("0")));
    // without an end at all
    let endless = vec![b'{'; 3_000_000];
    assert_eq!(code(&server.peer().answer(&endless)), "frame_too_large");
    server.stop();
}

#[test]
fn a_reply_comes_after_a_half_close() {
    let server = Server::start();
    let mut stream = server.peer().connect();
    stream.write_all(&frame("ping", &json!({}))).expect("the server reads");
    stream.shutdown(Shutdown::Write).expect("a half-close");
    assert!(String::from_utf8_lossy(&read_to_end(&mut stream)).contains("pong"));
    server.stop();
}

#[test]
fn a_parked_wait_is_answered_after_a_half_close() {
    let server = Server::start();
    let shell = server.first();
    let wait = json!({"after_revision": 0, "match": "late-2", "timeout_ms": 60_000});
    let mut stream = server.peer().connect();
    stream.write_all(&frame("terminal.backend.wait_output", &with(&shell, &wait))).expect("the server reads");
    stream.shutdown(Shutdown::Write).expect("a half-close");
    server.type_text(&shell, "echo late-$((1+1))\n");
    let answer = String::from_utf8_lossy(&read_to_end(&mut stream)).into_owned();
    assert!(answer.contains("terminal_backend_output"), "{answer}");
    server.stop();
}

#[test]
fn a_peer_that_says_too_little_is_cut_off() {
    let server = Server::start();
    let handshake = [MAGIC, b"\0\0\x01\0"].concat();
    std::thread::scope(|scope| {
        for bytes in [&b""[..], b"{\"id\":", &MAGIC[..3], &handshake] {
            let mut stream = server.peer().connect();
            stream.write_all(bytes).expect("the server reads");
            scope.spawn(move || assert_eq!(read_to_end(&mut stream), b"", "{bytes:?}"));
        }
        // one byte now and then buys no time
        let mut stream = server.peer().connect();
        stream.set_read_timeout(Some(std::time::Duration::from_millis(200))).expect("a timeout");
        scope.spawn(move || {
            let start = std::time::Instant::now();
            let ended = |stream: &mut UnixStream| {
                stream.write_all(b" ").is_err() || matches!(stream.read(&mut [0]), Ok(0))
            };
            while !ended(&mut stream) {
                assert!(start.elapsed() < PATIENCE, "still open");
            }
        });
    });
    server.stop();
}

#[test]
fn the_handshake_names_version_session_and_generation() {
    let server = Server::start();
    let (mut client, greeting) = server.peer().attach((80, 24));
    assert_eq!(greeting["type"], "welcome", "{greeting}");
    assert_eq!((&greeting["version"], &greeting["session"]), (&json!(4), &json!("default")));
    assert_eq!(greeting["program"], env!("CARGO_PKG_VERSION"));
    assert!(greeting["capabilities"].is_array(), "{greeting}");
    let generation = server.call("uhp.capabilities", &json!({}))["server_generation"].clone();
    assert_eq!(greeting["generation"], generation);
    // the picture comes by itself
    client.read_until("ready>");
    server.stop();
}

#[test]
fn a_client_of_any_size_is_no_danger() {
    let server = Server::start();
    let terminal = Terminal::attach(server.home());
    for (round, size) in [(0, 0), (1, 1), (u16::MAX, u16::MAX), (3, u16::MAX)].into_iter().enumerate() {
        let (client, greeting) = server.peer().attach(size);
        assert_eq!(greeting["type"], "welcome", "{size:?}: {greeting}");
        assert_unharmed(&server, &terminal, round);
        drop(client);
    }
    drop(terminal);
    // alone, they decide the size of the pane
    for size in [(0, 0), (u16::MAX, u16::MAX)] {
        let (client, _) = server.peer().attach(size);
        for row in server.terminals() {
            server.type_text(&server.locator(&row), "echo more than fits\n");
        }
        drop(client);
    }
    assert_unharmed(&server, &Terminal::attach(server.home()), 9);
    server.stop();
}

#[test]
fn half_a_handshake_is_no_client() {
    let server = Server::start();
    let terminal = Terminal::attach(server.home());
    let peer = server.peer();
    for bytes in [
        &MAGIC[..1],
        &MAGIC[..5],
        MAGIC,
        &[MAGIC, b"\0\0"].concat(),
        &[MAGIC, b"\0\0\0\x05hello"].concat(),
        &[MAGIC, b"\xff\xff\xff\xff"].concat(),
        &[MAGIC, b"\0\0\0\x02{}"].concat(),
        &[b"\0LUVUX\r\n".as_slice(), b"\0\0\0\x02{}"].concat(),
    ] {
        peer.raw(bytes);
    }
    assert_unharmed(&server, &terminal, 1);
    drop(terminal);
    server.stop();
}

#[test]
fn another_version_is_told_what_to_do() {
    let server = Server::start();
    let home = server.home();
    home.ok(&["session", "new", "work", "--detached"]);
    let known = json!({"versions": [4_000_000], "program": "99.0.0", "area": {"rows": 24, "cols": 80}});
    // One whose hello says other things, in a session that has a name.
    let strange = json!({"speaks": "more", "program": "99.0.0\u{1b}[31m"});
    let named = Peer::new(home.path().join("sessions/work/luvus.sock"));
    for (peer, handshake, session) in [(&server.peer(), known, ""), (&named, strange, "--session work ")] {
        let answer = peer.raw(&hello(&handshake));
        let text = String::from_utf8_lossy(&answer[4.min(answer.len())..]).into_owned();
        let greeting: serde_json::Value = serde_json::from_str(&text).expect("a greeting in JSON");
        assert_eq!(greeting["type"], "refused", "{greeting}");
        let message = greeting["message"].as_str().expect("a sentence");
        assert!(message.contains("99.0.0") && message.contains(env!("CARGO_PKG_VERSION")), "{message}");
        assert!(message.contains(&format!("`luvus {session}server stop`")), "{message}");
        assert!(!message.contains('\u{1b}'), "{message}");
        // a command that there is
        let (_, command) = message.split_once("`luvus ").expect("it names a command");
        let words = command.split('`').next().unwrap_or_default().split(' ').chain(["--help"]);
        home.ok(&words.collect::<Vec<_>>());
    }
    home.ok(&["session", "kill", "work"]);
    server.stop();
}

#[test]
fn broken_messages_after_the_handshake_end_only_that_client() {
    let server = Server::start();
    let terminal = Terminal::attach(server.home());
    for rest in [&b"\0\0\0\x03\xff\xff\xff"[..], b"\xff\xff\xff\xff", b"\0\0\0\0"] {
        let (mut client, _) = server.peer().attach((80, 24));
        client.send(rest);
        while client.message().is_some() {}
    }
    let half = hello(&json!({"versions": [3], "program": "test", "area": {"rows": 24, "cols": 80}}));
    server.peer().raw(&[half.as_slice(), b"\0\0"].concat());
    assert_unharmed(&server, &terminal, 1);
    drop(terminal);
    server.stop();
}

#[test]
fn a_peer_that_leaves_in_the_middle_is_forgotten() {
    let server = Server::start();
    let shell = server.first();
    let terminal = Terminal::attach(server.home());
    let wait = crate::support::server::with(
        &shell,
        &json!({"after_revision": 0, "match": "never there", "timeout_ms": 300_000}),
    );
    // far more than fit at a time: each one's place must become free when it leaves
    for _ in 0..200 {
        let mut stream = server.peer().connect();
        stream.write_all(&frame("terminal.backend.wait_output", &wait)).expect("the server reads");
        drop(stream);
    }
    for _ in 0..100 {
        let mut stream = server.peer().connect();
        stream.write_all(b"{\"id\":").expect("the server reads");
        drop(stream);
    }
    assert_unharmed(&server, &terminal, 1);
    drop(terminal);
    server.stop();
}

#[test]
fn a_peer_that_never_reads_keeps_nobody() {
    let server = Server::start();
    let shell = server.first();
    let terminal = Terminal::attach(server.home());
    let lines = "yes \"$(head -c 2000 /dev/zero | tr '\\0' x)\" | head -n 300; echo wide-$((1+1))\n";
    server.type_text(&shell, lines);
    server.wait_for_text(&shell, "wide-2");
    // an answer that fills every buffer on its way
    let capture = with(&shell, &json!({"mode": "recent_unwrapped", "lines": 300, "ansi": false}));
    let deaf = [(); 8].map(|()| {
        let mut stream = server.peer().connect();
        stream.write_all(&frame("terminal.backend.capture", &capture)).expect("the server reads");
        stream
    });
    let attached = server.peer().attach((80, 24));
    server.type_text(&shell, "seq 1 100000; echo end-$((1+1))\n");
    server.wait_for_text(&shell, "end-2");
    assert_unharmed(&server, &terminal, 1);
    drop((deaf, attached, terminal));
    server.stop();
}

#[test]
fn there_is_room_for_eighty_connections_and_no_more() {
    let server = Server::start();
    let terminal = Terminal::attach(server.home());
    let shell = server.terminals().remove(0);
    let generation = server.call("uhp.capabilities", &json!({}))["server_generation"].clone();
    let wait = json!({
        "server_generation": generation, "terminal_id": shell["terminal_id"], "pane_id": shell["pane_id"],
        "after_revision": 0, "match": "never there", "timeout_ms": 300_000,
    });
    let held: Vec<UnixStream> = (0..80)
        .map(|_| {
            let mut stream = server.peer().connect();
            stream.write_all(&frame("terminal.backend.wait_output", &wait)).expect("the server reads");
            stream
        })
        .collect();
    // the next one is turned away, with its own id
    let mut next = server.peer().connect();
    let _ = next.write_all(&frame("ping", &json!({})));
    let answer: Value = serde_json::from_slice(&read_to_end(&mut next)).expect("an answer");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("test-1"), &json!("unavailable")));
    // who is attached already types on
    terminal.line("echo crowded-$((1+1))");
    terminal.wait_for_text("crowded-2");
    drop(held);
    let free = crate::support::eventually("a free place", || {
        let mut stream = server.peer().connect();
        let _ = stream.write_all(&frame("ping", &json!({})));
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.contains("pong").then_some(answer)
    });
    assert!(free.ends_with('\n'));
    drop(terminal);
    server.stop();
}

#[test]
fn rapid_visitors_that_say_nothing_cost_nothing() {
    let server = Server::start();
    for _ in 0..32 {
        drop(server.peer().connect());
        let answer = Peer::new(server.home().socket()).call("ping", &json!({}));
        assert_eq!(answer["type"], "pong");
    }
    server.stop();
}

#[test]
fn what_people_type_is_not_logged() {
    let server = Server::start();
    let shell = server.first();
    server.type_text(&shell, "echo secret-words-$((1+1))\n");
    server.wait_for_text(&shell, "secret-words-2");
    let _ =
        server.peer().raw(b"{\"id\":\"a\",\"method\":\"secret-words\",\"params\":{\"secret-words\":1}}\n");
    let log = server.log();
    assert!(!log.is_empty() && !log.contains("secret-words"), "{log}");
    server.stop();
}
