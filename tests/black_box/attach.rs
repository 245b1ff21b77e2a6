//! Attaching: work goes on without a client, any terminal finds it again, several clients share it,
//! and the terminal is left as it was found.

use crate::support::terminal::Screen;
use crate::support::{Home, Server, Terminal, processes};
use rustix::process::Signal;
use serde_json::json;

/// Rows and columns of the focused pane, by what `stty` says in it.
fn stty(terminal: &Terminal, tag: &str) -> (u16, u16) {
    terminal.line(&format!("echo {tag}=$(stty size)."));
    terminal.wait_to_see("the size of the pane", |screen| size_after(screen, tag))
}

fn size_after(screen: &Screen, tag: &str) -> Option<(u16, u16)> {
    let text = screen.text();
    text.match_indices(&format!("{tag}=")).find_map(|(at, found)| {
        let (size, _) = text[at + found.len()..].split_once('.')?;
        let (rows, cols) = size.split_once(' ')?;
        Some((rows.parse().ok()?, cols.parse().ok()?))
    })
}

/// That everything which a client switches on in a terminal is switched off again.
fn assert_restored(terminal: &Terminal) {
    let written = terminal.written();
    let mut modes = std::collections::BTreeMap::new();
    for (at, start) in written.match_indices("\x1b[?") {
        let rest = &written[at + start.len()..];
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(rest.len());
        let (numbers, last) = (&rest[..end], rest[end..].chars().next());
        if let Some(last @ ('h' | 'l')) = last {
            for number in numbers.split(';') {
                modes.insert(number.to_owned(), last == 'h');
            }
        }
    }
    // 7 (wrap around) and 25 (cursor) are on in a terminal at rest
    for (number, on) in &modes {
        assert_eq!(*on, matches!(number.as_str(), "7" | "25"), "mode {number} at the end of {written:?}");
    }
    assert_eq!(modes.get("1049"), Some(&false), "the alternate screen was used and left");
    let count = |text: &str| written.matches(text).count();
    assert_eq!(count("\x1b[>"), count("\x1b[<"), "each kitty keyboard push has its pop: {written:?}");
    terminal.look(|screen| {
        assert!(!screen.raw().alternate_screen());
        assert!(!screen.raw().bracketed_paste());
        assert!(screen.cursor().is_some());
        assert_eq!(screen.raw().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
}

#[test]
fn detached_work_goes_on_and_another_terminal_finds_everything() {
    let home = Home::new();
    let peer = home.peer();
    let first = Terminal::attach(&home);
    first.line("echo one-$((0+1))");
    first.wait_for_text("one-1");
    first.prefix("v");
    peer.wait_for_shape("1 (2)");
    first.wait_for("a second prompt", |screen| screen.find_all("ready>").len() >= 3);
    first.line("echo two-$((1+1))");
    first.wait_for_text("two-2");
    first.prefix("c");
    peer.wait_for_shape("1 2 / (3)");
    first.wait_for_text("ready>");
    first.line("echo three-$((1+2)); read line; echo got-$line");
    first.wait_for_text("three-3");
    let other = home.person();
    home.ok(&["workspace", "open", other.to_str().expect("a plain name")]);
    peer.wait_for_shape("1 2 / 3 | (4)");
    first.wait_for_no_text("three-3");
    first.prefix("d");
    assert_eq!(first.wait_for_exit(), 0);
    assert_restored(&first);

    peer.wait_for_shape("1 2 / 3 | (4)");
    let second = Terminal::attach_sized(&home, (120, 40));
    peer.wait_for_shape("1 2 / 3 | (4)");
    second.prefix("u");
    second.wait_for_text("three-3");
    second.line("more");
    second.wait_for_text("got-more");
    second.prefix("1");
    second.wait_for("both panes of the first tab", |screen| screen.has("one-1") && screen.has("two-2"));
    peer.wait_for_shape("1 (2) / 3 | 4");
    home.stop();
}

#[test]
fn a_killed_client_changes_nothing() {
    let server = Server::start();
    let terminal = Terminal::attach(server.home());
    let peer = server.peer();
    let panes = server.terminals().len();
    terminal.prefix("s");
    server.wait_for_terminals(panes + 1);
    terminal.line("echo alive-$((3*3))");
    terminal.wait_for_text("alive-9");
    let (shape, terminals) = (peer.shape(), ids(&server));
    terminal.signal(Signal::KILL);
    terminal.wait_for_exit();
    drop(terminal);
    assert_eq!(ids(&server), terminals);
    let again = Terminal::attach(server.home());
    again.wait_for_text("alive-9");
    peer.wait_for_shape(&shape);
    drop(again);
    server.stop();
}

fn ids(server: &Server) -> Vec<String> {
    server.terminals().iter().map(|terminal| terminal["terminal_id"].to_string()).collect()
}

#[test]
fn the_size_follows_the_one_who_types() {
    let home = Home::new();
    let large = Terminal::attach_sized(&home, (120, 40));
    let before = stty(&large, "large");
    let small = Terminal::attach_sized(&home, (70, 20));
    // watching changes nothing
    assert_eq!(stty(&large, "still"), before);
    let smaller = stty(&small, "small");
    assert!(smaller.0 < before.0 && smaller.1 < before.1, "{smaller:?} is not smaller than {before:?}");
    // the passive one sees it too, padded
    large.wait_to_see("the small pane", |screen| size_after(screen, "small"));
    // a resize of the passive one is its own matter
    large.resize(110, 35);
    assert_eq!(stty(&small, "kept"), smaller);
    let back = stty(&large, "back");
    assert!(back.0 > smaller.0 && back.1 > smaller.1 && back.0 < before.0, "{back:?}");
    // the passive one sees it cropped: the cursor's line is still there
    small.wait_for_text("back=");
    home.stop();
}

#[test]
fn when_the_owner_of_the_sizes_leaves_the_other_takes_over() {
    let home = Home::new();
    let large = Terminal::attach_sized(&home, (120, 40));
    let before = stty(&large, "large");
    let small = Terminal::attach_sized(&home, (70, 20));
    large.prefix("d");
    large.wait_for_exit();
    small.wait_for_text("ready>");
    home.peer().wait_for_shape("(1)");
    // asked from outside, so that no key of the small one decides
    let generation = home.peer().call("uhp.capabilities", &json!({}))["server_generation"].clone();
    let terminal = home.peer().call("terminal.backend.inventory", &json!({}))["terminals"][0].clone();
    let params = json!({
        "server_generation": generation, "terminal_id": terminal["terminal_id"],
        "pane_id": terminal["pane_id"], "text": "echo heir=$(stty size).\n",
    });
    home.peer().call("terminal.backend.type_literal", &params);
    let after = small.wait_to_see("the size of the pane", |screen| size_after(screen, "heir"));
    assert!(after.1 < before.1, "{after:?} is not narrower than {before:?}");
    home.stop();
}

#[test]
fn all_clients_can_be_detached_at_once() {
    let home = Home::new();
    let clients = [(); 2].map(|()| Terminal::attach(&home));
    home.ok(&["session", "detach", "--all"]);
    for client in &clients {
        assert_eq!(client.wait_for_exit(), 0);
        assert_restored(client);
    }
    home.peer().wait_for_shape("(1)");
    home.stop();
}

#[test]
fn the_terminal_is_restored_after_the_end_of_the_session() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    home.ok(&["session", "kill", "default"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_restored(&terminal);
    processes::wait_until_gone(&home.path());
}

#[test]
fn the_terminal_is_restored_after_a_stop_signal() {
    for signal in [Signal::TERM, Signal::HUP] {
        let home = Home::new();
        let terminal = Terminal::attach(&home);
        terminal.signal(signal);
        terminal.wait_for_exit();
        assert_restored(&terminal);
        home.peer().wait_for_shape("(1)");
        home.stop();
    }
}

#[test]
fn the_terminal_is_restored_after_the_servers_death() {
    let mut server = Server::start();
    let terminal = Terminal::attach(server.home());
    server.signal(Signal::KILL);
    server.wait();
    assert_eq!(terminal.wait_for_exit(), 1);
    assert_restored(&terminal);
    let last = terminal.look(|screen| screen.text());
    assert!(last.contains("server"), "one line says what happened: {last}");
}

#[test]
fn what_a_program_makes_of_its_terminal_reaches_the_outer_one() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    // a pane alone has no frame: its title is the window's
    terminal.line("printf '\\033[6 q\\033]2;my-own-title\\007'; echo set-$((1+1))");
    terminal.wait_for_text("set-2");
    wait_for_bytes(&terminal, "\x1b[6 q");
    wait_for_bytes(&terminal, "my-own-title\x1b\\");
    terminal.line("stty -icanon -echo; printf '\\033[?1004h'; echo focus-$((1+1)); cat -v");
    terminal.wait_for_text("focus-2");
    terminal.send("\x1b[O");
    terminal.wait_for_text("^[[O");
    terminal.send("\x1b[I");
    terminal.wait_for_text("^[[O^[[I");
    terminal.prefix("d");
    terminal.wait_for_exit();
    let written = terminal.written();
    let leaving = written.rfind("\x1b[?1049l").expect("it leaves the alternate screen");
    assert!(written.rfind("\x1b[0 q").is_some_and(|at| at > written.rfind("\x1b[6 q").expect("seen")));
    assert!(written[leaving..].contains("\x1b[23;0t"), "the title is given back");
    home.stop();
}

fn wait_for_bytes(terminal: &Terminal, bytes: &str) {
    crate::support::eventually(bytes, || terminal.written().contains(bytes).then_some(()));
}

#[test]
fn every_picture_is_one_synchronized_update() {
    let home = Home::new();
    let terminal = Terminal::attach(&home);
    terminal.line("seq 1 2000; echo end-$((1+1))");
    terminal.wait_for_text("end-2");
    terminal.prefix("v");
    terminal.wait_for("two prompts", |screen| screen.find_all("ready>").len() >= 2);
    terminal.prefix("d");
    terminal.wait_for_exit();
    let written = terminal.written();
    let mut open = false;
    let mut outside = String::new();
    for part in written.split_inclusive(['h', 'l']) {
        if part.ends_with("\x1b[?2026h") {
            assert!(!open, "an update in an update");
            open = true;
        } else if part.ends_with("\x1b[?2026l") {
            open = false;
        } else if !open {
            outside.push_str(part);
        }
    }
    assert!(!open && written.matches("\x1b[?2026h").count() > 2);
    assert!(!outside.contains("ready>") && !outside.contains("end-2"), "{outside:?}");
}

#[test]
fn a_passive_client_sees_a_part_or_more_than_all() {
    let home = Home::new();
    let large = Terminal::attach_sized(&home, (120, 40));
    let small = Terminal::attach_sized(&home, (70, 20));
    // cropped around the cursor, at the end of a long line at the bottom of the screen
    large.line("seq 1 100; printf '%080d' 0; echo mark-$((1+1))");
    large.wait_for_text("mark-2");
    small.wait_for_text("100");
    large.send("echo a-long-line-that-is-wider-than-the-small-screen-to-its-very-end");
    small.wait_for_text("very-end");
    // padded with dots when the small one types
    small.send("\x03");
    large.wait_for("dots beside the panes", |screen| {
        screen.row(30).ends_with("····") && screen.row(5).ends_with("····")
    });
    small.wait_for_no_text("····");
    home.stop();
}

#[test]
fn another_size_of_the_window_shows_the_same_text() {
    let home = Home::new();
    // also the small sizes are those of a wide screen's layout here
    let terminal = Terminal::luvus(&home, (100, 30), &["--desktop"]);
    terminal.wait_for_text("ready>");
    terminal.line("seq 1 500; echo end-$((1+1))");
    terminal.wait_for_text("end-2");
    for (cols, rows) in [(60, 20), (110, 40), (40, 8), (100, 30)] {
        terminal.resize(cols, rows);
        terminal.wait_for("the bar at the new edge", |screen| screen.status().contains("NORMAL"));
        // output after the change, so that both have settled
        terminal.line("echo at-$(stty size | tr ' ' x)");
        let panes = rows - 2;
        terminal.wait_to_see("the size", |screen| screen.find(&format!("at-{panes}x")));
        terminal.look(|screen| {
            let text = screen.text();
            let numbers: Vec<u32> =
                text.lines().filter_map(|line| line.split_whitespace().last()?.parse().ok()).collect();
            assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{text}");
            assert!(numbers.last().is_none_or(|last| *last == 500), "{text}");
        });
    }
    home.stop();
}

#[test]
fn clients_look_back_each_for_itself() {
    let home = Home::new();
    let (one, two) = (Terminal::attach(&home), Terminal::attach(&home));
    one.line("seq 1 300; echo end-$((1+1))");
    two.wait_for_text("end-2");
    one.wait_for_text("end-2");
    one.send(crate::support::terminal::SHIFT_PAGE_UP);
    one.wait_for_no_text("end-2");
    two.line("echo more-$((1+1))");
    two.wait_for_text("more-2");
    two.look(|screen| assert!(screen.has("end-2") && screen.status().contains("NORMAL")));
    one.look(|screen| assert!(!screen.has("more-2") && screen.status().contains("SCROLL")));
    one.send("G");
    one.wait_for_text("more-2");
    home.stop();
}

#[test]
fn line_discipline_and_exit_code_are_those_of_an_ordinary_program() {
    let home = Home::new();
    let script = r#"stty -a >before; "$0"; echo code=$?; stty -a >after; cmp before after && echo same"#;
    let argv = ["/bin/sh", "-c", script, crate::support::server::PROGRAM];
    let terminal = Terminal::run(&home, (100, 30), &argv);
    terminal.wait_for_text("ready>");
    terminal.prefix("q");
    terminal.wait_for("exit code and settings", |screen| screen.has("code=0") && screen.has("same"));
    terminal.wait_for_exit();
    home.stop();
}

#[test]
fn a_new_client_sees_the_screen_at_once_and_whole() {
    let server = Server::start();
    let shell = server.first();
    server.type_text(
        &shell,
        "printf '\\033[2J\\033[H\\033[31mred\\033[0m \\033[1;44mbold\\033[0m 日本 é\\n'\n",
    );
    server.wait_for_text(&shell, "日本");
    let terminal = Terminal::attach(server.home());
    let at = terminal
        .wait_to_see("the coloured line", |screen| screen.find_all("red bold 日本 é").first().copied());
    terminal.look(|screen| {
        let cell = |col| screen.raw().cell(at.0, at.1 + col).expect("a cell");
        assert_eq!(cell(0).fgcolor(), vt100::Color::Idx(1));
        assert_eq!(cell(4).bgcolor(), vt100::Color::Idx(4));
        assert!(cell(4).bold() && !cell(0).bold());
        assert!(cell(9).is_wide());
    });
    drop(terminal);
    server.stop();
}
