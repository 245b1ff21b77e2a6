//! The configuration in force, and changing it.

use super::{Body, Hub, HubError, Reply, Request, SessionEvent};
use crate::config::{Config, Patch, Warning};
use crate::protocol::attach::message::ToClient;
use crate::server::configuration::{Read, Work};
use crate::server::environment::Compat;
use tokio::sync::oneshot;

/// The configuration in force with the number of the last event.
pub struct InForce {
    /// All settings.
    pub config: Config,
    /// What could not be read of the file, line by line.
    pub warnings: Vec<String>,
    /// The number of the last event.
    pub sequence: u64,
}

impl Hub {
    pub(super) fn in_force(&self, warnings: Vec<String>) -> InForce {
        InForce { config: self.settings.config.clone(), warnings, sequence: self.bus.sequence() }
    }

    /// Changes some settings and has them written; refused before anything happens if they could not
    /// even wait to be written.
    pub(super) fn patch_config(
        &mut self,
        patch: Patch,
        if_revision: Option<u64>,
    ) -> Result<InForce, HubError> {
        self.check_unchanged(if_revision)?;
        let config = self.settings.config.patched(&patch).map_err(|warnings| refused(&warnings))?;
        let (failed, heard) = oneshot::channel();
        self.settings.keeper.try_send(Work::Write(patch, failed)).map_err(|_| HubError::NotSaved)?;
        let requests = self.requests.clone();
        self.settings.background.spawn(async move {
            if let (Ok(why), Some(requests)) = (heard.await, requests.upgrade()) {
                // Nobody is left to be told.
                let _ = requests.send(Request::Unwritten(why)).await;
            }
        });
        self.configure(config);
        Ok(self.in_force(Vec::new()))
    }

    /// Reads the file away from the hub; [`reloaded`](Self::reloaded) follows.
    pub(super) fn reload_config(&mut self, if_revision: Option<u64>, reply: Reply<InForce>) {
        if let Err(conflict) = self.check_unchanged(if_revision) {
            let _ = reply.send(Err(conflict));
            return;
        }
        let (answer, read) = oneshot::channel();
        if self.settings.keeper.try_send(Work::Read(answer)).is_err() {
            let _ = reply.send(Err(HubError::NotSaved));
            return;
        }
        let requests = self.requests.clone();
        self.settings.background.spawn(async move {
            if let (Ok(read), Some(requests)) = (read.await, requests.upgrade()) {
                // Nobody is left to be told.
                let _ = requests.send(Request::Reloaded { read, reply }).await;
            }
        });
    }

    pub(super) fn reloaded(&mut self, read: Result<Read, String>) -> Result<InForce, HubError> {
        let (config, warnings) = read.map_err(HubError::Unreadable)?;
        self.configure(config);
        Ok(self.in_force(warnings))
    }

    fn configure(&mut self, config: Config) {
        if config.settled() == self.settings.config.settled() {
            return;
        }
        self.settings.environment.set_shell(self.settings.configuration.shell(&config));
        self.settings.environment.set_compat(Compat::of(&config));
        self.settings.config = config;
        self.clients.tell_all(&ToClient::Settings(self.settings.config.text()));
        self.keeping.keep_screens(self.settings.config.persist_pane_screen);
        self.happened.push(Body::Session(SessionEvent::ConfigChanged));
        self.publish();
    }
}

fn refused(warnings: &[Warning]) -> HubError {
    let texts: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    HubError::BadSettings(texts.join("; "))
}
