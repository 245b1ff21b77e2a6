//! What the outer terminal shows, and the difference to what it should show.
//!
//! Invariant: `shown` is what the terminal has once every frame handed out so far is written.
//! A cell whose text is empty is the second half of the wide one before it.

use super::depth::Depth;
use super::sgr::{self, ShownLink};
use crate::protocol::frame::CursorShape;
use crate::protocol::geometry::{Rect, Size};
use ratatui::buffer::{Buffer, Cell};

/// Where the cursor stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenCursor {
    /// Row on the screen.
    pub row: u16,
    /// Column on the screen.
    pub col: u16,
    /// Its shape.
    pub shape: CursorShape,
}

/// Two pictures of the screen.
pub struct Screen {
    /// What it should show; views draw here.
    pub next: Buffer,
    /// The colours that are written.
    pub depth: Depth,
    shown: Buffer,
    cleared: bool,
    cursor: Option<ScreenCursor>,
    shape: CursorShape,
    title: String,
}

impl Screen {
    /// A screen of which nothing is known.
    pub fn new(size: Size) -> Self {
        let area = ratatui::layout::Rect::new(0, 0, size.cols, size.rows);
        Self {
            next: Buffer::empty(area),
            depth: Depth::default(),
            shown: Buffer::empty(area),
            cleared: false,
            cursor: None,
            shape: CursorShape::Default,
            title: String::new(),
        }
    }

    /// Another size: the terminal may show anything until it is cleared.
    pub fn resize(&mut self, size: Size) {
        *self = Self {
            depth: self.depth,
            cursor: self.cursor,
            shape: self.shape,
            title: std::mem::take(&mut self.title),
            ..Self::new(size)
        };
    }

    /// Adds to `out` what makes the cells of `regions` and the cursor right; nothing if they are.
    /// `link` tells the link of a cell that is part of one.
    pub fn flush(
        &mut self,
        regions: &[Rect],
        cursor: Option<ScreenCursor>,
        link: &dyn Fn(u16, u16) -> Option<ShownLink>,
        out: &mut Vec<u8>,
    ) {
        const BEGIN: &[u8] = b"\x1b[?2026h";
        const HIDE: &[u8] = b"\x1b[?25l";
        let start = out.len();
        out.extend_from_slice(BEGIN);
        if self.cursor.is_some() {
            out.extend_from_slice(HIDE);
        }
        let before_cells = out.len();
        if !self.cleared {
            out.extend_from_slice(b"\x1b[0m\x1b[2J");
            self.cleared = true;
        }
        let mut pen = sgr::Pen::new(out, self.depth);
        for region in regions {
            self.flush_region(*region, link, &mut pen);
        }
        pen.finish();
        if out.len() == before_cells && self.cursor == cursor {
            out.truncate(start);
            return;
        }
        if let Some(cursor) = cursor {
            if self.shape != cursor.shape {
                sgr::cursor_shape(out, cursor.shape);
                self.shape = cursor.shape;
            }
            sgr::move_to(out, cursor.row, cursor.col);
            out.extend_from_slice(b"\x1b[?25h");
        }
        self.cursor = cursor;
        out.extend_from_slice(b"\x1b[?2026l");
    }

    /// Adds the window's title to `out` if it is another one.
    pub fn set_title(&mut self, title: &str, out: &mut Vec<u8>) {
        if self.title != title {
            sgr::title(out, title);
            title.clone_into(&mut self.title);
        }
    }

    fn flush_region(
        &mut self,
        region: Rect,
        link: &dyn Fn(u16, u16) -> Option<ShownLink>,
        pen: &mut sgr::Pen<'_>,
    ) {
        let width = usize::from(self.next.area.width);
        let (first, end) = (usize::from(region.col), usize::from(region.right()).min(width));
        for row in region.row..region.bottom().min(self.next.area.height) {
            let line = usize::from(row) * width;
            let next = &self.next.content[line + first..line + end];
            let shown = &mut self.shown.content[line + first..line + end];
            for index in 0..next.len() {
                let wide = next.get(index + 1).is_some_and(is_second_half);
                let same = next[index] == shown[index] && (!wide || next[index + 1] == shown[index + 1]);
                if same || is_second_half(&next[index]) {
                    continue;
                }
                let col = region.col.saturating_add(u16::try_from(index).unwrap_or(u16::MAX));
                let linked = next[index].modifier.contains(sgr::LINKED);
                pen.set_link(linked.then(|| link(row, col)).flatten());
                pen.put(row, col, &next[index], wide);
            }
            shown.clone_from_slice(next);
        }
    }
}

