//! Every action that the help lists does what it says: chosen by name in the palette, and by each of its keys.

use crate::support::terminal::{ESCAPE, PREFIX};
use crate::support::{Home, Peer, Terminal, eventually};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Three panes in one tab, one in another, and a second workspace: `1 2 3 / 4 | 5`.
struct Session {
    home: Home,
    terminal: Terminal,
    peer: Peer,
    /// By command id: what it says, and the keys that the help names.
    actions: BTreeMap<String, (String, Vec<String>)>,
    layout: Value,
    /// How often the client was waited for.
    seen: Cell<u32>,
}

/// What happens on the way to an action, what is seen then, and what undoes it.
struct Check<'a> {
    from: &'a dyn Fn(&Session),
    seen: &'a dyn Fn(&Session) -> bool,
    undo: &'a dyn Fn(&Session),
}

impl Session {
    fn new() -> Self {
        let home = Home::new();
        let terminal = Terminal::attach_sized(&home, (120, 40));
        terminal.wait_for_text("ready>");
        // There is a history to look back into.
        terminal.line("i=0; while [ $i -lt 90 ]; do echo row $i; i=$((i+1)); done");
        terminal.wait_for_text("row 89");
        let peer = home.peer();
        for key in ["v", "s", "c"] {
            let before = peer.shape();
            terminal.prefix(key);
            eventually("a new pane", || (peer.shape() != before).then_some(()));
        }
        peer.wait_for_shape("1 2 3 / (4)");
        let other = home.path().join("other");
        std::fs::create_dir(&other).expect("a folder");
        home.ok(&["workspace", "open", &other.to_string_lossy()]);
        peer.call("pane.focus", &json!({"pane": "1"}));
        peer.wait_for_shape("(1) 2 3 / 4 | 5");
        let split = |axis: &str, a: Value, b: Value| json!({"type": "split", "axis": axis, "ratio": 0.3, "a": a, "b": b});
        let leaf = |pane: &str| json!({"type": "pane", "pane": pane});
        let layout = split("horizontal", leaf("1"), split("vertical", leaf("2"), leaf("3")));
        peer.call("layout.apply", &json!({"layout": layout}));
        let listed = home.json(&["help", "keys", "--json"]);
        let rows = listed["commands"].as_array().expect("commands");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let keys = |row: &Value| row["keys"].as_array().expect("keys").iter().map(text).collect();
        let actions = rows.iter().map(|row| (text(&row["id"]), (text(&row["text"]), keys(row)))).collect();
        Self { home, terminal, peer, actions, layout, seen: Cell::new(100) }
    }

    fn focus(&self, panes: &[u32]) {
        for pane in panes {
            self.peer.call("pane.focus", &json!({"pane": pane.to_string()}));
        }
        self.catch_up();
    }

    /// Waits until the client shows all that has happened: what it is told comes in order.
    fn catch_up(&self) {
        let name = format!("seen-{}", self.seen.replace(self.seen.get() + 1));
        self.peer.call("workspace.rename", &json!({"workspace": 0, "name": name}));
        self.terminal.wait_for_text(&name);
    }

    /// A key as the help writes it, typed.
    fn press(&self, key: &str) {
        match key.strip_prefix("prefix ") {
            Some(key) => self.terminal.send(&format!("{PREFIX}{}", bytes(key))),
            None => self.terminal.send(bytes(key)),
        }
    }

    /// Runs an action by each way that leads to it, and sees each time that it has happened.
    fn check(&mut self, id: &str, check: &Check) {
        let (text, keys) = self.actions.remove(id).unwrap_or_else(|| panic!("the help has no `{id}`"));
        for way in std::iter::once(None).chain(keys.into_iter().map(Some)) {
            (check.from)(self);
            match &way {
                None => {
                    self.press("prefix :");
                    self.terminal.wait_for_text(" Commands ");
                    self.terminal.send(&text);
                    self.terminal.wait_for_text(&format!("› {}", start(&text)));
                    self.terminal.send("\r");
                }
                Some(key) => self.press(key),
            }
            let what = format!("what `{id}` does by {}", way.as_deref().unwrap_or("its name"));
            eventually(&what, || (check.seen)(self).then_some(()));
            (check.undo)(self);
        }
    }

