//! The keys in force: a preset, changed by a person's own bindings.
//!
//! Invariant: in one list no two actions share a key, and no action sits on the prefix, which
//! pressed twice sends itself. A binding that would break this is left out, with a warning.

use super::Warning;
pub use super::actions::{Action, ActionInfo, actions};
use super::chord::Chord;
use super::presets::Preset;
use crate::protocol::key::KeyEvent;

/// The keys in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// The prefix.
    pub prefix: Chord,
    /// Keys after the prefix, in table order.
    pub prefixed: Vec<(Chord, Action)>,
    /// Keys without the prefix.
    pub direct: Vec<(Chord, Action)>,
}

/// A binding as a person wrote it: `split_right = "v"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The command id.
    pub id: String,
    /// The key; empty unbinds, [`AS_PRESET`] is what the preset has.
    pub key: String,
    /// Where it stands.
    pub at: Option<(usize, usize)>,
}

/// What a binding says instead of a key to be as in the preset.
pub const AS_PRESET: &str = "default";

/// All that a person can say about keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Wishes {
    /// `prefix`, if it was given, and where.
    pub prefix: Option<(String, Option<(usize, usize)>)>,
    /// `[keybindings]` in the order of the text.
    pub prefixed: Vec<Binding>,
    /// `[direct_keybindings]` in the order of the text.
    pub direct: Vec<Binding>,
}

impl Keymap {
    /// The action of a key after the prefix.
    #[must_use]
    pub fn after_prefix(&self, event: KeyEvent) -> Option<Action> {
        find(&self.prefixed, event)
    }

    /// The action of a key without the prefix.
    #[must_use]
    pub fn directly(&self, event: KeyEvent) -> Option<Action> {
        find(&self.direct, event)
    }

    /// All keys of an action as a person would write them, those after the prefix with `prefix `
    /// before them.
    #[must_use]
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        let of = |list: &[(Chord, Action)], lead: &str| -> Vec<String> {
            list.iter().filter(|(_, other)| *other == action).map(|(key, _)| format!("{lead}{key}")).collect()
        };
        let mut keys = of(&self.prefixed, "prefix ");
        keys.extend(of(&self.direct, ""));
        keys
    }

    /// A preset with a person's wishes, as far as they can be fulfilled.
    pub(super) fn new(preset: Preset, wishes: &Wishes, warnings: &mut Vec<Warning>) -> Self {
        let prefix = prefix_of(preset, wishes, warnings);
        let after = List { table: "keybindings", prefix, allowed: |_| None };
        let direct = List { table: "direct_keybindings", prefix, allowed: must_be_direct };
        Self {
            prefix,
            prefixed: after.resolve(&wishes.prefixed, preset.prefixed(), warnings),
            direct: direct.resolve(&wishes.direct, preset.direct(), warnings),
        }
    }
}

fn find(list: &[(Chord, Action)], event: KeyEvent) -> Option<Action> {
    list.iter().find(|(chord, _)| chord.matches(event)).map(|(_, action)| *action)
}

/// The preset's own prefix is never wrong; its tests see to that.
fn prefix_of(preset: Preset, wishes: &Wishes, warnings: &mut Vec<Warning>) -> Chord {
    let default = preset.prefix();
    if let Some((text, at)) = &wishes.prefix {
        let problem = match text.parse::<Chord>() {
            Ok(chord) if chord.may_be_prefix() => return chord,
            Ok(_) => format!("prefix `{text}` must be F1 to F12 or contain ctrl or alt"),
            Err(error) => error.to_string(),
        };
        warnings.push(Warning { at: *at, message: format!("{problem}; the prefix is `{default}`") });
    }
    default.parse().expect("the presets' prefixes are chords")
}

fn must_be_direct(chord: Chord) -> Option<&'static str> {
    (!chord.may_be_direct())
        .then_some("a key without the prefix needs ctrl, alt or shift, a printable one ctrl or alt")
}

/// One of the two lists while it is put together.
struct List {
    table: &'static str,
    prefix: Chord,
    /// Why a chord cannot be in this list.
    allowed: fn(Chord) -> Option<&'static str>,
}

