//! Mission Control: totals, a row for each agent by urgency, and the chosen one's screen below.

use super::{agents, overlay, text};
use crate::client::screen::ScreenCursor;
use crate::client::state::{Entry, Hit, Listed, Mission, State, age, count_in};
use crate::protocol::agent::{AgentScene, AgentState, ContextUsed, Conversation, UsageScene};
use crate::protocol::attach::message::Level;
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::scene::{PaneScene, Scene};
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

/// Columns of the list from which it has a line of headings.
const HEADED: u16 = 72;
/// What is not known.
const UNKNOWN: &str = "—";
/// Before what is typed.
const LABEL_COLS: u16 = 9;

/// Draws it over everything.
pub fn render(state: &State, mission: &Mission, buffer: &mut Buffer, hits: &mut Vec<(Rect, Hit)>) {
    let area = area(state);
    let scope = if mission.this_workspace { "this workspace" } else { "all workspaces" };
    overlay::frame(state, area, &format!("Mission Control · {scope} · {}", mission.filter.word()), buffer);
    hits.push((area, Hit::Overlay));
    let Some(scene) = state.scene() else { return };
    let inside = overlay::inside(area);
    let rows = mission.rows(state);
    let parts = Parts::of(inside, rows.len());
    totals(state, scene, inside, parts.usage_row, buffer);
    list(state, scene, mission, &rows, &parts, (buffer, hits));
    let row = mission.row(&rows);
    match rows.get(row) {
        Some(Listed::Agent(pane, agent)) => {
            detail(state, scene, mission, (pane, agent), parts.detail, buffer);
        }
        Some(Listed::Past(past)) => past_detail(state, past, parts.detail, buffer),
        None => nothing(state, mission, parts.list, buffer),
    }
    if rows.len() > usize::from(parts.list.rows) && parts.detail.rows > 0 {
        // The list is cut: where in it one is stands on the rule below.
        let place = format!(" {} of {} ", row + 1, rows.len());
        let col = parts.detail.right().saturating_sub(text::width(&place) + 1);
        text::put(buffer, parts.detail, parts.detail.row, col, &place, state.theme.overlay_muted);
    }
    footer(state, mission, inside, buffer);
}

/// The cursor in the line that is typed.
pub fn cursor(state: &State, mission: &Mission) -> Option<ScreenCursor> {
    let (Entry::Prompt(field) | Entry::Keys(field)) = mission.entry.as_ref()?;
    let inside = overlay::inside(area(state));
    let col = inside.col.saturating_add(LABEL_COLS).saturating_add(field.cursor_cols());
    let col = col.min(inside.right().checked_sub(1)?);
    Some(ScreenCursor { row: inside.bottom().checked_sub(1)?, col, shape: CursorShape::Bar { blink: false } })
}

fn area(state: &State) -> Rect {
    let Size { rows, cols } = state.size;
    // Wide screens keep a rim of what is below, so that one sees where one is.
    let rim = |cells: u16, from: u16| if cells > from { 2 } else { 0 };
    overlay::centred(state.size, Size::new(rows - rim(rows, 30), cols - 2 * rim(cols, 100)))
}

/// Where things stand inside the box.
struct Parts {
    /// The row of what was used, where it has one of its own.
    usage_row: Option<u16>,
    /// The headings of the list.
    headings: Option<Rect>,
    list: Rect,
    detail: Rect,
}

impl Parts {
    /// The list gets what it needs of its share; the chosen one's screen, which is to be read, has the rest.
    fn of(inside: Rect, rows: usize) -> Self {
        let (roomy, airy) = (inside.rows >= 16, inside.rows >= 26);
        let own_row = roomy && inside.cols < WHOLE_TOTALS;
        let above = 1 + u16::from(own_row) + u16::from(airy);
        let below = 1 + u16::from(airy);
        let headed = roomy && inside.cols >= HEADED;
        let body =
            Rect { row: inside.row + above, rows: inside.rows.saturating_sub(above + below), ..inside };
        let headings = headed.then_some(Rect { rows: 1, ..body });
        let first = body.row + u16::from(headed);
        let wanted = u16::try_from(rows).unwrap_or(u16::MAX).max(1);
        let room = body.rows.saturating_sub(u16::from(headed));
        let share = if airy { room / 2 } else { (room / 3).max(2) };
        let list = Rect { row: first, rows: wanted.min(share).min(room), ..body };
        let from = list.bottom() + u16::from(roomy);
        let detail = Rect { row: from, rows: body.bottom().saturating_sub(from), ..body };
        Self { usage_row: own_row.then_some(inside.row + 1), headings, list, detail }
    }
}

/// From so many columns on all totals stand on one line.
const WHOLE_TOTALS: u16 = 104;

