//! Mouse events in xterm's protocols and encodings.

use crate::protocol::key::{Modifiers, MouseButton, MouseEvent, MouseKind};
use crate::server::terminal::engine::{CELL_PIXELS, Modes, MouseEncoding, MouseProtocol};

/// Arrows for one wheel step where the wheel has no other meaning.
const ARROWS: usize = 3;
const MOTION: u16 = 32;
const NO_BUTTON: u16 = 3;
/// The largest number that one byte can tell above its offset of 32.
const BYTE_NUMBER: u16 = 223;
/// The largest that two UTF-8 bytes can.
const UTF8_NUMBER: u16 = 2_015;

pub(super) fn encode(event: MouseEvent, modes: Modes) -> Vec<u8> {
    let protocol = modes.mouse_protocol();
    if protocol == MouseProtocol::None {
        return arrows(event.kind, modes);
    }
    if !wants(protocol, event.kind) {
        return Vec::new();
    }
    let modifiers = if protocol == MouseProtocol::X10 { 0 } else { modifier_bits(event.modifiers) };
    write(event, modifiers, modes.mouse_encoding())
}

fn arrows(kind: MouseKind, modes: Modes) -> Vec<u8> {
    let last = match kind {
        MouseKind::WheelUp => b'A',
        MouseKind::WheelDown => b'B',
        _ => return Vec::new(),
    };
    if !modes.contains(Modes::ALTERNATE_SCREEN | Modes::ALTERNATE_SCROLL) {
        return Vec::new();
    }
    let introducer = if modes.contains(Modes::APPLICATION_CURSOR) { b'O' } else { b'[' };
    [0x1b, introducer, last].repeat(ARROWS)
}

fn wants(protocol: MouseProtocol, kind: MouseKind) -> bool {
    match kind {
        MouseKind::Press(_) => true,
        MouseKind::Move => protocol == MouseProtocol::AnyMotion,
        MouseKind::Drag(_) => matches!(protocol, MouseProtocol::ButtonMotion | MouseProtocol::AnyMotion),
        _ => protocol != MouseProtocol::X10,
    }
}

fn modifier_bits(modifiers: Modifiers) -> u16 {
    let alt = modifiers.contains(Modifiers::ALT) || modifiers.contains(Modifiers::META);
    4 * u16::from(modifiers.contains(Modifiers::SHIFT))
        + 8 * u16::from(alt)
        + 16 * u16::from(modifiers.contains(Modifiers::CTRL))
}

fn button(button: MouseButton) -> u16 {
    match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    }
}

/// The event's number; releases still name their button.
fn number(kind: MouseKind) -> u16 {
    match kind {
        MouseKind::Press(one) | MouseKind::Release(one) => button(one),
        MouseKind::Drag(one) => button(one) + MOTION,
        MouseKind::Move => NO_BUTTON + MOTION,
        MouseKind::WheelUp => 64,
        MouseKind::WheelDown => 65,
        MouseKind::WheelLeft => 66,
        MouseKind::WheelRight => 67,
    }
}

fn write(event: MouseEvent, modifiers: u16, encoding: MouseEncoding) -> Vec<u8> {
    let release = matches!(event.kind, MouseKind::Release(_));
    let (col, row) = (event.col.saturating_add(1), event.row.saturating_add(1));
    let named = number(event.kind) + modifiers;
    let unnamed = if release { NO_BUTTON + modifiers } else { named };
    let last = if release { 'm' } else { 'M' };
    match encoding {
        MouseEncoding::Default => {
            let bytes = [unnamed, col, row].map(|one| (one.min(BYTE_NUMBER) + 32).to_le_bytes()[0]);
            [b"\x1b[M", bytes.as_slice()].concat()
        }
        MouseEncoding::Utf8 => {
            let chars = [unnamed, col, row].map(|one| char::from_u32(u32::from(one.min(UTF8_NUMBER)) + 32));
            let text: String = chars.into_iter().flatten().collect();
            format!("\x1b[M{text}").into_bytes()
        }
        MouseEncoding::Sgr => format!("\x1b[<{named};{col};{row}{last}").into_bytes(),
        MouseEncoding::Urxvt => format!("\x1b[{};{col};{row}M", unnamed + 32).into_bytes(),
        MouseEncoding::SgrPixels => {
            let (height, width) = CELL_PIXELS;
            // The middle of the cell, so that any way to divide gives the cell back.
            let middle = |cell: u16, size: u16| u32::from(cell) * u32::from(size) + u32::from(size / 2);
            let (x, y) = (middle(event.col, width), middle(event.row, height));
            format!("\x1b[<{named};{x};{y}{last}").into_bytes()
        }
    }
}
