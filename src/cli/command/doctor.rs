//! `luvus doctor`: one line per finding, with what to do about it. Looks only; repairs nothing.

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::paths::Paths;
use crate::cli::wire::{self, Answer, WireError};
use crate::cli::{output, settings};
use crate::server::{instance, persist};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A server that is alive answers a ping at once.
const PING_DEADLINE: Duration = Duration::from_secs(2);

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    fine: bool,
    text: String,
}

fn fine(text: impl Into<String>) -> Finding {
    Finding { fine: true, text: text.into() }
}

fn wrong(text: impl Into<String>) -> Finding {
    Finding { fine: false, text: text.into() }
}

/// Checks everything that a start or an attach needs.
///
/// # Errors
/// When the report cannot be printed.
pub fn run(context: &Context) -> Result<Exit, CliError> {
    let mut findings = vec![fine(format!("luvus {}", env!("CARGO_PKG_VERSION")))];
    findings.extend(folders(&context.paths));
    findings.extend(room(&context.paths));
    findings.extend(snapshots(&context.paths));
    let server = server(&context.paths);
    // What is in the way of the socket keeps an answer from us too, and was told.
    if server.fine || !findings.iter().any(|told| !told.fine && server.text.starts_with(&told.text)) {
        findings.push(server);
    }
    findings.extend(kept(&context.paths));
    findings.extend(configuration(context));
    findings.push(shell(context));
    findings.extend(terminal(context));
    print(context, &findings)?;
    Ok(if findings.iter().all(|finding| finding.fine) { Exit::Ok } else { Exit::Failed })
}

fn print(context: &Context, findings: &[Finding]) -> Result<(), CliError> {
    if context.json {
        let rows: Vec<Value> =
            findings.iter().map(|finding| json!({"ok": finding.fine, "text": finding.text})).collect();
        return output::json(&json!({"findings": rows}));
    }
    let lines: Vec<String> = findings
        .iter()
        .map(|finding| {
            let mark = if finding.fine { "ok   " } else { "WRONG" };
            format!("{mark} {}", output::printable(&finding.text))
        })
        .collect();
    output::line(&lines.join("\n"))
}

fn folders(paths: &Paths) -> Vec<Finding> {
    if fs::symlink_metadata(&paths.files.given_home).is_err() {
        return vec![fine(format!("{} will be made by the first start", paths.files.home.display()))];
    }
    let home = private(&paths.files.given_home, 0o700);
    if !paths.files.given_home.is_dir() {
        // Then nothing can be in it.
        return vec![home];
    }
    let mut findings = vec![home];
    if paths.files.session_dir != paths.files.home && paths.files.session_dir.exists() {
        findings.push(private(&paths.files.session_dir, 0o700));
    }
    let refused = instance::obstacles(&paths.files);
    if refused.is_empty() && paths.files.address.exists() {
        findings.push(private(&paths.files.address, 0o600));
    }
    findings.extend(refused.iter().map(|error| wrong(error.to_string())));
    // The folder of the alias is an exception that clients know.
    if paths.files.address == paths.files.socket {
        findings.extend(open_ancestors(&paths.files.address));
    }
    findings
}

/// Whether `path` is ours, no link, and closed to others.
#[cfg(unix)]
fn private(path: &Path, mode: u32) -> Finding {
    use std::os::unix::fs::MetadataExt as _;
    let shown = path.display();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) => return wrong(format!("{shown} cannot be looked at ({error}); check its folder")),
    };
    if found.is_symlink() {
        return wrong(format!(
            "{shown} is a symbolic link; remove the link, or set LUVUS_HOME to the folder it leads to"
        ));
    }
    if found.is_file() {
        return wrong(format!(
            "{shown} is in the way and is not a folder; move it away or set LUVUS_HOME to another folder"
        ));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return wrong(format!(
            "{shown} belongs to user {}, not to you; set LUVUS_HOME to a folder of your own",
            found.uid()
        ));
    }
    let has = found.mode() & 0o7777;
    if has != mode {
        return wrong(format!(
            "{shown} has mode {has:04o}; run: chmod {mode:04o} {shown} (a start does it too)"
        ));
    }
    fine(format!("{shown} is private"))
}

/// Access lists of the profile keep it private.
#[cfg(windows)]
fn private(path: &Path, _mode: u32) -> Finding {
    if path.is_symlink() {
        return wrong(format!("{} is a link; set LUVUS_HOME to the folder it leads to", path.display()));
    }
    fine(format!("{} is there", path.display()))
}

