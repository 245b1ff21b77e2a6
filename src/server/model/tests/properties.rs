//! Any sequence of commands, sensible or not, keeps what must always hold.

use super::super::solve::tests::tiles;
use super::*;
use crate::protocol::command::{MoveTarget, Step};
use crate::protocol::tree::Node;
use proptest::prelude::*;

fn panes() -> impl Strategy<Value = PaneId> {
    (1_u32..14).prop_map(PaneId)
}

fn some_pane() -> impl Strategy<Value = Option<PaneId>> {
    prop_oneof![Just(None), panes().prop_map(Some)]
}

fn tabs() -> impl Strategy<Value = TabId> {
    (1_u32..8).prop_map(TabId)
}

fn workspaces() -> impl Strategy<Value = WorkspaceId> {
    (1_u32..5).prop_map(WorkspaceId)
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![Just(Step::Next), Just(Step::Previous)]
}

fn directions() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Left, Direction::Right, Direction::Up, Direction::Down])
}

fn axes() -> impl Strategy<Value = Option<Axis>> {
    prop::sample::select(vec![None, Some(Axis::Horizontal), Some(Axis::Vertical)])
}

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "A b", "\u{1b}"]).prop_map(str::to_owned)
}

fn ratios() -> impl Strategy<Value = f32> {
    prop_oneof![0.0_f32..=1.0, Just(f32::NAN), Just(-1.0), Just(f32::INFINITY)]
}

fn nodes() -> impl Strategy<Value = Node> {
    prop_oneof![
        2 => panes().prop_map(Node::Pane),
        1 => ratios().prop_map(|ratio| Node::Split { axis: Axis::Horizontal, ratio }),
    ]
}

fn launches() -> impl Strategy<Value = Launch> {
    names()
        .prop_map(|label| Launch { label: Some(label).filter(|label| label != "A b"), ..Launch::default() })
}

fn about_workspaces_and_tabs() -> impl Strategy<Value = Command> {
    let policy = ClosePolicy::Force;
    prop_oneof![
        (prop::sample::select(vec!["/a", "/b", "c"]), any::<bool>(), any::<bool>()).prop_map(
            |(path, focus, reuse)| Command::OpenWorkspace {
                path: path.into(),
                focus,
                reuse,
                launch: Launch::default(),
            }
        ),
        workspaces().prop_map(|workspace| Command::FocusWorkspace { workspace }),
        steps().prop_map(|step| Command::StepWorkspace { step }),
        (workspaces(), names()).prop_map(|(workspace, name)| Command::RenameWorkspace { workspace, name }),
        (workspaces(), any::<bool>())
            .prop_map(|(workspace, pinned)| Command::PinWorkspace { workspace, pinned }),
        (workspaces(), 0_usize..4).prop_map(|(workspace, to)| Command::MoveWorkspace { workspace, to }),
        (prop::collection::vec(workspaces(), 0..4), 0_usize..4)
            .prop_map(|(workspaces, to)| Command::MoveWorkspaces { workspaces, to }),
        prop::option::of(workspaces())
            .prop_map(move |workspace| Command::CloseWorkspace { workspace, policy }),
        (prop::option::of(workspaces()), launches(), any::<bool>())
            .prop_map(|(workspace, launch, focus)| Command::NewTab { workspace, launch, focus }),
        tabs().prop_map(|tab| Command::FocusTab { tab }),
        steps().prop_map(|step| Command::StepTab { step }),
        (tabs(), names()).prop_map(|(tab, name)| Command::RenameTab { tab, name }),
        (tabs(), 0_usize..5).prop_map(|(tab, to)| Command::MoveTab { tab, to }),
        (tabs(), tabs()).prop_map(|(tab, with)| Command::SwapTabs { tab, with }),
        prop::option::of(tabs()).prop_map(move |tab| Command::CloseTab { tab, policy }),
    ]
}

fn about_panes() -> impl Strategy<Value = Command> {
    let splits = || {
        (some_pane(), axes(), launches(), any::<bool>())
            .prop_map(|(pane, axis, launch, focus)| Command::SplitPane { pane, axis, launch, focus })
    };
    prop_oneof![
        4 => splits(),
        2 => panes().prop_map(|pane| Command::FocusPane { pane }),
        2 => (some_pane(), directions())
            .prop_map(|(pane, direction)| Command::FocusDirection { pane, direction }),
        1 => steps().prop_map(|step| Command::StepPane { step }),
        2 => steps().prop_map(|step| Command::StepFocusHistory { step }),
        1 => (panes(), panes()).prop_map(|(pane, with)| Command::SwapPanes { pane, with }),
        1 => (some_pane(), steps()).prop_map(|(pane, step)| Command::SwapStep { pane, step }),
        1 => some_pane().prop_map(|pane| Command::MovePane { pane, to: MoveTarget::NewTab }),
        2 => (some_pane(), tabs())
            .prop_map(|(pane, tab)| Command::MovePane { pane, to: MoveTarget::Tab(tab) }),
        2 => (some_pane(), directions(), 0_u16..30)
            .prop_map(|(pane, direction, cells)| Command::ResizePane { pane, direction, cells }),
        1 => (panes(), ratios()).prop_map(|(pane, ratio)| Command::SetPaneRatio { pane, ratio }),
        1 => (tabs(), prop::collection::vec(prop_oneof![Just(Side::A), Just(Side::B)], 0..3), ratios())
            .prop_map(|(tab, path, ratio)| Command::SetSplitRatio { tab, path, ratio }),
        1 => (tabs(), prop::collection::vec(nodes(), 0..4), some_pane())
            .prop_map(|(tab, nodes, focus)| Command::ApplyLayout { tab, nodes, focus }),
        1 => (some_pane(), prop::option::of(any::<bool>()))
            .prop_map(|(pane, zoomed)| Command::ZoomPane { pane, zoomed }),
        1 => (some_pane(), names()).prop_map(|(pane, name)| Command::RenamePane { pane, name }),
        1 => some_pane().prop_map(|pane| Command::ClosePane { pane, policy: ClosePolicy::Force }),
    ]
}

