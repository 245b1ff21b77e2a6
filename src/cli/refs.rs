//! How workspaces, tabs and windows are written on the command line (`spec/README.md` point 2).

use crate::protocol::ids::{TabId, WorkspaceId};
use std::str::FromStr;

/// A workspace by its zero-based index or its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceRef {
    /// By index, as `workspace list` prints it.
    Index(u32),
    /// By id.
    Id(WorkspaceId),
}

/// A tab by its zero-based index or its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TabRef {
    /// By index, as `tab list` prints it.
    Index(u32),
    /// By id.
    Id(TabId),
}

impl FromStr for WorkspaceRef {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        index(text)
            .map(Self::Index)
            .or_else(|| text.parse().ok().map(Self::Id))
            .ok_or("expected an index as `workspace list` prints it, or an id as in `w1`")
    }
}

impl FromStr for TabRef {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        index(text)
            .map(Self::Index)
            .or_else(|| text.parse().ok().map(Self::Id))
            .ok_or("expected an index as `tab list` prints it, or an id as in `t1`")
    }
}

/// Digits only: `+1` is no index.
fn index(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// A window of the runtime protocol: its number, also written as the workspace id `w1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowRef(pub u32);

impl FromStr for WindowRef {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse()
            .map(|WorkspaceId(number)| Self(number))
            .ok()
            .or_else(|| index(text).map(Self))
            .ok_or("expected a window number as in `1`, or a workspace id as in `w1`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_digits_and_ids_have_their_letter() {
        assert_eq!("0".parse(), Ok(WorkspaceRef::Index(0)));
        assert_eq!("w2".parse(), Ok(WorkspaceRef::Id(WorkspaceId(2))));
        assert_eq!("t2".parse(), Ok(TabRef::Id(TabId(2))));
        for bad in ["", "+1", "-1", "w", "t1x", "1 "] {
            assert!(bad.parse::<WorkspaceRef>().is_err() && bad.parse::<TabRef>().is_err(), "{bad}");
        }
    }

    #[test]
    fn windows_are_numbers_or_workspace_ids() {
        assert_eq!("3".parse(), Ok(WindowRef(3)));
        assert_eq!("w3".parse(), Ok(WindowRef(3)));
        assert!("t3".parse::<WindowRef>().is_err());
    }
}
