//! Changing some settings and leaving the others: in memory, and in the text of `config.toml` with its
//! comments.
//!
//! Invariant: a patch is taken whole or not at all; what it does not name stays as it is.

use super::keymap::{AS_PRESET, Binding};
use super::read::{At, Reader, SHELL_PROGRAM};
use super::settings::Value;
use super::{Config, Values, Warning};
use std::collections::BTreeMap;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike};

/// Checked values of some settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    values: BTreeMap<&'static str, (Value, At)>,
}

impl Patch {
    /// Reads a text as `config.toml` is read.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Vec<Warning>> {
        let reader = Reader::read(text);
        if reader.warnings.is_empty() { Ok(Self { values: reader.values }) } else { Err(reader.warnings) }
    }

    /// The text of `config.toml` with these values in it.
    ///
    /// # Errors
    /// When the text is no TOML: then it must be mended by hand.
    pub fn edit(&self, text: &str) -> Result<String, Warning> {
        let (head, rest) = text.split_at(head(text));
        let document: DocumentMut = rest.parse().map_err(|error: toml_edit::TomlError| Warning {
            at: None,
            message: error.message().to_owned(),
        })?;
        if document.is_empty() {
            // Comments alone would go behind what is new.
            let gap = match text.ends_with('\n') {
                _ if rest.is_empty() => "",
                true => "\n",
                false => "\n\n",
            };
            return Ok(format!("{text}{gap}{}", self.edited(DocumentMut::new())));
        }
        Ok(format!("{head}{}", self.edited(document)))
    }

    fn edited(&self, mut document: DocumentMut) -> String {
        for (key, (value, _)) in &self.values {
            let tabled = document.get("shell").is_some_and(Item::is_table_like);
            let key = if *key == "shell" && tabled { SHELL_PROGRAM } else { key };
            let path: Vec<&str> = key.split('.').collect();
            match written(value) {
                Some(value) => set(document.as_table_mut(), key, &path, value),
                None => self.edit_bindings(document.as_table_mut(), key),
            }
        }
        document.to_string()
    }

    fn edit_bindings(&self, root: &mut Table, key: &str) {
        let Some((Value::Bindings(bindings), _)) = self.values.get(key) else { return };
        for Binding { id, key: chord, .. } in bindings {
            if chord == AS_PRESET {
                unset(root, key, id);
            } else {
                set(root, &format!("{key}.{id}"), &[key, id], chord.as_str().into());
            }
        }
    }
}

/// How many bytes at the start are comments about the whole file: those before the last blank line above
/// the first setting. What is new at the top goes below them.
fn head(text: &str) -> usize {
    let (mut at, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if !bare.is_empty() && !bare.starts_with('#') {
            break;
        }
        at += line.len();
        if bare.is_empty() {
            end = at;
        }
    }
    end
}

/// The value as it stands in the text; bindings are a table of their own.
fn written(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Flag(flag) => (*flag).into(),
        Value::Number(number) => (*number).into(),
        Value::Text(text) => text.as_ref().into(),
        Value::Words(words) => words.iter().copied().collect::<Array>().into(),
        Value::Size(cols, rows) => [i64::from(*cols), i64::from(*rows)].into_iter().collect::<Array>().into(),
        Value::Bindings(_) => return None,
    })
}

/// Sets one value where it stands, or where it belongs. `shell` is a text and the lead of
/// `shell.integration`: under a text there is no table, and the whole key stands at the top.
fn set(root: &mut Table, key: &str, path: &[&str], value: toml_edit::Value) {
    let Some((name, lead)) = path.split_last() else { return };
    if root.contains_key(key) || !has_room(root, lead) {
        return replace(root, key, value);
    }
    let mut table: &mut dyn TableLike = root;
    for part in lead {
        let inner = table.entry(part).or_insert_with(|| Item::Table(Table::new()));
        let Some(inner) = inner.as_table_like_mut() else { return };
        table = inner;
    }
    replace(table, name, value);
}

/// Takes a binding out, wherever it stands.
fn unset(root: &mut Table, table: &str, id: &str) {
    root.remove(&format!("{table}.{id}"));
    if let Some(bindings) = root.get_mut(table).and_then(Item::as_table_like_mut) {
        bindings.remove(id);
    }
}