/// Whoever may rename a folder above the socket may put another in its place; consumers of the
/// endpoint refuse to connect then (`uhp.md` section 3).
#[cfg(unix)]
fn open_ancestors(address: &Path) -> Vec<Finding> {
    use std::os::unix::fs::MetadataExt as _;
    let open = |folder: &&Path| fs::metadata(folder).is_ok_and(|found| found.mode() & 0o022 != 0);
    let above = address.ancestors().skip(2);
    above
        .filter(open)
        .map(|folder| {
            let shown = folder.display();
            wrong(format!(
                "{shown} can be written by others, so strict clients refuse the socket below it; set LUVUS_HOME to a folder elsewhere"
            ))
        })
        .collect()
}

/// Pipes have no folder.
#[cfg(windows)]
fn open_ancestors(_address: &Path) -> Vec<Finding> {
    Vec::new()
}

/// Snapshots, settings and logs take little; with less than this a session soon cannot be kept.
#[cfg(unix)]
const ROOM_BYTES: u64 = 16 * 1_048_576;

/// Whether the folder can be written and its disk has room.
#[cfg(unix)]
fn room(paths: &Paths) -> Vec<Finding> {
    let folder = paths.files.session_dir.as_path();
    if !folder.is_dir() {
        return Vec::new();
    }
    let shown = folder.display();
    let mut findings = Vec::new();
    if rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_err() {
        findings.push(wrong(format!(
            "{shown} cannot be written; make it writable or set LUVUS_HOME to another folder"
        )));
    }
    if let Ok(disk) = rustix::fs::statvfs(folder) {
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        findings.push(if free < ROOM_BYTES {
            wrong(format!("the disk of {shown} has {} KiB left; free some space", free / 1_024))
        } else {
            fine(format!("the disk of {shown} has room"))
        });
    }
    findings
}

/// The profile's disk.
#[cfg(windows)]
fn room(_paths: &Paths) -> Vec<Finding> {
    Vec::new()
}

fn snapshots(paths: &Paths) -> Vec<Finding> {
    let found = persist::inspect(&paths.files.session_dir);
    found.into_iter().map(|found| found.map_or_else(wrong, fine)).collect()
}

/// What the running server could not restore or cannot keep.
fn kept(paths: &Paths) -> Vec<Finding> {
    let Ok(Answer::Result(report)) = wire::call(paths, "session.report", json!({}), PING_DEADLINE) else {
        return Vec::new();
    };
    let problems = output::rows(&report, "problems");
    let problems = problems.iter().filter_map(|problem| problem["text"].as_str());
    let told = problems.map(|text| format!("{text}; see: luvus session report"));
    told.chain(report.get("unsaved").and_then(Value::as_str).map(str::to_owned)).map(wrong).collect()
}

fn server(paths: &Paths) -> Finding {
    let session = &paths.session;
    match wire::call(paths, "ping", json!({}), PING_DEADLINE) {
        Ok(Answer::Result(result)) => {
            let version = result.get("version").and_then(Value::as_str).unwrap_or_default();
            if version == env!("CARGO_PKG_VERSION") {
                return fine(format!("the server of session `{session}` answers"));
            }
            wrong(format!(
                "the server of session `{session}` is luvus {version}, this is {}; save your work, then run: luvus server stop",
                env!("CARGO_PKG_VERSION")
            ))
        }
        Ok(Answer::Error { message, .. }) => wrong(format!(
            "the server of session `{session}` refuses a ping ({message}); run: luvus server stop"
        )),
        Err(WireError::NoServer(_)) if is_held(&paths.files.lock) => wrong(format!(
            "{} holds {} and does not answer; end that process, then start again",
            instance::owner(&paths.files.lock),
            paths.files.lock.display()
        )),
        Err(WireError::Silent(_)) => wrong(format!(
            "the server of session `{session}` ({}) does not answer; if that lasts, end that process: a start \
             brings back what it kept",
            instance::owner(&paths.files.lock)
        )),
        Err(WireError::NoServer(_)) if is_left(&paths.files.address) => fine(format!(
            "session `{session}` is not running; the next start clears what a killed server left"
        )),
        Err(WireError::NoServer(_)) => fine(format!("session `{session}` is not running")),
        Err(error) => wrong(format!("{error}; look into {}", paths.files.log_dir.display())),
    }
}

