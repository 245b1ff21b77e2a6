//! The difference between two pictures of a pane. `apply(old, diff(old, new)) == new`.

use super::frame::{Cursor, Frame, Position, Row, ScreenModes};
use super::geometry::Size;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What to change in an older picture, or a whole new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The revision that the patch changes; `None` for a whole picture.
    pub base: Option<u64>,
    /// The revision that it leads to.
    pub revision: u64,
    /// Size of the new picture; the same as the old one's unless `base` is `None`.
    pub size: Size,
    /// Changed rows by index, ascending. In a whole picture, rows left out are blank.
    pub rows: Vec<(u16, Arc<Row>)>,
    /// The number of the new picture's first row.
    pub first: u64,
    /// The new cursor.
    pub cursor: Option<Cursor>,
    /// The new place in the history.
    pub position: Position,
    /// The new modes.
    pub modes: ScreenModes,
    /// How many of the connection's scroll requests had been made when the last one was made that this
    /// picture answers.
    pub scrolls: u32,
}

/// Why a patch did not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The picture at hand is not the one that the patch changes.
    #[error("patch is for revision {wanted}, the picture has {found}")]
    WrongBase {
        /// The revision that the patch needs.
        wanted: u64,
        /// The revision at hand.
        found: u64,
    },
    /// The patch has another size than the picture, or a row outside of it.
    #[error("patch does not fit the picture's size")]
    WrongSize,
}

/// The patch that leads from `old` to `new`: whole without an `old` or when the size differs.
/// Rows are compared by pointer first.
#[must_use]
pub fn diff(old: Option<&Frame>, new: &Frame) -> Patch {
    let old = old.filter(|old| old.size == new.size);
    let rows = new.rows.iter().enumerate().filter(|(index, row)| match old {
        Some(old) => old.rows.get(*index).is_none_or(|before| !Arc::ptr_eq(before, row) && before != *row),
        None => **row != Arc::default(),
    });
    Patch {
        base: old.map(|old| old.revision),
        revision: new.revision,
        size: new.size,
        rows: rows.filter_map(|(index, row)| Some((u16::try_from(index).ok()?, Arc::clone(row)))).collect(),
        first: new.first,
        cursor: new.cursor,
        position: new.position,
        modes: new.modes,
        scrolls: 0,
    }
}

/// Applies `patch` to `old`.
///
/// # Errors
/// [`PatchError`] when the patch belongs to another picture; `old` is then gone and a whole
/// picture must be asked for.
pub fn apply(old: Option<Frame>, patch: Patch) -> Result<Frame, PatchError> {
    let mut frame = match (patch.base, old) {
        (None, _) => Frame::blank(patch.size),
        (Some(wanted), None) => return Err(PatchError::WrongBase { wanted, found: 0 }),
        (Some(wanted), Some(old)) if old.revision != wanted => {
            return Err(PatchError::WrongBase { wanted, found: old.revision });
        }
        (Some(_), Some(old)) => old,
    };
    if frame.size != patch.size {
        return Err(PatchError::WrongSize);
    }
    for (index, row) in patch.rows {
        *frame.rows.get_mut(usize::from(index)).ok_or(PatchError::WrongSize)? = row;
    }
    frame.revision = patch.revision;
    frame.first = patch.first;
    frame.cursor = patch.cursor;
    frame.position = patch.position;
    frame.modes = patch.modes;
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::frame::{Run, Unit};
    use crate::protocol::style::Style;
    use proptest::prelude::*;

    fn row(text: &str) -> Arc<Row> {
        let runs = if text.is_empty() {
            vec![]
        } else {
            vec![Run { style: Style::default(), unit: Unit::Narrow, text: text.to_owned() }]
        };
        Arc::new(Row { runs, ..Row::default() })
    }

    fn frame(revision: u64, texts: &[String]) -> Frame {
        let size = Size::new(u16::try_from(texts.len()).unwrap_or(u16::MAX), 20);
        Frame { revision, rows: texts.iter().map(|text| row(text)).collect(), ..Frame::blank(size) }
    }

    proptest! {
        #[test]
        fn a_patch_leads_from_old_to_new(
            old in prop::collection::vec("[a-c]{0,3}", 1..6),
            new in prop::collection::vec("[a-c]{0,3}", 1..6),
        ) {
            let (old, new) = (frame(3, &old), frame(4, &new));
            prop_assert_eq!(apply(Some(old.clone()), diff(Some(&old), &new)), Ok(new.clone()));
            prop_assert_eq!(apply(None, diff(None, &new)), Ok(new));
        }
    }

    #[test]
    fn a_patch_for_another_picture_is_refused() {
        let (old, new) = (frame(3, &["a".into()]), frame(4, &["b".into()]));
        let patch = diff(Some(&old), &new);
        assert_eq!(apply(Some(new), patch.clone()), Err(PatchError::WrongBase { wanted: 3, found: 4 }));
        let mut wide = old.clone();
        wide.size.cols = 21;
        assert_eq!(apply(Some(wide), patch.clone()), Err(PatchError::WrongSize));
        let outside = Patch { rows: vec![(9, row("x"))], ..patch };
        assert_eq!(apply(Some(old), outside), Err(PatchError::WrongSize));
    }

    #[test]
    fn unchanged_rows_are_left_out() {
        let old = frame(1, &["same".into(), "old".into()]);
        let mut new = old.clone();
        new.rows[1] = row("new");
        assert_eq!(diff(Some(&old), &new).rows.len(), 1);
    }
}
