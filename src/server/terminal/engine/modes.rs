//! The child's modes: their packed form, which encoders and drivers read, and the state behind it.
//!
//! Invariant: every mode is kept here, so that one place answers for them.

use crate::protocol::frame::ScreenModes;

/// The child's modes that decide how input is encoded; packed, so that it fits an atomic.
/// Filled from the child's output, read by `encode` and by the drivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes(pub u64);

/// Which mouse events the child wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseProtocol {
    /// None.
    #[default]
    None,
    /// Presses only, without modifiers (9).
    X10,
    /// Presses, releases and the wheel (1000).
    Normal,
    /// Also motion with a button held (1002).
    ButtonMotion,
    /// Also motion without a button (1003).
    AnyMotion,
}

/// How mouse events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseEncoding {
    /// Three bytes.
    #[default]
    Default,
    /// Three UTF-8 characters (1005).
    Utf8,
    /// Decimal numbers (1006).
    Sgr,
    /// Decimal numbers without a release of its own (1015).
    Urxvt,
    /// As 1006, in pixels (1016).
    SgrPixels,
}

const MOUSE_PROTOCOLS: [(u16, MouseProtocol); 4] = [
    (9, MouseProtocol::X10),
    (1000, MouseProtocol::Normal),
    (1002, MouseProtocol::ButtonMotion),
    (1003, MouseProtocol::AnyMotion),
];
const MOUSE_ENCODINGS: [(u16, MouseEncoding); 4] = [
    (1005, MouseEncoding::Utf8),
    (1006, MouseEncoding::Sgr),
    (1015, MouseEncoding::Urxvt),
    (1016, MouseEncoding::SgrPixels),
];
/// The private modes that are nothing but a bit.
const BITS: [(u16, u64); 6] = [
    (1, Modes::APPLICATION_CURSOR),
    (66, Modes::APPLICATION_KEYPAD),
    (67, Modes::BACKARROW),
    (1004, Modes::FOCUS_EVENTS),
    (1007, Modes::ALTERNATE_SCROLL),
    (2004, Modes::BRACKETED_PASTE),
];
const MOUSE_PROTOCOL_SHIFT: u32 = 8;
const MOUSE_ENCODING_SHIFT: u32 = 11;
const KITTY_SHIFT: u32 = 16;
const MODIFY_OTHER_KEYS_SHIFT: u32 = 24;
/// All five flags of the kitty keyboard protocol.
const KITTY_FLAGS: u16 = 0x1f;
/// Entries of one kitty keyboard stack; the oldest goes first (`spec/terminal.md` section 2).
const KITTY_STACK: usize = 32;

impl Modes {
    /// DECCKM.
    pub const APPLICATION_CURSOR: u64 = 1;
    /// DECPAM / DECNKM.
    pub const APPLICATION_KEYPAD: u64 = 1 << 1;
    /// 2004.
    pub const BRACKETED_PASTE: u64 = 1 << 2;
    /// 1004.
    pub const FOCUS_EVENTS: u64 = 1 << 3;
    /// The alternate screen is shown.
    pub const ALTERNATE_SCREEN: u64 = 1 << 4;
    /// 1007 (on by default, as in xterm's most common set-up).
    pub const ALTERNATE_SCROLL: u64 = 1 << 5;
    /// LNM: Enter sends CR LF.
    pub const NEWLINE: u64 = 1 << 6;
    /// DECBKM: Backspace sends BS instead of DEL.
    pub const BACKARROW: u64 = 1 << 7;
    // bits 8-10: mouse protocol, 11-13: mouse encoding, 16-20: kitty flags, 24-25: modifyOtherKeys

    /// Whether the mode of this bit is set.
    #[must_use]
    pub const fn contains(self, bit: u64) -> bool {
        self.0 & bit == bit
    }

    /// Which mouse events the child wants.
    #[must_use]
    pub const fn mouse_protocol(self) -> MouseProtocol {
        match self.0 >> MOUSE_PROTOCOL_SHIFT & 7 {
            1 => MouseProtocol::X10,
            2 => MouseProtocol::Normal,
            3 => MouseProtocol::ButtonMotion,
            4 => MouseProtocol::AnyMotion,
            _ => MouseProtocol::None,
        }
    }

