//! Events as UHP tells them (`uhp.md` sections 9 and 19): the one place where their JSON is made.
//!
//! Invariant: lifecycle events of terminals count workspaces and tabs from 1, in integers; all others
//! give workspaces (from 0), tabs (from 1) and panes as texts.

use crate::protocol::command::Side;
use crate::protocol::ids::{PaneId, ServerGeneration};
use crate::protocol::scene::ExitStatus;
use crate::protocol::uhp::envelope;
use crate::server::hub::{Body, Change, Event, PaneEvent, Place, Reason, SessionEvent, TerminalEvent};
use serde_json::{Value, json};
use std::sync::Arc;

/// The event's frame, written once for all who follow.
pub fn frame(event: &Event, generation: ServerGeneration) -> Arc<[u8]> {
    event.frame(|event| {
        let (name, data) = shape(&event.body, generation);
        envelope::event(name, event.sequence, &data)
    })
}

/// Its name and its data.
pub fn shape(body: &Body, generation: ServerGeneration) -> (&'static str, Value) {
    match body {
        Body::Terminal(event) => terminal(event, generation),
        Body::Session(event) => session(event),
        Body::Pane(id, event) => pane(*id, event),
    }
}

fn terminal(event: &TerminalEvent, generation: ServerGeneration) -> (&'static str, Value) {
    let (name, detail) = match &event.change {
        Change::Created => ("terminal.created", json!({})),
        Change::Moved => ("terminal.moved", json!({})),
        Change::Labelled(label) => ("terminal.metadata_changed", json!({"label": label})),
        Change::OutputReady => ("terminal.output_ready", json!({})),
        Change::Exited(status) => ("terminal.exited", exit(status)),
        Change::Closed { reason, status } => {
            let mut detail = status.as_ref().map_or_else(|| json!({}), exit);
            detail["reason"] = json!(match reason {
                Reason::Exited => "exited",
                Reason::Closed => "closed",
            });
            ("terminal.closed", detail)
        }
    };
    let data = json!({
        "server_generation": generation.to_string(),
        "terminal_id": event.terminal.to_string(),
        "pane_id": event.pane.to_string(),
        "content_revision": event.revision,
        "workspace": event.place.map(|place| place.workspace + 1),
        "tab": event.place.map(|place| place.tab + 1),
        "detail": detail,
    });
    (name, data)
}

fn exit(status: &ExitStatus) -> Value {
    json!({"exit_code": status.code, "signal": status.signal})
}

fn session(event: &SessionEvent) -> (&'static str, Value) {
    match event {
        SessionEvent::WorkspaceCreated(_, index) => {
            ("workspace.created", json!({"workspace": index.to_string()}))
        }
        SessionEvent::WorkspaceClosed(_, index) => {
            ("workspace.closed", json!({"workspace": index.to_string()}))
        }
        SessionEvent::WorkspaceMoved { from, to } => {
            ("workspace.moved", json!({"workspace": from.to_string(), "to": to.to_string()}))
        }
        SessionEvent::WorkspacesMoved { from, to } => {
            ("workspace.block_moved", json!({"workspaces": from, "positions": to}))
        }
        SessionEvent::WorkspaceRenamed(index, name) => {
            ("workspace.renamed", json!({"workspace": index.to_string(), "name": name}))
        }
        SessionEvent::WorkspacePinned(index, pinned) => {
            ("workspace.pinned", json!({"workspace": index.to_string(), "pinned": pinned}))
        }
        SessionEvent::TabCreated(_, place) => ("tab.created", json!({"tab": tab(*place)})),
        SessionEvent::TabClosed(_, place) => ("tab.closed", json!({"tab": tab(*place)})),
        SessionEvent::TabMoved { workspace, from, to, active, swap } => {
            let place = |index: &usize| (index + 1).to_string();
            let mut data = json!({
                "workspace": workspace.to_string(),
                "from": place(from),
                "to": place(to),
                "active": place(active),
            });
            if *swap {
                data["mode"] = json!("swap");
            }
            ("tab.moved", data)
        }
        SessionEvent::TabRenamed(place, name) => {
            let data = json!({"workspace": place.workspace.to_string(), "tab": tab(*place), "name": name});
            ("tab.renamed", data)
        }
        SessionEvent::LayoutApplied(place) => {
            ("layout.applied", json!({"workspace": place.workspace.to_string(), "tab": tab(*place)}))
        }
        SessionEvent::RatioChanged { place, path, ratio } => {
            let data = json!({
                "workspace": place.workspace.to_string(),
                "tab": tab(*place),
                "path": sides(path),
                "ratio": share(*ratio),
            });
            ("layout.ratio_changed", data)
        }
        SessionEvent::MetadataReported(index) => {
            ("workspace.metadata_reported", json!({"workspace": index.to_string()}))
        }
        SessionEvent::ConfigChanged => ("config.changed", json!({})),
        SessionEvent::ManifestsReloaded { rules } => {
            ("server.agent_manifests_reloaded", json!({"rules": rules}))
        }
    }
}

