//! A file that comes in pieces: at most one at a time and stream, removed with it.

use super::storage::{Partial, Storage, Stored};
use crate::protocol::limits::UPLOAD_CHUNK_BYTES;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::stream::{UploadId, out_of_turn};
use serde_json::{Value, json};

/// The incomplete upload of a stream.
#[derive(Debug, Default)]
pub struct Uploads(Option<Upload>);

#[derive(Debug)]
struct Upload {
    id: UploadId,
    size: u64,
    received: u64,
    partial: Partial,
}

impl Upload {
    fn describe(&self) -> Value {
        json!({
            "type": "terminal_backend_upload",
            "state": "succeeded",
            "dispatch": "executed",
            "upload_id": self.id.to_string(),
            "received": self.received,
            "size": self.size,
        })
    }
}

impl Uploads {
    /// `upload_start`
    pub async fn start(&mut self, storage: &Storage, name: String, size: u64) -> Result<Value, Failure> {
        if self.0.is_some() {
            return Err(Failure::new(
                ErrorCode::LimitExceeded,
                "another upload of this stream is incomplete",
            ));
        }
        let id = crate::server::random_128()
            .ok_or_else(|| Failure::new(ErrorCode::Internal, "the system gives no random numbers"))?;
        let partial = storage.begin(&name).await?;
        Ok(self.0.insert(Upload { id: UploadId(id), size, received: 0, partial }).describe())
    }

    /// `upload_chunk`
    pub async fn chunk(&mut self, id: UploadId, offset: u64, data: Vec<u8>) -> Result<Value, Failure> {
        let upload = self.0.as_ref().filter(|upload| upload.id == id).ok_or_else(unknown)?;
        if offset != upload.received {
            return Err(out_of_turn(&format!("`offset`: the next byte is {}", upload.received)));
        }
        let count = u64::try_from(data.len().min(UPLOAD_CHUNK_BYTES)).unwrap_or(u64::MAX);
        if count > upload.size - upload.received {
            return Err(out_of_turn("`data_base64`: more than the size that was announced"));
        }
        let Some(Upload { id, size, received, partial }) = self.0.take() else { return Err(unknown()) };
        // A file that cannot be written to is given up.
        let partial = partial.append(data).await?;
        Ok(self.0.insert(Upload { id, size, received: received + count, partial }).describe())
    }

    /// `upload_finish`
    pub async fn finish(&mut self, id: UploadId) -> Result<Stored, Failure> {
        let upload = self.0.as_ref().filter(|upload| upload.id == id).ok_or_else(unknown)?;
        if upload.received < upload.size {
            let missing = upload.size - upload.received;
            return Err(out_of_turn(&format!("`upload_id`: {missing} bytes are missing")));
        }
        let upload = self.0.take().ok_or_else(unknown)?;
        upload.partial.finish().await
    }

    /// `upload_cancel`
    pub async fn cancel(&mut self, id: UploadId) -> Result<(), Failure> {
        let upload = self.0.take_if(|upload| upload.id == id).ok_or_else(unknown)?;
        upload.partial.discard().await
    }
}

fn unknown() -> Failure {
    out_of_turn("`upload_id`: no such upload on this stream")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn entries(folder: &Path) -> usize {
        std::fs::read_dir(folder.join("uploads")).map_or(0, Iterator::count)
    }

    #[tokio::test]
    async fn pieces_come_in_order_and_all_of_them() {
        let home = tempfile::tempdir().expect("a folder");
        let storage = Storage::new(home.path().join("uploads"));
        let mut uploads = Uploads::default();
        let code = |failure: Failure| failure.code;
        let started = uploads.start(&storage, "a.txt".into(), 5).await.expect("an upload");
        assert_eq!((&started["received"], &started["size"]), (&json!(0), &json!(5)));
        let id = uploads.0.as_ref().map(|upload| upload.id).expect("an upload");
        assert_eq!(started["upload_id"], id.to_string());
        let second = uploads.start(&storage, "b".into(), 1).await.map_err(code);
        assert_eq!(second, Err(ErrorCode::LimitExceeded));
        let other = UploadId([0; 16]);
        for (upload, offset, data) in [(other, 0, &b"a"[..]), (id, 1, b"a"), (id, 0, b"sixsix")] {
            let refused = uploads.chunk(upload, offset, data.to_vec()).await.expect_err("a refusal");
            assert_eq!((refused.code, refused.dispatch.is_some()), (ErrorCode::InvalidParams, true));
        }
        let stored = uploads.chunk(id, 0, b"abc".to_vec()).await.expect("room");
        assert_eq!(stored["received"], 3);
        assert_eq!(uploads.finish(id).await.map(|_| ()).map_err(code), Err(ErrorCode::InvalidParams));
        uploads.chunk(id, 3, b"de".to_vec()).await.expect("room");
        let stored = uploads.finish(id).await.expect("a file");
        assert_eq!(std::fs::read(stored.path()).expect("the file"), b"abcde");
        assert_eq!(uploads.finish(id).await.map(|_| ()).map_err(code), Err(ErrorCode::InvalidParams));
    }

    #[tokio::test]
    async fn nothing_is_left_of_an_upload_that_is_cancelled_or_dropped() {
        let home = tempfile::tempdir().expect("a folder");
        let storage = Storage::new(home.path().join("uploads"));
        let mut uploads = Uploads::default();
        uploads.start(&storage, "a".into(), 5).await.expect("an upload");
        let id = uploads.0.as_ref().map(|upload| upload.id).expect("an upload");
        assert!(uploads.cancel(UploadId([0; 16])).await.is_err());
        assert_eq!(entries(home.path()), 1);
        uploads.cancel(id).await.expect("its end");
        assert_eq!(entries(home.path()), 0);
        uploads.start(&storage, "a".into(), 5).await.expect("another one");
        drop(uploads);
        assert_eq!(entries(home.path()), 0);
    }
}
