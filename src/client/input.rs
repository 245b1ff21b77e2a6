//! The outer terminal's input: a thread that blocks in `read`, so that an idle client has no
//! wake-ups, and the translation of crossterm's events into ours.

use super::outer_colors::{Answers, PART};
use crate::protocol::geometry::Size;
use crate::protocol::key::{KeyCode, KeyEvent, KeyKind, Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::protocol::outer::OuterColors;
use crossterm::event::{self as outer, KeyEventState, KeyModifiers};
use tokio::sync::mpsc;

/// Events that wait for the loop. When it is full the thread waits, and the terminal keeps the rest.
const QUEUED_EVENTS: usize = 256;

/// What the outer terminal reported. Mouse positions are cells of the whole screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// A paste.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// The window got or lost the focus.
    Focus(bool),
    /// The screen has another size.
    Resize(Size),
    /// The terminal told its colours.
    Colors(OuterColors),
}

/// The outer terminal's input for as long as the process shows sessions, one after the other: a second
/// reading thread would take keys from the first.
#[derive(Debug, Default)]
pub struct Keyboard(Option<mpsc::Receiver<Event>>);

impl Keyboard {
    /// The events; the first call starts the reading thread.
    pub(super) fn events(&mut self) -> std::io::Result<&mut mpsc::Receiver<Event>> {
        let events = match self.0.take() {
            Some(events) => events,
            None => spawn()?,
        };
        Ok(self.0.insert(events))
    }
}

/// Starts the reading thread. The channel closes when the terminal is gone. The thread itself ends
/// with the process, because a blocking read cannot be called off.
fn spawn() -> std::io::Result<mpsc::Receiver<Event>> {
    let (tx, rx) = mpsc::channel(QUEUED_EVENTS);
    std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut answers = Answers::default();
        while let Ok(events) = read(&mut answers) {
            for event in events {
                if tx.blocking_send(event).is_err() {
                    return;
                }
            }
        }
    })?;
    Ok(rx)
}

/// Waits for what the terminal reports.
fn read(answers: &mut Answers) -> std::io::Result<Vec<Event>> {
    let mut passed = Vec::new();
    let mut colors = None;
    if answers.waits() && !outer::poll(PART)? {
        colors = answers.told();
        passed = answers.give_up();
    } else {
        answers.take(outer::read()?, &mut passed);
    }
    let events = passed.into_iter().filter_map(translate);
    Ok(events.chain(colors.map(Event::Colors)).collect())
}

fn translate(event: outer::Event) -> Option<Event> {
    Some(match event {
        outer::Event::Key(event) => Event::Key(key(event)?),
        outer::Event::Paste(text) => Event::Paste(text),
        outer::Event::Mouse(event) => Event::Mouse(mouse(event)),
        outer::Event::FocusGained => Event::Focus(true),
        outer::Event::FocusLost => Event::Focus(false),
        outer::Event::Resize(cols, rows) => Event::Resize(Size::new(rows, cols)),
    })
}

fn key(event: outer::KeyEvent) -> Option<KeyEvent> {
    let mut held = modifiers(event.modifiers);
    let code = match event.code {
        outer::KeyCode::Char(char) => {
            let char = if held.contains(Modifiers::SHIFT) { upper(char) } else { char };
            // With alternate keys crossterm reports `A` and takes the Shift away; legacy keys keep it.
            if char.is_uppercase() {
                held = held.with(Modifiers::SHIFT);
            }
            KeyCode::Char(char)
        }
        outer::KeyCode::BackTab => {
            held = held.with(Modifiers::SHIFT);
            KeyCode::Tab
        }
        outer::KeyCode::F(number) => KeyCode::Function(number),
        outer::KeyCode::Enter => KeyCode::Enter,
        outer::KeyCode::Esc => KeyCode::Escape,
        outer::KeyCode::Tab => KeyCode::Tab,
        outer::KeyCode::Backspace => KeyCode::Backspace,
        outer::KeyCode::Insert => KeyCode::Insert,
        outer::KeyCode::Delete => KeyCode::Delete,
        outer::KeyCode::Up => KeyCode::Up,
        outer::KeyCode::Down => KeyCode::Down,
        outer::KeyCode::Left => KeyCode::Left,
        outer::KeyCode::Right => KeyCode::Right,
        outer::KeyCode::Home => KeyCode::Home,
        outer::KeyCode::End => KeyCode::End,
        outer::KeyCode::PageUp => KeyCode::PageUp,
        outer::KeyCode::PageDown => KeyCode::PageDown,
        outer::KeyCode::CapsLock => KeyCode::CapsLock,
        outer::KeyCode::ScrollLock => KeyCode::ScrollLock,
        outer::KeyCode::NumLock => KeyCode::NumLock,
        outer::KeyCode::PrintScreen => KeyCode::PrintScreen,
        outer::KeyCode::Pause => KeyCode::Pause,
        outer::KeyCode::Menu => KeyCode::Menu,
        outer::KeyCode::KeypadBegin => KeyCode::KeypadBegin,
        // Ctrl+Space as some terminals spell it.
        outer::KeyCode::Null => {
            held = held.with(Modifiers::CTRL);
            KeyCode::Char(' ')
        }
        // Only reported with flags that we do not push.
        outer::KeyCode::Media(_) | outer::KeyCode::Modifier(_) => return None,
    };
    let kind = match event.kind {
        outer::KeyEventKind::Press => KeyKind::Press,
        outer::KeyEventKind::Repeat => KeyKind::Repeat,
        outer::KeyEventKind::Release => KeyKind::Release,
    };
    Some(KeyEvent { code, modifiers: held, kind, keypad: event.state.contains(KeyEventState::KEYPAD) })
}

