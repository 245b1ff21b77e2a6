//! Symbolic links that are pointed anew while others look them up.

use std::fs;
use std::io;
use std::path::Path;

/// Makes `link` point to `target`. A rename replaces an older link in one step: whoever looks it up
/// always finds one.
///
/// # Errors
/// When the link cannot be made.
#[cfg(unix)]
pub fn point(link: &Path, target: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|present| present == target) {
        return Ok(());
    }
    let name = link.file_name().unwrap_or_default().to_string_lossy();
    let fresh = link.with_file_name(format!(".{name}.{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    std::os::unix::fs::symlink(target, &fresh)?;
    fs::rename(&fresh, link)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_made_and_pointed_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("link");
        for target in ["/first", "/second", "/second"] {
            point(&link, Path::new(target)).expect("a link");
            assert_eq!(fs::read_link(&link).ok(), Some(target.into()));
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
