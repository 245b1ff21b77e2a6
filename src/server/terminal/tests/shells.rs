//! Real shells with the scripts of shell integration, and commands that are run in them.

use super::*;
use crate::server::shells::Shells;
use crate::server::terminal::commands::{Commands, Ending, Phase, RunError};
use std::path::Path;
use tempfile::TempDir;

/// A person's home with the files of one shell, and the folder of the scripts.
struct Person {
    home: TempDir,
    shells: Shells,
}

impl Person {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let shells = Shells::write(home.path().join("luvus's shell")).unwrap();
        Self { home, shells }
    }

    fn start(&self, argv: &[&str], env: &[(&str, &str)]) -> Start {
        let mut start = start(argv);
        start.cwd = self.home.path().to_owned();
        let home = self.home.path().to_string_lossy();
        for (name, value) in [("HOME", &*home), ("LANG", "C.UTF-8")].iter().chain(env) {
            start.env.push(((*name).to_owned(), (*value).to_owned()));
        }
        start.integration = self.shells.integrate(&mut start.argv, &start.env);
        assert!(start.integration.is_some());
        start
    }
}

/// The shell, unless this machine has none: then the test says so and passes.
fn installed(name: &str) -> Option<String> {
    let found = ["/bin", "/usr/bin", "/usr/local/bin"].map(|folder| format!("{folder}/{name}"));
    let found = found.into_iter().find(|path| Path::new(path).exists());
    if found.is_none() {
        eprintln!("skipped: this machine has no {name}");
    }
    found
}

/// Runs a command and waits for its end.
async fn ended(handle: &PaneHandle, command: &str) -> Ending {
    let mut run = within(handle.run(command)).await.expect("the shell is at its prompt");
    within(run.started()).await.expect("it starts");
    within(run.ended()).await.expect("it ends")
}

/// What every shell must do, whatever its files say. Its prompt is the last status and `two>`; `anew`: giving
/// up a line brings another prompt.
async fn keeps_count(handle: &PaneHandle, anew: bool) {
    for status in [0, 7, 1] {
        assert_eq!(ended(handle, &format!("sh -c 'exit {status}'")).await, Ending::Exited(status));
    }
    let before = handle.commands().borrow().started();
    // Neither an empty line nor one that is given up is a command.
    shows(handle, "1 two>").await;
    let mut commands = handle.commands();
    handle.text("never").unwrap();
    // A signal may fall between a line editor's look for signals and its wait for keys.
    loop {
        handle.text("\x03").unwrap();
        if !anew || tokio::time::timeout(Duration::from_secs(1), commands.changed()).await.is_ok() {
            break;
        }
    }
    handle.text("\r").unwrap();
    within(commands.wait_for(Commands::at_prompt)).await.unwrap();
    assert_eq!(
        ended(handle, "env | grep -v ^PS1 | grep -ic -e luvus -e ^ZDOTDIR | sh -c 'read n; exit 1$n'").await,
        Ending::Exited(10)
    );
    assert_eq!(handle.commands().borrow().started(), before + 1);
    let mut long = within(handle.run("sh -c 'echo run\"\"ning; read x'")).await.unwrap();
    shows(handle, "running").await;
    assert_eq!(handle.run("true").await.err(), Some(RunError::NotAtPrompt));
    handle.text("\x03").unwrap();
    assert_eq!(within(long.ended()).await, Ok(Ending::Exited(130)));
}