fn is_second_half(cell: &Cell) -> bool {
    cell.symbol().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flushed(screen: &mut Screen, cursor: Option<ScreenCursor>) -> String {
        let mut out = Vec::new();
        let all = Rect::new(0, 0, Size::new(screen.next.area.height, screen.next.area.width));
        let link = |_: u16, col: u16| Some(ShownLink { id: col.to_string(), uri: "x:".to_owned() });
        screen.flush(&[all], cursor, &link, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_second_frame_writes_the_difference_only() {
        let mut screen = Screen::new(Size::new(2, 5));
        screen.next[(1, 0)].set_symbol("a");
        assert_eq!(flushed(&mut screen, None), "\x1b[?2026h\x1b[0m\x1b[2J\x1b[1;2Ha\x1b[?2026l");
        assert_eq!(flushed(&mut screen, None), "");
        screen.next[(2, 1)].set_symbol("b");
        let cursor = Some(ScreenCursor { row: 1, col: 3, shape: CursorShape::Bar { blink: false } });
        let wanted = "\x1b[?2026h\x1b[2;3Hb\x1b[6 q\x1b[2;4H\x1b[?25h\x1b[?2026l";
        assert_eq!(flushed(&mut screen, cursor), wanted);
        assert_eq!(flushed(&mut screen, None), "\x1b[?2026h\x1b[?25l\x1b[?2026l");
    }

    #[test]
    fn links_are_written_around_their_cells() {
        let mut screen = Screen::new(Size::new(1, 4));
        flushed(&mut screen, None);
        for (col, symbol) in [(0, "a"), (1, "b"), (2, "c")] {
            screen.next[(col, 0)].set_symbol(symbol);
        }
        screen.next[(1, 0)].modifier = sgr::LINKED;
        let wanted = "\x1b[1;1Ha\x1b]8;id=1;x:\x1b\\b\x1b]8;;\x1b\\c";
        assert_eq!(flushed(&mut screen, None), format!("\x1b[?2026h{wanted}\x1b[?2026l"));
        // Another link under the same text is another link.
        screen.next[(1, 0)].modifier = sgr::LINKED | sgr::OTHER_LINK;
        assert!(flushed(&mut screen, None).contains("b\x1b]8;;\x1b\\"));
    }

    #[test]
    fn a_cursor_from_before_another_size_is_hidden() {
        let mut screen = Screen::new(Size::new(2, 5));
        flushed(&mut screen, Some(ScreenCursor { row: 1, col: 3, shape: CursorShape::Default }));
        screen.resize(Size::new(1, 3));
        assert_eq!(flushed(&mut screen, None), "\x1b[?2026h\x1b[?25l\x1b[0m\x1b[2J\x1b[?2026l");
    }

    #[test]
    fn wide_characters_are_written_once_and_repaired() {
        let mut screen = Screen::new(Size::new(1, 4));
        screen.next[(0, 0)].set_symbol("漢");
        screen.next[(1, 0)].set_symbol("");
        screen.next[(2, 0)].set_symbol("x");
        assert!(flushed(&mut screen, None).contains("\x1b[1;1H漢\x1b[1;3Hx"));
        screen.next[(1, 0)].set_symbol("b");
        screen.next[(0, 0)].set_symbol("a");
        assert!(flushed(&mut screen, None).contains("\x1b[1;1Hab"));
    }

    #[test]
    fn a_title_is_set_when_it_changes() {
        let mut screen = Screen::new(Size::new(1, 4));
        let mut out = Vec::new();
        screen.set_title("one", &mut out);
        screen.set_title("one", &mut out);
        assert_eq!(out, b"\x1b]2;one\x1b\\");
    }
}
