//! Whatever is typed, clicked and resized: nothing panics, and what is drawn stays what is shown.

use super::scenes::{
    ONE, TWO, drawn, event, frame, picture, prefixed, press, show, single, split, state, text as text_of,
    with_sidebar,
};
use crate::client::display::draw_changes;
use crate::client::input::Event;
use crate::client::screen::Screen;
use crate::client::state::State;
use crate::client::update::{Input, update};
use crate::protocol::attach::message::ToClient;
use crate::protocol::frame::{Frame, Position, Row, Run, ScreenModes, Unit};
use crate::protocol::geometry::Size;
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::protocol::patch;
use crate::protocol::style::{Color, Style};
use proptest::prelude::*;
use std::num::NonZero;
use std::sync::Arc;

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let code = prop_oneof![
        4 => Just(KeyCode::Char(' ')),
        8 => prop::char::range('!', '~').prop_map(KeyCode::Char),
        1 => prop_oneof![Just(KeyCode::Enter), Just(KeyCode::Escape), Just(KeyCode::Backspace)],
        1 => prop_oneof![Just(KeyCode::Up), Just(KeyCode::Down), Just(KeyCode::PageUp), Just(KeyCode::End)],
    ];
    let held =
        prop_oneof![3 => Just(Modifiers::NONE), 2 => Just(Modifiers::CTRL), 1 => Just(Modifiers::SHIFT)];
    let kind =
        prop_oneof![4 => Just(KeyKind::Press), 1 => Just(KeyKind::Repeat), 1 => Just(KeyKind::Release)];
    (code, held, kind).prop_map(|(code, modifiers, kind)| KeyEvent { code, modifiers, kind, keypad: false })
}

fn any_event() -> impl Strategy<Value = Event> {
    let button = MouseButton::Left;
    let kind = prop_oneof![
        Just(MouseKind::Press(button)),
        Just(MouseKind::Drag(button)),
        Just(MouseKind::Release(button)),
        Just(MouseKind::Move),
        Just(MouseKind::WheelUp),
    ];
    let mouse = (kind, 0u16..30, 0u16..120)
        .prop_map(|(kind, row, col)| Event::Mouse(MouseEvent { kind, row, col, modifiers: Modifiers::NONE }));
    prop_oneof![
        12 => any_key().prop_map(Event::Key),
        4 => mouse,
        1 => (0u16..30, 0u16..120).prop_map(|(rows, cols)| Event::Resize(Size::new(rows, cols))),
        1 => "[a-zé漢]{0,9}".prop_map(Event::Paste),
    ]
}

fn draw(state: &mut State, screen: &mut Screen) -> Vec<u8> {
    if (screen.next.area.height, screen.next.area.width) != (state.size.rows, state.size.cols) {
        screen.resize(state.size);
    }
    let mut out = Vec::new();
    draw_changes(state, screen, &mut out);
    out
}

/// A row of narrow and wide characters and clusters, in whatever colours.
fn any_row() -> impl Strategy<Value = Row> {
    let text = prop_oneof![
        "[a-c ]{1,6}".prop_map(|text| (Unit::Narrow, text)),
        "[漢字]{1,4}".prop_map(|text| (Unit::Wide, text)),
        Just((Unit::NarrowCluster, "e\u{301}".to_owned())),
    ];
    let run = (text, 0u8..20).prop_map(|((unit, text), color)| {
        let style = Style { fg: Color::Indexed(color), ..Style::default() };
        Run { style, unit, text }
    });
    prop::collection::vec(run, 0..8).prop_map(|runs| Row { runs, ..Row::default() })
}

proptest! {
    #[test]
    fn the_terminal_shows_what_was_drawn(
        changes in prop::collection::vec((0usize..4, any_row(), any::<bool>()), 1..20),
    ) {
        let mut state = state();
        let mut screen = Screen::new(state.size);
        let cells = |cells| NonZero::new(cells).expect("a screen");
        let mut terminal = vt100::Parser::new(cells(state.size.rows), cells(state.size.cols), 0);
        show(&mut state, split());
        let mut old = frame(1, Size::new(4, 29), &[]);
        picture(&mut state, TWO, &old);
        for (row, text, overlay) in changes {
            let mut new = Frame { revision: old.revision + 1, ..old.clone() };
            new.rows[row] = Arc::new(text);
            let patch = patch::diff(Some(&old), &new);
            old = new;
            update(&mut state, Input::Server(ToClient::Pane(TWO, patch)));
            if overlay {
                prefixed(&mut state, "?");
                terminal.process(&draw(&mut state, &mut screen));
                press(&mut state, "q");
            }
            terminal.process(&draw(&mut state, &mut screen));
            let shown: Vec<String> = terminal.screen().rows(0, state.size.cols)
                .map(|row| row.trim_end().to_owned()).collect();
            prop_assert_eq!(&shown, &text_of(&screen.next));
            prop_assert_eq!(&shown, &drawn(&mut state), "rows alone give what drawing everything gives");
        }
    }

    #[test]
    fn any_input_on_any_screen_is_survived(
        size in (0u16..30, 0u16..120),
        layout in (1u16..40, 1u16..150),
        events in prop::collection::vec(any_event(), 1..60),
    ) {
        let mut state = with_sidebar(Size::new(size.0, size.1));
        let mut screen = Screen::new(state.size);
        show(&mut state, split());
        let position = Position { above: 9, below: 0 };
        picture(&mut state, TWO, &Frame { position, ..frame(1, Size::new(4, 29), &["漢字漢字", "x"]) });
        for (index, input) in events.into_iter().enumerate() {
            event(&mut state, input);
            if index == 20 {
                let area = Size::new(layout.0, layout.1);
                show(&mut state, single(area));
                picture(&mut state, ONE, &Frame { modes: ScreenModes::MOUSE, ..frame(1, area, &["é"]) });
            }
            draw(&mut state, &mut screen);
        }
    }
}
