//! Colours that programs ask for: those of the terminal that a person sits at.

use crate::support::{Server, Terminal};
use serde_json::Value;

/// Says when dark becomes light, then asks for colours, then shows whatever comes.
const CURIOUS: &str = "stty raw -echo; printf '\\033[?2031hready.'; dd bs=1 count=9 2>/dev/null | cat -v; \
    printf '\\033]11;?\\033\\\\\\033]10;?\\007\\033]4;1;?\\033\\\\\\033]4;2;?\\033\\\\'; exec cat -v";

/// A person's terminal that tells its ground when it is asked, and some more.
fn attach(server: &Server, ground: &str) -> Terminal {
    let terminal = Terminal::attach(server.home());
    terminal.wait_for_text("ready>");
    assert!(terminal.written().contains("\x1b]11;?\x1b\\"), "it asks before it shows anything");
    terminal.send(&format!(
        "\x1b]10;rgb:1010/2020/3030\x1b\\\x1b]11;rgb:{ground}\x1b\\\x1b]4;1;rgb:aaaa/bbbb/cccc\x07"
    ));
    terminal
}

#[test]
fn programs_are_told_the_colours_of_the_terminal_that_was_used_last() {
    let server = Server::start();
    let shell = server.first();
    let (curious, _) = server.script(CURIOUS);
    server.wait_for_text(&curious, "ready.");
    let shows = |text: &str| server.wait_for_text(&curious, text);
    let light = attach(&server, "fafa/fafa/fafa");
    shows("ready.^[[?997;2n");
    shows(
        "^[]11;rgb:fafa/fafa/fafa^[\\^[]10;rgb:1010/2020/3030^G^[]4;1;rgb:aaaa/bbbb/cccc^[\\\
         ^[]4;2;rgb:0000/cdcd/0000^[\\",
    );
    // Somebody who looks on changes nothing until they type.
    let dark = attach(&server, "0000/1010/0000");
    dark.wait_for_text("ready>");
    dark.line("echo typed");
    shows("0000^[\\^[[?997;1n");
    dark.prefix("d");
    dark.wait_for_exit();
    shows("^[[?997;1n^[[?997;2n");
    light.prefix("d");
    light.wait_for_exit();
    shows("^[[?997;2n^[[?997;1n");
    let typed = text(&server, &shell);
    assert!(!typed.contains("rgb") && !typed.contains(';'), "answers are no keys: {typed}");
    server.stop();
}

fn text(server: &Server, shell: &Value) -> String {
    server.wait_for_text(shell, "typed");
    server.text(shell)
}
