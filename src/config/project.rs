//! A project's layout: the tabs, splits and commands that a `.luvus.toml` in a workspace's root describes.
//!
//! Invariant: whatever a text says, a plan that comes of it is bounded, stays below the project's root, and
//! has no control characters.

use crate::protocol::command::Arrangement;
use crate::protocol::geometry::Axis;
use serde::Deserialize;
use std::path::{Component, Path};

/// The name of the file.
pub const FILE: &str = ".luvus.toml";
/// A longer file is no layout.
pub const BYTES: u64 = 65_536;
/// Tabs of one project, and panes of one tab: more than anybody looks at.
const TABS: usize = 16;
const PANES: usize = 16;
/// Names, in bytes.
const NAME_BYTES: usize = 256;
/// A command, in bytes: what a terminal takes as one line.
const COMMAND_BYTES: usize = 1_024;
/// The shares that a split may have.
const SHARES: std::ops::RangeInclusive<f32> = 0.05..=0.95;

/// What a project wants.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Its tabs in order, at least one.
    pub tabs: Vec<Tab>,
}

/// One tab.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// Its name.
    pub name: Option<String>,
    /// How its panes lie, instead of by their splits.
    pub layout: Option<Arrangement>,
    /// Its panes in the order in which they are made, at least one.
    pub panes: Vec<Pane>,
}

/// One pane.
#[derive(Debug, Clone, PartialEq)]
pub struct Pane {
    /// Its label.
    pub name: Option<String>,
    /// What is typed into its shell.
    pub command: Option<String>,
    /// Its folder, below the root.
    pub cwd: Option<String>,
    /// Which pane of the tab it is split off, counted from zero; the first one is split off none.
    pub of: usize,
    /// How; nothing is the longer side.
    pub split: Option<Axis>,
    /// The share that it gets.
    pub share: Option<f32>,
}

/// Why a text is no layout: one line for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{FILE}: {0}")]
pub struct ProjectError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tab: Vec<FileTab>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTab {
    name: Option<String>,
    layout: Option<Arrangement>,
    #[serde(default)]
    pane: Vec<FilePane>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct FilePane {
    name: Option<String>,
    command: Option<String>,
    cwd: Option<String>,
    of: Option<usize>,
    split: Option<FileSplit>,
    share: Option<f32>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum FileSplit {
    Right,
    Down,
}

impl Project {
    /// Reads a text.
    ///
    /// # Errors
    /// [`ProjectError`] with the line, or the tab and pane, that it is about.
    pub fn parse(text: &str) -> Result<Self, ProjectError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let told = error.message().lines().next().unwrap_or("it is no TOML");
            ProjectError(format!("line {line}: {told}"))
        })?;
        if file.tab.is_empty() || file.tab.len() > TABS {
            return Err(ProjectError(format!("a project has 1 to {TABS} tabs")));
        }
        let tabs = file.tab.into_iter().enumerate().map(|(index, tab)| {
            tab.checked().map_err(|why| ProjectError(format!("tab {}: {why}", index + 1)))
        });
        Ok(Self { tabs: tabs.collect::<Result<_, _>>()? })
    }

    /// What it would do, in lines for the person: each tab with its panes and what they run.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, tab) in self.tabs.iter().enumerate() {
            let name = tab.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
            let count = tab.panes.len();
            let panes = if count == 1 { "1 pane".to_owned() } else { format!("{count} panes") };
            lines.push(format!("tab {}{name} · {panes}", index + 1));
            for pane in &tab.panes {
                let folder = pane.cwd.as_deref().map(|cwd| format!("{cwd}: ")).unwrap_or_default();
                lines.push(format!("  {folder}{}", pane.command.as_deref().unwrap_or("a shell")));
            }
        }
        lines
    }
}

impl FileTab {
    fn checked(self) -> Result<Tab, String> {
        let name = self.name.map(|name| text("name", name, NAME_BYTES)).transpose()?;
        let mut panes = self.pane;
        if panes.is_empty() {
            panes.push(FilePane::default());
        }
        if panes.len() > PANES {
            return Err(format!("a tab has at most {PANES} panes"));
        }
        let arranged = self.layout.is_some();
        let panes = panes.into_iter().enumerate().map(|(index, pane)| {
            pane.checked(index, arranged).map_err(|why| format!("pane {}: {why}", index + 1))
        });
        Ok(Tab { name, layout: self.layout, panes: panes.collect::<Result<_, _>>()? })
    }
}

