//! What every command needs to know: the environment, the session that is meant, the pane it runs
//! in, and how targets that were left out or written as ids are found (`spec/README.md` points 2
//! and 19).

use super::environment::Environment;
use super::error::{CliError, Exit};
use super::output;
use super::paths::{Paths, SessionName};
use super::refs::{TabRef, WorkspaceRef};
use super::runtime::Endpoint;
use super::wire;
use crate::client::Form;
use crate::protocol::ids::{PaneId, TabId, WorkspaceId};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The setting of one command.
#[derive(Debug, Clone)]
pub struct Context {
    /// The environment.
    pub environment: Environment,
    /// The session that is meant.
    pub paths: Paths,
    /// Whether results are printed as JSON.
    pub json: bool,
    /// How an attach tells narrow screens from others.
    pub form: Form,
    /// Whether `--session` names it.
    named: bool,
}

impl Context {
    /// That of a command line with `--session` and `--json` as given.
    ///
    /// # Errors
    /// When no session can be meant.
    pub fn new(environment: Environment, named: Option<&SessionName>, json: bool) -> Result<Self, CliError> {
        let paths = Paths::select(&environment, named)?;
        Ok(Self { environment, paths, json, form: Form::Auto, named: named.is_some() })
    }

    /// The same for another session of the state root.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_session(&self, name: &SessionName) -> Result<Self, CliError> {
        let paths = Paths::of_session(&self.environment, name.clone())?;
        Ok(Self { environment: self.environment.clone(), paths, named: true, ..*self })
    }

    /// Where requests of the runtime protocol go.
    #[must_use]
    pub fn runtime_endpoint(&self) -> Endpoint {
        let given = self.environment.raw("LUVUS_RUNTIME_ENDPOINT").filter(|_| !self.named);
        given.map_or(Endpoint::Session, |given| Endpoint::parse(&given.to_string_lossy()))
    }

    /// A variable of the own pane, if this process runs in a pane of the session that is meant.
    fn own(&self, variable: &str) -> Option<&str> {
        let socket = self.environment.raw("LUVUS_SOCKET_PATH")?;
        let same = self.environment.in_a_pane() && Path::new(socket) == self.paths.files.socket;
        if same { self.environment.text(variable) } else { None }
    }

    /// The pane this process runs in.
    #[must_use]
    pub fn own_pane(&self) -> Option<PaneId> {
        self.own("LUVUS_PANE_ID")?.parse().ok()
    }

    /// The workspace of that pane.
    #[must_use]
    pub fn own_workspace(&self) -> Option<WorkspaceId> {
        self.own("LUVUS_WORKSPACE_ID")?.parse().ok()
    }

    /// `path` from the working directory, as the server needs it.
    ///
    /// # Errors
    /// When there is no working directory, or the path is no text.
    pub fn absolute(&self, path: &Path) -> Result<String, CliError> {
        let whole: PathBuf = match &self.environment.folder {
            _ if path.is_absolute() => path.to_owned(),
            Some(folder) => folder.join(path),
            None => return Err(CliError::failed("the working directory is gone; give an absolute path")),
        };
        // A folder that exists is named without `.` and `..`; the server says what is wrong with others.
        let whole = whole.canonicalize().unwrap_or(whole);
        whole.into_os_string().into_string().map_err(|_| CliError::failed("the path is not valid UTF-8"))
    }

    /// The params that name a workspace: the one given, that of this pane, or none for the focused one.
    #[must_use]
    pub fn workspace_params(&self, given: Option<WorkspaceRef>) -> Map<String, Value> {
        let mut params = Map::new();
        match given.or_else(|| self.own_workspace().map(WorkspaceRef::Id)) {
            Some(WorkspaceRef::Index(index)) => params.insert("workspace".into(), index.into()),
            Some(WorkspaceRef::Id(id)) => params.insert("workspace_id".into(), id.to_string().into()),
            None => None,
        };
        params
    }

    /// The id of a workspace.
    ///
    /// # Errors
    /// When there is none with that index.
    pub fn workspace_id(&self, given: WorkspaceRef) -> Result<WorkspaceId, CliError> {
        let index = match given {
            WorkspaceRef::Id(id) => return Ok(id),
            WorkspaceRef::Index(index) => index,
        };
        let ids = self.workspace_ids()?;
        usize::try_from(index).ok().and_then(|index| ids.get(index)).copied().ok_or_else(|| CliError {
            message: format!("there is no workspace {index}; `luvus workspace list` shows them"),
            exit: Exit::Gone,
        })
    }

    fn workspace_ids(&self) -> Result<Vec<WorkspaceId>, CliError> {
        let result = wire::ask(&self.paths, "workspace.list", json!({}))?;
        ids(&output::rows(&result, "workspaces"), "workspace_id")
    }

    /// Where the tab `tab` is: its workspace and its zero-based index there.
    ///
    /// # Errors
    /// When there is none.
    pub fn locate_tab(&self, tab: TabId) -> Result<(WorkspaceId, u32), CliError> {
        for workspace in self.workspace_ids()? {
            let params = json!({"workspace_id": workspace.to_string()});
            let result = wire::ask(&self.paths, "tab.list", params)?;
            let tabs: Vec<TabId> = ids(&output::rows(&result, "tabs"), "tab_id")?;
            let found = tabs.iter().position(|found| *found == tab);
            if let Some(index) = found.and_then(|index| u32::try_from(index).ok()) {
                return Ok((workspace, index));
            }
        }
        Err(CliError { message: format!("there is no tab {tab}"), exit: Exit::Gone })
    }

    /// The params that name a tab in UHP, where positions start at one.
    ///
    /// # Errors
    /// When the index is beyond every position.
    pub fn tab_params(
        &self,
        tab: TabRef,
        workspace: Option<WorkspaceRef>,
    ) -> Result<Map<String, Value>, CliError> {
        match tab {
            TabRef::Id(id) => Ok(Map::from_iter([("tab_id".to_owned(), id.to_string().into())])),
            TabRef::Index(index) => {
                let mut params = self.workspace_params(workspace);
                params.insert("tab".into(), position(index)?.into());
                Ok(params)
            }
        }
    }
}

