//! Every method of this build: its name, what it needs, and what runs it.
//!
//! Invariant: announced and callable are the same list.

use super::methods::agent::{authority, input, prompt, read, start};
use super::methods::{
    config, create, discovery, events, layout, metadata, mission, pane, search, session, stats, tab,
    terminal, token, wait, workspace, workspace_metadata,
};
use super::{Answer, Context, Opening, streams};
use crate::protocol::params::Params;
use crate::protocol::uhp::error::Failure;

/// Whether a method changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It does not.
    Read,
    /// It does.
    Write,
}

impl Access {
    /// As it is announced.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// One method.
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Whether it changes anything.
    pub access: Access,
    /// Whether doing it twice is doing it once.
    pub idempotent: bool,
    /// The scope that a token needs for it (`uhp.md` section 20).
    pub scope: &'static str,
    /// Does it.
    pub run: Run,
}

impl Method {
    /// Whether it can be made to depend on a revision: whatever changes something, but for the closed
    /// params of the terminal namespace, whose terminals are named exactly.
    pub fn takes_revision(&self) -> bool {
        self.access == Access::Write && !self.name.starts_with("terminal.backend.")
    }
}

/// How a method is run.
#[derive(Clone, Copy)]
pub enum Run {
    /// One answer, soon.
    Call(fn(Params, Context) -> Answer),
    /// One answer, when something has happened; given up when nobody is left to hear it.
    Wait(fn(Params, Context) -> Answer),
    /// One answer, there at once and written as JSON already.
    Text(fn(Params, &Context) -> Result<Vec<u8>, Failure>),
    /// An acknowledgment, then a stream.
    Stream(fn(Params, Context) -> Opening),
}

/// The method after whose answer the server ends.
pub const SERVER_STOP: &str = "server.stop";
/// The same for a server whose clients are to come back.
pub const SERVER_RESTART: &str = "server.restart";

/// The method of that name.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

macro_rules! methods {
    ($($name:expr, $access:ident, $idempotent:literal, $scope:literal, $run:path $(=> $kind:ident)?;)*) => {
        /// All methods.
        pub static METHODS: &[Method] = &[$(Method {
            name: $name,
            access: Access::$access,
            idempotent: $idempotent,
            scope: $scope,
            run: methods!(@run $run $(=> $kind)?),
        },)*];
    };
    (@run $run:path) => { Run::Call(|params, context| Box::pin($run(params, context))) };
    (@run $run:path => wait) => { Run::Wait(|params, context| Box::pin($run(params, context))) };
    (@run $run:path => text) => { Run::Text($run) };
    (@run $run:path => stream) => { Run::Stream(|params, context| Box::pin($run(params, context))) };
}