    fn panes(&self) -> usize {
        self.peer.shape().split([' ', '/', '|']).filter(|word| !word.is_empty()).count()
    }

    fn tabs(&self) -> usize {
        self.peer.shape().split(['/', '|']).count()
    }

    fn layout_now(&self) -> Value {
        self.peer.call("layout.export", &json!({}))["layout"].clone()
    }

    /// Closes the focused pane, which is one that was made for a check.
    fn close_focused(&self) {
        let shape = self.peer.shape();
        let (start, end) = (shape.find('(').expect("a focus") + 1, shape.find(')').expect("a focus"));
        self.peer.call("pane.close", &json!({"pane": shape[start..end]}));
        eventually("the pane is gone", || (self.peer.shape() != shape).then_some(()));
    }

    /// A new pane beside the fourth one, with the focus.
    fn spare_pane(&self) {
        self.focus(&[4]);
        self.peer.call("pane.split", &json!({"pane": "4"}));
        // At its prompt: a shell that still starts may be busy.
        self.terminal.wait_for("a spare pane", |screen| screen.find_all("ready>").len() == 2);
    }

    /// Something that the screen says until it is closed.
    fn says(&mut self, id: &str, text: &str) {
        self.says_from(id, &[1], text, ESCAPE);
    }

    fn says_from(&mut self, id: &str, from: &[u32], text: &str, closing: &str) {
        self.check(
            id,
            &Check {
                from: &|session| session.focus(from),
                seen: &|session| session.terminal.look(|screen| screen.has(text)),
                undo: &|session| {
                    session.terminal.send(closing);
                    session.terminal.wait_for_no_text(text);
                },
            },
        );
    }

    /// Something that cannot be done here, and is told.
    fn tells(&mut self, id: &str, text: &str) {
        self.check(
            id,
            &Check {
                from: &|session| {
                    // So that the same notice is a new one.
                    session.terminal.send(&format!("{PREFIX}\""));
                    session.terminal.wait_for_text("no action on");
                    session.focus(&[1]);
                },
                seen: &|session| session.terminal.look(|screen| screen.status().contains(text)),
                undo: &|_| {},
            },
        );
    }

    fn focuses(&mut self, id: &str, from: &[u32], shape: &str) {
        self.check(
            id,
            &Check {
                from: &|session| session.focus(from),
                seen: &|session| session.peer.shape() == shape,
                undo: &|_| {},
            },
        );
    }

    fn makes_a_pane(&mut self, id: &str) {
        self.check(
            id,
            &Check {
                from: &|session| session.focus(&[4]),
                seen: &|session| session.panes() == 6,
                undo: &Self::close_focused,
            },
        );
    }

    fn lays_out(&mut self, id: &str) {
        self.check(
            id,
            &Check {
                from: &|session| {
                    session.focus(&[1]);
                    session.peer.call("layout.apply", &json!({"layout": session.layout}));
                },
                seen: &|session| session.layout_now() != session.layout,
                undo: &|session| drop(session.peer.call("layout.apply", &json!({"layout": session.layout}))),
            },
        );
    }
}

/// As much of a sentence as the palette surely has room for.
fn start(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}

/// What a terminal sends for a key as the help writes it.
fn bytes(key: &str) -> &str {
    match key {
        "Left" => "\x1b[D",
        "Right" => "\x1b[C",
        "Up" => "\x1b[A",
        "Down" => "\x1b[B",
        "Space" => " ",
        "Tab" => "\t",
        "shift+Tab" => "\x1b[Z",
        "Enter" => "\r",
        "shift+Up" => "\x1b[1;2A",
        "shift+PageUp" => "\x1b[5;2~",
        key if key.chars().count() == 1 => key,
        key => panic!("no bytes are known for `{key}`"),
    }
}

