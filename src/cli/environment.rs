//! The environment of the process, read once. No other file of the crate reads it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What the command line and everything under it know of the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
    /// The person's home folder.
    pub user_home: Option<PathBuf>,
    /// The working directory.
    pub folder: Option<PathBuf>,
}

impl Environment {
    /// That of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            user_home: std::env::home_dir().filter(|home| home.is_absolute()),
            folder: std::env::current_dir().ok(),
        }
    }

    /// One for tests, with these variables; `HOME` is the home folder.
    #[cfg(test)]
    #[must_use]
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let variables: Vec<(OsString, OsString)> =
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let user_home =
            variables.iter().find(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value));
        Self { variables, user_home, folder: None }
    }

    /// A variable that is set and not empty.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_os_str())
            .filter(|value| !value.is_empty())
    }

    /// A variable that is set, not empty, and text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.raw(name).and_then(OsStr::to_str)
    }

    /// Whether this process runs in a pane of some luvus session.
    #[must_use]
    pub fn in_a_pane(&self) -> bool {
        self.text("LUVUS_ENV") == Some("1")
    }

    /// The shell for panes: `LUVUS_SHELL`, the configured one, `SHELL`, the system's.
    #[must_use]
    pub fn shell(&self, configured: &str) -> String {
        let fallback = if cfg!(windows) { self.text("COMSPEC").unwrap_or("cmd.exe") } else { "/bin/sh" };
        self.text("LUVUS_SHELL")
            .or(Some(configured).filter(|shell| !shell.is_empty()))
            .or_else(|| self.text("SHELL"))
            .unwrap_or(fallback)
            .to_owned()
    }

    /// Everything that is text. What of it children must not see is the server's to decide.
    #[must_use]
    pub fn all_text(&self) -> Vec<(String, String)> {
        self.variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_rank_override_setting_login_system() {
        let all = Environment::of(&[("LUVUS_SHELL", "/o"), ("SHELL", "/l")]);
        let login = Environment::of(&[("SHELL", "/l"), ("LUVUS_SHELL", "")]);
        assert_eq!(all.shell("/c"), "/o");
        assert_eq!(login.shell("/c"), "/c");
        assert_eq!(login.shell(""), "/l");
        if cfg!(unix) {
            assert_eq!(Environment::default().shell(""), "/bin/sh");
        }
    }

    #[test]
    fn a_pane_is_known_by_its_mark() {
        let environment = Environment::of(&[("LUVUS_ENV", "1"), ("PATH", "/bin")]);
        assert!(environment.in_a_pane());
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(environment.all_text(), [text("LUVUS_ENV", "1"), text("PATH", "/bin")]);
    }
}
