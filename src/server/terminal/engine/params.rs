//! The parameters of a control sequence.
//!
//! Invariants: at most [`COUNT`] values of 16 bits; more are left out, larger ones are clamped; a
//! parameter that is left out is zero.

/// So many values are kept.
const COUNT: usize = 32;
const LARGEST: u32 = u16::MAX as u32;

/// Values, and which of them a colon ties to the one before.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Params {
    values: [u16; COUNT],
    tied: u32,
    len: usize,
    /// Something was written at all.
    written: bool,
}

impl Params {
    /// Forgets all values.
    pub(super) fn clear(&mut self) {
        self.values[0] = 0;
        self.tied = 0;
        self.len = 0;
        self.written = false;
    }

    /// Reads digits, `;` and `:` up to the first byte that is none of them; returns how many there were.
    /// What was read before is forgotten.
    pub(super) fn read(&mut self, bytes: &[u8]) -> usize {
        let (mut at, mut len, mut value, mut tied) = (0, 0, 0_u32, 0_u32);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                // Once it is too large, more digits change nothing.
                b'0'..=b'9' if value <= LARGEST => value = value * 10 + u32::from(byte - b'0'),
                b'0'..=b'9' => {}
                b':' | b';' => {
                    self.put(len, value);
                    len = (len + 1).min(COUNT);
                    value = 0;
                    if len < COUNT {
                        tied |= u32::from(byte == b':') << len;
                    }
                }
                _ => break,
            }
            at += 1;
        }
        self.put(len, value);
        self.len = len;
        self.tied = tied;
        self.written = at > 0;
        at
    }

    fn put(&mut self, index: usize, value: u32) {
        if let Some(slot) = self.values.get_mut(index) {
            *slot = u16::try_from(value).unwrap_or(u16::MAX);
        }
    }

    /// Takes a digit, `;` or `:`.
    pub(super) fn push(&mut self, byte: u8) {
        self.written = true;
        match byte {
            b'0'..=b'9' => {
                if let Some(value) = self.values.get_mut(self.len) {
                    *value = value.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
                }
            }
            _ => {
                self.len = (self.len + 1).min(COUNT);
                if let Some(value) = self.values.get_mut(self.len) {
                    *value = 0;
                    self.tied |= u32::from(byte == b':') << self.len;
                }
            }
        }
    }

    /// The sequence is complete.
    pub(super) fn end(&mut self) {
        if self.written {
            self.len = (self.len + 1).min(COUNT);
        }
    }

    /// A value; zero if it is left out.
    pub(super) fn get(&self, index: usize) -> u16 {
        self.all().get(index).copied().unwrap_or(0)
    }

    /// A count: one if it is left out or zero.
    pub(super) fn count(&self, index: usize) -> u16 {
        self.get(index).max(1)
    }

    /// All values, at least one.
    pub(super) fn all(&self) -> &[u16] {
        &self.values[..self.len.max(1)]
    }

    /// The values, unless colons tie some of them.
    pub(super) fn separate(&self) -> Option<&[u16]> {
        (self.tied == 0).then(|| self.all())
    }

    /// The values in groups: each with those that colons tie to it.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u16]> {
        let all = self.all();
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = all.get(at..).filter(|rest| !rest.is_empty())?;
            at += 1;
            // As many of the next values as have their bit set.
            let tied = u32::try_from(at).ok().and_then(|at| self.tied.checked_shr(at)).unwrap_or(0);
            let tied = (tied.trailing_ones() as usize).min(rest.len() - 1);
            at += tied;
            Some(&rest[..=tied])
        })
    }
}
