//! Acting over a control stream: input, files, images, and a size for a terminal that nobody draws.

use crate::streams::control;
use crate::support::server::with;
use crate::support::{Server, Stream, Terminal, eventually};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// One black pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";

/// Repeats what it is given, bytes as they come, and asks for pastes in brackets.
const MIRROR: &str =
    "stty -icanon -echo -isig -ixon -icrnl -iexten; printf '\\033[?2004hmirror-on\\r\\n'; cat -v";

fn text(data: &Value) -> &str {
    data["text"].as_str().expect("a text")
}

/// The path that was pasted in brackets.
fn pasted(stream: &mut Stream) -> PathBuf {
    let data = stream.shows("^[[201~");
    let (_, after) = text(&data).rsplit_once("^[[200~").expect("the begin of a paste");
    PathBuf::from(after.split_once("^[[201~").expect("its end").0)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let whole = [group[0], *group.get(1).unwrap_or(&0), *group.get(2).unwrap_or(&0)];
        let bits = whole.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            let digit = char::from(DIGITS[bits >> (18 - 6 * place) & 63]);
            text.push(if place <= group.len() { digit } else { '=' });
        }
    }
    text
}

fn uploads(server: &Server) -> PathBuf {
    server.home().path().join("uploads")
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Asks the shell for its size, and waits until it is that.
fn wait_for_size(server: &Server, shell: &Value, size: &str) {
    eventually(&format!("size {size}"), || {
        server.type_text(shell, "clear; echo [$(stty size)]\n");
        server.wait_for_text(shell, "[");
        let visible = with(shell, &json!({"mode": "visible", "lines": 5, "ansi": false}));
        let shown = server.call("terminal.backend.capture", &visible);
        text(&shown).contains(&format!("[{size}]")).then_some(())
    });
}

#[test]
fn actions_are_answered_by_id_between_the_pictures() {
    let server = Server::start();
    server.first();
    let mirror = server.run(&["/bin/sh", "-c", MIRROR]);
    let mut stream = control(&server, &mirror);
    stream.shows("mirror-on");
    let queued = json!({"type": "terminal_backend_action", "state": "succeeded", "dispatch": "queued"});
    for (action, params) in [
        ("type_literal", json!({"text": "one\ttwo"})),
        ("paste_text", json!({"text": "a\nb\u{1b}[201~c"})),
        ("submit_text", json!({"text": "done"})),
        ("send_key", json!({"key": "shift-up"})),
    ] {
        assert_eq!(stream.done(action, &params), queued, "{action}");
    }
    let data = stream.shows("^[[1;2A");
    let shown = text(&data).split_once("mirror-on\n").expect("the mirror").1;
    assert_eq!(shown, "one     two^[[200~a^Mbc^[[201~^[[200~done^[[201~^M^[[1;2A");

    let refused = |code: &str, dispatch: &str| (code.to_owned(), dispatch.to_owned());
    for (action, params, code) in [
        ("send_key", json!({"key": "raw"}), "invalid_params"),
        ("type_literal", json!({"text": ""}), "invalid_params"),
        ("type_literal", json!({"text": "x", "pane_id": "1"}), "invalid_params"),
        ("type_literal", json!({"text": "x".repeat(262_145)}), "input_too_large"),
        ("close", json!({}), "unsupported_capability"),
    ] {
        assert_eq!(stream.refused(action, &params), refused(code, "not_started"), "{action}");
    }
    // what is no action at all is answered, and the stream goes on
    for (bad, id) in [
        (&b"rubbish\n"[..], "0"),
        (b"{\"id\":\"x\",\"action\":\"send_key\",\"params\":{\"key\":\"up\"},\"auth\":\"y\"}\n", "x"),
        (b"{\"id\":\"x\",\"id\":\"y\",\"action\":\"send_key\",\"params\":{\"key\":\"up\"}}\n", "x"),
        (b"{\"id\":\"x\",\"method\":\"ping\",\"params\":{}}\n", "x"),
    ] {
        stream.send(bad);
        let response = stream.response(id);
        assert_eq!(response["error"]["code"], "invalid_request", "{response}");
    }
    stream.done("type_literal", &json!({"text": "end"}));
    stream.shows("^[[1;2Aend");
    // after a frame that is too large nothing can be understood
    stream.send(&vec![b'x'; 1_048_577]);
    assert_eq!(stream.response("0")["error"]["code"], "frame_too_large");
    assert_eq!(stream.last(), None);
    server.stop();
}

#[test]
fn actions_may_come_with_the_request() {
    let server = Server::start();
    let shell = server.first();
    server.wait_for_text(&shell, "ready>");
    let mut connection = server.peer().connect();
    let mut bytes = crate::support::peer::frame("terminal.backend.control", &shell);
    bytes.extend(
        b"{\"id\":\"k1\",\"action\":\"submit_text\",\"params\":{\"text\":\"echo early-$((1+1))\"}}\n",
    );
    std::io::Write::write_all(&mut connection, &bytes).expect("the server reads");
    let mut stream = Stream::resume(connection, "terminal.backend.control");
    assert_eq!(stream.next()["result"]["mode"], "control");
    assert_eq!(stream.response("k1")["result"]["dispatch"], "queued");
    stream.shows("early-2");
    server.stop();
}

#[test]
fn a_file_comes_in_pieces_and_its_path_is_pasted() {
    let server = Server::start();
    server.first();
    let mirror = server.run(&["/bin/sh", "-c", MIRROR]);
    let mut stream = control(&server, &mirror);
    stream.shows("mirror-on");
    let file: Vec<u8> = (0..400_000_u32).flat_map(|number| number.to_le_bytes()[..1].to_vec()).collect();
    let started = stream.done("upload_start", &json!({"name": "two words.bin", "size": file.len()}));
    assert_eq!((&started["received"], &started["size"]), (&json!(0), &json!(400_000)));
    let id = &started["upload_id"];
    let rejected = ("invalid_params".to_owned(), "rejected".to_owned());
    let second = stream.refused("upload_start", &json!({"name": "other", "size": 1}));
    assert_eq!(second, ("limit_exceeded".to_owned(), "rejected".to_owned()));
    let mut offset = 0;
    for chunk in file.chunks(163_840) {
        let params = json!({"upload_id": id, "offset": offset, "data_base64": base64(chunk)});
        let wrong = with(&params, &json!({"offset": offset + 1}));
        assert_eq!(stream.refused("upload_chunk", &wrong), rejected);
        assert_eq!(
            stream.refused("upload_finish", &json!({"upload_id": id})),
            rejected,
            "it is not complete"
        );
        offset += chunk.len();
        assert_eq!(stream.done("upload_chunk", &params)["received"], offset);
    }
    let more = json!({"upload_id": id, "offset": offset, "data_base64": "eA=="});
    assert_eq!(stream.refused("upload_chunk", &more), rejected, "longer than announced");
    let other = json!({"upload_id": "0".repeat(32)});
    assert_eq!(stream.refused("upload_finish", &other), rejected);
    assert_eq!(stream.done("upload_finish", &json!({"upload_id": id}))["dispatch"], "queued");

    let path = pasted(&mut stream);
    assert!(path.starts_with(uploads(&server)), "{path:?}");
    assert_eq!(path.file_name().and_then(|name| name.to_str()), Some("two words.bin"));
    assert!(std::fs::read(&path).expect("the file") == file, "the content is the same");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&uploads(&server))), (0o600, 0o700));
    assert_eq!(entries(&uploads(&server)), 1);
    // it stays when its stream has gone
    drop(stream);
    assert!(path.exists());
    server.stop();
}

