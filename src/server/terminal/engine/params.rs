//! The parameters of a control sequence.
//!
//! Invariants: at most [`COUNT`] values of 16 bits; more are left out, larger ones are clamped; a
//! parameter that is left out is zero.

/// So many values are kept.
const COUNT: usize = 32;

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

    /// Takes a digit, `;` or `:`.
    #[inline]
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

    /// The values in groups: each with those that colons tie to it.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u16]> {
        let all = self.all();
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            all.get(start)?;
            at += 1;
            while at < all.len() && self.tied & 1 << at != 0 {
                at += 1;
            }
            Some(&all[start..at])
        })
    }
}
