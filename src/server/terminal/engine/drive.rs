//! The way of a chunk through the engine: cut where `scan` says, passed on to `vt100`, with what
//! `vt100` does not do or tell done around it; and where cells may have changed on the way.

use super::modes::ModeState;
use super::scan::Event;
use super::{Engine, Modes, Update};
use std::ops::Range;
use std::time::{Duration, Instant};

/// How long a synchronized update may hold the picture back (`spec/terminal.md` section 6).
pub(super) const SYNCHRONIZED: Duration = Duration::from_millis(150);
/// How many bytes it may hold back.
const SYNCHRONIZED_BYTES: usize = 1_048_576;

/// The output since the cursor last went to another row in any way but forward.
#[derive(Debug, Default)]
pub(super) struct Piece {
    first_row: u16,
    touched: bool,
    fed_line: bool,
}

/// Which rows scroll (DECSTBM), as far as it matters for finding what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Region {
    /// All of them.
    #[default]
    Whole,
    /// From the first row on, not to the last: the last ones stay.
    Upper,
    /// From a lower row on; then `vt100` does not tell.
    Inner,
}

impl Engine {
    pub(super) fn parse(&mut self, mut bytes: &[u8], now: Instant) {
        while !bytes.is_empty() {
            let step = self.scanner.step(bytes);
            let (before, rest) = bytes.split_at(step.bytes);
            if !step.dropped {
                self.piece.touched |= step.touched;
                self.piece.fed_line |= step.fed_line;
                self.process(before);
            }
            bytes = rest;
            let event = step.event.and_then(|event| Some((event, rest.split_at_checked(event.bytes())?)));
            if let Some((event, (last, rest))) = event {
                self.end_piece();
                self.act(event, last, now);
                self.end_piece();
                bytes = rest;
            }
        }
        self.end_piece();
        self.forget_pushed_rows();
    }

    fn process(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        if let Some(update) = &mut self.update {
            update.bytes += bytes.len();
            if update.bytes > SYNCHRONIZED_BYTES {
                self.end_update();
            }
        }
    }

    /// Lets an event happen by passing on its last byte, with what `vt100` does not do or tell.
    fn act(&mut self, event: Event, last: &[u8], now: Instant) {
        match event {
            Event::Move => self.process(last),
            Event::Erase(what) => {
                self.process(last);
                match what {
                    0 => self.mark(self.parser.screen().cursor_position().0..self.size.rows),
                    3 => {
                        self.parser.callbacks_mut().history.clear();
                        self.changed = true;
                    }
                    _ => self.mark(0..self.size.rows),
                }
            }
            Event::Rows => {
                self.process(last);
                self.mark(0..self.size.rows);
            }
            Event::Repeat(count) => {
                self.repeat(count, last);
                self.piece.touched = true;
                self.end_piece();
            }
            Event::Margins(top, bottom) => {
                self.process(last);
                let alternate = self.parser.screen().alternate_screen();
                self.regions[usize::from(alternate)] = match (top, bottom) {
                    (0..=1, 0) => Region::Whole,
                    (0..=1, bottom) if bottom >= self.size.rows => Region::Whole,
                    (0..=1, _) => Region::Upper,
                    _ => Region::Inner,
                };
            }
            Event::PrivateModes(on) => self.set_private_modes(on, last, now),
            Event::Keypad(on) => {
                self.process(last);
                self.parser.callbacks_mut().modes.put(Modes::APPLICATION_KEYPAD, on);
            }
            Event::Reset => self.reset(last),
            Event::Selector => {
                // Beyond the last column `vt100` 0.18 would leave half a wide character behind, and panic
                // when it is overwritten; there the character stays narrow.
                let screen = self.parser.screen();
                if screen.cursor_position().1 < screen.size().1.get() {
                    self.process(last);
                    self.piece.touched = true;
                    self.end_piece();
                }
            }
            Event::DroppedString => {
                self.parser.callbacks_mut().drop_string = true;
                self.process(last);
                self.parser.callbacks_mut().drop_string = false;
            }
        }
    }

    /// Repeats a character at most as often as the screen has cells: `vt100` has no bound of its own.
    fn repeat(&mut self, count: u16, last: &[u8]) {
        let cells = u32::from(self.size.rows) * u32::from(self.size.cols);
        if u32::from(count) <= cells {
            self.process(last);
        } else {
            // CAN takes back the sequence that is under way.
            self.process(format!("\x18\x1b[{cells}b").as_bytes());
        }
    }

    fn set_private_modes(&mut self, on: bool, last: &[u8], now: Instant) {
        self.forget_pushed_rows();
        self.process(last);
        let screens = self.scanner.modes().any(|mode| matches!(mode, 47 | 1049));
        let synchronized = self.scanner.modes().any(|mode| mode == 2026);
        let alternate = self.parser.screen().alternate_screen();
        let watch = self.parser.callbacks_mut();
        for mode in self.scanner.modes() {
            watch.modes.private(mode, on);
        }
        if screens {
            watch.modes.put(Modes::ALTERNATE_SCREEN, alternate);
            watch.history.show_alternate(alternate);
            self.mark(0..self.size.rows);
        }
        if synchronized && on && self.update.is_none() {
            self.begin_update(now);
        } else if synchronized && !on {
            self.end_update();
        }
    }

    fn reset(&mut self, last: &[u8]) {
        self.process(last);
        let watch = self.parser.callbacks_mut();
        watch.modes = ModeState::default();
        // xterm drops its saved lines too.
        watch.history.show_alternate(false);
        watch.history.clear();
        self.regions = [Region::Whole; 2];
        self.mark(0..self.size.rows);
        self.end_update();
    }

    fn begin_update(&mut self, now: Instant) {
        self.settle();
        let picture = self.paint_live();
        self.update = Some(Update { deadline: now + SYNCHRONIZED, bytes: 0, picture });
        self.parser.callbacks_mut().modes.synchronized = true;
    }

    pub(super) fn end_update(&mut self) {
        self.parser.callbacks_mut().modes.synchronized = false;
        let Some(update) = self.update.take() else { return };
        self.end_piece();
        self.settle();
        if self.revision != update.picture.revision {
            // Who has asked for a picture meanwhile has the old one under the present revision.
            self.revision += 1;
        }
    }

    /// Marks the rows that the piece of output may have changed: those that the cursor went through.
    fn end_piece(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        let screen = self.parser.screen();
        let row = screen.cursor_position().0;
        let region = self.regions[usize::from(screen.alternate_screen())];
        self.piece.first_row = row;
        let scrolled = std::mem::take(&mut self.parser.callbacks_mut().scrolled_rows);
        let mut first = piece.first_row;
        match region {
            Region::Whole if scrolled > 0 => {
                self.painter.scroll(scrolled);
                self.changed = true;
                first = first.saturating_sub(u16::try_from(scrolled).unwrap_or(u16::MAX));
            }
            Region::Upper if scrolled > 0 => self.mark(0..self.size.rows),
            Region::Inner if piece.touched || piece.fed_line => self.mark(0..self.size.rows),
            _ => {}
        }
        if piece.touched {
            self.mark(first.min(row)..first.max(row) + 1);
        }
    }

    fn mark(&mut self, rows: Range<u16>) {
        self.painter.mark(rows);
        self.changed = true;
    }
}
