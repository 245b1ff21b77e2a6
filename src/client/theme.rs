//! The look: one palette, and a style for each role. Views name roles, never colours.
//!
//! Pane contents keep the outer terminal's own default colours; the theme is for what luvus draws.

use ratatui::style::{Color, Modifier, Style};

/// The colours behind the roles: a quiet slate, one blue for what is focused, and warm tones only
/// for what wants to be seen.
mod palette {
    use super::Color;

    pub const INK: Color = Color::Rgb(0x13, 0x16, 0x1b);
    pub const PANEL: Color = Color::Rgb(0x17, 0x1a, 0x20);
    pub const RAISED: Color = Color::Rgb(0x22, 0x27, 0x30);
    pub const HIGH: Color = Color::Rgb(0x2d, 0x34, 0x40);
    pub const LINE: Color = Color::Rgb(0x3b, 0x42, 0x4e);
    pub const FAINT: Color = Color::Rgb(0x6c, 0x76, 0x86);
    pub const MUTED: Color = Color::Rgb(0x8b, 0x94, 0xa3);
    pub const TEXT: Color = Color::Rgb(0xc9, 0xd0, 0xda);
    pub const BRIGHT: Color = Color::Rgb(0xec, 0xef, 0xf4);
    pub const BLUE: Color = Color::Rgb(0x86, 0xb1, 0xd6);
    pub const AMBER: Color = Color::Rgb(0xdf, 0xb8, 0x72);
    pub const GREEN: Color = Color::Rgb(0x9a, 0xc0, 0x8c);
    pub const CORAL: Color = Color::Rgb(0xe2, 0x8d, 0x7c);
    pub const VIOLET: Color = Color::Rgb(0xb3, 0x9d, 0xd6);
}

/// The colour that a program outside means by a word (`blue`) or by `#rrggbb`, as it fits the theme.
pub fn color_named(name: &str) -> Option<Color> {
    let color = match name.to_ascii_lowercase().as_str() {
        "red" => palette::CORAL,
        "orange" | "yellow" => palette::AMBER,
        "green" => palette::GREEN,
        "blue" => palette::BLUE,
        "purple" | "violet" => palette::VIOLET,
        "magenta" | "pink" => Color::Rgb(0xd9, 0x94, 0xb8),
        "cyan" | "teal" => Color::Rgb(0x7f, 0xc1, 0xc4),
        "white" => palette::BRIGHT,
        "gray" | "grey" => palette::MUTED,
        other => {
            let digits = other.strip_prefix('#').filter(|digits| digits.len() == 6)?;
            let number = u32::from_str_radix(digits, 16).ok()?;
            Color::from_u32(number)
        }
    };
    Some(color)
}

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
    /// The mark of a bell.
    pub bell: Style,
    /// The mark of something that ended.
    pub exited: Style,
    /// What lies outside of the layout.
    pub outside: Style,
    /// A badge on a pane.
    pub badge: Style,
    /// Mode words.
    pub mode_normal: Style,
    /// Mode words.
    pub mode_prefix: Style,
    /// Mode words.
    pub mode_scroll: Style,
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
    /// The dark theme.
    pub fn dark() -> Self {
        use palette::{AMBER, BLUE, BRIGHT, CORAL, FAINT, GREEN, HIGH, INK, LINE, MUTED, PANEL};
        use palette::{RAISED, TEXT, VIOLET};
        let on = |fg, bg| Style::new().fg(fg).bg(bg);
        let chip = |bg| on(INK, bg).add_modifier(Modifier::BOLD);
        Self {
            panel: on(TEXT, PANEL),
            muted: on(MUTED, PANEL),
            faint: on(FAINT, PANEL),
            heading: on(MUTED, PANEL).add_modifier(Modifier::BOLD),
            row_active: on(BRIGHT, RAISED),
            row_selected: on(BRIGHT, HIGH),
            accent: Style::new().fg(BLUE),
            button: on(MUTED, PANEL),
            tab_active: on(BRIGHT, HIGH).add_modifier(Modifier::BOLD),
            border: Style::new().fg(LINE),
            border_focus: Style::new().fg(BLUE),
            border_hover: Style::new().fg(AMBER),
            title: Style::new().fg(MUTED),
            title_focus: Style::new().fg(BRIGHT).add_modifier(Modifier::BOLD),
            busy: Style::new().fg(AMBER),
            bell: Style::new().fg(AMBER).add_modifier(Modifier::BOLD),
            exited: Style::new().fg(CORAL),
            outside: Style::new().fg(LINE),
            badge: chip(AMBER),
            mode_normal: on(TEXT, HIGH).add_modifier(Modifier::BOLD),
            mode_prefix: chip(BLUE),
            mode_scroll: chip(AMBER),
            mode_resize: chip(GREEN),
            mode_zoom: chip(VIOLET),
            notice: on(BLUE, PANEL),
            warning: on(CORAL, PANEL),
            overlay: on(TEXT, RAISED),
            overlay_border: on(BLUE, RAISED),
            overlay_muted: on(MUTED, RAISED),
            key: on(AMBER, RAISED),
            field: on(BRIGHT, INK),
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
            bell: bold,
            exited: bold,
            outside: dim,
            badge: reverse,
            mode_normal: reverse,
            mode_prefix: reverse,
            mode_scroll: reverse,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_names_or_numbers() {
        assert_eq!(color_named("Blue"), Some(palette::BLUE));
        assert_eq!(color_named("#0a0B0c"), Some(Color::Rgb(10, 11, 12)));
        for none in ["", "#12", "#gggggg", "unheard"] {
            assert_eq!(color_named(none), None, "{none}");
        }
    }
}
