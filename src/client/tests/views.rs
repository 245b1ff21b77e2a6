//! Pictures of the screen.

use super::scenes::{
    ONE, TWO, agent, drawn, frame, pane, picture, press, show, single, sized, split, state, tab, with_sidebar,
};
use crate::client::view;
use crate::protocol::agent::{AgentScene, AgentState};
use crate::protocol::geometry::Size;
use crate::protocol::scene::{ExitStatus, Layout};
use pretty::same;

/// Comparing screens: a difference is printed as two pictures.
mod pretty {
    pub fn same(found: &[String], wanted: &[&str]) {
        let found_text = found.join("\n");
        let wanted_text = wanted.join("\n");
        assert!(found_text == wanted_text, "found\n{found_text}\nwanted\n{wanted_text}");
    }
}

#[test]
fn frames_share_lines_and_carry_titles() {
    let mut state = state();
    show(&mut state, split());
    picture(&mut state, TWO, &frame(1, Size::new(4, 29), &["make", "ok"]));
    same(
        &drawn(&mut state),
        &[
            " »  1 ×  2 logs  +                                        «",
            "╭─ bash ───────────── ~/src ─┬─ ▸ build ─────────── ~/src ─╮",
            "│                            │make                         │",
            "│                            │ok                           │",
            "│                            │                             │",
            "│                            │                             │",
            "│                            ├─ notes ───────────── ~/src ─┤",
            "│                            │                             │",
            "│                            │                             │",
            "│                            │                             │",
            "╰────────────────────────────┴─────────────────────────────╯",
            " NORMAL  ctrl+Space ? help      default · 3 panes · tab 1/2",
        ],
    );
}

#[test]
fn the_focused_frame_is_brighter_than_the_others() {
    let mut state = state();
    show(&mut state, split());
    let mut screen = crate::client::screen::Screen::new(state.size);
    view::render(&state, &mut screen.next);
    let color = |row: u16, col: u16| screen.next[(col, row)].fg;
    assert_eq!(Some(color(2, 29)), state.theme.border_focus.fg, "left of pane 2");
    assert_eq!(Some(color(6, 59)), state.theme.border_focus.fg, "a corner of pane 2");
    assert_eq!(Some(color(8, 29)), state.theme.border.fg, "left of pane 3");
}

#[test]
fn sidebars_list_workspaces_and_what_runs() {
    let mut state = with_sidebar(Size::new(14, 72));
    let mut scene = split();
    scene.workspaces.push(super::scenes::workspace(2, "api", false, vec![tab(3, "", true)]));
    scene.workspaces[1].tabs[0].bell = true;
    scene.panes[1].agent = Some(agent("claude", AgentState::Working));
    let asks =
        AgentScene { hint: Some("Run tests?".into()), unread: true, ..agent("codex", AgentState::Blocked) };
    scene.panes[2].agent = Some(asks);
    scene.panes[2].name = None;
    state.now_ms = 3 * 60_000;
    show(&mut state, scene);
    let left: Vec<String> = drawn(&mut state)
        .iter()
        .take(11)
        .map(|row| row.chars().take(28).collect::<String>().trim_end().to_owned())
        .collect();
    same(
        &left,
        &[
            " WORKSPACES              +",
            "▎ luvus              main ◆",
            "▎ ~/luvus",
            "  api                     !",
            "  ~/api",
            "",
            " AGENTS 2               all",
            "  ◆ codex        blocked 3m",
            "    Run tests?        ~/src",
            "▎ ● build        working 3m",
            "▎   luvus · 1 · claude  src",
        ],
    );
}

#[test]
fn an_agent_is_listed_by_its_label_its_role_and_its_color() {
    let mut state = with_sidebar(Size::new(14, 72));
    let mut scene = split();
    scene.panes[1].agent = Some(agent("claude", AgentState::Idle));
    scene.panes[1].name = None;
    scene.panes[1].label = Some("w1".into());
    scene.panes[1].role = Some("coder".into());
    scene.panes[1].color = Some("blue".into());
    show(&mut state, scene);
    let rows = drawn(&mut state);
    let (at, row) = rows.iter().enumerate().find(|(_, row)| row.contains("w1 [coder]")).expect("its row");
    let col = row.chars().take_while(|char| *char != 'w').count();
    let mut screen = crate::client::screen::Screen::new(state.size);
    view::render(&state, &mut screen.next);
    let cell = &screen.next[(u16::try_from(col).unwrap(), u16::try_from(at).unwrap())];
    assert_eq!(Some(cell.fg), crate::client::named_color::color_named("blue"));
    assert!(rows[at + 1].contains("claude"), "{:?}", rows[at + 1]);
}

