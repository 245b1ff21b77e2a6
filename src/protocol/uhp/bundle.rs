//! The published contract of UHP 1.0 (`protocol/uhp/v1`), embedded so that a packaged integration
//! needs no checkout: schemas, limits, error codes, endpoint rules and the manifest of conformance.
//! Fixtures stay outside.
//!
//! Invariant: a document is printed as it is published; its `$id` is its path below [`BASE`].

/// What every `$id` begins with. A name, not an address: nothing is ever fetched.
pub const BASE: &str = "https://luvus.example/protocol/uhp/v1/";

/// The document with the `data` of every event.
const EVENT_CATALOG: &str = "event-catalog.schema.json";

macro_rules! documents {
    ($($path:literal)*) => {
        /// Every embedded document, by its path.
        pub const DOCUMENTS: &[(&str, &str)] =
            &[$(($path, include_str!(concat!("../../../protocol/uhp/v1/", $path))),)*];
    };
}

documents! {
    "event-catalog.schema.json"
    "events.schema.json"
    "request.schema.json"
    "response.schema.json"
    "methods/common.schema.json"
    "methods/attach.pane.schema.json"
    "methods/agent.explain.schema.json"
    "methods/agent.fork.schema.json"
    "methods/agent.get.schema.json"
    "methods/agent.keys.schema.json"
    "methods/agent.list.schema.json"
    "methods/agent.name.schema.json"
    "methods/agent.prompt.schema.json"
    "methods/agent.read.schema.json"
    "methods/agent.release.schema.json"
    "methods/agent.report.schema.json"
    "methods/agent.resume.schema.json"
    "methods/agent.send.schema.json"
    "methods/agent.sessions.schema.json"
    "methods/agent.start.schema.json"
    "methods/agent.wait.schema.json"
    "methods/config.get.schema.json"
    "methods/config.patch.schema.json"
    "methods/events.subscribe.schema.json"
    "methods/events.wait.schema.json"
    "methods/layout.apply.schema.json"
    "methods/layout.export.schema.json"
    "methods/layout.set_split_ratio.schema.json"
    "methods/node.close.schema.json"
    "methods/node.focus.schema.json"
    "methods/node.get.schema.json"
    "methods/node.list.schema.json"
    "methods/node.move.schema.json"
    "methods/node.move_block.schema.json"
    "methods/node.new.schema.json"
    "methods/node.open.schema.json"
    "methods/node.pin.schema.json"
    "methods/node.rename.schema.json"
    "methods/node.report_metadata.schema.json"
    "methods/manifest.reload.schema.json"
    "methods/mission.open.schema.json"
    "methods/mission.refresh.schema.json"
    "methods/mission.snapshot.schema.json"
    "methods/pane.close.schema.json"
    "methods/pane.current.schema.json"
    "methods/pane.edges.schema.json"
    "methods/pane.focus.schema.json"
    "methods/pane.focus_direction.schema.json"
    "methods/pane.get.schema.json"
    "methods/pane.layout.schema.json"
    "methods/pane.list.schema.json"
    "methods/pane.move.schema.json"
    "methods/pane.neighbor.schema.json"
    "methods/pane.processes.schema.json"
    "methods/pane.read.schema.json"
    "methods/pane.release_session.schema.json"
    "methods/pane.rename.schema.json"
    "methods/pane.report_event.schema.json"
    "methods/pane.report_session.schema.json"
    "methods/pane.resize.schema.json"
    "methods/pane.run.schema.json"
    "methods/pane.send_input.schema.json"
    "methods/pane.split.schema.json"
    "methods/pane.status.schema.json"
    "methods/pane.swap.schema.json"
    "methods/pane.zoom.schema.json"
    "methods/ping.schema.json"
    "methods/search.activate.schema.json"
    "methods/search.capabilities.schema.json"
    "methods/search.query.schema.json"
    "methods/search.schema.json"
    "methods/server.agent_manifests.schema.json"
    "methods/server.reload_agent_manifests.schema.json"
    "methods/server.reload_config.schema.json"
    "methods/server.restart.schema.json"
    "methods/server.stop.schema.json"
    "methods/session.detach.schema.json"
    "methods/session.report.schema.json"
    "methods/session.retry.schema.json"
    "methods/session.snapshot.schema.json"
    "methods/tab.close.schema.json"
    "methods/tab.focus.schema.json"
    "methods/tab.get.schema.json"
    "methods/tab.list.schema.json"
    "methods/tab.move.schema.json"
    "methods/tab.new.schema.json"
    "methods/tab.rename.schema.json"
    "methods/tab.swap.schema.json"
    "methods/uhp.capabilities.schema.json"
    "methods/uhp.stats.schema.json"
    "methods/uhp.token.create.schema.json"
    "methods/uhp.token.list.schema.json"
    "methods/uhp.token.revoke.schema.json"
    "methods/wait.output.schema.json"
    "methods/workspace.close.schema.json"
    "methods/workspace.focus.schema.json"
    "methods/workspace.get.schema.json"
    "methods/workspace.list.schema.json"
    "methods/workspace.move.schema.json"
    "methods/workspace.move_block.schema.json"
    "methods/workspace.new.schema.json"
    "methods/workspace.open.schema.json"
    "methods/workspace.pin.schema.json"
    "methods/workspace.rename.schema.json"
    "methods/workspace.report_metadata.schema.json"
    "terminal/action.schema.json"
    "terminal/capture.schema.json"
    "terminal/close.schema.json"
    "terminal/common.schema.json"
    "terminal/conformance.json"
    "terminal/control.schema.json"
    "terminal/create.schema.json"
    "terminal/endpoint-rules.json"
    "terminal/errors.json"
    "terminal/events.subscribe.schema.json"
    "terminal/inventory.schema.json"
    "terminal/limits.json"
    "terminal/notify.schema.json"
    "terminal/observe.schema.json"
    "terminal/paste_text.schema.json"
    "terminal/processes.schema.json"
    "terminal/request.schema.json"
    "terminal/response.schema.json"
    "terminal/send_key.schema.json"
    "terminal/set_title.schema.json"
    "terminal/snapshot.schema.json"
    "terminal/submit_text.schema.json"
    "terminal/type_literal.schema.json"
    "terminal/validate.schema.json"
    "terminal/wait_change.schema.json"
    "terminal/wait_output.schema.json"
}

