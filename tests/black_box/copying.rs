//! Selecting and copying: what a person marks arrives at their terminal's clipboard (OSC 52).

use crate::support::terminal::{ESCAPE, SHIFT_PAGE_UP};
use crate::support::{Home, Terminal, have};

const CTRL_V: &str = "\x16";

/// What was last sent to the outer terminal's clipboard, after so many before it.
fn copied(terminal: &Terminal, before: usize) -> String {
    let wait = || {
        let written = terminal.written();
        let texts: Vec<&str> = written.split("\x1b]52;c;").skip(1).collect();
        let whole = texts.get(before).and_then(|text| text.split_once("\x1b\\"));
        whole.map(|(text, _)| decoded(text))
    };
    crate::support::eventually("a text for the clipboard", wait)
}

fn decoded(text: &str) -> String {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = group.iter().fold(0, |bits, byte| bits << 6 | value(*byte)) << (6 * (4 - group.len()));
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    String::from_utf8(bytes).expect("text")
}

fn with_lines(lines: &str) -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line(&format!("clear; printf '{lines}'; echo end-$((1+1))"));
    terminal.wait_for("the lines", |screen| screen.has("end-2") && screen.has("ready>"));
    (home, terminal)
}

fn copy_mode(terminal: &Terminal) {
    terminal.prefix("y");
    terminal.wait_for("copy mode", |screen| screen.status().contains("COPY"));
}

#[test]
fn words_lines_and_blocks_are_copied_with_the_keys() {
    let (home, terminal) = with_lines("  漢字 two\\n    indented\\n漢x\\n");
    copy_mode(&terminal);
    let at = terminal.look(|screen| screen.find("漢字")).expect("the text");
    terminal.send("Hll");
    terminal.wait_for("a wide character is one step", |screen| screen.cursor() == Some((at.0, at.1 + 4)));
    terminal.send("hhvey");
    assert_eq!(copied(&terminal, 0), "漢字");
    terminal.wait_for("it is told", |screen| screen.has("sent to the terminal's clipboard"));
    copy_mode(&terminal);
    terminal.send("HVjy");
    assert_eq!(copied(&terminal, 1), "  漢字 two\n    indented");
    copy_mode(&terminal);
    terminal.send(&format!("Hl{CTRL_V}jl\r"));
    assert_eq!(copied(&terminal, 2), "字\nin");
    copy_mode(&terminal);
    terminal.send("q");
    terminal.wait_for("no copy mode", |screen| screen.status().contains("NORMAL"));
    home.stop();
}

#[test]
fn a_wrapped_line_is_one() {
    let long = "0123456789".repeat(12);
    let (home, terminal) = with_lines(&format!("{long}\\nshort\\n"));
    copy_mode(&terminal);
    terminal.send("Hv$y");
    assert_eq!(copied(&terminal, 0), long);
    copy_mode(&terminal);
    terminal.send("HjVjy");
    assert_eq!(copied(&terminal, 1), format!("{long}\nshort"));
    home.stop();
}

#[test]
fn far_text_is_reached_and_the_view_before_comes_back() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 1 2000; echo end-$((1+1))");
    terminal.wait_for("the end", |screen| screen.has("end-2"));
    terminal.send(SHIFT_PAGE_UP);
    terminal.wait_for("a scrolled view", |screen| screen.status().contains("SCROLL") && !screen.has("end-2"));
    let top = terminal.look(|screen| screen.row(1));
    terminal.send("y");
    terminal.wait_for("copy mode", |screen| screen.status().contains("COPY"));
    // Typed at once: what needs the server keeps its place in the row of keys.
    terminal.send("gVGy");
    let all = copied(&terminal, 0);
    assert!(all.contains("\n1\n2\n") && all.contains("\n2000\nend-2\n"), "{} bytes", all.len());
    terminal.wait_for("the view before", |screen| {
        screen.status().contains("SCROLL")
            && screen.row(1).starts_with(top.split_whitespace().next().unwrap_or(" "))
    });
    terminal.send("y?1234");
    terminal.wait_for("the match", |screen| screen.has("1234") && screen.has("1233"));
    terminal.send("\rvey");
    assert_eq!(copied(&terminal, 1), "1234");
    home.stop();
}

