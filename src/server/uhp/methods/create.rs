//! `terminal.backend.create` (`uhp.md` section 7.12).
//!
//! Invariant: answers only when the child runs in a pane that can be addressed, and says of every
//! failure whether a child had been started.

use super::super::{Context, error};
use super::{rows, terminal};
use crate::protocol::command::{Command, Launch};
use crate::protocol::ids::PaneId;
use crate::protocol::params::Params;
use crate::protocol::uhp::error::{Dispatch, ErrorCode, Failure};
use crate::protocol::uhp::terminal::{Create, Placement};
use crate::server::folder;
use crate::server::hub::{HubError, Snapshot};
use crate::server::model::{Event, ModelError, Outcome};
use serde_json::{Value, json};

/// How often the workspace may be closed by somebody else between finding it and using it.
const ATTEMPTS: usize = 3;

/// `create`
pub async fn create(params: Params, context: Context) -> Result<Value, Failure> {
    let wanted = Create::read(params)?;
    let beside = match &wanted.placement {
        Placement::Workspace => None,
        Placement::Sibling(locator) => Some(terminal::locate(&context, locator)?.handle.pane()),
    };
    if !folder::exists(&wanted.cwd).await {
        let failure = Failure::new(ErrorCode::CreateFailed, "`cwd` is not a folder");
        return Err(failure.with(Dispatch::NotStarted));
    }
    let outcome = match beside {
        Some(pane) => split(&context, &wanted, pane).await,
        None => in_workspace(&context, &wanted).await,
    };
    let (outcome, snapshot) = outcome.map_err(|error| error::of_create(&error))?;
    describe(&context, &wanted, &outcome, &snapshot).ok_or_else(|| {
        let failure =
            Failure::new(ErrorCode::CreateFailed, "the terminal ended before it could be addressed");
        failure.with(Dispatch::Started)
    })
}

fn launch(wanted: &Create) -> Launch {
    Launch {
        argv: wanted.command.clone(),
        cwd: Some(wanted.cwd.clone()),
        label: wanted.label.clone().filter(|label| !label.is_empty()),
        restore: wanted.restore,
        ..Launch::default()
    }
}

type Made = Result<(Outcome, Snapshot), HubError>;

async fn split(context: &Context, wanted: &Create, pane: PaneId) -> Made {
    let command =
        Command::SplitPane { pane: Some(pane), axis: None, launch: launch(wanted), focus: wanted.focus };
    context.hub.command_seen(command).await
}

/// A tab of the workspace rooted at `cwd`, which is made when there is none.
async fn in_workspace(context: &Context, wanted: &Create) -> Made {
    let mut attempt = 1;
    loop {
        let open = Command::OpenWorkspace {
            path: wanted.cwd.clone(),
            focus: wanted.focus,
            reuse: true,
            launch: launch(wanted),
        };
        let (opened, snapshot) = context.hub.command_seen(open).await?;
        if made_workspace(&opened) {
            return Ok((opened, snapshot));
        }
        let tab =
            Command::NewTab { workspace: opened.workspace, launch: launch(wanted), focus: wanted.focus };
        match context.hub.command_seen(tab).await {
            Err(HubError::Model(ModelError::NoWorkspace(_))) if attempt < ATTEMPTS => attempt += 1,
            result => return result,
        }
    }
}

fn made_workspace(outcome: &Outcome) -> bool {
    outcome.events.iter().any(|event| matches!(event, Event::WorkspaceCreated(_)))
}

/// The result; `None` when the pane never stood anywhere.
fn describe(context: &Context, wanted: &Create, outcome: &Outcome, snapshot: &Snapshot) -> Option<Value> {
    let entry = snapshot.directory.panes.get(&outcome.pane?)?;
    let (workspace, tab, live) = terminal::standing(snapshot, entry)?;
    let kind = match wanted.placement {
        Placement::Workspace => "workspace",
        Placement::Sibling(_) => "sibling",
    };
    let mut result = json!({
        "type": "terminal_backend_created",
        "state": "succeeded",
        "dispatch": "executed",
        "server_generation": context.hub.generation().to_string(),
        "terminal_id": live.terminal.to_string(),
        "pane_id": entry.handle.pane().to_string(),
        "placement": {"kind": kind, "workspace": workspace, "tab": tab},
        "cwd": wanted.cwd,
        "root_process": rows::root_process(&live.root),
    });
    if wanted.restore.is_some() {
        result["restore"] = json!(live.restore);
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ids::WorkspaceId;

    #[test]
    fn a_reused_workspace_is_told_from_a_new_one() {
        let mut outcome = Outcome { workspace: Some(WorkspaceId(1)), ..Outcome::default() };
        assert!(!made_workspace(&outcome));
        outcome.events = vec![Event::PaneCreated(PaneId(1)), Event::WorkspaceCreated(WorkspaceId(1))];
        assert!(made_workspace(&outcome));
    }

    #[test]
    fn an_empty_label_is_none() {
        let mut wanted = Create {
            cwd: "/srv".to_owned(),
            command: None,
            label: Some(String::new()),
            placement: Placement::Workspace,
            focus: false,
            restore: Some(false),
        };
        assert_eq!(launch(&wanted).label, None);
        wanted.label = Some("probe".to_owned());
        assert_eq!(launch(&wanted).label.as_deref(), Some("probe"));
        assert_eq!((launch(&wanted).cwd.as_deref(), launch(&wanted).restore), (Some("/srv"), Some(false)));
    }
}
