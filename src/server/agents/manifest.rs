//! What is known of each kind of agent, as data: the built-in manifests and a person's own
//! (`product.md` section 6, `docs/formats.md`).
//!
//! Invariants: a bad manifest is left out with a warning and harms no other; one of a person's own
//! replaces a built-in one of the same id; nothing here reads a file.

use crate::protocol::agent::{AgentState, BlockedKind};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The built-in manifests, in the order in which an ambiguous sign is decided.
const BUILT_IN: [&str; 13] = [
    include_str!("builtin/claude.toml"),
    include_str!("builtin/codex.toml"),
    include_str!("builtin/copilot.toml"),
    include_str!("builtin/opencode.toml"),
    include_str!("builtin/gemini.toml"),
    include_str!("builtin/cursor.toml"),
    include_str!("builtin/aider.toml"),
    include_str!("builtin/amp.toml"),
    include_str!("builtin/kimi.toml"),
    include_str!("builtin/grok.toml"),
    include_str!("builtin/qwen.toml"),
    include_str!("builtin/pi.toml"),
    include_str!("builtin/omp.toml"),
];

/// Manifests beside the built-in ones, rules and patterns of one: more are refused.
const MANIFESTS: usize = 64;
const RULES: usize = 64;
const PATTERNS: usize = 64;
const PATTERN_BYTES: usize = 256;
/// Lines of the screen that a rule may look at, and usually does.
const LINES: usize = 60;
const USUAL_LINES: usize = 20;

/// Where a rule looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// The live bottom of the screen.
    #[default]
    Screen,
    /// The window title.
    Title,
}

impl Region {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Screen => "screen",
            Self::Title => "title",
        }
    }
}

/// Characters that turn while an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Spinner {
    /// The usual ones, or none.
    Usual(bool),
    /// These.
    Of(String),
}

/// One rule: with that evidence the agent is in that state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name, for people.
    pub name: String,
    /// The state that it proves.
    pub state: AgentState,
    /// What a blocked one waits for.
    #[serde(default)]
    pub kind: Option<BlockedKind>,
    /// Rules of a higher one are asked first.
    #[serde(default)]
    pub priority: i32,
    /// Where it looks.
    #[serde(default)]
    pub region: Region,
    /// How many of the last lines that are not blank it looks at.
    #[serde(default)]
    pub lines: Option<usize>,
    /// One of these is there.
    #[serde(default)]
    pub any: Vec<String>,
    /// All of these are there.
    #[serde(default)]
    pub all: Vec<String>,
    /// None of these is there.
    #[serde(default)]
    pub not: Vec<String>,
    /// A line begins with one of these characters and a blank.
    #[serde(default)]
    pub spinner: Option<Spinner>,
    /// Whether the screen takes a prompt while this holds; a blocked one never does.
    #[serde(default)]
    pub prompt: Option<bool>,
}

impl Rule {
    /// How many lines it looks at.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines.unwrap_or(USUAL_LINES)
    }

    /// Whether a prompt would do harm while it holds.
    #[must_use]
    pub fn refuses_prompts(&self) -> bool {
        self.state == AgentState::Blocked || self.prompt == Some(false)
    }
}

/// The place where a person writes to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Composer {
    /// What its line begins with, the most telling first.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Texts that stand in it while it is empty.
    #[serde(default)]
    pub placeholders: Vec<String>,
}

/// How a kind is started (`runtime.md` section 8.2) and goes on with a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The program.
    pub program: String,
    /// Arguments that go on with a conversation; `{id}` stands for its id.
    #[serde(default)]
    pub resume: Vec<String>,
    /// Arguments that begin a new one from it.
    #[serde(default)]
    pub fork: Vec<String>,
    /// Flags that take a value, which a resumed agent gets again.
    #[serde(default)]
    pub value_flags: Vec<String>,
    /// Flags that say which conversation it is; a resumed agent has its own.
    #[serde(default)]
    pub conversation_flags: Vec<String>,
}

