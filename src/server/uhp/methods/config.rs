//! `config.*` and `server.reload_config` (`uhp.md` section 15): every setting by its dotted name.

use super::super::Context;
use super::nothing;
use crate::config::{Patch, Warning};
use crate::protocol::params::{ParamError, Params};
use crate::protocol::uhp::error::Failure;
use crate::server::hub::{HubError, InForce};
use crate::server::uhp::error;
use serde_json::{Map, Value, json};

/// `config.get`
pub async fn get(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    shown(context.hub.config().await)
}

/// `server.reload_config`
pub async fn reload(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    shown(context.hub.reload_config(context.if_revision).await)
}

/// `config.patch`: nested tables or dotted names.
pub async fn patch(mut params: Params, context: Context) -> Result<Value, Failure> {
    let text = params.required("patch", text)?;
    params.finish()?;
    let patch = Patch::parse(&text).map_err(|warnings| ParamError::new("patch", listed(&warnings)))?;
    shown(context.hub.patch_config(patch, context.if_revision).await)
}

/// The patch in the language of the configuration.
fn text(value: Value) -> Result<String, String> {
    match value {
        Value::Object(fields) => {
            toml::to_string(&fields).map_err(|_| "expected settings and values".to_owned())
        }
        _ => Err("expected an object".to_owned()),
    }
}

fn listed(warnings: &[Warning]) -> String {
    warnings.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>().join("; ")
}

fn shown(in_force: Result<InForce, HubError>) -> Result<Value, Failure> {
    let InForce { config, warnings, sequence } = in_force.map_err(|error| error::of_hub(&error))?;
    let settings: Map<String, Value> =
        config.settled().into_iter().map(|(key, value)| (key.to_owned(), value.to_json())).collect();
    let mut result = json!({"type": "config", "config": settings, "revision": sequence});
    if !warnings.is_empty() {
        result["warnings"] = json!(warnings);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_patch_may_be_nested_or_dotted() {
        for patch in [json!({"layout": {"show_titles": false}}), json!({"layout.show_titles": false})] {
            let patch = Patch::parse(&text(patch).unwrap()).unwrap();
            assert!(!Config::default().patched(&patch).unwrap().show_titles);
        }
        assert!(text(json!({"theme": null})).is_err());
        assert!(text(json!([])).is_err());
    }

    #[test]
    fn every_setting_is_shown_plainly() {
        let (config, _) = Config::parse("[keybindings]\nsplit_right = \"|\"\n");
        let in_force = InForce { config, warnings: Vec::new(), sequence: 7 };
        let shown = shown(Ok(in_force)).unwrap();
        assert_eq!(shown["config"]["terminal.headless_size"], json!([120, 40]));
        assert_eq!(shown["config"]["keybindings"], json!({"split_right": "|"}));
        assert_eq!(shown["config"]["sidebars.left.docks"], json!(["workspaces", "agents"]));
        assert_eq!(
            shown["config"].as_object().map(Map::len),
            Some(crate::config::settings::settings().len())
        );
    }
}
