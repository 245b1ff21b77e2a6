//! Looking at folders without holding up the tasks of the runtime: a file system can be slow.

/// Whether a child can be started there.
pub async fn exists(path: &str) -> bool {
    let path = path.to_owned();
    let look = tokio::task::spawn_blocking(move || std::fs::metadata(path).is_ok_and(|found| found.is_dir()));
    look.await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(super::exists(folder.path().to_str().unwrap()).await);
        assert!(!super::exists(file.to_str().unwrap()).await);
        assert!(!super::exists("/does/not/exist").await);
    }
}
