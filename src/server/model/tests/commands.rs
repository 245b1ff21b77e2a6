//! Each command by example.

use super::*;
use crate::protocol::command::{Arrangement, MoveTarget, Step};
use crate::protocol::limits::TERMINALS;
use crate::protocol::tree::Node;

#[test]
fn the_first_workspace_starts_a_shell_in_its_root() {
    let mut model = Model::default();
    assert_eq!(refuse(&mut model, close(1)), ModelError::NoPane(pane(1)));
    assert_eq!(refuse(&mut model, Command::StepPane { step: Step::Next }), ModelError::Empty);
    assert!(model.layout(Size::new(24, 80)).places.is_empty());
    let outcome = run(
        &mut model,
        Command::OpenWorkspace { path: "/w".into(), focus: false, reuse: true, launch: Launch::default() },
    );
    let start =
        Effect::Start { pane: pane(1), directory: Directory::Path("/w".into()), launch: Launch::default() };
    assert_eq!(outcome.effects, [start]);
    let (workspace, tab) = (WorkspaceId(1), TabId(1));
    assert_eq!((outcome.workspace, outcome.tab, outcome.pane), (Some(workspace), Some(tab), Some(pane(1))));
    assert_eq!(
        outcome.events,
        [
            Event::WorkspaceCreated(workspace),
            Event::TabCreated(tab),
            Event::PaneCreated(pane(1)),
            Event::PaneFocused(pane(1))
        ]
    );
    assert_eq!(model.workspaces()[0].name(), "w");
}

#[test]
fn a_folder_is_opened_once_unless_a_second_one_is_wanted() {
    let mut model = model(&["1"]);
    run(&mut model, open("/x"));
    assert_eq!(picture(&model), "1;; 2 @2");
    let outcome = run(&mut model, open("/w/"));
    assert_eq!((outcome.workspace, outcome.effects.len()), (Some(WorkspaceId(1)), 0));
    assert_eq!(picture(&model), "1;; 2 @1");
    run(
        &mut model,
        Command::OpenWorkspace { path: "/w".into(), focus: false, reuse: false, launch: Launch::default() },
    );
    assert_eq!(picture(&model), "1;; 2;; 3 @1");
    assert!(matches!(refuse(&mut model, open("relative")), ModelError::BadName(_)));
}

#[test]
fn panes_are_arranged_by_name_and_in_turn() {
    let mut model = model(&["1 | (2 / (3 | 4))"]);
    let arrange = |arrangement| Command::ArrangeTab { tab: None, arrangement };
    let outcome = run(&mut model, arrange(Some(Arrangement::MainLeft)));
    assert_eq!(outcome.events, [Event::LayoutApplied(TabId(1))]);
    assert_eq!(picture(&model), "1 |0.6 (2 /0.333 (3 / 4)) @1");
    run(&mut model, arrange(None));
    assert_eq!(picture(&model), "1 /0.6 (2 |0.333 (3 | 4)) @1");
    run(&mut model, arrange(None));
    assert_eq!(picture(&model), "(1 | 2) / (3 | 4) @1");
    run(&mut model, arrange(Some(Arrangement::Columns)));
    assert_eq!(picture(&model), "(1 | 2) | (3 | 4) @1");
    let narrow = Context { area: Size::new(40, 40), ..context() };
    model.apply(arrange(None), &narrow).expect("rows have room");
    assert_eq!(picture(&model), "(1 / 2) / (3 / 4) @1");
    model.apply(arrange(None), &narrow).expect("the next one that has room");
    assert_eq!(picture(&model), "1 |0.6 (2 /0.333 (3 / 4)) @1");
    assert_eq!(model.apply(arrange(Some(Arrangement::Columns)), &narrow), Err(ModelError::TooSmall));
    run(&mut model, close(1));
    run(&mut model, close(2));
    run(&mut model, close(3));
    assert_eq!(refuse(&mut model, arrange(None)), ModelError::NotSplit);
}

#[test]
fn splits_by_axis_and_by_the_longer_side() {
    let mut model = model(&["1"]);
    run(&mut model, split(1, Axis::Horizontal, true));
    run(&mut model, split(2, Axis::Vertical, false));
    assert_eq!(picture(&model), "1 | (2 / 3) @2");
    let auto = Command::SplitPane { pane: None, axis: None, launch: Launch::default(), focus: true };
    run(&mut model, auto);
    assert_eq!(picture(&model), "1 | ((2 | 4) / 3) @4");
    assert_eq!(refuse(&mut model, split(9, Axis::Vertical, true)), ModelError::NoPane(pane(9)));
}

