//! A gigabyte of output: the memory of the process grows by the history's budget and the screen, and then
//! no more. Takes a while: `cargo test --release --test engine -- --ignored`.

use luvus::protocol::geometry::Size;
use luvus::server::engine::Engine;
use std::fmt::Write;
use std::time::Instant;

const GIGABYTE: usize = 1_000_000_000;
const BUDGET_BYTES: u64 = 10 * 1_024 * 1_024;
const SIZE: Size = Size { rows: 50, cols: 200 };
/// Both screens, eight bytes a cell, and the tables of styles and clusters.
const SCREEN_BYTES: u64 = 2 * 50 * 200 * 8 + 1_024 * 1_024;
/// What the allocator keeps for itself: pieces between blocks.
const SLACK_BYTES: u64 = BUDGET_BYTES / 10;

#[test]
#[ignore = "a gigabyte takes a while; Linux tells the memory"]
fn a_gigabyte_of_output_stays_within_the_budget() {
    // Everything that costs memory: plain and wide text, ever new colours, clusters, titles, other screens.
    let mut output = String::new();
    for number in 0..20_000_u32 {
        let _ = write!(output, "{number} plain text that goes on for a while and then ends\r\n");
        let _ = write!(
            output,
            "\x1b[38;2;{};{};9mcolour\x1b[m 漢字 e\u{301}{number}\u{301}\r\n",
            number % 256,
            number / 256
        );
        if number % 1_000 == 0 {
            let _ = write!(output, "\x1b]0;title {number}\x07\x1b[?1049h\x1b[H{number}\r\n\x1b[?1049l");
        }
    }
    let mut engine = Engine::new(SIZE, usize::try_from(BUDGET_BYTES).unwrap());
    let before = resident_bytes();
    let mut fed = 0;
    while fed < GIGABYTE {
        for chunk in output.as_bytes().chunks(4_096) {
            engine.feed(chunk, Instant::now());
        }
        fed += output.len();
    }
    let grown = resident_bytes().saturating_sub(before);
    assert!(
        grown <= BUDGET_BYTES + SCREEN_BYTES + SLACK_BYTES,
        "grown by {grown} bytes, {} of them history",
        engine.history_bytes()
    );
}

/// Resident memory of this process; zero where it cannot be told.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1_024
}
