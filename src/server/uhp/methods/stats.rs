//! `uhp.stats` (`uhp.md` section 15).

use super::super::Context;
use super::nothing;
use crate::protocol::limits;
use crate::protocol::params::Params;
use crate::protocol::uhp::error::Failure;
use serde_json::{Value, json};

/// `uhp.stats`
pub async fn stats(params: Params, context: Context) -> Result<Value, Failure> {
    nothing(params)?;
    let counted = context.session.counters.now();
    Ok(json!({
        "type": "uhp_stats",
        "uptime_ms": u64::try_from(context.session.uptime().as_millis()).unwrap_or(u64::MAX),
        "connections": {
            "active": context.session.connections(),
            "capacity": limits::API_CONNECTIONS,
            "accepted": counted.accepted,
            "rejected": counted.rejected,
            "initial_frame_timeouts": counted.timeouts,
        },
        "terminal_streams": {"active": context.session.streams.open(), "capacity": limits::STREAMS},
        "requests": {"completed": counted.requests, "mean_latency_us": counted.mean_us},
        "bytes": {"received": counted.bytes_in, "sent": counted.bytes_out},
        "events": {
            "sequence": context.hub.bus().sequence(),
            "subscribers": context.hub.bus().subscribers(),
            "subscriber_capacity": limits::EVENT_SUBSCRIBERS,
            "queue": limits::EVENT_QUEUE,
            "replay": limits::EVENT_REPLAY,
            "replay_bytes": limits::EVENT_REPLAY_BYTES,
        },
    }))
}
