//! The program's titles and the stack it keeps them on (XTWINOPS 22, 23).

/// Entries of the stack; the oldest goes first.
const STACK: usize = 16;

/// Titles.
#[derive(Debug, Default)]
pub(super) struct Titles {
    present: String,
    stack: Vec<String>,
}

impl Titles {
    pub(super) fn set(&mut self, title: String) {
        self.present = title;
    }

    pub(super) fn push(&mut self) {
        if self.stack.len() == STACK {
            self.stack.remove(0);
        }
        self.stack.push(self.present.clone());
    }

    /// Takes the newest one back as the present one.
    pub(super) fn pop(&mut self) -> Option<&str> {
        self.present = self.stack.pop()?;
        Some(&self.present)
    }
}
