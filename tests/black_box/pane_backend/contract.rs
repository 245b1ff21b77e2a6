//! The published contract against itself, and the example against the real server.

use crate::support::home::finish;
use crate::support::schemas::read;
use crate::support::{Server, have, pane_schemas};
use std::path::Path;

#[test]
fn fixtures_are_what_their_manifest_says() {
    let folder = pane_schemas::folder().join("fixtures");
    let manifest = read(&folder.join("manifest.json"));
    let rows = manifest["fixtures"].as_array().expect("a list");
    assert!(rows.len() >= 40, "{}", rows.len());
    for row in rows {
        let name = row["file"].as_str().expect("a file");
        let definition = row["schema"].as_str().expect("a definition");
        let faults = pane_schemas::faults(definition, &read(&folder.join(name)));
        assert_eq!(faults.is_empty(), row["valid"] == true, "{name}: {faults:?}");
    }
    let listed: Vec<&str> = rows.iter().filter_map(|row| row["file"].as_str()).collect();
    for verdict in ["valid", "invalid"] {
        for entry in std::fs::read_dir(folder.join(verdict)).expect("a folder").flatten() {
            let name = format!("{verdict}/{}", entry.file_name().to_string_lossy());
            assert!(listed.contains(&name.as_str()), "{name} is not in the manifest");
        }
    }
}

#[test]
fn requests_get_the_answers_of_the_manifest() {
    let server = Server::start();
    let mut panes = server.orchestrator();
    let folder = pane_schemas::folder().join("fixtures");
    let manifest = read(&folder.join("manifest.json"));
    for row in manifest["fixtures"].as_array().expect("a list") {
        let Some(code) = row["code"].as_i64() else { continue };
        let request = read(&folder.join(row["file"].as_str().expect("a file")));
        panes.raw(format!("{request}\n").as_bytes());
        let answer = panes.next();
        assert_eq!(answer["error"]["code"], code, "{request}: {answer}");
    }
    drop(panes);
    server.stop();
}

#[test]
fn the_complete_example_runs_outside_and_inside_a_pane() {
    if !have(&["python3"]) {
        return;
    }
    let server = Server::start();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pane-backend/worker.py");
    let script = script.to_str().expect("a plain path");
    // outside it reads the discovery file
    let output = finish(server.home().command("python3").args(["-B", script]));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("this is pane %1\n") && told.ends_with("the worker is gone\n"), "{told}");
    let mut panes = server.orchestrator();
    let pane = panes.script(&format!("python3 -B {script}; echo status-$?; cat"));
    panes.wait_output(&pane, &format!(r"(?s)this is pane {pane}.*status-0"));
    drop(panes);
    server.stop();
}