/// Agents in each state, and what is known of their use.
fn totals(state: &State, scene: &Scene, inside: Rect, usage_row: Option<u16>, buffer: &mut Buffer) {
    let muted = state.theme.overlay_muted;
    let mut col = inside.col;
    for of in AgentState::ALL {
        let count = count_in(scene, of);
        // Nobody asks how many are in no state, unless there are some.
        if count == 0 && of == AgentState::Unknown {
            continue;
        }
        let (mark, style) = agents::mark(state, of);
        let style = if count == 0 { muted } else { Style { bg: None, ..style } };
        let full = format!("{mark} {count} {}", of.as_str());
        let short = format!("{mark} {count}");
        let part = if inside.cols >= HEADED { full } else { short };
        if col + text::width(&part) > inside.right() {
            break;
        }
        col = text::put(buffer, inside, inside.row, col, &part, style) + 3;
    }
    let used = usage_line(scene);
    let (row, from) = match usage_row {
        Some(row) => (row, inside.col),
        None => (inside.row, inside.right().saturating_sub(text::width(&used))),
    };
    if usage_row.is_some() || from >= col {
        text::put(buffer, inside, row, from, &text::clip(&used, inside.cols), muted);
    }
}

fn usage_line(scene: &Scene) -> String {
    let known: Vec<&UsageScene> =
        scene.panes.iter().filter_map(|pane| pane.agent.as_ref()?.usage.as_ref()).collect();
    let sum = |of: fn(&UsageScene) -> Option<u64>| {
        let known: Vec<u64> = known.iter().filter_map(|usage| of(usage)).collect();
        (!known.is_empty()).then(|| known.into_iter().fold(0, u64::saturating_add))
    };
    let told = |amount: Option<String>| amount.unwrap_or_else(|| UNKNOWN.to_owned());
    format!(
        "tokens {}  ·  cost {}  ·  burn {}/h",
        told(sum(|usage| Some(usage.tokens)).map(count)),
        told(sum(|usage| usage.cost_micros).map(money)),
        told(sum(|usage| usage.burn_micros).map(money)),
    )
}

/// A number of tokens in at most five characters.
fn count(tokens: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", tokens / unit, tokens % unit / (unit / 10));
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..100_000 => format!("{}k", tenths(1_000)),
        100_000..1_000_000 => format!("{}k", tokens / 1_000),
        1_000_000..100_000_000 => format!("{}M", tenths(1_000_000)),
        100_000_000..1_000_000_000 => format!("{}M", tokens / 1_000_000),
        _ => format!("{}G", tokens / 1_000_000_000),
    }
}

/// An amount of money.
fn money(micros: u64) -> String {
    let cents = micros.saturating_add(5_000) / 10_000;
    if cents >= 1_000_000 { (cents / 100).to_string() } else { format!("{}.{:02}", cents / 100, cents % 100) }
}

/// What a row tells, and how wide each part is in a list of so many columns; 0 leaves a part out.
struct Columns {
    /// Whether the state has room for progress.
    progress: bool,
    state: u16,
    time: u16,
    name: u16,
    place: u16,
    context: u16,
    tokens: u16,
    cost: u16,
}

impl Columns {
    fn of(cols: u16) -> Self {
        let from = |least: u16, width: u16| if cols >= least { width } else { 0 };
        Self {
            progress: cols >= 60,
            state: if cols >= 60 { 12 } else { 7 },
            time: 4,
            name: if cols >= 96 { 16 } else { 12 },
            place: if cols >= 96 { 18 } else { from(60, 14) },
            context: from(HEADED, 5),
            tokens: from(88, 6),
            cost: from(HEADED, 7),
        }
    }

    /// Draws the parts of a row: those at its end are flush right, the title takes what is left.
    fn put(&self, line: Rect, parts: &[(String, Style); 8], buffer: &mut Buffer) {
        let widths = [self.state, self.time, self.name, self.place];
        let ends = [self.context, self.tokens, self.cost];
        let mut col = line.col + 3;
        for ((part, style), width) in parts.iter().zip(widths).filter(|(_, width)| *width > 0) {
            let room = width.min(line.right().saturating_sub(col + 1));
            text::put(buffer, line, line.row, col, &text::clip(part, room), *style);
            col = col.saturating_add(width + 1).min(line.right());
        }
        let mut right = line.right().saturating_sub(1);
        for ((part, style), width) in parts[5..].iter().zip(ends).rev().filter(|(_, width)| *width > 0) {
            let part = text::clip(part, width);
            text::put(buffer, line, line.row, right.saturating_sub(text::width(&part)), &part, *style);
            right = right.saturating_sub(width + 1);
        }
        let (title, style) = &parts[4];
        let title = text::clip(title, right.saturating_sub(col));
        text::put(buffer, line, line.row, col, &title, *style);
    }
}

