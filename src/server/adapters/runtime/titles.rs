//! The titles that the snapshot shows: programs may change theirs with every line they print, the
//! snapshot does so at most once in a while.

use crate::protocol::ids::PaneId;
use crate::protocol::scene::{PaneScene, Scene};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two revisions for titles (`runtime.md` section 5).
const APART: Duration = Duration::from_millis(100);

/// The titles that are shown.
#[derive(Debug, Default)]
pub struct Titles {
    shown: BTreeMap<PaneId, String>,
    changed: Option<Instant>,
    due: Option<Instant>,
}

impl Titles {
    /// Takes over what may be shown by now.
    pub fn observe(&mut self, scene: &Scene, now: Instant) {
        self.shown.retain(|pane, _| scene.pane(*pane).is_some());
        let ready = self.changed.map(|changed| changed + APART).filter(|ready| *ready > now);
        self.due = None;
        for pane in &scene.panes {
            let title = title(pane);
            match self.shown.get(&pane.id) {
                Some(shown) if shown == title => {}
                Some(_) if ready.is_some() => self.due = ready,
                known => {
                    if known.is_some() {
                        self.changed = Some(now);
                    }
                    self.shown.insert(pane.id, title.to_owned());
                }
            }
        }
    }

    /// When a title that waits may be shown.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What is shown of a pane.
    pub fn of(&self, pane: PaneId) -> String {
        self.shown.get(&pane).cloned().unwrap_or_default()
    }
}

/// Label, terminal title or program.
fn title(pane: &PaneScene) -> &str {
    let texts = [&pane.label, &pane.title, &pane.program];
    texts.into_iter().flatten().map(String::as_str).find(|text| !text.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::projection::tests::scene;
    use super::*;

    const PANE: PaneId = PaneId(1);

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_titles_shows_the_first_and_the_last() {
        let (mut titles, mut scene) = (Titles::default(), scene());
        let mut show = |title: &str, wait_ms| {
            scene.panes[0].title = Some(title.to_owned());
            let now = Instant::now() + Duration::from_millis(wait_ms);
            titles.observe(&scene, now);
            (titles.of(PANE), titles.due().map(|due| due - now))
        };
        assert_eq!(show("a", 0), ("a".to_owned(), None));
        assert_eq!(show("b", 0), ("b".to_owned(), None));
        assert_eq!(show("c", 40), ("b".to_owned(), Some(Duration::from_millis(60))));
        assert_eq!(show("d", 100), ("d".to_owned(), None));
    }

    #[test]
    fn labels_beat_titles_and_titles_beat_programs() {
        let mut pane = scene().panes[0].clone();
        assert_eq!(title(&pane), "sh");
        pane.title = Some("vi".into());
        assert_eq!(title(&pane), "vi");
        pane.label = Some("editor".into());
        assert_eq!(title(&pane), "editor");
    }
}
