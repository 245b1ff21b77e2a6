//! `luvus config`: the file itself, with or without a server. Running servers hear of a change.

use crate::cli::args::settings::ConfigVerb;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, sessions, settings, themes, wire};
use crate::config::sections::reasons;
use crate::config::settings::{Kind, Setting, Value};
use crate::config::{Config, Patch, Warning};
use crate::server::configuration::{Configuration as _, disk_remedy};
use serde_json::{Map, Value as Json, json};

/// `luvus config …`
///
/// # Errors
/// When a setting does not exist or cannot be what it should become, or nothing can be printed.
pub fn run(context: &Context, verb: &ConfigVerb) -> Result<Exit, CliError> {
    match verb {
        ConfigVerb::Path => path(context),
        ConfigVerb::Check => check(context),
        ConfigVerb::Get { key } => get(context, key.as_deref()),
        ConfigVerb::Set { key, value } => set(context, key, value),
    }
}

fn path(context: &Context) -> Result<Exit, CliError> {
    let text = context.paths.config.to_string_lossy();
    if context.json {
        output::json(&json!({"path": text}))?;
    } else {
        output::line(&text)?;
    }
    Ok(Exit::Ok)
}

fn check(context: &Context) -> Result<Exit, CliError> {
    let path = &context.paths.config;
    let warnings = warnings(context);
    if context.json {
        output::json(&json!({"path": path.to_string_lossy(), "warnings": warnings}))?;
    } else if warnings.is_empty() {
        output::line(&format!("{} is in order", path.display()))?;
    } else {
        let lines: Vec<String> = warnings.iter().map(|warning| output::printable(warning)).collect();
        output::line(&lines.join("\n"))?;
    }
    Ok(if warnings.is_empty() { Exit::Ok } else { Exit::Failed })
}

/// What is wrong with the configuration, its theme included; a line each.
#[must_use]
pub fn warnings(context: &Context) -> Vec<String> {
    let path = &context.paths.config;
    let (config, mut warnings) = settings::load(path);
    if let Err(why) = themes::load(&context.paths.files.home, &config.theme) {
        warnings.push(format!("{}: `theme`: {why}", path.display()));
    }
    warnings
}

fn get(context: &Context, key: Option<&str>) -> Result<Exit, CliError> {
    let (config, warnings) = settings::load(&context.paths.config);
    warnings.iter().for_each(|warning| output::tell(warning));
    let settled = config.settled();
    let single = settled.iter().find(|(name, _)| Some(*name) == key);
    // A table shows what is in it.
    let under = |name: &str, table: &str| name.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'));
    let wanted = |name: &str| key.is_none_or(|table| under(name, table));
    let shown: Vec<&(&str, Value)> = match single {
        Some(single) => vec![single],
        None => settled.iter().filter(|(name, _)| wanted(name)).collect(),
    };
    if shown.is_empty() {
        return binding(context, &settled, key.unwrap_or_default());
    }
    if context.json {
        let settings: Map<String, Json> =
            shown.iter().map(|(name, value)| ((*name).to_owned(), value.to_json())).collect();
        output::json(&json!({"type": "config", "config": settings}))?;
    } else if let Some((_, value)) = single {
        output::line(&plain(value))?;
    } else {
        let lines: Vec<String> =
            shown.iter().map(|(name, value)| format!("{name} = {}", value.to_json())).collect();
        output::line(&lines.join("\n"))?;
    }
    Ok(Exit::Ok)
}

/// The key of one command, as far as the file says anything about it.
fn binding(context: &Context, settled: &[(&str, Value)], key: &str) -> Result<Exit, CliError> {
    let of = |(table, value): &(&str, Value)| match value {
        Value::Bindings(bindings) => {
            let id = key.strip_prefix(table)?.strip_prefix('.')?;
            bindings.iter().find(|binding| binding.id == id).map(|binding| binding.key.clone())
        }
        _ => None,
    };
    let Some(chord) = settled.iter().find_map(of) else {
        let table = key.split_once('.').map_or(key, |(table, _)| table);
        if Setting::named(table).is_some_and(is_bindings) {
            return Err(CliError::failed(format_args!(
                "`{key}` is not in the file; `luvus help keys` lists the keys in force"
            )));
        }
        return Err(unknown(key));
    };
    if context.json {
        output::json(&json!({"type": "config", "config": {key: chord}}))?;
    } else {
        output::line(&output::printable(&chord))?;
    }
    Ok(Exit::Ok)
}

/// A text without its quotes, for scripts.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => output::printable(text),
        value => value.to_json().to_string(),
    }
}

fn unknown(key: &str) -> CliError {
    CliError::failed(format_args!("there is no setting `{key}`; `luvus config get` lists them"))
}

