//! What viewers and waits see.

use super::*;
use crate::protocol::attach::message::ScrollTo;
use crate::protocol::frame::Frame;
use crate::server::terminal::engine::View;
use crate::server::terminal::handle::Viewer;
use std::sync::Arc;
use std::time::Instant;

/// Waits for a picture that `wanted` takes.
async fn picture(viewer: &mut Viewer, mut wanted: impl FnMut(&Frame) -> bool) -> Arc<Frame> {
    within(async {
        loop {
            let frame = viewer.next().await.expect("the terminal lives");
            if wanted(&frame) {
                return frame;
            }
        }
    })
    .await
}

fn has(frame: &Frame, text: &str) -> bool {
    frame.rows.iter().any(|row| row.text().contains(text))
}

/// A shell without a prompt that prints what it is told, a line at a time.
const LINES: &str = "stty -echo; echo up; while read -r count word; do i=0; \
                     while [ $i -lt $count ]; do i=$((i+1)); echo $word$i; done; done";

#[tokio::test]
async fn a_resize_reaches_the_child_and_the_viewers() {
    let mut rig = Rig::new();
    let handle = rig.script("echo up; read line; stty size; read line");
    shows(&handle, "up").await;
    let mut viewer = handle.viewer();
    handle.resize(Size::new(33, 101));
    handle.resize(Size::new(30, 100));
    assert_eq!(handle.size(), Size::new(30, 100));
    picture(&mut viewer, |frame| frame.size == Size::new(30, 100)).await;
    handle.text("\r").unwrap();
    shows(&handle, "30 100").await;
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_is_typed_after_a_resize_meets_the_new_size() {
    let mut rig = Rig::new();
    let handle = rig.script("stty -echo; echo up; while read line; do stty size; done");
    shows(&handle, "up").await;
    let child = handle.root().unwrap().pid;
    let terminal = std::fs::File::open(format!("/proc/{child}/fd/0")).unwrap();
    for step in 1..=20 {
        let size = Size::new(20 + step, 100 + step);
        handle.resize(size);
        let told = rustix::termios::tcgetwinsize(&terminal).unwrap();
        assert_eq!(Size::new(told.ws_row, told.ws_col), size);
        handle.text("\r").unwrap();
        shows(&handle, &format!("{} {}", size.rows, size.cols)).await;
    }
}

#[tokio::test]
async fn a_size_asked_for_before_the_start_is_the_first_one() {
    let mut rig = Rig::new();
    let handle = rig.script("stty size");
    handle.resize(Size::new(0, 55));
    rig.exited().await;
    assert!(handle.contains("1 55").await.unwrap().0);
}

#[tokio::test]
async fn viewers_share_the_live_picture_and_wait_for_the_next() {
    let mut rig = Rig::new();
    let handle = rig.script(LINES);
    shows(&handle, "up").await;
    let (mut one, mut two) = (handle.viewer(), handle.viewer());
    let first = within(one.next()).await.unwrap();
    assert!(Arc::ptr_eq(&first, &within(two.next()).await.unwrap()));
    // Nothing happens, so nothing comes; a cancelled wait loses nothing.
    for _ in 0..3 {
        assert!(tokio::time::timeout(Duration::from_millis(20), one.next()).await.is_err());
    }
    handle.text("1 more\r").unwrap();
    let second = picture(&mut one, |frame| has(frame, "more1")).await;
    assert!(second.revision > first.revision);
    picture(&mut two, |frame| has(frame, "more1")).await;
}

/// A terminal that has printed a hundred lines, a viewer of it, and the picture of the last of them.
async fn hundred(rig: &mut Rig) -> (PaneHandle, Viewer, Arc<Frame>) {
    let handle = rig.script(LINES);
    shows(&handle, "up").await;
    handle.text("100 a\r").unwrap();
    shows(&handle, "a100").await;
    let mut viewer = handle.viewer();
    let picture = picture(&mut viewer, |frame| has(frame, "a100")).await;
    (handle, viewer, picture)
}

#[tokio::test]
async fn a_scrolled_viewer_stays_on_its_text_and_follows_what_is_below() {
    let mut rig = Rig::new();
    let (handle, mut viewer, _) = hundred(&mut rig).await;
    viewer.scroll(ScrollTo::Up(10));
    let before = within(viewer.next()).await.unwrap();
    assert_eq!(before.position.below, 10);
    assert!(matches!(viewer.view(), View::From(_)));
    handle.text("5 b\r").unwrap();
    let after = picture(&mut viewer, |frame| frame.position.below == 15).await;
    assert_eq!(after.rows[0].text(), before.rows[0].text());
    viewer.scroll(ScrollTo::Top);
    let top = within(viewer.next()).await.unwrap();
    assert_eq!((top.position.above, top.rows[0].text()), (0, "up".to_owned()));
    viewer.scroll(ScrollTo::Up(-4));
    viewer.scroll(ScrollTo::Up(-4));
    assert_eq!(within(viewer.next()).await.unwrap().position.above, 8, "two steps between two pictures");
    viewer.scroll(ScrollTo::Up(-100_000));
    assert_eq!(viewer.view(), View::Live);
    assert!(has(&within(viewer.next()).await.unwrap(), "b5"));
}

#[tokio::test]
async fn a_scrolled_viewer_stays_on_its_text_when_the_width_changes() {
    let mut rig = Rig::new();
    let (handle, mut viewer, _) = hundred(&mut rig).await;
    viewer.scroll(ScrollTo::Up(40));
    let before = within(viewer.next()).await.unwrap();
    let rows = u16::try_from(before.rows.len()).unwrap();
    // The wish for the next picture is on its way, as a screen always has one.
    assert!(tokio::time::timeout(Duration::from_millis(20), viewer.next()).await.is_err());
    handle.resize(Size::new(rows, 2));
    let after = picture(&mut viewer, |frame| frame.size.cols == 2).await;
    let text = format!("{}{}", after.rows[0].text(), after.rows[1].text());
    assert_eq!(text, before.rows[0].text());
}

#[tokio::test]
async fn a_viewer_that_scrolls_while_the_width_changes_finds_the_text_that_it_meant() {
    let mut rig = Rig::new();
    let (handle, mut viewer, before) = hundred(&mut rig).await;
    let top: u32 = before.rows[0].text()[1..].parse().unwrap();
    let rows = u16::try_from(before.rows.len()).unwrap();
    // The worker takes the size first, and then a wish that knows nothing of it.
    handle.resize(Size::new(rows, 2));
    viewer.scroll(ScrollTo::Up(10));
    let after = within(viewer.next()).await.unwrap();
    assert_eq!(after.size.cols, 2);
    assert_eq!(format!("{}{}", after.rows[0].text(), after.rows[1].text()), format!("a{}", top - 10));
    // A second change before the next wish is one more than is remembered, and still leads somewhere.
    for cols in [4, 6] {
        handle.resize(Size::new(rows, cols));
        within(handle.settle()).await.unwrap();
    }
    viewer.scroll(ScrollTo::Up(0));
    assert_eq!(within(viewer.next()).await.unwrap().size.cols, 6);
}

#[tokio::test]
async fn a_flood_gives_ever_newer_pictures_and_leaves_others_prompt() {
    let mut rig = Rig::new();
    let flood = rig.start(start(&["yes"]));
    let quiet = rig.start(start(&["cat"]));
    let (mut viewer, mut echo) = (flood.viewer(), quiet.viewer());
    let mut revision = 0;
    for _ in 0..50 {
        let frame = within(viewer.next()).await.unwrap();
        assert!(frame.revision > revision || revision == 0);
        revision = frame.revision;
    }
    let mut slowest = Duration::ZERO;
    for key in 'a'..='t' {
        let began = Instant::now();
        quiet.text(&key.to_string()).unwrap();
        picture(&mut echo, |frame| frame.rows[0].text().ends_with(key)).await;
        slowest = slowest.max(began.elapsed());
    }
    // Far above what it takes, far below what a starved pane would need.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    flood.end();
    assert_eq!(rig.exited().await, signal("SIGHUP"));
}

#[tokio::test]
async fn announcements_are_paced_and_the_last_one_comes() {
    let mut rig = Rig::new();
    let handle = rig.script(LINES);
    shows(&handle, "up").await;
    let mut ready = handle.ready();
    ready.borrow_and_update();
    let (began, mut announced) = (Instant::now(), 0_u128);
    handle.text("2000 x\r").unwrap();
    within(async {
        while !handle.contains("x2000").await.unwrap().0 || ready.borrow().revision != handle.revision() {
            ready.changed().await.unwrap();
            announced += 1;
        }
    })
    .await;
    assert!(announced <= 2 + began.elapsed().as_millis() / 16, "{announced} in {:?}", began.elapsed());
}

#[tokio::test]
async fn a_silent_child_announces_nothing() {
    let mut rig = Rig::new();
    let handle = rig.start(start(&["sleep", "1000"]));
    rig.fact(|fact| matches!(fact, Fact::Program { .. }).then_some(())).await;
    let mut ready = handle.ready();
    assert!(tokio::time::timeout(Duration::from_millis(100), ready.changed()).await.is_err());
    handle.resize(Size::new(10, 20));
    within(ready.changed()).await.unwrap();
    assert_eq!(ready.borrow().revision, handle.revision());
}

#[tokio::test]
async fn bells_are_reported() {
    let mut rig = Rig::new();
    rig.script("printf '\\007'; read line");
    rig.fact(|fact| (fact == Fact::Bell).then_some(())).await;
}

#[tokio::test]
async fn an_update_that_is_never_ended_is_shown_all_the_same() {
    let mut rig = Rig::new();
    let handle = rig.script("echo up; read line; printf '\\033[?2026hheld back'; read line");
    shows(&handle, "up").await;
    let mut viewer = handle.viewer();
    within(viewer.next()).await.unwrap();
    let began = Instant::now();
    handle.text("\r").unwrap();
    picture(&mut viewer, |frame| has(frame, "held back")).await;
    assert!(began.elapsed() >= Duration::from_millis(150), "not before its deadline");
}

#[tokio::test]
async fn who_waits_for_text_learns_when_an_update_runs_out_of_time() {
    let mut rig = Rig::new();
    let handle = rig.script("printf 'up\\033[?2026h, held back'; read line");
    let mut written = handle.written();
    while !within(handle.contains("up, held back")).await.unwrap().0 {
        within(written.changed()).await.unwrap();
    }
}

#[tokio::test]
async fn the_last_output_is_shown_though_its_update_was_never_ended() {
    let mut rig = Rig::new();
    let handle = rig.script("printf '\\033[?2026hlast words'");
    rig.fact(|fact| matches!(fact, Fact::Exited(_)).then_some(())).await;
    assert!(within(handle.contains("last words")).await.unwrap().0);
}

#[tokio::test]
async fn titles_and_folders_are_reported_when_they_change() {
    let mut rig = Rig::new();
    let handle = rig.script(
        "t() { printf '\\033]2;%s\\007\\033]7;file:///tmp\\007' \"$1\"; read line; }; t one; t one; t two; t ''",
    );
    let title = |text: &str| Fact::Title(Some(text.to_owned()));
    let mut facts = Vec::new();
    for (last, answer) in [(title("one"), "\r\r"), (title("two"), "\r"), (Fact::Title(None), "")] {
        while facts.last() != Some(&last) {
            let fact = rig.fact(Some).await;
            if matches!(fact, Fact::Title(_)) || fact == Fact::Cwd("/tmp".into()) {
                facts.push(fact);
            }
        }
        handle.text(answer).unwrap();
    }
    // The folder may have been told a chunk after the title.
    let told = facts.iter().filter(|fact| matches!(fact, Fact::Cwd(_))).count();
    facts.retain(|fact| matches!(fact, Fact::Title(_)));
    assert_eq!(facts, [title("one"), title("two"), Fact::Title(None)]);
    assert_eq!(told, 1);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_change_of_the_folder_is_seen_without_being_told() {
    let mut rig = Rig::new();
    let handle = rig.script("echo up; read line; cd /usr; echo moved; read line");
    shows(&handle, "up").await;
    handle.text("\r").unwrap();
    let directory = rig.fact(|fact| if let Fact::Cwd(path) = fact { Some(path) } else { None }).await;
    assert_eq!(directory, "/usr");
}