/// Whether nothing but tables stands on that way.
fn has_room(root: &Table, lead: &[&str]) -> bool {
    let mut table: &dyn TableLike = root;
    for part in lead {
        let Some(item) = table.get(part) else { return true };
        let Some(inner) = item.as_table_like() else { return false };
        table = inner;
    }
    true
}

/// The comment beside an older value stays.
fn replace(table: &mut dyn TableLike, key: &str, mut value: toml_edit::Value) {
    let Some(present) = table.get_mut(key) else {
        table.insert(key, Item::Value(value));
        return;
    };
    if let Some(old) = present.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    *present = Item::Value(value);
}

impl Config {
    /// A text that gives the same configuration, in the form of `config.toml`.
    #[must_use]
    pub fn text(&self) -> String {
        // There is nothing in an empty text that could not be edited.
        Patch { values: self.given.0.clone() }.edit("").unwrap_or_default()
    }

    /// The same with what the patch says.
    ///
    /// # Errors
    /// What it would bring that cannot be: keys that conflict with each other.
    pub fn patched(&self, patch: &Patch) -> Result<Self, Vec<Warning>> {
        let mut values = self.given.0.clone();
        for (key, new) in &patch.values {
            match (values.get_mut(key), new) {
                (Some((Value::Bindings(present), _)), (Value::Bindings(bindings), _)) => {
                    present.retain(|old| !bindings.iter().any(|binding| binding.id == old.id));
                    present.extend(bindings.iter().cloned());
                }
                _ => drop(values.insert(key, new.clone())),
            }
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        Self::from_values(Values(self.given.0.clone()), &mut before);
        let config = Self::from_values(Values(values), &mut after);
        after.retain(|warning| !before.iter().any(|old| old.message == warning.message));
        if after.is_empty() { Ok(config) } else { Err(after) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OnExit;
    use proptest::prelude::*;

    fn patch(text: &str) -> Patch {
        Patch::parse(text).unwrap()
    }

    #[test]
    fn a_configuration_travels_as_text() {
        let text = "preset = \"tmux\"\nshell = \"/bin/sh\"\n[keybindings]\nsplit_right = \"|\"\n\
                    [sidebars.left]\nwidth = 30\n[shell]\n";
        for text in ["", "allow_nested = true\n\"shell.integration\" = false\n", text] {
            let (config, _) = Config::parse(text);
            let (again, warnings) = Config::parse(&config.text());
            assert_eq!((&again, warnings.len()), (&config, 0), "{}", config.text());
            assert_eq!(again.settled(), config.settled());
        }
    }

    #[test]
    fn a_binding_that_is_as_in_the_preset_stands_nowhere() {
        let reset = patch("[keybindings]\nsplit_right = \"default\"\n");
        for (before, after) in [
            ("[keybindings]\nsplit_right = \"w\"\nzoom_pane = \"Z\"\n", "[keybindings]\nzoom_pane = \"Z\"\n"),
            ("keybindings.split_right = \"w\"\n", ""),
            ("\"keybindings.split_right\" = \"w\"\n", ""),
            ("theme = \"nord\"\n", "theme = \"nord\"\n"),
        ] {
            assert_eq!(reset.edit(before).unwrap(), after, "{before}");
        }
        let (bound, _) = Config::parse("[keybindings]\nsplit_right = \"w\"\n");
        assert_eq!(bound.patched(&reset).unwrap().keymap, Config::default().keymap);
    }

    #[test]
    fn what_is_named_changes_and_the_rest_stays() {
        let (config, _) = Config::parse("allow_nested = true\n[keybindings]\nsplit_right = \"v\"\n");
        let changed =
            config.patched(&patch("pane.on_exit = \"hold\"\n[keybindings]\nsplit_down = \"w\"\n")).unwrap();
        assert!(changed.allow_nested && changed.on_exit == OnExit::Hold);
        let bound = |id: &str| {
            let text = format!("allow_nested = true\npane.on_exit = \"hold\"\n[keybindings]\n{id}");
            Config::parse(&text).0
        };
        assert_eq!(changed.keymap, bound("split_right = \"v\"\nsplit_down = \"w\"\n").keymap);
        let back = changed.patched(&patch("pane.on_exit = \"close\"")).unwrap();
        assert_eq!((back.on_exit, back.allow_nested), (OnExit::Close, true));
    }

    #[test]
    fn one_wrong_key_refuses_all_of_it() {
        for bad in [
            "allow_nested = true\nno_such = 1",
            "allow_nested = 1",
            "layout.scrollback_bytes = -1",
            "pane.on_exit = \"sometimes\"",
            "keybindings.split_right = 7",
            "pane = 1",
            "= 1",
        ] {
            assert!(Patch::parse(bad).is_err(), "{bad}");
        }
        let twice = patch("[keybindings]\nsplit_right = \"v\"\nsplit_down = \"v\"\n");
        assert!(Config::default().patched(&twice).is_err());
    }

    #[test]
    fn the_text_keeps_its_comments_and_its_order() {
        let text = "# mine\nallow_nested = false # for now\n\n[layout]\n# a lot\nscrollback_bytes = 1\n";
        let change = patch("allow_nested = true\nlayout.scrollback_bytes = 5\nlayout.show_titles = false\n");
        assert_eq!(
            change.edit(text).unwrap(),
            "# mine\nallow_nested = true # for now\n\n[layout]\n# a lot\nscrollback_bytes = 5\nshow_titles = false\n"
        );
        assert!(change.edit("not = = toml").is_err());
    }

    #[test]
    fn comments_about_the_whole_file_stay_above_what_is_new() {
        let (table, flag) = (patch("mouse.capture = false"), patch("allow_nested = true"));
        for text in ["# mine", "# mine\n", "# mine\r\n", "# mine\n\n", "#\n\n# mine\n"] {
            let once = table.edit(text).unwrap();
            let twice = flag.edit(&once).unwrap().replace('\r', "");
            let start = text.trim_end();
            assert_eq!(twice, format!("{start}\n\nallow_nested = true\n[mouse]\ncapture = false\n"));
        }
        let of_its_table = flag.edit("# the mouse\n[mouse]\ncapture = false\n").unwrap();
        assert_eq!(of_its_table, "allow_nested = true\n# the mouse\n[mouse]\ncapture = false\n");
    }

    #[test]
    fn a_key_is_found_however_it_is_written() {
        for text in [
            "\"layout.scrollback_bytes\" = 1\n",
            "layout.scrollback_bytes = 1\n",
            "layout = { scrollback_bytes = 1 }\n",
            "[layout]\nscrollback_bytes = 1\n",
        ] {
            let edited = patch("layout.scrollback_bytes = 7").edit(text).unwrap();
            assert_eq!(edited, text.replace('1', "7"));
        }
        let both = patch("shell.integration = false").edit("shell = \"/bin/zsh\"\n").unwrap();
        let (config, warnings) = Config::parse(&both);
        assert_eq!((config.shell.as_str(), warnings), ("/bin/zsh", Vec::new()));
        assert!(both.contains("\"shell.integration\" = false"));
        let table = patch("shell = \"/bin/fish\"").edit("[shell]\nintegration = false\n").unwrap();
        assert_eq!(table, "[shell]\nintegration = false\nprogram = \"/bin/fish\"\n");
        let (config, warnings) = Config::parse(&table);
        assert_eq!(
            (config.shell.as_str(), config.shell_integration, warnings),
            ("/bin/fish", false, Vec::new())
        );
    }

    proptest! {
        #[test]
        fn an_edited_text_says_what_the_patch_says(
            nested in any::<bool>(),
            hold in any::<bool>(),
            bytes in 0_i64..1_000_000,
            text in prop::sample::select(vec![
                "", "# c\n", "allow_nested = true\n", "[pane]\non_exit = \"hold\"\n",
                "pane = { on_exit = \"close\" }\n[keybindings]\nsplit_right = \"v\"\n",
            ]),
        ) {
            let word = if hold { "hold" } else { "close" };
            let change = patch(&format!(
                "allow_nested = {nested}\npane.on_exit = \"{word}\"\nlayout.scrollback_bytes = {bytes}\nkeybindings.split_down = \"w\"\n"
            ));
            let edited = change.edit(text).unwrap();
            let (written, warnings) = Config::parse(&edited);
            prop_assert_eq!(warnings, vec![]);
            let patched = Config::parse(text).0.patched(&change).unwrap();
            prop_assert_eq!(written.settled(), patched.settled());
        }
    }
}
