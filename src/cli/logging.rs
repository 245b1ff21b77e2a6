//! Logs: JSON lines in a file of bounded size, or text on standard error. Nobody logs what a person
//! or a program typed or showed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use tracing::level_filters::LevelFilter;

/// Size from which a file becomes `<name>.1`: some thousand lines, read by people.
const FILE_BYTES: u64 = 1_048_576;

/// Where the lines go.
#[derive(Debug)]
pub enum Sink {
    /// Standard error, as text.
    Stderr,
    /// This file, as JSON.
    File(PathBuf),
}

/// Sends what is traced to `sink`, from the level that `LUVUS_LOG` names.
pub fn start(level: Option<&str>, sink: Sink) {
    let level = level_of(level);
    let builder = tracing_subscriber::fmt().with_max_level(level).with_target(false);
    // A second subscriber in one process is refused; the first one stays.
    let _ = match sink {
        Sink::Stderr => tracing::subscriber::set_global_default(builder.with_writer(io::stderr).finish()),
        Sink::File(path) => {
            // Its text may quote what a pane shows; where it happened does not.
            let told = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                let place = panic.location().map(ToString::to_string);
                tracing::error!(place, "panicked");
                told(panic);
            }));
            let writer = Mutex::new(RotatingFile::new(path, FILE_BYTES));
            tracing::subscriber::set_global_default(builder.json().with_writer(writer).finish())
        }
    };
}

fn level_of(name: Option<&str>) -> LevelFilter {
    match name {
        Some("off") => LevelFilter::OFF,
        Some("error") => LevelFilter::ERROR,
        Some("warn") => LevelFilter::WARN,
        Some("debug") => LevelFilter::DEBUG,
        _ => LevelFilter::INFO,
    }
}

/// A file that is opened by the first line and makes room when it is full: itself and one older
/// file are all that ever exists. What cannot be written is lost, as nobody could be told.
struct RotatingFile {
    path: PathBuf,
    limit_bytes: u64,
    open: Option<(File, u64)>,
}

impl RotatingFile {
    fn new(path: PathBuf, limit_bytes: u64) -> Self {
        Self { path, limit_bytes, open: None }
    }

    fn file(&mut self) -> io::Result<&mut (File, u64)> {
        if self.open.as_ref().is_some_and(|(_, bytes)| *bytes >= self.limit_bytes) {
            self.open = None;
        }
        let opened = match self.open.take() {
            Some(open) => open,
            None => self.open_with_room()?,
        };
        Ok(self.open.insert(opened))
    }

    fn open_with_room(&self) -> io::Result<(File, u64)> {
        if fs::metadata(&self.path).is_ok_and(|found| found.len() >= self.limit_bytes) {
            let mut older = self.path.clone().into_os_string();
            older.push(".1");
            fs::rename(&self.path, older)?;
        }
        // A link would lead the lines elsewhere, and a pipe would wait for a reader.
        if fs::symlink_metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("something else is in the way of the log"));
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.path)?;
        let bytes = file.metadata()?.len();
        Ok((file, bytes))
    }
}

impl Write for RotatingFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Ok((file, bytes)) = self.file() {
            let _ = file.write_all(line);
            *bytes = bytes.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_documented_names() {
        assert_eq!(level_of(None), LevelFilter::INFO);
        assert_eq!(level_of(Some("off")), LevelFilter::OFF);
        assert_eq!(level_of(Some("debug")), LevelFilter::DEBUG);
        assert_eq!(level_of(Some("loud")), LevelFilter::INFO);
    }

    #[test]
    fn a_full_file_makes_room_and_one_older_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("server.log");
        fs::write(&path, "old line\n").expect("written");
        let mut log = RotatingFile::new(path.clone(), 12);
        for line in ["first\n", "second\n", "third\n", "fourth\n"] {
            log.write_all(line.as_bytes()).expect("written");
        }
        assert_eq!(fs::read_to_string(&path).expect("read"), "fourth\n");
        let older = fs::read_to_string(folder.path().join("server.log.1")).expect("read");
        assert_eq!(older, "second\nthird\n");
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_log_leads_nowhere_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, elsewhere) = (folder.path().join("server.log"), folder.path().join("precious"));
        fs::write(&elsewhere, "").expect("written");
        std::os::unix::fs::symlink(&elsewhere, &path).expect("linked");
        RotatingFile::new(path, 12).write_all(b"x").expect("lost");
        assert_eq!(fs::read(&elsewhere).expect("read"), b"");
    }

    #[cfg(unix)]
    #[test]
    fn a_log_is_private() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("server.log");
        RotatingFile::new(path.clone(), 12).write_all(b"x").expect("written");
        assert_eq!(fs::metadata(&path).expect("made").mode() & 0o777, 0o600);
    }
}