fn panes(session: &mut Session) {
    session.focuses("focus_left", &[2], "(1) 2 3 / 4 | 5");
    session.focuses("focus_right", &[2, 1], "1 (2) 3 / 4 | 5");
    session.focuses("focus_down", &[2], "1 2 (3) / 4 | 5");
    session.focuses("focus_up", &[3], "1 (2) 3 / 4 | 5");
    session.focuses("next_pane", &[1], "1 (2) 3 / 4 | 5");
    session.focuses("focus_back", &[1, 2], "(1) 2 3 / 4 | 5");
    let back = |session: &Session| {
        session.focus(&[1, 2]);
        session.press("prefix [");
        session.peer.wait_for_shape("(1) 2 3 / 4 | 5");
    };
    let forward = |session: &Session| session.peer.shape() == "1 (2) 3 / 4 | 5";
    session.check("focus_forward", &Check { from: &back, seen: &forward, undo: &|_| {} });
    for id in ["split_right", "split_down", "split_auto"] {
        session.makes_a_pane(id);
    }
    let spare = Session::spare_pane;
    let gone = |session: &Session| session.panes() == 5;
    session.check("close_pane", &Check { from: &spare, seen: &gone, undo: &|_| {} });
    session.says_from("zoom_pane", &[1], " ZOOM ", &format!("{PREFIX}z"));
    session.says("resize_mode", " RESIZE ");
    session.says("rename_pane", " Name pane ");
    for (id, from, shape, undo) in
        [("swap_previous", 2, "(2) 1 3 / 4 | 5", "prefix }"), ("swap_next", 1, "2 (1) 3 / 4 | 5", "prefix {")]
    {
        let focus = |session: &Session| session.focus(&[from]);
        let seen = |session: &Session| session.peer.shape() == shape;
        let undo = |session: &Session| {
            session.press(undo);
            eventually("swapped back", || {
                let shape = session.peer.shape().replace(['(', ')'], "");
                (shape == "1 2 3 / 4 | 5").then_some(())
            });
        };
        session.check(id, &Check { from: &focus, seen: &seen, undo: &undo });
    }
    let own_tab = |session: &Session| session.tabs() == 4;
    let undo = Session::close_focused;
    session.check("move_pane_to_new_tab", &Check { from: &spare, seen: &own_tab, undo: &undo });
    session.says_from("move_pane_to_tab", &[1], " Move the pane to ", ESCAPE);
    session.tells("fork_agent", "there is no agent in this pane");
    for id in [
        "cycle_layout",
        "even_layout",
        "layout_columns",
        "layout_rows",
        "layout_main_left",
        "layout_main_top",
        "layout_grid",
    ] {
        session.lays_out(id);
    }
}

fn tabs_and_workspaces(session: &mut Session) {
    let here = |session: &Session| session.focus(&[1]);
    let made = |session: &Session| session.tabs() == 4;
    let undo = Session::close_focused;
    session.check("new_tab", &Check { from: &here, seen: &made, undo: &undo });
    session.focuses("next_tab", &[1], "1 2 3 / (4) | 5");
    session.focuses("previous_tab", &[1, 4], "(1) 2 3 / 4 | 5");
    session.focuses("tab_1", &[1, 4], "(1) 2 3 / 4 | 5");
    session.focuses("tab_2", &[1], "1 2 3 / (4) | 5");
    session.focuses("workspace_1", &[1, 5], "(1) 2 3 / 4 | 5");
    session.focuses("workspace_2", &[1], "1 2 3 / 4 | (5)");
    for number in 3..=9 {
        session.tells(&format!("tab_{number}"), &format!("there is no tab {number}"));
        session.tells(&format!("workspace_{number}"), &format!("there is no workspace {number}"));
    }
    session.focuses("next_workspace", &[1], "1 2 3 / 4 | (5)");
    session.focuses("previous_workspace", &[1], "1 2 3 / 4 | (5)");
    session.says("rename_tab", " Rename tab ");
    session.says("rename_workspace", " Rename workspace ");
    session.says("new_workspace", " Open workspace ");
    session.tells("project_layout", "there is no .luvus.toml in");
    let spare_tab = |session: &Session| {
        session.focus(&[1]);
        session.press("prefix c");
        session
            .terminal
            .wait_for("a spare tab", |screen| screen.status().contains("tab 3/3") && screen.has("ready>"));
    };
    let gone = |session: &Session| session.tabs() == 3;
    session.check("close_tab", &Check { from: &spare_tab, seen: &gone, undo: &|_| {} });
    let spare_workspace = |session: &Session| {
        let folder = session.home.path().join("spare");
        std::fs::create_dir_all(&folder).expect("a folder");
        session.home.ok(&["workspace", "open", &folder.to_string_lossy()]);
        session.terminal.wait_for("a spare workspace", |screen| {
            screen.status().contains("tab 1/1") && screen.has("spare") && screen.has("ready>")
        });
    };
    session.check("close_workspace", &Check { from: &spare_workspace, seen: &gone, undo: &|_| {} });
}

