//! Ways through small texts. `\` at a row's end is a soft wrap, a wide character takes two columns.

use super::*;

struct Text {
    first: u64,
    rows: Vec<TextRow>,
}

impl Rows for Text {
    fn all(&self) -> Range<u64> {
        self.first..self.first + self.rows.len() as u64
    }

    fn row(&self, number: u64) -> Option<TextRow> {
        self.rows.get(usize::try_from(number.checked_sub(self.first)?).ok()?).cloned()
    }
}

fn text(rows: &[&str]) -> Text {
    let row = |text: &&str| {
        let (text, wrapped) = text.strip_suffix('\\').map_or((*text, false), |text| (text, true));
        let mut row = TextRow::default();
        let wide = |char: char| ('\u{3000}'..'\u{a000}').contains(&char);
        text.chars().for_each(|char| row.push(char.encode_utf8(&mut [0; 4]), wide(char)));
        row.finished(wrapped)
    };
    Text { first: 100, rows: rows.iter().map(row).collect() }
}

/// Where steps lead, each with a count, as row and column.
fn path(text: &Text, from: (u64, u16), steps: &[(Motion, Option<u16>)]) -> Vec<(u64, u16)> {
    let mut spot = Spot { row: 100 + from.0, col: from.1 };
    let mut step = |(motion, count): &(Motion, Option<u16>)| {
        let wanted = Walk { motion: *motion, count: *count, col: from.1, free: false };
        spot = walk(text, spot, wanted).expect("at hand");
        (spot.row - 100, spot.col)
    };
    steps.iter().map(&mut step).collect()
}

fn steps(text: &Text, from: (u64, u16), motion: Motion, times: usize) -> Vec<(u64, u16)> {
    path(text, from, &vec![(motion, None); times])
}

#[test]
fn characters_are_steps_wide_ones_too_and_a_wrapped_line_is_one() {
    let text = text(&["a漢b\\", "cd", "e"]);
    assert_eq!(steps(&text, (0, 0), Motion::Right, 5), [(0, 1), (0, 3), (1, 0), (1, 1), (1, 1)]);
    assert_eq!(steps(&text, (1, 1), Motion::Left, 5), [(1, 0), (0, 3), (0, 1), (0, 0), (0, 0)]);
    assert_eq!(steps(&text, (0, 2), Motion::Right, 1), [(0, 3)], "from the second half of a wide one");
    let ends = [(Motion::LineEnd, None), (Motion::LineStart, None), (Motion::LineEnd, Some(2))];
    assert_eq!(path(&text, (0, 1), &ends), [(1, 1), (0, 0), (2, 0)]);
}

#[test]
fn up_and_down_keep_their_column_where_they_can() {
    let text = text(&["long line", "", "漢字x", "another"]);
    assert_eq!(steps(&text, (0, 3), Motion::Down, 4), [(1, 0), (2, 2), (3, 3), (3, 3)]);
    assert_eq!(path(&text, (3, 6), &[(Motion::Up, Some(9999))]), [(0, 6)]);
    let free = Walk { motion: Motion::Down, count: None, col: 7, free: true };
    assert_eq!(walk(&text, Spot { row: 100, col: 7 }, free), Ok(Spot { row: 101, col: 7 }));
}

#[test]
fn words_are_vis() {
    let text = text(&["foo.bar  baz", "", "  qux", "x"]);
    let all = [(0, 3), (0, 4), (0, 9), (1, 0), (2, 2), (3, 0), (3, 0)];
    assert_eq!(steps(&text, (0, 0), Motion::WordForward, 7), all);
    assert_eq!(steps(&text, (0, 0), Motion::BigForward, 3), [(0, 9), (1, 0), (2, 2)]);
    assert_eq!(steps(&text, (0, 0), Motion::WordEnd, 5), [(0, 2), (0, 3), (0, 6), (0, 11), (2, 4)]);
    assert_eq!(steps(&text, (0, 0), Motion::BigEnd, 2), [(0, 6), (0, 11)]);
    assert_eq!(
        steps(&text, (3, 0), Motion::WordBack, 7),
        [(2, 2), (1, 0), (0, 9), (0, 4), (0, 3), (0, 0), (0, 0)]
    );
    assert_eq!(steps(&text, (0, 9), Motion::BigBack, 2), [(0, 0), (0, 0)]);
    assert_eq!(path(&text, (0, 0), &[(Motion::WordForward, Some(3))]), [(0, 9)]);
}

#[test]
fn paragraphs_and_ends() {
    let text = text(&["one", "two", "", "", "  three", "", ""]);
    assert_eq!(steps(&text, (0, 1), Motion::ParagraphForward, 3), [(2, 0), (5, 0), (6, 0)]);
    assert_eq!(steps(&text, (4, 2), Motion::ParagraphBack, 2), [(3, 0), (0, 0)]);
    let ends =
        [(Motion::Bottom, None), (Motion::Top, None), (Motion::Bottom, Some(5)), (Motion::Top, Some(2))];
    assert_eq!(path(&text, (1, 1), &ends), [(4, 2), (0, 0), (4, 2), (1, 0)]);
    let line = [(Motion::LineStart, None), (Motion::LineText, None), (Motion::LineEnd, None)];
    assert_eq!(path(&text, (4, 4), &line), [(4, 0), (4, 2), (4, 6)]);
}

#[test]
fn who_does_not_have_the_rows_says_so() {
    struct Part(Text);
    impl Rows for Part {
        fn all(&self) -> Range<u64> {
            90..110
        }
        fn row(&self, number: u64) -> Option<TextRow> {
            self.0.row(number)
        }
    }
    let part = Part(text(&["one", "two"]));
    let go =
        |motion| walk(&part, Spot { row: 101, col: 0 }, Walk { motion, count: None, col: 0, free: false });
    assert_eq!(go(Motion::Up), Ok(Spot { row: 100, col: 0 }));
    assert_eq!(go(Motion::Down), Err(Beyond));
    assert_eq!(go(Motion::WordForward), Err(Beyond));
    assert_eq!(go(Motion::Top), Err(Beyond));
    assert_eq!(go(Motion::PromptAbove), Err(Beyond));
}
