//! Settings that change while a client is attached.
//!
//! Invariant: what a person has changed on this screen since (a sidebar shown or widened) stays, unless
//! the settings say something new about exactly that.

use super::layers;
use super::out::Out;
use super::sidebars::areas_changed;
use super::state::{Side, State};
use crate::config::Config;
use crate::protocol::attach::message::ToServer;

/// Takes over a configuration, given as text.
pub fn take(state: &mut State, text: &str, out: &mut Vec<Out>) {
    // The server has checked it; what an older client does not know keeps its default.
    let (config, _) = Config::parse(text);
    let before = std::mem::replace(&mut state.config, config);
    let config = &state.config;
    state.keymap = config.keymap.clone();
    state.show_titles = config.show_titles;
    state.workspace_paths = config.workspace_paths;
    state.bell = config.bell;
    if config.agents_this_workspace != before.agents_this_workspace {
        state.agents_here = config.agents_this_workspace;
    }
    if config.agents_active_only != before.agents_active_only {
        state.agents_active = config.agents_active_only;
    }
    if config.left != before.left {
        state.left = Side::new(&config.left);
    }
    if config.right != before.right {
        state.right = Side::new(&config.right);
    }
    if config.mouse_capture != before.mouse_capture {
        out.push(Out::Mouse(config.mouse_capture));
    }
    if config.theme != before.theme {
        out.push(Out::Theme(config.theme.clone()));
    }
    state.mirror.look(state.narrow());
    layers::preferences::changed(state);
    state.damage.full = true;
    if state.config.agents_active_only != before.agents_active_only && state.lists_past() {
        out.push(Out::Send(ToServer::Conversations));
    }
    areas_changed(state, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::geometry::Size;

    #[test]
    fn what_changed_is_taken_and_what_the_person_did_stays() {
        let mut state = State::new(&Config::default(), Size::new(24, 120));
        state.left.visible = false;
        let mut out = Vec::new();
        take(&mut state, "[mouse]\ncapture = false\n[keybindings]\nsplit_right = \"|\"\n", &mut out);
        assert_eq!(out[0], Out::Mouse(false));
        assert!(!state.left.visible, "nothing was said about it");
        assert_eq!(state.keymap, state.config.keymap);
        assert_ne!(state.keymap, Config::default().keymap);
        out.clear();
        take(&mut state, "theme = \"nord\"\n[sidebars.left]\nwidth = 40\n", &mut out);
        assert!(state.left.visible && state.left.width == 40);
        assert!(out.contains(&Out::Mouse(true)) && out.contains(&Out::Theme("nord".to_owned())));
        assert!(out.iter().any(|out| matches!(out, Out::Send(ToServer::Resize(_)))), "{out:?}");
    }
}
