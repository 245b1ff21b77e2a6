//! What conformance suites ask of a VT420: each reads the screen back by checksums, as they do.

use super::super::Engine;
use crate::protocol::geometry::Size;
use std::time::Instant;

/// A terminal of 80 columns and 25 rows that tells its checksums.
struct Vt(Engine);

impl Vt {
    fn new() -> Self {
        let mut engine = Engine::new(Size::new(25, 80), 1_000_000);
        engine.allow_checksums(true);
        Self(engine)
    }

    fn after(bytes: &str) -> Self {
        let mut vt = Self::new();
        vt.ask(bytes);
        vt
    }

    /// What it answers.
    fn ask(&mut self, bytes: &str) -> String {
        String::from_utf8(self.ask_bytes(bytes)).expect("answers are text")
    }

    fn ask_bytes(&mut self, bytes: &str) -> Vec<u8> {
        self.0.feed(bytes.as_bytes(), Instant::now()).replies
    }

    /// Column and row of the cursor.
    fn cursor(&mut self) -> (u16, u16) {
        let answer = self.ask("\x1b[6n");
        let place = answer.trim_start_matches("\x1b[").trim_end_matches('R');
        let (row, col) = place.split_once(';').expect("a position");
        (col.parse().unwrap(), row.parse().unwrap())
    }

    /// The characters of a rectangle by its rows; blanks are dots.
    fn read(&mut self, left: u16, top: u16, right: u16, bottom: u16) -> Vec<String> {
        let mut cell = |row, col| {
            let answer = self.ask(&format!("\x1b[1;0;{row};{col};{row};{col}*y"));
            let sum = answer.trim_start_matches("\x1bP1!~").trim_end_matches("\x1b\\");
            let char = 0x10000 - u32::from_str_radix(sum, 16).expect("a sum");
            if char == 0x20 { '.' } else { char::from_u32(char).expect("a character") }
        };
        (top..=bottom).map(|row| (left..=right).map(|col| cell(row, col)).collect()).collect()
    }

    #[track_caller]
    fn shows(&mut self, left: u16, top: u16, rows: &[&str]) {
        let right = left + u16::try_from(rows[0].chars().count()).unwrap() - 1;
        let bottom = top + u16::try_from(rows.len()).unwrap() - 1;
        assert_eq!(self.read(left, top, right, bottom), rows);
    }
}

const MARGINS: &str = "\x1b[?69h\x1b[5;10s\x1b[5;10r";
const NO_MARGINS: &str = "\x1b[?69l\x1b[r\x1b[?6l";
const EIGHT: &str =
    "\x1b[Habcdefgh\r\nijklmnop\r\nqrstuvwx\r\nyz012345\r\nABCDEFGH\r\nIJKLMNOP\r\nQRSTUVWX\r\nYZ6789!@\r\n";

#[test]
fn relative_moves_meet_margins_only_in_origin_mode() {
    let mut vt = Vt::after(&format!("{MARGINS}\x1b[9;9H\x1b[5a"));
    assert_eq!(vt.cursor(), (14, 9), "HPR passes the right margin");
    vt.ask("\x1b[9;9H\x1b[5e");
    assert_eq!(vt.cursor(), (9, 14), "VPR passes the bottom margin");
    vt.ask("\x1b[9;9H\x1b[5B");
    assert_eq!(vt.cursor(), (9, 10), "CUD does not");
    vt.ask("\x1b[?6h\x1b[1;1H\x1b[20e\x1b[20a");
    assert_eq!(vt.cursor(), (6, 6), "in origin mode everything is inside");
}

#[test]
fn tabs_stop_at_margins_and_can_wrap_first() {
    let mut vt = Vt::after("\x1b[?69h\x1b[10;20s");
    let columns: Vec<u16> = (0..4)
        .map(|_| {
            vt.ask("\t");
            vt.cursor().0
        })
        .collect();
    assert_eq!(columns, [9, 17, 20, 20]);
    let full = "x".repeat(80);
    assert_eq!(Vt::after(&format!("\x1b[?41h{full}\t")).cursor(), (9, 2));
    assert_eq!(Vt::after(&format!("{full}\t")).cursor(), (80, 1));
    assert_eq!(Vt::after(&format!("{full}\t2")).cursor(), (2, 2));
    assert_eq!(Vt::after("\x1b[3g\x1b[?5W\t").cursor(), (9, 1));
}