fn screens(session: &mut Session) {
    session.says("focus_workspaces", " DOCK ");
    session.says("focus_agents", " DOCK ");
    session.says_from("agent_scope", &[1], " here", &format!("{PREFIX}A"));
    session.says_from("agent_filter", &[1], "· active", &format!("{PREFIX}af{ESCAPE}"));
    session.says("mission_control", " Mission Control ");
    session.tells("next_blocked", "no agent is blocked");
    session.tells("next_done", "no agent is done");
    for (id, key) in [("toggle_sidebars", "prefix b"), ("toggle_right_sidebar", "prefix B")] {
        let look = |session: &Session| session.terminal.look(sides);
        let before = look(session);
        let changed = |session: &Session| look(session) != before;
        let undo = |session: &Session| {
            session.press(key);
            eventually("as before", || (look(session) == before).then_some(()));
        };
        session.check(id, &Check { from: &|_| {}, seen: &changed, undo: &undo });
    }
    session.says_from("scroll_mode", &[1], " SCROLL ", "q");
    session.says_from("copy_mode", &[1], " COPY ", "q");
    session.says_from("scratch", &[1], "scratch · ", &format!("{PREFIX}P"));
    for (id, title) in [
        ("command_palette", " Commands "),
        ("jump_palette", " Jump to "),
        ("session_switcher", " Sessions "),
        ("finder", " Navigate "),
        ("prompt_strip", " Send to panes "),
        ("notifications", " Notifications "),
        ("settings", " Settings "),
        ("restore_report", " Not as it was "),
        ("help", " Keys "),
        ("menu", "Find an action…"),
    ] {
        session.says(id, title);
    }
    session.tells("open_notification", "there is no notification to go to");
}

/// Which sidebars are there, by the toggles at both ends of the tab bar.
fn sides(screen: &crate::support::terminal::Screen) -> (bool, String) {
    let bar = screen.row(0);
    (screen.has("WORKSPACES"), bar.chars().rev().take(40).filter(|char| "«»".contains(*char)).collect())
}

#[test]
fn every_action_does_what_it_says_by_its_name_and_by_each_of_its_keys() {
    let mut session = Session::new();
    panes(&mut session);
    tabs_and_workspaces(&mut session);
    screens(&mut session);
    // Last, since it ends the client.
    let (text, keys) = session.actions.remove("detach").expect("detach");
    assert!(session.actions.is_empty(), "nothing checks {:?}", session.actions.keys());
    session.press("prefix :");
    session.terminal.wait_for_text(" Commands ");
    session.terminal.send(&text);
    session.terminal.wait_for_text(&format!("› {}", start(&text)));
    session.terminal.send("\r");
    assert_eq!(session.terminal.wait_for_exit(), 0);
    for key in keys {
        session.terminal = Terminal::attach_sized(&session.home, (120, 40));
        session.terminal.wait_for_text("row 89");
        session.press(&key);
        assert_eq!(session.terminal.wait_for_exit(), 0);
    }
    let Session { home, terminal, .. } = session;
    drop(terminal);
    home.stop();
}
