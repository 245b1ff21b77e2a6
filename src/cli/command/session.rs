//! `luvus session`

use super::{ask_and_print, server};
use crate::cli::args::session::SessionVerb;
use crate::cli::attach::{self, Folders};
use crate::cli::autostart::{self, Started};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::paths::{Paths, SessionName};
use crate::cli::{output, sessions};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// `luvus session …`
///
/// # Errors
/// When it does not work.
pub fn run(context: &Context, verb: SessionVerb) -> Result<Exit, CliError> {
    match verb {
        SessionVerb::List => list(context),
        SessionVerb::New { name, detached, cwd } => new(context, &name, detached, cwd.as_deref()),
        SessionVerb::Attach { name } => {
            let session = known(context, &name)?;
            attach::run(&session, Folders { shown: None, first: session.environment.folder.clone() })
        }
        SessionVerb::Detach { all } => {
            ask_and_print(context, "session.detach", json!({"all": all}), detached)
        }
        SessionVerb::Kill { name } => server::stop(&known(context, &name)?),
        SessionVerb::Report { retry: None } => ask_and_print(context, "session.report", json!({}), report),
        SessionVerb::Report { retry: Some(pane) } => {
            let params = json!({"pane": pane.to_string()});
            ask_and_print(context, "session.retry", params, |_| format!("pane {pane} has a fresh shell"))
        }
        SessionVerb::Delete { name, yes } => delete(context, &name, yes),
    }
}

fn detached(result: &Map<String, Value>) -> String {
    match result.get("detached").and_then(Value::as_u64) {
        Some(1) => "1 client is detached".to_owned(),
        Some(count) => format!("{count} clients are detached"),
        None => String::new(),
    }
}

/// One line of what there is, and one for each thing that is not as it was.
fn report(result: &Map<String, Value>) -> String {
    let count = |name: &str| result.get(name).and_then(Value::as_u64).unwrap_or(0);
    let came = match result.get("generation").and_then(Value::as_u64) {
        Some(generation) => format!("restored from snapshot {generation}"),
        None => "a fresh session".to_owned(),
    };
    let counted = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (workspaces, panes) = (counted(count("workspaces"), "workspace"), counted(count("panes"), "pane"));
    let mut lines = vec![format!("{came}: {workspaces}, {panes}")];
    for problem in output::rows(result, "problems") {
        let retry = problem["pane"].as_str().filter(|_| problem["retry"] == true);
        let retry = retry.map(|pane| format!("; luvus session report --retry {pane}")).unwrap_or_default();
        lines.push(output::printable(&format!("{}{retry}", problem["text"].as_str().unwrap_or_default())));
    }
    lines.extend(result.get("unsaved").and_then(Value::as_str).map(output::printable));
    lines.join("\n")
}

fn known(context: &Context, name: &SessionName) -> Result<Context, CliError> {
    let session = context.of_session(name)?;
    if session.paths.exists() {
        return Ok(session);
    }
    Err(CliError::failed(format_args!("there is no session `{name}`; `luvus session new {name}` makes it")))
}

