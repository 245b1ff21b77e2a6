//! Opening a stream, and running it to its end.

use super::super::methods::terminal::locate;
use super::super::{Context, too_large};
use super::Place;
use super::action::Actor;
use super::frames::{End, Source};
use super::outbox::Outbox;
use crate::protocol::limits;
use crate::protocol::params::Params;
use crate::protocol::strict;
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::protocol::uhp::stream::Open;
use crate::protocol::uhp::{envelope, stream};
use crate::server::exchange::{Conversation, Incoming, Line, Talk, Wire};
use crate::server::terminal::handle::PaneHandle;
use serde_json::{Value, json};
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::time::timeout;

/// How long the last words of a stream may take to be read: a slow reader is to learn that it missed
/// something, and nothing can be said in the middle of a frame.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// `observe`
pub async fn observe(params: Params, context: Context) -> Result<(Value, Talk), Failure> {
    let open = Open::read(params)?;
    let handle = locate(&context, &open.locator)?.handle;
    let place = context.session.streams.enter(None)?;
    Ok(begin(&context, open, handle, place, None))
}

/// `control`
pub async fn control(params: Params, context: Context) -> Result<(Value, Talk), Failure> {
    let open = Open::read(params)?;
    let handle = locate(&context, &open.locator)?.handle;
    let place = context.session.streams.enter(Some(open.locator.terminal))?;
    let actor = Actor::new(context.clone(), handle.clone());
    Ok(begin(&context, open, handle, place, Some(actor)))
}

fn begin(
    context: &Context,
    open: Open,
    handle: PaneHandle,
    place: Place,
    actor: Option<Actor>,
) -> (Value, Talk) {
    let sequence = context.snapshot().sequence;
    let acknowledgment = json!({
        "type": "terminal_backend_stream",
        "mode": if actor.is_some() { "control" } else { "observe" },
        "server_generation": open.locator.generation.to_string(),
        "terminal_id": open.locator.terminal.to_string(),
        "pane_id": handle.pane().to_string(),
        "sequence": sequence,
        "content_revision": handle.revision(),
        "ansi": open.ansi,
        "capture_mode": open.mode.as_str(),
        "lines": open.lines,
        "frame_bytes": limits::STREAM_BYTES,
        "queue_capacity": limits::STREAM_QUEUE,
        "loss_behavior": "resync_required_then_close",
    });
    let source = Source::new(context, handle, open, sequence);
    (acknowledgment, Box::new(Stream { source, actor, place: Some(place) }))
}

/// An open stream.
struct Stream {
    source: Source,
    /// Does what the client wants, on a control stream.
    actor: Option<Actor>,
    place: Option<Place>,
}

impl Conversation for Stream {
    fn run<'a>(
        self: Box<Self>,
        wire: &'a mut Wire,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>> {
        Box::pin(self.talk(wire))
    }
}

impl Stream {
    async fn talk(mut self: Box<Self>, wire: &mut Wire) -> io::Result<()> {
        let Wire { input, output } = wire;
        let outbox = Outbox::default();
        let mut writing = pin!(outbox.write(output));
        let end = tokio::select! {
            biased;
            // Before the end that is told below, the writer only ends with the reader.
            written = &mut writing => return written,
            heard = listen(input, self.actor.as_mut(), &outbox) => {
                heard?;
                End::Closed
            }
            end = self.source.run(&outbox) => end,
        };
        if end == End::Overflow {
            outbox.give_up(self.source.resync());
        }
        // Whoever comes next need not wait for a reader that is on its way out.
        self.place = None;
        see_off(&outbox, writing).await
    }
}

/// Writes what still waits, as long as the reader takes it in time.
async fn see_off(outbox: &Outbox, writing: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    outbox.end();
    timeout(LAST_WORDS, writing).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Carries out actions one by one, until something comes after which nothing can be understood.
async fn listen(input: &mut Incoming, actor: Option<&mut Actor>, outbox: &Outbox) -> io::Result<()> {
    let Some(actor) = actor else { return Err(input.ignore().await) };
    loop {
        let Line::Frame(frame) = input.next().await? else {
            outbox.reply(too_large()).await;
            return Ok(());
        };
        let reply = match strict::parse(&frame).map(stream::decode) {
            Ok(Ok((id, action))) => match actor.act(action).await {
                Ok(result) => envelope::success(&id, &result),
                Err(failure) => envelope::failure(&id, &failure, true),
            },
            Ok(Err(refused)) => envelope::failure(&refused.id, &refused.failure, true),
            Err(malformed) => {
                let failure = Failure::new(ErrorCode::InvalidRequest, malformed.to_string());
                envelope::failure(envelope::NO_ID, &failure, true)
            }
        };
        outbox.reply(reply).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, duplex};
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_pauses_still_hears_that_it_missed_something() {
        let outbox = Outbox::default();
        let (mut reader, mut output) = duplex(2);
        outbox.frame(b"frame\n".to_vec()).unwrap();
        let read = async {
            sleep(Duration::from_secs(4)).await;
            let mut bytes = [0; 11];
            reader.read_exact(&mut bytes).await.map(|_| bytes)
        };
        outbox.give_up(b"last word\n\n".to_vec());
        let (written, read) = tokio::join!(see_off(&outbox, outbox.write(&mut output)), read);
        written.unwrap();
        assert_eq!(&read.unwrap(), b"last word\n\n");
    }
}
