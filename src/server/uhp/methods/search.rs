//! `search` and `search.*` (`uhp.md` section 17.2): names of the session's parts, and the retained output of
//! its panes.
//!
//! Invariants: everything is bounded and says so (`partial`); output is searched by its own workers, in
//! steps; what is activated is looked up again first.

use super::super::Context;
use super::nothing;
use crate::protocol::command::Command;
use crate::protocol::ids::{PaneId, TerminalId};
use crate::protocol::params::{Params, boolean, integer, text, word};
use crate::protocol::scene::{PaneScene, Scene};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::hub::Snapshot;
use crate::server::terminal::engine::{Match, Query, Toward};
use crate::server::terminal::reading::SEARCH_TIME;
use crate::server::uhp::target;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

/// Bytes of a query.
const QUERY_BYTES: usize = 256;
/// Matches of an answer, usually and at most.
const USUAL_MATCHES: u64 = 50;
const MOST_MATCHES: u64 = 200;
/// What a match of a name scores at most; output comes after every name.
const EXACT: i64 = 1_000;

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    Navigate,
    Files,
    Output,
}

const SCOPES: &[(&str, Scope)] =
    &[("all", Scope::All), ("navigate", Scope::Navigate), ("files", Scope::Files), ("output", Scope::Output)];

/// A match on its way into an answer.
struct Found {
    kind: &'static str,
    id: String,
    label: String,
    detail: String,
    score: i64,
    target: Value,
}

impl Found {
    fn row(self) -> Value {
        let Self { kind, id, label, detail, score, target } = self;
        json!({"id": id, "kind": kind, "label": label, "detail": detail, "score": score, "target": target})
    }
}

/// `search.capabilities`
pub async fn capabilities(params: Params, _: Context) -> Result<Value, Failure> {
    nothing(params)?;
    Ok(json!({
        "type": "search_capabilities",
        "version": 1,
        "methods": ["search", "search.capabilities", "search.query", "search.activate"],
        "scopes": ["all", "navigate", "output"],
        "kinds": ["session", "folder", "tab", "pane", "agent", "output"],
        "limits": {
            "query_bytes": QUERY_BYTES,
            "default_matches": USUAL_MATCHES,
            "matches": MOST_MATCHES,
            "output_ms": u64::try_from(SEARCH_TIME.as_millis()).unwrap_or(u64::MAX),
        },
    }))
}

/// A query: text that is not only blanks.
fn read_query(params: &mut Params, field: &str) -> Result<String, Failure> {
    let trimmed = |value: Value| {
        let query = text(0..=usize::MAX)(value)?.trim().to_owned();
        if (1..=QUERY_BYTES).contains(&query.len()) {
            Ok(query)
        } else {
            Err(format!("expected 1 to {QUERY_BYTES} bytes that are not all blank"))
        }
    };
    Ok(params.required(field, trimmed)?)
}

