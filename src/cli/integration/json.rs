//! A JSON text whose parts know where they stand, so that one can be added or taken out and every other
//! byte stays.

use super::EditError;
use serde_json::Value;
use std::ops::Range;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its bytes.
    pub at: Range<usize>,
    /// What is in it, if it holds something.
    pub items: Vec<Item>,
}

/// A member of an object, or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The member's name; empty in a list.
    pub name: String,
    /// Where it begins, with its name.
    pub start: usize,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// The member of that name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        self.items.iter().find(|item| item.name == name).map(|item| &item.value)
    }
}

/// Reads a text.
///
/// # Errors
/// [`EditError::Nonsense`].
pub fn read(text: &str) -> Result<Node, EditError> {
    // Checked as a whole first, so that what follows may take its shape for granted.
    serde_json::from_str::<Value>(text).map_err(|error| EditError::Nonsense(error.to_string()))?;
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    Ok(reader.value())
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied().unwrap_or_default()
    }

    fn value(&mut self) -> Node {
        let (first, start) = (self.peek(), self.at);
        let mut items = Vec::new();
        match first {
            b'{' | b'[' => {
                self.at += 1;
                while !matches!(self.peek(), b'}' | b']' | 0) {
                    let start = self.at;
                    let name = if first == b'{' { self.name() } else { String::new() };
                    items.push(Item { name, start, value: self.value() });
                    if self.peek() == b',' {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            b'"' => drop(self.string()),
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
                while self.text.get(self.at).is_some_and(|byte| !ends(byte)) {
                    self.at += 1;
                }
            }
        }
        Node { at: start..self.at, items }
    }

    fn name(&mut self) -> String {
        let name = self.string();
        self.peek();
        self.at += 1;
        name
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.text.get(self.at).filter(|byte| **byte != b'"') {
            self.at += if *byte == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        self.text.get(start..self.at).and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default()
    }
}

/// The text with something more at the end of an object or a list that stands so deep.
#[must_use]
pub fn with(text: &str, node: &Node, depth: usize, what: &str) -> String {
    let indent = "  ".repeat(depth + 1);
    let mut text = text.to_owned();
    match node.items.last() {
        Some(last) => text.insert_str(last.value.at.end, &format!(",\n{indent}{what}")),
        None => {
            let inside = node.at.start + 1..node.at.end - 1;
            text.replace_range(inside, &format!("\n{indent}{what}\n{}", "  ".repeat(depth)));
        }
    }
    text
}

/// The text without one item of an object or a list.
#[must_use]
pub fn without(text: &str, node: &Node, index: usize) -> String {
    let mut text = text.to_owned();
    let Some(item) = node.items.get(index) else { return text };
    let before = index.checked_sub(1).and_then(|before| node.items.get(before));
    let range = match (before, node.items.get(index + 1)) {
        (Some(before), _) => before.value.at.end..item.value.at.end,
        (None, Some(next)) => item.start..next.start,
        (None, None) => node.at.start + 1..node.at.end - 1,
    };
    text.replace_range(range, "");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_can_be_taken_out_again() {
        for text in ["{}", "{\"a\":1}", "{\n  \"a\": [1, {\"b\": \"x\\\"}\"}],\n  \"c\": null\n}\n"] {
            let node = read(text).expect("JSON");
            let more = with(text, &node, 0, "\"d\": [true]");
            let node = read(&more).expect("still JSON");
            assert_eq!(node.items.last().map(|item| item.name.as_str()), Some("d"), "{more}");
            assert_eq!(without(&more, &node, node.items.len() - 1), text);
        }
        assert!(read("{\"a\": }").is_err());
    }

    #[test]
    fn the_first_of_several_goes_with_its_comma() {
        let text = "[1,\n 2, 3]";
        let node = read(text).expect("JSON");
        assert_eq!(without(text, &node, 0), "[2, 3]");
        assert_eq!(without(text, &node, 1), "[1, 3]");
    }
}
