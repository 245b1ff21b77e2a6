//! `set_metadata` (`pane-backend.md` 4.11).

use super::dispatch::Caller;
use super::error::of_change;
use super::list::Target;
use crate::protocol::command::Command;
use crate::protocol::pane_backend::error::Failure;
use crate::protocol::pane_backend::params::{change, context};
use crate::protocol::params::Params;
use serde_json::{Value, json};

/// `set_metadata`
pub async fn set(mut params: Params, caller: &Caller) -> Result<Value, Failure> {
    let (number, context) = params.required("context_id", context)?;
    let change = params.required("metadata", change)?;
    let target = Target::find(number, context, caller)?;
    let pane = target.entry.handle.pane();
    let described = caller.hub()?.command(Command::DescribePane { pane, change: Box::new(change) }).await;
    described.map(|_| json!({})).map_err(|error| of_change(&error, &target.context))
}