fn pane(pane: PaneId, event: &PaneEvent) -> (&'static str, Value) {
    let mut data = json!({"pane": pane.to_string()});
    let name = match event {
        PaneEvent::Created(terminal) => {
            if let Some(terminal) = terminal {
                data["terminal_id"] = json!(terminal.to_string());
            }
            "pane.created"
        }
        PaneEvent::Closed => "pane.closed",
        PaneEvent::Focused => "pane.focused",
        PaneEvent::Moved(place) => {
            data["workspace"] = json!(place.map(|place| place.workspace.to_string()));
            data["tab"] = json!(place.map(tab));
            "pane.moved"
        }
        PaneEvent::Swapped(with) => {
            data["with"] = json!(with.to_string());
            "pane.swapped"
        }
        PaneEvent::Renamed(name) => {
            data["name"] = json!(name);
            "pane.renamed"
        }
        PaneEvent::Resized(cells) => {
            data["cells"] = json!(cells);
            "pane.resized"
        }
        PaneEvent::Zoomed(enabled) => {
            data["enabled"] = json!(enabled);
            "pane.zoomed"
        }
        PaneEvent::AgentStatus(status) => {
            data["status"] = json!(status.state.as_str());
            data["agent"] = json!(status.agent);
            data["cwd"] = json!(status.cwd);
            data["project"] = json!(status.project);
            data["branch"] = json!(status.branch);
            data["authority"] = json!(status.authority);
            if let Some(source) = status.source {
                data["state_source"] = json!(source.as_str());
            }
            "pane.agent_status_changed"
        }
        PaneEvent::AuthorityReported { source, agent, status, sequence, ttl_s } => {
            data["source"] = json!(source);
            data["agent"] = json!(agent);
            data["status"] = json!(status.as_str());
            data["sequence"] = json!(sequence);
            data["ttl_s"] = json!(ttl_s);
            "agent.authority_reported"
        }
        PaneEvent::AuthorityReleased { source, expired } => {
            data["source"] = json!(source);
            data["reason"] = json!(if *expired { "expired" } else { "released" });
            "agent.authority_released"
        }
        PaneEvent::Forked { to, agent, place } => {
            data = json!({
                "from": pane.to_string(),
                "to": to.to_string(),
                "agent": agent,
                "workspace": place.map(|place| place.workspace.to_string()),
                "tab": place.map(tab),
            });
            "pane.forked"
        }
        PaneEvent::AgentHook(hook) => {
            data["agent"] = json!(hook.agent);
            data["kind"] = json!(hook.kind);
            data["message"] = json!(hook.message);
            data["tool"] = json!(hook.tool);
            "agent.hook"
        }
    };
    (name, data)
}

fn tab(place: Place) -> String {
    (place.tab + 1).to_string()
}

/// A way through a layout, as `a` and `b`.
pub fn sides(path: &[Side]) -> Vec<&'static str> {
    let side = |side: &Side| match side {
        Side::A => "a",
        Side::B => "b",
    };
    path.iter().map(side).collect()
}

/// A share with as many digits as it was given with.
pub fn share(ratio: f32) -> f64 {
    ratio.to_string().parse().unwrap_or_else(|_| f64::from(ratio))
}
