//! What a name on a pane's screen leads to, seen from the pane's directory.

use crate::protocol::attach::message::{Located, ToClient};
use crate::protocol::ids::PaneId;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// The longest name that is looked for.
const NAME_BYTES: usize = 4_096;

/// Looks, and tells the client. Files are asked for away from the hub: a file system may take its time.
pub async fn locate(pane: PaneId, text: String, folder: Option<PathBuf>, out: mpsc::Sender<ToClient>) {
    let name = text.clone();
    let found = spawn_blocking(move || find(&name, folder.as_deref())).await.ok().flatten();
    let (path, folder) = found.map_or((None, false), |(path, folder)| (Some(path), folder));
    let _ = out.send(ToClient::Located(Located { pane, text, path, folder })).await;
}

/// The path of an existing file, and whether it is a folder.
fn find(name: &str, folder: Option<&Path>) -> Option<(String, bool)> {
    if name.is_empty() || name.len() > NAME_BYTES {
        return None;
    }
    let path = folder?.join(name);
    // Of something that is neither, as a socket, an editor makes nothing.
    let about = std::fs::metadata(&path).ok().filter(|about| about.is_file() || about.is_dir())?;
    Some((path.into_os_string().into_string().ok()?, about.is_dir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_seen_from_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("src")).expect("made");
        std::fs::write(folder.path().join("src/a.rs"), "").expect("written");
        let find = |name: &str| find(name, Some(folder.path()));
        let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
        assert_eq!(find("src/a.rs"), Some((path("src/a.rs"), false)));
        assert_eq!(find("src"), Some((path("src"), true)));
        assert_eq!(find(&path("src/a.rs")), Some((path("src/a.rs"), false)));
        for none in ["", "src/b.rs", &"x".repeat(NAME_BYTES + 1)] {
            assert_eq!(find(none), None);
        }
    }
}
