//! Text on cells: clipped, and with wide characters laid as [`crate::client::screen`] expects them.

use crate::protocol::geometry::Rect;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a text.
pub fn width(text: &str) -> u16 {
    u16::try_from(text.width()).unwrap_or(u16::MAX)
}

/// The text, or as much of it as fits with an ellipsis.
pub fn clip(text: &str, cols: u16) -> String {
    if width(text) <= cols {
        return text.to_owned();
    }
    let mut clipped = String::new();
    let mut used = 0;
    for char in text.chars() {
        used += u16::try_from(char.width().unwrap_or(0)).unwrap_or(0);
        if used >= cols {
            break;
        }
        clipped.push(char);
    }
    if cols > 0 {
        clipped.push('…');
    }
    clipped
}

/// The text, or as much of its end as fits: for paths, whose end tells most.
pub fn clip_start(text: &str, cols: u16) -> String {
    if width(text) <= cols {
        return text.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 0;
    for char in text.chars().rev() {
        used += u16::try_from(char.width().unwrap_or(0)).unwrap_or(0);
        if used >= cols {
            break;
        }
        kept.push(char);
    }
    let ellipsis = if cols > 0 { "…" } else { "" };
    ellipsis.chars().chain(kept.into_iter().rev()).collect()
}

/// `cols` cells of a row, if they are all inside the buffer.
pub fn cells_mut(buffer: &mut Buffer, row: u16, col: u16, cols: u16) -> Option<&mut [Cell]> {
    let width = usize::from(buffer.area.width);
    let (first, end) = (usize::from(col), usize::from(col) + usize::from(cols));
    let line = usize::from(row) * width;
    if end > width { None } else { buffer.content.get_mut(line + first..line + end) }
}

/// Makes a rectangle blank.
pub fn fill(buffer: &mut Buffer, rect: Rect, style: Style) {
    for row in rect.row..rect.bottom() {
        for cell in cells_mut(buffer, row, rect.col, rect.cols).into_iter().flatten() {
            cell.reset();
            cell.set_style(style);
        }
        mend(buffer, row, rect.col);
        mend(buffer, row, rect.right());
    }
}

/// Blanks what is left of a wide character that was cut in half before `col`.
fn mend(buffer: &mut Buffer, row: u16, col: u16) {
    let Some(before) = col.checked_sub(1) else { return };
    let half = buffer.cell((col, row)).is_some_and(|cell| cell.symbol().is_empty());
    let wide =
        buffer.cell((before, row)).is_some_and(|cell| !cell.symbol().is_ascii() && cell.symbol().width() > 1);
    let broken = if half && !wide { col } else { before };
    if half != wide
        && let Some(cell) = buffer.cell_mut((broken, row))
    {
        cell.set_symbol(" ");
    }
}

/// Writes a text from (`row`, `col`) on, as far as it lies in `clip`; returns the column after it.
/// The ground stays what it is where the style has none.
pub fn put(buffer: &mut Buffer, clip: Rect, row: u16, col: u16, text: &str, style: Style) -> u16 {
    let start = col;
    let mut col = col;
    let mut last = None;
    for char in text.chars().filter(|char| !char.is_control()) {
        let cols = u16::try_from(char.width().unwrap_or(0)).unwrap_or(0);
        if cols == 0 {
            if let Some(cell) = last.and_then(|at| buffer.cell_mut(at)) {
                let joined = format!("{}{char}", cell.symbol());
                cell.set_symbol(&joined);
            }
            continue;
        }
        if clip.contains(row, col) && clip.contains(row, col.saturating_add(cols - 1)) {
            if let Some(cell) = buffer.cell_mut((col, row)) {
                cell.set_char(char).set_style(style);
            }
            if cols == 2
                && let Some(cell) = buffer.cell_mut((col.saturating_add(1), row))
            {
                cell.set_symbol("").set_style(style);
            }
            last = Some((col, row));
        } else {
            last = None;
        }
        col = col.saturating_add(cols);
    }
    for edge in [start.max(clip.col), col.min(clip.right())] {
        mend(buffer, row, edge);
    }
    col
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_the_end_that_matters() {
        assert_eq!(
            (clip("abcdef", 4), clip("漢字漢", 4), clip("ab", 0)),
            ("abc…".into(), "漢…".into(), "".into())
        );
        assert_eq!((clip_start("/a/bcd", 4), clip_start("ab", 4)), ("…bcd".into(), "ab".into()));
    }

    #[test]
    fn text_is_cut_at_the_clip() {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 6, 1));
        let clip = Rect { row: 0, col: 1, rows: 1, cols: 3 };
        assert_eq!(put(&mut buffer, clip, 0, 0, "ae\u{301}漢字", Style::new()), 6);
        let symbols = |buffer: &Buffer| -> Vec<String> {
            buffer.content.iter().map(|cell| cell.symbol().to_owned()).collect()
        };
        assert_eq!(symbols(&buffer), [" ", "e\u{301}", "漢", "", " ", " "]);
        put(&mut buffer, Rect { cols: 6, col: 0, ..clip }, 0, 3, "x", Style::new());
        assert_eq!(symbols(&buffer), [" ", "e\u{301}", " ", "x", " ", " "]);
    }
}
