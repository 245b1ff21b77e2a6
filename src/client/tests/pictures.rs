//! The main screens as text, to be looked at in a diff: `just bless` accepts what has changed.

use super::scenes::{ONE, TWO, agent, frame, pane, picture, prefixed, show, tab, text, workspace};
use crate::client::depth::Depth;
use crate::client::screen::Screen;
use crate::client::state::State;
use crate::client::theme::Theme;
use crate::client::update::{Input, update};
use crate::client::view;
use crate::config::theme::Palette;
use crate::config::{Borders, Config};
use crate::protocol::agent::{AgentScene, AgentState, ContextUsed, Conversation, UsageScene};
use crate::protocol::attach::message::{Offer, ToClient};
use crate::protocol::geometry::{Axis, Rect, Size};
use crate::protocol::ids::{PaneId, WorkspaceId};
use crate::protocol::scene::{Divider, Layout, Place, Scene, Scratch};
use ratatui::buffer::{Buffer, Cell};
use std::fmt::Write as _;

const SIZES: [Size; 3] = [Size::new(40, 120), Size::new(24, 80), Size::new(12, 40)];

/// Two panes side by side in two workspaces with agents, on a screen of that size.
fn state(size: Size) -> State {
    let mut state = State::new(&Config::default(), size);
    state.version = "0.1.0".into();
    state.home = Some("/home/me".into());
    state.now_ms = 12 * 60_000;
    let area = state.announced.area;
    let middle = area.cols / 2;
    let place = |pane, frame: Rect| Place { pane, frame: Some(frame), content: frame.inside_frame() };
    let left = Rect::new(0, 0, Size::new(area.rows, middle + 1));
    let right = Rect::new(0, middle, Size::new(area.rows, area.cols - middle));
    let divider = Divider {
        path: vec![],
        axis: Axis::Horizontal,
        line: Rect::new(1, middle, Size::new(area.rows - 2, 1)),
        area: Rect::new(0, 0, area),
    };
    let layout = Layout {
        area,
        places: vec![place(ONE, left), place(TWO, right)],
        dividers: vec![divider],
        focused: Some(TWO),
        zoomed: false,
    };
    let mut panes = vec![pane(ONE, ""), pane(TWO, "reviewer"), pane(PaneId(3), ""), pane(PaneId(4), "")];
    let asks = Some("Run the tests?".into());
    panes[1].agent = Some(AgentScene { hint: asks, unread: true, ..agent("claude", AgentState::Blocked) });
    panes[2].agent = Some(AgentScene { progress: Some(40), ..agent("codex", AgentState::Working) });
    let usage = |cost_micros| UsageScene {
        tokens: 84_200,
        context: Some(ContextUsed::Percent(42)),
        cost_micros,
        burn_micros: cost_micros.map(|cost| cost * 2),
    };
    for (pane, cost) in [(1, Some(1_250_000)), (2, None)] {
        if let Some(agent) = &mut panes[pane].agent {
            agent.usage = Some(usage(cost));
        }
    }
    panes[3].agent = Some(agent("gemini", AgentState::Done));
    for pane in &mut panes[2..] {
        pane.tab = crate::protocol::ids::TabId(3);
        pane.workspace = crate::protocol::ids::WorkspaceId(2);
    }
    let tabs = vec![tab(1, "", true), tab(2, "logs", false)];
    let workspaces =
        vec![workspace(1, "luvus", true, tabs), workspace(2, "api", false, vec![tab(3, "", true)])];
    show(&mut state, Scene { session: "default".into(), workspaces, panes, layout, scratch: None });
    picture(&mut state, ONE, &frame(1, left.inside_frame().size(), &["$ cargo test", "ok"]));
    picture(
        &mut state,
        TWO,
        &frame(1, right.inside_frame().size(), &["> review the change", "Run the tests?"]),
    );
    state
}

