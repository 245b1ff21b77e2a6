//! The help: every effective key, from the live keymap, keys after the prefix and direct keys apart.

use super::{overlay, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Help, Hit, State};
use crate::config::chord::Chord;
use crate::config::keymap::{Action, actions};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::Buffer;

/// The widest box: a key, a sentence and a command id side by side.
const COLS: u16 = 84;
/// Columns of the keys, where there is room for a sentence too.
const KEY_COLS: u16 = 22;
/// Rows with which the box is worth more than what it would leave of the screen.
const FEWEST_ROWS: u16 = 12;
/// Stands for no key.
const UNBOUND: &str = "—";

/// The keys that no setting changes.
const FIXED: [(&str, &[(&str, &str)]); 6] = [
    ("Without the prefix", &[("PageUp", "A page back, if the program has not asked for the key")]),
    (
        "In scroll mode",
        &[
            ("j k", "A line down or up"),
            ("f b Space PgUp PgDn", "A page down or up"),
            ("g", "To the oldest line"),
            ("[ ]", "To the prompt above or below, if the shell marks them"),
            ("1 … 9", "To that tenth of the history"),
            ("/ ?", "Search upward or downward, as you type"),
            ("n N", "The next match, or the one before"),
            ("y", "Copy mode, from the first row shown"),
            ("q Esc 0 G", "Back to the live screen, as typing is"),
        ],
    ),
    (
        "In copy mode",
        &[
            ("h j k l", "A character or a row; arrows too"),
            ("w b e W B E", "By words; capitals by blanks alone"),
            ("0 ^ $", "The line's start, first text and end"),
            ("{ }", "The paragraph before or after"),
            ("g G", "The oldest row, the last text; with a number that line"),
            ("H M L", "The first, middle and last row in view"),
            ("Ctrl+U Ctrl+D", "Half a page up or down"),
            ("Ctrl+B Ctrl+F", "A page up or down; PgUp PgDn too"),
            ("1 … 9999", "Before a motion: so many times"),
            ("[ ]", "To the prompt above or below, if the shell marks them"),
            ("/ ? n N", "Search down or up; the next match, the one before"),
            ("v V Ctrl+V", "Select characters, lines, a block"),
            ("o", "To the selection's other end"),
            ("O", "Select the output of the command at the cursor"),
            ("y Enter", "Copy the selection, and leave"),
            ("Y", "Copy the line, and leave"),
            ("q Esc", "Leave, back to the view before"),
        ],
    ),
    (
        "With the mouse",
        &[
            ("drag", "Select in a pane; copied when let go. Its edge scrolls"),
            ("click twice, thrice", "Select a word, path or address; the line"),
            ("wheel", "Scroll the history, or what the program makes of it"),
            ("Shift", "With any of these: not for the program, but for luvus"),
            ("Ctrl+drag", "Resize the pane; or drag a line between panes"),
            ("right click", "A menu for a pane, tab, workspace or agent"),
        ],
    ),
    ("In resize mode", &[("arrows, h j k l", "Move the edge; with shift by five cells"), ("Esc", "Leave")]),
    ("In a dock", &[("j k", "Another row"), ("Enter", "Go there"), ("Esc", "Back to the pane")]),
];