    /// How mouse events are written.
    #[must_use]
    pub const fn mouse_encoding(self) -> MouseEncoding {
        match self.0 >> MOUSE_ENCODING_SHIFT & 7 {
            1 => MouseEncoding::Utf8,
            2 => MouseEncoding::Sgr,
            3 => MouseEncoding::Urxvt,
            4 => MouseEncoding::SgrPixels,
            _ => MouseEncoding::Default,
        }
    }

    /// The flags of the kitty keyboard protocol (0–31).
    #[must_use]
    pub const fn kitty_flags(self) -> u8 {
        self.field(KITTY_SHIFT, KITTY_FLAGS as u64)
    }

    /// The level of xterm's modifyOtherKeys (0–2).
    #[must_use]
    pub const fn modify_other_keys(self) -> u8 {
        self.field(MODIFY_OTHER_KEYS_SHIFT, 3)
    }

    #[allow(clippy::cast_possible_truncation)] // the masks are narrower than a byte
    const fn field(self, shift: u32, mask: u64) -> u8 {
        (self.0 >> shift & mask) as u8
    }

    /// What a client must know of them.
    #[must_use]
    pub fn screen_modes(self) -> ScreenModes {
        let protocol = self.mouse_protocol();
        let shown = [
            (self.contains(Self::ALTERNATE_SCREEN), ScreenModes::ALTERNATE),
            (self.contains(Self::APPLICATION_CURSOR), ScreenModes::APPLICATION_CURSOR),
            (protocol != MouseProtocol::None, ScreenModes::MOUSE),
            (protocol == MouseProtocol::AnyMotion, ScreenModes::MOUSE_MOTION),
        ];
        shown.iter().filter(|(on, _)| *on).fold(ScreenModes::default(), |set, (_, one)| set.with(*one))
    }
}

/// The kitty keyboard flags of one screen.
#[derive(Debug, Clone, Default)]
struct KittyStack {
    flags: u8,
    saved: Vec<u8>,
}

impl KittyStack {
    fn push(&mut self, flags: u16) {
        if self.saved.len() == KITTY_STACK {
            self.saved.remove(0);
        }
        self.saved.push(self.flags);
        self.flags = low_flags(flags);
    }

    fn pop(&mut self, count: u16) {
        for _ in 0..usize::from(count).min(KITTY_STACK + 1) {
            self.flags = self.saved.pop().unwrap_or(0);
        }
    }

    fn set(&mut self, flags: u16, how: u16) {
        let flags = low_flags(flags);
        match how {
            2 => self.flags |= flags,
            3 => self.flags &= !flags,
            _ => self.flags = flags,
        }
    }
}

fn low_flags(flags: u16) -> u8 {
    (flags & KITTY_FLAGS).to_le_bytes()[0]
}

/// A step of the kitty keyboard protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kitty {
    /// `CSI > flags u`
    Push(u16),
    /// `CSI < count u`
    Pop(u16),
    /// `CSI = flags ; how u`
    Set(u16, u16),
}

/// Where a mode is kept.
type Flag = fn(&mut ModeState) -> &mut bool;
/// The private modes that only the terminal itself acts on, or that only a report tells.
const FLAGS: [(u16, Flag); 20] = [
    (3, |modes| &mut modes.wide_screen),
    (4, |modes| &mut modes.smooth_scroll),
    (5, |modes| &mut modes.reverse_screen),
    (6, |modes| &mut modes.origin),
    (7, |modes| &mut modes.autowrap),
    (12, |modes| &mut modes.cursor_blinks),
    (18, |modes| &mut modes.print_form_feed),
    (19, |modes| &mut modes.print_extent),
    (25, |modes| &mut modes.cursor_visible),
    (40, |modes| &mut modes.allows_wide_screen),
    (41, |modes| &mut modes.tab_wraps),
    (42, |modes| &mut modes.national),
    (45, |modes| &mut modes.reverse_wrap),
    (69, |modes| &mut modes.column_margins),
    (1045, |modes| &mut modes.reverse_wrap_all),
    (1048, |modes| &mut modes.cursor_saved),
    (2026, |modes| &mut modes.synchronized),
    (2027, |modes| &mut modes.graphemes),
    (2031, |modes| &mut modes.tells_colors),
    (2048, |modes| &mut modes.tells_size),
];
/// Modes that XTSAVE can save.
const SAVED: usize = 64;