impl List {
    /// The person's bindings first, then what the preset has for the other actions and keys.
    fn resolve(
        &self,
        wishes: &[Binding],
        preset: impl Iterator<Item = (&'static str, Action)>,
        warnings: &mut Vec<Warning>,
    ) -> Vec<(Chord, Action)> {
        let mut bound: Vec<(Chord, Action)> = Vec::new();
        let mut settled = Vec::new();
        for wish in wishes.iter().filter(|wish| wish.key != AS_PRESET || Action::of_id(&wish.id).is_none()) {
            match self.accept(wish, &bound) {
                Ok((action, chord)) => {
                    settled.push(action);
                    bound.extend(chord.map(|chord| (chord, action)));
                }
                Err(problem) => warnings.push(Warning {
                    at: wish.at,
                    message: format!("`{}.{}` is left out: {problem}", self.table, wish.id),
                }),
            }
        }
        for (key, action) in preset {
            let Ok(chord) = key.parse::<Chord>() else { continue };
            let taken = chord == self.prefix || bound.iter().any(|(other, _)| *other == chord);
            if !taken && !settled.contains(&action) {
                bound.push((chord, action));
            }
        }
        let place = |action| actions().iter().position(|row| row.action == action);
        bound.sort_by_key(|(_, action)| place(*action));
        bound
    }

    /// What a binding says: its action, and the key or nothing.
    fn accept(&self, wish: &Binding, bound: &[(Chord, Action)]) -> Result<(Action, Option<Chord>), String> {
        let action = Action::of_id(&wish.id).ok_or("this build has no command of that name")?;
        if wish.key.is_empty() {
            return Ok((action, None));
        }
        let chord: Chord = wish.key.parse().map_err(|error| format!("{error}"))?;
        if let Some(reason) = (self.allowed)(chord) {
            return Err(format!("{reason} (`{chord}`)"));
        }
        if chord == self.prefix {
            return Err(format!("`{chord}` is the prefix, which pressed twice sends itself"));
        }
        if let Some((_, other)) = bound.iter().find(|(other, _)| *other == chord) {
            return Err(format!("`{chord}` is already bound to `{}`", other.id()));
        }
        Ok((action, Some(chord)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::key::{KeyCode, Modifiers};

    fn wishes(pairs: &[(&str, &str)]) -> Vec<Binding> {
        pairs.iter().map(|(id, key)| Binding { id: (*id).into(), key: (*key).into(), at: None }).collect()
    }

    fn keymap(preset: Preset, wishes: &Wishes) -> (Keymap, Vec<String>) {
        let mut warnings = Vec::new();
        let keymap = Keymap::new(preset, wishes, &mut warnings);
        (keymap, warnings.into_iter().map(|warning| warning.message).collect())
    }

    fn after(keymap: &Keymap, key: &str) -> Option<Action> {
        let chord: Chord = key.parse().unwrap();
        keymap.after_prefix(KeyEvent::press(chord.code, chord.modifiers))
    }

    fn directly(keymap: &Keymap, key: &str) -> Option<Action> {
        let chord: Chord = key.parse().unwrap();
        keymap.directly(KeyEvent::press(chord.code, chord.modifiers))
    }

    #[test]
    fn every_preset_key_counts_in_its_own_preset() {
        for preset in [Preset::Luvus, Preset::NoCtrl, Preset::Tmux] {
            let (keymap, warnings) = keymap(preset, &Wishes::default());
            assert_eq!(warnings, [""; 0]);
            assert!(keymap.prefix.may_be_prefix());
            assert!(keymap.direct.iter().all(|(chord, _)| chord.may_be_direct()));
            let mut seen = Vec::new();
            for (key, action) in preset.prefixed() {
                let chord: Chord = key.parse().unwrap_or_else(|error| panic!("{error}"));
                if !seen.contains(&chord) {
                    assert_eq!(after(&keymap, key), Some(action), "{key}");
                    seen.push(chord);
                }
            }
            assert_eq!(keymap.prefixed.len(), seen.len());
        }
        assert_eq!(
            Preset::Luvus.prefixed().count(),
            keymap(Preset::Luvus, &Wishes::default()).0.prefixed.len()
        );
    }

    #[test]
    fn tmux_hands_find_their_keys() {
        let (keymap, _) = keymap(Preset::Tmux, &Wishes::default());
        assert_eq!(keymap.prefix.to_string(), "ctrl+b");
        assert_eq!(after(&keymap, "%"), Some(Action::SplitRight));
        assert_eq!(after(&keymap, "\""), Some(Action::SplitDown));
        assert_eq!(after(&keymap, "("), Some(Action::PreviousWorkspace));
        assert!(keymap.keys_of(Action::Workspace(5)).is_empty());
        assert!(keymap.keys_of(Action::Workspace(9)).is_empty());
        assert_eq!(keymap.keys_of(Action::Workspace(4)), ["prefix $"]);
    }

    #[test]
    fn a_binding_can_be_as_in_the_preset() {
        let prefixed = wishes(&[("split_right", "default"), ("zoom_pane", "")]);
        let (keymap, warnings) = keymap(Preset::Luvus, &Wishes { prefixed, ..Wishes::default() });
        assert_eq!((after(&keymap, "v"), after(&keymap, "z")), (Some(Action::SplitRight), None));
        assert!(warnings.is_empty());
    }

    #[test]
    fn shift_and_a_digit_jumps_to_a_workspace_on_enhanced_keyboards() {
        let (keymap, _) = keymap(Preset::Luvus, &Wishes::default());
        let event = KeyEvent::press(KeyCode::Char('3'), Modifiers::SHIFT);
        assert_eq!(keymap.after_prefix(event), Some(Action::Workspace(3)));
    }

    #[test]
    fn keys_are_told_as_they_are_pressed() {
        let (keymap, _) = keymap(Preset::Luvus, &Wishes::default());
        assert_eq!(keymap.keys_of(Action::FocusLeft), ["prefix Left", "prefix h"]);
        assert_eq!(keymap.keys_of(Action::ScrollMode), ["shift+Up", "shift+PageUp"]);
        assert!(keymap.keys_of(Action::CloseTab).is_empty());
    }

    #[test]
    fn a_binding_replaces_the_keys_of_its_action_and_takes_the_key_from_the_preset() {
        let prefixed = wishes(&[("split_right", "c"), ("close_pane", ""), ("close_tab", "X")]);
        let direct = wishes(&[("new_tab", "ctrl+alt+n"), ("zoom_pane", "shift+Up")]);
        let (keymap, warnings) = keymap(Preset::Luvus, &Wishes { prefix: None, prefixed, direct });
        assert_eq!(warnings, [""; 0]);
        assert_eq!(after(&keymap, "c"), Some(Action::SplitRight));
        assert_eq!(after(&keymap, "v"), None);
        assert_eq!(after(&keymap, "x"), None);
        assert_eq!(after(&keymap, "X"), Some(Action::CloseTab));
        assert_eq!(directly(&keymap, "ctrl+alt+n"), Some(Action::NewTab));
        assert_eq!(directly(&keymap, "shift+Up"), Some(Action::ZoomPane));
        assert_eq!(directly(&keymap, "shift+PageUp"), Some(Action::ScrollMode));
    }

    #[test]
    fn a_bad_binding_disables_only_itself() {
        for (id, key, reason) in [
            ("fly", "f", "no command"),
            ("split_down", "ctrl+", "not a key"),
            ("split_down", "ctrl+space", "is the prefix"),
            ("split_down", "V", "already bound to `split_right`"),
        ] {
            let prefixed = wishes(&[("split_right", "V"), (id, key), ("help", "H")]);
            let (keymap, warnings) = keymap(Preset::Luvus, &Wishes { prefixed, ..Wishes::default() });
            assert!(matches!(&warnings[..], [one] if one.contains(reason)), "{id} {key}: {warnings:?}");
            assert_eq!(after(&keymap, "V"), Some(Action::SplitRight));
            assert_eq!(after(&keymap, "s"), Some(Action::SplitDown));
            assert_eq!(after(&keymap, "H"), Some(Action::Help));
        }
        for key in ["n", "F5", "N", "super+n"] {
            let direct = wishes(&[("new_tab", key)]);
            let (keymap, warnings) = keymap(Preset::Luvus, &Wishes { direct, ..Wishes::default() });
            assert_eq!(warnings.len(), 1, "{key}");
            assert!(!keymap.direct.iter().any(|(_, action)| *action == Action::NewTab));
        }
    }

    #[test]
    fn a_bad_prefix_leaves_the_preset_s() {
        for (text, prefix) in [("a", "ctrl+b"), ("F13", "ctrl+b"), ("nonsense", "ctrl+b"), ("alt+a", "alt+a")]
        {
            let wish = Wishes { prefix: Some((text.into(), None)), ..Wishes::default() };
            let (keymap, warnings) = keymap(Preset::Tmux, &wish);
            assert_eq!(keymap.prefix.to_string(), prefix);
            assert_eq!(warnings.len(), usize::from(text != "alt+a"), "{text}");
        }
    }
}
