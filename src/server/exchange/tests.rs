//! The exchange over pipes in memory: framing, refusals, ends.

use super::*;
use serde_json::Value;
use tokio::io::{DuplexStream, duplex};
use tokio::sync::oneshot;

/// Enough for one frame and then some.
const ROOM: usize = 4 * 1_048_576;

/// The endpoint spawns it, whatever the streams and the runtime are.
const _: fn(DuplexStream, Arc<Service>) = |stream, service| {
    fn spawnable(_: impl Future<Output = ()> + Send) {}
    spawnable(async move { serve(begun(stream), |_| never(), service.place(), &service).await });
};

fn begun<S>(stream: S) -> Begun<S> {
    Begun {
        stream,
        early: Vec::new(),
        deadline: Instant::now() + Duration::from_millis(limits::FIRST_FRAME_MS),
    }
}

fn never() -> impl Future<Output = ()> {
    std::future::pending()
}

/// Answers with the frame that came.
fn echo(frame: &[u8]) -> Work {
    let mut line = frame.to_vec();
    line.push(b'\n');
    Work::refusal(line)
}

fn unreachable(_: &[u8]) -> Work {
    panic!("nothing may be dispatched")
}

async fn all(peer: &mut DuplexStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    peer.read_to_end(&mut bytes).await.unwrap();
    bytes
}

fn error_of(line: &[u8]) -> (Value, Value) {
    let answer: Value = serde_json::from_slice(line).unwrap();
    (answer["id"].clone(), answer["error"]["code"].clone())
}

#[tokio::test(start_paused = true)]
async fn one_frame_is_answered_and_what_follows_it_is_never_parsed() {
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(b"first\nsecond\nthird\n").await.unwrap();
    let (ended, answer) = tokio::join!(exchange(begun(stream), |_| never(), echo), all(&mut peer));
    assert_eq!((ended.unwrap(), answer.as_slice()), (Ended::Served, b"first\n".as_slice()));
}

#[tokio::test(start_paused = true)]
async fn a_frame_may_come_in_pieces_and_its_peer_may_half_close() {
    let (mut peer, stream) = duplex(4);
    let client = async {
        for piece in ["fi", "", "rst", "\n"] {
            peer.write_all(piece.as_bytes()).await.unwrap();
            tokio::task::yield_now().await;
        }
        peer.shutdown().await.unwrap();
        all(&mut peer).await
    };
    let (ended, answer) = tokio::join!(exchange(begun(stream), |_| never(), echo), client);
    assert_eq!((ended.unwrap(), answer.as_slice()), (Ended::Served, b"first\n".as_slice()));
}

