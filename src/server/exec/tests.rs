//! Jobs from their start to their end, with real children.

use super::*;
use std::path::Path;
use std::time::Instant;

fn executor() -> Executor {
    Executor::new(Handle::current())
}

fn job(script: &str) -> Job {
    Job {
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        cwd: std::env::temp_dir(),
        env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("MARK".into(), "m".into())],
        output_bytes: 1 << 20,
        deadline: Some(Duration::from_secs(20)),
        ..Job::default()
    }
}

fn is_alive(pid: &str) -> bool {
    // A zombie that init has not collected yet is dead enough.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

async fn gone(pid: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while is_alive(pid) && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    !is_alive(pid)
}

/// Waits for a file with a line in it.
async fn line(path: &Path) -> String {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') || Instant::now() > until {
            return text.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_status_folder_and_environment_are_what_they_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let mut wanted = job("echo out $MARK; echo err >&2; pwd; cat; ps -o pgid= -p $$ | grep -q $$ && exit 7");
    wanted.cwd = folder.path().canonicalize().unwrap();
    let cwd = wanted.cwd.to_string_lossy().into_owned();
    let done = executor().run(wanted).await.unwrap();
    assert_eq!(done.stdout.text(), format!("out m\n{cwd}\n"));
    assert_eq!((done.stderr.text().as_ref(), done.end), ("err\n", End::Exited(7)));
    let fed = Job { stdin: Some(vec![b'x'; 300_000]), ..job("wc -c") };
    assert_eq!(executor().run(fed).await.unwrap().stdout.text().trim(), "300000");
    let killed = executor().run(job("kill -9 $$")).await.unwrap();
    assert_eq!(killed.end, End::Signalled(9));
}

#[tokio::test(flavor = "multi_thread")]
async fn both_streams_are_drained_beyond_what_is_kept() {
    let flood = "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; exit 3";
    let done = executor().run(Job { output_bytes: 1_000, ..job(flood) }).await.unwrap();
    assert_eq!(done.end, End::Exited(3));
    for output in [&done.stdout, &done.stderr] {
        assert_eq!((output.kept.len(), output.total, output.is_truncated()), (1_000, 3_000_000, true));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_started_says_why() {
    let missing = Job { argv: vec!["no-such-program".into()], ..job("") };
    let error = executor().run(missing).await.unwrap_err();
    assert_eq!((error.os_error(), matches!(error, ExecError::Start(_))), (Some(2), true));
    let nowhere = Job { cwd: "/does/not/exist".into(), ..job("true") };
    assert_eq!(executor().run(nowhere).await.unwrap_err().os_error(), Some(2));
    let folder = Job { argv: vec!["/".into()], ..job("") };
    assert_eq!(executor().run(folder).await.unwrap_err().os_error(), Some(13));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_ends_the_whole_tree_and_keeps_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    // The last one has a session of its own, and its parent is gone.
    let script = "trap '' TERM; echo before; setsid sleep 300 & echo $! > other; \
        (setsid sh -c 'echo $$ > orphan; exec sleep 303' &); sleep 301 & echo $! > same; wait";
    let wanted = Job { cwd: folder.path().into(), deadline: Some(Duration::from_millis(700)), ..job(script) };
    let done = executor().run(wanted).await.unwrap();
    assert_eq!((done.end, done.stdout.text().as_ref()), (End::TimedOut, "before\n"));
    assert!(done.elapsed < Duration::from_secs(5), "{:?}", done.elapsed);
    for name in ["other", "same", "orphan"] {
        let pid = line(&folder.path().join(name)).await;
        assert!(!pid.is_empty() && gone(&pid).await, "{name} lives");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn who_drops_the_future_ends_the_tree_and_frees_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let executor = executor();
    let wanted = Job { cwd: folder.path().into(), ..job("sleep 302 & echo $! > pid; wait") };
    let running = tokio::spawn({
        let executor = executor.clone();
        async move { executor.run(wanted).await }
    });
    let pid = line(&folder.path().join("pid")).await;
    assert!(is_alive(&pid));
    running.abort();
    executor.finish().await;
    assert!(gone(&pid).await);
    assert!(matches!(executor.run(job("true")).await, Err(ExecError::Busy)), "no more after the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_descendant_that_holds_the_streams_does_not_delay_the_answer() {
    let began = Instant::now();
    let done = executor().run(job("sleep 20 & echo done; exit 4")).await.unwrap();
    assert_eq!((done.end, done.stdout.text().as_ref()), (End::Exited(4), "done\n"));
    assert!(began.elapsed() < Duration::from_secs(10));
    let zero = Job { deadline: Some(Duration::ZERO), ..job("sleep 20") };
    assert_eq!(executor().run(zero).await.unwrap().end, End::TimedOut);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_child_is_remembered_by_its_number() {
    let executor = executor();
    let done = executor.run(job("echo $$; exit 9")).await.unwrap();
    let pid = done.stdout.text().trim().parse().unwrap();
    let ended = executor.children().find(pid).and_then(|ended| *ended.borrow());
    assert_eq!(ended, Some(Ended { code: Some(9) }));
}