/// Writes one setting and tells running servers.
///
/// # Errors
/// When it does not exist, cannot be that, or cannot be written.
pub fn set(context: &Context, key: &str, value: &str) -> Result<Exit, CliError> {
    let patch = patch(key, value)?;
    let (config, before) = settings::load(&context.paths.config);
    let config: Config = config.patched(&patch).map_err(|warnings| refused(&warnings))?;
    let file = settings::File::new(context.paths.config.clone(), context.environment.clone());
    file.write(&patch).map_err(|error| match before.first() {
        // A file that is no TOML has one warning, which says where.
        Some(warning) if error.kind() == std::io::ErrorKind::InvalidData => {
            CliError::failed(format_args!("{warning}; mend the file first"))
        }
        _ => CliError::failed(format_args!(
            "cannot write {} ({error}); {}",
            context.paths.config.display(),
            disk_remedy(&error)
        )),
    })?;
    for (paths, _) in sessions::all(context)?.into_iter().filter(|(_, running)| *running) {
        if let Err(error) = wire::ask(&paths, "server.reload_config", json!({})) {
            output::tell(&format!("session `{}` goes on with its old settings: {error}", paths.session));
        }
    }
    if key == "theme" {
        warnings(context).iter().for_each(|warning| output::tell(warning));
    }
    if context.json {
        let root = key.split_once('.').map_or(key, |(root, _)| root);
        let settled = config.settled();
        let changed = settled.iter().find(|(name, _)| *name == key || *name == root);
        let value = changed.map(|(_, value)| value.to_json());
        output::json(&json!({"type": "config", "config": {key: value}}))?;
    }
    Ok(Exit::Ok)
}

/// One setting as the file would say it: a text needs no quotes on the command line.
fn patch(key: &str, value: &str) -> Result<Patch, CliError> {
    let quoted = || toml::Value::from(value).to_string();
    let binding = key.split_once('.').filter(|(table, _)| Setting::named(table).is_some_and(is_bindings));
    let line = match (Setting::named(key), binding) {
        (_, Some((table, id))) => format!("{table}.{} = {}", toml::Value::from(id), quoted()),
        (Some(setting), _) => match setting.kind {
            Kind::Text | Kind::Chord | Kind::Word(_) => format!("{key} = {}", quoted()),
            _ if value.contains(['\n', '\r']) => return Err(CliError::usage("a value has one line")),
            // What is no TOML is a text, so that the refusal says what the setting wants.
            _ => Some(format!("{key} = {value}"))
                .filter(|line| line.parse::<toml::Table>().is_ok())
                .unwrap_or_else(|| format!("{key} = {}", quoted())),
        },
        _ => return Err(unknown(key)),
    };
    Patch::parse(&line).map_err(|warnings| refused(&warnings))
}

fn is_bindings(setting: &'static Setting) -> bool {
    setting.kind == Kind::Bindings
}

fn refused(warnings: &[Warning]) -> CliError {
    CliError::failed(format_args!("{}; nothing was changed", reasons(warnings)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;

    fn context(home: &std::path::Path) -> Context {
        let home = home.to_str().expect("text");
        Context::new(Environment::of(&[("LUVUS_HOME", home)]), None, false).expect("a context")
    }

    #[test]
    fn one_setting_is_written_and_the_rest_of_the_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let context = context(folder.path());
        let file = &context.paths.config;
        std::fs::write(file, "# mine\nfuture = 1\n[layout]\nshow_titles = true # yes\n").expect("written");
        for (key, value) in [
            ("layout.show_titles", "false"),
            ("theme", "terminal"),
            ("terminal.headless_size", "[100, 30]"),
            ("keybindings.split_right", "|"),
        ] {
            set(&context, key, value).expect("set");
        }
        let text = std::fs::read_to_string(file).expect("read");
        for kept in ["# mine", "future = 1", "show_titles = false # yes", "theme = \"terminal\"", "[100, 30]"]
        {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        for (key, value) in [
            ("no_such", "1"),
            ("layout.show_titles", "perhaps"),
            ("prefix", "x"),
            ("theme", "a\nallow_nested = true"),
            ("layout.scrollback_bytes", "1\nallow_nested = true"),
        ] {
            let refused = set(&context, key, value).is_err();
            assert!(refused || key == "theme", "{key}");
            assert!(!settings::load(file).0.allow_nested, "{key} brings nothing else along");
        }
        for (key, value, wanted) in [
            ("allow_nested", "yes", "must be true or false"),
            ("sidebars.left.docks", "agents", "must be a list"),
            ("terminal.headless_size", "80x24", "must be [columns, rows]"),
        ] {
            let refused = set(&context, key, value).expect_err("refused");
            assert!(refused.message.contains(wanted), "{refused}");
        }
        assert!(get(&context, Some("keybindings.split_right")).is_ok());
        let unbound = get(&context, Some("keybindings.split_down")).expect_err("not there");
        assert!(unbound.message.contains("luvus help keys"), "{unbound}");
        set(&context, "theme", "unheard-of").expect("set");
        assert!(warnings(&context).iter().any(|line| line.contains("there is no theme `unheard-of`")));
        std::fs::write(file, "theme = = 1\n").expect("written");
        let error = set(&context, "theme", "terminal").expect_err("refused");
        assert!(error.message.contains("config.toml:1:"), "{error}");
        assert_eq!(std::fs::read_to_string(file).expect("read"), "theme = = 1\n");
        std::fs::remove_file(file).expect("removed");
        std::fs::create_dir(file).expect("made");
        let error = set(&context, "theme", "terminal").expect_err("refused");
        assert!(error.message.contains("move away what is there"), "{error}");
    }
}