/// Everything known of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The kind's id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Names of executables that no other program has.
    #[serde(default)]
    pub distinct: Vec<String>,
    /// Names that other programs have too: they need a second sign.
    #[serde(default)]
    pub ambiguous: Vec<String>,
    /// What window titles of it look like.
    #[serde(default)]
    pub titles: Vec<String>,
    /// Texts on the screen that no other program shows.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// How it is started.
    #[serde(default)]
    pub start: Option<Start>,
    /// Where prompts go.
    #[serde(default)]
    pub composer: Composer,
    /// The rules of its states.
    #[serde(default, rename = "rule")]
    pub rules: Vec<Rule>,
}

/// All manifests in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifests {
    all: Vec<Manifest>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
}

impl Default for Manifests {
    fn default() -> Self {
        Self::with(Vec::new())
    }
}

impl Manifests {
    /// The built-in ones and those of a person's own, given as the names and the texts of their files.
    #[must_use]
    pub fn with(own: Vec<(String, String)>) -> Self {
        let mut warnings = Vec::new();
        let mut own_by_id: BTreeMap<String, Manifest> = BTreeMap::new();
        for (file, text) in own {
            match parse(&text) {
                Ok(_) if own_by_id.len() >= MANIFESTS => {
                    warnings.push(format!("{file}: there are more than {MANIFESTS} manifests"));
                }
                Ok(manifest) if own_by_id.contains_key(&manifest.id) => {
                    warnings.push(format!("{file}: another file describes `{}` already", manifest.id));
                }
                Ok(manifest) => drop(own_by_id.insert(manifest.id.clone(), manifest)),
                Err(problem) => warnings.push(format!("{file}: {problem}")),
            }
        }
        let mut all = Vec::new();
        for text in BUILT_IN {
            match parse(text) {
                Ok(built_in) => all.push(own_by_id.remove(&built_in.id).unwrap_or(built_in)),
                Err(problem) => warnings.push(format!("a built-in manifest: {problem}")),
            }
        }
        all.extend(own_by_id.into_values());
        Self { all, warnings }
    }

    /// The manifest of a kind.
    #[must_use]
    pub fn get(&self, kind: &str) -> Option<&Manifest> {
        self.all.iter().find(|manifest| manifest.id == kind)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Manifest> {
        self.all.iter()
    }

    /// How many rules there are.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.all.iter().map(|manifest| manifest.rules.len()).sum()
    }

    /// The kind that only has that executable name.
    #[must_use]
    pub fn distinct(&self, name: &str) -> Option<&str> {
        self.kind_with(|manifest| manifest.distinct.iter().any(|known| known == name))
    }

    /// Whether a text is the name of a kind, or of an executable that one has: nobody else may go by it.
    #[must_use]
    pub fn kind_named(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        let names = |manifest: &Manifest| {
            let mut names = manifest.distinct.iter().chain(&manifest.ambiguous);
            manifest.id == name || names.any(|known| known.to_ascii_lowercase() == name)
        };
        self.kind_with(names)
    }

    fn kind_with(&self, test: impl Fn(&Manifest) -> bool) -> Option<&str> {
        self.all.iter().find(|manifest| test(manifest)).map(|manifest| manifest.id.as_str())
    }
}

fn parse(text: &str) -> Result<Manifest, String> {
    let mut manifest: Manifest =
        toml::from_str(text).map_err(|error| error.message().lines().collect::<Vec<_>>().join(" "))?;
    check(&manifest)?;
    // A stable sort: rules of one priority are asked in the order of the file.
    manifest.rules.sort_by_key(|rule| std::cmp::Reverse(rule.priority));
    Ok(manifest)
}

