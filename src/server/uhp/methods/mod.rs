//! The methods, by family. Each reads all of its params before it looks at anything, and looks
//! everything up before it does anything.

pub mod agent;
pub mod config;
pub mod create;
pub mod discovery;
pub mod events;
pub mod layout;
pub mod metadata;
pub mod mission;
pub mod pane;
pub mod rows;
pub mod search;
pub mod session;
pub mod stats;
pub mod tab;
pub mod terminal;
pub mod token;
pub mod wait;
pub mod workspace;
pub mod workspace_metadata;

#[cfg(test)]
pub mod samples;

use crate::protocol::command::Launch;
use crate::protocol::params::{ParamError, Params, absolute_path};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::terminal::command;
use crate::server::folder;

/// `cwd` and `command` of what makes a pane.
fn read_launch(params: &mut Params) -> Result<Launch, ParamError> {
    Ok(Launch {
        argv: params.nullable("command", command)?,
        cwd: params.nullable("cwd", absolute_path)?,
        ..Launch::default()
    })
}

/// Refuses a folder that is not there.
async fn require_folder(path: Option<&str>) -> Result<(), Failure> {
    match path {
        Some(path) if !folder::exists(path).await => Err(Failure::new(ErrorCode::NotFound, "no such folder")),
        _ => Ok(()),
    }
}

/// The params of a method that has none.
fn nothing(params: Params) -> Result<(), Failure> {
    Ok(params.finish()?)
}