#[test]
fn nothing_is_left_of_a_file_that_is_not_complete() {
    let server = Server::start();
    let shell = server.first();
    let mut stream = control(&server, &shell);
    let start = |stream: &mut Stream| {
        let id = stream.done("upload_start", &json!({"name": "a", "size": 33_554_432}))["upload_id"].clone();
        let chunk = json!({"upload_id": id, "offset": 0, "data_base64": base64(&[7; 163_840])});
        stream.done("upload_chunk", &chunk);
        assert_eq!(entries(&uploads(&server)), 1);
        id
    };
    let id = start(&mut stream);
    assert_eq!(stream.done("upload_cancel", &json!({"upload_id": id}))["dispatch"], "executed");
    assert_eq!(entries(&uploads(&server)), 0);
    let gone = stream.refused("upload_cancel", &json!({"upload_id": id}));
    assert_eq!(gone, ("invalid_params".to_owned(), "rejected".to_owned()));
    for bad in [
        json!({"name": "../a", "size": 1}),
        json!({"name": "..", "size": 1}),
        json!({"name": "a\nb", "size": 1}),
        json!({"name": "a", "size": 0}),
        json!({"name": "a", "size": 33_554_433}),
    ] {
        assert_eq!(stream.refused("upload_start", &bad).0, "invalid_params", "{bad}");
    }
    start(&mut stream);
    drop(stream);
    eventually("the disconnect removes it", || (entries(&uploads(&server)) == 0).then_some(()));
    server.stop();
}

