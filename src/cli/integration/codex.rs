//! Codex: `notify` in `~/.codex/config.toml`, which tells that a turn is over and of which conversation.

use super::{EditError, Integration, News};
use crate::cli::args::agent::Status;
use toml_edit::{DocumentMut, Value};

/// The integration.
pub const INTEGRATION: Integration = Integration {
    agent: "codex",
    title: "Codex",
    file: ".codex/config.toml",
    with,
    without,
    nothing: "",
    news,
};

/// The program that Codex runs with the news as one more argument: nothing outside of a pane.
const PROGRAM: [&str; 4] =
    ["sh", "-c", r#"[ -z "$LUVUS_BIN_PATH" ] || "$LUVUS_BIN_PATH" integration hook codex "$1""#, "luvus"];

/// What an event tells.
#[must_use]
pub fn news(told: &serde_json::Value) -> News {
    if told["type"] == "agent-turn-complete" { News::State(Status::Done) } else { News::Conversation }
}

/// What some editors write in front of a text.
const MARK_OF_ORDER: char = '\u{feff}';

fn with(text: &str) -> Result<Option<String>, EditError> {
    let document = read(text)?;
    match document.get("notify") {
        Some(_) if is_ours(&document) => return Ok(None),
        Some(_) => {
            let told = "`notify` runs another program already, and Codex knows only one";
            return Err(EditError::Taken(told.to_owned()));
        }
        None => {}
    }
    // In front of everything else, where it belongs to no table and every other byte stays.
    let start = if text.starts_with(MARK_OF_ORDER) { MARK_OF_ORDER.len_utf8() } else { 0 };
    let (before, after) = text.split_at(start);
    let end = if after.contains("\r\n") { "\r\n" } else { "\n" };
    Ok(Some(format!("{before}{}{end}{after}", line())))
}

fn without(text: &str) -> Result<Option<String>, EditError> {
    let mut document = read(text)?;
    if !is_ours(&document) {
        return Ok(None);
    }
    let line = line();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_it = |found: &&str| found.trim_start_matches(MARK_OF_ORDER).trim_end() == line;
    match lines.iter().position(is_it) {
        Some(at) if lines[at].starts_with(MARK_OF_ORDER) => lines[at] = &text[..MARK_OF_ORDER.len_utf8()],
        Some(at) => drop(lines.remove(at)),
        // Somebody has written it in another way since.
        None => {
            document.remove("notify");
            return Ok(Some(document.to_string()));
        }
    }
    Ok(Some(lines.concat()))
}

/// Our entry as a line.
fn line() -> String {
    format!("notify = {}", Value::from_iter(PROGRAM))
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
        for text in [own, "", "[a]\nb = 1\n", "# only this\n", "a = 1", "a = 1\r\n[b]\n", "\u{feff}a = 1\n"] {
            let more = with(text).expect("understood").expect("changed");
            let table: toml::Table = more.parse().expect("TOML");
            assert_eq!(table["notify"].as_array().map(Vec::len), Some(4), "{more}");
            assert_eq!(with(&more), Ok(None), "once is enough");
            assert_eq!(without(&more), Ok(Some(text.to_owned())));
        }
        assert_eq!(without(own), Ok(None));
        let moved = with("a = 1\n").expect("understood").expect("changed").replace("notify = [", "notify=[ ");
        assert_eq!(without(&moved), Ok(Some("a = 1\n".to_owned())));
    }

    #[test]
    fn what_somebody_else_runs_stays() {
        assert!(matches!(with("notify = [\"bell\"]\n"), Err(EditError::Taken(_))));
        assert_eq!(without("notify = [\"bell\"]\n"), Ok(None));
        assert!(matches!(with("notify = ["), Err(EditError::Nonsense(_))));
    }
}
