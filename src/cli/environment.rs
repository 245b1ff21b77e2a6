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

    /// Whether the locale is UTF-8, by the first of `LC_ALL`, `LC_CTYPE` and `LANG` that says something. Where
    /// none does, nothing is known, and terminals of today are.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| self.raw(name));
        let utf8 = |locale: &OsStr| {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        said.is_none_or(utf8)
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

    #[test]
    fn the_locale_is_the_first_variable_that_says_something() {
        let utf8 = |set: &[(&str, &str)]| Environment::of(set).is_utf8();
        assert!(
            utf8(&[]) && utf8(&[("LANG", "de_AT.UTF-8")]) && utf8(&[("LC_CTYPE", "C.utf8"), ("LANG", "C")])
        );
        assert!(!utf8(&[("LANG", "C")]) && !utf8(&[("LC_ALL", "POSIX"), ("LANG", "en_US.UTF-8")]));
        assert!(utf8(&[("LC_ALL", ""), ("LANG", "en_US.UTF-8")]), "an empty one says nothing");
    }
}
