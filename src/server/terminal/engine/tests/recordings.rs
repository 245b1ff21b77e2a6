//! Real programs, recorded: what the screen shows at the end of each recording in `tests/recordings`.
//!
//! A recording is a folder with `bytes`, `size.json` and the screen's text, which was checked against
//! another emulator and by eye when it was made.

use super::rows;
use crate::protocol::geometry::Size;
use crate::server::terminal::engine::{Engine, View};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The folders of the recordings.
fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let entries = fs::read_dir(folder).expect("the recordings").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_dir()).collect()
}

fn size(folder: &Path) -> Size {
    let text = fs::read_to_string(folder.join("size.json")).expect("a size");
    let size: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let side = |name: &str| u16::try_from(size[name].as_u64().expect("a number")).expect("a small one");
    Size::new(side("rows"), side("cols"))
}

#[test]
fn recorded_programs_show_what_they_showed() {
    let folders = recordings();
    assert!(folders.len() >= 7, "{folders:?}");
    for folder in folders {
        let bytes = fs::read(folder.join("bytes")).expect("bytes");
        let wanted = fs::read_to_string(folder.join("screen.txt")).expect("a screen");
        for chunk in [bytes.len(), 1_000, 1] {
            let mut engine = Engine::new(size(&folder), 1_000_000);
            for part in bytes.chunks(chunk) {
                engine.feed(part, Instant::now());
            }
            let shown = rows(&mut engine, View::Live).join("\n") + "\n";
            assert_eq!(shown, wanted, "{} in pieces of {chunk}", folder.display());
        }
    }
}
