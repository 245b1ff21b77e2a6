//! What cells name by number: styles and clusters.
//!
//! Invariants: number zero is the default style; equal entries have one number; what no cell of a screen
//! names goes when the table is full, so that no stream makes it grow without end.

use super::cell::{Cell, Content};
use crate::protocol::style::{Color, Style};
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

    fn write_u64(&mut self, value: u64) {
        // Both halves of the product, so that every bit of the key reaches every bit of the hash.
        let product = u128::from(self.0.rotate_left(5) ^ value) * 0x517c_c1b7_2722_0a95;
        let [low, high] = halves(product);
        self.0 = low ^ high;
    }

    fn write_u128(&mut self, value: u128) {
        let [low, high] = halves(value);
        self.write_u64(low);
        self.write_u64(high);
    }
}

#[allow(clippy::cast_possible_truncation)] // that is what halves are
fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// A style as one number, which is hashed and compared at once.
fn packed(style: Style) -> u128 {
    // A colour has 24 bits and two that say which kind it is.
    let color = |color| match color {
        Color::Default => 0_u32,
        Color::Indexed(index) => u32::from_le_bytes([index, 0, 0, 1]),
        Color::Rgb(red, green, blue) => u32::from_le_bytes([red, green, blue, 2]),
    };
    u128::from(color(style.fg))
        | u128::from(color(style.bg)) << 26
        | u128::from(color(style.underline)) << 52
        | u128::from(style.attrs.0) << 78
        | u128::from(style.link) << 94
}

/// Entries by number.
#[derive(Debug)]
struct Table<T, K> {
    entries: Vec<T>,
    numbers: HashMap<K, u32, BuildHasherDefault<QuickHasher>>,
    /// By what an entry is found.
    key: fn(&T) -> K,
    limit: usize,
}

impl<T, K: Eq + Hash> Table<T, K> {
    fn new(key: fn(&T) -> K) -> Self {
        Self { entries: Vec::new(), numbers: HashMap::default(), key, limit: ENTRIES }
    }

    fn add(&mut self, entry: T) -> u32 {
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.numbers.insert((self.key)(&entry), number);
        self.entries.push(entry);
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
    styles: Table<Style, u128>,
    clusters: Table<Box<str>, Box<str>>,
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
        let mut styles = Table::new(|style| packed(*style));
        styles.add(Style::default());
        Self { styles, clusters: Table::new(Clone::clone), generation: 0 }
    }

    /// The number of a style.
    pub(super) fn style_number(&mut self, style: Style) -> u32 {
        let key = packed(style);
        if key == 0 {
            return 0;
        }
        match self.styles.numbers.get(&key) {
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