fn list(context: &Context) -> Result<Exit, CliError> {
    let sessions = sessions::all(context)?;
    if context.json {
        output::json(&discovery(&sessions))?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .map(|(paths, running)| {
            let state = if *running { "running" } else { "stopped" };
            vec![paths.session.to_string(), state.to_owned(), paths.files.address.display().to_string()]
        })
        .collect();
    output::line(&output::table(&["NAME", "STATE", "ADDRESS"], &rows))?;
    Ok(Exit::Ok)
}

/// The document of `uhp.md` section 2.
fn discovery(sessions: &[(Paths, bool)]) -> Value {
    let rows: Vec<Value> = sessions
        .iter()
        .map(|(paths, running)| {
            json!({
                "name": paths.session.as_str(), "default": paths.session.is_default(),
                "running": running, "endpoint": paths.endpoint(),
            })
        })
        .collect();
    json!({"sessions": rows})
}

fn new(context: &Context, name: &SessionName, detached: bool, cwd: Option<&Path>) -> Result<Exit, CliError> {
    let session = context.of_session(name)?;
    let taken = || {
        CliError::failed(format_args!(
            "session `{name}` exists already; `luvus session attach {name}` shows it"
        ))
    };
    if session.paths.exists() {
        return Err(taken());
    }
    let folder = context.absolute(cwd.unwrap_or(Path::new(".")))?;
    if !Path::new(&folder).is_dir() {
        return Err(CliError::failed(format_args!("{} is not a folder", output::printable(&folder))));
    }
    let folder = Some(PathBuf::from(folder));
    let size = if detached { None } else { Some(attach::check(&session)?) };
    // Of several at once, one brings the server up; the others have come too late for the name.
    if autostart::start(&session, size, folder.as_deref())? == Started::Already {
        return Err(taken());
    }
    if detached {
        return server::tell_started(&session, Started::Fresh);
    }
    attach::run(&session, Folders { shown: folder.clone(), first: folder })
}

fn delete(context: &Context, name: &SessionName, yes: bool) -> Result<Exit, CliError> {
    if !yes {
        return Err(CliError::usage(format_args!(
            "this deletes the files of session `{name}` for good; say so with --yes"
        )));
    }
    let session = known(context, name)?;
    sessions::remove(&session.paths)?;
    if context.json {
        output::json(&json!({"type": "ok", "session": name.as_str()}))?;
    } else {
        output::line(&format!("session `{name}` is deleted"))?;
    }
    Ok(Exit::Ok)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::cli::environment::Environment;
    use crate::cli::wire;
    use crate::server::instance::Instance;
    use std::fs;

    fn context(home: &Path) -> Context {
        let home = home.to_str().expect("text");
        Context::new(Environment::of(&[("LUVUS_HOME", home)]), None, false).expect("a context")
    }

    fn name(text: &str) -> SessionName {
        text.parse().expect("a name")
    }

    #[test]
    fn discovery_has_the_published_shape_and_touches_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = fs::canonicalize(folder.path()).expect("canonical").join("home");
        let document = |context: &Context| {
            let sessions = context.paths.all_sessions().expect("sessions");
            let probed: Vec<_> =
                sessions.into_iter().map(|paths| (paths.clone(), wire::reachable(&paths))).collect();
            discovery(&probed)
        };
        let address = home.join("luvus.sock");
        let row = |running: bool| {
            json!({"name": "default", "default": true, "running": running,
                "endpoint": {"transport": "unix_socket", "address": address.to_str()}})
        };
        assert_eq!(document(&context(&home)), json!({"sessions": [row(false)]}));
        assert!(!home.exists());

        let _instance = Instance::acquire(&context(&home).paths.files).expect("acquires");
        assert_eq!(document(&context(&home)), json!({"sessions": [row(true)]}));
    }

    #[test]
    fn only_stopped_sessions_are_deleted_and_only_on_purpose() {
        let folder = tempfile::tempdir().expect("a folder");
        let context = context(folder.path());
        let work = context.of_session(&name("work")).expect("a context");
        assert!(known(&context, &name("work")).is_err());
        let instance = Instance::acquire(&work.paths.files).expect("acquires");
        assert_eq!(delete(&context, &name("work"), false).expect_err("refused").exit, Exit::Usage);
        let error = delete(&context, &name("work"), true).expect_err("refused");
        assert!(error.message.contains("session kill work"), "{error}");
        drop(instance);
        assert!(sessions::remove(&work.paths).is_ok());
        assert!(!work.paths.exists());
        assert!(delete(&context, &name("default"), true).is_err());
    }

    #[test]
    fn a_session_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let context = context(folder.path());
        for existing in ["default", "work"] {
            fs::create_dir_all(folder.path().join("sessions/work")).expect("made");
            let error = new(&context, &name(existing), true, None).expect_err("refused");
            assert!(error.exit == Exit::Failed && error.message.contains("exists"), "{error}");
        }
    }
}