#[test]
fn an_image_is_looked_at_before_it_is_stored() {
    let server = Server::start();
    server.first();
    let mirror = server.run(&["/bin/sh", "-c", MIRROR]);
    let mut stream = control(&server, &mirror);
    stream.shows("mirror-on");
    for bad in [
        "eA==".to_owned(),
        PNG[..PNG.len() - 8].to_owned(),
        PNG.replace("ACklEQ", "ACklER"),
        "A".repeat(218_460),
    ] {
        let refused = stream.refused("paste_image", &json!({"png_base64": bad}));
        assert_eq!(refused, ("invalid_params".to_owned(), "not_started".to_owned()));
    }
    assert_eq!(entries(&uploads(&server)), 0);
    assert_eq!(stream.done("paste_image", &json!({"png_base64": PNG}))["dispatch"], "queued");
    let path = pasted(&mut stream);
    assert_eq!(path.extension().and_then(|kind| kind.to_str()), Some("png"));
    assert_eq!(base64(&std::fs::read(&path).expect("the image")), PNG);
    server.stop();
}

#[test]
fn a_viewport_rules_while_nobody_is_attached() {
    let server = Server::start();
    let shell = server.first();
    let silent = server.run(&["/bin/sh", "-c", "echo silent; exec sleep 600"]);
    let mut stream = control(&server, &silent);
    let before = stream.shows("silent")["content_revision"].as_u64();
    let set = json!({"cols": 40, "rows": 18});
    assert_eq!(stream.done("set_viewport", &set)["dispatch"], "executed");
    stream.picture("the new size", |data| data["content_revision"].as_u64() > before);

    let mut stream = control(&server, &shell);
    stream.done("set_viewport", &set);
    wait_for_size(&server, &shell, "18 40");
    for bad in [json!({"cols": 1, "rows": 18}), json!({"cols": 501, "rows": 2}), json!({"cols": 40})] {
        assert_eq!(stream.refused("set_viewport", &bad).0, "invalid_params");
    }
    // other changes leave it alone, its own layout does not
    server.call("workspace.open", &json!({"path": server.home().person()}));
    server.call("pane.focus", &json!({"pane": "1"}));
    wait_for_size(&server, &shell, "18 40");
    let split = server.call("pane.split", &json!({"pane": "1", "direction": "right"}));
    wait_for_size(&server, &shell, "38 59");
    server.call("pane.close", &json!({"pane": split["pane"]}));
    stream.done("set_viewport", &set);
    wait_for_size(&server, &shell, "18 40");

    let attached = Terminal::attach(server.home());
    attached.wait_for_text("ready>");
    let refused = stream.refused("set_viewport", &json!({"cols": 30, "rows": 10}));
    assert_eq!(refused, ("unavailable".to_owned(), "rejected".to_owned()));
    attached.line("clear; stty size");
    attached.wait_for("its own size", |screen| screen.find("18 40").is_none() && screen.find("30").is_none());
    drop(attached);
    eventually("the client is gone", || {
        let response = stream.act("set_viewport", &set);
        response.get("result").is_some().then_some(())
    });
    wait_for_size(&server, &shell, "18 40");
    server.stop();
}

#[test]
fn a_child_that_does_not_read_fills_its_queue_and_nothing_else() {
    let server = Server::start();
    let shell = server.first();
    let deaf = server.run(&["/bin/sh", "-c", "stty raw -echo; echo deaf; while :; do sleep 600; done"]);
    let mut stream = control(&server, &deaf);
    stream.shows("deaf");
    let fill = json!({"text": "secret-word ".repeat(20_000)});
    stream.done("type_literal", &fill);
    let accepted = (0..5_000).take_while(|_| {
        let response = stream.act("send_key", &json!({"key": "space"}));
        if let Some(error) = response.get("error") {
            assert_eq!((&error["code"], &error["dispatch"]), (&json!("send_failed"), &json!("rejected")));
            assert!(error["message"].to_string().contains("queue is full"), "{error}");
        }
        response.get("result").is_some()
    });
    assert_eq!(accepted.count(), 4_095, "with the first one that makes 4,096");
    // everybody else goes on
    server.type_text(&shell, "echo prompt-$((1+1))\n");
    server.wait_for_text(&shell, "prompt-2");
    assert_eq!(stream.refused("paste_text", &json!({"text": "x"})).0, "send_failed");
    let log = eventually("the refusal is logged", || {
        Some(server.log()).filter(|log| log.contains("pty.input_rejected"))
    });
    assert!(!log.contains("secret-word"));
    server.call("terminal.backend.close", &deaf);
    stream.last();
    server.wait_for_terminals(1);
    server.stop();
}