/// The modes of one terminal.
#[derive(Debug, Clone)]
pub(super) struct ModeState {
    bits: u64,
    protocol: MouseProtocol,
    encoding: MouseEncoding,
    /// Of the primary and the alternate screen.
    kitty: [KittyStack; 2],
    modify_other_keys: u8,
    /// DECTCEM.
    pub(super) cursor_visible: bool,
    /// For reports only.
    cursor_blinks: bool,
    /// DECOM.
    pub(super) origin: bool,
    /// DECAWM.
    pub(super) autowrap: bool,
    /// IRM.
    pub(super) insert: bool,
    /// KAM, for reports only.
    keyboard_locked: bool,
    /// SRM, for reports only: characters are never echoed here.
    send_receive: bool,
    /// DECCOLM: as far as reports are concerned.
    wide_screen: bool,
    /// DECSCLM, for reports only.
    smooth_scroll: bool,
    /// DECPFF, for reports only.
    print_form_feed: bool,
    /// DECPEX, for reports only.
    print_extent: bool,
    /// 40: DECCOLM does something.
    pub(super) allows_wide_screen: bool,
    /// 41: a tab beyond the last column wraps first.
    pub(super) tab_wraps: bool,
    /// DECNRCM, for reports only.
    national: bool,
    /// DECSCNM.
    pub(super) reverse_screen: bool,
    /// 45.
    pub(super) reverse_wrap: bool,
    /// 1045.
    pub(super) reverse_wrap_all: bool,
    /// DECLRMM.
    pub(super) column_margins: bool,
    /// 1048, for reports only.
    cursor_saved: bool,
    /// 2026, as far as DECRQM is concerned.
    pub(super) synchronized: bool,
    /// 2027.
    pub(super) graphemes: bool,
    /// 2031.
    pub(super) tells_colors: bool,
    /// 2048.
    pub(super) tells_size: bool,
    /// XTSAVE.
    saved: Vec<(u16, bool)>,
}

impl Default for ModeState {
    fn default() -> Self {
        Self {
            bits: Modes::ALTERNATE_SCROLL,
            protocol: MouseProtocol::None,
            encoding: MouseEncoding::Default,
            kitty: Default::default(),
            modify_other_keys: 0,
            cursor_visible: true,
            cursor_blinks: false,
            origin: false,
            autowrap: true,
            insert: false,
            keyboard_locked: false,
            send_receive: true,
            wide_screen: false,
            smooth_scroll: false,
            print_form_feed: false,
            print_extent: true,
            allows_wide_screen: false,
            tab_wraps: false,
            national: false,
            reverse_screen: false,
            reverse_wrap: false,
            reverse_wrap_all: false,
            column_margins: false,
            cursor_saved: false,
            synchronized: false,
            graphemes: true,
            tells_colors: false,
            tells_size: false,
            saved: Vec::new(),
        }
    }
}

impl ModeState {
    pub(super) fn packed(&self) -> Modes {
        Modes(
            self.bits
                | (self.protocol as u64) << MOUSE_PROTOCOL_SHIFT
                | (self.encoding as u64) << MOUSE_ENCODING_SHIFT
                | u64::from(self.kitty_flags()) << KITTY_SHIFT
                | u64::from(self.modify_other_keys) << MODIFY_OTHER_KEYS_SHIFT,
        )
    }

    fn is_alternate(&self) -> bool {
        self.bits & Modes::ALTERNATE_SCREEN != 0
    }

    pub(super) fn put(&mut self, bit: u64, on: bool) {
        self.bits = if on { self.bits | bit } else { self.bits & !bit };
    }

    /// SM, RM.
    pub(super) fn ansi(&mut self, mode: u16, on: bool) {
        match mode {
            2 => self.keyboard_locked = on,
            4 => self.insert = on,
            12 => self.send_receive = on,
            20 => self.put(Modes::NEWLINE, on),
            _ => {}
        }
    }

