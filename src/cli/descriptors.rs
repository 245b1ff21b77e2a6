//! Keeping the starter's descriptors out of a server that stays: a pipe or a lock that the shell
//! handed down would otherwise stay open for as long as the server lives.
//!
//! The one file of this floor with `unsafe` in it: the standard library and rustix take descriptors
//! by ownership only, and these belong to nobody in this process.
#![allow(unsafe_code)]

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
use std::os::fd::BorrowedFd;

/// Lets children inherit standard input, output and error only. Our own files are closed to
/// children already.
pub fn keep_from_children() {
    let Ok(listing) = std::fs::read_dir("/dev/fd") else { return };
    let numbers = listing.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    // The listing has a descriptor of its own, which is closed before the others are touched.
    let numbers: Vec<i32> = numbers.filter(|number| *number > 2).collect();
    for number in numbers {
        // SAFETY: the number is not -1, and the borrow ends here. At worst another thread closes
        // or replaces that descriptor meanwhile; then the calls fail or set a flag that every file
        // of this process has anyway.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        if let Ok(flags) = fcntl_getfd(descriptor) {
            let _ = fcntl_setfd(descriptor, flags | FdFlags::CLOEXEC);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, pipe};
    use std::os::fd::AsFd as _;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_gets_no_descriptor_that_was_handed_down() {
        let (mut reader, writer) = pipe().expect("a pipe");
        // As one looks that a shell left open for this program.
        fcntl_setfd(writer.as_fd(), FdFlags::empty()).expect("set");
        keep_from_children();
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("a child");
        drop(writer);
        // The pipe ends although the child still runs.
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).expect("ended");
        drop(child.stdin.take());
        child.wait().expect("ended");
    }
}
