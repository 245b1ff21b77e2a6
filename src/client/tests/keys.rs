//! Keys: where they go, and what they do.

use super::scenes::{
    ONE, TWO, command, drawn, earlier_picture, event, frame, key, picture, prefixed, press, show, single,
    split, state,
};
use crate::client::input::Event;
use crate::client::options::Ending;
use crate::client::out::Out;
use crate::client::state::{Layer, Mode, State};
use crate::client::update::{Input, update};
use crate::protocol::attach::message::{Room, ScrollTo, ToClient, ToServer};
use crate::protocol::command::{ClosePolicy, Command, Launch};
use crate::protocol::frame::{Frame, Position, ScreenModes};
use crate::protocol::geometry::{Axis, Direction, Size};
use crate::protocol::ids::{TabId, WorkspaceId};
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers};
use crate::protocol::limits::PASTE_BYTES;
use crate::protocol::patch;

const PANES: Size = Size::new(10, 60);

fn shown() -> State {
    let mut state = state();
    show(&mut state, single(PANES));
    picture(&mut state, ONE, &frame(1, PANES, &["$ "]));
    state
}

/// A pane with 100 rows of history, looked at from `below` rows above its live screen.
fn history(revision: u64, below: u64) -> Frame {
    let position = Position { above: 100 - below, below };
    Frame { position, ..frame(revision, PANES, &["$ "]) }
}

fn sent(message: ToServer) -> Vec<Out> {
    vec![Out::Send(message)]
}

fn split_command(axis: Option<Axis>) -> Vec<Out> {
    command(Command::SplitPane { pane: Some(ONE), axis, launch: Launch::default(), focus: true })
}

#[test]
fn a_key_goes_to_the_focused_pane() {
    let mut state = shown();
    assert_eq!(press(&mut state, "x"), sent(ToServer::Key(ONE, key("x"))));
}

#[test]
fn the_prefix_leads_to_an_action_and_twice_to_itself() {
    let mut state = shown();
    assert_eq!(prefixed(&mut state, "v"), split_command(Some(Axis::Horizontal)));
    assert_eq!(state.mode, Mode::Normal);
    assert_eq!(prefixed(&mut state, "+"), split_command(None));
    assert_eq!(prefixed(&mut state, "ctrl+space"), sent(ToServer::Key(ONE, key("ctrl+space"))));
    assert_eq!(prefixed(&mut state, "Esc"), []);
    assert_eq!(press(&mut state, "v"), sent(ToServer::Key(ONE, key("v"))));
}

#[test]
fn an_unbound_key_is_swallowed_with_a_notice() {
    let mut state = shown();
    assert_eq!(prefixed(&mut state, "F9"), []);
    let (_, text) = state.notices.current().expect("a notice");
    assert!(text.contains("F9"), "{text}");
    prefixed(&mut state, "Q");
    let (_, text) = state.notices.current().expect("a notice");
    assert_eq!(text, "no action on ctrl+Space Q", "as it is written in the settings");
}

#[test]
fn a_held_prefix_does_not_count_twice() {
    let mut state = shown();
    press(&mut state, "ctrl+space");
    let repeat = KeyEvent { kind: KeyKind::Repeat, ..key("ctrl+space") };
    assert_eq!(event(&mut state, Event::Key(repeat)), []);
    assert_eq!(state.mode, Mode::Prefix);
}

#[test]
fn a_release_goes_to_the_pane_that_got_the_press() {
    let mut state = state();
    show(&mut state, split());
    press(&mut state, "x");
    let mut moved = split();
    moved.layout.focused = Some(ONE);
    show(&mut state, moved);
    let release = KeyEvent { kind: KeyKind::Release, ..key("X") };
    assert_eq!(event(&mut state, Event::Key(release)), sent(ToServer::Key(TWO, release)));
    assert_eq!(event(&mut state, Event::Key(release)), []);
}

#[test]
fn neither_release_nor_repeat_of_a_command_key_reaches_a_pane() {
    let mut state = shown();
    prefixed(&mut state, "c");
    for kind in [KeyKind::Repeat, KeyKind::Release] {
        assert_eq!(event(&mut state, Event::Key(KeyEvent { kind, ..key("c") })), []);
    }
}

