//! Changes of the size, from outside and from within.

use super::Worker;
use crate::protocol::geometry::Size;
use crate::server::terminal::handle::Fact;

impl Worker {
    /// Somebody outside wants another size, and has told the child.
    pub(super) fn resize(&mut self) {
        let size = *self.sizes.borrow_and_update();
        if size == self.engine.size() {
            return;
        }
        self.engine.resize(size);
        self.look_for_changes();
    }

    /// The child has chosen a size. A wish from outside that has not been taken in comes after it.
    pub(super) fn resized_itself(&mut self, size: Size) {
        self.shared.size.send_if_modified(|wanted| {
            if !self.sizes.has_changed().unwrap_or(false) {
                *wanted = size;
            }
            false
        });
        self.shared.tell_size();
        self.outbox.push(Fact::Resized(size));
    }
}
