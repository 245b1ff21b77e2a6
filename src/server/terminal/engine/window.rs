//! The window that a program believes to have (XTWINOPS), and its wishes for another size.
//!
//! Invariant: the size changes only where that was allowed from outside; all else that a program does to its
//! window changes nothing but what it is told afterwards.

use super::answers::CELL_PIXELS;
use super::params::Params;
use super::terminal::Terminal;
use super::titles::Which;
use crate::protocol::geometry::Size;
use crate::protocol::limits::{VIEWPORT_COLS, VIEWPORT_ROWS};

/// The smallest side of a screen that a program can ask for.
const SMALLEST: u16 = 2;

/// What a program did to its window.
#[derive(Debug, Default)]
pub(super) struct Window {
    minimized: bool,
    /// Where it was moved to.
    at: (u16, u16),
    /// Whether a program may choose the size.
    pub(super) resizable: bool,
}

impl Terminal {
    /// XTWINOPS.
    pub(super) fn window_operation(&mut self, params: &Params) {
        let (rows, cols) = (self.size.rows, self.size.cols);
        let (height, width) = self.pixels();
        let (x, y) = self.window.at;
        match params.get(0) {
            1 => self.window.minimized = false,
            2 => self.window.minimized = true,
            3 => self.window.at = (params.get(1), params.get(2)),
            4 => self.ask_size(params.get(1) / CELL_PIXELS.0, params.get(2) / CELL_PIXELS.1),
            8 => self.ask_size(params.get(1), params.get(2)),
            11 => self.reply(if self.window.minimized { "\x1b[2t" } else { "\x1b[1t" }),
            13 => self.answer(format_args!("\x1b[3;{x};{y}t")),
            14 => self.answer(format_args!("\x1b[4;{height};{width}t")),
            // The pane is all the screen there is.
            15 => self.answer(format_args!("\x1b[5;{height};{width}t")),
            16 => self.answer(format_args!("\x1b[6;{};{}t", CELL_PIXELS.0, CELL_PIXELS.1)),
            18 => self.answer(format_args!("\x1b[8;{rows};{cols}t")),
            19 => self.answer(format_args!("\x1b[9;{rows};{cols}t")),
            20 => self.tell_title(true),
            21 => self.tell_title(false),
            22 => self.push_title(Which::of(params.get(1))),
            23 => self.pop_title(Which::of(params.get(1))),
            // DECSLPP
            rows @ 24.. => self.ask_size(rows, 0),
            _ => {}
        }
    }

    /// The text area in pixels: height and width.
    pub(super) fn pixels(&self) -> (u32, u32) {
        (
            u32::from(self.size.rows) * u32::from(CELL_PIXELS.0),
            u32::from(self.size.cols) * u32::from(CELL_PIXELS.1),
        )
    }

    /// The program wants another size; a side of zero stays as it is.
    pub(super) fn ask_size(&mut self, rows: u16, cols: u16) {
        let side = |wanted: u16, present, most| match wanted {
            0 => present,
            wanted => wanted.clamp(SMALLEST, most),
        };
        let size = Size {
            rows: side(rows, self.size.rows, VIEWPORT_ROWS),
            cols: side(cols, self.size.cols, VIEWPORT_COLS),
        };
        if self.window.resizable && size != self.size {
            self.resize(size);
            self.effects.size = Some(size);
        }
    }
}
