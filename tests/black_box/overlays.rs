//! Overlays over a running session: the settings screen, the finder, the prompt strip.

use crate::support::terminal::{DOWN, ESCAPE};
use crate::support::{Home, Terminal, eventually};

fn attached() -> (Home, Terminal) {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    home.peer().wait_for_shape("(1)");
    terminal.wait_for_text("ready>");
    (home, terminal)
}

fn config(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("config.toml")).unwrap_or_default()
}

#[test]
fn settings_apply_at_once_and_are_written_and_wrong_ones_are_refused() {
    let home = Home::with_config("# mine\nconfirm_close = \"busy\" # for now\n");
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("ready>");
    terminal.prefix("=");
    terminal.wait_for_text("Integrations");
    terminal.send(&DOWN.repeat(2));
    terminal.wait_for_text("When closing asks first");
    terminal.send(" ");
    terminal.wait_for_text("in force");
    eventually("the file says it", || {
        config(&home).contains("confirm_close = \"always\" # for now").then_some(())
    });
    assert!(config(&home).starts_with("# mine\n"));
    // The sidebar goes with its setting, in Layout.
    terminal.send("\t\t");
    terminal.wait_for_text("sidebars.left.visible");
    terminal.send(&DOWN.repeat(2));
    terminal.wait_for_text("Whether the left sidebar is shown");
    terminal.send("\r");
    terminal.wait_for("no sidebar", |screen| !screen.has("WORKSPACES"));
    terminal.send(DOWN);
    terminal.send("\r");
    terminal.wait_for_text("› 28");
    terminal.send("x\r");
    terminal.wait_for_text("`sidebars.left.width` must be a whole number");
    // Two at once would be one key with Alt.
    terminal.send(ESCAPE);
    terminal.wait_for_no_text("› ");
    terminal.send(ESCAPE);
    terminal.wait_for_no_text("Integrations");
    drop(terminal);
    home.stop();
}

#[test]
fn a_theme_shows_while_moving_and_is_taken_with_enter() {
    let (home, terminal) = attached();
    let ground =
        |terminal: &Terminal| terminal.look(|screen| screen.raw().cell(0, 1).map(vt100::Cell::bgcolor));
    let before = ground(&terminal);
    terminal.prefix("=");
    terminal.wait_for_text("Integrations");
    terminal.send("\t");
    terminal.wait_for_text("luvus-light");
    terminal.send(DOWN);
    terminal.wait_for("another look", |screen| screen.raw().cell(0, 1).map(vt100::Cell::bgcolor) != before);
    assert_eq!(config(&home), "", "nothing is taken yet");
    terminal.send(ESCAPE);
    terminal.wait_for("the old look", |screen| screen.raw().cell(0, 1).map(vt100::Cell::bgcolor) == before);
    terminal.prefix("=");
    terminal.wait_for_text("Integrations");
    terminal.send("\t");
    terminal.wait_for_text("luvus-light");
    terminal.send(DOWN);
    terminal.send("\r");
    terminal.wait_for_text("in force");
    eventually("the file says it", || config(&home).contains("theme = \"luvus-light\"").then_some(()));
    drop(terminal);
    home.stop();
}

#[test]
fn the_finder_finds_places_files_and_output() {
    let home = Home::new();
    let project = home.project();
    std::fs::create_dir_all(project.join("src/deep")).expect("folders");
    for (path, text) in [("src/deep/needle.rs", "fn"), ("needle.o", ""), (".gitignore", "*.o\n")] {
        std::fs::write(project.join(path), text).expect("a file");
    }
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("ready>");
    home.ok(&["workspace", "open", project.to_str().expect("text")]);
    terminal.line("for i in 1 2 3; do echo hay-$i; done; echo out-needle-put; seq 200");
    terminal.wait_for_text("200");
    terminal.prefix("/");
    terminal.wait_for_text("type to find");
    terminal.send("needle");
    terminal.wait_for("both", |screen| screen.has("src/deep/needle.rs") && screen.has("out-needle-put"));
    assert!(terminal.look(|screen| !screen.has("needle.o")), "git ignores it");
    terminal.send("\t\t");
    terminal.wait_for("files only", |screen| screen.has("needle.rs") && !screen.has("out-needle-put"));
    terminal.send("\t");
    terminal.wait_for("output only", |screen| !screen.has("needle.rs") && screen.has("out-needle-put"));
    // The newest is what was printed, the one before it the command itself.
    terminal.send("\r");
    terminal.wait_for("the line in scroll mode", |screen| {
        screen.status().contains("SCROLL") && screen.has("out-needle-put") && !screen.has("Find")
    });
    terminal.send("q");
    terminal.prefix("/");
    terminal.send("x");
    terminal.send(ESCAPE);
    terminal.wait_for_text("type to find");
    terminal.send(ESCAPE);
    terminal.wait_for_no_text("type to find");
    drop(terminal);
    home.stop();
}

#[test]
fn a_line_goes_to_every_pane_of_the_tab() {
    let (home, terminal) = attached();
    terminal.prefix("v");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() == 2);
    terminal.prefix("\r");
    terminal.wait_for_text("Send to panes");
    terminal.send("echo sa''id\t");
    terminal.wait_for_text("all panes of the tab");
    terminal.send("\r");
    terminal.wait_for("both said it", |screen| screen.find_all("said").len() == 2);
    terminal.wait_for_text("sent to 2 panes");
    drop(terminal);
    home.stop();
}
