//! `luvus help`

use crate::cli::args::Args;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, settings};
use crate::config::keymap::{Keymap, actions};
use clap::CommandFactory as _;
use serde_json::{Value, json};

/// `luvus help [topic …]`
///
/// # Errors
/// When the topic is unknown.
pub fn run(context: &Context, topic: &[String]) -> Result<Exit, CliError> {
    let words: Vec<&str> = topic.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["keys"] => {
            let (config, _) = settings::load(&context.paths.config);
            if context.json {
                output::json(&key_document(&config.keymap))?;
            } else {
                output::line(&key_table(&config.keymap))?;
            }
        }
        ["all"] => output::line(&all())?,
        words => output::line(&of_verb(words)?)?,
    }
    Ok(Exit::Ok)
}

fn of_verb(words: &[&str]) -> Result<String, CliError> {
    let mut command = Args::command();
    // Fills in the names and the global flags of the verbs below.
    command.build();
    let mut found = &mut command;
    for word in words {
        found = found.find_subcommand_mut(word).ok_or_else(|| {
            CliError::usage(format_args!(
                "there is no help on `{}`; `luvus help` lists the verbs",
                words.join(" ")
            ))
        })?;
    }
    Ok(found.render_long_help().to_string().trim_end().to_owned())
}

fn all() -> String {
    let mut command = Args::command();
    command.build();
    let mut texts = Vec::new();
    append(&mut command, &mut texts);
    texts.join("\n\n")
}

fn append(command: &mut clap::Command, texts: &mut Vec<String>) {
    texts.push(command.render_long_help().to_string().trim_end().to_owned());
    for verb in command.get_subcommands_mut() {
        append(verb, texts);
    }
}

fn key_document(keymap: &Keymap) -> Value {
    let commands: Vec<Value> = actions()
        .iter()
        .map(|row| {
            json!({"id": row.id, "text": row.text, "group": row.group, "keys": keymap.keys_of(row.action)})
        })
        .collect();
    json!({"prefix": keymap.prefix.to_string(), "commands": commands})
}

fn key_table(keymap: &Keymap) -> String {
    let rows: Vec<Vec<String>> = actions()
        .iter()
        .map(|row| vec![row.id.to_owned(), keymap.keys_of(row.action).join(", "), row.text.to_owned()])
        .collect();
    format!("Prefix: {}\n\n{}", keymap.prefix, output::table(&["COMMAND", "KEYS", ""], &rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn every_verb_has_help_and_unknown_ones_are_usage_errors() {
        assert!(of_verb(&[]).expect("help").contains("session"));
        let help = of_verb(&["pane", "split"]).expect("help");
        assert!(help.contains("--no-focus") && help.contains("--session"), "{help}");
        assert_eq!(of_verb(&["pane", "dance"]).expect_err("refused").exit, Exit::Usage);
        assert!(all().contains("wait output"));
    }

    #[test]
    fn the_key_document_lists_every_command() {
        let document = key_document(&Config::default().keymap);
        let commands = document["commands"].as_array().expect("an array");
        assert_eq!(commands.len(), actions().len());
        assert!(commands.iter().any(|row| row["id"] == "split_right" && row["keys"] != json!([])));
    }
}
