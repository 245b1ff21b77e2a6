//! The desktop's clipboard, by the program that sets it: `wl-copy`, `xclip`, `xsel`, `pbcopy`, `clip.exe`.
//!
//! Invariants: a text goes in over the program's standard input, never as an argument; a program that does
//! not take it in time is ended, and nobody says that it did.

use super::environment::Environment;
use crate::client::{Clipboard, Copied};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

/// How long a program may take.
const DEADLINE: Duration = Duration::from_secs(3);

/// A program that sets a clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    path: PathBuf,
    name: &'static str,
    arguments: &'static [&'static str],
}

/// The clipboard of the desktop that this process runs on, if there is one with a program for it.
pub fn find(environment: &Environment) -> Option<Clipboard> {
    let program = program(environment)?;
    Some(Box::new(move |text| {
        let program = program.clone();
        Box::pin(async move { give(&program, &text, DEADLINE).await })
    }))
}

fn program(environment: &Environment) -> Option<Program> {
    let is_set = |name: &str| environment.raw(name).is_some();
    // Over SSH the desktop of this machine is not the one that the person sits at.
    let remote = is_set("SSH_CONNECTION") || is_set("SSH_TTY");
    let candidates: [(bool, &'static str, &'static [&'static str]); 5] = [
        (is_set("WAYLAND_DISPLAY"), "wl-copy", &[]),
        (is_set("DISPLAY"), "xclip", &["-selection", "clipboard"]),
        (is_set("DISPLAY"), "xsel", &["--clipboard", "--input"]),
        (cfg!(target_os = "macos") && !remote, "pbcopy", &[]),
        ((cfg!(windows) || is_set("WSL_DISTRO_NAME")) && !remote, "clip.exe", &[]),
    ];
    let path = environment.raw("PATH")?;
    candidates.into_iter().filter(|(usable, ..)| *usable).find_map(|(_, name, arguments)| {
        // An empty entry would be the present folder: nobody means that.
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let path = folders.map(|folder| folder.join(name)).find(|path| is_program(path))?;
        Some(Program { path, name, arguments })
    })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

async fn give(program: &Program, text: &str, deadline: Duration) -> Copied {
    let name = program.name;
    let failed = |why: String| format!("{name} {why}; the text was sent to the terminal's clipboard only");
    match timeout(deadline, run(program, text)).await {
        Ok(Ok(true)) => Ok(format!("copied with {name}, and sent to the terminal's clipboard")),
        Ok(Ok(false)) => Err(failed("failed".to_owned())),
        Ok(Err(error)) => Err(failed(format!("failed: {error}"))),
        Err(_) => Err(failed("did not take the text in time".to_owned())),
    }
}

async fn run(program: &Program, text: &str) -> std::io::Result<bool> {
    let mut child = Command::new(&program.path)
        .args(program.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&encoded(program.name, text)).await?;
        input.shutdown().await?;
    }
    Ok(child.wait().await?.success())
}

/// `clip.exe` reads the system's code page, or UTF-16.
fn encoded(name: &str, text: &str) -> Vec<u8> {
    if name == "clip.exe" {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    } else {
        text.as_bytes().to_vec()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn script(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }

    #[test]
    fn the_desktop_decides_which_program_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("text");
        script(folder.path(), "xsel", "");
        script(folder.path(), "wl-copy", "");
        std::fs::write(folder.path().join("xclip"), "no program").expect("written");
        let name = |variables: &[(&str, &str)]| {
            program(&Environment::of(&[variables, &[("PATH", path)]].concat())).map(|program| program.name)
        };
        assert_eq!(name(&[("DISPLAY", ":0")]), Some("xsel"));
        assert_eq!(name(&[("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0")]), Some("wl-copy"));
        assert_eq!(name(&[]), None);
    }

    #[tokio::test]
    async fn only_a_program_that_took_the_text_is_said_to_have_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("kept");
        let program = |name: &str, text: &str| {
            script(folder.path(), name, text);
            Program { path: folder.path().join(name), name: "xclip", arguments: &[] }
        };
        let good = program("good", &format!("#!/bin/sh\ncat > '{}'\n", kept.display()));
        let told = give(&good, "grüße\n  x", DEADLINE).await.expect("taken");
        assert!(told.starts_with("copied with xclip"), "{told}");
        assert_eq!(std::fs::read_to_string(&kept).expect("a file"), "grüße\n  x");
        let bad = program("bad", "#!/bin/sh\ncat > /dev/null; exit 1\n");
        assert!(give(&bad, "x", DEADLINE).await.is_err_and(|told| told.contains("xclip failed")));
        let slow = program("slow", "#!/bin/sh\nexec sleep 60\n");
        let told = give(&slow, "x", Duration::from_millis(50)).await.expect_err("too slow");
        assert!(told.contains("in time") && told.contains("terminal's clipboard only"), "{told}");
    }
}