/// Whether a socket is left; anything else is in the way.
fn is_left(address: &Path) -> bool {
    fs::symlink_metadata(address).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a living process holds a lock.
fn is_held(lock: &Path) -> bool {
    // Opening a pipe would wait.
    let is_file = fs::symlink_metadata(lock).is_ok_and(|found| found.is_file());
    is_file
        && fs::File::open(lock).is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

fn configuration(context: &Context) -> Vec<Finding> {
    let warnings = super::config::warnings(context);
    if warnings.is_empty() {
        return vec![fine("the configuration is in order")];
    }
    warnings.into_iter().map(|warning| wrong(format!("{warning}; edit that file"))).collect()
}

fn shell(context: &Context) -> Finding {
    let (config, _) = settings::load(&context.paths.config);
    let shell = context.environment.shell(&config.shell);
    if !Path::new(&shell).is_absolute() || Path::new(&shell).is_file() {
        return fine(format!("panes run {shell}"));
    }
    wrong(format!("the shell {shell} does not exist; set `shell` in {}", context.paths.config.display()))
}

fn terminal(context: &Context) -> Vec<Finding> {
    let term = context.environment.text("TERM");
    let mut findings = vec![match term {
        Some("dumb") | None => wrong("TERM names no terminal that can show panes; use another terminal"),
        Some(term) => fine(format!("TERM is {term}")),
    }];
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| context.environment.text(name));
    let utf8 = locale.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"));
    if !utf8 && cfg!(unix) {
        let locale = locale.unwrap_or("not set");
        findings.push(wrong(format!(
            "the locale ({locale}) is not UTF-8, so programs may not draw their characters; set LANG, for example to C.UTF-8"
        )));
    }
    findings
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn context(home: &Path, more: &[(&str, &str)]) -> Context {
        let mut variables = vec![("LUVUS_HOME", home.to_str().expect("text"))];
        variables.extend(more);
        Context::new(Environment::of(&variables), None, false).expect("a context")
    }

    fn complaints(findings: &[Finding]) -> Vec<&str> {
        findings.iter().filter(|finding| !finding.fine).map(|finding| finding.text.as_str()).collect()
    }

    #[test]
    fn a_fresh_machine_is_fine() {
        let folder = tempfile::tempdir().expect("a folder");
        let context = context(&folder.path().join("home"), &[("TERM", "xterm"), ("LANG", "C.UTF-8")]);
        assert_eq!(complaints(&folders(&context.paths)), [""; 0]);
        assert!(server(&context.paths).fine);
        assert!(shell(&context).fine);
        assert_eq!(complaints(&terminal(&context)), [""; 0]);
        assert_eq!(complaints(&configuration(&context)), [""; 0]);
    }

    #[test]
    fn what_is_wrong_comes_with_a_remedy() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home");
        fs::create_dir(&home).expect("made");
        fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).expect("set");
        assert!(private(&home, 0o700).text.contains("chmod 0700"));
        let link = folder.path().join("link");
        symlink(&home, &link).expect("linked");
        assert!(private(&link, 0o700).text.contains("LUVUS_HOME"));
        let context = context(&home, &[("LUVUS_SHELL", "/nowhere/sh")]);
        assert!(shell(&context).text.contains("does not exist"));
        assert_eq!(complaints(&terminal(&context)).len(), 2);
    }

    #[test]
    fn what_is_in_the_way_is_told_as_what_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().canonicalize().expect("canonical").join("home");
        fs::write(&home, "mine").expect("written");
        let told = folders(&context(&home, &[]).paths);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].text.contains("home is in the way and is not a folder"), "{told:?}");
        fs::remove_file(&home).expect("removed");
        fs::create_dir(&home).expect("made");
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).expect("set");
        for name in ["sessions", "luvus.sock"] {
            fs::write(home.join(name), "mine").expect("written");
        }
        let context = context(&home, &[]);
        let told = folders(&context.paths);
        for name in ["sessions is in the way", "luvus.sock is in the way"] {
            assert!(complaints(&told).iter().any(|line| line.contains(name)), "{name}: {told:?}");
        }
        assert_eq!(
            server(&context.paths).text,
            "session `default` is not running",
            "nothing will be cleared"
        );
    }

    #[test]
    fn who_holds_the_lock_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join("server.lock");
        fs::write(&lock, "4711\n").expect("written");
        let held = fs::File::open(&lock).expect("opened");
        held.lock().expect("locked");
        let told = server(&context(folder.path(), &[]).paths);
        assert!(!told.fine && told.text.contains("process 4711 holds"), "{told:?}");
    }

    #[test]
    fn what_a_start_would_refuse_is_named_once() {
        for name in ["luvus.sock", "server.lock", "start.lock", "logs", "bin", "logs/server.log"] {
            let folder = tempfile::tempdir().expect("a folder");
            let home = folder.path().canonicalize().expect("canonical").join("home");
            fs::create_dir_all(home.join(name).parent().expect("has one")).expect("made");
            fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).expect("set");
            symlink(folder.path().join("target"), home.join(name)).expect("linked");
            let context = context(&home, &[]);
            let findings = folders(&context.paths);
            let about = |finding: &&str| finding.contains(&format!("{name} is a symbolic link"));
            assert_eq!(
                complaints(&findings).iter().filter(|line| about(line)).count(),
                1,
                "{name}: {findings:?}"
            );
        }
    }

    #[test]
    fn folders_that_others_can_write_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = folder.path().join("open");
        fs::create_dir(&open).expect("made");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("set");
        let found = open_ancestors(&open.join("home/luvus.sock"));
        assert!(found.iter().any(|finding| finding.text.contains(&format!("{}", open.display()))));
    }
}
