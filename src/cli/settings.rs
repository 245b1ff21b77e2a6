//! Reading and writing `config.toml`: the one place where its file is touched.

use super::environment::Environment;
use super::integration;
use crate::config::{Config, Patch};
use crate::protocol::attach::message::{Integrate, IntegrationState};
use crate::server::configuration::{Configuration, Read};
use crate::server::instance::lock_within;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The configuration and one line for each thing that is wrong with it. A missing file is in order;
/// an unreadable one gives the defaults.
#[must_use]
pub fn load(path: &Path) -> (Config, Vec<String>) {
    let text = match text_of(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return (Config::default(), Vec::new()),
        Err(error) => {
            let warning = format!("cannot read {} ({error}); the defaults are used", path.display());
            return (Config::default(), vec![warning]);
        }
    };
    parse(path, &text)
}

/// The text of a file of settings. What could keep a reader waiting, or has no end, is none.
fn text_of(path: &Path) -> io::Result<String> {
    /// A longer file is no configuration.
    const BYTES: u64 = 1_048_576;
    let found = fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is no file"));
    }
    if found.len() > BYTES && found.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is longer than 1 MiB"));
    }
    fs::read_to_string(path)
}

fn parse(path: &Path, text: &str) -> (Config, Vec<String>) {
    let (config, warnings) = Config::parse(text);
    let told = warnings.into_iter().map(|warning| match warning.at {
        Some((line, column)) => format!("{}:{line}:{column}: {}", path.display(), warning.message),
        None => format!("{}: {}", path.display(), warning.message),
    });
    (config, told.collect())
}

/// The file of a running server.
pub struct File {
    path: PathBuf,
    environment: Environment,
}

impl File {
    /// The settings at `path`, and the environment that knows the person's shell.
    #[must_use]
    pub fn new(path: PathBuf, environment: Environment) -> Self {
        Self { path, environment }
    }

    /// The text; none if there is no file.
    fn text(&self) -> io::Result<String> {
        match text_of(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            result => result,
        }
    }
}

impl Configuration for File {
    fn read(&self) -> Result<Read, String> {
        let text = self.text().map_err(|error| format!("cannot read {}: {error}", self.path.display()))?;
        let read = parse(&self.path, &text);
        // Half a file must not take all settings back.
        if text.parse::<toml::Table>().is_err() {
            return Err(read.1.join("; "));
        }
        Ok(read)
    }

    fn write(&self, patch: &Patch) -> io::Result<()> {
        let target = behind_links(&self.path)?;
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        // Of two who write at once, the second reads what the first has written.
        let _alone = alone(folder)?;
        let before = self.text()?;
        let text = patch.edit(&before);
        let text = text.map_err(|warning| io::Error::new(ErrorKind::InvalidData, warning.message))?;
        let text =
            if before.contains("\r\n") { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text };
        let fresh = folder.join(format!(".config.toml.{}", std::process::id()));
        let written = write_like(&fresh, &target, text.as_bytes()).and_then(|()| fs::rename(&fresh, &target));
        if written.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        written
    }

    fn shell(&self, config: &Config) -> String {
        self.environment.shell(&config.shell)
    }

    fn manifests(&self) -> Vec<(String, String)> {
        manifests(&self.path.with_file_name("manifests"))
    }

    fn integrations(&self) -> Vec<IntegrationState> {
        let Some(home) = self.environment.user_home.as_deref() else { return Vec::new() };
        integration::states(home)
    }

    fn integrate(&self, change: &Integrate) -> Result<(), String> {
        let home = self.environment.user_home.as_deref().ok_or("there is no home folder")?;
        integration::change(home, change)
    }
}

/// Keeps other writers out of a folder's settings; none where its disk has no locks.
fn alone(folder: &Path) -> io::Result<Option<fs::File>> {
    /// Longer than any of ours writes.
    const PATIENCE: Duration = Duration::from_secs(5);
    #[cfg(unix)]
    let lock = fs::File::open(folder)?;
    #[cfg(windows)]
    let lock = fs::File::create(folder.join("config.lock"))?;
    match lock_within(&lock, PATIENCE) {
        Ok(true) => Ok(Some(lock)),
        Ok(false) => Err(io::Error::new(ErrorKind::TimedOut, "another program is writing the settings")),
        Err(_unsupported) => Ok(None),
    }
}

/// The files of a folder of manifests, in the order of their names. What cannot be read is told of and
/// left out.
fn manifests(folder: &Path) -> Vec<(String, String)> {
    /// A longer file is no manifest.
    const BYTES: u64 = 262_144;
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let fits = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= BYTES);
        match fits.then(|| fs::read_to_string(&path)) {
            Some(Ok(text)) => Some((name, text)),
            _ => {
                tracing::warn!(file = %name, "an agent manifest cannot be read");
                None
            }
        }
    };
    paths.into_iter().filter_map(read).collect()
}

