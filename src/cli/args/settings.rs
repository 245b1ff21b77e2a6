//! Verbs of `luvus config` and of `luvus theme`.

use clap::Subcommand;

/// `luvus config`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ConfigVerb {
    /// Print where the file is
    Path,
    /// Say what is wrong in it
    Check,
    /// Print a setting, or all of them
    Get {
        /// Its dotted name
        key: Option<String>,
    },
    /// Change a setting, in the file and in running servers
    Set {
        /// Its dotted name; `keybindings.<command id>` for a key
        key: String,
        /// Its value; texts need no quotes
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
}

/// `luvus theme`
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ThemeVerb {
    /// List the themes, built in and your own
    List,
    /// Take a theme, also in what is attached now
    Use {
        /// Its name
        name: String,
    },
    /// Say whether a theme is in order
    Validate {
        /// Its name, or the path of a file
        theme: String,
    },
}
