//! The terminal engine beside the `vt100` crate and `alacritty_terminal`: megabytes a second through the
//! parser with history on, and bytes of history a line. `docs/engine.md` has the table.
//!
//! `cargo bench --bench engine [-- NAME [TERMINAL]]` runs the streams whose name contains NAME, on one of the
//! terminals alone if it is named.

#![allow(clippy::print_stdout)] // its output is what it is for

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;
use luvus::protocol::geometry::Size;
use luvus::server::engine::{Engine, View};
use std::fmt::Write;
use std::hint::black_box;
use std::num::NonZeroU16;
use std::process::Command;
use std::time::Instant;

const ROWS: u16 = 50;
const COLS: u16 = 200;
/// Rows of history in those that count them; the engine's own budget is the default one.
const HISTORY_ROWS: usize = 10_000;
const HISTORY_BYTES: usize = 10 * 1_024 * 1_024;
const STREAM_BYTES: usize = 8 * 1_024 * 1_024;
/// As much as a worker reads at once.
const CHUNK_BYTES: usize = 65_536;
/// The best of so many rounds counts: what is slower was disturbed.
const ROUNDS: usize = 7;
/// Asks for the memory of one terminal, in a process of its own.
const MEMORY: &str = "--memory-of";

/// A terminal under test.
trait Terminal {
    fn feed(&mut self, bytes: &[u8]);
}

impl Terminal for Engine {
    fn feed(&mut self, bytes: &[u8]) {
        black_box(Self::feed(self, bytes, Instant::now()));
    }
}

impl Terminal for vt100::Parser {
    fn feed(&mut self, bytes: &[u8]) {
        self.process(bytes);
    }
}

struct Alacritty {
    parser: Processor,
    term: Term<VoidListener>,
}

impl Terminal for Alacritty {
    fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }
}

struct Screen;

impl Dimensions for Screen {
    fn total_lines(&self) -> usize {
        usize::from(ROWS)
    }

    fn screen_lines(&self) -> usize {
        usize::from(ROWS)
    }

    fn columns(&self) -> usize {
        usize::from(COLS)
    }
}

const NAMES: [&str; 3] = ["luvus", "vt100", "alacritty"];

fn terminal(name: &str, lines: usize, bytes: usize) -> Box<dyn Terminal> {
    match name {
        "luvus" => Box::new(Engine::new(Size::new(ROWS, COLS), bytes)),
        "vt100" => {
            let cells = |count: u16| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
            Box::new(vt100::Parser::new(cells(ROWS), cells(COLS), lines))
        }
        _ => {
            let config = Config { scrolling_history: lines, ..Config::default() };
            Box::new(Alacritty { parser: Processor::new(), term: Term::new(config, &Screen, VoidListener) })
        }
    }
}

/// Repeats what `unit` writes for 0, 1, 2 … until the stream is long enough.
fn stream(mut unit: impl FnMut(&mut String, usize)) -> Vec<u8> {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < STREAM_BYTES {
        unit(&mut text, number);
        number += 1;
    }
    text.into_bytes()
}

