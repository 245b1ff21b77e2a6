//! Settings for programs and people: values as plain JSON, and (in a test) the page of the documentation.

use super::settings::{Kind, Value};
use serde_json::{Map, Value as Json, json};

impl Value {
    /// The value as JSON.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Flag(flag) => json!(flag),
            Self::Number(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::Words(words) => json!(words),
            Self::Size(cols, rows) => json!([cols, rows]),
            Self::Bindings(bindings) => {
                let entries = bindings.iter().map(|binding| (binding.id.clone(), json!(binding.key)));
                entries.collect::<Map<_, _>>().into()
            }
        }
    }
}

impl Kind {
    /// What it may be, in words.
    #[must_use]
    pub fn words(self) -> String {
        let listed =
            |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Number(least, most) => format!("{least} to {most}"),
            Self::Text => "text".to_owned(),
            Self::Chord => "key".to_owned(),
            Self::Word(words) => format!("one of {}", listed(words)),
            Self::Words(words) => format!("list of {}", listed(words)),
            Self::Size => "`[columns, rows]`".to_owned(),
            Self::Bindings => "table of command ids and keys".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Setting, settings};
    use std::fmt::Write as _;

    /// What `docs/configuration.md` begins with.
    const HEAD: &str = "# Configuration

`config.toml` in `$LUVUS_HOME` (`~/.luvus` without it) is read by every session. A key with dots is a key of a table:
`layout.show_titles` is `show_titles` under `[layout]`. What is missing has its default. What is unknown or wrong is
left as it is, keeps its default, and is told with its line and column by `luvus config check`. A file that is no TOML
gives the defaults until it is mended, and is not written to.

`luvus config get [KEY]` prints what the file says, `luvus config set KEY VALUE` changes one setting and leaves
comments, order and everything else alone, `luvus config path` names the file. Running servers take a change over at
once; after an edit by hand `luvus server reload` makes this session's server read the file again.

| Key | Type | Default | Meaning |
|---|---|---|---|
";

    /// The whole page.
    fn page() -> String {
        let mut page = HEAD.to_owned();
        for Setting { key, kind, default, text } in settings() {
            let (kind, default) = (kind.words(), default.to_json());
            // Writing to a text cannot fail.
            let _ = writeln!(page, "| `{key}` | {kind} | `{default}` | {text} |");
        }
        page
    }

    #[test]
    fn the_documentation_is_the_table() {
        assert_eq!(include_str!("../../docs/configuration.md"), page());
    }
}
