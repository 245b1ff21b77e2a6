//! From the text of `config.toml` to checked values by key. What is wrong is reported with its
//! place and left out.

use super::Warning;
use super::keymap::Binding;
use super::settings::{Kind, Setting, Value};
use crate::protocol::limits::SCREEN_CELLS;
use std::borrow::Cow;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The values that a text gives, and where each stands.
pub(super) struct Reader<'a> {
    text: &'a str,
    /// By key; keys that are not given are missing.
    pub values: BTreeMap<&'static str, (Value, At)>,
    /// What was wrong, in the order of the text.
    pub warnings: Vec<Warning>,
}

/// One-based line and column.
pub(super) type At = Option<(usize, usize)>;

impl<'a> Reader<'a> {
    /// Reads a whole text.
    pub fn read(text: &'a str) -> Self {
        let mut reader = Self { text, values: BTreeMap::new(), warnings: Vec::new() };
        match DeTable::parse(text) {
            Ok(table) => reader.table("", table.get_ref()),
            Err(error) => {
                let at = error.span().map(|span| reader.place(span.start));
                let message = format!("{}; all settings keep their defaults", error.message());
                reader.warnings.push(Warning { at, message });
            }
        }
        reader
    }

    fn table(&mut self, path: &str, table: &DeTable<'_>) {
        for (key, value) in in_text_order(table) {
            let name =
                if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
            let at = Some(self.place(key.span().start));
            match (Setting::named(&name), value.get_ref()) {
                // `shell` is a text and the lead of `shell.integration`; in a table it is the `program`.
                _ if name == SHELL_PROGRAM => {
                    if let Some(setting) = Setting::named("shell") {
                        self.setting(setting, value);
                    }
                }
                (_, DeValue::Table(inner)) if Setting::any_under(&name) => self.table(&name, inner),
                (Some(setting), _) => self.setting(setting, value),
                (None, _) if Setting::any_under(&name) => {
                    self.warn(at, format!("`{name}` must be a table; its settings keep their defaults"));
                }
                (None, _) => self.warn(at, format!("unknown setting `{name}`, kept but not used")),
            }
        }
    }

    fn setting(&mut self, setting: &'static Setting, value: &Spanned<DeValue<'_>>) {
        let at = Some(self.place(value.span().start));
        match self.value(setting, value.get_ref()) {
            Ok(value) => drop(self.values.insert(setting.key, (value, at))),
            Err(wanted) => {
                self.warn(at, format!("`{}` must be {wanted}; it keeps its default", setting.key));
            }
        }
    }

    /// The value, or what it should have been.
    fn value(&mut self, setting: &'static Setting, value: &DeValue<'_>) -> Result<Value, Cow<'static, str>> {
        match setting.kind {
            Kind::Flag => value.as_bool().map(Value::Flag).ok_or("true or false".into()),
            Kind::Number(least, most) => integer(value)
                .filter(|number| (least..=most).contains(number))
                .map(Value::Number)
                .ok_or_else(|| format!("a whole number from {least} to {most}").into()),
            Kind::Text | Kind::Chord => text(value).ok_or("a text".into()),
            Kind::Word(words) => word(words, value)
                .map(|word| Value::Text(word.into()))
                .ok_or_else(|| format!("one of {}", listed(words)).into()),
            Kind::Words(words) => list(words, value)
                .map(|list| Value::Words(list.into()))
                .ok_or_else(|| format!("a list of {}, each at most once", listed(words)).into()),
            Kind::Size => {
                size(value).ok_or_else(|| format!("[columns, rows], each from 1 to {SCREEN_CELLS}").into())
            }
            Kind::Bindings => match value {
                DeValue::Table(table) => Ok(Value::Bindings(self.bindings(setting.key, table))),
                _ => Err("a table of command ids and keys".into()),
            },
        }
    }

    fn bindings(&mut self, name: &str, table: &DeTable<'_>) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (id, key) in in_text_order(table) {
            let at = Some(self.place(key.span().start));
            match key.get_ref().as_str() {
                Some(key) => bindings.push(Binding { id: id.get_ref().to_string(), key: key.to_owned(), at }),
                None => self.warn(at, format!("`{name}.{}` is left out: a key is a text", id.get_ref())),
            }
        }
        bindings
    }

    fn warn(&mut self, at: At, message: String) {
        self.warnings.push(Warning { at, message });
    }

    /// Line and column (in characters) of a byte.
    fn place(&self, byte: usize) -> (usize, usize) {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// How `shell` is written where `shell` is a table.
pub(super) const SHELL_PROGRAM: &str = "shell.program";

type Entry<'t, 'i> = (&'t Spanned<Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

/// The table's own order is the alphabet's.
fn in_text_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn text(value: &DeValue<'_>) -> Option<Value> {
    value.as_str().map(|text| Value::Text(Cow::Owned(text.to_owned())))
}

fn word(words: &'static [&'static str], value: &DeValue<'_>) -> Option<&'static str> {
    let wanted = value.as_str()?;
    words.iter().copied().find(|word| *word == wanted)
}

fn list(words: &'static [&'static str], value: &DeValue<'_>) -> Option<Vec<&'static str>> {
    let mut list = Vec::new();
    for item in value.as_array()? {
        let word = word(words, item.get_ref()).filter(|word| !list.contains(word))?;
        list.push(word);
    }
    Some(list)
}

fn size(value: &DeValue<'_>) -> Option<Value> {
    let cells = |value: &Spanned<DeValue<'_>>| {
        let cells = u16::try_from(integer(value.get_ref())?).ok()?;
        (1..=SCREEN_CELLS).contains(&cells).then_some(cells)
    };
    let array = value.as_array()?;
    let mut items = array.iter();
    match (items.next(), items.next(), items.next()) {
        (Some(cols), Some(rows), None) => Some(Value::Size(cells(cols)?, cells(rows)?)),
        _ => None,
    }
}

fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
