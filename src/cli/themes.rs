//! Finding a theme: the built-in ones, and a person's `themes/*.toml`, which come first.

use crate::config::theme::{self, Palette};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest file that is read as a theme.
const FILE_BYTES: u64 = 64 * 1024;
/// The most files that are looked at for a list.
const FILES: usize = 256;

/// One theme of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name: the file's without `.toml`.
    pub name: String,
    /// One line about it, or what is wrong with it.
    pub about: Result<String, String>,
    /// Whether it is a person's own.
    pub own: bool,
}

/// The theme that settings name.
///
/// # Errors
/// One line: which file, where, and what is wrong; or that there is no such theme.
pub fn load(home: &Path, name: &str) -> Result<Palette, String> {
    let path = file(home, name);
    match path.filter(|path| path.exists()) {
        Some(path) => read(&path),
        None => Palette::built_in(name)
            .ok_or_else(|| format!("there is no theme `{name}`; `luvus theme list` shows which there are")),
    }
}

/// A theme's file.
///
/// # Errors
/// One line: which file, where, and what is wrong.
pub fn read(path: &Path) -> Result<Palette, String> {
    let told = |what: String| format!("{}: {what}", path.display());
    // Opening a pipe would wait for a writer.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(told("it is no file".to_owned()));
    }
    let file = fs::File::open(path).map_err(|error| told(error.to_string()))?;
    let mut text = String::new();
    file.take(FILE_BYTES).read_to_string(&mut text).map_err(|error| told(error.to_string()))?;
    Palette::parse(&text).map_err(|error| format!("{}:{error}", path.display()))
}

/// All themes by name, a person's own in the place of a built-in one of the same name.
#[must_use]
pub fn list(home: &Path) -> Vec<Found> {
    let mut found: Vec<Found> = theme::built_in()
        .filter_map(|name| {
            let about = Ok(Palette::built_in(name)?.description);
            Some(Found { name: name.to_owned(), about, own: false })
        })
        .collect();
    for path in files(home) {
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        found.retain(|theme| theme.name != name);
        let about = read(&path).map(|palette| palette.description);
        found.push(Found { name: name.to_owned(), about, own: true });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The file that a name means; none for what is no plain name.
fn file(home: &Path, name: &str) -> Option<PathBuf> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let named = !name.is_empty() && !name.starts_with('.') && name.bytes().all(plain);
    named.then(|| home.join("themes").join(format!("{name}.toml")))
}

fn files(home: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(home.join("themes")) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).take(FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_ones_own_comes_before_a_built_in_theme() {
        let home = tempfile::tempdir().expect("a folder");
        assert_eq!(load(home.path(), "nord"), Ok(Palette::built_in("nord").expect("built in")));
        fs::create_dir(home.path().join("themes")).expect("made");
        let file = home.path().join("themes/nord.toml");
        fs::write(&file, "description = \"mine\"\n").expect("written");
        assert_eq!(load(home.path(), "nord").expect("mine").description, "mine");
        let own: Vec<_> = list(home.path()).into_iter().filter(|theme| theme.own).collect();
        let mine = Found { name: "nord".into(), about: Ok("mine".into()), own: true };
        assert_eq!(own, [mine]);
        fs::write(&file, "[colors]\nink = 3\n").expect("written");
        let refused = load(home.path(), "nord").expect_err("a number is no color");
        assert!(refused.contains("nord.toml:2:7: "), "{refused}");
    }

    #[test]
    fn a_name_is_no_path() {
        let home = tempfile::tempdir().expect("a folder");
        for name in ["", "../config", "/etc/passwd", "a/b", ".hidden", "unheard-of"] {
            let refused = load(home.path(), name).expect_err(name);
            assert!(refused.contains("there is no theme"), "{refused}");
        }
    }
}