#[test]
fn a_crowded_tab_bar_shows_the_focused_tab_and_arrows() {
    let mut state = sized(Size::new(10, 40));
    let mut scene = single(Size::new(8, 40));
    scene.workspaces[0].tabs =
        (1..=9).map(|id| tab(id, if id == 7 { "seven" } else { "" }, id == 7)).collect();
    scene.workspaces[0].tabs[4].bell = true;
    show(&mut state, scene);
    assert_eq!(drawn(&mut state)[0], " »  ‹  3  4  5 !  6  7 seven ×  ›  +  «");
    state.tab_first = Some(0);
    assert_eq!(drawn(&mut state)[0], " »     1  2  3  4  5 !  6       ›  +  «");
}

#[test]
fn a_smaller_layout_is_padded_with_dots() {
    let mut state = state();
    show(&mut state, single(Size::new(8, 56)));
    picture(&mut state, ONE, &frame(1, Size::new(8, 56), &["hello"]));
    let rows = drawn(&mut state);
    assert_eq!(rows[1], format!("hello{}····", " ".repeat(51)));
    assert_eq!(rows[10], "·".repeat(60));
}

#[test]
fn a_larger_layout_is_cropped_around_the_cursor() {
    let mut state = state();
    let area = Size::new(30, 60);
    show(&mut state, single(area));
    let texts: Vec<String> = (0..25).map(|row| format!("row {row}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    picture(&mut state, ONE, &frame(1, area, &texts));
    let rows = drawn(&mut state);
    assert_eq!((rows[1].as_str(), rows[10].as_str()), ("row 15", "row 24"));
    let cursor = view::cursor(&state).expect("a cursor");
    assert_eq!((cursor.row, cursor.col), (10, 6));
}

#[test]
fn a_tiny_screen_asks_for_room() {
    let mut state = sized(Size::new(5, 30));
    show(&mut state, single(Size::new(3, 30)));
    same(&drawn(&mut state), &["", "", "     enlarge the terminal", "", ""]);
    assert_eq!(view::cursor(&state), None);
}

#[test]
fn modes_name_themselves_and_their_keys() {
    let mut state = sized(Size::new(10, 100));
    show(&mut state, single(Size::new(8, 100)));
    press(&mut state, "ctrl+space");
    let row = drawn(&mut state)[9].clone();
    assert!(row.starts_with(" PREFIX  ? help  v split right  s split down"), "{row}");
    press(&mut state, "r");
    assert!(drawn(&mut state)[9].starts_with(" RESIZE  arrows resize"));
    press(&mut state, "Esc");
    let scene = single(Size::new(8, 100));
    show(
        &mut state,
        crate::protocol::scene::Scene { layout: Layout { zoomed: true, ..scene.layout.clone() }, ..scene },
    );
    assert!(drawn(&mut state)[9].starts_with(" ZOOM "));
}

#[test]
fn a_dock_with_the_keyboard_says_so() {
    let mut state = with_sidebar(Size::new(12, 100));
    show(&mut state, single(Size::new(10, 72)));
    super::scenes::prefixed(&mut state, "w");
    assert!(drawn(&mut state)[11].starts_with(" DOCK  j k move  Enter open  N open a folder  Esc back"));
    super::scenes::press(&mut state, "Esc");
    super::scenes::prefixed(&mut state, "a");
    let keys = " DOCK  j k move  Enter open  a actions  f filter  s scope  Esc back";
    assert!(drawn(&mut state)[11].starts_with(keys), "{:#?}", drawn(&mut state));
}

#[test]
fn a_notice_leaves_the_place_what_it_does_not_need_and_yields_to_the_prefix() {
    let mut state = sized(Size::new(10, 80));
    show(&mut state, single(Size::new(8, 80)));
    state.warn("short".into());
    let row = drawn(&mut state)[9].clone();
    assert!(row.starts_with(" NORMAL  short ") && row.ends_with("0.1.0"), "{row}");
    state.warn("a long one ".repeat(20));
    let row = drawn(&mut state)[9].clone();
    assert!(row.ends_with("…") && !row.contains("default"), "{row}");
    press(&mut state, "ctrl+space");
    assert!(drawn(&mut state)[9].starts_with(" PREFIX  ? help"));
}

#[test]
fn a_list_that_is_cut_says_how_much_is_missing() {
    let mut state = with_sidebar(Size::new(12, 80));
    let mut scene = single(Size::new(10, 52));
    scene.workspaces.extend((2..=9).map(|id| super::scenes::workspace(id, "api", false, vec![])));
    show(&mut state, scene);
    let left: Vec<String> = drawn(&mut state)
        .iter()
        .map(|row| row.chars().take(16).collect::<String>().trim_end().to_owned())
        .collect();
    same(
        &left[..11],
        &[
            " WORKSPACES",
            "▎ luvus",
            "▎ ~/luvus",
            "  api",
            "  ~/api",
            "  … 7 more",
            "",
            " AGENTS",
            "  no agents",
            "",
            "",
        ],
    );
}

#[test]
fn a_held_pane_says_how_it_ended() {
    let mut state = state();
    let mut scene = single(Size::new(10, 60));
    scene.panes = vec![pane(ONE, "")];
    scene.panes[0].exited = Some(ExitStatus { code: Some(3), signal: None });
    show(&mut state, scene);
    picture(&mut state, ONE, &frame(1, Size::new(10, 60), &["bye"]));
    assert!(drawn(&mut state)[1].ends_with(" exited 3"));
    assert_eq!(view::cursor(&state), None, "nobody waits for a key");
}

#[test]
fn questions_and_prompts_lie_over_the_panes() {
    let mut state = state();
    show(&mut state, single(Size::new(10, 60)));
    let question = "`top` would be ended. Close the pane?".to_owned();
    let command = crate::protocol::command::Command::ZoomPane { pane: None, zoomed: None };
    let choice = crate::client::state::Choice::Command(command);
    state.layers.push(crate::client::state::Layer::Confirm { question, choice });
    same(
        &drawn(&mut state)[3..8],
        &[
            "╭─ Please confirm ─────────────────────────────────────────╮",
            "│ `top` would be ended. Close the pane?                    │",
            "│                                                          │",
            "│ [y] yes   [n] no                                         │",
            "╰──────────────────────────────────────────────────────────╯",
        ],
    );
    assert_eq!(view::cursor(&state), None);
    press(&mut state, "n");
    super::scenes::prefixed(&mut state, ",");
    press(&mut state, "a");
    let cursor = view::cursor(&state).expect("a prompt has a cursor");
    assert_eq!((cursor.row, cursor.col), (3, 3));
}

#[test]
fn no_color_means_none_of_our_own() {
    let mut state = with_sidebar(Size::new(12, 90));
    state.theme = crate::client::theme::Theme::plain();
    show(&mut state, split());
    assert!(drawn(&mut state)[9].starts_with(&format!("{}│", " ".repeat(27))), "an edge without a ground");
    let mut screen = crate::client::screen::Screen::new(state.size);
    view::render(&state, &mut screen.next);
    let reset = ratatui::style::Color::Reset;
    assert!(screen.next.content.iter().all(|cell| cell.fg == reset && cell.bg == reset));
}

#[test]
fn numbered_keys_share_a_line_of_the_help() {
    let mut state = sized(Size::new(60, 90));
    show(&mut state, single(Size::new(58, 90)));
    super::scenes::prefixed(&mut state, "?");
    let rows = drawn(&mut state).join("\n");
    assert!(rows.contains("1 … 9 ") && rows.contains("Go to tab 1 … 9 "), "{rows}");
    assert!(rows.contains("! … (") && !rows.contains("Go to tab 2"), "{rows}");
    press(&mut state, "/");
    for key in ["t", "a", "b", "_", "2"] {
        press(&mut state, key);
    }
    assert!(drawn(&mut state).join("\n").contains("Go to tab 2"));
    press(&mut state, "Esc");
    assert!(drawn(&mut state).join("\n").contains("q close   ↓ more"));
    press(&mut state, "G");
    assert!(!drawn(&mut state).join("\n").contains("↓ more"));
}

#[test]
fn the_help_says_something_on_the_smallest_screen() {
    let mut state = sized(Size::new(6, 24));
    show(&mut state, single(Size::new(4, 24)));
    super::scenes::prefixed(&mut state, "?");
    same(
        &drawn(&mut state),
        &[
            "╭─ Keys ───────────────╮",
            "│ Panes, after ctrl+Sp │",
            "│  Left h Focus the p… │",
            "│                      │",
            "│ / search   j k scro… │",
            "╰──────────────────────╯",
        ],
    );
}
