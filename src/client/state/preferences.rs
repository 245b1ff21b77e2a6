//! The settings screen as data: its sections, its lines, and what is being typed into one.

use super::State;
use crate::client::field::Field;
use crate::config::Config;
use crate::config::chord::Chord;
use crate::config::keymap::{Action, actions};
use crate::config::sections::Section;
use crate::config::settings::{Kind, Setting, Value};
use crate::protocol::attach::message::IntegrationState;

/// What keys go into, when they are not the screen's own.
#[derive(Debug, Clone, PartialEq)]
pub enum Editing {
    /// A value is typed.
    Value(&'static Setting, Field),
    /// The next key becomes the prefix: once it was pressed, it must come a second time.
    Prefix(Option<Chord>),
    /// The next key is bound to the action, with or without the prefix.
    Binding(Action, bool),
}

/// What has become of the last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The server has not answered yet.
    Asked,
    /// It is in force.
    Done,
    /// It was refused, and why.
    Refused(String),
}

/// The screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences {
    /// The section that is shown.
    pub section: Section,
    /// The chosen line.
    pub selected: usize,
    /// What is being typed.
    pub editing: Option<Editing>,
    /// What has become of the last change.
    pub outcome: Option<Outcome>,
    /// Bindings that are left out, and why.
    pub conflicts: Vec<String>,
    /// Whether another theme than the one in force is shown.
    pub previewing: bool,
}

/// One line of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A setting and what it is; whether that is its default.
    Setting(&'static Setting, Value, bool),
    /// A theme; whether it is in force.
    Theme(String, bool),
    /// A binding that does not count.
    Conflict(String),
    /// An action and its keys.
    Binding(Action, Vec<String>),
    /// An agent that can be made to tell which conversation runs in its pane.
    Integration(IntegrationState),
}

impl Preferences {
    /// The screen, as it opens.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            section: Section::General,
            selected: 0,
            editing: None,
            outcome: None,
            conflicts: conflicts(config),
            previewing: false,
        }
    }

    /// The lines of the section.
    #[must_use]
    pub fn lines(&self, state: &State) -> Vec<Line> {
        let settled = state.config.settled();
        let setting = |setting: &'static Setting| {
            let (_, value) = settled.iter().find(|(key, _)| *key == setting.key)?;
            Some(Line::Setting(setting, value.clone(), *value == setting.default))
        };
        let shown = |setting: &&'static Setting| setting.kind != Kind::Bindings && setting.key != "theme";
        let mut lines: Vec<Line> = self.section.settings().filter(shown).filter_map(setting).collect();
        match self.section {
            Section::Theme => {
                let theme = |name: &String| Line::Theme(name.clone(), *name == state.config.theme);
                lines.extend(state.theme_names.iter().map(theme));
            }
            Section::Keys => {
                lines.extend(self.conflicts.iter().cloned().map(Line::Conflict));
                let keys = |action| Line::Binding(action, state.keymap.keys_of(action));
                lines.extend(actions().iter().map(|info| keys(info.action)));
            }
            Section::Integrations => {
                let own = state.integrations.iter().cloned().map(Line::Integration);
                lines.splice(0..0, own);
            }
            _ => {}
        }
        lines
    }

    /// The chosen line.
    #[must_use]
    pub fn line(&self, state: &State) -> Option<Line> {
        self.lines(state).into_iter().nth(self.selected)
    }
}

/// What is wrong with the bindings of a configuration.
#[must_use]
pub fn conflicts(config: &Config) -> Vec<String> {
    let (_, warnings) = Config::parse(&config.text());
    warnings.into_iter().map(|warning| warning.message).collect()
}

/// A value as it is shown, and as it is typed.
#[must_use]
pub fn shown(value: &Value) -> String {
    match value {
        Value::Flag(true) => "on".to_owned(),
        Value::Flag(false) => "off".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Words(words) => words.join(", "),
        Value::Size(cols, rows) => format!("{cols}x{rows}"),
        Value::Bindings(bindings) => bindings.len().to_string(),
    }
}
