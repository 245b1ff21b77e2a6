//! The menu of narrow screens: what its pages offer, and keys and taps in it.
//!
//! Invariant: the groups come from the table of actions, so that every action can be tapped.

use super::picker::Step;
use crate::client::state::{Choice, Hit, Layer, State, Touch};
use crate::client::view;
use crate::config::keymap::{Action, actions};
use crate::protocol::key::{KeyCode, KeyEvent};

/// What stands on the first page before the groups.
const FIRST: [(&str, Action); 3] = [
    ("Jump to…", Action::JumpPalette),
    ("Agents", Action::MissionControl),
    ("Find an action…", Action::CommandPalette),
];

/// Where a line leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goes {
    /// To a page.
    Group(&'static str),
    /// To an action.
    Action(Action),
}

/// Opens the first page.
pub fn open(state: &mut State) {
    state.layers.push(Layer::Touch(Touch::default()));
    state.damage.full = true;
}

/// The lines of a page.
pub fn items(group: Option<&str>) -> Vec<(&'static str, Goes)> {
    if let Some(group) = group {
        let own = actions().iter().filter(|row| row.group == group);
        return own.map(|row| (row.text, Goes::Action(row.action))).collect();
    }
    let mut items: Vec<_> = FIRST.map(|(text, action)| (text, Goes::Action(action))).into();
    for row in actions() {
        if !items.iter().any(|(text, _)| *text == row.group) {
            items.push((row.group, Goes::Group(row.group)));
        }
    }
    items.push(("Detach", Goes::Action(Action::Detach)));
    items
}

/// Takes a key.
pub fn key(state: &State, menu: &mut Touch, event: KeyEvent) -> Step {
    let last = items(menu.group).len().saturating_sub(1);
    let page = view::touch::lines(state.size);
    match event.code {
        KeyCode::Up | KeyCode::Char('k') => menu.selected = menu.selected.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => menu.selected = (menu.selected + 1).min(last),
        KeyCode::PageUp => menu.selected = menu.selected.saturating_sub(page),
        KeyCode::PageDown => menu.selected = (menu.selected + page).min(last),
        KeyCode::Home => menu.selected = 0,
        KeyCode::End => menu.selected = last,
        KeyCode::Enter | KeyCode::Char(' ' | 'l') | KeyCode::Right => return choose(menu, menu.selected),
        KeyCode::Left | KeyCode::Backspace | KeyCode::Char('h') | KeyCode::Escape => return back(menu),
        KeyCode::Char('q') => return Step::Close,
        _ => {}
    }
    let first = menu.selected.saturating_sub(page.saturating_sub(1));
    menu.top = menu.top.clamp(first, menu.selected);
    Step::Stay
}

/// Takes a tap.
pub fn tap(state: &State, menu: &mut Touch, hit: Hit) -> Step {
    match hit {
        Hit::Item(index) => return choose(menu, index),
        Hit::TouchBack => return back(menu),
        Hit::TouchClose => return Step::Close,
        Hit::TouchPage(down) => {
            let page = isize::try_from(view::touch::lines(state.size)).unwrap_or(1);
            scroll(state, menu, if down { page } else { -page });
        }
        _ => {}
    }
    Step::Stay
}

/// Shows other lines of the page.
pub fn scroll(state: &State, menu: &mut Touch, lines: isize) {
    let (all, page) = (items(menu.group).len(), view::touch::lines(state.size));
    menu.top = menu.top.saturating_add_signed(lines).min(all.saturating_sub(page));
    menu.selected = menu.selected.clamp(menu.top, (menu.top + page).saturating_sub(1));
}

fn choose(menu: &mut Touch, index: usize) -> Step {
    match items(menu.group).get(index) {
        Some((_, Goes::Action(action))) => return Step::Choose(Choice::Action(*action)),
        Some((_, Goes::Group(group))) => *menu = Touch { group: Some(group), ..Touch::default() },
        None => {}
    }
    Step::Stay
}

/// To the first page, or out.
fn back(menu: &mut Touch) -> Step {
    if menu.group.is_none() {
        return Step::Close;
    }
    *menu = Touch::default();
    Step::Stay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_on_some_page() {
        let groups = items(None).into_iter().filter_map(|(_, goes)| match goes {
            Goes::Group(group) => Some(group),
            Goes::Action(_) => None,
        });
        let reached: Vec<Goes> = groups.flat_map(|group| items(Some(group))).map(|(_, goes)| goes).collect();
        for row in actions() {
            assert!(reached.contains(&Goes::Action(row.action)), "{}", row.id);
        }
    }
}