/// All documents in one JSON text, each as it is published.
#[must_use]
pub fn bundle() -> String {
    let documents: Vec<&str> = DOCUMENTS.iter().map(|(_, text)| text.trim_end()).collect();
    let catalog = DOCUMENTS.iter().find(|(path, _)| *path == EVENT_CATALOG);
    let (name, major, minor) = (super::NAME, super::MAJOR, super::MINOR);
    format!(
        "{{\n\"type\": \"uhp_schema_bundle\",\n\
         \"protocol\": {{\"name\": \"{name}\", \"major\": {major}, \"minor\": {minor}}},\n\
         \"documents\": [\n{}\n],\n\"event_catalog\": {}\n}}",
        documents.join(",\n"),
        catalog.map_or("{}", |(_, text)| text.trim_end()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_document_has_the_id_of_its_path() {
        for (path, text) in DOCUMENTS {
            let document: Value = serde_json::from_str(text).unwrap();
            assert_eq!(document["$id"], format!("{BASE}{path}"), "{path}");
        }
    }

    #[test]
    fn the_bundle_is_one_json_document() {
        let bundle: Value = serde_json::from_str(&bundle()).unwrap();
        assert_eq!(bundle["documents"].as_array().map(Vec::len), Some(DOCUMENTS.len()));
        assert_eq!(bundle["protocol"]["name"], "luvus-uhp");
        assert!(bundle["event_catalog"]["properties"]["terminal.output_ready"].is_object());
    }
}