/// What can happen to a model.
#[derive(Debug, Clone)]
enum Happening {
    Command(Command),
    Exit(PaneId),
    Bell(PaneId),
    Label(PaneId, String),
}

fn happenings() -> impl Strategy<Value = Happening> {
    prop_oneof![
        6 => about_workspaces_and_tabs().prop_map(Happening::Command),
        12 => about_panes().prop_map(Happening::Command),
        1 => panes().prop_map(Happening::Exit),
        1 => panes().prop_map(Happening::Bell),
        1 => (panes(), names()).prop_map(|(pane, name)| Happening::Label(pane, name)),
    ]
}

/// Does it; the panes that live are exactly those that were started and not ended.
fn happen(
    model: &mut Model,
    happening: Happening,
    context: &Context,
    alive: &mut Vec<PaneId>,
) -> Result<(), TestCaseError> {
    let before = model.clone();
    let done = match happening {
        Happening::Command(command) => {
            let closing = model.closing(&command);
            let done = model.apply(command, context);
            if let Ok(outcome) = &done {
                let ended = outcome.effects.iter().filter_map(|effect| match effect {
                    Effect::End(pane) => Some(*pane),
                    _ => None,
                });
                prop_assert_eq!(closing, ended.collect::<Vec<_>>());
            }
            done
        }
        Happening::Exit(pane) => model.remove(pane, context),
        Happening::Bell(pane) => {
            model.ring(pane);
            return Ok(());
        }
        Happening::Label(pane, label) => {
            model.apply(Command::LabelPane { pane, label: Some(label) }, context)
        }
    };
    let Ok(outcome) = done else {
        prop_assert_eq!(&*model, &before, "refused, and changed");
        return Ok(());
    };
    for effect in &outcome.effects {
        match effect {
            Effect::Start { pane, .. } => alive.push(*pane),
            Effect::End(pane) => alive.retain(|other| other != pane),
            Effect::Empty => prop_assert!(model.workspaces().is_empty()),
        }
    }
    let moved = model.focused() != before.focused();
    let told = outcome.events.iter().any(|event| matches!(event, Event::PaneFocused(_)));
    prop_assert_eq!(moved && model.focused().is_some(), told);
    Ok(())
}

proptest! {
    #[test]
    fn any_sequence_keeps_what_must_hold(
        happenings in prop::collection::vec(happenings(), 1..80),
        (rows, cols) in (1_u16..60, 1_u16..200),
        (new_pane_to_root, exit_when_empty) in any::<(bool, bool)>(),
    ) {
        let area = Size::new(rows, cols);
        let context = Context { area: Size::new(rows.max(24), cols.max(80)), home: "/home".into(), new_pane_to_root, exit_when_empty };
        let (mut model, mut alive) = (Model::default(), Vec::new());
        for happening in happenings {
            happen(&mut model, happening, &context, &mut alive)?;
            prop_assert_eq!(model.check(), Ok(()));
            alive.sort_unstable();
            prop_assert_eq!(&alive, &model.panes().map(|(pane, _)| pane).collect::<Vec<_>>());
            let layout = model.layout(area);
            if let Some(focused) = model.focused() {
                prop_assert_eq!(tiles(&layout), Ok(()));
                prop_assert!(layout.places.iter().any(|place| place.pane == focused));
            } else {
                prop_assert!(layout.places.is_empty());
            }
        }
    }

    #[test]
    fn a_new_pane_never_starts_smaller_than_the_smallest(
        commands in prop::collection::vec(about_panes(), 1..60),
        rows in 3_u16..50,
        cols in 10_u16..160,
    ) {
        let context = Context { area: Size::new(rows, cols), ..context() };
        let mut model = model(&["1"]);
        for command in commands {
            let Command::SplitPane { .. } = &command else { continue };
            let Ok(Outcome { pane: Some(new), tab: Some(tab), .. }) = model.apply(command, &context) else { continue };
            let layout = model.tab_layout(tab, context.area).unwrap();
            for place in &layout.places {
                prop_assert!(place.content.rows >= 3 && place.content.cols >= 10, "{new}: {place:?}");
            }
        }
    }
}
