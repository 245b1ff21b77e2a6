//! `luvus completions` and `luvus man`: made of the table of verbs, so that they know what it knows.

use crate::cli::args::{Args, Completing};
use crate::cli::error::{CliError, Exit};
use crate::cli::output;
use clap::CommandFactory as _;
use std::path::Path;

/// `luvus completions`
///
/// # Errors
/// When it cannot be written.
pub fn run(shell: Completing) -> Result<Exit, CliError> {
    let generator = match shell {
        Completing::Bash => clap_complete::Shell::Bash,
        Completing::Zsh => clap_complete::Shell::Zsh,
        Completing::Fish => clap_complete::Shell::Fish,
        Completing::PowerShell => clap_complete::Shell::PowerShell,
    };
    let mut text = Vec::new();
    clap_complete::generate(generator, &mut Args::command(), "luvus", &mut text);
    output::line(String::from_utf8_lossy(&text).trim_end()).map(|()| Exit::Ok)
}

/// `luvus man`
///
/// # Errors
/// When it cannot be written.
pub fn run_man(folder: Option<&Path>) -> Result<Exit, CliError> {
    let Some(folder) = folder else {
        let mut text = Vec::new();
        clap_mangen::Man::new(Args::command()).render(&mut text).map_err(CliError::failed)?;
        return output::line(String::from_utf8_lossy(&text).trim_end()).map(|()| Exit::Ok);
    };
    let cannot = |error| CliError::failed(format_args!("cannot write to {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    clap_mangen::generate_to(Args::command(), folder).map_err(cannot)?;
    Ok(Exit::Ok)
}
