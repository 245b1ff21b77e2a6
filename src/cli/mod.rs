//! The command line: arguments, paths, refusals, starting the server, printing.
//!
//! Invariant: only here is the environment read, and only here is anything printed. A verb does
//! nothing that it does not need: it reads no configuration and makes no folder on its way.

mod args;
mod attach;
mod autostart;
mod clipboard;
mod command;
mod context;
#[cfg(unix)]
mod descriptors;
mod environment;
mod error;
mod integration;
mod logging;
mod output;
mod paths;
mod refs;
mod remote;
mod runtime;
mod serve;
mod sessions;
mod settings;
mod themes;
mod trust;
mod wire;

use args::later::Later;
use args::{Args, SkillVerb, Verb};
use attach::Folders;
use context::Context;
use environment::Environment;
use error::{CliError, Exit};
use remote::Target;
use std::ffi::OsString;
use std::process::ExitCode;

/// What a model in a pane should know.
const SKILL: &str = include_str!("../../docs/skills/luvus-runtime/SKILL.md");

/// Runs the command line and returns the exit code of `product.md` section 8.
pub fn run() -> ExitCode {
    let told = |error: CliError| {
        output::tell(&error.message);
        error.exit
    };
    let (own, ssh) = match remote::split(std::env::args_os().collect()) {
        Ok(split) => split,
        Err(error) => return ExitCode::from(told(error).code()),
    };
    let exit = match Args::read(&own) {
        Ok(args) => dispatch(args, ssh).unwrap_or_else(told),
        Err(error) => explain(&error),
    };
    ExitCode::from(exit.code())
}

fn dispatch(args: Args, ssh: Vec<OsString>) -> Result<Exit, CliError> {
    match args.verb {
        // What is made of the table of verbs needs no session.
        Some(Verb::Completions { shell }) => return command::completions::run(shell),
        Some(Verb::Man { dir }) => return command::completions::run_man(dir.as_deref()),
        _ => {}
    }
    if let Some(Verb::Env { pretty }) = args.verb {
        // It tells the truth also where no session can be meant.
        return command::env::run(Environment::of_process(), args.session.as_ref(), pretty);
    }
    let mut context = Context::new(Environment::of_process(), args.session.as_ref(), args.json)?;
    context.form = args.form();
    if let Some(host) = args.remote {
        if args.verb.is_some() {
            return Err(CliError::usage("--remote attaches; run verbs there as `ssh HOST luvus …`"));
        }
        let target = Target { host, arguments: ssh, session: args.session };
        return remote::run(&context, target);
    }
    let Some(verb) = args.verb else {
        let folder = context.environment.folder.clone();
        return attach::run(&context, Folders { shown: folder.clone(), first: folder });
    };
    match verb {
        Verb::Session(Later(verb)) => command::session::run(&context, verb),
        Verb::Server(args) => command::server::run(&context, &args),
        Verb::Workspace(Later(verb)) => command::workspace::run(&context, verb),
        Verb::Window(Later(verb)) => command::workspace::run_window(&context, verb),
        Verb::Tab(Later(verb)) => command::tab::run(&context, verb),
        Verb::Pane(Later(verb)) => command::pane::run(&context, verb),
        Verb::Agent(Later(verb)) => command::agent::run(&context, verb),
        Verb::Mission(Later(verb)) => command::agents::run_mission(&context, verb),
        Verb::Env { pretty } => command::env::run(context.environment, args.session.as_ref(), pretty),
        Verb::Ctl(ctl) => command::ctl::run(&context, ctl),
        Verb::Skill(Later(SkillVerb::Show)) => output::line(SKILL.trim_end()).map(|()| Exit::Ok),
        Verb::Layout(Later(verb)) => command::layout::run(&context, &verb),
        Verb::Wait(Later(verb)) => command::pane::run_wait(&context, verb),
        Verb::Events { after } => command::uhp::events(&context, after),
        Verb::Uhp(Later(verb)) => command::uhp::run(&context, verb),
        Verb::Integration(Later(verb)) => command::integration::run(&context, verb),
        Verb::Search(args) => command::search::run(&context, args),
        Verb::Ping => command::ping::run(&context),
        Verb::Doctor => command::doctor::run(&context),
        Verb::Config(Later(verb)) => command::config::run(&context, &verb),
        Verb::Theme(Later(verb)) => command::theme::run(&context, &verb),
        Verb::Completions { shell } => command::completions::run(shell),
        Verb::Man { dir } => command::completions::run_man(dir.as_deref()),
        Verb::AttachProxy { existing } => command::proxy::run(&context, existing),
        Verb::Help { topic } => command::help::run(&context, &topic),
    }
}

/// Prints what was asked for, or what is wrong with the command line.
fn explain(error: &clap::Error) -> Exit {
    use clap::error::ErrorKind;
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match output::line(text.trim_end()) {
            Ok(()) => Exit::Ok,
            Err(error) => error.exit,
        },
        // A noun without a verb: the list of verbs is the answer, but nothing was done.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            output::tell("a verb is missing; --help lists those there are");
            Exit::Usage
        }
        _ => {
            output::tell(&usage_line(&text));
            Exit::Usage
        }
    }
}

/// The first paragraph of a message about usage, on one line.
fn usage_line(text: &str) -> String {
    let paragraph: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).collect();
    let line = wire::one_line(&paragraph.join(" "));
    format!("{} (see --help)", line.strip_prefix("error: ").unwrap_or(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint_about(line: &str) -> (Exit, String) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let error = Args::read(&words).expect_err("refused");
        (explain(&error), usage_line(&error.render().to_string()))
    }

    #[test]
    fn wrong_usage_is_one_line_and_ends_with_64() {
        let (exit, line) = complaint_about("luvus pane send 3 text --watch");
        assert_eq!(exit.code(), 64);
        assert!(line.contains("'--watch'") && !line.contains('\n') && !line.starts_with("error"), "{line}");
        let (exit, line) = complaint_about("luvus pane swap");
        assert_eq!(exit.code(), 64);
        assert!(line.contains("<PANE>") && line.contains("<WITH>"), "{line}");
        assert_eq!(complaint_about("luvus session").0.code(), 64);
    }

    #[test]
    fn help_and_version_are_no_errors() {
        assert_eq!(complaint_about("luvus --version").0.code(), 0);
        assert_eq!(complaint_about("luvus pane --help").0.code(), 0);
    }
}
