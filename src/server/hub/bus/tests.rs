//! The bus: numbers, replay, loss, places.

use super::super::event::PaneEvent;
use super::*;

const TERMINAL: TerminalId = TerminalId([7; 16]);

fn publish(bus: &Bus, body: Body) -> u64 {
    bus.turn().publish(body)
}

fn focused(pane: u32) -> Body {
    Body::Pane(PaneId(pane), PaneEvent::Focused)
}

fn renamed(name: String) -> Body {
    Body::Pane(PaneId(1), PaneEvent::Renamed(Some(name)))
}

fn terminal(change: Change) -> Body {
    Body::Terminal(TerminalEvent { terminal: TERMINAL, pane: PaneId(1), revision: 1, place: None, change })
}

fn closed() -> Body {
    terminal(Change::Closed { reason: super::super::event::Reason::Closed, status: None })
}

async fn numbers(subscription: &mut Subscription, count: usize) -> Vec<u64> {
    let mut numbers = Vec::new();
    for _ in 0..count {
        numbers.push(subscription.next().await.unwrap().sequence);
    }
    numbers
}

fn refused(result: Result<Subscription, SubscribeError>) -> SubscribeError {
    result.err().expect("a refusal")
}

#[tokio::test]
async fn numbers_have_no_holes_and_begin_after_the_subscription() {
    let bus = Bus::default();
    assert_eq!((publish(&bus, focused(1)), bus.sequence()), (1, 1));
    let mut subscription = bus.subscribe(Topic::All, None).unwrap();
    assert_eq!((subscription.sequence, subscription.replay.len()), (1, 0));
    for _ in 0..3 {
        publish(&bus, focused(2));
    }
    assert_eq!(numbers(&mut subscription, 3).await, [2, 3, 4]);
}

#[tokio::test]
async fn what_is_still_kept_comes_again_and_older_is_refused() {
    let bus = Bus::default();
    for _ in 0..300 {
        publish(&bus, focused(1));
    }
    let mut subscription = bus.subscribe(Topic::All, Some(297)).unwrap();
    assert_eq!((subscription.sequence, subscription.replay.len()), (300, 3));
    publish(&bus, focused(2));
    assert_eq!(numbers(&mut subscription, 4).await, [298, 299, 300, 301]);
    assert_eq!(bus.subscribe(Topic::All, Some(45)).unwrap().replay.len(), 256);
    assert_eq!(refused(bus.subscribe(Topic::All, Some(44))), SubscribeError::NotKept { sequence: 301 });
    // A number that has not been is one of another server life.
    assert_eq!(refused(bus.subscribe(Topic::All, Some(302))), SubscribeError::NotKept { sequence: 301 });
    assert_eq!(bus.subscribe(Topic::All, Some(301)).unwrap().replay.len(), 0);
}

#[test]
fn long_events_shorten_what_is_kept() {
    let bus = Bus::default();
    for _ in 0..20 {
        publish(&bus, renamed("x".repeat(30_000)));
    }
    let kept = (0..20).filter(|after| bus.subscribe(Topic::All, Some(*after)).is_ok()).count();
    assert_eq!(kept, EVENT_REPLAY_BYTES / renamed("x".repeat(30_000)).frame_bytes());
}

#[tokio::test]
async fn a_listener_that_does_not_keep_up_is_dropped_and_the_others_are_not() {
    let bus = Bus::default();
    let mut slow = bus.subscribe(Topic::All, None).unwrap();
    let mut quick = bus.subscribe(Topic::All, None).unwrap();
    for number in 1..=257 {
        publish(&bus, focused(1));
        assert_eq!(quick.next().await.unwrap().sequence, number);
    }
    assert_eq!(slow.end().await, Ended::Lost);
    assert_eq!(numbers(&mut slow, 256).await.last(), Some(&256));
    assert_eq!(slow.next().await.unwrap_err(), Ended::Lost);
    assert_eq!(bus.subscribers(), 1);
}

