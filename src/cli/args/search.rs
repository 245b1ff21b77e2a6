//! Flags of `luvus search`.

use clap::{Args as ClapArgs, value_parser};

/// `luvus search`
#[derive(Debug, ClapArgs)]
pub struct SearchArgs {
    /// What to find
    pub text: String,
    /// Names too, whose characters may leave some out
    #[arg(long)]
    pub fuzzy: bool,
    /// Where; implies --fuzzy
    #[arg(long, value_name = "SCOPE", value_parser = ["all", "navigate", "files", "output"])]
    pub scope: Option<String>,
    /// At most so many matches
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=200))]
    pub limit: Option<u64>,
}