#[test]
fn indexing_columns_shifts_only_inside_the_margins() {
    let start = format!("{EIGHT}\x1b[?69h\x1b[3;5s\x1b[3;5r");
    let mut vt = Vt::after(&format!("{start}\x1b[4;3H\x1b6{NO_MARGINS}"));
    vt.shows(1, 2, &["ijklmnop", "qr.stvwx", "yz.01345", "AB.CDFGH", "IJKLMNOP"]);
    let mut vt = Vt::after(&format!("{start}\x1b[4;5H\x1b9{NO_MARGINS}"));
    vt.shows(1, 2, &["ijklmnop", "qrtu.vwx", "yz12.345", "ABDE.FGH", "IJKLMNOP"]);
    let mut vt = Vt::after(&format!("{start}\x1b[2;3H\x1b6"));
    assert_eq!(vt.cursor(), (3, 2), "at the margin of another row nothing moves");
}

#[test]
fn columns_are_inserted_and_deleted_between_margins() {
    let start = format!("{EIGHT}\x1b[?69h\x1b[2;7s\x1b[2;4r\x1b[3;4H");
    let mut vt = Vt::after(&format!("{start}\x1b[2'}}{NO_MARGINS}"));
    vt.shows(1, 1, &["abcdefgh", "ijk..lmp", "qrs..tux", "yz0..125", "ABCDEFGH"]);
    let mut vt = Vt::after(&format!("{start}\x1b[2'~{NO_MARGINS}"));
    vt.shows(1, 1, &["abcdefgh", "ijkno..p", "qrsvw..x", "yz034..5", "ABCDEFGH"]);
    let mut vt = Vt::after(&format!("{start}\x1b[8;1H\x1b[2'}}{NO_MARGINS}"));
    vt.shows(1, 2, &["ijklmnop"]);
}

#[test]
fn lines_move_between_margins() {
    let start = format!("{EIGHT}\x1b[?69h\x1b[2;4s\x1b[2;5r\x1b[3;3H");
    let mut vt = Vt::after(&format!("{start}\x1b[2L{NO_MARGINS}"));
    vt.shows(1, 1, &["abcdefgh", "ijklmnop", "q...uvwx", "y...2345", "ArstEFGH", "IJKLMNOP"]);
    let mut vt = Vt::after(&format!("{start}\x1b[M{NO_MARGINS}"));
    vt.shows(1, 1, &["abcdefgh", "ijklmnop", "qz01uvwx", "yBCD2345", "A...EFGH", "IJKLMNOP"]);
    let mut vt = Vt::after(&format!("{start}\x1b[S{NO_MARGINS}"));
    vt.shows(1, 1, &["abcdefgh", "irstmnop", "qz01uvwx", "yBCD2345", "A...EFGH", "IJKLMNOP"]);
    let mut vt = Vt::after(&format!("{start}\x1b[T{NO_MARGINS}"));
    vt.shows(1, 1, &["abcdefgh", "i...mnop", "qjkluvwx", "yrst2345", "Az01EFGH", "IJKLMNOP"]);
}

