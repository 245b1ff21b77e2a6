//! The settings screen: its sections, the lines of one, and what is to know of the chosen line.

use super::{overlay, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Editing, Hit, Line, Outcome, Preferences, State, shown};
use crate::config::sections::Section;
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;
use ratatui::style::Style;

/// The widest box, and its most rows.
const COLS: u16 = 96;
const ROWS: u16 = 30;
/// With fewer rows inside there is neither a rule nor a gap.
const ROOMY: u16 = 8;
/// Below so many rows of the screen the box takes all of them.
const LOW: u16 = 12;

/// Draws the screen.
pub fn render(state: &State, screen: &Preferences, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state);
    overlay::frame(state, area, "Settings", buffer);
    hits.push((area, Hit::Overlay));
    let inside = overlay::inside(area);
    sections(state, screen, inside, buffer, hits);
    if inside.rows >= ROOMY {
        let rule = "─".repeat(usize::from(inside.cols));
        text::put(buffer, inside, inside.row + 1, inside.col, &rule, theme.overlay_muted);
    }
    let lines = screen.lines(state);
    let list = list(inside);
    let first = screen.selected.saturating_sub(usize::from(list.rows).saturating_sub(1));
    for (row, (index, line)) in (list.row..list.bottom()).zip(lines.iter().enumerate().skip(first)) {
        let place = Rect { row, rows: 1, col: list.col - 1, cols: list.cols + 2 };
        draw(state, place, line, index == screen.selected, buffer);
        hits.push((place, Hit::Match(index)));
    }
    about(state, screen, lines.get(screen.selected), inside, buffer);
}

/// The cursor in a value that is typed.
pub fn cursor(state: &State, screen: &Preferences) -> Option<ScreenCursor> {
    let Some(Editing::Value(_, field)) = &screen.editing else { return None };
    let inside = overlay::inside(area(state));
    let row = inside.bottom().checked_sub(2)?;
    let col =
        inside.col.saturating_add(2).saturating_add(field.cursor_cols()).min(inside.right().checked_sub(1)?);
    Some(ScreenCursor { row, col, shape: CursorShape::Bar { blink: false } })
}

fn area(state: &State) -> Rect {
    let margin = if state.size.rows < LOW { 0 } else { 2 };
    let rows = state.size.rows.saturating_sub(margin).clamp(1, ROWS);
    overlay::centred(state.size, Size::new(rows, COLS))
}

/// The lines stand below the sections and above two rows of explanation.
fn list(inside: Rect) -> Rect {
    let (above, below) = if inside.rows >= ROOMY { (2, 3) } else { (1, 2) };
    Rect { row: inside.row + above, rows: inside.rows.saturating_sub(above + below), ..inside }
}

/// The names of the sections, or the one that is shown where there is no room.
fn sections(
    state: &State,
    screen: &Preferences,
    inside: Rect,
    buffer: &mut Buffer,
    hits: &mut Vec<(Rect, Hit)>,
) {
    let theme = &state.theme;
    let width: u16 = Section::ALL.iter().map(|section| text::width(section.title()) + 3).sum();
    let mut col = inside.col;
    for (index, section) in Section::ALL.into_iter().enumerate() {
        let own = section == screen.section;
        if width > inside.cols && !own {
            continue;
        }
        let style = if own { theme.row_selected } else { theme.overlay_muted };
        let start = col;
        col = text::put(buffer, inside, inside.row, col, &format!(" {} ", section.title()), style);
        let cols = col.min(inside.right()).saturating_sub(start);
        hits.push((Rect::new(inside.row, start, Size::new(1, cols)), Hit::Section(index)));
        col += 1;
        if width > inside.cols {
            let place = format!("{} of {}", index + 1, Section::ALL.len());
            text::put(buffer, inside, inside.row, col, &place, theme.overlay_muted);
        }
    }
}

fn draw(state: &State, place: Rect, line: &Line, selected: bool, buffer: &mut Buffer) {
    let theme = &state.theme;
    let ground = if selected { theme.row_selected } else { theme.overlay };
    let second = if selected { ground } else { theme.overlay_muted };
    text::fill(buffer, place, ground);
    let (name, value, style): (String, String, Style) = match line {
        Line::Setting(setting, value, default) => {
            let style = if selected || !*default { ground.patch(theme.accent) } else { second };
            (setting.key.to_owned(), quoted(&shown(value)), style)
        }
        Line::Theme(name, current) => {
            (name.clone(), if *current { "in force".into() } else { String::new() }, second)
        }
        Line::Conflict(what) => (format!("! {what}"), String::new(), ground),
        Line::Integration(integration) => {
            let (told, style) = match integration.installed {
                Ok(true) => ("installed", ground.patch(theme.accent)),
                Ok(false) => ("not installed", second),
                Err(_) => ("not to be read", ground.patch(theme.blocked)),
            };
            (format!("{} tells of its conversations", integration.title), told.to_owned(), style)
        }
        Line::Binding(action, keys) => {
            let keys = if keys.is_empty() { "—".to_owned() } else { keys.join("  ") };
            let sentence = action.row().map_or("", |row| row.text);
            (sentence.to_owned(), keys, if selected { ground } else { theme.key })
        }
    };
    let name_style = if matches!(line, Line::Conflict(_)) { ground.patch(theme.blocked) } else { ground };
    let value = text::clip(&value, place.cols / 2);
    let value_col = place.right().saturating_sub(1 + text::width(&value));
    let room = value_col.saturating_sub(place.col + 2);
    text::put(buffer, place, place.row, place.col + 1, &text::clip(&name, room), name_style);
    text::put(buffer, place, place.row, value_col, &value, style);
}

