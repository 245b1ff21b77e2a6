//! `pane.procs` (`runtime.md` section 7.6): names and ids, never arguments or environments.

use super::{Context, input, target};
use crate::protocol::params::Params;
use crate::protocol::runtime::error::{ErrorCode, Failure};
use crate::server::agents::identity::is_interpreter;
use crate::server::agents::manifest::Manifests;
use serde_json::{Value, json};

/// `pane.procs`
pub async fn procs(mut params: Params, context: &Context) -> Result<Value, Failure> {
    let window = target::read_window(&mut params)?;
    let pane = target::require_pane(&mut params)?;
    params.finish()?;
    let (pane, entry) = input::running(context, window, pane)?;
    let ended = || Failure::new(ErrorCode::PaneExited, "the pane's program has ended");
    let in_force = context.hub.agents_in_force().await.map_err(|_| ended())?;
    let view = context.hub.snapshot().agents.get(&pane.id).cloned();
    let known = view.as_ref().and_then(|view| view.kind()).map(str::to_owned);
    let handle = entry.handle;
    let looked = tokio::task::spawn_blocking(move || {
        let list = handle.process_tree()?;
        let scripts = handle.scripts_of(&list, is_interpreter);
        Some(list.into_iter().zip(scripts).collect::<Vec<_>>())
    });
    let list = looked.await.ok().flatten().filter(|list| !list.is_empty()).ok_or_else(ended)?;
    let rows = list.iter().map(|(process, script)| {
        let mut row = json!({
            "pid": process.pid,
            "parent_pid": process.parent,
            "executable": process.executable,
            "display_name": process.name,
            "depth": process.depth,
        });
        if let Some(kind) = kind_of(&in_force.manifests, &process.name, script.as_deref(), known.as_deref()) {
            row["agent_kind"] = json!(kind);
        }
        row
    });
    Ok(json!({
        "window_id": pane.workspace.0,
        "pane_id": pane.id.0,
        "root_pid": list.first().map(|(root, _)| root.pid),
        "processes": rows.collect::<Vec<_>>(),
    }))
}

/// The kind of agent that a process is, by its name or by the script that it runs. A name that others have
/// too counts only where the pane is known to have that agent.
fn kind_of<'a>(
    manifests: &'a Manifests,
    name: &str,
    script: Option<&str>,
    known: Option<&'a str>,
) -> Option<&'a str> {
    let ambiguous = || {
        let manifest = manifests.get(known?)?;
        manifest.ambiguous.iter().any(|other| other == name).then_some(manifest.id.as_str())
    };
    manifests.distinct(name).or_else(|| manifests.distinct(script?)).or_else(ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_an_agent_by_its_name_its_script_or_what_is_known_of_the_pane() {
        let manifests = Manifests::with(Vec::new());
        let kind = |name, script, known| kind_of(&manifests, name, script, known);
        assert_eq!(kind("claude", None, None), Some("claude"));
        assert_eq!(kind("node", Some("codex"), None), Some("codex"));
        assert_eq!(kind("node", Some("server"), Some("codex")), None);
        assert_eq!(kind("agent", None, None), None);
        assert_eq!(kind("agent", None, Some("cursor")), Some("cursor"));
        assert_eq!(kind("bash", None, Some("claude")), None);
    }
}
