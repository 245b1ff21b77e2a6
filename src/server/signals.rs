//! Signals that ask a server to end in good order.

use super::hub::HubHandle;

/// Waits for a signal that asks for the end and passes the wish to the hub. A hang-up is ignored:
/// losing a terminal never ends work (`product.md` section 1).
#[cfg(unix)]
pub async fn stop_on_signal(hub: HubHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt), Ok(mut hang_up)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()), signal(SignalKind::hangup()))
    else {
        tracing::error!("signals cannot be watched: this server ends only by `luvus server stop`");
        return;
    };
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            _ = hang_up.recv() => {}
        }
    }
    hub.stop_on_signal().await;
}

/// Waits for Ctrl+C and passes the wish to the hub.
#[cfg(windows)]
pub async fn stop_on_signal(hub: HubHandle) {
    if tokio::signal::ctrl_c().await.is_ok() {
        hub.stop_on_signal().await;
    }
}
