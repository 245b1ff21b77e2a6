//! Codex: `notify` in `~/.codex/config.toml`, which tells at the end of a turn which conversation it was.

use super::{EditError, Integration};
use toml_edit::{Array, DocumentMut, value};

/// The integration.
pub const INTEGRATION: Integration =
    Integration { agent: "codex", title: "Codex", file: ".codex/config.toml", with, without, nothing: "" };

/// The program that Codex runs with the news as one more argument: nothing outside of a pane.
const PROGRAM: [&str; 4] =
    ["sh", "-c", r#"[ -z "$LUVUS_BIN_PATH" ] || "$LUVUS_BIN_PATH" integration hook codex "$1""#, "luvus"];

fn with(text: &str) -> Result<Option<String>, EditError> {
    let mut document = read(text)?;
    match document.get("notify") {
        Some(_) if is_ours(&document) => return Ok(None),
        Some(_) => {
            let told = "`notify` runs another program already, and Codex knows only one";
            return Err(EditError::Taken(told.to_owned()));
        }
        None => {}
    }
    document.insert("notify", value(PROGRAM.into_iter().collect::<Array>()));
    Ok(Some(document.to_string()))
}

fn without(text: &str) -> Result<Option<String>, EditError> {
    let mut document = read(text)?;
    if !is_ours(&document) {
        return Ok(None);
    }
    document.remove("notify");
    Ok(Some(document.to_string()))
}

fn read(text: &str) -> Result<DocumentMut, EditError> {
    let read = text.parse::<DocumentMut>();
    read.map_err(|error| EditError::Nonsense(crate::cli::wire::one_line(&error.to_string())))
}

fn is_ours(document: &DocumentMut) -> bool {
    let words = document.get("notify").and_then(|notify| notify.as_array());
    words.is_some_and(|words| words.iter().map(|word| word.as_str()).eq(PROGRAM.map(Some)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_keeps_its_bytes() {
        let own = "# mine\nmodel = \"o3\"   # fast\n\n[profiles.x]\nmodel = 'o4'\n";
        for text in [own, "", "[a]\nb = 1\n", "# only this\n"] {
            let more = with(text).expect("understood").expect("changed");
            let table: toml::Table = more.parse().expect("TOML");
            assert_eq!(table["notify"].as_array().map(Vec::len), Some(4), "{more}");
            assert_eq!(with(&more), Ok(None), "once is enough");
            assert_eq!(without(&more), Ok(Some(text.to_owned())));
        }
        assert_eq!(without(own), Ok(None));
    }

    #[test]
    fn what_somebody_else_runs_stays() {
        assert!(matches!(with("notify = [\"bell\"]\n"), Err(EditError::Taken(_))));
        assert_eq!(without("notify = [\"bell\"]\n"), Ok(None));
        assert!(matches!(with("notify = ["), Err(EditError::Nonsense(_))));
    }
}
