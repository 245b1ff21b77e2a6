//! The recorded screens, each with the state that it is to be taken for.

use super::*;

fn finding(kind: &str, screen: &str) -> Finding {
    let manifests = Manifests::default();
    look(manifests.get(kind).expect("a manifest"), screen, None)
}

fn state(kind: &str, screen: &str) -> Option<AgentState> {
    finding(kind, screen).matched.map(|matched| matched.state)
}

/// Recorded in the style of each agent: `<kind>-<state>[-what].txt` with what its name says.
#[test]
fn every_recorded_screen_is_in_the_state_of_its_name() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let (mut seen, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let mut parts = name.split('-');
        let (kind, expected) = (parts.next().expect("a kind"), parts.next().expect("a state"));
        let screen = std::fs::read_to_string(&path).expect("a screen");
        let found = finding(kind, &screen);
        let shown = found.matched.as_ref().map_or("unknown", |matched| matched.state.as_str());
        let kinds = ["permission", "question", "auth"];
        let wanted_kind = parts.next().filter(|word| kinds.contains(word));
        let kind_found = found.matched.as_ref().and_then(|matched| matched.kind).map(BlockedKind::as_str);
        if shown != expected || wanted_kind.is_some_and(|wanted| kind_found != Some(wanted)) {
            wrong.push(format!("{name}: {:?}", found.matched));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen >= 40, "{seen} screens");
}

#[test]
fn only_the_live_bottom_counts() {
    let old = "Do you want to proceed?\n❯ 1. Yes\n  2. No\n".to_owned() + &"done\n".repeat(60) + "❯ ";
    assert_eq!(state("claude", &old), Some(AgentState::Idle));
    let talk = "✻ the docs say (esc to interrupt)\n".to_owned() + &"more\n".repeat(30) + "❯ ";
    assert_eq!(state("claude", &talk), Some(AgentState::Idle));
}

#[test]
fn blank_rows_and_frames_do_not_hide_anything() {
    let screen = "│ Do you want to make this edit? │\n│ ❯ 1. Yes │\n│   2. No │\n\n\n\n\n";
    assert_eq!(state("claude", screen), Some(AgentState::Blocked));
    assert_eq!(state("claude", ""), None);
}

#[test]
fn a_spinner_needs_a_blank_after_it() {
    let spinner = Spinner::Usual(true);
    assert!(spins(&spinner, "⠋ Working") && spins(&spinner, "│ ⠙ x │") && spins(&spinner, "⠹"));
    assert!(!spins(&spinner, "⠋⠙ x") && !spins(&spinner, "x ⠋") && !spins(&spinner, ""));
    assert!(spins(&Spinner::Of("✻".into()), "✻ Baking…"));
}

#[test]
fn patterns_are_anchored_where_they_say() {
    for (pattern, line, expected) in [
        ("yes", "1. Yes", true),
        ("^1.", "│ 1. Yes", true),
        ("^yes", "1. Yes", false),
        ("[y/n]$", "Go on? [Y/n] ", true),
        ("[y/n]$", "[y/n] was asked", false),
        ("^>$", " > ", true),
        ("^>$", "> x", false),
    ] {
        assert_eq!(fits(pattern, line), expected, "{pattern} {line}");
    }
}

#[test]
fn the_composer_is_empty_or_written() {
    let composer = |kind: &str, screen: &str| finding(kind, screen).composer;
    assert_eq!(composer("claude", "❯ an old prompt\n● answer\n❯ \n"), Some(ComposerText::Empty));
    assert_eq!(composer("claude", "│ > Try \"fix the lint errors\" │"), Some(ComposerText::Empty));
    assert_eq!(composer("claude", "❯ half a thought"), Some(ComposerText::Written));
    assert_eq!(
        composer("codex", "› Ask Codex to do anything\n\n  ? for shortcuts"),
        Some(ComposerText::Empty)
    );
    assert_eq!(composer("claude", "no composer here"), None);
}

#[test]
fn an_explanation_names_what_was_rejected() {
    let found = finding("claude", "✻ Baking… (3s · esc to interrupt)\n❯ ");
    let matched = found.matched.expect("a rule");
    assert_eq!((matched.rule.as_str(), matched.state), ("interrupt-hint", AgentState::Working));
    assert!(
        found.rejected.contains(&"approval".to_owned()) && !found.rejected.contains(&"composer".to_owned())
    );
    assert!(matched.hint.is_some_and(|hint| hint.contains("esc to interrupt")));
}

#[test]
fn titles_and_unmistakable_texts_name_kinds() {
    let manifests = Manifests::default();
    assert_eq!(kind_of_title(&manifests, "✳ Fix the login"), Some("claude"));
    assert_eq!(kind_of_title(&manifests, "notes about claude.md - vim"), None);
    assert_eq!(kind_of_screen(&manifests, "╭───╮\n│ >_ OpenAI Codex (v0.40) │\n"), Some("codex"));
    assert_eq!(kind_of_screen(&manifests, "we use claude here"), None);
}

#[test]
fn the_same_screen_has_the_same_hash() {
    assert_eq!(hash("a\nb\n"), hash("a\nb"));
    assert_ne!(hash("a\nb"), hash("a\nc"));
}
