//! `pane.*` (`uhp.md` section 17): the focused pane where none is named.

use super::super::Context;
use super::terminal::{send, take, what_to_read};
use super::{nothing, read_launch, require_folder, rows};
use crate::protocol::command::{ClosePolicy, Command, MoveTarget};
use crate::protocol::geometry::{Axis, Direction};
use crate::protocol::ids::PaneId;
use crate::protocol::limits;
use crate::protocol::params::{ParamError, Params, boolean, integer, text, word};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::terminal::{input_too_large, some_text};
use crate::server::hub::{PaneEntry, Snapshot};
use crate::server::terminal::handle::PaneHandle;
use crate::server::uhp::target::{self, WorkspaceRef};
use serde_json::{Value, json};

const DIRECTIONS: &[(&str, Direction)] = &[
    ("left", Direction::Left),
    ("right", Direction::Right),
    ("up", Direction::Up),
    ("down", Direction::Down),
];

/// `pane.list`: the panes of the shown tab.
pub async fn list(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let snapshot = context.snapshot();
    let scene = &snapshot.scene;
    let tab = target::tab(scene, None, None)?;
    let shown = scene.panes.iter().filter(|pane| pane.tab == tab.scene.id);
    let rows: Vec<Value> =
        shown.map(|pane| rows::pane_row(scene, pane, rows::live(&snapshot, pane.id).as_ref())).collect();
    let work = rows::work(&snapshot);
    Ok(json!({
        "type": "pane_list",
        "revision": snapshot.sequence,
        "panes": rows,
        "render_performance": {"pictures": work.pictures},
        "detection_performance": {"scans": work.looks},
    }))
}

/// `pane.get`
pub async fn get(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    params.finish()?;
    describe(&context.snapshot(), named)
}

/// `pane.current`
pub async fn current(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    describe(&context.snapshot(), None)
}

fn describe(snapshot: &Snapshot, named: Option<PaneId>) -> Result<Value, Failure> {
    let pane = target::pane(&snapshot.scene, named)?;
    let mut row = rows::pane_row(&snapshot.scene, pane, rows::live(snapshot, pane.id).as_ref());
    row["type"] = json!("pane");
    row["revision"] = json!(snapshot.sequence);
    Ok(row)
}

/// The pane that is meant, when all params have been read.
pub fn resolve(context: &Context, params: Params, named: Option<PaneId>) -> Result<PaneId, Failure> {
    params.finish()?;
    Ok(target::pane(&context.snapshot().scene, named)?.id)
}

/// `direction`
pub fn read_direction(params: &mut Params) -> Result<Direction, ParamError> {
    params.required("direction", word(DIRECTIONS))
}

fn read_axis(params: &mut Params) -> Result<Option<Axis>, Failure> {
    const WORDS: &[(&str, Option<Axis>)] = &[
        ("auto", None),
        ("right", Some(Axis::Horizontal)),
        ("down", Some(Axis::Vertical)),
        ("stack", Some(Axis::Vertical)),
    ];
    match params.optional("direction", word(WORDS)) {
        Ok(axis) => Ok(axis.flatten()),
        Err(error) => Err(Failure::new(ErrorCode::InvalidRequest, error.to_string())),
    }
}

/// `pane.split`
pub async fn split(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let axis = read_axis(&mut params)?;
    let launch = read_launch(&mut params)?;
    let focus = params.optional("focus", boolean)?.unwrap_or(true);
    let pane = resolve(&context, params, named)?;
    require_folder(launch.cwd.as_deref()).await?;
    let outcome = context.command(Command::SplitPane { pane: Some(pane), axis, launch, focus }).await?;
    let new = outcome.pane.ok_or_else(|| Failure::new(ErrorCode::Internal, "no pane came of it"))?;
    Ok(json!({"type": "ok", "pane": new.to_string()}))
}

/// `pane.focus`
pub async fn focus(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_pane(&mut params, "pane")?;
    let pane = resolve(&context, params, Some(named))?;
    context.command(Command::FocusPane { pane }).await?;
    Ok(json!({"type": "ok"}))
}

/// `pane.move`: into another tab of its workspace, or into a new one.
pub async fn move_to(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let tab = target::read_tab(&mut params)?;
    let new_tab = params.optional("new_tab", boolean)?;
    params.finish()?;
    let scene = context.snapshot().scene;
    let pane = target::pane(&scene, named)?;
    let to = match (tab, new_tab) {
        (Some(tab), None) => {
            let within = WorkspaceRef::Id(pane.workspace);
            MoveTarget::Tab(target::tab(&scene, Some(within), Some(tab))?.scene.id)
        }
        (None, Some(true)) => MoveTarget::NewTab,
        _ => return Err(ParamError::new("tab", "give either `tab` or `new_tab`: true").into()),
    };
    let command = Command::MovePane { pane: Some(pane.id), to };
    let (_, Snapshot { scene: after, .. }) = context.command_seen(command).await?;
    let tab = target::pane(&after, Some(pane.id)).ok().and_then(|pane| target::tab_with_id(&after, pane.tab));
    Ok(json!({
        "type": "pane_move",
        "pane": pane.id.to_string(),
        "workspace": tab.map(|tab| tab.workspace.index.to_string()),
        "tab": tab.map(|tab| tab.place().to_string()),
    }))
}