/// Where a file is to be written: a link stays one, also before there is something behind it, since people
/// keep their settings elsewhere.
///
/// # Errors
/// When links lead nowhere but to each other.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// More in a row than any system follows.
    const LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        if let Ok(whole) = fs::canonicalize(&target) {
            return Ok(whole);
        }
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target = target.parent().unwrap_or(Path::new(".")).join(next);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "it is a link that leads to itself"))
}

/// Writes a new file with the permissions of an older one.
pub(super) fn write_like(fresh: &Path, older: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(fresh)?;
    if let Ok(present) = fs::metadata(older) {
        file.set_permissions(present.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_settings_are_written_and_the_rest_of_the_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deeper/config.toml");
        let file = File::new(path.clone(), Environment::default());
        let patch = |text: &str| Patch::parse(text).expect("settings");
        file.write(&patch("allow_nested = true")).expect("a new file");
        fs::write(&path, "# mine\nallow_nested = true\n").expect("written");
        file.write(&patch("pane.on_exit = \"hold\"")).expect("written");
        let text = fs::read_to_string(&path).expect("the file");
        assert!(text.starts_with("# mine\nallow_nested = true\n") && text.contains("on_exit = \"hold\""));
        let left = fs::read_dir(folder.path().join("deeper")).expect("a folder").count();
        assert_eq!(left, 1, "nothing is left beside it");
        assert!(file.read().expect("settings").0.allow_nested);
        fs::write(&path, "allow_nested = tr").expect("written");
        assert!(file.read().expect_err("half a file").contains("config.toml:1:"));
        assert!(file.write(&patch("allow_nested = true")).is_err());
        assert_eq!(fs::read_to_string(&path).expect("the file"), "allow_nested = tr");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_and_its_target_s_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real.toml"), folder.path().join("config.toml"));
        fs::write(&real, "theme = \"x\"\n").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
        symlink(&real, &link).expect("a link");
        let file = File::new(link.clone(), Environment::default());
        file.write(&Patch::parse("allow_nested = true").expect("settings")).expect("written");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!(fs::metadata(&real).expect("the file").permissions().mode() & 0o777, 0o640);
        assert!(fs::read_to_string(&real).expect("the file").contains("allow_nested = true"));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_what_is_not_there_yet_stays_too() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("config.toml");
        symlink("dotfiles/first", &link).expect("a link");
        fs::create_dir(folder.path().join("dotfiles")).expect("a folder");
        symlink("../elsewhere/real.toml", folder.path().join("dotfiles/first")).expect("a link");
        let file = File::new(link.clone(), Environment::default());
        file.write(&Patch::parse("allow_nested = true").expect("settings")).expect("written");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        let real = folder.path().join("elsewhere/real.toml");
        assert!(fs::read_to_string(real).expect("the file").contains("allow_nested = true"));
        fs::remove_file(&link).expect("removed");
        symlink("config.toml", &link).expect("a link");
        assert!(file.write(&Patch::parse("allow_nested = true").expect("settings")).is_err());
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    }

    #[test]
    fn of_many_who_write_at_once_nobody_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        fs::write(&path, "# mine\r\n").expect("written");
        let lines = ["allow_nested = true", "theme = \"x\"", "mouse.capture = false", "preset = \"tmux\""];
        std::thread::scope(|scope| {
            for (index, line) in lines.iter().cycle().take(16).enumerate() {
                let file = File::new(path.clone(), Environment::default());
                scope.spawn(move || {
                    let more = format!("{line}\nkeybindings.tab_{} = \"F{}\"", index % 9 + 1, index + 1);
                    if index < 9 { file.write(&Patch::parse(&more).expect("settings")) } else { Ok(()) }
                        .expect("written");
                });
            }
        });
        let text = fs::read_to_string(&path).expect("the file");
        assert_eq!(text.matches("\ntab_").count(), 9, "{text}");
        assert!(text.starts_with("# mine\r\n") && text.matches('\n').count() == text.matches("\r\n").count());
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        fs::File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a hole");
        assert!(load(&path).1[0].contains("longer than"));
        #[cfg(unix)]
        assert!(load(Path::new("/dev/zero")).1[0].contains("it is no file"));
    }

    #[test]
    fn a_missing_file_is_in_order_and_a_broken_one_is_located() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        assert_eq!(load(&path), (Config::default(), Vec::new()));
        fs::write(&path, "allow_nested = true\n").expect("written");
        assert!(load(&path).0.allow_nested);
        fs::write(&path, "\nallow_nested = = true\n").expect("written");
        let (config, warnings) = load(&path);
        assert_eq!(config, Config::default());
        assert!(warnings[0].contains("config.toml:2:"), "{warnings:?}");
        let (config, warnings) = load(folder.path());
        assert_eq!((config, warnings.len()), (Config::default(), 1));
    }
}
