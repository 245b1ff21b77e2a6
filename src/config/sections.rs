//! Settings as a person changes them one at a time: the sections of the settings screen, and what was
//! typed as a line of `config.toml`.

use super::Warning;
use super::settings::{Kind, Setting, settings};
use toml_edit::{Array, Key, Value};

/// A section of the settings screen (`product.md` section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// What is in no other one.
    General,
    /// The look.
    Theme,
    /// Panes and sidebars.
    Layout,
    /// The prefix, the preset and the bindings.
    Keys,
    /// What other programs find.
    Integrations,
    /// The language.
    Language,
}

/// What the tables of each section are called; a name without a dot is a whole key.
const PLACES: [(Section, &[&str]); 5] = [
    (Section::Theme, &["theme"]),
    (Section::Layout, &["layout", "sidebars", "pane", "agents_active_only", "agents_this_workspace"]),
    (Section::Keys, &["prefix", "preset", "keybindings", "direct_keybindings"]),
    (Section::Integrations, &["shell.integration", "compat", "worktree"]),
    (Section::Language, &["language"]),
];

impl Section {
    /// All of them, in their order.
    pub const ALL: [Self; 6] =
        [Self::General, Self::Theme, Self::Layout, Self::Keys, Self::Integrations, Self::Language];

    /// What it is called.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::General => "General",
            Self::Theme => "Theme",
            Self::Layout => "Layout",
            Self::Keys => "Keys",
            Self::Integrations => "Integrations",
            Self::Language => "Language",
        }
    }

    /// The section of a setting.
    #[must_use]
    pub fn of(key: &str) -> Self {
        let holds = |place: &&str| {
            key.strip_prefix(*place).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let found = PLACES.iter().find(|(_, places)| places.iter().any(holds));
        found.map_or(Self::General, |(section, _)| *section)
    }

    /// Its settings, in the order of the table.
    pub fn settings(self) -> impl Iterator<Item = &'static Setting> {
        settings().iter().filter(move |setting| Self::of(setting.key) == self)
    }

    /// The section after it (or before), around the end.
    #[must_use]
    pub fn beside(self, forward: bool) -> Self {
        let count = Self::ALL.len();
        let at = Self::ALL.iter().position(|section| *section == self).unwrap_or(0);
        Self::ALL[(at + if forward { 1 } else { count - 1 }) % count]
    }
}

/// A line of `config.toml` that gives a setting what a person typed: a text needs no quotes, words stand
/// between commas, a size is `120x40`. What cannot be is found by whoever reads the line.
#[must_use]
pub fn line(setting: &Setting, typed: &str) -> String {
    let typed = typed.trim();
    let text = || Value::from(typed);
    let value = match setting.kind {
        Kind::Flag => typed.parse::<bool>().map_or_else(|_| text(), Value::from),
        Kind::Number(..) => typed.parse::<i64>().map_or_else(|_| text(), Value::from),
        Kind::Words(_) => {
            let words = typed.split(',').map(str::trim).filter(|word| !word.is_empty());
            Value::from(words.collect::<Array>())
        }
        Kind::Size => {
            let parts = typed.trim_matches(['[', ']']).split(['x', '×', ',', ' ']);
            let parts: Result<Vec<i64>, _> =
                parts.filter(|part| !part.trim().is_empty()).map(|part| part.trim().parse::<i64>()).collect();
            parts.map_or_else(|_| text(), |parts| Value::from(parts.into_iter().collect::<Array>()))
        }
        Kind::Text | Kind::Chord | Kind::Word(_) | Kind::Bindings => text(),
    };
    format!("{} = {value}\n", setting.key)
}

/// A line that binds a key to a command, with or without the prefix; an empty key unbinds.
#[must_use]
pub fn binding(direct: bool, id: &str, chord: &str) -> String {
    let table = if direct { "direct_keybindings" } else { "keybindings" };
    format!("{table}.{} = {}\n", Key::new(id).display_repr(), Value::from(chord))
}

/// Why a change is refused, as one line. What a file would have done with it is no matter here.
#[must_use]
pub fn reasons(warnings: &[Warning]) -> String {
    let texts: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let mut text = texts.join("; ");
    for rest in ["; it keeps its default", "; all settings keep their defaults"] {
        text = text.replace(rest, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Patch};

    #[test]
    fn every_setting_has_its_section() {
        for (key, section) in [
            ("theme", Section::Theme),
            ("sidebars.left.width", Section::Layout),
            ("shell", Section::General),
            ("shell.integration", Section::Integrations),
            ("keybindings", Section::Keys),
            ("notifications.toast", Section::General),
        ] {
            assert_eq!(Section::of(key), section, "{key}");
        }
        let all: usize = Section::ALL.iter().map(|section| section.settings().count()).sum();
        assert_eq!(all, settings().len());
        assert!(Section::ALL.iter().all(|section| section.settings().next().is_some()));
        assert_eq!(Section::General.beside(false), Section::Language);
    }

    fn changed(key: &str, typed: &str) -> Result<Config, String> {
        let setting = Setting::named(key).expect("a setting");
        let patch = Patch::parse(&line(setting, typed)).map_err(|warnings| reasons(&warnings))?;
        Config::default().patched(&patch).map_err(|warnings| reasons(&warnings))
    }

    #[test]
    fn what_is_typed_is_a_value_or_refused_with_the_reason() {
        assert_eq!(
            changed("shell", "/bin/my \"sh\"").map(|config| config.shell),
            Ok("/bin/my \"sh\"".into())
        );
        let size = changed("terminal.headless_size", "100x30").map(|config| config.headless_size);
        assert_eq!(size.map(|size| (size.rows, size.cols)), Ok((30, 100)));
        let docks = changed("sidebars.left.docks", "agents, workspaces").map(|config| config.left.docks);
        assert_eq!(docks, Ok(vec!["agents".to_owned(), "workspaces".to_owned()]));
        for (key, typed, reason) in [
            ("layout.mobile_width", "wide", "`layout.mobile_width` must be a whole number from 0 to 1000"),
            ("layout.mobile_width", "1001", "`layout.mobile_width` must be a whole number from 0 to 1000"),
            ("terminal.headless_size", "100", "`terminal.headless_size` must be [columns, rows]"),
            ("sidebars.left.docks", "agents, agents", "each at most once"),
            ("prefix", "a", "must be F1 to F12 or contain ctrl or alt"),
            ("shell", "a\nallow_nested = true", ""),
        ] {
            let told = changed(key, typed);
            match reason {
                "" => assert!(told.is_ok_and(|config| !config.allow_nested), "{key} brings nothing along"),
                _ => assert!(told.as_ref().is_err_and(|told| told.contains(reason)), "{key}: {told:?}"),
            }
        }
    }

    #[test]
    fn a_binding_is_a_line_too() {
        let patch = Patch::parse(&binding(false, "split_right", "\"")).expect("a patch");
        assert!(Config::default().patched(&patch).is_ok());
        let patch = Patch::parse(&binding(true, "split_right", "x")).expect("a patch");
        assert!(Config::default().patched(&patch).is_err(), "no printable key without the prefix");
    }
}
