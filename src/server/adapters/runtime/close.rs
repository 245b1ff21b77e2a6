//! Closing what is idle (`runtime.md` section 7.1.1): a busy pane refuses the whole.

use super::{Context, fields, target};
use crate::protocol::command::{ClosePolicy, Command};
use crate::protocol::params::Params;
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::protocol::runtime::snapshot::{Pane, Snapshot, TaskState};
use serde_json::{Value, json};

/// `window.close`
pub async fn window(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let named = target::read_window(&mut params)?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let window = target::window_or_only(&scene, named)?;
    require_idle(context, |pane| {
        scene.panes.iter().any(|other| other.id.0 == pane && other.workspace == window.id)
    })?;
    let command = Command::CloseWorkspace { workspace: Some(window.id), policy: ClosePolicy::IfIdle };
    context.command(command).await?;
    Ok(context.action("window.close", fields(window.id.0, None, None)))
}

/// `tab.close`
pub async fn tab(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let named = target::read_window(&mut params)?;
    let index = target::require_index(&mut params, "tab_index")?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let window = target::window_or_only(&scene, named)?;
    let tab = target::tab(window, index)?;
    require_idle(context, |pane| scene.panes.iter().any(|other| other.id.0 == pane && other.tab == tab.id))?;
    context.command(Command::CloseTab { tab: Some(tab.id), policy: ClosePolicy::IfIdle }).await?;
    Ok(context.action("tab.close", fields(window.id.0, Some(index), None)))
}

/// `pane.close`
pub async fn pane(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    params.finish()?;
    let scene = context.hub.snapshot().scene;
    let pane = target::pane(&scene, window, pane)?;
    require_idle(context, |other| other == pane.id.0)?;
    context.command(Command::ClosePane { pane: Some(pane.id), policy: ClosePolicy::IfIdle }).await?;
    let action = fields(pane.workspace.0, target::tab_index(&scene, pane.id), Some(pane.id.0));
    Ok(context.action("pane.close", action))
}

/// Refuses if one of those panes is busy. The hub looks once more when it closes.
fn require_idle(context: &Context, among: impl Fn(u32) -> bool) -> Result<(), Failure> {
    let present = context.tracker.snapshot(&context.hub);
    let busy: Vec<u32> = present
        .panes()
        .filter(|(_, pane)| is_busy(pane) && among(pane.id))
        .map(|(_, pane)| pane.id)
        .collect();
    if busy.is_empty() {
        return Ok(());
    }
    Err(confirmation(&present, |pane| busy.contains(&pane)))
}

fn is_busy(pane: &Pane) -> bool {
    let at_work = match pane.task_state {
        TaskState::Running | TaskState::WaitingInput | TaskState::Attention => true,
        TaskState::Idle | TaskState::Finished | TaskState::Failed => false,
    };
    at_work || pane.active_run.is_some()
}

/// The refusal, with those panes.
pub fn confirmation(present: &Snapshot, busy: impl Fn(u32) -> bool) -> Failure {
    let rows: Vec<Value> = present
        .panes()
        .filter(|(_, pane)| busy(pane.id))
        .map(|(window, pane)| {
            json!({
                "window_id": window,
                "pane_id": pane.id,
                "task_state": pane.task_state,
                "running_program": pane.running_program,
            })
        })
        .collect();
    Failure::new(ErrorCode::ConfirmationRequired, "a program that still runs would be ended")
        .with(json!({"panes": rows}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::runtime::snapshot::{Tab, TabKind, Window};

    #[test]
    fn a_refusal_names_the_busy_panes_and_what_runs_in_them() {
        let pane = |id, task_state, program: Option<&str>| Pane {
            id,
            active: false,
            title: String::new(),
            cwd: String::new(),
            branch: String::new(),
            ssh_destination: None,
            agent: None,
            running_program: program.map(str::to_owned),
            task_state,
            state_change_seq: 2,
            active_run: None,
            last_run: None,
        };
        let panes = vec![pane(1, TaskState::Running, None), pane(2, TaskState::Running, Some("vi"))];
        assert!(is_busy(&panes[0]) && !is_busy(&pane(3, TaskState::Failed, None)));
        let tab = Tab {
            index: 0,
            active: true,
            label: String::new(),
            kind: TabKind::Shell,
            bell: false,
            focused_pane_id: None,
            zoomed_pane_id: None,
            layout: None,
            panes,
        };
        let window = Window {
            id: 1,
            focused: true,
            session_exempt: false,
            active_tab: 0,
            focused_pane_id: None,
            tabs: vec![tab],
        };
        let present = Snapshot {
            revision: 1,
            process_id: 1,
            app_version: "0",
            protocol_version: 1,
            detached_windows: 0,
            windows: vec![window],
            pane_lifecycles: Vec::new(),
        };
        let failure = confirmation(&present, |pane| pane == 2);
        assert_eq!(failure.code, ErrorCode::ConfirmationRequired);
        assert_eq!(
            failure.details,
            Some(json!({"panes": [
                {"window_id": 1, "pane_id": 2, "task_state": "running", "running_program": "vi"},
            ]}))
        );
    }
}
