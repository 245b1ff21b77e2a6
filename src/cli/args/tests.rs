//! What is understood and what is refused.

use super::*;
use clap::CommandFactory as _;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn parses(line: &str) -> bool {
    let whole = Args::try_parse_from(line.split_whitespace());
    let read = Args::read(&words(line));
    let text = |args: &Result<Args, clap::Error>| match args {
        Ok(args) => format!("{args:?}"),
        Err(error) => error.render().to_string(),
    };
    assert_eq!(text(&read), text(&whole), "a part of the table and the whole tell the same");
    read.is_ok()
}

#[test]
fn the_noun_is_the_first_word_that_is_no_flag_of_all_nouns() {
    let noun = |line: &str| noun_of(&words(line)).map(str::to_owned);
    assert_eq!(noun("luvus --session pane --json tab list").as_deref(), Some("tab"));
    assert_eq!(noun("luvus --session=pane --mobile pane list").as_deref(), Some("pane"));
    assert_eq!(noun("luvus --remote host pane"), None);
    assert_eq!(noun("luvus --session"), None);
}

#[test]
fn the_tables_of_verbs_are_sound() {
    Args::command().debug_assert();
}

#[test]
fn documented_forms_are_understood() {
    for line in [
        "luvus",
        "luvus --session work",
        "luvus --session work --json pane list",
        "luvus --mobile session attach work",
        "luvus pane --session=work list --json",
        "luvus session list --json",
        "luvus session new work --detached --cwd /tmp",
        "luvus session stop work",
        "luvus session delete work --yes",
        "luvus server",
        "luvus server start --session work",
        "luvus workspace focus 0",
        "luvus workspace close w3 --force",
        "luvus tab focus t5 --workspace 1",
        "luvus tab close 0 --window 1",
        "luvus tab close 0 --window w1 --pretty",
        "luvus pane split 3 --down --no-focus --cwd /tmp -- vim -R file",
        "luvus pane zoom 3 --zoomed false",
        "luvus pane resize 3 0.4",
        "luvus pane run 3 ls -la --color",
        "luvus pane send 3 text --no-submit --timeout-ms 500",
        "luvus pane send 17 text --wait --wait-timeout-ms 5",
        "luvus pane paste 17 --from-file task.txt --wait",
        "luvus pane paste 17 --stdin --no-submit",
        "luvus pane wait 17 --after-seq 41",
        "luvus pane exec 17 -- cargo test --workspace",
        "luvus agent send codex text --wait",
        "luvus agent wait codex --after-seq 41 --generation 2",
        "luvus ctl snapshot --pretty",
        "luvus ctl agent-fork --source-pane 3 --name a --kind codex --pretty",
        "luvus ctl split --window 1 --direction left_right",
        "luvus ctl prompt --pane 1 --text --help --wait settled",
        "luvus ctl exec-pane --window 1 --pane 2 --timeout-ms 5 -- cargo test --workspace",
        "luvus ctl orchestrate --spec {} --timeout-ms 30000",
        "luvus env --pretty",
        "luvus skill show",
        "luvus pane read",
        "luvus pane move 3 --new-tab",
        "luvus wait output 3 --match ready --timeout 5",
        "luvus help keys --json",
        "luvus config get theme",
        "luvus config set layout.scrollback_bytes -1",
        "luvus layout export --tab 0",
        "luvus layout apply - --tab t2",
        "luvus server restart --all",
        "luvus session report --retry 3",
    ] {
        assert!(parses(line), "{line}");
    }
}

#[test]
fn what_is_not_offered_is_refused() {
    for line in [
        "luvus dance",
        "luvus --window 1 pane list",
        "luvus pane list --windw 1",
        "luvus --session pane list",
        "luvus session new a/b",
        "luvus session new",
        "luvus pane send 3 text --wait --no-submit",
        "luvus pane paste 3",
        "luvus pane paste 3 text --stdin",
        "luvus pane paste 3 --stdin --from-file f",
        "luvus pane wait 3 --after-seq 0",
        "luvus pane wait 3 --state gone",
        "luvus pane exec 3",
        "luvus agent send 3 text --no-submit --wait",
        "luvus ctl orchestrate",
        "luvus ctl orchestrate --file f --spec {}",
        "luvus ctl agent-fork --name a --kind codex",
        "luvus ctl agent-fork --name a --kind codex --source-pane 1 --source-cwd /",
        "luvus ctl prompt --pane 1 --text a --wait settled --no-submit",
        "luvus ctl split --direction left",
        "luvus pane send 3",
        "luvus pane run 3",
        "luvus pane read 0",
        "luvus pane read three",
        "luvus pane move 3",
        "luvus pane move 3 --tab 1 --new-tab",
        "luvus tab focus +1",
        "luvus workspace focus t1",
        "luvus wait output 3",
    ] {
        assert!(!parses(line), "{line}");
    }
}
