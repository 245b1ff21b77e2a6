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
}

/// What has become of a wish: how things are now, and a line for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// All sessions by name, the default one first.
    pub sessions: Vec<Session>,
    /// What went well or wrong.
    pub told: Option<Result<String, String>>,
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
}

/// Carries out a wish beside the loop.
pub fn spawn(sessions: &Arc<dyn Sessions>, wish: Wish) -> JoinHandle<Found> {
    let sessions = Arc::clone(sessions);
    tokio::task::spawn_blocking(move || {
        let told = match wish {
            Wish::List => None,
            Wish::Stop(name) => Some(sessions.stop(&name).map(|()| format!("session `{name}` has ended"))),
            Wish::Delete(name) => {
                Some(sessions.delete(&name).map(|()| format!("session `{name}` is deleted")))
            }
        };
        Found { sessions: sessions.list(), told }
    })
}