#[test]
fn rectangles_follow_the_origin_and_ignore_margins() {
    for (sequence, filled) in [("33;", '!'), ("", '.')] {
        let last = if sequence.is_empty() { "$z" } else { "$x" };
        let fill = |area: &str| format!("\x1b[{sequence}{area}{last}");
        let three = filled.to_string().repeat(3);
        let (abcd, ijkl, qrst) = (format!("ABCD{three}H"), format!("IJKL{three}P"), format!("QRST{three}X"));
        let mut vt = Vt::after(&format!("{EIGHT}{}", fill("5;5;7;7")));
        vt.shows(1, 4, &["yz012345", &abcd, &ijkl, &qrst, "YZ6789!@"]);
        let mut vt = Vt::after(&format!("{EIGHT}\x1b[?69h\x1b[3;6s\x1b[3;6r{}{NO_MARGINS}", fill("5;5;7;7")));
        vt.shows(1, 4, &["yz012345", &abcd, &ijkl, &qrst, "YZ6789!@"]);
        let mut vt = Vt::after(&format!("{EIGHT}{}", fill("5;5;4;4")));
        vt.shows(1, 4, &["yz012345", "ABCDEFGH"]);
        let origin = format!("{EIGHT}\x1b[?69h\x1b[2;9s\x1b[2;9r\x1b[?6h{}{NO_MARGINS}", fill("1;1;3;3"));
        let mut vt = Vt::after(&origin);
        vt.shows(
            1,
            1,
            &["abcdefgh", &format!("i{three}mnop"), &format!("q{three}uvwx"), &format!("y{three}2345")],
        );
        let mut vt = Vt::after(&format!("{EIGHT}{}", fill("")));
        assert_eq!(vt.cursor(), (1, 9));
        vt.shows(80, 25, &[&filled.to_string()]);
    }
    let mut vt = Vt::after(&format!("{EIGHT}\x1b[2;2;4;4;1;3;3;1$v"));
    vt.shows(1, 1, &["abcdefgh", "ijklmnop", "qrjklvwx", "yzrst345", "ABz01FGH"]);
}

#[test]
fn each_kind_of_protection_has_its_own_erasing() {
    let dec = "\x1b[1\"qabc\x1b[0\"qd";
    let iso = "\x1bVabc\x1bWd";
    for (erase, keeps_dec, keeps_iso) in [
        ("\x1b[2J", false, true),
        ("\x1b[2K", false, true),
        ("\x1b[H\x1b[4X", false, true),
        ("\x1b[?2J", true, true),
        ("\x1b[?2K", true, true),
        ("\x1b[1;1;1;4${", true, false),
        ("\x1b[1;1;1;4$z", false, false),
    ] {
        let kept = |kept| if kept { "abc." } else { "...." };
        let (kept_dec, kept_iso) = (kept(keeps_dec), kept(keeps_iso));
        Vt::after(&format!("{dec}{erase}")).shows(1, 1, &[kept_dec]);
        Vt::after(&format!("{iso}{erase}")).shows(1, 1, &[kept_iso]);
    }
    Vt::after("\x1b[1\"qa\x1b[!p\x1b[HX\x1b[?2J").shows(1, 1, &["."]);
    Vt::after("\x1b[1\"q\x1b7\x1b[0\"q\x1b8a\x1b[1;1;1;1${").shows(1, 1, &["a"]);
}

#[test]
fn the_class_can_be_lowered() {
    assert_eq!(Vt::after("\x1b[62;1\"p").ask("\x1b[4$p"), "");
    assert_eq!(Vt::after("\x1b[63;1\"p").ask("\x1b[4$p"), "\x1b[4;2$y");
    assert_eq!(Vt::after("\x1b[63;1\"p\x1b[?69h\x1b[5;6s\x1b[1;5Habc").cursor(), (8, 1));
    assert_eq!(Vt::after("\x1b[64;1\"p\x1b[?69h\x1b[5;6s\x1b[1;5Habc").cursor(), (6, 2));
    assert_eq!(Vt::after("\x1b[65;1\"p").ask("\x1bP$q\"p\x1b\\"), "\x1bP1$r64;1\"p\x1b\\");
    let mut vt = Vt::after("x\x1b[6;5H\x1b7\x1b[4h\x1b[61\"p\x1b8");
    assert_eq!(vt.cursor(), (1, 1));
    vt.shows(1, 1, &["."]);
}

#[test]
fn answers_can_begin_with_c1_characters() {
    let mut vt = Vt::after("\x1b G");
    assert_eq!(vt.ask_bytes("\x1b[6n"), b"\x9b1;1R");
    assert_eq!(vt.ask_bytes("\x1bP$qr\x1b\\"), b"\x901$r1;25r\x9c");
    assert_eq!(vt.ask_bytes("\x1b]10;?\x07"), b"\x9d10;rgb:cccc/cccc/cccc\x07");
    assert_eq!(vt.ask_bytes("\x1bP$q\"p\x1b\\"), b"\x901$r64;0\"p\x9c");
    assert_eq!(vt.ask_bytes("\x1b F\x1b[5n"), b"\x1b[0n");
    // DECSCL chooses too; the first class has no such characters.
    for (sequence, answer) in [
        ("\x1b[64\"p", &b"\x9b0n"[..]),
        ("\x1b[62;2\"p", b"\x9b0n"),
        ("\x1b[64;1\"p", b"\x1b[0n"),
        ("\x1b[61\"p\x1b G", b"\x1b[0n"),
        ("\x1b G\x1bc", b"\x1b[0n"),
    ] {
        assert_eq!(Vt::after(sequence).ask_bytes("\x1b[5n"), answer, "{sequence:?}");
    }
}