/// An empty text is something to see.
fn quoted(value: &str) -> String {
    if value.is_empty() { "(empty)".to_owned() } else { value.to_owned() }
}

/// Two rows: what the chosen line is, or what is being typed, or how a change went; and the keys.
fn about(state: &State, screen: &Preferences, line: Option<&Line>, inside: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let Some(last) = inside.bottom().checked_sub(1) else { return };
    let keys = match (&screen.editing, line) {
        (Some(Editing::Value(..)), _) => "Enter takes it  ·  Esc leaves it",
        (Some(_), _) => "Esc leaves it",
        (None, Some(Line::Theme(..))) => {
            "↑ ↓ show it  ·  Enter takes it  ·  Tab next section  ·  Esc goes back"
        }
        (None, Some(Line::Binding(..))) => {
            "Enter binds a key after the prefix  ·  d direct  ·  x unbinds  ·  r as in the preset"
        }
        (None, Some(Line::Setting(setting, ..))) if setting.key.starts_with("notifications.sound") => {
            "Enter changes it  ·  t tries the sound  ·  Tab next section  ·  Esc closes"
        }
        (None, Some(Line::Integration(integration))) if integration.installed == Ok(true) => {
            "Enter takes it away  ·  Tab next section  ·  Esc closes"
        }
        (None, Some(Line::Integration(_))) => "Enter installs it  ·  Tab next section  ·  Esc closes",
        (None, _) => "Enter changes it  ·  ← → values  ·  Tab next section  ·  Esc closes",
    };
    text::put(buffer, inside, last, inside.col, &text::clip(keys, inside.cols), theme.overlay_muted);
    let Some(row) = last.checked_sub(1) else { return };
    if let Some(Editing::Value(_, field)) = &screen.editing {
        let col = text::put(buffer, inside, row, inside.col, "› ", theme.key);
        text::put(buffer, inside, row, col, field.text(), theme.overlay);
    }
    let (told, style) = told(screen, line);
    let told_row =
        if matches!(screen.editing, Some(Editing::Value(..))) { row.saturating_sub(1) } else { row };
    let style = if style { theme.overlay.patch(theme.blocked) } else { theme.overlay };
    text::put(buffer, inside, told_row, inside.col, &text::clip(&told, inside.cols), style);
}

/// What is to say, and whether it is a refusal.
fn told(screen: &Preferences, line: Option<&Line>) -> (String, bool) {
    if let Some(Outcome::Refused(why)) = &screen.outcome {
        return (why.clone(), true);
    }
    let text = match (&screen.editing, &screen.outcome, line) {
        (Some(Editing::Prefix(None)), _, _) => "press the new prefix".to_owned(),
        (Some(Editing::Prefix(Some(chord))), _, _) => {
            format!("press {chord} once more to make it the prefix")
        }
        (Some(Editing::Binding(action, false)), _, _) => {
            format!("press the key for `{}` after the prefix", action.id())
        }
        (Some(Editing::Binding(action, true)), _, _) => {
            format!("press the key for `{}` without the prefix", action.id())
        }
        (None, Some(Outcome::Done), Some(Line::Integration(_))) => {
            "written; agents that start from now on go by it".to_owned()
        }
        (None, Some(Outcome::Asked), _) => "…".to_owned(),
        (None, Some(Outcome::Done), _) => "in force".to_owned(),
        (_, _, Some(Line::Setting(setting, ..))) => {
            let words = setting.kind.words().replace('`', "");
            format!("{}  ({words})", setting.text.replace('`', ""))
        }
        (_, _, Some(Line::Integration(integration))) => match &integration.installed {
            Err(why) => why.clone(),
            Ok(_) => format!("an entry of our own in {}", integration.path),
        },
        (_, _, Some(Line::Theme(..))) => "What is shown here is taken only with Enter".to_owned(),
        (_, _, Some(Line::Conflict(_))) => {
            "This binding does not count; mend it below or in config.toml".to_owned()
        }
        (_, _, Some(Line::Binding(action, _))) => format!("command id {}", action.id()),
        (_, _, None) => String::new(),
    };
    (text, false)
}
