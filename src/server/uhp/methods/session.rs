//! What a start brought back, and trying again what did not work; ending a server whose clients are to
//! come back.

use super::super::Context;
use super::super::target;
use super::nothing;
use crate::protocol::params::Params;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::persist::nearest_folder;
use crate::server::uhp::error;
use serde_json::{Value, json};
use std::path::PathBuf;

/// `session.report`
pub async fn report(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let report = context.hub.report().await.map_err(|error| error::of_hub(&error))?;
    let problems: Vec<Value> = report
        .problems
        .iter()
        .map(|problem| {
            let pane = problem.pane.map(|pane| pane.to_string());
            json!({"text": problem.text, "pane": pane, "retry": pane.is_some()})
        })
        .collect();
    let snapshot = context.snapshot();
    Ok(json!({
        "type": "session_report",
        "session": context.session.name,
        "restored": report.generation.is_some(),
        "generation": report.generation,
        "workspaces": snapshot.scene.workspaces.len(),
        "panes": snapshot.scene.panes.len(),
        "problems": problems,
        "unsaved": report.unsaved,
    }))
}

/// `session.retry`: a fresh shell for a pane of the report, in the folder that it was in.
pub async fn retry(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    params.finish()?;
    let pane = target::pane(&context.snapshot().scene, named)?.id;
    let report = context.hub.report().await.map_err(|error| error::of_hub(&error))?;
    let Some(wanted) = report.of_pane(pane).and_then(|problem| problem.cwd.clone()) else {
        let text = format!("the report has no problem with pane {pane}");
        return Err(Failure::new(ErrorCode::NotFound, text));
    };
    let wanted = PathBuf::from(wanted);
    let looked = wanted.clone();
    let nearest = tokio::task::spawn_blocking(move || nearest_folder(&looked)).await;
    if !nearest.is_ok_and(|nearest| nearest == wanted) {
        let text = format!("{} is still gone; make it and try again", wanted.display());
        return Err(Failure::new(ErrorCode::Unavailable, text));
    }
    let cwd = wanted.to_string_lossy().into_owned();
    let retried = context.hub.retry(pane, cwd.clone()).await;
    retried.map_err(|error| error::of_hub(&error))?;
    Ok(json!({"type": "ok", "pane": pane.to_string(), "cwd": cwd}))
}

/// `server.restart`: like `server.stop`, but clients are told to come back.
pub async fn restart(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    context.hub.restart().await;
    Ok(json!({"type": "ok"}))
}
