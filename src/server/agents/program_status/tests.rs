//! Reports taken in, one rule of `uhp.md` section 12 at a time.

use super::*;

fn report(body: &str) -> Report {
    parse(body.as_bytes()).expect("a report")
}

fn records(bodies: &[&str]) -> Records {
    let mut records = Records::default();
    for body in bodies {
        records.fold(report(body), None);
    }
    records
}

fn state(records: &Records) -> Option<AgentState> {
    records.summary().map(|summary| summary.state)
}

fn ids(records: &Records) -> Vec<String> {
    records.rows().into_iter().map(|(record, _)| record.id.unwrap_or_default()).collect()
}

#[test]
fn a_report_replaces_its_record_completely() {
    let records = records(&["state=working:app=a:progress=5:msg=YQ", "state=working"]);
    let (record, app) = records.rows().remove(0);
    assert_eq!((record.app, record.progress, record.message, app), (None, None, None, None));
    assert_eq!(records.rows().len(), 1);
}

#[test]
fn clear_takes_what_is_below_with_it_and_nothing_beside() {
    let mut kept = records(&["state=idle", "state=idle:id=a", "state=idle:id=a/b", "state=idle:id=ab"]);
    kept.fold(report("state=clear:id=a"), None);
    assert_eq!(ids(&kept), ["ab", ""]);
    kept.fold(report("state=clear"), None);
    assert!(kept.is_empty() && kept.summary().is_none());
}

#[test]
fn a_child_needs_no_parent_and_inherits_the_nearest_name() {
    let kept = records(&[
        "state=idle:app=top",
        "state=idle:id=a:app=mid",
        "state=idle:id=a/b/c",
        "state=idle:id=x/y",
        "state=idle:id=a/own:app=own",
    ]);
    let apps: Vec<_> = kept.rows().into_iter().map(|(record, app)| (record.app, app)).collect();
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(apps[0], (some("own"), some("own")));
    assert_eq!(apps[1], (None, some("top")));
    assert_eq!(apps[2], (None, some("mid")), "the raw name stays absent");
    assert_eq!(records(&["state=idle:id=a/b"]).rows()[0].1, None);
}

#[test]
fn past_its_bound_the_least_recently_updated_record_goes() {
    let mut kept = Records::default();
    for number in 0..RECORDS {
        kept.fold(report(&format!("state=idle:id=r{number}")), None);
    }
    kept.fold(report("state=working:id=r0"), None);
    kept.fold(report("state=idle:id=new"), None);
    let ids = ids(&kept);
    assert_eq!(ids.len(), RECORDS);
    assert_eq!((ids[0].as_str(), ids[1].as_str()), ("new", "r0"));
    assert!(!ids.contains(&"r1".to_owned()) && ids.contains(&"r2".to_owned()));
    for number in 0..10_000 {
        kept.fold(report(&format!("state=idle:id=flood{number}")), None);
    }
    assert_eq!(kept.rows().len(), RECORDS);
}

#[test]
fn the_summary_is_blocked_then_working_then_unseen_result_then_idle() {
    let mut kept = records(&[
        "state=idle:id=i",
        "state=done:id=d",
        "state=working:id=w:progress=7",
        "state=blocked:id=b:kind=auth",
    ]);
    assert_eq!(state(&kept), Some(AgentState::Blocked));
    assert_eq!(kept.summary().and_then(|summary| summary.kind), Some(BlockedKind::Auth));
    kept.fold(report("state=clear:id=b"), None);
    assert_eq!(
        kept.summary().map(|summary| (summary.state, summary.progress)),
        Some((AgentState::Working, Some(7)))
    );
    kept.fold(report("state=clear:id=w"), None);
    assert_eq!(state(&kept), Some(AgentState::Done));
    assert!(kept.acknowledge());
    assert_eq!(state(&kept), Some(AgentState::Idle));
    assert_eq!(
        kept.rows().iter().filter(|(record, _)| record.state == ReportState::Done).count(),
        1,
        "the record stays"
    );
    assert!(!kept.acknowledge());
}

#[test]
fn a_failure_is_shown_as_done_and_kept_as_error() {
    let kept = records(&["state=error"]);
    assert_eq!(kept.summary().map(|summary| (summary.state, summary.failed)), Some((AgentState::Done, true)));
    assert_eq!(kept.rows()[0].0.state, ReportState::Error);
}

#[test]
fn a_result_behind_work_is_not_seen_before_it_is_shown() {
    let mut kept = records(&["state=working", "state=done:id=a"]);
    assert!(!kept.acknowledge());
    kept.fold(report("state=idle"), None);
    assert_eq!(state(&kept), Some(AgentState::Done));
}

