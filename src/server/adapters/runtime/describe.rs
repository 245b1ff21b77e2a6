//! `runtime.describe` (`runtime.md` section 6.1): what this server is and can do.

use super::{Context, METHODS};
use crate::protocol::limits;
use crate::protocol::params::Params;
use crate::protocol::runtime::commands::{self, Names};
use crate::protocol::runtime::error::Failure;
use crate::protocol::runtime::{NAME, VERSION};
use serde_json::{Value, json};

/// What a server says about itself that does not change.
#[derive(Debug, Clone)]
pub struct About {
    /// Name of the session.
    pub session: String,
    /// `TERM_PROGRAM` in panes.
    pub term_program: &'static str,
    /// What the names of new branches begin with.
    pub branch_prefix: String,
}

/// Each is here exactly if the behaviour is.
const FEATURES: &[&str] = &[
    "pane.wait.after_seq",
    "env.pane_identity",
    "cli.resource_verbs",
    "pane.wait.lifecycle",
    "agent.wait.identity",
    "agent.fork.transactional_worktree",
    "agent.worktree.provenance",
    "events.pane_lifecycle",
    "cli.paste_sources",
    "runtime.orchestrate.typed_steps",
    "runtime.orchestrate.agent_ready",
    "layout.typed_mutations",
    "pane.exec.non_tty",
];

/// `runtime.describe`
pub fn describe(params: Params, context: &Context) -> Result<Value, Failure> {
    params.finish()?;
    Ok(json!({
        "protocol": NAME,
        "protocol_version": VERSION,
        "supported_versions": [VERSION],
        "app_version": env!("CARGO_PKG_VERSION"),
        "product": "luvus",
        "session": context.about.session,
        "schema": "runtime-api-v1.schema.json",
        "capabilities": METHODS,
        "features": FEATURES,
        "wait_states":
            ["idle", "running", "waiting_input", "attention", "finished", "failed", "settled"],
        "env": {
            "term_program": context.about.term_program,
            "term_program_version": env!("CARGO_PKG_VERSION"),
            "pane": "NEBULA_PANE_ID",
            "cli": "NEBULA_CLI",
            "bin_dir": "NEBULA_BIN_DIR",
            "remote_marker": "NEBULA_PANE_REMOTE",
            // The environment of every pane begins its `PATH` with it.
            "bin_dir_on_path": true,
            "native": {
                "pane": "LUVUS_PANE_ID",
                "cli": "LUVUS_BIN_PATH",
                "bin_dir": "LUVUS_BIN_DIR",
                "endpoint": "LUVUS_RUNTIME_ENDPOINT",
            },
        },
        "commands": commands::list(&Names::default()),
        "limits": {
            "request_bytes": limits::RUNTIME_REQUEST_BYTES,
            "prompt_bytes": limits::RUNTIME_TEXT_BYTES,
            "read_lines": limits::RUNTIME_READ_LINES,
            "read_bytes": limits::RUNTIME_READ_BYTES,
            "exec_output_bytes": limits::RUNTIME_EXEC_BYTES,
            "wait_ms": limits::RUNTIME_WAIT_MS,
            "steps": limits::RUNTIME_STEPS,
            "clients": limits::RUNTIME_CONNECTIONS,
        },
    }))
}
