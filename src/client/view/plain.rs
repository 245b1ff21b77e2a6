//! The same screen in ASCII: for terminals whose locale is not UTF-8, and for who likes it.
//!
//! Views draw in Unicode; afterwards the cells that are luvus' own get the ASCII form of their glyph. What a
//! program in a pane prints is its own matter.
//!
//! Invariant: a glyph and its form have one column both, and marks of states differ by shape.

use crate::client::areas::Viewport;
use crate::client::state::{Hit, State};
use crate::protocol::geometry::Rect;
use ratatui::buffer::Buffer;

/// Turns the glyphs of luvus' own cells into ASCII; `hits` tells which cells overlays lie on.
pub fn to_ascii(state: &State, hits: &[(Rect, Hit)], buffer: &mut Buffer) {
    let overlays: Vec<Rect> =
        hits.iter().filter(|(_, hit)| *hit == Hit::Overlay).map(|(rect, _)| *rect).collect();
    let programs = contents(state, state.viewport);
    let width = usize::from(buffer.area.width).max(1);
    for (index, cell) in buffer.content.iter_mut().enumerate() {
        let Some(glyph) = cell.symbol().chars().next().filter(|glyph| !glyph.is_ascii()) else { continue };
        let at = (u16::try_from(index / width), u16::try_from(index % width));
        let (Ok(row), Ok(col)) = at else { return };
        let inside = |rects: &[Rect]| rects.iter().any(|rect| rect.contains(row, col));
        if (!inside(&programs) || inside(&overlays))
            && let Some(ascii) = ascii(glyph)
        {
            cell.set_symbol(ascii);
        }
    }
}

/// Where programs draw.
fn contents(state: &State, viewport: Viewport) -> Vec<Rect> {
    let panes = state.areas().panes;
    let places = state.scene().map_or(&[][..], |scene| &scene.layout.places);
    places.iter().filter_map(|place| viewport.place(panes, place.content)).map(|seen| seen.rect).collect()
}

/// The ASCII form of a glyph that has one.
pub fn ascii(glyph: char) -> Option<&'static str> {
    Some(match glyph {
        '◆' => "!",
        '●' | '■' => "*",
        '✓' | '▼' | '▾' | '↓' => "v",
        '○' | '□' => "o",
        '·' | '…' | '•' => ".",
        '✕' | '×' | '✗' => "x",
        '▸' | '›' | '»' | '→' | '▶' => ">",
        '‹' | '«' | '←' | '◀' => "<",
        '↑' | '▴' | '▲' => "^",
        '≡' => "=",
        '–' | '—' | '─' | '━' | '═' | '╌' | '┄' => "-",
        '│' | '┃' | '║' | '▎' | '▏' | '▌' | '▐' | '╎' | '┆' => "|",
        '⏎' => "<",
        '↔' | '↕' => "+",
        '\u{2500}'..='\u{257f}' => "+",
        '\u{2580}'..='\u{259f}' => "#",
        '\u{2800}'..='\u{28ff}' => ".",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_states_differ_by_shape() {
        let marks: Vec<_> = ['◆', '●', '✓', '○', '·'].into_iter().map(ascii).collect();
        assert_eq!(marks, [Some("!"), Some("*"), Some("v"), Some("o"), Some(".")]);
        assert_eq!(ascii('é'), None, "a name keeps its letters");
    }
}