methods! {
    "uhp.capabilities", Read, true, "read", discovery::capabilities => text;
    "uhp.stats", Read, true, "read", stats::stats;
    "uhp.token.create", Write, false, "admin", token::create;
    "uhp.token.list", Read, true, "admin", token::list;
    "uhp.token.revoke", Write, false, "admin", token::revoke;
    "ping", Read, true, "read", discovery::ping;
    "config.get", Read, true, "read", config::get;
    "config.patch", Write, true, "admin", config::patch;
    "server.reload_config", Write, true, "admin", config::reload;
    SERVER_STOP, Write, true, "admin", discovery::stop;
    SERVER_RESTART, Write, true, "admin", session::restart;
    "session.report", Read, true, "read", session::report;
    "session.retry", Write, false, "workspace", session::retry;
    "session.snapshot", Read, true, "read", discovery::snapshot;
    "session.detach", Write, true, "admin", discovery::detach;
    "events.subscribe", Read, true, "read", events::subscribe => stream;
    "events.wait", Read, true, "read", events::wait => wait;

    "terminal.backend.inventory", Read, true, "read", terminal::inventory => text;
    "terminal.backend.snapshot", Read, true, "read", terminal::snapshot => text;
    "terminal.backend.validate", Read, true, "read", metadata::validate;
    "terminal.backend.processes", Read, true, "read", metadata::processes;
    "terminal.backend.capture", Read, true, "read", terminal::capture;
    "terminal.backend.observe", Read, true, "read", streams::observe => stream;
    "terminal.backend.control", Write, false, "terminal", streams::control => stream;
    "terminal.backend.type_literal", Write, false, "terminal", terminal::type_literal;
    "terminal.backend.paste_text", Write, false, "terminal", terminal::paste_text;
    "terminal.backend.submit_text", Write, false, "terminal", terminal::submit_text;
    "terminal.backend.send_key", Write, false, "terminal", terminal::send_key;
    "terminal.backend.set_title", Write, true, "terminal", metadata::set_title;
    "terminal.backend.notify", Write, false, "terminal", metadata::notify;
    "terminal.backend.create", Write, false, "terminal", create::create;
    "terminal.backend.close", Write, false, "terminal", terminal::close;
    "terminal.backend.events.subscribe", Read, true, "read", events::subscribe_terminals => stream;
    "terminal.backend.wait_change", Read, true, "read", wait::change => wait;
    "terminal.backend.wait_output", Read, true, "read", wait::output => wait;

    "workspace.list", Read, true, "read", workspace::list;
    "workspace.get", Read, true, "read", workspace::get;
    "workspace.new", Write, false, "workspace", workspace::new;
    "workspace.open", Write, false, "workspace", workspace::open;
    "workspace.focus", Write, true, "workspace", workspace::focus;
    "workspace.rename", Write, true, "workspace", workspace::rename;
    "workspace.pin", Write, true, "workspace", workspace::pin;
    "workspace.move", Write, false, "workspace", workspace::move_to;
    "workspace.move_block", Write, false, "workspace", workspace::move_block;
    "workspace.report_metadata", Write, true, "workspace", workspace_metadata::report;
    "workspace.close", Write, false, "workspace", workspace::close;

    // The older names of the same.
    "node.list", Read, true, "read", workspace::list;
    "node.get", Read, true, "read", workspace::get;
    "node.new", Write, false, "workspace", workspace::new;
    "node.open", Write, false, "workspace", workspace::open;
    "node.focus", Write, true, "workspace", workspace::focus;
    "node.rename", Write, true, "workspace", workspace::rename;
    "node.pin", Write, true, "workspace", workspace::pin;
    "node.move", Write, false, "workspace", workspace::move_to;
    "node.move_block", Write, false, "workspace", workspace::move_block;
    "node.report_metadata", Write, true, "workspace", workspace_metadata::report;
    "node.close", Write, false, "workspace", workspace::close;

    "tab.list", Read, true, "read", tab::list;
    "tab.get", Read, true, "read", tab::get;
    "tab.new", Write, false, "workspace", tab::new;
    "tab.focus", Write, true, "workspace", tab::focus;
    "tab.move", Write, false, "workspace", tab::move_to;
    "tab.swap", Write, false, "workspace", tab::swap;
    "tab.rename", Write, true, "workspace", tab::rename;
    "tab.close", Write, false, "workspace", tab::close;

    "pane.list", Read, true, "read", pane::list;
    "pane.get", Read, true, "read", pane::get;
    "pane.status", Read, true, "read", pane::get;
    "pane.current", Read, true, "read", pane::current;
    "pane.layout", Read, true, "read", layout::of_pane;
    "pane.neighbor", Read, true, "read", layout::neighbour;
    "pane.edges", Read, true, "read", layout::edges_of_pane;
    "pane.processes", Read, true, "read", metadata::pane_processes;
    "pane.split", Write, false, "workspace", pane::split;
    "pane.focus", Write, true, "workspace", pane::focus;
    "pane.focus_direction", Write, false, "workspace", layout::focus_direction;
    "pane.move", Write, false, "workspace", pane::move_to;
    "pane.swap", Write, false, "workspace", pane::swap;
    "pane.rename", Write, true, "workspace", pane::rename;
    "pane.zoom", Write, false, "workspace", pane::zoom;
    "pane.resize", Write, false, "workspace", pane::resize;
    "pane.close", Write, false, "workspace", pane::close;
    "pane.read", Read, true, "read", pane::read;
    "pane.run", Write, false, "terminal", pane::run;
    "pane.send_input", Write, false, "terminal", pane::send_input;
    "attach.pane", Write, true, "workspace", pane::attach;
    "layout.export", Read, true, "read", layout::export;
    "layout.apply", Write, true, "workspace", layout::apply;
    "layout.set_split_ratio", Write, true, "workspace", layout::set_split_ratio;
    "search", Read, true, "read", search::exact;
    "search.capabilities", Read, true, "read", search::capabilities;
    "search.query", Read, true, "read", search::query;
    "search.activate", Write, true, "workspace", search::activate;
    "wait.output", Read, true, "read", wait::cli_output => wait;

    "server.agent_manifests", Read, true, "read", read::manifests;
    "server.reload_agent_manifests", Write, true, "admin", read::reload_manifests;
    "manifest.reload", Write, true, "admin", read::reload_manifests;
    "agent.list", Read, true, "read", read::list;
    "agent.get", Read, true, "read", read::get;
    "agent.explain", Read, true, "read", read::explain;
    "agent.read", Read, true, "read", read::read;
    "agent.wait", Read, true, "read", read::wait => wait;
    "agent.sessions", Read, true, "read", start::sessions;
    "agent.report", Write, false, "agent", authority::report;
    "agent.release", Write, true, "agent", authority::release;
    "agent.prompt", Write, false, "agent", prompt::prompt;
    "agent.send", Write, false, "agent", prompt::prompt;
    "agent.keys", Write, false, "agent", input::keys;
    "agent.name", Write, true, "agent", input::name;
    "agent.start", Write, false, "agent", start::start;
    "agent.resume", Write, false, "agent", start::resume_session;
    "agent.fork", Write, false, "agent", start::fork;
    "pane.report_session", Write, true, "agent", authority::report_session;
    "pane.release_session", Write, true, "agent", authority::release_session;
    "pane.report_event", Write, false, "agent", authority::report_event;
    "mission.snapshot", Read, true, "read", mission::snapshot;
    "mission.refresh", Read, true, "read", mission::refresh;
    "mission.open", Write, true, "workspace", mission::open;
}

#[cfg(test)]
mod tests {
    use super::super::authority::SCOPES;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_scopes_known() {
        let names: BTreeSet<_> = METHODS.iter().map(|method| method.name).collect();
        assert_eq!(names.len(), METHODS.len());
        for method in METHODS {
            assert!(SCOPES.contains(&method.scope), "{}", method.name);
            assert_eq!(find(method.name).map(|found| found.name), Some(method.name));
        }
        assert!(find("terminal.backend.raw").is_none());
    }
}
