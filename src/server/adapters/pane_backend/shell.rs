//! Shells by name, and commands written for them (`pane-backend.md` 4.2).

use crate::server::exec::find_program;
use std::path::Path;

/// How a shell is handed a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Posix,
    Fish,
    Power,
    Cmd,
}

/// The shells that go by a name.
const KNOWN: [(&str, Kind); 7] = [
    ("bash", Kind::Posix),
    ("sh", Kind::Posix),
    ("zsh", Kind::Posix),
    ("fish", Kind::Fish),
    ("pwsh", Kind::Power),
    ("powershell", Kind::Power),
    ("cmd", Kind::Cmd),
];

/// A shell as a request or a pane names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    program: String,
    kind: Kind,
}

impl Shell {
    /// A program, if it is a known shell.
    pub fn known(program: &str) -> Option<Self> {
        let name = Path::new(program).file_stem()?.to_str()?;
        let (_, kind) = KNOWN.iter().find(|(known, _)| *known == name)?;
        Some(Self { program: program.to_owned(), kind: *kind })
    }

    /// A program that is taken for a shell.
    pub fn any(program: &str) -> Self {
        Self::known(program).unwrap_or_else(|| Self { program: program.to_owned(), kind: Kind::Posix })
    }

    /// The program's file, looked up in that environment.
    pub fn find(&self, cwd: &Path, env: &[(String, String)]) -> std::io::Result<String> {
        let found = find_program(&self.program, cwd, env)?;
        match found.metadata() {
            Ok(file) if file.is_file() => Ok(found.to_string_lossy().into_owned()),
            Ok(_) => Err(std::io::ErrorKind::PermissionDenied.into()),
            Err(error) => Err(error),
        }
    }

    /// The shell, at that path, running a command as it is written.
    pub fn run(&self, path: String, command: String) -> Vec<String> {
        let flag = match self.kind {
            Kind::Posix | Kind::Fish => "-c",
            Kind::Power => "-Command",
            Kind::Cmd => "/c",
        };
        vec![path, flag.to_owned(), command]
    }

    /// A command of these arguments, each quoted for this shell.
    pub fn quoted(&self, argv: &[String]) -> String {
        let quoted: Vec<String> = argv.iter().map(|argument| self.quote(argument)).collect();
        let call = if self.kind == Kind::Power { "& " } else { "" };
        format!("{call}{}", quoted.join(" "))
    }

    fn quote(&self, argument: &str) -> String {
        match self.kind {
            Kind::Posix => format!("'{}'", argument.replace('\'', r"'\''")),
            Kind::Fish => format!("'{}'", argument.replace('\\', r"\\").replace('\'', r"\'")),
            Kind::Power => format!("'{}'", argument.replace('\'', "''")),
            Kind::Cmd => format!("\"{}\"", argument.replace('"', "\"\"")),
        }
    }
}

/// A shell of a request: one of the names, or an absolute path.
#[expect(clippy::needless_pass_by_value, reason = "a `Reader` takes what it reads")]
pub fn read(value: serde_json::Value) -> Result<Shell, String> {
    let named = value.as_str().filter(|text| !text.contains('\0'));
    let absolute = |text: &&str| Path::new(text).is_absolute();
    match named {
        Some(name) if KNOWN.iter().any(|(known, _)| *known == name) => Ok(Shell::any(name)),
        Some(path) if absolute(&path) => Ok(Shell::any(path)),
        _ => Err("expected bash, sh, zsh, fish, pwsh, powershell, cmd or an absolute path".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_quoted_for_the_shell() {
        let argv = ["a b".to_owned(), r"it's \ $x".to_owned()];
        let quoted = |name| Shell::known(name).unwrap().quoted(&argv);
        assert_eq!(quoted("/bin/bash"), r"'a b' 'it'\''s \ $x'");
        assert_eq!(quoted("fish"), r"'a b' 'it\'s \\ $x'");
        assert_eq!(quoted("pwsh"), r"& 'a b' 'it''s \ $x'");
        assert_eq!(quoted("cmd.exe"), r#""a b" "it's \ $x""#);
        assert_eq!(Shell::known("/usr/bin/vim"), None);
    }

    #[test]
    fn shells_are_names_or_absolute_paths() {
        for good in ["bash", "sh", "zsh", "fish", "pwsh", "powershell", "cmd", "/opt/bin/mysh"] {
            assert!(read(json!(good)).is_ok(), "{good}");
        }
        for bad in [json!("tcsh"), json!("./sh"), json!(""), json!(1)] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }
}
