//! The other sessions of this machine, as far as a client deals with them: the list, and what can be
//! done from it. Who may look for files and start servers does it on the client's behalf.

use super::options::Told;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// One session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// Whether its server is up.
    pub running: bool,
}

/// What is wanted of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// The list.
    List,
    /// End its server; the layout is kept.
    Stop(String),
    /// Delete the files of one that is stopped.
    Delete(String),
    /// What this one could not restore.
    Report,
    /// Start the shell of a pane of the report anew.
    Retry(String),
}

/// Something that is not as it was before the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What, on one line.
    pub text: String,
    /// The pane that can be tried again.
    pub pane: Option<String>,
}

/// What has become of a wish: how things are now, and a line for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// How things are.
    pub known: Known,
    /// What went well or wrong.
    pub told: Option<Result<String, String>>,
}

/// How things are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// All sessions by name, the default one first.
    Sessions(Vec<Session>),
    /// What this session could not restore.
    Report(Vec<Trouble>),
}

/// Deals with sessions. May wait: it is called on a thread of its own.
pub trait Sessions: Send + Sync {
    /// All sessions.
    fn list(&self) -> Vec<Session>;
    /// Ends one.
    ///
    /// # Errors
    /// A line for the person.
    fn stop(&self, name: &str) -> Told;
    /// Deletes one.
    ///
    /// # Errors
    /// A line for the person.
    fn delete(&self, name: &str) -> Told;
    /// What this one could not restore.
    ///
    /// # Errors
    /// A line for the person.
    fn report(&self) -> Result<Vec<Trouble>, String>;
    /// Starts the shell of a pane of the report anew.
    ///
    /// # Errors
    /// A line for the person.
    fn retry(&self, pane: &str) -> Told;
}

/// Carries out a wish beside the loop.
pub fn spawn(sessions: &Arc<dyn Sessions>, wish: Wish) -> JoinHandle<Found> {
    let sessions = Arc::clone(sessions);
    tokio::task::spawn_blocking(move || {
        let all = |told| Found { known: Known::Sessions(sessions.list()), told };
        match wish {
            Wish::List => all(None),
            Wish::Stop(name) => {
                all(Some(sessions.stop(&name).map(|()| format!("session `{name}` has ended"))))
            }
            Wish::Delete(name) => {
                all(Some(sessions.delete(&name).map(|()| format!("session `{name}` is deleted"))))
            }
            Wish::Report => report(&*sessions, None),
            Wish::Retry(pane) => {
                let told = sessions.retry(&pane).map(|()| format!("pane {pane} has a fresh shell"));
                report(&*sessions, Some(told))
            }
        }
    })
}

fn report(sessions: &dyn Sessions, told: Option<Result<String, String>>) -> Found {
    match sessions.report() {
        Ok(troubles) => Found { known: Known::Report(troubles), told },
        Err(error) => Found { known: Known::Report(Vec::new()), told: told.or(Some(Err(error))) },
    }
}
