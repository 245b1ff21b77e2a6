//! Colours that a program sets and asks for, and the reverse screen.

use super::{effects, fed};
use crate::protocol::outer::OuterColors;
use crate::protocol::style::{Attrs, Color, Style};
use crate::server::terminal::engine::{Effects, Engine, View};
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

fn outer(ground: u8) -> OuterColors {
    let mut palette = [None; 16];
    palette[1] = Some((1, 2, 3));
    OuterColors { text: Some((9, 9, 9)), ground: Some((ground, ground, ground)), cursor: None, palette }
}

#[test]
fn colours_that_were_not_set_are_told_as_the_outer_terminals() {
    let mut engine = fed(2, 10, b"");
    assert_eq!(engine.shown_in(outer(0xff)), Effects::default(), "nobody asked");
    let now = Instant::now();
    let asked = b"\x1b]10;?;?;?\x07\x1b]4;1;?;2;?;256;?\x07\x1b]17;?\x07\x1b[?996n";
    let told = String::from_utf8(engine.feed(asked, now).replies).unwrap();
    let mine = "\x1b]10;rgb:0909/0909/0909\x07\x1b]11;rgb:ffff/ffff/ffff\x07\x1b]12;rgb:0909/0909/0909\x07\
        \x1b]4;1;rgb:0101/0202/0303\x07\x1b]4;2;rgb:0000/cdcd/0000\x07\x1b]4;256;rgb:0909/0909/0909\x07\
        \x1b]17;rgb:0909/0909/0909\x07\x1b[?997;2n";
    assert_eq!(told, mine);
    engine.shown_in(OuterColors { cursor: Some((7, 7, 7)), ..outer(0) });
    let told =
        engine.feed(b"\x1b]12;?\x07\x1b]11;#fff\x07\x1b[!p\x1b]11;?\x07\x1bc\x1b]11;?\x07", now).replies;
    let told = String::from_utf8(told).unwrap();
    let set_and_reset = "\x1b]11;rgb:f0f0/f0f0/f0f0\x07\x1b]11;rgb:0000/0000/0000\x07";
    assert_eq!(told, format!("\x1b]12;rgb:0707/0707/0707\x07{set_and_reset}"));
}

#[test]
fn who_asked_for_it_is_told_when_dark_becomes_light() {
    let mut engine = fed(2, 10, b"\x1b[?2031h");
    let told = |effects: Effects| String::from_utf8(effects.replies).unwrap();
    assert_eq!(told(engine.shown_in(outer(0x10))), "", "dark as before");
    assert_eq!(told(engine.shown_in(outer(0xf0))), "\x1b[?997;2n");
    assert_eq!(told(engine.shown_in(OuterColors::default())), "\x1b[?997;1n", "nobody knows better");
    engine.feed(b"\x1b]11;#fff\x07", Instant::now());
    assert_eq!(told(engine.shown_in(outer(0))), "", "what the program has set stays");
}
