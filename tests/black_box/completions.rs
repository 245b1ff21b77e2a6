//! What shells and `man` get from the table of verbs.

use crate::support::home::finish;
use crate::support::{Home, have};

#[test]
fn completions_parse_in_the_shells_they_are_for() {
    let home = Home::new();
    for (shell, check) in [
        ("bash", &["-n"][..]),
        ("zsh", &["-n"][..]),
        ("fish", &["--no-execute"][..]),
        ("powershell", &[][..]),
    ] {
        let text = home.ok(&["completions", shell]);
        assert!(text.contains("luvus") && text.contains("workspace"), "{shell}");
        if check.is_empty() || !have(&[shell]) {
            continue;
        }
        let file = home.person().join(shell);
        std::fs::write(&file, text).expect("written");
        let output = finish(home.command(shell).args(check).arg(&file));
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    }
    home.fails(64, &["completions", "tcsh"]);
}

#[test]
fn bash_completes_verbs() {
    if !have(&["bash"]) {
        return;
    }
    let home = Home::new();
    let file = home.person().join("completions");
    std::fs::write(&file, home.ok(&["completions", "bash"])).expect("written");
    let script = format!(
        ". {}; COMP_WORDS=(luvus wor); COMP_CWORD=1; _luvus luvus wor luvus; echo \"${{COMPREPLY[@]}}\"",
        file.display()
    );
    let output = finish(home.command("bash").args(["--norc", "-c", &script]));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "workspace");
}

#[test]
fn manual_pages_are_roff_and_there_is_one_for_each_verb() {
    let home = Home::new();
    assert!(home.ok(&["man"]).contains(".TH luvus 1"));
    let folder = home.person().join("man");
    home.ok(&["man", "--dir", folder.to_str().expect("text")]);
    for page in ["luvus.1", "luvus-pane.1", "luvus-pane-split.1"] {
        let text = std::fs::read_to_string(folder.join(page)).expect("a page");
        assert!(text.contains(".SH NAME"), "{page}");
    }
    assert!(!folder.join("luvus-attach-proxy.1").exists(), "what is hidden has no page");
}
