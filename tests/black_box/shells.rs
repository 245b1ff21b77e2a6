//! Shell integration in panes of a real session.

use crate::support::{Home, Terminal};
use std::fs;

/// What enters scroll mode: Shift+Up.
const SCROLL: &str = "\x1b[1;2A";

fn home(config: &str) -> Home {
    let home = Home::with_config(config);
    fs::write(home.person().join(".bashrc"), "PS1='ready> '; export -n PS1\n")
        .expect("a file of the person's");
    home
}

#[test]
fn scroll_mode_goes_from_prompt_to_prompt() {
    let home = home("shell = \"/bin/bash\"\n");
    let terminal = Terminal::attach(&home);
    for start in [100, 300] {
        terminal.line(&format!("seq {start} {}; echo end-$(({start}+1))", start + 99));
        terminal.wait_for_text(&format!("end-{}", start + 1));
    }
    terminal.send(SCROLL);
    terminal.wait_for("scroll mode", |screen| screen.status().contains("SCROLL"));
    for (key, wanted) in
        [("[", "ready> seq 300 399"), ("[", "ready> seq 100 199"), ("]", "ready> seq 300 399")]
    {
        terminal.send(key);
        // Straight above its output's first line, at the top of the pane.
        terminal.wait_for(wanted, |screen| screen.find(wanted).is_some_and(|(row, _)| row <= 2));
    }
    terminal.send("]");
    terminal.wait_for("the live screen", |screen| !screen.status().contains("SCROLL"));
    home.stop();
}

#[test]
fn the_setting_switches_it_off_and_leaves_the_shell_as_it_is() {
    let home = home("[shell]\nprogram = \"/bin/bash\"\nintegration = false\n");
    let terminal = Terminal::attach(&home);
    terminal.line("declare -F __luvus_prompt || echo none''there; echo v=$BASH_VERSION");
    terminal.wait_for_text("nonethere");
    terminal.wait_for_text("v=");
    home.stop();
}

#[test]
fn children_find_no_trace_of_it() {
    let home = home("shell = \"/bin/bash\"\n");
    let terminal = Terminal::attach(&home);
    terminal.line("declare -F __luvus_prompt; echo traces:$(env | grep -c __luvus):");
    terminal.wait_for_text("traces:0:");
    terminal.line("bash -c 'declare -F __luvus_prompt || echo none\"\"there'");
    terminal.wait_for_text("nonethere");
    home.stop();
}