#[tokio::test]
async fn bash_tells_of_its_commands_and_leaves_the_prompt_of_the_person_alone() {
    let person =
        Person::new(&[(".bashrc", "echo read; PS1='one\\n$? two> '\nset -u\nPROMPT_COMMAND='last=$?'\n")]);
    let mut rig = Rig::new();
    let handle = rig.start(person.start(&["/bin/bash"], &[]));
    keeps_count(&handle, true).await;
    assert_eq!(ended(&handle, "(exit 9)").await, Ending::Exited(9));
    shows(&handle, "9 two>").await;
    assert_eq!(
        ended(&handle, "echo \"last was $last\"; PROMPT_COMMAND='PS1=\"[$?] \"'").await,
        Ending::Exited(0)
    );
    shows(&handle, "last was 9").await;
    assert_eq!(ended(&handle, "(exit 8)").await, Ending::Exited(8));
    shows(&handle, "[8]").await;
    // Once more its own files, and an interactive shell below it.
    assert_eq!(ended(&handle, "source ~/.bashrc; (exit 6)").await, Ending::Exited(6));
    let mut below = within(handle.run("PS1='below> ' bash --norc")).await.unwrap();
    shows(&handle, "below> ").await;
    handle.text("false\rexit\r").unwrap();
    assert_eq!(within(below.ended()).await, Ok(Ending::Exited(1)));
    let mut last = within(handle.run("exit 3")).await.unwrap();
    assert!(within(last.ended()).await.is_err(), "there is no prompt after it");
    assert_eq!(rig.exited().await, code(3));
}

#[tokio::test]
async fn the_traps_and_the_strictness_of_a_person_s_bash_see_nothing_of_it() {
    let person = Person::new(&[(
        ".bashrc",
        "PS1='$ '; trap 'seen+=\"<${BASH_COMMAND%% *}>\"' DEBUG\n\
         PROMPT_COMMAND=('shown=$seen seen=')\n",
    )]);
    let mut rig = Rig::new();
    let handle = rig.start(person.start(&["/bin/bash", "-i"], &[]));
    assert_eq!(ended(&handle, "true").await, Ending::Exited(0));
    assert_eq!(ended(&handle, "trap - DEBUG; echo \"saw $shown\"").await, Ending::Exited(0));
    shows(&handle, "saw <true><__luvus_prompt>").await;
    assert_eq!(ended(&handle, "set -e; ! true").await, Ending::Exited(1));
    assert_eq!(ended(&handle, "true").await, Ending::Exited(0));
    // As it would without luvus.
    let mut last = within(handle.run("(exit 5)")).await.unwrap();
    assert!(within(last.ended()).await.is_err());
    assert_eq!(rig.exited().await, code(5));
}

#[tokio::test]
async fn bash_with_options_of_its_own_marks_too() {
    let files = [
        (".bash_profile", "echo profile; PS1='$? two> ' PROMPT_COMMAND=\"own=1;$PROMPT_COMMAND\"\n"),
        (".bashrc", "echo WRONG\n"),
    ];
    let person = Person::new(&files);
    let mut rig = Rig::new();
    let prompt = [("PS1", "$? two> ")];
    let login = rig.start(person.start(&["/bin/bash", "--login"], &prompt));
    let bare = rig.start(person.start(&["/bin/bash", "--norc", "--noprofile"], &prompt));
    for handle in [&login, &bare] {
        keeps_count(handle, true).await;
        assert!(!handle.contains("WRONG").await.unwrap().0);
    }
    assert!(login.contains("profile").await.unwrap().0);
    assert_eq!(ended(&login, "echo own:$own:; shopt login_shell").await, Ending::Exited(0));
    shows(&login, "own:1:").await;
}

