//! The native attach protocol: [`hello`] first, in JSON, which every version can read; then
//! [`message`]s in postcard, each behind a 4-byte big-endian length ([`codec`]).

pub mod codec;
pub mod hello;
pub mod message;
