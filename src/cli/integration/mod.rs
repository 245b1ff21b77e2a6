//! Entries of luvus in the settings of agents: what is added, and taken away again without a trace.
//!
//! Invariants: nothing but our own entry is ever changed, and everything else keeps its bytes; a file that
//! cannot be understood is left alone; a file is replaced whole or not at all.

pub mod claude;
pub mod codex;
mod json;

use super::args::agent::Status;
use super::settings::{behind_links, write_like};
use crate::protocol::attach::message::{Integrate, IntegrationState};
use serde_json::Value;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An agent that luvus can be integrated with.
#[derive(Debug, Clone, Copy)]
pub struct Integration {
    /// The agent's kind.
    pub agent: &'static str,
    /// What the agent is called.
    pub title: &'static str,
    /// Its settings, below the home folder.
    pub file: &'static str,
    /// The settings with our entry; `None` if it is there.
    pub with: fn(&str) -> Result<Option<String>, EditError>,
    /// The settings without it; `None` if it is not there.
    pub without: fn(&str) -> Result<Option<String>, EditError>,
    /// What is left of a file that held nothing else.
    pub nothing: &'static str,
    /// What an event tells.
    pub news: fn(&Value) -> News,
}

/// What an event of an agent tells, besides which conversation it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    Conversation,
    /// The agent has come to a state.
    State(Status),
    /// The conversation is over.
    End,
}

/// All of them.
pub const ALL: [Integration; 2] = [claude::INTEGRATION, codex::INTEGRATION];

/// Why settings are left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// They are not what they should be.
    #[error("it cannot be understood: {0}")]
    Nonsense(String),
    /// Somebody else's entry stands where ours belongs.
    #[error("{0}")]
    Taken(String),
}

/// Why an integration did not change.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The settings do not allow it.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// They cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
}

impl Integration {
    /// Where the settings are.
    #[must_use]
    pub fn path(&self, home: &Path) -> PathBuf {
        home.join(self.file)
    }

    /// Whether our entry is there.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub fn is_installed(&self, home: &Path) -> Result<bool, ChangeError> {
        let text = read(&self.path(home))?.unwrap_or_default();
        Ok((self.without)(&text)?.is_some())
    }

    /// Adds our entry; says whether it was not there.
    ///
    /// # Errors
    /// [`ChangeError`]; nothing changed then.
    pub fn install(&self, home: &Path) -> Result<bool, ChangeError> {
        let path = self.path(home);
        let text = read(&path)?.unwrap_or_default();
        let Some(changed) = (self.with)(&text)? else { return Ok(false) };
        write(&path, &changed)?;
        Ok(true)
    }

    /// Takes our entry away; says whether it was there.
    ///
    /// # Errors
    /// [`ChangeError`]; nothing changed then.
    pub fn uninstall(&self, home: &Path) -> Result<bool, ChangeError> {
        let path = self.path(home);
        let text = read(&path)?.unwrap_or_default();
        let Some(changed) = (self.without)(&text)? else { return Ok(false) };
        if changed == self.nothing {
            fs::remove_file(behind_links(&path)?)?;
        } else {
            write(&path, &changed)?;
        }
        Ok(true)
    }
}

/// All of them as a settings screen shows them.
#[must_use]
pub fn states(home: &Path) -> Vec<IntegrationState> {
    let state = |integration: &Integration| IntegrationState {
        agent: integration.agent.to_owned(),
        title: integration.title.to_owned(),
        path: integration.path(home).to_string_lossy().into_owned(),
        installed: integration.is_installed(home).map_err(|error| error.to_string()),
    };
    ALL.iter().map(state).collect()
}

/// Installs one, or takes it away.
///
/// # Errors
/// A line for the person; nothing changed then.
pub fn change(home: &Path, change: &Integrate) -> Result<(), String> {
    let known = ALL.iter().find(|known| known.agent == change.agent);
    let known = known.ok_or_else(|| format!("`{}` has no integration", change.agent))?;
    let changed = if change.install { known.install(home) } else { known.uninstall(home) };
    changed.map(drop).map_err(|error| format!("{} is left as it is: {error}", known.path(home).display()))
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = behind_links(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(".luvus.{}", std::process::id()));
    let written = write_like(&fresh, &target, text.as_bytes()).and_then(|()| fs::rename(&fresh, &target));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_installed_goes_without_a_trace() {
        for integration in ALL {
            let home = tempfile::tempdir().expect("a folder");
            let path = integration.path(home.path());
            assert!(!integration.is_installed(home.path()).expect("read"));
            assert!(integration.install(home.path()).expect("installed"));
            assert!(!integration.install(home.path()).expect("there already"));
            assert!(integration.is_installed(home.path()).expect("read"));
            assert!(integration.uninstall(home.path()).expect("taken away"));
            assert!(!path.exists(), "a file that held nothing else is gone");
            assert!(!integration.uninstall(home.path()).expect("not there"));
        }
    }

    #[test]
    fn a_settings_screen_sees_them_and_changes_one() {
        let home = tempfile::tempdir().expect("a folder");
        let installed = || -> Vec<(String, Result<bool, String>)> {
            states(home.path()).into_iter().map(|state| (state.title, state.installed)).collect()
        };
        let both = |claude, codex| [("Claude Code".to_owned(), Ok(claude)), ("Codex".to_owned(), Ok(codex))];
        assert_eq!(installed(), both(false, false));
        let wish = |agent: &str, install| change(home.path(), &Integrate { agent: agent.into(), install });
        assert_eq!(wish("codex", true), Ok(()));
        assert_eq!(installed(), both(false, true));
        assert_eq!(wish("codex", false), Ok(()));
        assert_eq!(installed(), both(false, false));
        assert!(wish("nova", true).is_err());
        let settings = home.path().join(".claude/settings.json");
        fs::create_dir_all(settings.parent().expect("a folder")).expect("made");
        fs::write(&settings, "not json").expect("written");
        let refused = wish("claude", true).expect_err("it cannot be understood");
        assert!(refused.contains("is left as it is"), "{refused}");
        assert!(installed()[0].1.is_err());
    }
}
