//! Drives a terminal of a running session over UHP with nothing but the standard library:
//! `cargo run --example drive_pane -- [path of luvus]`. Start a session with `luvus` first.
//!
//! JSON is written and searched as text to stay dependency-free; a real client parses it.
//! `examples/uhp/terminal` has one that checks everything.

#![allow(clippy::print_stdout)] // an example shows its result

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::process::Command;

    // Discover: the one command that says where sessions answer. It starts nothing.
    let luvus = std::env::args().nth(1).unwrap_or_else(|| "luvus".into());
    let list = Command::new(luvus).args(["session", "list", "--json"]).output()?;
    let list = String::from_utf8(list.stdout)?;
    let running = list.split("\"default\":").find(|row| row.contains("\"running\":true"));
    let socket = text(running.ok_or("no session is running")?, "address").ok_or("no address")?;

    // Create: answered once the child runs.
    let cwd = std::env::current_dir()?;
    let params = format!(
        r#""cwd":{:?},"command":["/bin/sh"],"label":"example","placement":{{"kind":"workspace"}},"focus":false"#,
        cwd.to_str().ok_or("the folder's name is not UTF-8")?
    );
    let created = call(&socket, "create", &params)?;
    let of = |key| text(&created, key).ok_or("no identity");
    let locator = format!(
        r#""server_generation":"{}","terminal_id":"{}","pane_id":"{}""#,
        of("server_generation")?,
        of("terminal_id")?,
        of("pane_id")?
    );

    // Type, wait for the output, capture, close.
    let submit = r#""text":"echo answer-$((6*7))""#;
    call(&socket, "submit_text", &format!("{locator},{submit}"))?;
    let wait = r#""after_revision":0,"match":"answer-42","timeout_ms":60000"#;
    call(&socket, "wait_output", &format!("{locator},{wait}"))?;
    let capture = r#""mode":"visible","lines":10,"ansi":false"#;
    let capture = call(&socket, "capture", &format!("{locator},{capture}"))?;
    println!("{}", text(&capture, "text").ok_or("no text")?.replace("\\n", "\n"));
    call(&socket, "close", &locator)?;
    Ok(())
}

/// One request over a connection of its own; the reply, if it is a result.
#[cfg(unix)]
fn call(socket: &str, method: &str, params: &str) -> Result<String, Box<dyn std::error::Error>> {
    use std::io::{BufRead, BufReader, Write};
    let mut stream = std::os::unix::net::UnixStream::connect(socket)?;
    writeln!(stream, r#"{{"id":"example","method":"terminal.backend.{method}","params":{{{params}}}}}"#)?;
    let mut reply = String::new();
    BufReader::new(stream).read_line(&mut reply)?;
    if reply.contains(r#""result":{"#) { Ok(reply) } else { Err(reply.into()) }
}

/// The text of a member, escapes and all.
#[cfg(unix)]
fn text(json: &str, key: &str) -> Option<String> {
    let rest = json.split_once(&format!("\"{key}\":\""))?.1;
    let end = rest.char_indices().find(|&(at, c)| c == '"' && !rest[..at].ends_with('\\'))?.0;
    Some(rest[..end].to_owned())
}

#[cfg(not(unix))]
fn main() {
    eprintln!("this example speaks over Unix sockets; on Windows use `luvus uhp proxy`");
}