fn list(
    state: &State,
    scene: &Scene,
    mission: &Mission,
    rows: &[Listed<'_>],
    parts: &Parts,
    (buffer, hits): (&mut Buffer, &mut Vec<(Rect, Hit)>),
) {
    let columns = Columns::of(parts.list.cols);
    if let Some(line) = parts.headings.filter(|_| !rows.is_empty()) {
        let style = state.theme.overlay_muted;
        let words = ["state", "time", "name", "place", "title", "ctx", "tokens", "cost"];
        columns.put(line, &words.map(|word| (word.to_owned(), style)), buffer);
    }
    let chosen = mission.row(rows);
    let first = (chosen + 1).saturating_sub(usize::from(parts.list.rows));
    let lines = parts.list.row..parts.list.bottom();
    for (row, (index, listed)) in lines.zip(rows.iter().enumerate().skip(first)) {
        let line = Rect { row, rows: 1, ..parts.list };
        let selected = index == chosen;
        text::fill(buffer, line, if selected { state.theme.row_selected } else { state.theme.overlay });
        let muted = Style { bg: None, ..state.theme.overlay_muted };
        let muted = if selected { Style::new() } else { muted };
        let (mark, style, told) = match *listed {
            Listed::Agent(pane, agent) => {
                let shown = if columns.progress { agent.progress } else { None };
                agent_row(state, scene, (pane, agent, shown), muted)
            }
            Listed::Past(past) => past_row(state, past, muted),
        };
        text::put(buffer, line, line.row, line.col + 1, mark, style);
        columns.put(line, &told, buffer);
        hits.push((line, Hit::MissionRow(index)));
    }
}

type Told = (&'static str, Style, [(String, Style); 8]);

fn agent_row(
    state: &State,
    scene: &Scene,
    (pane, agent, progress): (&PaneScene, &AgentScene, Option<u8>),
    muted: Style,
) -> Told {
    let (mark, style) = agents::mark(state, agent.state);
    let on = Style { bg: None, ..style };
    let weight = if agent.unread { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let progress = progress.filter(|_| agent.state == AgentState::Working);
    let word = agent.state.as_str();
    let asks = agent.hint.as_deref().filter(|_| agent.state == AgentState::Blocked);
    let usage = agent.usage.as_ref();
    let told = |amount: Option<String>| (amount.unwrap_or_else(|| UNKNOWN.to_owned()), muted);
    let context = usage.and_then(|usage| usage.context).map(|used| match used {
        ContextUsed::Percent(percent) => format!("{percent}%"),
        ContextUsed::Tokens(tokens) => count(tokens),
    });
    let told = [
        (progress.map_or_else(|| word.to_owned(), |progress| format!("{word} {progress}%")), on),
        (age(state.now_ms, agent.since_ms), muted),
        (agents::name(pane, agent).to_owned(), weight),
        (agents::place(scene, pane), muted),
        (asks.or(agent.title.as_deref()).unwrap_or_default().to_owned(), muted),
        told(context),
        told(usage.map(|usage| count(usage.tokens))),
        told(usage.and_then(|usage| usage.cost_micros).map(money)),
    ];
    (mark, on, told)
}

fn past_row(state: &State, past: &Conversation, muted: Style) -> Told {
    let folder = past.cwd.as_deref().map(|cwd| state.short_path(cwd).into_owned()).unwrap_or_default();
    let place = folder.rsplit('/').next().unwrap_or_default().to_owned();
    let none = || (String::new(), muted);
    let told = [
        ("resume".to_owned(), muted),
        (past.at_ms.map(|at| age(state.now_ms, at)).unwrap_or_default(), muted),
        (past.agent.clone(), muted),
        (place, muted),
        (past.title.clone().unwrap_or(folder), muted),
        none(),
        none(),
        none(),
    ];
    (agents::RESUME, muted, told)
}

/// Why there is nothing, and what to do about it.
fn nothing(state: &State, mission: &Mission, list: Rect, buffer: &mut Buffer) {
    let hint = match (mission.filter.word(), mission.this_workspace) {
        ("all states", false) => "no agents yet: start one in a pane, and it shows up here",
        ("all states", true) => "no agents in this workspace; Tab shows all of them",
        (_, true) => "none here; f shows other states, Tab all workspaces",
        (_, false) => "none; f shows other states",
    };
    text::put(buffer, list, list.row, list.col, &text::clip(hint, list.cols), state.theme.overlay_muted);
}

/// A line with a title; where what is below begins.
fn rule(state: &State, title: &str, area: Rect, buffer: &mut Buffer) -> u16 {
    if area.rows == 0 {
        return area.row;
    }
    let rule = "─".repeat(usize::from(area.cols));
    text::put(buffer, area, area.row, area.col, &rule, state.theme.overlay_muted);
    let title = text::clip(&format!("─ {title} "), area.cols);
    text::put(buffer, area, area.row, area.col, &title, state.theme.overlay_border);
    area.row + 1
}

fn detail(
    state: &State,
    scene: &Scene,
    mission: &Mission,
    (pane, agent): (&PaneScene, &AgentScene),
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = &state.theme;
    let title = format!("{} · {}", agents::name(pane, agent), agents::place(scene, pane));
    let mut row = rule(state, &title, area, buffer);
    let blocked = Style { bg: None, ..theme.blocked };
    let asks = agent.hint.as_deref().filter(|_| agent.state == AgentState::Blocked);
    let Some(peek) = mission.seen(state) else {
        text::put(buffer, area, row, area.col, "looking at its screen…", theme.overlay_muted);
        return;
    };
    // A question that its screen does not show, since the program only reports it.
    let says = |line: &str| asks.is_some_and(|asks| line.trim().starts_with(asks));
    if let Some(hint) = asks.filter(|_| !peek.lines.iter().any(|line| says(line))) {
        text::put(buffer, area, row, area.col, &text::clip(&format!("◆ {hint}"), area.cols), blocked);
        row += 1;
    }
    let room = usize::from(area.bottom().saturating_sub(row));
    let mut lines: Vec<&str> = peek.lines.iter().map(String::as_str).collect();
    if lines.len() > room {
        // What is to be read comes before what is blank.
        lines.retain(|line| !line.trim().is_empty());
    }
    let last = &lines[lines.len().saturating_sub(room)..];
    for (row, line) in (row..area.bottom()).zip(last) {
        let style = if says(line) { theme.overlay.patch(blocked) } else { theme.overlay };
        text::put(buffer, area, row, area.col, &text::clip(line, area.cols), style);
    }
}

fn past_detail(state: &State, past: &Conversation, area: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let first = rule(state, &format!("a conversation of {}", past.agent), area, buffer);
    let folder = past.cwd.as_deref().map(|cwd| state.short_path(cwd).into_owned());
    let lines = [
        past.title.as_ref().map(|title| ("", title.clone(), theme.overlay)),
        folder.map(|folder| ("folder  ", folder, theme.overlay)),
        Some(("id      ", past.id.clone(), theme.overlay)),
        Some(("", "Enter goes on with it in a new tab".to_owned(), theme.overlay_muted)),
    ];
    for (row, (label, line, style)) in (first..area.bottom()).zip(lines.into_iter().flatten()) {
        let col = text::put(buffer, area, row, area.col, label, theme.overlay_muted);
        let line = text::clip(&line, area.right().saturating_sub(col));
        text::put(buffer, area, row, col, &line, style);
    }
}

/// What can be pressed, most wanted first.
const KEYS: [(&str, &str); 8] = [
    ("Enter", "go"),
    ("k", "keys"),
    ("p", "prompt"),
    ("f", "filter"),
    ("Tab", "scope"),
    ("r", "refresh"),
    ("Esc", "close"),
    ("↑ ↓", "choose"),
];

/// The line that is typed, else the last notice, which lies under the box, else the keys.
fn footer(state: &State, mission: &Mission, inside: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    let Some(row) = inside.bottom().checked_sub(1) else { return };
    let (label, field) = match &mission.entry {
        Some(Entry::Prompt(field)) => ("prompt › ", field),
        Some(Entry::Keys(field)) => ("keys   › ", field),
        None => {
            if let Some((level, notice)) = state.notices.current() {
                let warns = *level == Level::Warning;
                let style = if warns { theme.overlay.patch(theme.blocked) } else { theme.overlay };
                let notice = text::clip(notice, inside.cols);
                text::put(buffer, inside, row, inside.col, &notice, Style { bg: None, ..style });
                return;
            }
            let mut col = inside.col;
            for (key, word) in KEYS {
                if col + text::width(key) + text::width(word) + 1 > inside.right() {
                    break;
                }
                col = text::put(buffer, inside, row, col, key, theme.key);
                col = text::put(buffer, inside, row, col + 1, word, theme.overlay_muted) + 3;
            }
            return;
        }
    };
    let col = text::put(buffer, inside, row, inside.col, label, theme.key);
    text::put(buffer, inside, row, col, field.text(), theme.overlay);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        let counts: Vec<String> =
            [0, 999, 1_000, 12_345, 123_456, 1_234_567, 123_456_789, 5_000_000_000].map(count).into();
        assert_eq!(counts, ["0", "999", "1.0k", "12.3k", "123k", "1.2M", "123M", "5G"]);
        let amounts: Vec<String> = [0, 4_999, 5_000, 1_254_999, 12_000_000_000].map(money).into();
        assert_eq!(amounts, ["0.00", "0.00", "0.01", "1.25", "12000"]);
        assert!(counts.iter().all(|count| count.len() <= 5));
    }
}
