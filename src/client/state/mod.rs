//! Everything the client knows: its copy of the server's state, and what is only its own.
//!
//! Invariant: only [`super::update`] and the modules it calls change a state, and they do no I/O.

mod agents;
mod alerts;
mod finder;
mod hands;
mod layer;
mod menu;
mod mission;
mod picker;
mod pointer;
mod preferences;
mod strip;
mod touch;

pub use agents::{Listed, age, blocked_elsewhere, count_in, dock_agents, next_in};
pub use alerts::Alerts;
pub use finder::{Entry as FinderEntry, Finder, Scope};
pub use hands::{Asked, Clicks, Copy, Find, Selection, Wanted};
pub use layer::{DockCursor, Help, Layer, Offered, Prompt, Purpose};
pub use menu::{Item, Menu};
pub use mission::{Chosen, Entry, Mission};
pub use picker::{Choice, Match, Picker, Row, Source, pane_name};
pub use pointer::{Drag, Grip, Hit};
pub use preferences::{Editing, Line, Outcome, Preferences, conflicts, shown};
pub use strip::{Strip, Targets};
pub use touch::Touch;

use super::areas::{Areas, Viewport, announced};
use super::follow::Links;
use super::mirror::Mirror;
pub use super::mirror::ScratchView;
use super::options::Form;
use super::theme::Theme;
use crate::config::keymap::Keymap;
use crate::config::theme::{Palette, built_in};
use crate::config::{Borders, Config};
use crate::protocol::agent::Conversation;
use crate::protocol::attach::message::{IntegrationState, Level, Room};
use crate::protocol::frame::Frame;
use crate::protocol::geometry::{Rect, Size};
use crate::protocol::ids::PaneId;
use crate::protocol::key::KeyCode;
use crate::protocol::outer::OuterColors;
use crate::protocol::scene::{Scene, WorkspaceScene};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Notices that wait for their turn; further ones push out the oldest.
const NOTICES: usize = 16;

/// What the next key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// It is the pane's.
    #[default]
    Normal,
    /// It follows the prefix.
    Prefix,
    /// It resizes the focused pane.
    Resize,
}

/// A list in a sidebar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dock {
    /// The workspaces.
    Workspaces,
    /// What runs.
    Agents,
}

/// One sidebar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Whether it should be shown.
    pub visible: bool,
    /// Its width in cells.
    pub width: u16,
    /// Its docks from the top.
    pub docks: Vec<Dock>,
}

impl Side {
    /// As the settings have it.
    pub fn new(sidebar: &crate::config::Sidebar) -> Self {
        let docks = sidebar.docks.iter().filter_map(|name| match name.as_str() {
            "workspaces" => Some(Dock::Workspaces),
            "agents" => Some(Dock::Agents),
            _ => None,
        });
        Self { visible: sidebar.visible, width: sidebar.width, docks: docks.collect() }
    }

    fn wanted(&self) -> Option<u16> {
        self.visible.then_some(self.width)
    }
}

/// What must be drawn anew.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Damage {
    /// Everything.
    pub full: bool,
    /// These rows of these panes.
    pub panes: BTreeMap<PaneId, BTreeSet<u16>>,
    /// The cursor may have moved.
    pub cursor: bool,
}

impl Damage {
    /// Whether nothing must be drawn.
    pub fn is_none(&self) -> bool {
        !self.full && !self.cursor && self.panes.is_empty()
    }
}

/// The lines for the status bar, one at a time.
#[derive(Debug, Default)]
pub struct Notices {
    queue: VecDeque<(Level, String)>,
    /// Counts the notices shown, so that the loop sees when its timer must start anew.
    pub serial: u64,
}

impl Notices {
    /// The notice to show.
    pub fn current(&self) -> Option<&(Level, String)> {
        self.queue.front()
    }

    /// Shows a notice at once, in the place of the current one.
    pub fn show(&mut self, level: Level, text: String) {
        self.queue.pop_front();
        self.queue.push_front((level, text));
        self.serial += 1;
    }