fn streams() -> [(&'static str, Vec<u8>); 7] {
    let plain = "the quick brown fox jumps over the lazy dog, ".repeat(3);
    [
        ("plain lines of 127 bytes", stream(|out, _| out.extend([&plain[..125], "\r\n"]))),
        ("lines of 2 bytes", stream(|out, _| out.push_str("y\n"))),
        (
            "256 colours, one per word",
            stream(|out, n| {
                for word in 0..12 {
                    let color = (n * 7 + word * 13) % 256;
                    // Writing to a string does not fail.
                    let _ = write!(out, "\x1b[38;5;{color}mword{word} ");
                }
                out.push_str("\x1b[m\r\n");
            }),
        ),
        (
            "256 colours, two per cell",
            stream(|out, n| {
                for cell in 0..80 {
                    let color = (n + cell) % 256;
                    let _ = write!(out, "\x1b[48;5;{color}m\x1b[38;5;{}mx", 255 - color);
                }
                out.push_str("\x1b[m\r\n");
            }),
        ),
        (
            "CJK",
            stream(|out, _| {
                out.push_str("漢字仮名交じり文は日本語の普通の書き方であり、한국어도 있다。\r\n");
            }),
        ),
        (
            "accents and emoji",
            stream(|out, _| {
                out.push_str(
                    "Zwölf Boxkämpfer jagen Viktor 🚀 über den großen Sylter Deich ✨ naïve café\r\n",
                );
            }),
        ),
        (
            "full-screen redraws",
            stream(|out, n| {
                out.push_str("\x1b[H");
                for row in 1..ROWS {
                    let color = 31 + (n + usize::from(row)) % 7;
                    let _ = write!(out, "\x1b[{row};1H\x1b[{color}m{row:4}\x1b[m  │ ");
                    out.push_str(&plain[..100]);
                    let _ = write!(out, " \x1b[7m{n:8}\x1b[m\x1b[K");
                }
            }),
        ),
    ]
}

fn megabytes_a_second(name: &str, bytes: &[u8]) -> f64 {
    let mut terminal = terminal(name, HISTORY_ROWS, HISTORY_BYTES);
    let began = Instant::now();
    for chunk in bytes.chunks(CHUNK_BYTES) {
        terminal.feed(chunk);
    }
    let seconds = began.elapsed().as_secs_f64();
    drop(terminal);
    #[allow(clippy::cast_precision_loss)] // a few megabytes
    let megabytes = bytes.len() as f64 / 1e6;
    megabytes / seconds
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [MEMORY, name, lines, bytes] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return print_memory(name, lines.parse().unwrap_or(0), bytes.parse().unwrap_or(0));
    }
    let mut names = arguments.iter().filter(|argument| !argument.starts_with('-')).map(String::as_str);
    let (wanted, alone) = (names.next().unwrap_or(""), names.next().unwrap_or(""));
    println!("MB/s through feed, {COLS}×{ROWS}, history on; best of {ROUNDS}\n");
    println!(
        "{:28} {:>8} {:>8} {:>10} {:>8} {:>8}",
        "stream", "luvus", "vt100", "alacritty", "÷vt100", "÷alac."
    );
    for (title, bytes) in streams().iter().filter(|(title, _)| title.contains(wanted)) {
        let mut best = [0.0_f64; 3];
        for _ in 0..ROUNDS {
            for (best, name) in best.iter_mut().zip(NAMES).filter(|(_, name)| name.contains(alone)) {
                *best = best.max(megabytes_a_second(name, bytes));
            }
        }
        let [own, vt100, alacritty] = best;
        println!(
            "{title:28} {own:8.0} {vt100:8.0} {alacritty:10.0} {:8.2} {:8.2}",
            own / vt100,
            own / alacritty
        );
    }
    if wanted.is_empty() || wanted.contains("memory") {
        memory();
        reflow();
    }
}

/// Memory of histories of 78 plain characters a line, each in a process of its own.
fn memory() {
    println!("\nbytes a line of history, lines of 78 plain characters (growth of the process)\n");
    println!("{:28} {:>8} {:>8} {:>10}", "lines", "luvus", "vt100", "alacritty");
    for lines in [10_000, 100_000] {
        let of = |name: &str| {
            let program = std::env::current_exe().ok()?;
            let arguments =
                [MEMORY.to_owned(), name.to_owned(), lines.to_string(), (lines * 200).to_string()];
            let output = Command::new(program).args(arguments).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse::<u64>().ok()
        };
        let told = NAMES.map(|name| of(name).map_or("?".to_owned(), |bytes| bytes.to_string()));
        println!("{lines:<28} {:>8} {:>8} {:>10}", told[0], told[1], told[2]);
    }
}

fn print_memory(name: &str, lines: usize, bytes: usize) {
    let mut terminal = terminal(name, lines, bytes);
    let line = format!("{}\r\n", "x".repeat(78));
    // The screen's own rows are there before it is counted.
    terminal.feed(line.repeat(usize::from(ROWS) * 2).as_bytes());
    let before = resident_bytes();
    for _ in 0..lines {
        terminal.feed(line.as_bytes());
    }
    println!("{}", resident_bytes().saturating_sub(before) / lines.max(1) as u64);
}

/// Resident memory of this process; zero where it cannot be told.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1_024
}

/// How long a change of width takes with a full history.
fn reflow() {
    println!("\nchange of width with a full history of 10 MiB, and a picture at its top\n");
    for (title, bytes) in streams().iter().filter(|(title, _)| !title.contains("2 bytes")) {
        let mut engine = Engine::new(Size::new(ROWS, COLS), HISTORY_BYTES);
        for _ in 0..3 {
            Engine::feed(&mut engine, bytes, Instant::now());
        }
        let began = Instant::now();
        engine.resize(Size::new(ROWS, 60));
        let resized = began.elapsed();
        let top = engine.history().start;
        let began = Instant::now();
        black_box(engine.frame(View::From(top)));
        println!(
            "{title:28} {:>8.1} ms {:>8.2} ms",
            resized.as_secs_f64() * 1e3,
            began.elapsed().as_secs_f64() * 1e3
        );
    }
}