#[test]
fn a_split_without_room_is_refused() {
    let mut model = model(&["1"]);
    let narrow = Context { area: Size::new(24, 22), ..context() };
    let before = model.clone();
    assert_eq!(model.apply(split(1, Axis::Horizontal, true), &narrow), Err(ModelError::TooSmall));
    assert_eq!(model, before);
    assert!(model.apply(split(1, Axis::Vertical, true), &narrow).is_ok());
}

#[test]
fn new_panes_start_where_the_setting_or_the_launch_says() {
    let mut model = model(&["1"]);
    let directory = |model: &mut Model, cwd: Option<&str>, to_root: bool| {
        let context = Context { new_pane_to_root: to_root, ..context() };
        let launch = Launch { cwd: cwd.map(Into::into), ..Launch::default() };
        let command = Command::NewTab { workspace: None, launch, focus: false };
        match &model.apply(command, &context).unwrap().effects[..] {
            [Effect::Start { directory, .. }] => directory.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(directory(&mut model, None, false), Directory::LiveOf(pane(1), "/w".into()));
    assert_eq!(directory(&mut model, None, true), Directory::Path("/w".into()));
    assert_eq!(directory(&mut model, Some("/tmp"), true), Directory::Path("/tmp".into()));
}

#[test]
fn a_pane_remembers_how_it_was_started() {
    let mut model = model(&["1"]);
    let argv = Some(vec!["top".to_owned()]);
    let launch = Launch {
        argv: argv.clone(),
        cwd: None,
        label: Some("load".into()),
        restore: Some(false),
        ..Launch::default()
    };
    let outcome = run(&mut model, Command::NewTab { workspace: None, launch, focus: true });
    let pane = model.pane(outcome.pane.unwrap()).unwrap();
    assert_eq!((pane.argv(), pane.label(), pane.restore()), (argv.as_deref(), Some("load"), false));
    let launch = Launch { label: Some("a\nb".into()), ..Launch::default() };
    let command = Command::NewTab { workspace: None, launch, focus: true };
    assert!(matches!(refuse(&mut model, command), ModelError::BadName(_)));
}

#[test]
fn splitting_a_zoomed_tab_with_the_focus_unzooms_it() {
    let zoomed = || {
        let mut model = model(&["1 | 2"]);
        run(&mut model, Command::ZoomPane { pane: None, zoomed: Some(true) });
        model
    };
    let mut model = zoomed();
    run(&mut model, split(1, Axis::Vertical, false));
    assert_eq!(picture(&model), "(1 / 3) | 2! @1");
    let mut model = zoomed();
    let outcome = run(&mut model, split(1, Axis::Vertical, true));
    assert_eq!(picture(&model), "(1 / 3) | 2 @3");
    let events =
        [Event::PaneCreated(pane(3)), Event::PaneZoomed(pane(1), false), Event::PaneFocused(pane(3))];
    assert_eq!(outcome.events, events);
}

#[test]
fn focus_goes_to_the_neighbour_focused_last() {
    let mut model = model(&["1 | (2 / 3)"]);
    let go = |pane, direction| Command::FocusDirection { pane, direction };
    run(&mut model, go(None, Direction::Right));
    assert_eq!(model.focused(), Some(pane(2)));
    run(&mut model, focus(3));
    run(&mut model, go(None, Direction::Left));
    run(&mut model, go(None, Direction::Right));
    assert_eq!(model.focused(), Some(pane(3)));
    assert_eq!(refuse(&mut model, go(None, Direction::Right)), ModelError::NoNeighbour);
    run(&mut model, go(Some(pane(1)), Direction::Right));
    assert_eq!(model.focused(), Some(pane(3)));
}

#[test]
fn steps_go_round() {
    let mut model = model(&["1 | (2 / 3)", "4"]);
    let focused = |model: &mut Model, command| {
        run(model, command);
        model.focused().unwrap().0
    };
    assert_eq!(focused(&mut model, Command::StepPane { step: Step::Previous }), 3);
    assert_eq!(focused(&mut model, Command::StepPane { step: Step::Next }), 1);
    assert_eq!(focused(&mut model, Command::StepTab { step: Step::Next }), 4);
    assert_eq!(focused(&mut model, Command::StepTab { step: Step::Next }), 1);
    assert_eq!(focused(&mut model, open("/x")), 5);
    assert_eq!(focused(&mut model, open("/y")), 6);
    run(&mut model, Command::PinWorkspace { workspace: WorkspaceId(3), pinned: true });
    assert_eq!(model.display_order(), [WorkspaceId(3), WorkspaceId(1), WorkspaceId(2)]);
    assert_eq!(focused(&mut model, Command::StepWorkspace { step: Step::Next }), 1);
    assert_eq!(focused(&mut model, Command::StepWorkspace { step: Step::Previous }), 6);
    assert_eq!(model.pane_place(pane(6)), Some((2, 0)), "pinning changes no index");
}

#[test]
fn the_history_of_focus_spans_tabs() {
    let mut model = model(&["1 | 2", "3"]);
    run(&mut model, focus(2));
    run(&mut model, focus(3));
    let (back, forward) =
        (Command::StepFocusHistory { step: Step::Previous }, Command::StepFocusHistory { step: Step::Next });
    run(&mut model, back.clone());
    run(&mut model, back.clone());
    assert_eq!(model.focused(), Some(pane(1)));
    assert_eq!(refuse(&mut model, back.clone()), ModelError::NoNeighbour);
    run(&mut model, forward.clone());
    run(&mut model, forward);
    assert_eq!(picture(&model), "1 | 2; 3 @3");
    run(&mut model, close(2));
    run(&mut model, back);
    assert_eq!(model.focused(), Some(pane(1)));
}

#[test]
fn closing_focuses_the_pane_focused_last_or_the_one_beside() {
    let mut model = model(&["1 | (2 / (3 | 4))"]);
    run(&mut model, focus(4));
    run(&mut model, close(4));
    assert_eq!(picture(&model), "1 | (2 / 3) @1", "1 had the focus before");
    let mut fresh = super::model(&["1 | (2 / 3)"]);
    run(&mut fresh, close(1));
    assert_eq!(picture(&fresh), "2 / 3 @2", "nobody had it before");
    let outcome = run(&mut fresh, close(3));
    assert_eq!(picture(&fresh), "2 @2");
    assert_eq!(outcome.effects, [Effect::End(pane(3))]);
    assert_eq!(outcome.events, [Event::PaneClosed(pane(3))]);
}

#[test]
fn the_last_pane_closes_its_tab_and_the_last_tab_its_workspace() {
    let mut model = model(&["1", "2", "3"]);
    run(&mut model, focus(2));
    let outcome = run(&mut model, close(2));
    assert_eq!(picture(&model), "1; 3 @3");
    let events = [Event::PaneClosed(pane(2)), Event::TabClosed(TabId(2)), Event::PaneFocused(pane(3))];
    assert_eq!(outcome.events, events);
    run(&mut model, close(3));
    assert_eq!(picture(&model), "1 @1");
    run(&mut model, open("/x"));
    run(&mut model, Command::CloseTab { tab: None, policy: ClosePolicy::Force });
    assert_eq!(picture(&model), "1 @1");
}

#[test]
fn the_last_workspace_leaves_a_fresh_one_or_an_empty_server() {
    let mut model = model(&["1 | 2"]);
    let close_all = Command::CloseWorkspace { workspace: None, policy: ClosePolicy::Force };
    let mut other = model.clone();
    let outcome = run(&mut model, close_all.clone());
    assert_eq!(picture(&model), "3 @3");
    assert_eq!(model.workspaces()[0].root(), "/home/me");
    assert!(matches!(
        &outcome.effects[..],
        [Effect::End(PaneId(1)), Effect::End(PaneId(2)), Effect::Start { pane: PaneId(3), directory: Directory::Path(home), .. }]
            if home == "/home/me"
    ));
    let context = Context { exit_when_empty: true, ..context() };
    let outcome = other.apply(close_all, &context).unwrap();
    assert_eq!(outcome.effects, [Effect::End(pane(1)), Effect::End(pane(2)), Effect::Empty]);
    assert_eq!((other.focused(), other.workspaces().len()), (None, 0));
    assert_eq!(other.check(), Ok(()));
    let launch = Launch::default();
    run(&mut other, Command::NewTab { workspace: None, launch, focus: false });
    assert_eq!(picture(&other), "3 @3", "an empty server takes new tabs");
}

#[test]
fn a_child_that_exits_elsewhere_leaves_the_focus() {
    let mut model = model(&["1 | 2", "3", "4"]);
    run(&mut model, focus(3));
    model.remove(pane(1), &context()).unwrap();
    assert_eq!(picture(&model), "2; 3; 4 @3");
    model.remove(pane(2), &context()).unwrap();
    assert_eq!(picture(&model), "3; 4 @3");
    model.remove(pane(3), &context()).unwrap();
    assert_eq!(picture(&model), "4 @4");
    assert_eq!(model.remove(pane(3), &context()), Err(ModelError::NoPane(pane(3))));
}

#[test]
fn swapping_changes_places_and_no_sizes() {
    let mut model = model(&["1 |0.3 (2 /0.6 3)", "4"]);
    let frames = |model: &Model| -> Vec<_> {
        model.layout(context().area).places.iter().map(|place| place.frame).collect()
    };
    let before = frames(&model);
    let outcome = run(&mut model, Command::SwapPanes { pane: pane(1), with: pane(3) });
    assert_eq!(picture(&model), "3 |0.3 (2 /0.6 1); 4 @1");
    assert_eq!(frames(&model), before);
    assert_eq!(outcome.events, [Event::PaneSwapped(pane(1), pane(3))]);
    run(&mut model, Command::SwapStep { pane: None, step: Step::Next });
    assert_eq!(picture(&model), "1 |0.3 (2 /0.6 3); 4 @1");
    let apart = Command::SwapPanes { pane: pane(1), with: pane(4) };
    assert!(matches!(refuse(&mut model, apart), ModelError::Apart(_)));
    let alone = Command::SwapStep { pane: Some(pane(4)), step: Step::Next };
    assert_eq!(refuse(&mut model, alone), ModelError::NotSplit);
}

#[test]
fn a_pane_moves_to_another_tab_of_its_workspace() {
    let mut model = model(&["1 | 2", "3", "4"]);
    let to = |number, tab| Command::MovePane { pane: Some(pane(number)), to: MoveTarget::Tab(TabId(tab)) };
    let outcome = run(&mut model, to(1, 2));
    assert_eq!(picture(&model), "2; 3 | 1; 4 @1", "the focus goes with it");
    assert_eq!(outcome.events, [Event::PaneMoved(pane(1))]);
    assert_eq!(outcome.effects, []);
    let outcome = run(&mut model, to(4, 1));
    assert_eq!(picture(&model), "2 | 4; 3 | 1 @1", "a background pane leaves it");
    assert_eq!(outcome.events, [Event::PaneMoved(pane(4)), Event::TabClosed(TabId(3))]);
    assert_eq!(run(&mut model, to(1, 2)).events, []);
    run(&mut model, open("/x"));
    assert!(matches!(refuse(&mut model, to(1, 4)), ModelError::Apart(_)));
    assert_eq!(refuse(&mut model, to(1, 9)), ModelError::NoTab(TabId(9)));
}

#[test]
fn a_pane_moves_to_a_new_tab() {
    let mut model = model(&["1 | 2", "3"]);
    run(&mut model, Command::ZoomPane { pane: None, zoomed: None });
    let new = |number| Command::MovePane { pane: Some(pane(number)), to: MoveTarget::NewTab };
    let outcome = run(&mut model, new(1));
    assert_eq!(picture(&model), "2; 3; 1 @1");
    let events = [Event::PaneZoomed(pane(1), false), Event::TabCreated(TabId(3)), Event::PaneMoved(pane(1))];
    assert_eq!(outcome.events, events);
    assert_eq!(outcome.tab, Some(TabId(3)));
    let before = model.clone();
    assert_eq!(run(&mut model, new(3)).events, []);
    assert_eq!(model, before, "it is alone already");
}

#[test]
fn a_zoom_ends_when_its_pane_moves_away_with_its_tab() {
    let mut model = model(&["1", "2"]);
    run(&mut model, Command::ZoomPane { pane: None, zoomed: Some(true) });
    let outcome = run(&mut model, Command::MovePane { pane: None, to: MoveTarget::Tab(TabId(2)) });
    assert_eq!(picture(&model), "2 | 1 @1");
    let events = [Event::PaneZoomed(pane(1), false), Event::PaneMoved(pane(1)), Event::TabClosed(TabId(1))];
    assert_eq!(outcome.events, events);
}

#[test]
fn zoom_is_set_or_toggled_and_ends_with_the_focus_of_another_pane() {
    let mut model = model(&["1 | 2"]);
    let zoom = |number, zoomed| Command::ZoomPane { pane: Some(pane(number)), zoomed };
    assert_eq!(run(&mut model, zoom(1, Some(true))).events, [Event::PaneZoomed(pane(1), true)]);
    assert_eq!(run(&mut model, zoom(1, Some(true))).events, []);
    assert_eq!(run(&mut model, zoom(2, Some(false))).events, []);
    assert_eq!(picture(&model), "1 | 2! @1");
    let outcome = run(&mut model, Command::FocusDirection { pane: None, direction: Direction::Right });
    assert_eq!(picture(&model), "1 | 2 @2");
    assert_eq!(outcome.events, [Event::PaneZoomed(pane(1), false), Event::PaneFocused(pane(2))]);
    run(&mut model, zoom(2, None));
    run(&mut model, zoom(1, Some(true)));
    assert_eq!(model.focused_tab().unwrap().zoomed(), Some(pane(1)));
    assert_eq!(model.focused(), Some(pane(1)));
    run(&mut model, zoom(1, None));
    assert_eq!(picture(&model), "1 | 2 @1");
    let mut alone = super::model(&["1"]);
    assert_eq!(run(&mut alone, zoom(1, Some(true))).events, [Event::PaneZoomed(pane(1), true)]);
}

#[test]
fn an_edge_moves_by_cells() {
    let mut model = model(&["1 | (2 | 3)"]);
    let widths = |model: &Model| -> Vec<u16> {
        model.layout(context().area).places.iter().map(|place| place.content.cols).collect()
    };
    let resize =
        |number, direction, cells| Command::ResizePane { pane: Some(pane(number)), direction, cells };
    assert_eq!(widths(&model), [79, 39, 38]);
    let outcome = run(&mut model, resize(1, Direction::Right, 5));
    assert_eq!(widths(&model)[0], 84);
    assert!(outcome.events.contains(&Event::PaneResized(pane(1), 5)), "{:?}", outcome.events);
    run(&mut model, resize(2, Direction::Left, 5));
    assert_eq!(widths(&model), [79, 39, 38]);
    run(&mut model, resize(3, Direction::Right, 4));
    assert_eq!(widths(&model), [79, 43, 34], "at the border the other edge moves");
    let outcome = run(&mut model, resize(3, Direction::Right, 999));
    assert_eq!(widths(&model), [79, 67, 10]);
    assert!(outcome.events.contains(&Event::PaneResized(pane(3), 24)), "{:?}", outcome.events);
    assert_eq!(run(&mut model, resize(3, Direction::Right, 1)).events, []);
    assert_eq!(refuse(&mut model, resize(1, Direction::Up, 1)), ModelError::NoNeighbour);
    assert_eq!(refuse(&mut super::model(&["1"]), resize(1, Direction::Up, 1)), ModelError::NotSplit);
}

#[test]
fn shares_are_set_for_a_pane_or_a_split() {
    let mut model = model(&["1 | (2 / 3)", "4"]);
    run(&mut model, Command::SetPaneRatio { pane: pane(3), ratio: 0.25 });
    assert_eq!(picture(&model), "1 | (2 /0.75 3); 4 @1");
    let set = |path: &[Side], ratio| Command::SetSplitRatio { tab: TabId(1), path: path.to_vec(), ratio };
    let outcome = run(&mut model, set(&[], 0.3));
    assert_eq!(picture(&model), "1 |0.3 (2 /0.75 3); 4 @1");
    assert!(matches!(&outcome.events[..], [Event::RatioChanged { tab: TabId(1), .. }]));
    run(&mut model, set(&[], 0.0));
    assert_eq!(model.layout(context().area).places[0].content.cols, 10, "clamped to the smallest pane");
    assert!(model.tab(TabId(1)).unwrap().tree().ratio(&[]).unwrap() > 0.06);
    for (path, ratio, error) in [
        (&[Side::A][..], 0.5, ModelError::NoSplit),
        (&[Side::B, Side::B, Side::B], 0.5, ModelError::NoSplit),
        (&[], 1.5, ModelError::BadRatio),
        (&[], f32::NAN, ModelError::BadRatio),
    ] {
        assert_eq!(refuse(&mut model, set(path, ratio)), error);
    }
    let alone = Command::SetPaneRatio { pane: pane(4), ratio: 0.5 };
    assert_eq!(refuse(&mut model, alone), ModelError::NotSplit);
    let extreme = Command::SetPaneRatio { pane: pane(1), ratio: 0.96 };
    assert_eq!(refuse(&mut model, extreme), ModelError::BadRatio);
}

#[test]
fn tabs_and_workspaces_move_by_index() {
    let mut model = model(&["1", "2", "3"]);
    let outcome = run(&mut model, Command::MoveTab { tab: TabId(1), to: 2 });
    assert_eq!(picture(&model), "2; 3; 1 @1", "the focus follows the tab");
    assert_eq!(outcome.events, [Event::TabMoved { tab: TabId(1), from: 0, to: 2, swap: false }]);
    assert_eq!(run(&mut model, Command::MoveTab { tab: TabId(1), to: 2 }).events, []);
    let far = Command::MoveTab { tab: TabId(1), to: 3 };
    assert_eq!(refuse(&mut model, far), ModelError::OutOfRange(3));
    let outcome = run(&mut model, Command::SwapTabs { tab: TabId(1), with: TabId(2) });
    assert_eq!(picture(&model), "1; 3; 2 @1");
    assert_eq!(outcome.events, [Event::TabMoved { tab: TabId(1), from: 2, to: 0, swap: true }]);
    run(&mut model, open("/x"));
    let apart = Command::SwapTabs { tab: TabId(1), with: TabId(4) };
    assert!(matches!(refuse(&mut model, apart), ModelError::Apart(_)));
    let outcome = run(&mut model, Command::MoveWorkspace { workspace: WorkspaceId(2), to: 0 });
    assert_eq!(picture(&model), "4;; 1; 3; 2 @4");
    assert_eq!(outcome.events, [Event::WorkspaceMoved(1, 0)]);
}

#[test]
fn workspaces_move_together_and_keep_their_order() {
    let mut model = model(&["1"]);
    for path in ["/b", "/c", "/d"] {
        run(&mut model, open(path));
    }
    assert_eq!(picture(&model), "1;; 2;; 3;; 4 @4");
    let block = |ids: &[u32], to| Command::MoveWorkspaces {
        workspaces: ids.iter().map(|id| WorkspaceId(*id)).collect(),
        to,
    };
    let outcome = run(&mut model, block(&[4, 2], 0));
    assert_eq!(picture(&model), "2;; 4;; 1;; 3 @4", "the focus stays");
    assert_eq!(outcome.events, [Event::WorkspacesMoved { from: vec![1, 3], to: vec![0, 1] }]);
    assert_eq!(run(&mut model, block(&[2, 4], 0)).events, []);
    assert_eq!(refuse(&mut model, block(&[2, 4], 3)), ModelError::OutOfRange(3));
    assert_eq!(refuse(&mut model, block(&[2, 9], 0)), ModelError::NoWorkspace(WorkspaceId(9)));
    for bad in [block(&[2, 2], 0), block(&[], 0)] {
        assert!(matches!(refuse(&mut model, bad), ModelError::Apart(_)));
    }
}

#[test]
fn a_whole_layout_is_taken_or_refused() {
    let mut model = model(&["1 | (2 / 3)", "4"]);
    let leaf = |number| Node::Pane(pane(number));
    let split = |axis, ratio| Node::Split { axis, ratio };
    let apply = |nodes: &[Node], focus| Command::ApplyLayout { tab: TabId(1), nodes: nodes.to_vec(), focus };
    let stacked = [split(Axis::Vertical, 0.25), leaf(3), split(Axis::Horizontal, 0.5), leaf(2), leaf(1)];
    let outcome = run(&mut model, apply(&stacked, None));
    assert_eq!(picture(&model), "3 /0.25 (2 | 1); 4 @1");
    assert_eq!(outcome.events, [Event::LayoutApplied(TabId(1))]);
    let outcome = run(&mut model, apply(&stacked, Some(pane(2))));
    assert_eq!(outcome.events, [Event::PaneFocused(pane(2))]);
    let halves = split(Axis::Vertical, 0.5);
    for bad in [
        apply(&[halves, leaf(1), leaf(2)], None),
        apply(&[halves, halves, leaf(1), leaf(2), leaf(2)], None),
        apply(&[halves, halves, leaf(1), leaf(2), leaf(4)], None),
        apply(&[halves, leaf(1), leaf(2), leaf(3)], None),
        apply(&stacked, Some(pane(4))),
    ] {
        assert!(matches!(refuse(&mut model, bad), ModelError::BadLayout(_)));
    }
    let ratio = [split(Axis::Vertical, f32::NAN), halves, leaf(1), leaf(2), leaf(3)];
    assert_eq!(refuse(&mut model, apply(&ratio, None)), ModelError::BadRatio);
}

#[test]
fn names_are_checked_and_aliases_are_unique() {
    let mut model = model(&["1 | 2"]);
    let name = |number, name: &str| Command::RenamePane { pane: Some(pane(number)), name: name.into() };
    assert_eq!(run(&mut model, name(1, "api")).events, [Event::PaneRenamed(pane(1))]);
    assert_eq!(run(&mut model, name(1, "api")).events, []);
    assert_eq!(model.pane_named("api"), Some(pane(1)));
    assert_eq!(refuse(&mut model, name(2, "api")), ModelError::NameTaken("api".into(), pane(1)));
    assert!(matches!(refuse(&mut model, name(2, "API")), ModelError::BadName(_)));
    run(&mut model, name(1, ""));
    run(&mut model, name(2, "api"));
    let rename = |name: &str| Command::RenameWorkspace { workspace: WorkspaceId(1), name: name.into() };
    run(&mut model, rename("  my project "));
    assert_eq!(model.workspaces()[0].name(), "my project");
    assert!(matches!(refuse(&mut model, rename(" ")), ModelError::BadName(_)));
    let rename = |name: &str| Command::RenameTab { tab: TabId(1), name: name.into() };
    run(&mut model, rename("build"));
    assert_eq!(model.tab(TabId(1)).unwrap().name(), Some("build"));
    assert!(matches!(refuse(&mut model, rename("a\nb")), ModelError::BadName(_)));
    run(&mut model, rename(""));
    assert_eq!(model.tab(TabId(1)).unwrap().name(), None);
    let label = |number, label: Option<&str>| Command::LabelPane {
        pane: pane(number),
        label: label.map(str::to_owned),
    };
    assert_eq!(run(&mut model, label(1, Some("x"))).events, [Event::PaneLabelled(pane(1))]);
    assert_eq!(run(&mut model, label(1, Some("x"))).events, []);
    assert_eq!(run(&mut model, label(1, None)).events, [Event::PaneLabelled(pane(1))]);
    assert_eq!(model.apply(label(9, None), &context()), Err(ModelError::NoPane(pane(9))));
}

#[test]
fn a_bell_marks_a_tab_until_it_is_seen() {
    let mut model = model(&["1", "2 | 3"]);
    assert!(model.ring(pane(3)));
    assert!(!model.ring(pane(2)), "it has one");
    assert!(model.tab(TabId(2)).unwrap().bell());
    run(&mut model, Command::FocusTab { tab: TabId(2) });
    assert!(model.tab(TabId(2)).unwrap().bell(), "the focus alone is no look");
    assert!(model.see(pane(2)));
    assert!(!model.tab(TabId(2)).unwrap().bell());
    assert!(!model.ring(pane(9)));
}

#[test]
fn ids_are_never_used_twice() {
    let mut model = model(&["1 | 2"]);
    run(&mut model, close(2));
    run(&mut model, split(1, Axis::Horizontal, true));
    assert_eq!(picture(&model), "1 | 3 @3");
    run(&mut model, Command::MovePane { pane: None, to: MoveTarget::NewTab });
    run(&mut model, close(3));
    let new = Command::NewTab { workspace: None, launch: Launch::default(), focus: true };
    let outcome = run(&mut model, new);
    assert_eq!((outcome.tab, outcome.pane), (Some(TabId(3)), Some(pane(4))));
}

#[test]
fn a_server_has_a_bounded_number_of_panes() {
    let mut model = model(&["1"]);
    let new = Command::NewTab { workspace: None, launch: Launch::default(), focus: false };
    for _ in 1..TERMINALS {
        model.apply(new.clone(), &context()).unwrap();
    }
    assert_eq!(refuse(&mut model, new), ModelError::Full);
    assert_eq!(refuse(&mut model, split(1, Axis::Vertical, true)), ModelError::Full);
    assert_eq!(refuse(&mut model, open("/x")), ModelError::Full);
    run(&mut model, close(1));
    run(&mut model, open("/x"));
}