    /// Shows a notice after those that wait.
    pub fn queue(&mut self, level: Level, text: String) {
        if self.queue.len() >= NOTICES {
            self.queue.pop_front();
        }
        self.queue.push_back((level, text));
        self.serial += 1;
    }

    /// The time of the current notice is over.
    pub fn next(&mut self) {
        self.queue.pop_front();
        self.serial += 1;
    }
}

/// A pane in scroll mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scrolled {
    /// The number of the last request to move.
    pub asked: u32,
    /// Whether a picture has answered it. Before that the picture at hand is an older one, which tells
    /// nothing about where the request led.
    pub answered: bool,
    /// Whether it stays in scroll mode where the live screen is reached.
    pub stays: bool,
}

/// A key that is down, whatever modifiers have changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldKey {
    /// Which key; letters in lower case.
    pub code: KeyCode,
    /// Whether it is on the keypad.
    pub keypad: bool,
    /// The pane that got the press.
    pub pane: PaneId,
}

/// The client's state.
pub struct State {
    /// The look.
    pub theme: Theme,
    /// The themes that there are.
    pub theme_names: Vec<String>,
    /// The settings in force.
    pub config: Config,
    /// The keys.
    pub keymap: Keymap,
    /// What the outer terminal has told of its colours.
    pub outer_colors: Option<OuterColors>,
    /// Name of the session.
    pub session: String,
    /// Version of the program.
    pub version: String,
    /// The person's home folder.
    pub home: Option<String>,
    /// How narrow screens are told from others.
    pub form: Form,
    /// Whether the locale is UTF-8.
    pub utf8: bool,
    /// Whether frames have titles.
    pub show_titles: bool,
    /// Whether the dock shows workspaces' paths.
    pub workspace_paths: bool,
    /// Whether the AGENTS dock shows this workspace only.
    pub agents_here: bool,
    /// Whether it shows agents only, and no conversations to go on with.
    pub agents_active: bool,
    /// The conversations that no pane goes on with, the newest first, as the server listed them last.
    pub conversations: Vec<Conversation>,
    /// The agents that can be made to tell of their conversations, as the server listed them last.
    pub integrations: Vec<IntegrationState>,
    /// The time, in milliseconds since 1970, when something happened last.
    pub now_ms: u64,
    /// Whether bells ring.
    pub bell: bool,
    /// The screen.
    pub size: Size,
    /// The room that the server knows.
    pub announced: Room,
    /// The left sidebar.
    pub left: Side,
    /// The right sidebar.
    pub right: Side,
    /// The server's state.
    pub mirror: Mirror,
    /// What the next key means, when no layer wants it.
    pub mode: Mode,
    /// Overlays; the last one is on top and gets the keys.
    pub layers: Vec<Layer>,
    /// Panes that this client looks back in.
    pub scrolled: BTreeMap<PaneId, Scrolled>,
    /// A row of a pane to look at, once the pane is shown.
    pub line: Option<(PaneId, u64)>,
    /// Searches so far.
    pub searches: u32,
    /// Requests to scroll so far, on this connection.
    pub scrolls: u32,
    /// Copy mode, where a pane is in it.
    pub copy: Option<Copy>,
    /// The search in a pane's history.
    pub find: Option<Find>,
    /// What the mouse has selected.
    pub selection: Option<Selection>,
    /// Questions about panes' texts that wait for their answers.
    pub asked: Vec<Asked>,
    /// Questions so far.
    pub questions: u32,
    /// Clicks in a row.
    pub clicks: Clicks,
    /// Keys that are down.
    pub held: Vec<HeldKey>,
    /// The divider (by its index in the layout) under the pointer.
    pub hover: Option<usize>,
    /// What the pressed button drags.
    pub drag: Option<Drag>,
    /// What can be clicked, from the last full drawing; later ones lie on top.
    pub hits: Vec<(Rect, Hit)>,
    /// The first tab shown, if the person has scrolled the tab bar.
    pub tab_first: Option<usize>,
    /// The first entry of the dock that the wheel has moved, until another pane is focused.
    pub dock_first: Option<(Dock, usize)>,
    /// The status bar's lines.
    pub notices: Notices,
    /// What the person was told of.
    pub alerts: Alerts,
    /// Whether the server is away and the picture an old one.
    pub stale: bool,
    /// Links under the pointer.
    pub links: Links,
    /// The person's editor.
    pub editor: Option<String>,
    /// What is told while the server is away.
    pub away: String,
    /// The part of the layout that is shown.
    pub viewport: Viewport,
    /// What must be drawn.
    pub damage: Damage,
}

