//! What cells name by number: styles and clusters.
//!
//! Invariants: number zero is the default style; equal entries have one number; what no cell of a screen
//! names goes when the table is full, so that no stream makes it grow without end.

use super::cell::{Cell, Content};
use crate::protocol::style::Style;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Entries before the first look for unused ones.
const ENTRIES: usize = 8_192;

/// A quick hash: the keys are the terminal's own, and a table has few entries.
#[derive(Debug, Default)]
struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value.cast_unsigned() as u64);
    }
}

/// Entries by number.
#[derive(Debug)]
struct Table<T> {
    entries: Vec<T>,
    numbers: HashMap<T, u32, BuildHasherDefault<QuickHasher>>,
    limit: usize,
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn new() -> Self {
        Self { entries: Vec::new(), numbers: HashMap::default(), limit: ENTRIES }
    }

    fn add(&mut self, entry: T) -> u32 {
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(entry.clone());
        self.numbers.insert(entry, number);
        number
    }

    fn is_full(&self) -> bool {
        self.entries.len() >= self.limit
    }

    /// Keeps the entries that are `used`; returns the new number of each old one.
    fn collect(&mut self, used: &[bool]) -> Vec<u32> {
        let old = std::mem::take(&mut self.entries);
        self.numbers.clear();
        let numbers = old.into_iter().zip(used).map(|(entry, used)| if *used { self.add(entry) } else { 0 });
        let numbers: Vec<u32> = numbers.collect();
        self.limit = ENTRIES.max(self.entries.len() * 2);
        numbers
    }
}

/// Both tables.
#[derive(Debug)]
pub(super) struct Tables {
    styles: Table<Style>,
    clusters: Table<Box<str>>,
    /// Rises when numbers change.
    generation: u32,
}

/// The new numbers after unused entries have gone.
pub(super) struct Renumbering {
    styles: Vec<u32>,
    clusters: Vec<u32>,
}

impl Renumbering {
    /// The new number of a style.
    pub(super) fn style(&self, number: u32) -> u32 {
        self.styles.get(number as usize).copied().unwrap_or(0)
    }

    /// Gives a cell its new numbers.
    pub(super) fn apply(&self, cell: &mut Cell) {
        cell.style = self.style(cell.style);
        if let Content::Cluster(number) = cell.content() {
            *cell = cell.with_cluster(self.clusters.get(number as usize).copied().unwrap_or(0));
        }
    }
}

impl Tables {
    pub(super) fn new() -> Self {
        let mut styles = Table::new();
        styles.add(Style::default());
        Self { styles, clusters: Table::new(), generation: 0 }
    }

    /// The number of a style.
    pub(super) fn style_number(&mut self, style: Style) -> u32 {
        if style == Style::default() {
            return 0;
        }
        match self.styles.numbers.get(&style) {
            Some(number) => *number,
            None => self.styles.add(style),
        }
    }

    /// The style of a number.
    pub(super) fn style(&self, number: u32) -> Style {
        self.styles.entries.get(number as usize).copied().unwrap_or_default()
    }

    /// The number of a cluster.
    pub(super) fn cluster_number(&mut self, text: &str) -> u32 {
        match self.clusters.numbers.get(text) {
            Some(number) => *number,
            None => self.clusters.add(text.into()),
        }
    }

    /// The text of a cluster.
    pub(super) fn cluster(&self, number: u32) -> &str {
        self.clusters.entries.get(number as usize).map_or(" ", |text| text)
    }

    /// Rises when numbers change.
    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    /// Whether it is time to look for entries that nothing names any more.
    pub(super) fn are_full(&self) -> bool {
        self.styles.is_full() || self.clusters.is_full()
    }

    /// Forgets what `cells` do not name.
    pub(super) fn collect<'a>(&mut self, cells: impl Iterator<Item = &'a Cell>) -> Renumbering {
        let mut used_styles = vec![false; self.styles.entries.len()];
        let mut used_clusters = vec![false; self.clusters.entries.len()];
        let mut mark = |number: u32| {
            if let Some(used) = used_styles.get_mut(number as usize) {
                *used = true;
            }
        };
        mark(0);
        for cell in cells {
            mark(cell.style);
            if let Content::Cluster(number) = cell.content()
                && let Some(used) = used_clusters.get_mut(number as usize)
            {
                *used = true;
            }
        }
        self.generation = self.generation.wrapping_add(1);
        Renumbering {
            styles: self.styles.collect(&used_styles),
            clusters: self.clusters.collect(&used_clusters),
        }
    }
}