#[test]
fn structure_commands_carry_the_ids_on_the_screen() {
    let mut state = state();
    let mut scene = split();
    scene.workspaces.push(super::scenes::workspace(2, "api", false, vec![super::scenes::tab(3, "", true)]));
    scene.workspaces[1].pinned = true;
    show(&mut state, scene);
    let policy = ClosePolicy::Ask;
    let close = Command::ClosePane { pane: Some(TWO), policy };
    assert_eq!(prefixed(&mut state, "x"), command(close));
    assert_eq!(prefixed(&mut state, ";"), command(Command::FocusPane { pane: super::scenes::THREE }));
    assert_eq!(prefixed(&mut state, "2"), command(Command::FocusTab { tab: TabId(2) }));
    assert_eq!(prefixed(&mut state, "n"), command(Command::FocusTab { tab: TabId(2) }));
    let focus = |id| command(Command::FocusWorkspace { workspace: WorkspaceId(id) });
    // The pinned workspace comes first in the sidebar.
    assert_eq!(prefixed(&mut state, "!"), focus(2));
    assert_eq!(prefixed(&mut state, "u"), focus(2));
    let left = Command::FocusDirection { pane: Some(TWO), direction: Direction::Left };
    assert_eq!(prefixed(&mut state, "h"), command(left));
    assert_eq!(prefixed(&mut state, "9"), []);
    assert!(state.notices.current().is_some());
}

#[test]
fn detaching_says_so_and_leaves() {
    let mut state = shown();
    let wanted = [Out::Send(ToServer::Detach), Out::Leave(Ending::Detached)];
    assert_eq!(prefixed(&mut state, "d"), wanted);
}

#[test]
fn resize_mode_takes_arrows_until_it_is_left() {
    let mut state = shown();
    prefixed(&mut state, "r");
    let resize = |direction, cells| command(Command::ResizePane { pane: Some(ONE), direction, cells });
    assert_eq!(press(&mut state, "Right"), resize(Direction::Right, 1));
    assert_eq!(press(&mut state, "shift+Up"), resize(Direction::Up, 5));
    assert_eq!(press(&mut state, "x"), []);
    assert_eq!(press(&mut state, "Esc"), []);
    assert_eq!(state.mode, Mode::Normal);
}

#[test]
fn scroll_mode_is_entered_moved_in_and_left_by_typing() {
    let mut state = shown();
    assert_eq!(press(&mut state, "shift+Up"), [], "no history, and no program that may know the key");
    picture(&mut state, ONE, &history(2, 0));
    let scroll = |to| sent(ToServer::Scroll(ONE, to));
    assert_eq!(press(&mut state, "shift+Up"), scroll(ScrollTo::Up(1)));
    picture(&mut state, ONE, &history(2, 1));
    assert!(drawn(&mut state)[1].ends_with("↑1/100"), "{:?}", drawn(&mut state));
    assert!(drawn(&mut state)[11].contains("SCROLL"));
    assert_eq!(press(&mut state, "k"), scroll(ScrollTo::Up(1)));
    assert_eq!(press(&mut state, "b"), scroll(ScrollTo::Up(9)));
    assert_eq!(press(&mut state, "space"), scroll(ScrollTo::Up(-9)));
    assert_eq!(press(&mut state, "g"), scroll(ScrollTo::Top));
    assert_eq!(press(&mut state, "["), scroll(ScrollTo::PromptAbove));
    assert_eq!(press(&mut state, "]"), scroll(ScrollTo::PromptBelow));
    assert_eq!(press(&mut state, "3"), scroll(ScrollTo::Tenth(3)));
    let back_and_typed =
        [Out::Send(ToServer::Scroll(ONE, ScrollTo::Live)), Out::Send(ToServer::Key(ONE, key("x")))];
    assert_eq!(press(&mut state, "x"), back_and_typed);
    assert!(!state.scrolling());
}