/// The one-based position of a zero-based index.
///
/// # Errors
/// When there is no such number.
pub fn position(index: u32) -> Result<u32, CliError> {
    index.checked_add(1).ok_or_else(|| CliError::usage("the index is too large"))
}

fn ids<T: std::str::FromStr>(rows: &[Value], key: &str) -> Result<Vec<T>, CliError> {
    let id = |row: &Value| row[key].as_str().and_then(|id| id.parse().ok());
    rows.iter()
        .map(|row| {
            id(row).ok_or_else(|| CliError::failed(format_args!("the server's list has a row without {key}")))
        })
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn context(variables: &[(&str, &str)], named: Option<&str>) -> Context {
        let named = named.map(|name| name.parse().expect("a name"));
        Context::new(Environment::of(variables), named.as_ref(), false).expect("a context")
    }

    const PANE: [(&str, &str); 5] = [
        ("LUVUS_HOME", "/nowhere/l"),
        ("LUVUS_ENV", "1"),
        ("LUVUS_SOCKET_PATH", "/nowhere/l/luvus.sock"),
        ("LUVUS_PANE_ID", "7"),
        ("LUVUS_WORKSPACE_ID", "w2"),
    ];

    #[test]
    fn a_pane_is_the_default_only_for_its_own_session() {
        assert_eq!(context(&PANE, None).own_pane(), Some(PaneId(7)));
        assert_eq!(context(&PANE, Some("default")).own_pane(), Some(PaneId(7)));
        assert_eq!(context(&PANE, Some("other")).own_pane(), None);
        assert_eq!(context(&PANE[..1], None).own_pane(), None);
    }

    #[test]
    fn workspaces_and_tabs_are_named_as_uhp_counts_them() {
        let inside = context(&PANE, None);
        assert_eq!(Value::from(inside.workspace_params(None)), json!({"workspace_id": "w2"}));
        let tab = inside.tab_params(TabRef::Index(0), Some(WorkspaceRef::Index(3))).expect("params");
        assert_eq!(Value::from(tab), json!({"workspace": 3, "tab": 1}));
        let tab = inside.tab_params(TabRef::Id(TabId(5)), None).expect("params");
        assert_eq!(Value::from(tab), json!({"tab_id": "t5"}));
        let outside = context(&PANE[..1], None);
        assert!(outside.workspace_params(None).is_empty());
    }
}
