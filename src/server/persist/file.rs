//! Files that are whole or not there: written beside and renamed, with a sum over their text.
//!
//! Invariant: a reader never sees half a file of ours, and nobody ever takes a damaged one for a good one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How a sealed text begins; sixteen hexadecimal digits follow.
const SEAL: &str = "{\"checksum\":\"";
/// What stands between the sum and the text that it is of.
const SEALED: &str = "\",";

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is none.
    #[error("it does not exist")]
    Missing,
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
    /// It is not what was written.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
}

/// Puts a sum before the members of a JSON object, whose text begins with `{`.
#[must_use]
pub fn sealed(object: &str) -> String {
    let members = object.strip_prefix('{').unwrap_or(object);
    format!("{SEAL}{:016x}{SEALED}{members}\n", sum(members.as_bytes()))
}

/// Whether a text is as [`sealed`] made it.
#[must_use]
pub fn is_whole(text: &str) -> bool {
    let parts = || {
        let (digits, rest) = text.strip_prefix(SEAL)?.split_at_checked(16)?;
        let members = rest.strip_prefix(SEALED)?.strip_suffix('\n')?;
        Some((digits, members))
    };
    parts().is_some_and(|(digits, members)| digits == format!("{:016x}", sum(members.as_bytes())))
}

/// Whether a text begins as a sealed one does.
#[must_use]
pub fn has_seal(text: &str) -> bool {
    text.starts_with(SEAL)
}

/// FNV-1a over 64 bits: against accidents, not against people who may write the file anyway.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Reads a text of bounded length.
///
/// # Errors
/// [`ReadError`].
pub fn read(path: &Path, most_bytes: u64) -> Result<String, ReadError> {
    let missing = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => ReadError::Missing,
        _ => ReadError::Unreadable(error),
    };
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path).map_err(missing)?.is_file() {
        return Err(ReadError::Damaged("it is no file"));
    }
    let file = File::open(path).map_err(missing)?;
    let mut bytes = Vec::new();
    file.take(most_bytes + 1).read_to_end(&mut bytes).map_err(ReadError::Unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most_bytes {
        return Err(ReadError::Damaged("it is too long"));
    }
    String::from_utf8(bytes).map_err(|_| ReadError::Damaged("it is no text"))
}

/// Writes a private file in one step for whoever reads, and for a loss of power.
///
/// # Errors
/// The operating system's; the older file is as it was then.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    replace(path, text, File::sync_all)?;
    sync_folder(path)
}

/// The same for what may be lost with the power, and then shows by its seal.
///
/// # Errors
/// As [`write`].
pub fn write_unsynced(path: &Path, text: &str) -> io::Result<()> {
    replace(path, text, |_| Ok(()))
}

/// The same as [`write`], and what was there stays as `kept`. Nothing is moved before the new text is on the
/// disk: a full one takes no older file away.
///
/// # Errors
/// The operating system's; both files are as they were then.
pub fn write_keeping(path: &Path, text: &str, kept: &Path) -> io::Result<()> {
    replace(path, text, |file| file.sync_all().and_then(|()| keep_as(path, kept)))?;
    sync_folder(path)
}

fn replace(path: &Path, text: &str, before: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let fresh = beside(path, ".new");
    let written =
        write_new(&fresh, text).and_then(|file| before(&file)).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

fn write_new(path: &Path, text: &str) -> io::Result<File> {
    // What an earlier life left there is half of something.
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Gives the file of `path` a second name that is whole at any time, replacing an older file there.
///
/// # Errors
/// The operating system's; both are as they were then.
pub fn keep_as(path: &Path, kept: &Path) -> io::Result<()> {
    let fresh = beside(kept, ".new");
    let _ = fs::remove_file(&fresh);
    // A file system without hard links takes a copy.
    let linked = fs::hard_link(path, &fresh).or_else(|_| fs::copy(path, &fresh).map(drop));
    let renamed = linked.and_then(|()| fs::rename(&fresh, kept));
    // Of two names of one file, a rename takes neither away; half a copy is none.
    let _ = fs::remove_file(&fresh);
    renamed
}

/// `path` with `suffix` after its name.
#[must_use]
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// A name beside `path` that nothing has yet: with the word, the date and, if need be, a number.
#[must_use]
pub fn dated(path: &Path, word: &str, now: SystemTime) -> PathBuf {
    let stamp = stamp(now);
    let name = |number: u32| match number {
        1 => beside(path, &format!(".{word}-{stamp}")),
        _ => beside(path, &format!(".{word}-{stamp}-{number}")),
    };
    (1..1_000).map(name).find(|path| fs::symlink_metadata(path).is_err()).unwrap_or_else(|| name(1_000))
}

/// The time in UTC as `20261130T194500Z`.
#[must_use]
pub fn stamp(now: SystemTime) -> String {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// Year, month and day of the Gregorian calendar, from days since 1970.
#[must_use]
pub fn date(days: u64) -> (u64, u64, u64) {
    // Counted from 1 March of the year 0, so that the leap day is a year's last one.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// A rename outlives a loss of power only once its folder is written.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Folders cannot be opened there.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "the same interface as on Unix")]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_seal_holds_for_the_very_text_only() {
        let text = sealed("{\"a\":1}");
        assert!(is_whole(&text), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["a"], 1);
        for index in 0..text.len() {
            assert!(!is_whole(&text[..index]), "{index}");
            let mut bytes = text.clone().into_bytes();
            bytes[index] ^= 1;
            assert!(!is_whole(&String::from_utf8(bytes).expect("text")), "{index}");
        }
    }

    #[test]
    fn a_file_is_replaced_in_one_step_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("session.json");
        assert!(matches!(read(&path, 10), Err(ReadError::Missing)));
        write(&path, "one").expect("written");
        fs::write(beside(&path, ".new"), "half").expect("written");
        write(&path, "two").expect("written");
        assert_eq!(read(&path, 10).expect("read"), "two");
        assert!(matches!(read(&path, 2), Err(ReadError::Damaged(_))));
        let kept = beside(&path, ".prev");
        keep_as(&path, &kept).expect("kept");
        write(&path, "three").expect("written");
        assert_eq!(read(&kept, 10).expect("read"), "two");
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 2);
        assert!(write(&folder.path().join("none/x"), "x").is_err());
        assert!(matches!(read(folder.path(), 10), Err(ReadError::Damaged("it is no file"))));
    }

    #[test]
    fn names_have_a_date_and_are_never_taken_twice() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(stamp(at(0)), "19700101T000000Z");
        assert_eq!(stamp(at(951_827_696)), "20000229T123456Z");
        assert_eq!(stamp(at(1_796_068_799)), "20261130T195959Z");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("session.json");
        let first = dated(&path, "broken", at(0));
        assert!(first.ends_with("session.json.broken-19700101T000000Z"));
        fs::write(&first, "").expect("written");
        assert!(dated(&path, "broken", at(0)).ends_with("session.json.broken-19700101T000000Z-2"));
    }
}
