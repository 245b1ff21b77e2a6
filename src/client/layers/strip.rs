//! Keys in the prompt strip.

use super::picker::Step;
use crate::client::out::Out;
use crate::client::state::{Layer, State, Strip, Targets};
use crate::protocol::attach::message::ToServer;
use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};

/// Opens the strip.
pub fn open(state: &mut State) {
    state.layers.push(Layer::Strip(Strip::default()));
    state.damage.full = true;
}

/// Takes a key.
pub fn key(state: &mut State, strip: &mut Strip, event: KeyEvent, out: &mut Vec<Out>) -> Step {
    let count = state.scene().map_or(0, |scene| scene.panes.len());
    let ctrl = event.modifiers == Modifiers::CTRL;
    let picking = strip.targets == Targets::Picked && count > 0;
    match event.code {
        KeyCode::Escape => return Step::Close,
        KeyCode::Char('c') if ctrl => return Step::Close,
        KeyCode::Tab => strip.targets = strip.targets.beside(!event.modifiers.contains(Modifiers::SHIFT)),
        KeyCode::Up if picking => strip.at = (strip.at + count - 1) % count,
        KeyCode::Down if picking => strip.at = (strip.at + 1) % count,
        KeyCode::Char('t') if ctrl && picking => {
            let pane = state.scene().and_then(|scene| scene.panes.get(strip.at)).map(|pane| pane.id);
            if let Some(pane) = pane
                && !strip.picked.remove(&pane)
            {
                strip.picked.insert(pane);
            }
        }
        KeyCode::Enter => {
            let panes = strip.panes(state);
            if panes.is_empty() {
                state.warn(format!("there is nobody to send to: {}", strip.targets.words()));
            } else if !strip.field.text().trim().is_empty() {
                out.push(Out::Send(ToServer::Tell(panes, strip.field.text().to_owned())));
                return Step::Close;
            }
        }
        _ => {
            strip.field.key(event);
        }
    }
    Step::Stay
}