#[test]
fn a_pane_is_all_the_screen_there_is() {
    let mut vt = Vt::new();
    assert_eq!(vt.ask("\x1b[14t\x1b[15t"), "\x1b[4;400;640t\x1b[5;400;640t");
    assert_eq!(vt.ask("\x1b[18t\x1b[19t"), "\x1b[8;25;80t\x1b[9;25;80t");
}

#[test]
fn a_change_of_columns_clears_where_it_is_allowed() {
    let change = "\x1b[5;5Hxyz\x1b[1;2r\x1b[?69h\x1b[1;2s\x1b[?3h";
    let mut vt = Vt::after(&format!("\x1b[?40h{change}"));
    assert_eq!(vt.cursor(), (1, 1));
    vt.ask("\r\nHello\r\nWorld");
    vt.shows(1, 2, &["Hello", "World"]);
    vt.shows(5, 5, &["."]);
    Vt::after(change).shows(5, 5, &["xyz"]);
}

#[test]
fn modes_are_told_as_set_reset_or_never_set() {
    let mut vt = Vt::new();
    for mode in [2, 4, 12, 20] {
        for (letter, state) in [('h', 1), ('l', 2)] {
            let answer = vt.ask(&format!("\x1b[{mode}{letter}\x1b[{mode}$p"));
            assert_eq!(answer, format!("\x1b[{mode};{state}$y"));
        }
    }
    for mode in [1, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19] {
        assert_eq!(vt.ask(&format!("\x1b[{mode}$p")), format!("\x1b[{mode};4$y"));
    }
    vt.ask("\x1b[?40h");
    let modes = [
        1, 3, 4, 5, 6, 7, 9, 12, 18, 19, 25, 40, 41, 42, 45, 47, 66, 67, 69, 1000, 1002, 1003, 1004, 1005,
        1006, 1007, 1015, 1016, 1045, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 2048,
    ];
    for mode in modes {
        for (letter, state) in [('h', 1), ('l', 2)] {
            let answer = vt.ask(&format!("\x1b[?{mode}{letter}"));
            assert!(answer.is_empty() || mode == 2048, "{mode}");
            assert_eq!(vt.ask(&format!("\x1b[?{mode}$p")), format!("\x1b[?{mode};{state}$y"));
        }
    }
    assert_eq!(vt.ask("\x1b[?9999$p\x1b[99$p"), "\x1b[?9999;0$y\x1b[99;0$y");
}

#[test]
fn states_and_settings_are_told() {
    let mut vt = Vt::after("\x1b[6;5H");
    assert_eq!(vt.ask("\x1b[?6n"), "\x1b[?6;5;1R");
    assert_eq!(vt.ask("\x1b[?62n\x1b[?63;123n"), "\x1b[0*{\x1bP123!~0000\x1b\\");
    assert_eq!(vt.ask("\x1b[?75n\x1b[?85n"), "\x1b[?70n\x1b[?83n");
    for setting in ["0$}", "0$~", "25t", "25*|", "0*x", "1;25r", "1;80s"] {
        let name = setting.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';');
        assert_eq!(vt.ask(&format!("\x1bP$q{name}\x1b\\")), format!("\x1bP1$r{setting}\x1b\\"));
    }
    assert_eq!(vt.ask("\x1b[2*x\x1bP$q*x\x1b\\"), "\x1bP1$r2*x\x1b\\");
}