impl State {
    /// The state at the start, on a screen of `size`.
    pub fn new(config: &Config, size: Size) -> Self {
        let mut state = Self {
            theme: Theme::of(&Palette::default()),
            theme_names: built_in().map(str::to_owned).collect(),
            config: config.clone(),
            keymap: config.keymap.clone(),
            outer_colors: None,
            session: String::new(),
            version: String::new(),
            home: None,
            form: Form::Auto,
            utf8: true,
            show_titles: config.show_titles,
            workspace_paths: config.workspace_paths,
            agents_here: config.agents_this_workspace,
            agents_active: config.agents_active_only,
            conversations: Vec::new(),
            integrations: Vec::new(),
            now_ms: 0,
            bell: config.bell,
            size,
            announced: Room { area: size, alone: false },
            left: Side::new(&config.left),
            right: Side::new(&config.right),
            mirror: Mirror::default(),
            mode: Mode::Normal,
            layers: Vec::new(),
            scrolled: BTreeMap::new(),
            line: None,
            searches: 0,
            scrolls: 0,
            copy: None,
            find: None,
            selection: None,
            asked: Vec::new(),
            questions: 0,
            clicks: Clicks::default(),
            held: Vec::new(),
            hover: None,
            drag: None,
            hits: Vec::new(),
            tab_first: None,
            dock_first: None,
            notices: Notices::default(),
            alerts: Alerts::default(),
            stale: false,
            links: Links::default(),
            editor: None,
            away: String::new(),
            viewport: Viewport::default(),
            damage: Damage { full: true, ..Damage::default() },
        };
        state.announce();
        state
    }

    /// Takes the room there is for what the server knows, before it is told.
    pub fn announce(&mut self) {
        self.announced = announced(self.areas().panes, self.narrow());
    }

    /// Whether luvus' own glyphs are drawn in ASCII.
    pub fn ascii(&self) -> bool {
        match self.config.borders {
            Borders::Auto => !self.utf8,
            Borders::Unicode => false,
            Borders::Ascii => true,
        }
    }

    /// Whether this is a narrow screen: one pane and a header of two rows.
    pub fn narrow(&self) -> bool {
        match self.form {
            Form::Auto => self.size.cols <= self.config.mobile_width,
            Form::Mobile => true,
            Form::Desktop => false,
        }
    }

    /// The parts of the screen.
    pub fn areas(&self) -> Areas {
        if self.narrow() {
            return Areas::narrow(self.size);
        }
        Areas::of(self.size, self.left.wanted(), self.right.wanted())
    }

    /// The scene, if one has come.
    pub fn scene(&self) -> Option<&Scene> {
        self.mirror.scene.as_deref()
    }

    /// The focused pane.
    pub fn focused(&self) -> Option<PaneId> {
        self.scene()?.layout.focused
    }

    /// The focused pane's picture.
    pub fn focused_frame(&self) -> Option<&Frame> {
        self.mirror.frame(self.focused()?)
    }

    /// Whether the AGENTS dock is on the screen.
    pub fn shows_agents(&self) -> bool {
        let areas = self.areas();
        let sides = [(&self.left, areas.left), (&self.right, areas.right)];
        sides.iter().any(|(side, area)| area.is_some() && side.docks.contains(&Dock::Agents))
    }