#[test]
fn reaching_the_live_screen_leaves_scroll_mode() {
    let mut state = shown();
    picture(&mut state, ONE, &history(2, 0));
    press(&mut state, "shift+PageUp");
    picture(&mut state, ONE, &history(2, 9));
    assert!(state.scrolling());
    press(&mut state, "PageDown");
    picture(&mut state, ONE, &history(2, 0));
    assert!(!state.scrolling());
    prefixed(&mut state, "[");
    assert_eq!(press(&mut state, "q"), sent(ToServer::Key(ONE, key("q"))));
}

#[test]
fn pictures_on_their_way_decide_nothing_about_scroll_mode() {
    let mut state = shown();
    picture(&mut state, ONE, &history(2, 0));
    press(&mut state, "shift+PageUp");
    picture(&mut state, ONE, &history(2, 9));
    press(&mut state, "q");
    let left = state.scrolls;
    press(&mut state, "shift+PageUp");
    earlier_picture(&mut state, ONE, &history(2, 0), left);
    assert!(state.scrolling(), "the live screen was the answer to `q`");
    assert_eq!(press(&mut state, "j"), sent(ToServer::Scroll(ONE, ScrollTo::Up(-1))), "not yet at the end");
    picture(&mut state, ONE, &history(2, 8));
    assert!(state.scrolling());
    // up and down again before a picture came: the only one shows the live screen
    press(&mut state, "k");
    press(&mut state, "f");
    picture(&mut state, ONE, &history(2, 0));
    assert!(!state.scrolling());
}

#[test]
fn a_pane_that_comes_back_into_view_is_live() {
    let mut state = shown();
    picture(&mut state, ONE, &history(2, 0));
    press(&mut state, "shift+PageUp");
    picture(&mut state, ONE, &history(2, 9));
    let mut elsewhere = single(PANES);
    elsewhere.layout.places[0].pane = TWO;
    elsewhere.layout.focused = Some(TWO);
    show(&mut state, elsewhere);
    show(&mut state, single(PANES));
    picture(&mut state, ONE, &history(2, 0));
    assert!(!state.scrolling());
}

#[test]
fn page_up_belongs_to_a_program_that_asked_for_it() {
    let mut state = shown();
    picture(&mut state, ONE, &history(2, 0));
    assert_eq!(press(&mut state, "PageUp"), sent(ToServer::Scroll(ONE, ScrollTo::Up(9))));
    press(&mut state, "q");
    picture(&mut state, ONE, &Frame { modes: ScreenModes::APPLICATION_CURSOR, ..history(3, 0) });
    assert_eq!(press(&mut state, "PageUp"), sent(ToServer::Key(ONE, key("PageUp"))));
    assert_eq!(press(&mut state, "shift+PageUp"), sent(ToServer::Scroll(ONE, ScrollTo::Up(9))));
    press(&mut state, "q");
    picture(&mut state, ONE, &Frame { modes: ScreenModes::ALTERNATE, ..history(4, 0) });
    assert_eq!(press(&mut state, "shift+PageUp"), sent(ToServer::Key(ONE, key("shift+PageUp"))));
}

#[test]
fn prompts_edit_and_send() {
    let mut state = shown();
    prefixed(&mut state, ",");
    for chord in ["w", "e", "b"] {
        assert_eq!(press(&mut state, chord), []);
    }
    assert!(drawn(&mut state).iter().any(|row| row.contains("Rename tab")));
    let rename = Command::RenameTab { tab: TabId(1), name: "web".into() };
    assert_eq!(press(&mut state, "Enter"), command(rename));
    assert_eq!(state.layers, []);

    prefixed(&mut state, "N");
    event(&mut state, Event::Paste("/luvus\nrest".into()));
    let open = Command::OpenWorkspace {
        path: "/home/me/src/luvus".into(),
        focus: true,
        reuse: true,
        launch: Launch::default(),
    };
    assert_eq!(press(&mut state, "Enter"), command(open));
    prefixed(&mut state, "N");
    assert_eq!(press(&mut state, "Esc"), []);
    assert_eq!(state.layers, []);
}

