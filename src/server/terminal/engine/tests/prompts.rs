//! Prompts and the output of commands: found again wherever their text has gone.

use super::fed;
use crate::protocol::geometry::Size;
use crate::server::terminal::engine::{CommandOutput, Engine, Spot};
use std::time::Instant;

const PROMPT: &str = "\x1b]133;A\x07$ \x1b]133;B\x07";

/// A command, its output and its end.
fn command(typed: &str, output: &str, exit: i32) -> String {
    format!("{PROMPT}{typed}\r\n\x1b]133;C\x07{output}\x1b]133;D;{exit}\x07")
}

fn spot(row: u64, col: u16) -> Spot {
    Spot { row, col }
}

/// All prompts, from the last one up.
fn prompts(engine: &Engine) -> Vec<u64> {
    let last = engine.history().end + u64::from(engine.size().rows);
    std::iter::successors(engine.prompt_before(last), |row| engine.prompt_before(*row)).collect()
}

/// The text of a command's output by its rows.
fn output(engine: &mut Engine, row: u64) -> Option<(String, Option<i32>)> {
    let CommandOutput { start, end, exit } = engine.command_output(row)?;
    let screen = engine.history().end;
    let mut text = String::new();
    for number in start.row..=end.row {
        let view = if number < screen { super::View::From(number) } else { super::View::Live };
        let at = if number < screen { 0 } else { usize::try_from(number - screen).unwrap() };
        let row = engine.frame(view).rows.get(at).map(|row| row.text()).unwrap_or_default();
        let cells: Vec<char> = row.chars().collect();
        let from = if number == start.row { usize::from(start.col) } else { 0 };
        let to = if number == end.row { usize::from(end.col).min(cells.len()) } else { cells.len() };
        text.extend(&cells[from.min(to)..to]);
        text.push('|');
    }
    Some((text.trim_end_matches('|').to_owned(), exit))
}

#[test]
fn prompts_and_outputs_are_found_on_the_screen() {
    let bytes = command("one", "1\r\n", 0) + &command("two", "2\r\n2\r\n", 3) + PROMPT;
    let engine = fed(10, 20, bytes.as_bytes());
    assert_eq!(prompts(&engine), [5, 2, 0]);
    assert_eq!(engine.prompt_after(0), Some(2));
    assert_eq!(engine.prompt_after(1), Some(2));
    assert_eq!(engine.prompt_after(5), None);
    for row in [2, 3, 4] {
        let found = CommandOutput { start: spot(3, 0), end: spot(5, 0), exit: Some(3) };
        assert_eq!(engine.command_output(row), Some(found), "row {row}");
    }
    assert_eq!(engine.command_output(5), None);
}

#[test]
fn a_running_commands_output_reaches_to_the_cursor() {
    let engine = fed(10, 20, format!("{PROMPT}x\r\n\x1b]133;C\x07a\r\nbc").as_bytes());
    let found = CommandOutput { start: spot(1, 0), end: spot(2, 2), exit: None };
    assert_eq!(engine.command_output(0), Some(found));
}

#[test]
fn output_that_does_not_end_its_line_ends_at_the_prompt() {
    let engine = fed(10, 20, (command("x", "abc", 1) + PROMPT).as_bytes());
    let found = CommandOutput { start: spot(1, 0), end: spot(1, 3), exit: Some(1) };
    assert_eq!(engine.command_output(0), Some(found));
    assert_eq!(engine.command_output(1), None);
}

#[test]
fn marks_move_into_the_history_and_through_every_width_and_back() {
    let mut bytes = String::new();
    let status = |number: usize| i32::try_from(number).unwrap();
    for number in 0..40 {
        bytes += &command(
            &format!("command {number}"),
            &format!("{number}: {}\r\n", "\u{4e2d}x".repeat(number)),
            status(number),
        );
    }
    bytes += PROMPT;
    let mut engine = fed(6, 40, bytes.as_bytes());
    let before = prompts(&engine);
    assert_eq!(before.len(), 41);
    for cols in [40, 7, 100, 13, 40] {
        engine.resize(Size::new(6, cols));
        let mut found = prompts(&engine);
        found.reverse();
        assert_eq!(found.len(), 41, "{cols} columns");
        for (number, row) in found[..40].iter().enumerate() {
            let (text, exit) = output(&mut engine, *row).unwrap();
            let wanted = format!("{number}: {}", "\u{4e2d}x".repeat(number));
            assert_eq!(text.replace('|', ""), wanted.trim_end(), "{cols} columns");
            assert_eq!(exit, Some(status(number)));
        }
    }
    assert_eq!(prompts(&engine), before);
}

#[test]
fn an_exit_status_finds_its_prompt_in_the_history() {
    let output: String = (0..100).map(|number| format!("{number}\r\n")).collect();
    let mut engine = fed(5, 20, command("x", &output, 9).as_bytes());
    assert_eq!(engine.command_output(50).unwrap().exit, Some(9));
    // Without a command that runs a status says nothing.
    engine.feed(b"\x1b]133;D;1\x07", Instant::now());
    assert_eq!(engine.command_output(50).unwrap().exit, Some(9));
}

#[test]
fn a_cleared_screen_has_no_prompt_and_the_alternate_one_none_of_its_own() {
    let mut engine = fed(5, 20, format!("a\r\n{PROMPT}\x1b[2J").as_bytes());
    assert_eq!(prompts(&engine), [1], "the history keeps what was cleared");
    engine.feed(format!("\x1b[3J\x1b[?1049h{PROMPT}").as_bytes(), Instant::now());
    assert!(prompts(&engine).is_empty());
    engine.feed(b"\x1b[?1049l", Instant::now());
    assert!(prompts(&engine).is_empty());
}