impl FilePane {
    fn checked(self, index: usize, arranged: bool) -> Result<Pane, String> {
        let placed = self.of.is_some() || self.split.is_some() || self.share.is_some();
        if index == 0 && placed {
            return Err("the first pane of a tab is split off no other".into());
        }
        if arranged && placed {
            return Err("a tab with a `layout` places its panes itself".into());
        }
        let of = match self.of {
            None => index.saturating_sub(1),
            Some(of) if (1..=index).contains(&of) => of - 1,
            Some(_) => return Err(format!("`of` is the number of an earlier pane, 1 to {index}")),
        };
        if self.share.is_some_and(|share| !SHARES.contains(&share)) {
            return Err("`share` lies between 0.05 and 0.95".into());
        }
        let command = self.command.map(|command| text("command", command, COMMAND_BYTES)).transpose()?;
        let split = self.split.map(|split| match split {
            FileSplit::Right => Axis::Horizontal,
            FileSplit::Down => Axis::Vertical,
        });
        Ok(Pane {
            name: self.name.map(|name| text("name", name, NAME_BYTES)).transpose()?,
            command,
            cwd: self.cwd.map(folder).transpose()?,
            of,
            split,
            share: self.share,
        })
    }
}

/// A text without control characters, of bounded length, and not blank.
fn text(what: &str, text: String, most: usize) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err(format!("`{what}` is empty"));
    }
    if text.len() > most {
        return Err(format!("`{what}` has more than {most} bytes"));
    }
    // Whoever confirms it must be able to read it: nothing that moves a cursor or turns a line around.
    if text.chars().any(|char| char.is_control() || is_invisible(char)) {
        return Err(format!("`{what}` has a character that cannot be seen"));
    }
    Ok(text)
}

/// Marks of direction and of width zero.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A folder below the root.
fn folder(path: String) -> Result<String, String> {
    let path = text("cwd", path, COMMAND_BYTES)?;
    let below = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(&path).components().all(below) {
        return Err("`cwd` is a folder below the project's root".into());
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_splits_and_commands_are_read() {
        let project = Project::parse(
            "[[tab]]\nname = \"edit\"\n[[tab.pane]]\ncommand = \"vi .\"\n[[tab.pane]]\nsplit = \"right\"\n\
             share = 0.3\ncwd = \"web\"\ncommand = \"npm run dev\"\n[[tab.pane]]\nsplit = \"down\"\nof = 1\n\
             [[tab]]\nlayout = \"main-left\"\npane = [{}, {}]\n[[tab]]\n",
        );
        let project = project.expect("a project");
        let [edit, arranged, plain] = &project.tabs[..] else { panic!("three tabs") };
        let pane = |index: usize| &edit.panes[index];
        assert_eq!((pane(1).split, pane(1).share, pane(1).of), (Some(Axis::Horizontal), Some(0.3), 0));
        assert_eq!((pane(2).split, pane(2).of, pane(2).command.as_deref()), (Some(Axis::Vertical), 0, None));
        assert_eq!((arranged.layout, arranged.panes.len()), (Some(Arrangement::MainLeft), 2));
        assert_eq!(plain.panes.len(), 1);
        let lines = [
            "tab 1 edit · 3 panes",
            "  vi .",
            "  web: npm run dev",
            "  a shell",
            "tab 2 · 2 panes",
            "  a shell",
            "  a shell",
            "tab 3 · 1 pane",
            "  a shell",
        ];
        assert_eq!(project.lines(), lines);
    }

    #[test]
    fn what_is_wrong_is_told_in_one_line() {
        let many = "[[tab]]\n".repeat(17);
        let pane = |rest: &str| format!("[[tab]]\n[[tab.pane]]\n[[tab.pane]]\n{rest}");
        for (text, told) in [
            ("", "line 1: missing field `tab`"),
            ("[[tab]]\nnam = 1", "line 2: unknown field `nam`"),
            ("tab = 3", "line 1: invalid type"),
            (&many, "a project has 1 to 16 tabs"),
            ("[[tab]]\n[[tab.pane]]\nsplit = \"right\"", "tab 1: pane 1: the first pane"),
            (&pane("of = 2"), "tab 1: pane 2: `of` is the number of an earlier pane, 1 to 1"),
            (&pane("share = 1.5"), "`share` lies between"),
            (&pane("share = nan"), "`share` lies between"),
            (&pane("cwd = \"../x\""), "`cwd` is a folder below"),
            (&pane("cwd = \"/tmp\""), "`cwd` is a folder below"),
            (&pane("command = \"ls\\nrm x\""), "`command` has a character that cannot be seen"),
            (&pane("command = \"ls \\u202e\""), "`command` has a character that cannot be seen"),
            (&pane("command = \" \""), "`command` is empty"),
        ] {
            let error = Project::parse(text).expect_err(text).to_string();
            assert!(error.contains(told) && error.starts_with(".luvus.toml: "), "{text:?}: {error}");
            assert_eq!(error.lines().count(), 1);
        }
    }
}