fn read_limit(params: &mut Params) -> Result<usize, Failure> {
    let limit = params.nullable("limit", integer(1..=MOST_MATCHES))?.unwrap_or(USUAL_MATCHES);
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// `search.query`: names may leave characters out, output has the text as it is.
pub async fn query(mut params: Params, context: Context) -> Result<Value, Failure> {
    let query = read_query(&mut params, "query")?;
    let scope = params.required("scope", word(SCOPES))?;
    let sensitive = params.nullable("case_sensitive", boolean)?.unwrap_or(false);
    let all_sessions = params.nullable("all_sessions", boolean)?.unwrap_or(false);
    let limit = read_limit(&mut params)?;
    params.finish()?;
    let snapshot = context.snapshot();
    // Other sessions have servers of their own, and files are not searched by this one.
    let mut partial = all_sessions || scope == Scope::Files;
    let mut found = Vec::new();
    if matches!(scope, Scope::All | Scope::Navigate) {
        navigate(&snapshot.scene, &query, sensitive, &mut found);
        found.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    }
    if matches!(scope, Scope::All | Scope::Output) {
        partial |= output(&snapshot, &query, sensitive, &mut found).await?;
    }
    let total = found.len();
    found.truncate(limit);
    Ok(json!({
        "type": "search_query",
        "query": query,
        "scope": SCOPES.iter().find(|(_, known)| *known == scope).map(|(word, _)| word),
        "total": total,
        "shown": found.len(),
        "partial": partial,
        "matches": found.into_iter().map(Found::row).collect::<Vec<_>>(),
    }))
}

/// `search`: exact matches in the output of all panes.
pub async fn exact(mut params: Params, context: Context) -> Result<Value, Failure> {
    let query = read_query(&mut params, "text")?;
    let sensitive = params.nullable("case_sensitive", boolean)?.unwrap_or(false);
    let limit = read_limit(&mut params)?;
    params.finish()?;
    let mut found = Vec::new();
    let partial = output(&context.snapshot(), &query, sensitive, &mut found).await?;
    let total = found.len();
    found.truncate(limit);
    let rows = found.into_iter().map(|found| {
        let mut row = found.target;
        row["text"] = json!(found.label);
        row
    });
    Ok(json!({
        "type": "search",
        "query": query,
        "total": total,
        "shown": rows.len(),
        "partial": partial,
        "matches": rows.collect::<Vec<_>>(),
    }))
}

fn navigate(scene: &Scene, query: &str, sensitive: bool, found: &mut Vec<Found>) {
    let mut offer = |kind, id: String, label: &str, detail: String, target: Value| {
        let score =
            score(label, query, sensitive).max(score(&detail, query, sensitive).map(|score| score / 2));
        if let Some(score) = score {
            found.push(Found {
                kind,
                id: format!("{kind}:{id}"),
                label: label.to_owned(),
                detail,
                score,
                target,
            });
        }
    };
    let session = &scene.session;
    offer("session", session.clone(), session, String::new(), json!({"session": session}));
    for workspace in target::workspaces(scene) {
        let folder = workspace.scene;
        let target = json!({"workspace": workspace.index.to_string(), "workspace_id": folder.id.to_string()});
        offer("folder", folder.id.to_string(), &folder.name, folder.root.clone(), target);
        for tab in target::tabs(workspace) {
            let name = tab.scene.name.clone().unwrap_or_else(|| format!("tab {}", tab.place()));
            let target = json!({
                "workspace_id": folder.id.to_string(),
                "tab": tab.place().to_string(),
                "tab_id": tab.scene.id.to_string(),
            });
            offer("tab", tab.scene.id.to_string(), &name, folder.name.clone(), target);
        }
    }
    for pane in &scene.panes {
        let kind = if pane.agent.is_some() { "agent" } else { "pane" };
        offer(kind, pane.id.to_string(), pane.display_name(), pane.cwd.clone(), place(pane));
    }
}

/// What names a pane, for `search.activate`.
fn place(pane: &PaneScene) -> Value {
    json!({"pane": pane.id.to_string(), "terminal_id": pane.terminal.map(|terminal| terminal.to_string())})
}

/// How well a name fits: the query itself, its beginning, somewhere in it, or at least its characters in
/// order.
fn score(name: &str, query: &str, sensitive: bool) -> Option<i64> {
    let folded = |text: &str| if sensitive { text.to_owned() } else { text.to_lowercase() };
    let (name, query) = (folded(name), folded(query));
    let length = i64::try_from(name.chars().count()).unwrap_or(i64::MAX).min(200);
    if name == query {
        return Some(EXACT);
    }
    if let Some(at) = name.find(&query) {
        return Some(if at == 0 { 800 } else { 600 } - length);
    }
    let mut rest = name.chars();
    query.chars().all(|wanted| rest.any(|char| char == wanted)).then_some(300 - length)
}

/// The newest matches of every pane, shown panes first; whether something was left out.
async fn output(
    snapshot: &Snapshot,
    query: &str,
    sensitive: bool,
    found: &mut Vec<Found>,
) -> Result<bool, Failure> {
    let query = Query::literal(query, sensitive)
        .map_err(|error| Failure::new(ErrorCode::InvalidParams, error.to_string()))?;
    let most = usize::try_from(MOST_MATCHES).unwrap_or(usize::MAX);
    let deadline = Instant::now() + SEARCH_TIME;
    let mut partial = false;
    let mut count: i64 = 0;
    for pane in &snapshot.scene.panes {
        let Some(entry) = snapshot.directory.panes.get(&pane.id).filter(|entry| entry.started) else {
            continue;
        };
        if Instant::now() >= deadline {
            return Ok(true);
        }
        // A terminal that ends meanwhile has nothing to find.
        let Ok(hits) = entry.handle.search(&query, None, Toward::Older, most).await else { continue };
        partial |= hits.partial;
        for hit in hits.matches {
            count += 1;
            found.push(of_output(pane, hit, -count));
        }
    }
    Ok(partial)
}

fn of_output(pane: &PaneScene, hit: Match, score: i64) -> Found {
    let Match { start, end, line } = hit;
    let mut target = place(pane);
    target["row"] = json!(start.row);
    target["column"] = json!(start.col);
    target["end_row"] = json!(end.row);
    target["end_column"] = json!(end.col);
    Found {
        kind: "output",
        id: format!("output:{}:{}:{}", pane.id, start.row, start.col),
        label: line.trim().to_owned(),
        detail: pane.display_name().to_owned(),
        score,
        target,
    }
}

/// `search.activate`: focuses what a match names, if it is still there.
pub async fn activate(mut params: Params, context: Context) -> Result<Value, Failure> {
    const KINDS: &[(&str, &str)] = &[
        ("session", "session"),
        ("folder", "folder"),
        ("tab", "tab"),
        ("pane", "pane"),
        ("agent", "agent"),
        ("output", "output"),
        ("file", "file"),
    ];
    let kind = params.required("kind", word(KINDS))?;
    let target = params.required("target", |value| match value {
        Value::Object(fields) => Ok(fields),
        _ => Err("expected the `target` of a match".to_owned()),
    })?;
    params.finish()?;
    let scene = context.snapshot().scene;
    let command = activation(&scene, kind, &target).ok_or_else(|| {
        Failure::new(ErrorCode::InvalidRequest, "what the match names is no longer there; search again")
    })?;
    if let Some(command) = command {
        context.command(command).await?;
    }
    Ok(json!({"type": "ok"}))
}

/// What to do for a match; nothing for the session that is on.
fn activation(scene: &Scene, kind: &str, fields: &Map<String, Value>) -> Option<Option<Command>> {
    let named = |field: &str| fields.get(field)?.as_str();
    Some(match kind {
        "session" => (named("session")? == scene.session).then_some(None)?,
        "folder" => {
            let id = named("workspace_id")?.parse().ok()?;
            let workspace = scene.workspaces.iter().find(|workspace| workspace.id == id)?.id;
            Some(Command::FocusWorkspace { workspace })
        }
        "tab" => {
            let tab = target::tab_with_id(scene, named("tab_id")?.parse().ok()?)?.scene.id;
            Some(Command::FocusTab { tab })
        }
        "pane" | "agent" | "output" => {
            let pane = scene.pane(PaneId(named("pane")?.parse().ok()?))?;
            let terminal: Option<TerminalId> = named("terminal_id").and_then(|id| id.parse().ok());
            let same = terminal == pane.terminal && (kind != "agent" || pane.agent.is_some());
            same.then_some(Some(Command::FocusPane { pane: pane.id }))?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::uhp::methods::samples::scene;

    #[test]
    fn a_better_fit_scores_higher() {
        let score = |name| score(name, "ap", false);
        assert_eq!(score("AP"), Some(EXACT));
        assert!(score("api") > score("my api") && score("my api") > score("a p"));
        assert!(score("a p").is_some() && score("pa").is_none());
        assert_eq!(super::score("api", "API", true), None);
    }

    #[test]
    fn names_of_every_kind_are_found() {
        let mut found = Vec::new();
        navigate(&scene(), "e", false, &mut found);
        let kinds: Vec<_> = found.iter().map(|found| found.kind).collect();
        assert!(["session", "folder", "tab"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
        found.clear();
        navigate(&scene(), "/srv/3", false, &mut found);
        assert_eq!((found.len(), found[0].id.as_str()), (1, "pane:3"));
    }

    #[test]
    fn what_is_no_longer_there_is_not_activated() {
        let scene = scene();
        let activated = |kind: &str, target: Value| {
            let Value::Object(fields) = target else { panic!("a target is an object") };
            activation(&scene, kind, &fields)
        };
        let pane = place(&scene.panes[0]);
        assert!(matches!(
            activated("pane", pane.clone()),
            Some(Some(Command::FocusPane { pane: PaneId(1) }))
        ));
        assert_eq!(activated("agent", pane.clone()), None);
        let mut other = pane;
        other["terminal_id"] = json!("00000000000000000000000000000000");
        assert_eq!(activated("output", other), None);
        assert_eq!(activated("session", json!({"session": "default"})), Some(None));
        assert_eq!(activated("tab", json!({"tab_id": "t99"})), None);
        assert_eq!(activated("file", json!({})), None);
    }
}