#[test]
fn the_view_stays_on_its_text_while_output_arrives() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("clear; echo here-$((1+1)); read go; seq 1 500; echo end-$((1+1))");
    terminal.wait_for("the text", |screen| screen.has("here-2"));
    copy_mode(&terminal);
    terminal.send("Hv$");
    // The pane is still fed, by somebody else.
    home.ok(&["pane", "run", "1", "go"]);
    terminal.wait_for("output below", |screen| screen.row(1).contains('↑') && screen.has("here-2"));
    terminal.send("y");
    assert_eq!(copied(&terminal, 0), "here-2");
    terminal.wait_for("the live screen", |screen| screen.has("end-2"));
    home.stop();
}

#[test]
fn scroll_mode_searches() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 1 500 | sed 's/0$/0 ten/'; echo end-$((1+1))");
    terminal.wait_for("the end", |screen| screen.has("end-2"));
    terminal.send(SHIFT_PAGE_UP);
    terminal.wait_for("a scrolled view", |screen| screen.status().contains("SCROLL"));
    terminal.send("/310 TEN");
    terminal.wait_for("what is typed", |screen| screen.status().contains("/310 TEN"));
    terminal.send("\x7f\x7f\x7ften\r");
    terminal.wait_for("the match", |screen| screen.has("310 ten"));
    terminal.send(ESCAPE);
    terminal.wait_for("the live screen", |screen| screen.has("end-2") && screen.status().contains("NORMAL"));
    home.stop();
}

#[test]
fn the_mouse_selects_words_lines_and_parts() {
    let (home, terminal) = with_lines("see src/main.rs:12 there\\n  next line\\n");
    let at = terminal.look(|screen| screen.find("src/main.rs")).expect("the text");
    terminal.drag((at.0, at.1), (at.0, at.1 + 2));
    assert_eq!(copied(&terminal, 0), "src");
    terminal.drag((at.0 + 1, 32), (at.0, at.1 + 4));
    assert_eq!(copied(&terminal, 1), "main.rs:12 there\n  nex");
    terminal.click(at.0, at.1 + 5);
    terminal.click(at.0, at.1 + 5);
    assert_eq!(copied(&terminal, 2), "src/main.rs:12");
    terminal.click(at.0, at.1 + 5);
    assert_eq!(copied(&terminal, 3), "see src/main.rs:12 there");
    home.stop();
}

#[test]
fn a_drag_over_the_edge_goes_on_in_the_history() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 101 300; echo end-$((1+1))");
    let at = terminal.wait_to_see("the end", |screen| screen.find("end-2"));
    terminal.mouse(0, at.0, at.1 + 4, true);
    terminal.mouse(32, 0, at.1, true);
    terminal.wait_for("the history coming by", |screen| screen.has("↑") && !screen.has("280"));
    terminal.mouse(0, 0, at.1, false);
    let text = copied(&terminal, 0);
    assert!(text.contains("\n260\n") && text.ends_with("\n300\nend-2"), "{text}");
    home.stop();
}

#[test]
fn shift_selects_in_a_program_that_takes_the_mouse() {
    let (home, terminal) = with_lines("\\033[?1000h\\033[?1006hcapture me\\n");
    let at = terminal.look(|screen| screen.find("capture me")).expect("the text");
    terminal.mouse(4, at.0, at.1, true);
    terminal.mouse(36, at.0, at.1 + 6, true);
    terminal.mouse(4, at.0, at.1 + 6, false);
    assert_eq!(copied(&terminal, 0), "capture");
    home.stop();
}

#[test]
fn a_desktops_clipboard_gets_the_text_too() {
    if !have(&["sh", "cat"]) {
        return;
    }
    let home = Home::new();
    let folder = home.person().join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("xclip");
    std::fs::write(&program, "#!/bin/sh\nexec cat > \"$HOME/clipboard\"\n").expect("written");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let home_folder = home.person().display().to_string();
    let environment = [("PATH", path.as_str()), ("DISPLAY", ":9"), ("HOME", home_folder.as_str())];
    let luvus = [crate::support::server::PROGRAM];
    let terminal = Terminal::run_with(&home, (100, 30), &luvus, &environment);
    terminal.wait_for_text("ready>");
    terminal.line("clear; echo copy-$((1+1))");
    terminal.wait_for_text("copy-2");
    copy_mode(&terminal);
    terminal.send("HYq");
    terminal.wait_for_text("copied with xclip");
    let kept = std::fs::read_to_string(home.person().join("clipboard")).expect("a file");
    assert_eq!(kept, "copy-2");
    home.stop();
}
