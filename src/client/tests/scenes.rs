//! Sessions to draw and to drive.

use crate::client::input::Event;
use crate::client::out::Out;
use crate::client::screen::Screen;
use crate::client::state::State;
use crate::client::update::{Input, update};
use crate::client::view;
use crate::config::Config;
use crate::protocol::agent::{AgentScene, AgentState};
use crate::protocol::attach::message::{ToClient, ToServer};
use crate::protocol::command::Command;
use crate::protocol::frame::{Cursor, CursorShape, Frame, Row, Run, Unit};
use crate::protocol::geometry::{Axis, Rect, Size};
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use crate::protocol::patch::{self, Patch};
use crate::protocol::scene::{Divider, Layout, PaneScene, Place, Scene, TabScene, WorkspaceScene};
use crate::protocol::style::Style;
use ratatui::buffer::Buffer;
use std::sync::Arc;

/// Cells of the panes on a screen of 40 × 110.
pub const PANES_OF: Size = Size::new(38, 110);

pub const ONE: PaneId = PaneId(1);
pub const TWO: PaneId = PaneId(2);
pub const THREE: PaneId = PaneId(3);

/// A client on a screen of 12 × 60 cells without sidebars: the panes have 10 × 60.
pub fn state() -> State {
    sized(Size::new(12, 60))
}

pub fn sized(size: Size) -> State {
    made(size, false)
}

pub fn with_sidebar(size: Size) -> State {
    made(size, true)
}

fn made(size: Size, sidebar: bool) -> State {
    let mut config = Config::default();
    config.left.visible = sidebar;
    config.mobile_width = 0;
    let mut state = State::new(&config, size);
    state.version = "0.1.0".into();
    state.home = Some("/home/me".into());
    state
}

pub fn pane(id: PaneId, name: &str) -> PaneScene {
    PaneScene {
        id,
        tab: TabId(1),
        workspace: WorkspaceId(1),
        terminal: None,
        name: (!name.is_empty()).then(|| name.to_owned()),
        label: None,
        role: None,
        color: None,
        title: None,
        program: Some("bash".into()),
        busy: false,
        cwd: "/home/me/src".into(),
        exited: None,
        agent: None,
    }
}

/// An agent of a kind in a state.
pub fn agent(kind: &str, state: AgentState) -> AgentScene {
    AgentScene {
        kind: Some(kind.into()),
        label: kind.into(),
        state,
        blocked: None,
        hint: None,
        since_ms: 0,
        unread: false,
        progress: None,
        title: None,
        usage: None,
    }
}

pub fn tab(id: u32, name: &str, active: bool) -> TabScene {
    TabScene {
        id: TabId(id),
        name: (!name.is_empty()).then(|| name.to_owned()),
        active,
        bell: false,
        panes: 1,
        focused: ONE,
    }
}

pub fn workspace(id: u32, name: &str, active: bool, tabs: Vec<TabScene>) -> WorkspaceScene {
    WorkspaceScene {
        id: WorkspaceId(id),
        name: name.into(),
        root: format!("/home/me/{name}"),
        branch: active.then(|| "main".into()),
        pinned: false,
        active,
        tabs,
    }
}

/// One pane that fills an area.
pub fn single(area: Size) -> Scene {
    let layout = Layout {
        area,
        places: vec![Place { pane: ONE, frame: None, content: Rect::new(0, 0, area) }],
        dividers: vec![],
        focused: Some(ONE),
        zoomed: false,
    };
    Scene {
        session: "default".into(),
        workspaces: vec![workspace(1, "luvus", true, vec![tab(1, "", true), tab(2, "logs", false)])],
        panes: vec![pane(ONE, "")],
        layout,
        scratch: None,
    }
}