    /// Whether conversations to go on with are on the screen.
    pub fn lists_past(&self) -> bool {
        let mission = self.layers.iter().any(|layer| matches!(layer, Layer::Mission(_)));
        mission || (!self.agents_active && self.shows_agents())
    }

    /// Whether times are on the screen, which grow old.
    pub fn shows_ages(&self) -> bool {
        let dock = self.shows_agents();
        let mission = self.layers.iter().any(|layer| matches!(layer, Layer::Mission(_)));
        (dock || mission)
            && self.scene().is_some_and(|scene| scene.panes.iter().any(|pane| pane.agent.is_some()))
    }

    /// Whether the focused pane is in scroll mode.
    pub fn scrolling(&self) -> bool {
        self.focused().is_some_and(|pane| self.scrolled.contains_key(&pane))
    }

    /// The cursor's cell in a pane, where it is in the picture: copy mode has one of its own.
    pub fn cursor_in(&self, pane: PaneId) -> Option<(u16, u16)> {
        let frame = self.mirror.frame(pane)?;
        let Some(copy) = self.copy.as_ref().filter(|copy| copy.pane == pane) else {
            return frame.cursor.map(|cursor| (cursor.row, cursor.col));
        };
        let row = u16::try_from(copy.cursor.row.checked_sub(frame.first)?).ok()?;
        (row < frame.size.rows).then_some((row, copy.cursor.col.min(frame.size.cols.saturating_sub(1))))
    }

    /// Keeps the focused pane's cursor in view; a move of the viewport redraws everything.
    pub fn follow_cursor(&mut self) {
        let own = self.areas().panes.size();
        let Some(scene) = self.scene() else { return };
        let place = scene.layout.places.iter().find(|place| Some(place.pane) == scene.layout.focused);
        let cursor = place.and_then(|place| {
            let (row, col) = self.cursor_in(place.pane)?;
            Some((place.content.row.saturating_add(row), place.content.col.saturating_add(col)))
        });
        let target = cursor.or(place.map(|place| (place.content.row, place.content.col)));
        let viewport = self.viewport.follow(own, scene.layout.area, target);
        if viewport != self.viewport {
            self.viewport = viewport;
            self.damage.full = true;
        }
    }

    /// Tells the person that something did not work.
    pub fn warn(&mut self, text: String) {
        self.notices.show(Level::Warning, text);
        self.damage.full = true;
    }

    /// The toast goes; what it told stays in the history.
    pub fn close_toast(&mut self) {
        if self.alerts.close().is_some() {
            self.damage.full = true;
        }
    }

    /// Changes the mode.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.damage.full = true;
    }

    /// Returns to the ordinary mode.
    pub fn leave_mode(&mut self) {
        if self.mode != Mode::Normal {
            self.set_mode(Mode::Normal);
        }
    }

    /// A path as people write it.
    pub fn short_path<'path>(&self, path: &'path str) -> std::borrow::Cow<'path, str> {
        let Some(home) = self.home.as_deref().filter(|home| !home.is_empty()) else { return path.into() };
        match path.strip_prefix(home) {
            Some("") => "~".into(),
            Some(rest) if rest.starts_with(['/', '\\']) => format!("~{rest}").into(),
            _ => path.into(),
        }
    }
}

/// The workspaces as the sidebar shows them: pinned ones first.
pub fn sidebar_order(scene: &Scene) -> Vec<&WorkspaceScene> {
    let (mut first, rest): (Vec<_>, Vec<_>) = scene.workspaces.iter().partition(|workspace| workspace.pinned);
    first.extend(rest);
    first
}

/// The row of what is focused.
pub fn active_row(state: &State, dock: Dock) -> usize {
    let Some(scene) = state.scene() else { return 0 };
    let found = match dock {
        Dock::Workspaces => sidebar_order(scene).iter().position(|workspace| workspace.active),
        Dock::Agents => {
            let focused =
                |listed: &Listed<'_>| listed.pane().is_some_and(|pane| Some(pane) == scene.layout.focused);
            dock_agents(state).iter().position(focused)
        }
    };
    found.unwrap_or(0)
}
