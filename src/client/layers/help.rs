//! Keys in the help.

use crate::client::field::Field;
use crate::client::state::{Help, State};
use crate::client::view;
use crate::protocol::key::{KeyCode, KeyEvent};

/// Takes a key; false closes the help.
pub fn key(state: &State, help: &mut Help, event: KeyEvent) -> bool {
    if help.searching {
        match event.code {
            KeyCode::Escape | KeyCode::Enter | KeyCode::Down | KeyCode::Up => help.searching = false,
            _ if help.query.key(event) => help.top = 0,
            _ => {}
        }
        if event.code == KeyCode::Escape {
            help.query = Field::default();
        }
        return true;
    }
    let (last, page) = (view::help::last_top(state, help), view::help::page(state));
    let top = match event.code {
        KeyCode::Char('/') => {
            help.searching = true;
            help.top
        }
        KeyCode::Char('j') | KeyCode::Down => help.top + 1,
        KeyCode::Char('k') | KeyCode::Up => help.top.saturating_sub(1),
        KeyCode::Char('f' | ' ') | KeyCode::PageDown => help.top + page,
        KeyCode::Char('b') | KeyCode::PageUp => help.top.saturating_sub(page),
        KeyCode::Char('g') | KeyCode::Home => 0,
        KeyCode::Char('G') | KeyCode::End => last,
        KeyCode::Escape if !help.query.text().is_empty() => {
            help.query = Field::default();
            0
        }
        KeyCode::Escape | KeyCode::Char('q' | '?') => return false,
        _ => help.top,
    };
    help.top = top.min(last);
    true
}