fn upper(char: char) -> char {
    let mut upper = char.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) => single,
        _ => char,
    }
}

fn modifiers(held: KeyModifiers) -> Modifiers {
    [
        (KeyModifiers::SHIFT, Modifiers::SHIFT),
        (KeyModifiers::ALT, Modifiers::ALT),
        (KeyModifiers::CONTROL, Modifiers::CTRL),
        (KeyModifiers::SUPER, Modifiers::SUPER),
        (KeyModifiers::HYPER, Modifiers::HYPER),
        (KeyModifiers::META, Modifiers::META),
    ]
    .into_iter()
    .filter(|(theirs, _)| held.contains(*theirs))
    .fold(Modifiers::NONE, |all, (_, ours)| all.with(ours))
}

fn mouse(event: outer::MouseEvent) -> MouseEvent {
    let kind = match event.kind {
        outer::MouseEventKind::Down(which) => MouseKind::Press(button(which)),
        outer::MouseEventKind::Up(which) => MouseKind::Release(button(which)),
        outer::MouseEventKind::Drag(which) => MouseKind::Drag(button(which)),
        outer::MouseEventKind::Moved => MouseKind::Move,
        outer::MouseEventKind::ScrollUp => MouseKind::WheelUp,
        outer::MouseEventKind::ScrollDown => MouseKind::WheelDown,
        outer::MouseEventKind::ScrollLeft => MouseKind::WheelLeft,
        outer::MouseEventKind::ScrollRight => MouseKind::WheelRight,
    };
    MouseEvent { kind, row: event.row, col: event.column, modifiers: modifiers(event.modifiers) }
}

fn button(which: outer::MouseButton) -> MouseButton {
    match which {
        outer::MouseButton::Left => MouseButton::Left,
        outer::MouseButton::Middle => MouseButton::Middle,
        outer::MouseButton::Right => MouseButton::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: outer::KeyCode, held: KeyModifiers) -> Option<KeyEvent> {
        key(outer::KeyEvent::new(code, held))
    }

    #[test]
    fn shifted_letters_look_the_same_from_every_terminal() {
        let wanted = Some(KeyEvent::press(KeyCode::Char('A'), Modifiers::SHIFT));
        assert_eq!(press(outer::KeyCode::Char('A'), KeyModifiers::NONE), wanted);
        assert_eq!(press(outer::KeyCode::Char('A'), KeyModifiers::SHIFT), wanted);
        assert_eq!(press(outer::KeyCode::Char('a'), KeyModifiers::SHIFT), wanted);
        let back_tab = Some(KeyEvent::press(KeyCode::Tab, Modifiers::SHIFT));
        assert_eq!(press(outer::KeyCode::BackTab, KeyModifiers::SHIFT), back_tab);
    }

    #[test]
    fn releases_and_the_keypad_are_kept() {
        let event = outer::KeyEvent::new_with_kind_and_state(
            outer::KeyCode::Char('5'),
            KeyModifiers::CONTROL,
            outer::KeyEventKind::Release,
            KeyEventState::KEYPAD,
        );
        let wanted = KeyEvent {
            code: KeyCode::Char('5'),
            modifiers: Modifiers::CTRL,
            kind: KeyKind::Release,
            keypad: true,
        };
        assert_eq!(key(event), Some(wanted));
    }
}
