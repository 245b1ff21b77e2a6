//! Character sets (SCS) and which of them is shown where.

/// What G0 to G3 may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Charset {
    #[default]
    Ascii,
    /// `#` is a pound sign.
    British,
    /// Line drawing.
    Graphics,
    /// Mathematics and Greek (DEC technical).
    Technical,
}

/// The sets at hand and the one in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Charsets {
    sets: [Charset; 4],
    shifted: usize,
    /// For one character (SS2, SS3).
    once: Option<usize>,
}

impl Charsets {
    /// SCS; sets that nobody draws any more are ASCII.
    pub(super) fn choose(&mut self, slot: usize, name: u8) {
        if let Some(set) = self.sets.get_mut(slot) {
            *set = match name {
                b'0' => Charset::Graphics,
                b'>' => Charset::Technical,
                b'A' => Charset::British,
                _ => Charset::Ascii,
            };
        }
    }

    /// SI, SO, LS2, LS3.
    pub(super) fn shift(&mut self, slot: usize) {
        self.shifted = slot;
    }

    /// SS2, SS3.
    pub(super) fn shift_once(&mut self, slot: usize) {
        self.once = Some(slot);
    }

    /// Whether ASCII is shown as it is.
    pub(super) fn is_plain(&self) -> bool {
        self.once.is_none() && self.sets[self.shifted] == Charset::Ascii
    }

    /// What an ASCII byte shows.
    pub(super) fn map(&mut self, byte: u8) -> char {
        let set = self.sets[self.once.take().unwrap_or(self.shifted)];
        match set {
            Charset::British if byte == b'#' => '£',
            Charset::Graphics => graphics(byte),
            Charset::Technical => technical(byte),
            _ => char::from(byte),
        }
    }
}

fn graphics(byte: u8) -> char {
    const GRAPHICS: [char; 32] = [
        ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼',
        '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
    ];
    byte.checked_sub(0x5f)
        .and_then(|index| GRAPHICS.get(usize::from(index)))
        .copied()
        .unwrap_or(char::from(byte))
}

fn technical(byte: u8) -> char {
    // Where the set has nothing, a replacement.
    const TECHNICAL: [char; 94] = [
        '⎷', '┌', '─', '⌠', '⌡', '│', '⎡', '⎣', '⎤', '⎦', '⎛', '⎝', '⎞', '⎠', '⎨', '⎬', '�', '�', '�', '�',
        '�', '�', '�', '�', '�', '�', '�', '≤', '≠', '≥', '∫', '∴', '∝', '∞', '÷', 'Δ', '∇', 'Φ', 'Γ', '∼',
        '≃', 'Θ', '×', 'Λ', '⇔', '⇒', '≡', 'Π', 'Ψ', '�', 'Σ', '�', '�', '√', 'Ω', 'Ξ', 'Υ', '⊂', '⊃', '∩',
        '∪', '∧', '∨', '¬', 'α', 'β', 'χ', 'δ', 'ε', 'φ', 'γ', 'η', 'ι', 'θ', 'κ', 'λ', '�', 'ν', '∂', 'π',
        'ψ', 'ρ', 'σ', 'τ', '�', 'ƒ', 'ω', 'ξ', 'υ', 'ζ', '←', '↑', '→', '↓',
    ];
    byte.checked_sub(0x21)
        .and_then(|index| TECHNICAL.get(usize::from(index)))
        .copied()
        .unwrap_or(char::from(byte))
}
