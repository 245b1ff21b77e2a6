//! Shell integration: bash, zsh and fish tell where their prompts and commands are (OSC 133) and which
//! folder they are in (OSC 7).
//!
//! Owns the scripts, their place in the session's own folder, and how a shell is made to read them.
//!
//! Invariants: no file of the person's is changed, and each is read once and in its usual order; only
//! interactive shells whose every option is known here are touched; what is started below them finds an
//! environment without a trace of it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The scripts by their place in the folder.
const SCRIPTS: [(&str, &str); 3] = [
    ("luvus.bash", include_str!("shells/luvus.bash")),
    ("zsh/.zshenv", include_str!("shells/luvus.zsh")),
    ("luvus.fish", include_str!("shells/luvus.fish")),
];

/// The scripts on the disk.
#[derive(Debug, Clone)]
pub struct Shells {
    folder: PathBuf,
}

impl Shells {
    /// Writes the scripts into `folder`, each in one step, so that a shell never reads half of one.
    ///
    /// # Errors
    /// When they cannot be written; then no shell is to be touched.
    pub fn write(folder: PathBuf) -> io::Result<Self> {
        private_folder(&folder)?;
        private_folder(&folder.join("zsh"))?;
        for (name, script) in SCRIPTS {
            let path = folder.join(name);
            if !fs::read(&path).is_ok_and(|present| present == script.as_bytes()) {
                replace(&path, script)?;
            }
        }
        Ok(Self { folder })
    }

    /// Makes the shell that is about to be started with this environment read its script; if it is one that
    /// can, these variables come on top, which it takes away again.
    pub fn integrate(
        &self,
        argv: &mut Vec<String>,
        env: &[(String, String)],
    ) -> Option<Vec<(String, String)>> {
        let own = |wanted: &str| env.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let (program, options) = argv.split_first()?;
        let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let only = |known: &[&str]| options.iter().all(|option| known.contains(&option.as_str()));
        let mut extra = Vec::new();
        match name {
            "bash" if only(&["-i"]) => {
                // Long options come before short ones.
                argv.splice(1..1, ["--rcfile".to_owned(), self.path("luvus.bash")]);
            }
            // Such a bash reads no file that could be replaced; the first prompt comes after all it reads.
            "bash" if only(&["-i", "-l", "--login", "--norc", "--noprofile"]) => {
                let once = format!(". {} prompt", quoted(&self.path("luvus.bash")));
                let rest = own("PROMPT_COMMAND").map_or_else(String::new, |own| format!("\n{own}"));
                extra.push(("PROMPT_COMMAND".to_owned(), once + &rest));
            }
            "zsh" if only(&["-i", "-l", "--interactive", "--login"]) => {
                extra.extend(own("ZDOTDIR").map(|own| ("LUVUS_ZDOTDIR".to_owned(), own.to_owned())));
                extra.push(("ZDOTDIR".to_owned(), self.path("zsh")));
            }
            "fish" if only(&["-i", "-l", "--interactive", "--login", "-N", "--no-config"]) => {
                let source = format!("source {}", quoted(&self.path("luvus.fish")));
                argv.extend(["--init-command".to_owned(), source]);
            }
            _ => return None,
        }
        Some(extra)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }
}

/// As one word of bash and fish alike: outside of the quotes both take a backslash for what follows it.
fn quoted(path: &str) -> String {
    let inner = path.split(['\'', '\\']);
    let between = path.matches(['\'', '\\']).map(|char| format!("'\\{char}'")).chain([String::new()]);
    let parts: String = inner.zip(between).map(|(part, between)| format!("{part}{between}")).collect();
    format!("'{parts}'")
}

fn private_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!("{name}.{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(&fresh)?.write_all(text.as_bytes())?;
    fs::rename(&fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments, and what is added to the environment.
    type Integrated = (Vec<String>, Vec<(String, String)>);

    fn integrated(argv: &[&str], env: &[(&str, &str)]) -> Option<Integrated> {
        let mut argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        let env: Vec<_> = env.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let shells = Shells { folder: "/s".into() };
        let extra = shells.integrate(&mut argv, &env)?;
        Some((argv, extra))
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn every_shell_has_its_way() {
        let (argv, env) = integrated(&["/bin/bash", "-i"], &[]).unwrap();
        assert_eq!((argv.join(" "), env), ("/bin/bash --rcfile /s/luvus.bash -i".into(), vec![]));
        let (argv, env) = integrated(&["bash", "--norc"], &[("PROMPT_COMMAND", "own")]).unwrap();
        let once = pair("PROMPT_COMMAND", ". '/s/luvus.bash' prompt\nown");
        assert_eq!((argv.join(" "), env), ("bash --norc".into(), vec![once]));
        let (argv, env) = integrated(&["fish"], &[]).unwrap();
        assert_eq!(argv, ["fish", "--init-command", "source '/s/luvus.fish'"]);
        assert_eq!(env, []);
    }

    #[test]
    fn zsh_gets_the_own_folder_of_the_person_back() {
        let (argv, env) = integrated(&["zsh"], &[]).unwrap();
        assert_eq!((argv, env), (vec!["zsh".to_owned()], vec![pair("ZDOTDIR", "/s/zsh")]));
        let (_, env) = integrated(&["zsh"], &[("ZDOTDIR", "/z")]).unwrap();
        assert_eq!(env, [pair("LUVUS_ZDOTDIR", "/z"), pair("ZDOTDIR", "/s/zsh")]);
    }

    #[test]
    fn what_is_no_interactive_shell_is_left_alone() {
        for argv in [
            &["sh"][..],
            &["bash", "-c", "true"],
            &["bash", "script"],
            &["bash", "--posix"],
            &["zsh", "-f"],
            &["zsh", "-c", "true"],
            &["fish", "-c", "true"],
            &["/usr/bin/env", "bash"],
            &[],
        ] {
            assert_eq!(integrated(argv, &[("A", "b")]), None, "{argv:?}");
        }
    }

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(quoted("/a b"), "'/a b'");
        assert_eq!(quoted("/it's"), r"'/it'\''s'");
        assert_eq!(quoted(r"/a\b"), r"'/a'\\'b'");
    }

    #[test]
    fn scripts_are_private_and_brought_up_to_date() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("shell");
        Shells::write(folder.clone()).unwrap();
        fs::write(folder.join("luvus.fish"), "old").unwrap();
        Shells::write(folder.clone()).unwrap();
        for (name, script) in SCRIPTS {
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), script);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(""), mode("zsh"), mode("zsh/.zshenv")), (0o700, 0o700, 0o600));
        }
    }
}