#[test]
fn a_prompt_removes_what_is_unfinished_and_keeps_results() {
    let mut kept = records(&[
        "state=idle:id=i",
        "state=working:id=w",
        "state=blocked:id=b",
        "state=done:id=d",
        "state=error:id=e",
    ]);
    kept.prompt_started();
    assert_eq!(ids(&kept), ["e", "d"]);
    assert!(kept.summary().is_some_and(|summary| summary.left_over));
}

#[test]
fn a_command_removes_results_of_before_its_prompt_only() {
    let mut kept = records(&["state=done:id=old"]);
    kept.command_started();
    assert_eq!(ids(&kept), ["old"], "there was no prompt");
    kept.prompt_started();
    kept.fold(report("state=done:id=fresh"), None);
    kept.fold(report("state=working:id=w"), None);
    kept.command_started();
    assert_eq!(ids(&kept), ["w", "fresh"]);
}

#[test]
fn a_reset_removes_everything() {
    let mut kept = records(&["state=done:id=d", "state=working"]);
    kept.reset();
    assert!(kept.is_empty());
}

#[test]
fn the_end_of_a_producer_removes_what_is_unfinished_of_it() {
    let mut kept = records(&["state=working:id=early"]);
    kept.adopt(1);
    kept.fold(report("state=working:id=a"), Some(1));
    kept.fold(report("state=done:id=d"), Some(1));
    kept.fold(report("state=working:id=other"), Some(2));
    kept.producer_ended(1);
    assert_eq!(ids(&kept), ["other", "d"]);
    kept.all_ended();
    assert_eq!(ids(&kept), ["d"]);
}

#[test]
fn two_scans_that_find_only_the_shell_remove_what_was_reported_before_the_first() {
    let mut kept = records(&["state=working:id=w", "state=done:id=d"]);
    assert!(kept.scanned(true), "one more scan is worth it");
    kept.fold(report("state=blocked:id=later"), None);
    assert!(kept.scanned(true), "what came meanwhile is looked at again");
    assert_eq!(ids(&kept), ["later", "d"]);
    assert!(!kept.scanned(true), "nothing unfinished is left");
    assert_eq!(ids(&kept), ["d"]);
}

#[test]
fn a_result_of_before_the_shell_was_alone_is_none_of_who_comes_later() {
    let mut records = records(&["state=done:id=old"]);
    records.scanned(true);
    records.fold(report("state=done:id=new"), None);
    records.scanned(false);
    records.adopt(1);
    let summary = records.summary().expect("records");
    assert!(!summary.left_over, "one was reported since");
    records.fold(report("state=clear:id=new"), None);
    assert!(records.summary().is_some_and(|summary| summary.left_over));
    assert_eq!(ids(&records), ["old"]);
    records.fold(report("state=working:id=old"), Some(1));
    assert!(records.summary().is_some_and(|summary| !summary.left_over), "a fresh report counts");
}

#[test]
fn a_scan_that_finds_a_job_starts_anew() {
    let mut kept = records(&["state=working"]);
    kept.scanned(true);
    assert!(!kept.scanned(false));
    assert!(kept.scanned(true));
    assert_eq!(ids(&kept), [""]);
}

#[test]
fn scans_say_nothing_in_a_shell_that_marks_its_prompts() {
    let mut kept = Records::default();
    kept.prompt_started();
    kept.fold(report("state=working"), None);
    assert!(!kept.scanned(true) && !kept.scanned(true));
    assert_eq!(ids(&kept), [""]);
}

#[test]
fn the_same_result_again_is_no_news_but_another_state_or_run_is() {
    let mut kept = records(&["state=done"]);
    kept.acknowledge();
    kept.fold(report("state=done"), None);
    assert_eq!(state(&kept), Some(AgentState::Idle), "the same run");
    kept.fold(report("state=error"), None);
    assert_eq!(state(&kept), Some(AgentState::Done), "another state");
    kept.acknowledge();
    kept.prompt_started();
    kept.fold(report("state=error"), None);
    assert_eq!(state(&kept), Some(AgentState::Done), "another run");
}

#[test]
fn results_of_before_a_stretch_of_work_are_not_fresh_at_its_end() {
    let mut kept = records(&["state=done:id=old", "state=working"]);
    kept.fold(report("state=idle"), None);
    assert_eq!(
        kept.summary().map(|summary| (summary.state, summary.fresh_result)),
        Some((AgentState::Done, false))
    );
    kept.fold(report("state=working"), None);
    kept.fold(report("state=done"), None);
    assert!(kept.summary().is_some_and(|summary| summary.fresh_result));
    assert!(
        records(&["state=done"]).summary().is_some_and(|summary| summary.fresh_result),
        "a result of its own"
    );
}

#[test]
fn a_fresh_report_beside_what_was_left_behind_counts() {
    let mut kept = records(&["state=done:id=old"]);
    kept.all_ended();
    assert!(kept.summary().is_some_and(|summary| summary.left_over));
    kept.fold(report("state=idle:id=new"), None);
    assert!(kept.summary().is_some_and(|summary| !summary.left_over));
}
