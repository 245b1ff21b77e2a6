//! Reading `config.toml`: the one place where its file is touched.

use crate::config::Config;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The configuration and one line for each thing that is wrong with it. A missing file is in order;
/// an unreadable one gives the defaults.
#[must_use]
pub fn load(path: &Path) -> (Config, Vec<String>) {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return (Config::default(), Vec::new()),
        Err(error) => {
            let warning = format!("cannot read {} ({error}); the defaults are used", path.display());
            return (Config::default(), vec![warning]);
        }
    };
    let (config, warnings) = Config::parse(&text);
    let told = warnings.into_iter().map(|warning| match warning.at {
        Some((line, column)) => format!("{}:{line}:{column}: {}", path.display(), warning.message),
        None => format!("{}: {}", path.display(), warning.message),
    });
    (config, told.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
