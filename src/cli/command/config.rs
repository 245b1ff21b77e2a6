//! `luvus config`

use crate::cli::args::ConfigVerb;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::{output, settings};
use serde_json::json;

/// `luvus config …`
///
/// # Errors
/// When it cannot be printed.
pub fn run(context: &Context, verb: &ConfigVerb) -> Result<Exit, CliError> {
    let path = &context.paths.config;
    match verb {
        ConfigVerb::Path => {
            let text = path.to_string_lossy();
            if context.json {
                output::json(&json!({"path": text}))?;
            } else {
                output::line(&text)?;
            }
            Ok(Exit::Ok)
        }
        ConfigVerb::Check => {
            let (_, warnings) = settings::load(path);
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
    }
}
