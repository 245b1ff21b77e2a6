//! What a client does over its control stream.
//!
//! Invariant: an action is carried out whole or refused, in the order of its frames.

use super::super::methods::terminal::{executed, queued};
use super::super::{Context, error};
use super::storage::Stored;
use super::upload::Uploads;
use crate::protocol::png;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::stream::Action;
use crate::server::terminal::handle::{InputError, PaneHandle};
use serde_json::Value;

/// The name of a pasted image in its folder.
const IMAGE_NAME: &str = "image.png";

/// Acts for one stream.
pub struct Actor {
    context: Context,
    handle: PaneHandle,
    uploads: Uploads,
}

impl Actor {
    /// Acts on the terminal of `handle`.
    pub fn new(context: Context, handle: PaneHandle) -> Self {
        Self { context, handle, uploads: Uploads::default() }
    }

    /// Carries out one action.
    pub async fn act(&mut self, action: Action) -> Result<Value, Failure> {
        let storage = &self.context.session.storage;
        match action {
            Action::TypeLiteral(text) => self.send(|handle| handle.text(&text)),
            Action::PasteText(text) => self.send(|handle| handle.paste(&text)),
            Action::SubmitText(text) => {
                let hub = &self.context.hub;
                self.send(|handle| handle.submit(&text).inspect(|()| hub.submitted(handle)))
            }
            Action::SendKey(code, modifiers) => self.send(|handle| handle.tap(code, modifiers)),
            Action::PasteImage(bytes) => {
                if !png::is_valid(&bytes) {
                    return Err(Failure::new(
                        ErrorCode::InvalidParams,
                        "`png_base64`: expected one PNG image",
                    ));
                }
                let stored = storage.store(IMAGE_NAME, bytes).await?;
                self.paste_path(stored)
            }
            Action::UploadStart { name, size } => self.uploads.start(storage, name, size).await,
            Action::UploadChunk { upload, offset, data } => self.uploads.chunk(upload, offset, data).await,
            Action::UploadFinish(upload) => {
                let stored = self.uploads.finish(upload).await?;
                self.paste_path(stored)
            }
            Action::UploadCancel(upload) => self.uploads.cancel(upload).await.map(|()| executed()),
            Action::SetViewport(size) => {
                let (pane, terminal) = (self.handle.pane(), self.handle.terminal());
                let set = self.context.hub.set_viewport(pane, terminal, size).await;
                set.map(|()| executed()).map_err(|error| error::of_viewport(&error))
            }
        }
    }

    fn send(&self, input: impl FnOnce(&PaneHandle) -> Result<(), InputError>) -> Result<Value, Failure> {
        input(&self.handle).map(|()| queued()).map_err(error::of_input)
    }

    /// Pastes the path of a file, which does not stay if the child cannot be told of it.
    fn paste_path(&self, stored: Stored) -> Result<Value, Failure> {
        let path = stored.path().to_string_lossy().into_owned();
        let pasted = self.send(|handle| handle.paste(&path))?;
        stored.keep();
        Ok(pasted)
    }
}
