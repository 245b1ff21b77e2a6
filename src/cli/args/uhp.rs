//! Verbs of `luvus uhp`.

use clap::Subcommand;

/// `luvus uhp`
#[derive(Debug, Clone, Copy, Subcommand)]
#[command(defer = true)]
pub enum UhpVerb {
    /// Print the published schemas as one JSON document; needs no server
    Schema,
    /// Print what this server can do
    Capabilities,
    /// Print the structure of the session, with the event number it is true for
    Snapshot,
    /// Print events as they happen, a line each; the first line is the acknowledgment
    Events,
    /// Pass one request line from standard input to the server, and its reply to standard output
    Proxy,
}