#[test]
fn the_sixty_fifth_subscription_is_refused_until_one_ends() {
    let bus = Bus::default();
    let mut held: Vec<_> = (0..64).map(|_| bus.subscribe(Topic::Terminals, None).unwrap()).collect();
    assert_eq!(refused(bus.subscribe(Topic::All, None)), SubscribeError::Full);
    held.pop();
    assert!(bus.subscribe(Topic::All, None).is_ok());
    drop(held);
    assert_eq!(bus.subscribers(), 0);
}

#[tokio::test]
async fn a_subscription_to_terminals_is_not_filled_by_anything_else() {
    let bus = Bus::default();
    let mut subscription = bus.subscribe(Topic::Terminals, None).unwrap();
    for _ in 0..300 {
        publish(&bus, focused(1));
    }
    let sequence = publish(&bus, terminal(Change::Moved));
    assert_eq!(subscription.next().await.unwrap().sequence, sequence);
    assert_eq!(bus.subscribe(Topic::Terminals, Some(100)).unwrap().replay.len(), 1);
}

#[tokio::test]
async fn output_is_told_between_creation_and_close_only() {
    let bus = Bus::default();
    let mut subscription = bus.subscribe(Topic::All, None).unwrap();
    assert_eq!(bus.output(TERMINAL, 5), None);
    bus.turn().introduce(TERMINAL, PaneId(1));
    assert_eq!(bus.output(TERMINAL, 5), Some(0));
    bus.turn().place(TERMINAL, Some(Place { workspace: 2, tab: 1 }));
    assert_eq!(publish(&bus, terminal(Change::Created)), 2);
    assert_eq!(bus.output(TERMINAL, 6), Some(3));
    publish(&bus, closed());
    assert_eq!(bus.output(TERMINAL, 7), None);
    let mut told = Vec::new();
    for _ in 0..4 {
        let event = subscription.next().await.unwrap();
        let Body::Terminal(event) = event.body.clone() else { panic!("{event:?}") };
        told.push((event.change.clone(), event.revision, event.place.map(|place| place.workspace)));
    }
    assert_eq!(told[0].0, Change::Created);
    assert_eq!(told[1..3], [(Change::OutputReady, 5, Some(2)), (Change::OutputReady, 6, Some(2))]);
    assert!(matches!(told[3].0, Change::Closed { .. }));
}

#[test]
fn output_changes_nothing_that_a_decision_rests_on() {
    let bus = Bus::default();
    bus.turn().introduce(TERMINAL, PaneId(1));
    publish(&bus, terminal(Change::Created));
    bus.output(TERMINAL, 2);
    let turn = bus.turn();
    assert_eq!(turn.unchanged_since(0), Err(Conflict { revision: 0, sequence: 2 }));
    assert_eq!((turn.unchanged_since(1), turn.unchanged_since(2)), (Ok(()), Ok(())));
    assert!(turn.unchanged_since(3).is_err(), "of another server life");
}

#[tokio::test]
async fn the_end_of_the_server_is_told_from_a_loss() {
    let bus = Bus::default();
    let mut subscription = bus.subscribe(Topic::All, None).unwrap();
    bus.stop();
    assert_eq!(subscription.next().await.unwrap_err(), Ended::Stopping);
    assert_eq!(refused(bus.subscribe(Topic::All, None)), SubscribeError::Stopping);
}

#[test]
fn a_frame_is_written_once() {
    let bus = Bus::default();
    publish(&bus, focused(1));
    let mut subscription = bus.subscribe(Topic::All, Some(0)).unwrap();
    let event = subscription.replay.pop_front().unwrap();
    let frame = event.frame(|event| event.sequence.to_string().into_bytes());
    assert_eq!(&*event.frame(|_| unreachable!()), b"1");
    assert_eq!(&*frame, b"1");
}