#[test]
fn checksums_can_be_told_in_other_ways() {
    let ask = "\x1b[1;0;1;1;1;1*y";
    let mut vt = Vt::after("\x1b[1mA");
    assert_eq!(vt.ask(ask), "\x1bP1!~FFBF\x1b\\");
    assert_eq!(vt.ask(&format!("\x1b[0#y{ask}")), "\x1bP1!~FF3F\x1b\\", "with its attributes");
    assert_eq!(vt.ask(&format!("\x1b[3#y{ask}")), "\x1bP1!~0041\x1b\\", "not negated");
}

#[test]
fn titles_are_set_told_and_kept_apart() {
    let mut vt = Vt::after("\x1b]2;window\x07\x1b]1;icon\x07");
    let told = "\x1b[21t\x1b[20t";
    assert_eq!(vt.ask(told), "\x1b]lwindow\x1b\\\x1b]Licon\x1b\\");
    // Both kept at once, one taken back: the other is gone with it.
    vt.ask("\x1b]0;s\x07\x1b[22;0t\x1b]2;x\x07\x1b]1;x\x07\x1b[23;1t\x1b[23;2t");
    assert_eq!(vt.ask(told), "\x1b]lx\x1b\\\x1b]Ls\x1b\\");
    // Kept one after the other, taken back at once.
    vt.ask("\x1b]2;w\x07\x1b]1;i\x07\x1b[22;1t\x1b[22;2t\x1b]2;y\x07\x1b]1;z\x07\x1b[23;0t");
    assert_eq!(vt.ask(told), "\x1b]lw\x1b\\\x1b]Li\x1b\\");
    assert_eq!(vt.ask("\x1b[>0;1t\x1b]2;6162\x07\x1b[21t"), "\x1b]l6162\x1b\\");
    assert_eq!(vt.ask("\x1b[>1T\x1b[21t"), "\x1b]lab\x1b\\");
    assert_eq!(vt.ask("\x1bc\x1b]2;ab\x07\x1b[21t"), "\x1b]lab\x1b\\");
}

#[test]
fn the_cursor_wraps_back_by_either_mode() {
    assert_eq!(Vt::after("\x1b[?1045h\x1b[3;1H\x08").cursor(), (80, 2));
    assert_eq!(Vt::after("\x1b[?45h\x1b[1;1H\x1bE\x08").cursor(), (1, 2));
    assert_eq!(Vt::after("\x1b[?1045h\x1b[?7l\x1b[3;1H\x08").cursor(), (1, 3));
    assert_eq!(Vt::after("\x1b[?1045h\x1b[?69h\x1b[5;10s\x1b[3;5H\x08").cursor(), (10, 2));
    assert_eq!(Vt::after("\x1b[?1045h\x1b[?69h\x1b[5;10s\x1b[3;1H\x08").cursor(), (10, 2));
    assert_eq!(Vt::after("\x1b[?1045h\x1b[2;5r\x1b[2;1H\x08").cursor(), (80, 5));
    assert_eq!(Vt::after("\x1b[?1045h\x1b[!p\x1b[2;1H\x08").cursor(), (1, 2));
    let two = format!("\x1b[?45h\x1b[3;1H{0}\n{0}{1}", "*".repeat(164), "\x08".repeat(400));
    assert_eq!(Vt::after(&two).cursor(), (1, 6));
}

#[test]
fn repeating_keeps_to_the_margins() {
    let mut vt = Vt::after("\x1b[?69h\x1b[2;4s\x1b[1;2Ha\x1b[4b\x1b[?69l");
    vt.shows(1, 1, &[".aaa.", ".aa.."]);
    Vt::after("a\x1b[b").shows(1, 1, &["aa."]);
}

#[test]
fn the_technical_and_drawing_characters_are_shown() {
    let mut vt = Vt::after("\x1b(>abG{~\x1b(0qx\x1b(A#\x1b(Bq");
    vt.shows(1, 1, &["αβΓ←↓─│£q"]);
}

#[test]
fn the_pointers_shape_is_kept() {
    assert_eq!(Vt::after("\x1b]22;text\x07").ask("\x1b]22;?__current__\x07"), "\x1b]22;text\x07");
    assert_eq!(Vt::after("\x1b]22;text\x07\x1bc").ask("\x1b]22;?__current__\x1b\\"), "\x1b]22;\x1b\\");
}