fn drawn(state: &State) -> Buffer {
    let mut screen = Screen::new(state.size);
    view::render(state, &mut screen.next);
    screen.next
}

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn check_text(name: &str, state: &State) {
    let name = format!("{name}-{}x{}", state.size.cols, state.size.rows);
    check(&name, &text(&drawn(state)).join("\n"));
}

#[test]
fn main_screens_at_every_size() {
    for size in SIZES {
        check_text("panes", &state(size));
        let mut state = state(size);
        state.conversations = vec![Conversation {
            agent: "claude".into(),
            id: "0b1c2d3e-0000-4000-8000-000000000001".into(),
            cwd: Some("/home/me/api".into()),
            title: Some("Mend the lexer".into()),
            at_ms: Some(0),
        }];
        let _ = prefixed(&mut state, "m");
        check_text("mission", &state);
    }
}

#[test]
fn what_lies_over_the_panes_at_every_size() {
    for size in SIZES {
        let mut shown = state(size);
        let _ = prefixed(&mut shown, "P");
        let scene = with_scratch(&shown);
        show(&mut shown, scene);
        picture(&mut shown, PaneId(9), &frame(1, Size::new(6, 30), &["$ man luvus"]));
        check_text("scratch", &shown);

        let mut shown = state(size);
        let offer = Offer {
            workspace: WorkspaceId(1),
            folder: "/home/me/shop".into(),
            lines: [
                "tab 1 server · 2 panes",
                "  cargo watch -x run",
                "  web: npm run dev",
                "tab 2 · 1 pane",
                "  a shell",
            ]
            .map(str::to_owned)
            .into(),
            digest: "d".into(),
            changed: false,
        };
        let _ = update(&mut shown, Input::Server(ToClient::Project(offer)));
        check_text("project", &shown);

        let mut shown = state(size);
        let _ = prefixed(&mut shown, "I");
        check_text("move-to", &shown);
    }
}

/// The same session with a scratch terminal.
fn with_scratch(state: &State) -> Scene {
    let scene = state.scene().expect("a scene").clone();
    let area = state.announced.area;
    // As the server has it: most of the layout, and all of a small one.
    let size = if state.narrow() { area } else { Size::new(area.rows / 5 * 4, area.cols / 5 * 4) };
    let frame = Rect::new((area.rows - size.rows) / 2, (area.cols - size.cols) / 2, size);
    let layout = Layout { area, ..scene.layout };
    let place = Place { pane: PaneId(9), frame: Some(frame), content: frame.inside_frame() };
    Scene { scratch: Some(Scratch { pane: pane(PaneId(9), ""), place }), layout, ..scene }
}

#[test]
fn the_same_in_ascii() {
    for size in SIZES {
        let mut state = state(size);
        state.config.borders = Borders::Ascii;
        check_text("ascii", &state);
    }
}

#[test]
fn colours_of_dark_light_and_sixteen() {
    for (name, theme, depth) in [
        ("dark", "luvus-dark", Depth::True),
        ("light", "luvus-light", Depth::True),
        ("sixteen", "terminal", Depth::Named),
    ] {
        let mut state = state(Size::new(24, 80));
        state.theme = Theme::of(&Palette::built_in(theme).expect("a theme"));
        check(name, &colours(&drawn(&state), depth));
    }
}

/// A letter for each look of a cell, and what the letters stand for.
fn colours(buffer: &Buffer, depth: Depth) -> String {
    let look =
        |cell: &Cell| format!("{:?} on {:?} {:?}", depth.shown(cell.fg), depth.shown(cell.bg), cell.modifier);
    let mut looks: Vec<String> = Vec::new();
    let mut map = String::new();
    for row in buffer.content.chunks(usize::from(buffer.area.width)) {
        for cell in row {
            let look = look(cell);
            let at = looks.iter().position(|known| *known == look).unwrap_or_else(|| {
                looks.push(look);
                looks.len() - 1
            });
            map.push(char::from(b'a' + u8::try_from(at).expect("few looks")));
        }
        map.push('\n');
    }
    for (letter, look) in ('a'..).zip(looks) {
        let _ = writeln!(map, "{letter} {look}");
    }
    map
}
