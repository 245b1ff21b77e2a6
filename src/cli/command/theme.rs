//! `luvus theme`

use super::config;
use crate::cli::args::settings::ThemeVerb;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, settings, themes};
use serde_json::json;
use std::path::Path;

/// `luvus theme …`
///
/// # Errors
/// A theme that is not in order, or when nothing can be printed.
pub fn run(context: &Context, verb: &ThemeVerb) -> Result<Exit, CliError> {
    match verb {
        ThemeVerb::List => list(context),
        ThemeVerb::Use { name } => {
            themes::load(&context.paths.files.home, name).map_err(CliError::failed)?;
            config::set(context, "theme", name)
        }
        ThemeVerb::Validate { theme } => validate(context, theme),
    }
}

fn list(context: &Context) -> Result<Exit, CliError> {
    let found = themes::list(&context.paths.files.home);
    let (config, _) = settings::load(&context.paths.config);
    if context.json {
        let row = |theme: &themes::Found| {
            json!({
                "name": theme.name,
                "description": theme.about.as_ref().ok(),
                "error": theme.about.as_ref().err(),
                "built_in": !theme.own,
                "active": theme.name == config.theme,
            })
        };
        output::json(&json!({"themes": found.iter().map(row).collect::<Vec<_>>()}))?;
        return Ok(Exit::Ok);
    }
    for theme in &found {
        let mark = if theme.name == config.theme { '*' } else { ' ' };
        let own = if theme.own { " (yours)" } else { "" };
        let about = theme.about.as_ref().map_or_else(|error| format!("broken: {error}"), Clone::clone);
        output::line(&output::printable(&format!("{mark} {:<18}{about}{own}", theme.name)))?;
    }
    Ok(Exit::Ok)
}

/// A name, or the path of a file.
fn validate(context: &Context, theme: &str) -> Result<Exit, CliError> {
    let path = Path::new(theme);
    let is_path = path.components().count() > 1 || path.extension().is_some_and(|end| end == "toml");
    let read = if is_path { themes::read(path) } else { themes::load(&context.paths.files.home, theme) };
    if context.json {
        output::json(&json!({"theme": theme, "valid": read.is_ok(), "error": read.as_ref().err()}))?;
        return Ok(if read.is_ok() { Exit::Ok } else { Exit::Failed });
    }
    read.map_err(CliError::failed)?;
    output::line(&format!("{} is in order", output::printable(theme)))?;
    Ok(Exit::Ok)
}
