//! The backend with its socket and the files that lead to it.

use super::{Backend, Discovery, accept};
use crate::config::Config;
use crate::server::environment::Environment;
use crate::server::hub::HubHandle;
use crate::server::instance::{Beside, Instance, InstanceError, Listener};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A backend that listens. Dropping it takes the socket and the files away.
pub struct PaneService {
    backend: Arc<Backend>,
    /// Until it serves; whoever connects before that waits.
    listener: Option<Listener>,
    accepting: Option<JoinHandle<()>>,
    _discovery: Discovery,
    _socket: Beside,
}

impl PaneService {
    /// Listens, if that is wanted, and tells children and other programs where: the latter in `folder`.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub async fn open(
        instance: &Instance,
        session: &str,
        config: &Config,
        folder: Option<PathBuf>,
        environment: &mut Environment,
    ) -> Result<Option<Self>, InstanceError> {
        if !config.pane_backend {
            return Ok(None);
        }
        let paths = instance.paths();
        let mut socket = instance.bind_pane_backend()?;
        let listener = socket
            .take_listener()
            .map_err(|source| InstanceError::Bind { path: paths.pane_backend.clone(), source })?;
        let address = paths.pane_backend.to_string_lossy().into_owned();
        environment.set_backend(address.clone());
        let backend = Backend::new(session.to_owned(), address.clone(), environment.of_server());
        let folder = folder.filter(|_| config.psmux_discovery);
        let discovery = Discovery::announce(address, &paths.session_dir, folder.as_deref(), session).await;
        Ok(Some(Self {
            backend,
            listener: Some(listener),
            accepting: None,
            _discovery: discovery,
            _socket: socket,
        }))
    }

    /// Serves that hub from now on.
    pub fn serve(&mut self, hub: HubHandle) {
        self.backend.serve(hub);
        if let Some(listener) = self.listener.take() {
            self.accepting = Some(tokio::spawn(accept(listener, Arc::clone(&self.backend))));
        }
    }

    /// What it serves.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.backend
    }
}

impl Drop for PaneService {
    fn drop(&mut self) {
        if let Some(accepting) = &self.accepting {
            accepting.abort();
        }
    }
}