fn check(manifest: &Manifest) -> Result<(), String> {
    let id = manifest.id.as_bytes();
    let tail = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(byte);
    if !(id.first().is_some_and(u8::is_ascii_lowercase) && id.len() <= 32 && id.iter().all(tail)) {
        return Err("`id` is a small letter and at most 31 small letters, digits, `-` or `_`".to_owned());
    }
    if manifest.rules.len() > RULES {
        return Err(format!("there are more than {RULES} rules"));
    }
    let lists = [&manifest.distinct, &manifest.ambiguous, &manifest.titles, &manifest.outputs];
    let composer = [&manifest.composer.marks, &manifest.composer.placeholders];
    let rules = manifest.rules.iter().flat_map(|rule| [&rule.any, &rule.all, &rule.not]);
    for list in lists.into_iter().chain(composer).chain(rules) {
        if list.len() > PATTERNS || list.iter().any(|text| !(1..=PATTERN_BYTES).contains(&text.len())) {
            return Err(format!("a list has at most {PATTERNS} texts of 1 to {PATTERN_BYTES} bytes"));
        }
    }
    for rule in &manifest.rules {
        let spins = !matches!(rule.spinner, None | Some(Spinner::Usual(false)));
        if rule.any.is_empty() && rule.all.is_empty() && !spins {
            return Err(format!(
                "the rule `{}` holds for everything: give `any`, `all` or `spinner`",
                rule.name
            ));
        }
        if rule.state == AgentState::Done {
            return Err(format!("the rule `{}`: `done` follows from the others", rule.name));
        }
        if rule.lines.is_some_and(|lines| !(1..=LINES).contains(&lines)) {
            return Err(format!("the rule `{}`: `lines` is 1 to {LINES}", rule.name));
        }
        if rule.kind.is_some() && rule.state != AgentState::Blocked {
            return Err(format!("the rule `{}`: only a blocked one has a `kind`", rule.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_manifests_are_sound() {
        let manifests = Manifests::default();
        assert!(manifests.warnings.is_empty(), "{:?}", manifests.warnings);
        let kinds: Vec<&str> = manifests.iter().map(|manifest| manifest.id.as_str()).collect();
        let expected = [
            "claude", "codex", "copilot", "opencode", "gemini", "cursor", "aider", "amp", "kimi", "grok",
            "qwen", "pi", "omp",
        ];
        assert_eq!(kinds, expected);
        let mut names: Vec<&String> = manifests.iter().flat_map(|manifest| &manifest.distinct).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "a distinct name belongs to one kind");
    }

    #[test]
    fn a_bad_manifest_is_skipped_and_harms_no_other() {
        let good = "id = \"nova\"\nname = \"Nova\"\ndistinct = [\"nova\"]\n";
        let own = [
            ("bad.toml", "id = "),
            ("id.toml", "id = \"No\"\nname = \"x\""),
            ("rule.toml", "id = \"x\"\nname = \"x\"\n[[rule]]\nname = \"all\"\nstate = \"idle\""),
            ("unknown.toml", "id = \"y\"\nname = \"y\"\ncolour = 1"),
            ("nova.toml", good),
            ("again.toml", good),
        ];
        let own = own.map(|(file, text)| (file.to_owned(), text.to_owned())).to_vec();
        let manifests = Manifests::with(own);
        assert_eq!(manifests.distinct("nova"), Some("nova"));
        let files: Vec<&str> = manifests.warnings.iter().filter_map(|text| text.split(':').next()).collect();
        assert_eq!(files, ["bad.toml", "id.toml", "rule.toml", "unknown.toml", "again.toml"]);
        assert_eq!(manifests.iter().count(), BUILT_IN.len() + 1);
    }

    #[test]
    fn the_published_example_is_a_manifest() {
        let formats = include_str!("../../../docs/formats.md");
        let (_, rest) = formats.split_once("## Agent manifests").expect("a section");
        let (_, rest) = rest.split_once("```toml\n").expect("an example");
        let (example, _) = rest.split_once("```").expect("its end");
        assert_eq!(parse(example).map(|manifest| manifest.rules.len()), Ok(3));
    }

    #[test]
    fn one_of_a_persons_own_replaces_a_built_in_one() {
        let own = vec![("c.toml".to_owned(), "id = \"claude\"\nname = \"Mine\"".to_owned())];
        let manifests = Manifests::with(own);
        assert_eq!(manifests.get("claude").map(|manifest| manifest.name.as_str()), Some("Mine"));
        assert_eq!(manifests.distinct("claude"), None);
    }

    #[test]
    fn names_of_agents_are_known_in_every_form() {
        let manifests = Manifests::default();
        assert_eq!(manifests.kind_named("Claude"), Some("claude"));
        assert_eq!(manifests.kind_named("cursor-agent"), Some("cursor"));
        assert_eq!(manifests.kind_named("agent"), Some("cursor"), "an ambiguous one too");
        assert_eq!(manifests.kind_named("deploy"), None);
    }
}
