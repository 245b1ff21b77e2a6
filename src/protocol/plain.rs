//! Text that came from outside and is shown outside of its pane.

/// Whether a character may hide, reorder or control the text around it.
#[must_use]
pub fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// One line of it, at most `chars` long: white space becomes single blanks, unsafe characters go.
#[must_use]
pub fn one_line(text: &str, chars: usize) -> String {
    let words = text.split_whitespace().map(|word| word.chars().filter(|char| !is_unsafe(*char)));
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word);
    }
    match line.char_indices().nth(chars) {
        Some((end, _)) => line[..end].to_owned() + "…",
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_plain_and_short() {
        assert_eq!(one_line(" a\n\tb\u{1b}[31m\u{202e}c\u{7f} ", 20), "a b[31mc");
        assert_eq!(one_line("äöüß", 4), "äöüß");
        assert_eq!(one_line("äöüß", 3), "äöü…");
        assert_eq!(one_line("\u{200b}", 3), "");
    }
}