/// Keys, a sentence and a command id.
type Entry = (String, String, &'static str);

/// One line of the help.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Blank,
    Heading(String),
    Entry { keys: String, text: String, id: &'static str },
}

/// Lines that the box shows.
pub fn page(state: &State) -> usize {
    usize::from(area(state.size).rows.saturating_sub(4)).max(1)
}

/// The largest first line with which the box is full.
pub fn last_top(state: &State, help: &Help) -> usize {
    lines(state, help.query.text()).len().saturating_sub(page(state))
}

/// Draws the help.
pub fn render(state: &State, help: &Help, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let theme = &state.theme;
    let area = area(state.size);
    overlay::frame(state, area, "Keys", buffer);
    hits.push((area, Hit::Overlay));
    let inside = overlay::inside(area);
    let lines = lines(state, help.query.text());
    let list = Rect { rows: inside.rows.saturating_sub(2), ..inside };
    let top = help.top.min(lines.len().saturating_sub(page(state)));
    for (row, line) in (list.row..list.bottom()).zip(lines.iter().skip(top)) {
        match line {
            Line::Blank => {}
            Line::Heading(heading) => {
                text::put(buffer, list, row, list.col, heading, theme.overlay_border);
            }
            Line::Entry { keys, text, id } => entry(state, list, row, (keys, text, id), buffer),
        }
    }
    let below = lines.len().saturating_sub(top + usize::from(list.rows));
    footer(state, help, (lines.is_empty(), below), inside, buffer);
}

/// The cursor in the search line.
pub fn cursor(state: &State, help: &Help) -> Option<ScreenCursor> {
    let inside = overlay::inside(area(state.size));
    let col = inside.col.saturating_add(1).saturating_add(help.query.cursor_cols());
    let row = inside.bottom().checked_sub(1)?;
    help.searching.then_some(ScreenCursor { row, col, shape: CursorShape::Bar { blink: false } })
}

fn area(screen: Size) -> Rect {
    overlay::centred(screen, Size::new(screen.rows.saturating_sub(2).clamp(FEWEST_ROWS, 56), COLS))
}

fn entry(state: &State, list: Rect, row: u16, (keys, sentence, id): (&str, &str, &str), buffer: &mut Buffer) {
    let theme = &state.theme;
    let style = if keys == UNBOUND { theme.overlay_muted } else { theme.key };
    let key_cols = KEY_COLS.min(list.cols / 3);
    text::put(buffer, list, row, list.col + 1, &text::clip(keys, key_cols), style);
    let start = list.col + key_cols + 2;
    let room = list.right().saturating_sub(start);
    let end = text::put(buffer, list, row, start, &text::clip(sentence, room), theme.overlay);
    let id_cols = text::width(id);
    if end + 2 + id_cols <= list.right() {
        text::put(buffer, list, row, list.right() - id_cols, id, theme.overlay_muted);
    }
}

fn footer(state: &State, help: &Help, (nothing, below): (bool, usize), inside: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let Some(row) = inside.bottom().checked_sub(1) else { return };
    let query = help.query.text();
    if help.searching || !query.is_empty() {
        let col = text::put(buffer, inside, row, inside.col, "/", theme.key);
        let col = text::put(buffer, inside, row, col, query, theme.overlay);
        if nothing {
            text::put(buffer, inside, row, col + 2, "nothing found", theme.overlay_muted);
        }
    } else {
        let more = if below > 0 { "   ↓ more" } else { "" };
        let hint = text::clip(&format!("/ search   j k scroll   q close{more}"), inside.cols);
        text::put(buffer, inside, row, inside.col, &hint, theme.overlay_muted);
    }
}

fn lines(state: &State, query: &str) -> Vec<Line> {
    let query = query.trim().to_lowercase();
    let mut lines = Vec::new();
    let mut group = "";
    let mut entries = Vec::new();
    for info in actions() {
        if info.group != group {
            section(&mut lines, format!("{}, after {}", group, state.keymap.prefix), &mut entries, &query);
            group = info.group;
        }
        // A search wants each of them.
        if let Some(line) = nine(&state.keymap.prefixed, info.action).filter(|_| query.is_empty()) {
            entries.extend(line);
            continue;
        }
        let keys = keys_in(&state.keymap.prefixed, info.action);
        // Unbound actions are shown for their ids; one with a direct key has its line below.
        if keys.is_some() || keys_in(&state.keymap.direct, info.action).is_none() {
            entries.push((keys.unwrap_or_else(|| UNBOUND.into()), info.text.to_owned(), info.id));
        }
    }
    section(&mut lines, format!("{}, after {}", group, state.keymap.prefix), &mut entries, &query);
    direct(state, &mut entries);
    for (index, (heading, keys)) in FIXED.iter().enumerate() {
        if index > 0 {
            entries.clear();
        }
        entries.extend(keys.iter().map(|(keys, text)| ((*keys).to_owned(), (*text).to_owned(), "")));
        section(&mut lines, (*heading).to_owned(), &mut entries, &query);
    }
    lines
}

/// Adds what matches of a section, with its heading; the entries are used up.
fn section(lines: &mut Vec<Line>, heading: String, entries: &mut Vec<Entry>, query: &str) {
    let found = |(keys, text, id): &Entry| {
        [keys.to_lowercase(), text.to_lowercase(), (*id).to_owned()].iter().any(|text| text.contains(query))
    };
    let mut matching = entries.drain(..).filter(found).peekable();
    if matching.peek().is_none() {
        return;
    }
    if !lines.is_empty() {
        lines.push(Line::Blank);
    }
    lines.push(Line::Heading(heading));
    lines.extend(matching.map(|(keys, text, id)| Line::Entry { keys, text, id }));
}

/// The nine actions that only differ by their number share the line of the first one (the others
/// have `Some(None)`), where each of them has one key.
fn nine(list: &[(Chord, Action)], action: Action) -> Option<Option<Entry>> {
    let (kind, number, text, id): (fn(u8) -> Action, _, _, _) = match action {
        Action::Tab(number) => (Action::Tab, number, "Go to tab 1 … 9", "tab_1 … 9"),
        Action::Workspace(number) => {
            (Action::Workspace, number, "Go to workspace 1 … 9 of the sidebar", "workspace_1 … 9")
        }
        _ => return None,
    };
    let only = |number| {
        let mut bound = list.iter().filter(|(_, bound)| *bound == kind(number));
        let (chord, _) = bound.next()?;
        bound.next().is_none().then_some(chord)
    };
    let keys: Vec<&Chord> = (1..=9).map(only).collect::<Option<_>>()?;
    let (first, last) = (keys.first()?, keys.last()?);
    Some((number == 1).then(|| (format!("{first} … {last}"), text.to_owned(), id)))
}

fn direct(state: &State, entries: &mut Vec<Entry>) {
    for info in actions() {
        if let Some(keys) = keys_in(&state.keymap.direct, info.action) {
            entries.push((keys, info.text.to_owned(), info.id));
        }
    }
}

/// The keys of an action in one list.
fn keys_in(list: &[(Chord, Action)], action: Action) -> Option<String> {
    let bound = list.iter().filter(|(_, bound)| *bound == action);
    let keys: Vec<String> = bound.map(|(chord, _)| chord.to_string()).collect();
    (!keys.is_empty()).then(|| keys.join(" "))
}
