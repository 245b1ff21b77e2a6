//! One run of the engine over a script of bytes: what is fed, how it is cut, and where the size changes.
//! Plain code over the public face of the engine, shared by `cargo test` and the fuzz target.

use luvus::protocol::frame::Frame;
use luvus::protocol::geometry::Size;
use luvus::server::engine::{Capture, CaptureMode, CaptureRequest, Engine, Modes, View};
use std::time::Instant;

/// Ends a piece of output; what follows are the rows and columns of a new size. No UTF-8 has this byte.
pub const RESIZE: u8 = 0xff;
/// Before the first piece: rows, columns, the history's budget, the length of chunks.
pub const HEADER_BYTES: usize = 4;
/// Holds whatever a script of some kilobytes can print.
const PLENTY_BYTES: usize = 4 * 1_024 * 1_024;

/// Runs a script; panics where a property does not hold.
pub fn run(script: &[u8]) {
    let Some((header, script)) = script.split_first_chunk::<HEADER_BYTES>() else { return };
    let [rows, cols, budget, chunk] = *header;
    let size = size(rows, cols);
    let budget = usize::from(budget) * 64;
    let mut whole = Engine::new(size, budget);
    let mut cut = Engine::new(size, budget);
    let mut roomy = Engine::new(size, PLENTY_BYTES);
    // One instant, so that no synchronized update ends by itself.
    let now = Instant::now();
    for (number, piece) in script.split(|byte| *byte == RESIZE).enumerate() {
        let output = match piece {
            [rows, cols, output @ ..] if number > 0 => {
                let size = self::size(*rows, *cols);
                [&mut whole, &mut cut, &mut roomy].into_iter().for_each(|engine| engine.resize(size));
                output
            }
            output => output,
        };
        let mut replies = Vec::new();
        for chunk in output.chunks(usize::from(chunk % 16) + 1) {
            replies.extend(cut.feed(chunk, now).replies);
        }
        assert_eq!(whole.feed(output, now).replies, replies, "answers depend on how the output is cut");
        roomy.feed(output, now);
        assert_eq!(looks(&mut whole), looks(&mut cut), "the state depends on how the output is cut");
        assert!(whole.history_bytes() <= budget, "more history than its budget");
        check_capture(&whole);
        check_frames(&mut whole);
    }
    check_there_and_back(&mut roomy);
}

/// Sizes from one cell to more than a line of the script.
fn size(rows: u8, cols: u8) -> Size {
    Size::new(u16::from(rows % 16) + 1, u16::from(cols % 64) + 1)
}

/// All that can be seen, without what counts calls.
fn looks(engine: &mut Engine) -> (Frame, Frame, Modes, std::ops::Range<u64>, String) {
    let oldest = View::From(engine.history().start);
    let [live, oldest] = [View::Live, oldest].map(|view| Frame { revision: 0, ..engine.frame(view) });
    (live, oldest, engine.modes(), engine.history(), capture(engine, CaptureMode::RecentUnwrapped, true).text)
}

fn capture(engine: &Engine, mode: CaptureMode, ansi: bool) -> Capture {
    engine.capture(CaptureRequest { mode, lines: 100_000, ansi, max_bytes: PLENTY_BYTES, cursor: true })
}

/// A capture is text and, where it was asked for, SGR: nothing that acts on who prints it.
fn check_capture(engine: &Engine) {
    for mode in [CaptureMode::Visible, CaptureMode::RecentUnwrapped, CaptureMode::Detection] {
        let plain = capture(engine, mode, false).text;
        assert!(!plain.contains(|char: char| char.is_control() && char != '\n'), "{plain:?}");
        let styled = capture(engine, mode, true).text;
        assert_eq!(without_sgr(&styled), plain);
    }
}

fn without_sgr(text: &str) -> String {
    let mut pieces = text.split('\x1b');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (parameters, after) = piece.split_once('m').expect("a sequence that ends");
        let parameters = parameters.strip_prefix('[').expect("a control sequence");
        assert!(parameters.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';')), "{parameters:?}");
        plain.push_str(after);
    }
    plain
}

fn check_frames(engine: &mut Engine) {
    for view in [View::Live, View::From(engine.history().start)] {
        let frame = engine.frame(view);
        assert_eq!(frame.rows.len(), usize::from(frame.size.rows));
        for row in &frame.rows {
            let cells = row.runs.iter().flat_map(|run| run.cells());
            assert!(cells.map(|(_, width)| width).sum::<u16>() <= frame.size.cols);
        }
        assert!(frame.cursor.is_none_or(|at| at.row < frame.size.rows && at.col < frame.size.cols));
    }
}

/// Shrinking and growing back gives the same text, as long as the history has room.
fn check_there_and_back(engine: &mut Engine) {
    let size = engine.size();
    if engine.modes().contains(Modes::ALTERNATE_SCREEN) || size.cols < 2 {
        return;
    }
    // Another size shows what an update holds back.
    engine.release();
    // Without the blank rows down to the cursor: where less rows have no room for it, it moves.
    let text = |engine: &Engine| {
        let text = capture(engine, CaptureMode::RecentUnwrapped, false).text;
        text.trim_end_matches('\n').to_owned()
    };
    let before = text(engine);
    for other in [Size::new(size.rows, 2), Size::new(1, size.cols), Size::new(size.rows + 3, size.cols + 7)] {
        engine.resize(other);
        engine.resize(size);
        assert_eq!(text(engine), before, "{size:?} to {other:?} and back");
    }
}
