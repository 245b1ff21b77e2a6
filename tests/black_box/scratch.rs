//! The scratch terminal: over the layout, hidden and back, outside of every list.

use crate::support::{Home, Terminal};

/// The keys that are typed here only after the screen says where they go.
fn open(terminal: &Terminal) {
    terminal.prefix("P");
    terminal.wait_for_text("scratch · ");
}

#[test]
fn it_floats_over_the_layout_keeps_running_hidden_and_ends_with_its_shell() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("ready>");
    terminal.line("echo under$((1))neath");
    terminal.wait_for_text("under1neath");
    // Typed ahead: nothing of it may reach the pane below.
    terminal.prefix("P");
    terminal.line("echo in${LUVUS_PANE_ID-no}pane; cnt=41");
    terminal.wait_for_text("innopane");
    terminal.look(|screen| assert!(screen.has("scratch · ") && !screen.has("under2")));
    let peer = home.peer();
    peer.wait_for_shape("(1)");
    terminal.prefix("P");
    terminal.wait_for_no_text("scratch · ");
    terminal.wait_for_text("under1neath");
    terminal.look(|screen| assert!(!screen.has("innopane")));
    // What was there is there again, for another client too.
    drop(terminal);
    let terminal = Terminal::attach(&home);
    terminal.wait_for_text("under1neath");
    terminal.look(|screen| assert!(!screen.has("scratch · ")));
    open(&terminal);
    terminal.wait_for_text("innopane");
    terminal.line("echo count$((cnt+1)); cd /");
    terminal.wait_for_text("count42");
    // What is for the layout goes there.
    terminal.prefix("v");
    terminal.wait_for_no_text("scratch · ");
    peer.wait_for_shape("1 (3)");
    open(&terminal);
    terminal.line("exit");
    terminal.wait_for_no_text("scratch · ");
    open(&terminal);
    terminal.line("echo fresh${cnt-shell}");
    terminal.wait_for_text("freshshell");
    // Closing ends it; a busy one asks first.
    terminal.line("sleep 3000");
    terminal.wait_for_text("scratch · sleep");
    terminal.prefix("x");
    terminal.wait_for_text("Close the scratch terminal?");
    terminal.send("y");
    terminal.wait_for_no_text("scratch · ");
    peer.wait_for_shape("1 (3)");
    drop(terminal);
    home.stop();
}
