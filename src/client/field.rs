//! One line of text being edited.

use crate::protocol::key::{KeyCode, KeyEvent, Modifiers};
use unicode_width::UnicodeWidthStr;

/// The longest text: a path.
const BYTES: usize = 4_096;

/// A text and a cursor in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Field {
    text: String,
    /// Byte position, always at a character's start.
    cursor: usize,
}

impl Field {
    /// A field that holds `text`, the cursor behind it.
    pub fn new(text: &str) -> Self {
        let mut field = Self::default();
        field.insert(text);
        field
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Columns before the cursor.
    pub fn cursor_cols(&self) -> u16 {
        u16::try_from(self.text[..self.cursor].width()).unwrap_or(u16::MAX)
    }

    /// Inserts what fits of a text, up to its first line break and without control characters.
    pub fn insert(&mut self, text: &str) {
        for char in text.lines().next().unwrap_or_default().chars().filter(|char| !char.is_control()) {
            if self.text.len() + char.len_utf8() > BYTES {
                return;
            }
            self.text.insert(self.cursor, char);
            self.cursor += char.len_utf8();
        }
    }

    /// Edits by a key; false if it means nothing here.
    pub fn key(&mut self, event: KeyEvent) -> bool {
        let ctrl = event.modifiers.contains(Modifiers::CTRL);
        let plain = event.modifiers.without(Modifiers::SHIFT).is_empty();
        match event.code {
            KeyCode::Char('a') if ctrl => self.cursor = 0,
            KeyCode::Char('e') if ctrl => self.cursor = self.text.len(),
            KeyCode::Char('u') if ctrl => self.remove(0, self.cursor),
            KeyCode::Char('k') if ctrl => self.remove(self.cursor, self.text.len()),
            KeyCode::Char('w') if ctrl => self.remove(self.word_start(), self.cursor),
            KeyCode::Char(char) if plain => self.insert(char.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace => self.remove(self.before(), self.cursor),
            KeyCode::Delete => self.remove(self.cursor, self.after()),
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.text.replace_range(start..end, "");
        self.cursor = start;
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(index, _)| index)
    }

    fn after(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |char| self.cursor + char.len_utf8())
    }

    fn word_start(&self) -> usize {
        let separator = |char: char| char == ' ' || char == '/';
        let text = self.text[..self.cursor].trim_end_matches(separator);
        text.rfind(separator).map_or(0, |index| index + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(field: &mut Field, keys: &[(KeyCode, Modifiers)]) {
        for (code, held) in keys {
            field.key(KeyEvent::press(*code, *held));
        }
    }

    #[test]
    fn keys_edit_at_the_cursor() {
        let mut field = Field::new("~/src/é");
        typed(&mut field, &[(KeyCode::Left, Modifiers::NONE), (KeyCode::Char('X'), Modifiers::SHIFT)]);
        assert_eq!((field.text(), field.cursor_cols()), ("~/src/Xé", 7));
        typed(&mut field, &[(KeyCode::Delete, Modifiers::NONE), (KeyCode::Char('w'), Modifiers::CTRL)]);
        assert_eq!(field.text(), "~/src/");
        typed(&mut field, &[(KeyCode::Char('w'), Modifiers::CTRL), (KeyCode::Char('u'), Modifiers::CTRL)]);
        assert_eq!(field, Field::default());
        assert!(!field.key(KeyEvent::press(KeyCode::Enter, Modifiers::NONE)));
    }

    #[test]
    fn a_pasted_text_gives_its_first_line() {
        let mut field = Field::new("a");
        field.insert("b\tc\nd");
        assert_eq!(field.text(), "abc");
    }
}