/// `pane.swap`
pub async fn swap(mut params: Params, context: Context) -> Result<Value, Failure> {
    let pane = target::require_pane(&mut params, "pane")?;
    let with = target::require_pane(&mut params, "with")?;
    params.finish()?;
    let scene = context.snapshot().scene;
    let (pane, with) = (target::pane(&scene, Some(pane))?.id, target::pane(&scene, Some(with))?.id);
    context.command(Command::SwapPanes { pane, with }).await?;
    Ok(json!({"type": "ok"}))
}

/// `pane.rename`
pub async fn rename(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let name = params.required("name", text(0..=limits::TITLE_BYTES))?;
    let pane = resolve(&context, params, named)?;
    let command = Command::RenamePane { pane: Some(pane), name };
    let (_, after) = context.command_seen(command).await?;
    let name = target::pane(&after.scene, Some(pane))?.name.clone();
    Ok(json!({"type": "pane_rename", "pane": pane.to_string(), "name": name}))
}

/// `pane.zoom`: sets, or toggles without `zoomed`.
pub async fn zoom(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let zoomed = params.nullable("zoomed", boolean)?;
    let pane = resolve(&context, params, named)?;
    let (_, after) = context.command_seen(Command::ZoomPane { pane: Some(pane), zoomed }).await?;
    let zoomed = after.layouts.values().any(|layout| layout.zoomed == Some(pane));
    Ok(json!({"type": "ok", "pane": pane.to_string(), "zoomed": zoomed}))
}

/// `attach.pane`: whoever is attached, or attaches next, sees that pane alone.
pub async fn attach(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::require_pane(&mut params, "pane")?;
    let pane = resolve(&context, params, Some(named))?;
    context.command(Command::FocusPane { pane }).await?;
    let unchecked = Context { if_revision: None, ..context };
    let zoom = Command::ZoomPane { pane: Some(pane), zoomed: Some(true) };
    let (_, after) = unchecked.command_seen(zoom).await?;
    let attached = after.attached;
    Ok(json!({"type": "ok", "pane": pane.to_string(), "clients": attached}))
}

/// `pane.resize`
pub async fn resize(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let direction = read_direction(&mut params)?;
    let cells = params.required("cells", integer(1..=u64::from(limits::SCREEN_CELLS)))?;
    let pane = resolve(&context, params, named)?;
    let cells = u16::try_from(cells).unwrap_or(limits::SCREEN_CELLS);
    context.command(Command::ResizePane { pane: Some(pane), direction, cells }).await?;
    Ok(json!({"type": "ok"}))
}

/// `pane.close`
pub async fn close(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let pane = resolve(&context, params, named)?;
    context.command(Command::ClosePane { pane: Some(pane), policy: ClosePolicy::Force }).await?;
    Ok(json!({"type": "ok"}))
}

fn entry(context: &Context, named: Option<PaneId>) -> Result<PaneEntry, Failure> {
    let snapshot = context.snapshot();
    let pane = target::pane(&snapshot.scene, named)?.id;
    context.terminal(&snapshot, pane)
}

/// `pane.read`
pub async fn read(mut params: Params, context: Context) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let request = what_to_read(&mut params)?;
    params.finish()?;
    let entry = entry(&context, named)?;
    let capture = take(&entry.handle, request).await?;
    Ok(json!({
        "type": "pane_read",
        "pane": entry.handle.pane().to_string(),
        "lines": capture.lines,
        "truncated": capture.truncated,
        "content_revision": capture.revision,
        "text": capture.text,
    }))
}

/// `pane.run`: a command and Enter, as one action.
pub async fn run(params: Params, context: Context) -> Result<Value, Failure> {
    input(params, &context, "command", |handle, text| {
        handle.submit(text)?;
        context.hub.submitted(handle);
        Ok(())
    })
}

/// `pane.send_input`
pub async fn send_input(params: Params, context: Context) -> Result<Value, Failure> {
    input(params, &context, "text", PaneHandle::text)
}

fn input(
    mut params: Params,
    context: &Context,
    field: &str,
    action: impl Fn(&PaneHandle, &str) -> Result<(), crate::server::terminal::handle::InputError>,
) -> Result<Value, Failure> {
    let named = target::read_pane(&mut params, "pane")?;
    let text = params.required(field, some_text)?;
    params.finish()?;
    if text.len() > limits::INPUT_BYTES {
        return Err(input_too_large());
    }
    let entry = entry(context, named)?;
    send(&entry, |handle| action(handle, &text))?;
    Ok(json!({"type": "ok", "pane": entry.handle.pane().to_string(), "dispatch": "queued"}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::params::object;

    #[test]
    fn a_split_direction_is_one_of_four() {
        let read = |fields: Value| read_axis(&mut object(fields).unwrap());
        assert_eq!(read(json!({})).unwrap(), None);
        assert_eq!(read(json!({"direction": "auto"})).unwrap(), None);
        assert_eq!(read(json!({"direction": "right"})).unwrap(), Some(Axis::Horizontal));
        assert_eq!(read(json!({"direction": "stack"})).unwrap(), Some(Axis::Vertical));
        for bad in [json!("left"), json!(null), json!(1)] {
            assert_eq!(read(json!({"direction": bad})).unwrap_err().code, ErrorCode::InvalidRequest);
        }
    }
}