#[test]
fn a_question_is_answered_with_force_or_not_at_all() {
    let mut state = shown();
    let close = |policy| Command::ClosePane { pane: Some(ONE), policy };
    let ask = |state: &mut State| {
        let confirm = ToClient::Confirm { question: "End vim?".into(), command: close(ClosePolicy::Ask) };
        update(state, Input::Server(confirm))
    };
    assert_eq!(ask(&mut state), []);
    assert_eq!(press(&mut state, "x"), []);
    assert_eq!(press(&mut state, "y"), command(close(ClosePolicy::Force)));
    ask(&mut state);
    assert_eq!(press(&mut state, "n"), []);
    assert_eq!(state.layers, []);
}

#[test]
fn help_searches_the_live_keymap() {
    let mut state = super::scenes::sized(Size::new(30, 90));
    show(&mut state, single(Size::new(28, 90)));
    prefixed(&mut state, "?");
    assert!(drawn(&mut state).iter().any(|row| row.contains("split_right")));
    press(&mut state, "/");
    for chord in ["z", "o", "o", "m"] {
        press(&mut state, chord);
    }
    let rows = drawn(&mut state);
    assert!(rows.iter().any(|row| row.contains("zoom_pane")));
    assert!(!rows.iter().any(|row| row.contains("split_right")));
    press(&mut state, "Enter");
    press(&mut state, "Esc");
    assert!(matches!(state.layers.as_slice(), [Layer::Help(_)]), "the first Esc clears the search");
    press(&mut state, "Esc");
    assert_eq!(state.layers, []);
}

#[test]
fn a_dock_is_walked_by_keys() {
    let mut state = super::scenes::sized(Size::new(20, 90));
    let mut scene = single(Size::new(18, 90));
    scene.workspaces.push(super::scenes::workspace(2, "api", false, vec![super::scenes::tab(3, "", true)]));
    show(&mut state, scene);
    let resized = sent(ToServer::Resize(Room { area: Size::new(18, 90 - state.left.width), alone: false }));
    assert_eq!(prefixed(&mut state, "w"), resized, "the sidebar is shown for it");
    assert_eq!(press(&mut state, "j"), []);
    let focus = Command::FocusWorkspace { workspace: WorkspaceId(2) };
    assert_eq!(press(&mut state, "Enter"), command(focus));
    assert_eq!(state.layers, []);
}

#[test]
fn pastes_are_whole_or_refused() {
    let mut state = shown();
    let text = "a\nb".to_owned();
    assert_eq!(event(&mut state, Event::Paste(text.clone())), sent(ToServer::Paste(ONE, text)));
    assert_eq!(event(&mut state, Event::Paste("x".repeat(PASTE_BYTES + 1))), []);
    assert!(state.notices.current().is_some());
}

#[test]
fn a_patch_for_a_lost_picture_asks_for_it_once() {
    let mut state = shown();
    let (old, new) = (frame(7, PANES, &["a"]), frame(8, PANES, &["b"]));
    let wrong = patch::diff(Some(&old), &new);
    let message = || Input::Server(ToClient::Pane(ONE, wrong.clone()));
    assert_eq!(update(&mut state, message()), sent(ToServer::Refresh(ONE)));
    assert_eq!(update(&mut state, message()), []);
    picture(&mut state, ONE, &new);
    assert_eq!(state.mirror.frame(ONE), Some(&new));
}

#[test]
fn panes_out_of_the_layout_are_forgotten() {
    let mut state = state();
    show(&mut state, split());
    picture(&mut state, TWO, &frame(1, Size::new(4, 29), &["x"]));
    show(&mut state, single(PANES));
    assert_eq!(state.mirror.frame(TWO), None);
}

#[test]
fn the_server_hears_of_size_and_focus() {
    let mut state = shown();
    let resized = event(&mut state, Event::Resize(Size::new(24, 80)));
    assert_eq!(resized, sent(ToServer::Resize(Room { area: Size::new(22, 80), alone: false })));
    assert_eq!(event(&mut state, Event::Focus(false)), sent(ToServer::Focus(false)));
}

#[test]
fn modified_keys_reach_the_pane_unchanged() {
    let mut state = shown();
    for held in [Modifiers::SHIFT, Modifiers::ALT, Modifiers::CTRL] {
        let enter = KeyEvent::press(KeyCode::Enter, held);
        assert_eq!(event(&mut state, Event::Key(enter)), sent(ToServer::Key(ONE, enter)));
    }
}