/// `1 | (2 / 3)` in 10 × 60 cells, pane 2 focused.
pub fn split() -> Scene {
    let area = Size::new(10, 60);
    let place = |pane, frame: Rect| Place { pane, frame: Some(frame), content: frame.inside_frame() };
    let right = Rect::new(0, 29, Size::new(10, 31));
    let layout = Layout {
        area,
        places: vec![
            place(ONE, Rect::new(0, 0, Size::new(10, 30))),
            place(TWO, Rect::new(0, 29, Size::new(6, 31))),
            place(THREE, Rect::new(5, 29, Size::new(5, 31))),
        ],
        dividers: vec![
            Divider {
                path: vec![],
                axis: Axis::Horizontal,
                line: Rect::new(1, 29, Size::new(8, 1)),
                area: Rect::new(0, 0, area),
            },
            Divider {
                path: vec![crate::protocol::command::Side::B],
                axis: Axis::Vertical,
                line: Rect::new(5, 30, Size::new(1, 29)),
                area: right,
            },
        ],
        focused: Some(TWO),
        zoomed: false,
    };
    let mut busy = pane(TWO, "build");
    busy.busy = true;
    Scene { panes: vec![pane(ONE, ""), busy, pane(THREE, "notes")], layout, ..single(area) }
}

/// A picture with these rows, its cursor at the end of the last one.
pub fn frame(revision: u64, size: Size, texts: &[&str]) -> Frame {
    let mut frame = Frame { revision, ..Frame::blank(size) };
    for (row, text) in frame.rows.iter_mut().zip(texts) {
        let run = Run { style: Style::default(), unit: Unit::Narrow, text: (*text).to_owned() };
        *row = Arc::new(Row { runs: vec![run], ..Row::default() });
    }
    let last = texts.last().map_or(0, |text| text.chars().count());
    frame.cursor = Some(Cursor {
        row: u16::try_from(texts.len().saturating_sub(1)).expect("small"),
        col: u16::try_from(last).expect("small"),
        shape: CursorShape::Default,
    });
    frame
}

/// Shows a scene.
pub fn show(state: &mut State, scene: Scene) {
    let mut asked = update(state, Input::Server(ToClient::Scene(Arc::new(scene))));
    asked.retain(|out| *out != Out::Send(ToServer::Conversations));
    assert_eq!(asked, []);
}

/// Shows a picture, taken after all that was asked for.
pub fn picture(state: &mut State, pane: PaneId, frame: &Frame) -> Vec<Out> {
    let scrolls = state.scrolls;
    earlier_picture(state, pane, frame, scrolls)
}

/// Shows a picture that answers a scroll request, and maybe not the last one.
pub fn earlier_picture(state: &mut State, pane: PaneId, frame: &Frame, scrolls: u32) -> Vec<Out> {
    let whole = Patch { scrolls, ..patch::diff(None, frame) };
    update(state, Input::Server(ToClient::Pane(pane, whole)))
}

/// Sends an event.
pub fn event(state: &mut State, event: Event) -> Vec<Out> {
    update(state, Input::Terminal(event))
}

/// Presses a key written as in the settings.
pub fn press(state: &mut State, chord: &str) -> Vec<Out> {
    event(state, Event::Key(key(chord)))
}

/// A key written as in the settings.
pub fn key(chord: &str) -> KeyEvent {
    let chord: crate::config::chord::Chord = chord.parse().expect("a chord");
    let shifted = matches!(chord.code, KeyCode::Char(char) if char.is_uppercase());
    let held = if shifted { chord.modifiers.with(Modifiers::SHIFT) } else { chord.modifiers };
    KeyEvent::press(chord.code, held)
}

/// Presses the prefix and a key.
pub fn prefixed(state: &mut State, chord: &str) -> Vec<Out> {
    assert_eq!(press(state, "ctrl+space"), []);
    press(state, chord)
}

pub fn command(command: Command) -> Vec<Out> {
    vec![Out::Send(ToServer::Command(command))]
}

/// Draws; the rows as text without blanks at their ends.
pub fn drawn(state: &mut State) -> Vec<String> {
    let mut screen = Screen::new(state.size);
    state.hits = view::render(state, &mut screen.next);
    text(&screen.next)
}

pub fn text(buffer: &Buffer) -> Vec<String> {
    let width = usize::from(buffer.area.width.max(1));
    let row = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.trim_end().to_owned()
    };
    buffer.content.chunks(width).map(row).collect()
}
