//! The look: one palette, and a style for each role. Views name roles, never colours.
//!
//! Pane contents keep the outer terminal's own default colours; the theme is for what luvus draws.

use crate::config::theme::Palette;
use crate::protocol::style::Color as Wanted;
use ratatui::style::{Color, Modifier, Style};

/// A style for each role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// Sidebars, tab bar and status bar: ordinary text.
    pub panel: Style,
    /// Second-rank text on them.
    pub muted: Style,
    /// Third-rank text on them: paths, hints.
    pub faint: Style,
    /// A dock's heading.
    pub heading: Style,
    /// The row of what is focused.
    pub row_active: Style,
    /// The row that the dock's own cursor is on.
    pub row_selected: Style,
    /// The stripe beside the focused row, and other accents.
    pub accent: Style,
    /// A button of the bars.
    pub button: Style,
    /// The focused tab.
    pub tab_active: Style,
    /// The frame of a pane.
    pub border: Style,
    /// The frame of the focused pane.
    pub border_focus: Style,
    /// The divider under the pointer.
    pub border_hover: Style,
    /// A pane's title.
    pub title: Style,
    /// The focused pane's title.
    pub title_focus: Style,
    /// The mark of something that runs.
    pub busy: Style,
    /// An agent that waits for a person.
    pub blocked: Style,
    /// One that works.
    pub working: Style,
    /// One that is done, unseen.
    pub done: Style,
    /// One that is quiet.
    pub idle: Style,
    /// The mark of a bell.
    pub bell: Style,
    /// The mark of something that ended.
    pub exited: Style,
    /// What lies outside of the layout.
    pub outside: Style,
    /// Selected text.
    pub selection: Style,
    /// The match of a search.
    pub found: Style,
    /// The other matches of a search.
    pub found_other: Style,
    /// A badge on a pane.
    pub badge: Style,
    /// Mode words.
    pub mode_normal: Style,
    /// Mode words.
    pub mode_prefix: Style,
    /// Mode words.
    pub mode_scroll: Style,
    /// Mode words.
    pub mode_copy: Style,
    /// Mode words.
    pub mode_resize: Style,
    /// Mode words.
    pub mode_zoom: Style,
    /// A notice.
    pub notice: Style,
    /// A notice of something that did not work.
    pub warning: Style,
    /// An overlay's ground and text.
    pub overlay: Style,
    /// An overlay's frame.
    pub overlay_border: Style,
    /// Second-rank text in an overlay.
    pub overlay_muted: Style,
    /// A key in the help.
    pub key: Style,
    /// A text field.
    pub field: Style,
}

impl Theme {
    /// The look of a palette.
    pub fn of(palette: &Palette) -> Self {
        let [ink, panel, raised, high, line] =
            [palette.ink, palette.panel, palette.raised, palette.high, palette.line].map(shown);
        let [faint, muted, text, bright] =
            [palette.faint, palette.muted, palette.text, palette.bright].map(shown);
        let [accent, amber, green, coral, violet] =
            [palette.accent, palette.amber, palette.green, palette.coral, palette.violet].map(shown);
        let on = |fg, bg| Style::new().fg(fg).bg(bg);
        let chip = |bg| on(ink, bg).add_modifier(Modifier::BOLD);
        Self {
            panel: on(text, panel),
            muted: on(muted, panel),
            faint: on(faint, panel),
            heading: on(muted, panel).add_modifier(Modifier::BOLD),
            row_active: on(bright, raised),
            row_selected: on(bright, high),
            accent: Style::new().fg(accent),
            button: on(muted, panel),
            tab_active: on(bright, high).add_modifier(Modifier::BOLD),
            border: Style::new().fg(line),
            border_focus: Style::new().fg(accent),
            border_hover: Style::new().fg(amber),
            // On a ground of their own: a light theme may stand in a dark terminal.
            title: on(muted, panel),
            title_focus: on(bright, panel).add_modifier(Modifier::BOLD),
            busy: Style::new().fg(amber),
            blocked: Style::new().fg(coral).add_modifier(Modifier::BOLD),
            working: Style::new().fg(amber),
            done: Style::new().fg(green),
            idle: Style::new().fg(muted),
            bell: Style::new().fg(amber).add_modifier(Modifier::BOLD),
            exited: Style::new().fg(coral),
            outside: Style::new().fg(line),
            selection: on(ink, accent),
            found: on(ink, amber),
            found_other: on(amber, high).add_modifier(Modifier::UNDERLINED),
            badge: chip(amber),
            mode_normal: on(text, high).add_modifier(Modifier::BOLD),
            mode_prefix: chip(accent),
            mode_scroll: chip(amber),
            mode_copy: chip(accent),
            mode_resize: chip(green),
            mode_zoom: chip(violet),
            notice: on(accent, panel),
            warning: on(coral, panel),
            overlay: on(text, raised),
            overlay_border: on(accent, raised),
            overlay_muted: on(muted, raised),
            key: on(amber, raised),
            field: on(bright, ink),
        }
    }

    /// The look under `NO_COLOR`: weight and reverse video only.
    pub fn plain() -> Self {
        let base = Style::new();
        let bold = base.add_modifier(Modifier::BOLD);
        let dim = base.add_modifier(Modifier::DIM);
        let reverse = base.add_modifier(Modifier::REVERSED);
        Self {
            panel: base,
            muted: base,
            faint: dim,
            heading: bold,
            row_active: bold,
            row_selected: reverse,
            accent: bold,
            button: base,
            tab_active: reverse,
            border: dim,
            border_focus: bold,
            border_hover: reverse,
            title: base,
            title_focus: bold,
            busy: bold,
            blocked: bold,
            working: base,
            done: bold,
            idle: dim,
            bell: bold,
            exited: bold,
            outside: dim,
            selection: reverse,
            found: reverse,
            found_other: bold.add_modifier(Modifier::UNDERLINED),
            badge: reverse,
            mode_normal: reverse,
            mode_prefix: reverse,
            mode_scroll: reverse,
            mode_copy: reverse,
            mode_resize: reverse,
            mode_zoom: reverse,
            notice: bold,
            warning: bold,
            overlay: base,
            overlay_border: bold,
            overlay_muted: dim,
            key: bold,
            field: base.add_modifier(Modifier::UNDERLINED),
        }
    }
}

/// A palette's colour as ratatui has it.
fn shown(color: Wanted) -> Color {
    match color {
        Wanted::Default => Color::Reset,
        Wanted::Indexed(index) => Color::Indexed(index),
        Wanted::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}