#[tokio::test(start_paused = true)]
async fn a_frame_without_its_end_gets_no_byte() {
    for sent in ["", r#"{"id":"q","method":"ping","params":{}}"#] {
        let (mut peer, stream) = duplex(ROOM);
        peer.write_all(sent.as_bytes()).await.unwrap();
        peer.shutdown().await.unwrap();
        let (ended, answer) = tokio::join!(exchange(begun(stream), |_| never(), unreachable), all(&mut peer));
        assert_eq!((ended.unwrap(), answer.len()), (Ended::Silent, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_says_nothing_is_left_after_five_seconds() {
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(b"half a frame").await.unwrap();
    let start = Instant::now();
    let (ended, answer) = tokio::join!(exchange(begun(stream), |_| never(), unreachable), all(&mut peer));
    assert_eq!((ended.unwrap(), answer.len(), start.elapsed()), (Ended::Late, 0, Duration::from_secs(5)));
}

#[tokio::test(start_paused = true)]
async fn the_largest_frame_passes_and_one_byte_more_does_not() {
    let mut frame = vec![b'x'; limits::UHP_FRAME_BYTES];
    frame[limits::UHP_FRAME_BYTES - 1] = b'\n';
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(&frame).await.unwrap();
    let (_, answer) = tokio::join!(exchange(begun(stream), |_| never(), echo), all(&mut peer));
    assert_eq!(answer, frame);

    frame.insert(0, b'x');
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(&frame).await.unwrap();
    let (_, answer) = tokio::join!(exchange(begun(stream), |_| never(), unreachable), all(&mut peer));
    assert_eq!(error_of(&answer), ("0".into(), "frame_too_large".into()));
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_refused_before_it_ends_and_then_drained_within_bounds() {
    let (peer, stream) = duplex(65_536);
    let (mut from_server, mut to_server) = tokio::io::split(peer);
    let flood = async {
        let chunk = vec![b'x'; 65_536];
        let mut sent = 0;
        while to_server.write_all(&chunk).await.is_ok() {
            sent += chunk.len();
        }
        sent
    };
    let answer = async {
        let mut bytes = Vec::new();
        from_server.read_to_end(&mut bytes).await.unwrap();
        bytes
    };
    let (ended, sent, answer) =
        tokio::join!(exchange(begun(stream), |_| never(), unreachable), flood, answer);
    assert_eq!(ended.unwrap(), Ended::Served);
    assert!(sent <= limits::UHP_FRAME_BYTES + DRAIN_BYTES + 4 * 65_536, "{sent}");
    assert_eq!(error_of(&answer), ("0".into(), "frame_too_large".into()));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_never_reads_is_left_after_a_while() {
    let (mut peer, stream) = duplex(64);
    let big = |_: &[u8]| Work::refusal(vec![b'x'; 1_000]);
    peer.write_all(b"x\n").await.unwrap();
    let error = exchange(begun(stream), |_| never(), big).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

/// Work that never ends, and a sign that it has been dropped.
fn endless(droppable: bool) -> (Work, oneshot::Receiver<()>) {
    let (held, dropped) = oneshot::channel::<()>();
    let answer = Box::pin(async move {
        let _held = held;
        std::future::pending().await
    });
    (Work { droppable, answer }, dropped)
}

#[tokio::test(start_paused = true)]
async fn a_wait_survives_half_a_close_and_is_freed_when_its_peer_has_gone() {
    let (mut peer, stream) = duplex(ROOM);
    let (work, dropped) = endless(true);
    let (leave, gone) = oneshot::channel::<()>();
    peer.write_all(b"x\n").await.unwrap();
    peer.shutdown().await.unwrap();
    let gone = std::sync::Mutex::new(Some(gone));
    let gone = |_: &DuplexStream| {
        let gone = gone.lock().unwrap().take();
        async { drop(gone.unwrap().await) }
    };
    let served = exchange(begun(stream), gone, |_| work);
    tokio::pin!(served);
    tokio::select! {
        _ = &mut served => panic!("end of input is no cancellation"),
        () = tokio::time::sleep(Duration::from_secs(60)) => {}
    }
    drop(leave);
    assert_eq!(served.await.unwrap(), Ended::Silent);
    assert!(dropped.await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_mutation_runs_to_its_end_although_its_peer_has_gone() {
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(b"x\n").await.unwrap();
    drop(peer);
    let (done, was_done) = oneshot::channel();
    let work = |_: &[u8]| Work {
        droppable: false,
        answer: Box::pin(async move {
            tokio::task::yield_now().await;
            done.send(()).unwrap();
            Answer::only(b"{}\n".to_vec())
        }),
    };
    assert!(exchange(begun(stream), |_| std::future::ready(()), work).await.is_err());
    was_done.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_answered_before_the_server_ends() {
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(b"x\n").await.unwrap();
    let work = |_: &[u8]| Work {
        droppable: false,
        answer: Box::pin(std::future::ready(Answer { frame: b"{}\n".to_vec(), then: Then::Stop })),
    };
    let ended = exchange(begun(stream), |_| never(), work).await.unwrap();
    assert_eq!((ended, all(&mut peer).await.as_slice()), (Ended::Stop, b"{}\n".as_slice()));
}

/// Says one thing, repeats what it hears, and ends at an empty frame.
struct Parrot;

impl Conversation for Parrot {
    fn run<'a>(
        self: Box<Self>,
        wire: &'a mut Wire,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>> {
        Box::pin(async move {
            loop {
                match wire.input.next().await? {
                    Line::Frame(frame) if !frame.is_empty() => {
                        wire.output.write_all(&[frame.as_slice(), b"!\n"].concat()).await?;
                    }
                    _ => return Ok(()),
                }
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_conversation_follows_its_answer_and_hears_what_came_with_the_request() {
    let (mut peer, stream) = duplex(ROOM);
    peer.write_all(b"open\nearly\nla").await.unwrap();
    peer.write_all(b"te\n\nignored\n").await.unwrap();
    let open = |_: &[u8]| Work {
        droppable: true,
        answer: Box::pin(std::future::ready(Answer {
            frame: b"opened\n".to_vec(),
            then: Then::Talk(Box::new(Parrot)),
        })),
    };
    let (ended, answer) = tokio::join!(exchange(begun(stream), |_| never(), open), all(&mut peer));
    assert_eq!(ended.unwrap(), Ended::Served);
    assert_eq!(answer, b"opened\nearly!\nlate!\n");
}