#[tokio::test]
async fn zsh_tells_of_its_commands_and_reads_its_files_in_order() {
    let Some(zsh) = installed("zsh") else { return };
    let line = |name: &str| format!("echo {name} ${{ZDOTDIR-unset}}\n");
    let rc = line("rc")
        + "PS1=$'one\\n%? two> '\nprecmd_functions=(mine); mine() { last=$?; PS1=$'one\\n%? two> ' }\n";
    let (env, login) = (line("env"), line("login"));
    let files = [(".zshenv", &*env), (".zshrc", &*rc), (".zlogin", &*login)];
    let own = files.map(|(name, text)| (format!("own/{name}"), text));
    let all: Vec<(&str, &str)> =
        files.into_iter().chain(own.iter().map(|(name, text)| (&**name, *text))).collect();
    let person = Person::new(&all);
    let mut rig = Rig::new();
    let handle = rig.start(person.start(&[&zsh], &[]));
    keeps_count(&handle, true).await;
    assert_eq!(ended(&handle, "(exit 9)").await, Ending::Exited(9));
    shows(&handle, "9 two>").await;
    assert_eq!(ended(&handle, "echo last was $last; echo length ${#PS1}").await, Ending::Exited(0));
    shows(&handle, "last was 9").await;
    shows(&handle, "length 12").await;
    shows(&handle, "env unset\nrc unset\n").await;
    let folder = person.home.path().join("own");
    let folder = folder.to_string_lossy();
    let handle = rig.start(person.start(&[&zsh, "-l"], &[("ZDOTDIR", &folder)]));
    assert_eq!(ended(&handle, "set -eu; ! true").await, Ending::Exited(1));
    let recent = ["env", "rc", "login"].map(|name| format!("{name} {folder}\n")).concat();
    shows(&handle, &recent).await;
}

#[tokio::test]
async fn fish_tells_of_its_commands() {
    let Some(fish) = installed("fish") else { return };
    let config = "echo read\nfunction fish_prompt; echo $status $pipestatus 'two> '; end\n";
    let person = Person::new(&[(".config/fish/config.fish", config)]);
    let mut rig = Rig::new();
    let handle = rig.start(person.start(&[&fish], &[]));
    keeps_count(&handle, false).await;
    assert_eq!(ended(&handle, "sh -c 'exit 9' | sh -c 'exit 4'").await, Ending::Exited(4));
    shows(&handle, "4 9 4 two>").await;
    assert_eq!(ended(&handle, "function fish_prompt; echo 'new> '; end").await, Ending::Exited(0));
    assert_eq!(ended(&handle, "false").await, Ending::Exited(1));
    shows(&handle, "new>").await;
}

#[tokio::test]
async fn a_folder_with_any_name_is_told() {
    let name = "a é'%b";
    let person = Person::new(&[("a é'%b/file", "")]);
    let mut rig = Rig::new();
    let told = person.home.path().join(name);
    for shell in ["bash", "zsh", "fish"].into_iter().filter_map(installed) {
        let handle = rig.start(person.start(&[&shell], &[]));
        assert_eq!(ended(&handle, "cd a*").await, Ending::Exited(0));
        within(handle.commands().wait_for(Commands::at_prompt)).await.unwrap();
        assert_eq!(handle.told().as_deref(), Some(&*told), "{shell}");
    }
}

#[tokio::test]
async fn a_program_that_marks_nothing_runs_nothing() {
    let mut rig = Rig::new();
    let handle = rig.script("stty -echo; echo up; cat");
    shows(&handle, "up").await;
    assert_eq!(handle.run("true").await.err(), Some(RunError::Unmarked));
    assert_eq!(handle.commands().borrow().phase(), Phase::Silent);
    handle.text("nothing came before\r").unwrap();
    shows(&handle, "up\nnothing came before").await;
}

#[tokio::test]
async fn a_command_is_the_one_that_was_submitted() {
    let mut rig = Rig::new();
    let a = r"printf '\033]133;A\007up'; stty -echo; read x; ";
    let script =
        format!("{a} printf '\\033]133;C\\007\\033]133;D;4\\007\\033]133;A\\007got %s' \"$x\"; read y");
    let handle = rig.script(&script);
    shows(&handle, "up").await;
    let mut first = handle.run("one").await.unwrap();
    // One that has not started stands before others.
    if handle.commands().borrow().started() == 0 {
        assert_eq!(handle.run("two").await.err(), Some(RunError::Pending));
    }
    assert_eq!(within(first.ended()).await, Ok(Ending::Exited(4)));
    shows(&handle, "got one").await;
    let mut second = handle.run("two").await.unwrap();
    assert!(within(second.started()).await.is_err(), "the shell ends instead");
}