    /// Whether an ANSI mode is set; `None` for one that is not known.
    pub(super) fn is_ansi_set(&self, mode: u16) -> Option<bool> {
        match mode {
            2 => Some(self.keyboard_locked),
            4 => Some(self.insert),
            12 => Some(self.send_receive),
            20 => Some(self.packed().contains(Modes::NEWLINE)),
            _ => None,
        }
    }

    /// Whether a mode is known to be reset for ever: ANSI modes of other kinds of terminals, and the keys'
    /// repetition, which is not ours.
    pub(super) fn is_never_set(private: bool, mode: u16) -> bool {
        if private { mode == 8 } else { matches!(mode, 1 | 3 | 5 | 7 | 10 | 11 | 13..=19) }
    }

    /// Sets or resets a private mode. Resetting any mouse protocol or encoding gives the default, as in xterm.
    pub(super) fn private(&mut self, mode: u16, on: bool) {
        if let Some((_, bit)) = BITS.iter().find(|(number, _)| *number == mode) {
            self.put(*bit, on);
        } else if let Some((_, protocol)) = MOUSE_PROTOCOLS.iter().find(|(number, _)| *number == mode) {
            self.protocol = if on { *protocol } else { MouseProtocol::None };
        } else if let Some((_, encoding)) = MOUSE_ENCODINGS.iter().find(|(number, _)| *number == mode) {
            self.encoding = if on { *encoding } else { MouseEncoding::Default };
        } else if let Some((_, flag)) = FLAGS.iter().find(|(number, _)| *number == mode) {
            *flag(self) = on;
        }
    }

    /// Whether a private mode is set; `None` for one that is not known.
    pub(super) fn is_private_set(&mut self, mode: u16) -> Option<bool> {
        if let Some((_, bit)) = BITS.iter().find(|(number, _)| *number == mode) {
            return Some(self.bits & bit != 0);
        }
        if let Some((_, protocol)) = MOUSE_PROTOCOLS.iter().find(|(number, _)| *number == mode) {
            return Some(self.protocol == *protocol);
        }
        if let Some((_, encoding)) = MOUSE_ENCODINGS.iter().find(|(number, _)| *number == mode) {
            return Some(self.encoding == *encoding);
        }
        if let Some((_, flag)) = FLAGS.iter().find(|(number, _)| *number == mode) {
            return Some(*flag(self));
        }
        matches!(mode, 47 | 1047 | 1049).then(|| self.is_alternate())
    }

    /// XTSAVE.
    pub(super) fn save(&mut self, mode: u16) {
        let Some(on) = self.is_private_set(mode) else { return };
        self.saved.retain(|(saved, _)| *saved != mode);
        if self.saved.len() < SAVED {
            self.saved.push((mode, on));
        }
    }

    /// What XTSAVE saved of a mode.
    pub(super) fn saved(&self, mode: u16) -> Option<bool> {
        self.saved.iter().find(|(saved, _)| *saved == mode).map(|(_, on)| *on)
    }

    pub(super) fn kitty_flags(&self) -> u8 {
        self.kitty[usize::from(self.is_alternate())].flags
    }

    pub(super) fn kitty(&mut self, step: Kitty) {
        let stack = &mut self.kitty[usize::from(self.is_alternate())];
        match step {
            Kitty::Push(flags) => stack.push(flags),
            Kitty::Pop(count) => stack.pop(count),
            Kitty::Set(flags, how) => stack.set(flags, how),
        }
    }

    pub(super) fn modify_other_keys(&self) -> u8 {
        self.modify_other_keys
    }

    /// Sets the level of modifyOtherKeys; an unknown one is ignored.
    pub(super) fn set_modify_other_keys(&mut self, level: u16) {
        if let Ok(level @ 0..=2) = u8::try_from(level) {
            self.modify_other_keys = level;
        }
    }

    /// DECSTR, as far as modes are concerned.
    pub(super) fn soft_reset(&mut self) {
        self.put(Modes::APPLICATION_CURSOR | Modes::APPLICATION_KEYPAD, false);
        self.cursor_visible = true;
        self.origin = false;
        self.autowrap = true;
        self.insert = false;
        self.column_margins = false;
        self.keyboard_locked = false;
        self.reverse_wrap = false;
        self.reverse_wrap_all = false;
    }
}
