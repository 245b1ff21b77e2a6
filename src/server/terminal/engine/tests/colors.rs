//! Colours that a program sets and asks for, and the reverse screen.

use super::{effects, fed};
use crate::protocol::style::{Attrs, Color, Style};
use crate::server::terminal::engine::{Engine, View};
use std::time::Instant;

fn replies(bytes: &str) -> String {
    String::from_utf8(effects(bytes.as_bytes()).replies).expect("answers are ASCII")
}

/// The styles of the first row's runs, with their lengths.
fn styles(engine: &mut Engine) -> Vec<(Style, usize)> {
    let row = engine.frame(View::Live).rows[0].clone();
    row.runs.iter().map(|run| (run.style, run.text.chars().count())).collect()
}

#[test]
fn colours_are_told_as_they_are_or_were_set() {
    let asked = "\x1b]4;1;?;16;?\x07";
    assert_eq!(replies(asked), "\x1b]4;1;rgb:cdcd/0000/0000\x07\x1b]4;16;rgb:0000/0000/0000\x07");
    assert_eq!(replies("\x1b]4;1;rgb:10/20/30\x07\x1b]4;1;?\x1b\\"), "\x1b]4;1;rgb:1010/2020/3030\x1b\\");
    assert_eq!(
        replies("\x1b]4;1;#102030\x07\x1b]104;1\x07\x1b]4;1;?\x07"),
        "\x1b]4;1;rgb:cdcd/0000/0000\x07"
    );
    assert_eq!(replies("\x1b]4;1;#102030\x07\x1b]104\x07\x1b]4;1;?\x07"), "\x1b]4;1;rgb:cdcd/0000/0000\x07");
    assert_eq!(replies("\x1b]5;0;#102030\x07\x1b]5;0;?\x07"), "\x1b]5;0;rgb:1010/2020/3030\x07");
    assert_eq!(replies("\x1b]4;300;#102030\x07\x1b]4;300;?\x07"), "");
    for (number, reset) in [(10, 110), (11, 111), (12, 112), (17, 117), (19, 119)] {
        let before = replies(&format!("\x1b]{number};?\x07"));
        let set = format!("\x1b]{number};#123456\x07");
        let ask = format!("\x1b]{number};?\x07");
        assert_eq!(replies(&format!("{set}{ask}")), format!("\x1b]{number};rgb:1212/3434/5656\x07"));
        assert_eq!(replies(&format!("{set}\x1b]{reset}\x07{ask}")), before);
        assert_eq!(replies(&format!("{set}\x1bc{ask}")), before);
    }
    // Several at once go to the numbers that follow.
    assert_eq!(replies("\x1b]10;#010101;#020202\x07\x1b]11;?\x07"), "\x1b]11;rgb:0202/0202/0202\x07");
}

#[test]
fn the_scheme_follows_the_ground() {
    assert_eq!(replies("\x1b[?996n"), "\x1b[?997;1n");
    assert_eq!(replies("\x1b]11;#ffffff\x07\x1b[?996n"), "\x1b[?997;2n");
}

#[test]
fn a_palette_that_was_set_shows_in_pictures() {
    let mut engine = fed(2, 6, b"\x1b[31ma\x1b[mb\x1b]4;1;#010203\x07");
    let plain = Style::default();
    assert_eq!(styles(&mut engine), [(Style { fg: Color::Rgb(1, 2, 3), ..plain }, 1), (plain, 1)]);
    let before = engine.revision();
    engine.feed(b"\x1b]11;#000010\x07", Instant::now());
    assert!(engine.revision() > before);
    let ground = Style { bg: Color::Rgb(0, 0, 16), ..plain };
    let red = Style { fg: Color::Rgb(1, 2, 3), ..ground };
    assert_eq!(styles(&mut engine), [(red, 1), (ground, 5)]);
    engine.feed(b"\x1b]104\x07\x1b]111\x07", Instant::now());
    assert_eq!(styles(&mut engine), [(Style { fg: Color::Indexed(1), ..plain }, 1), (plain, 1)]);
}

#[test]
fn a_reversed_screen_is_drawn_reversed() {
    let mut engine = fed(2, 6, "漢\x1b[7mb\x1b[?5h".as_bytes());
    let (plain, reverse) = (Style::default(), Style { attrs: Attrs::REVERSE, ..Style::default() });
    assert_eq!(styles(&mut engine), [(reverse, 1), (plain, 1), (reverse, 3)]);
    engine.feed(b"\x1b[?5l", Instant::now());
    assert_eq!(styles(&mut engine), [(plain, 1), (reverse, 1)]);
}

#[test]
fn who_asks_for_it_is_told_when_the_ground_becomes_light_or_dark() {
    let (light, dark) = ("\x1b]11;#ffffff\x07", "\x1b]11;#101010\x07");
    assert_eq!(replies(&format!("{light}{dark}")), "");
    assert_eq!(replies(&format!("\x1b[?2031h{light}{light}")), "\x1b[?997;2n");
    assert_eq!(replies(&format!("\x1b[?2031h{light}{dark}")), "\x1b[?997;2n\x1b[?997;1n");
    assert_eq!(replies(&format!("\x1b[?2031h{light}\x1b]111\x07")), "\x1b[?997;2n\x1b[?997;1n");
    assert_eq!(replies(&format!("\x1b[?2031h\x1b[?2031l{light}")), "");
}
