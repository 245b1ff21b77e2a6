//! Regular expressions of strangers: linear in time, bounded in size, and never on the thread that
//! serves others.

use regex::{Regex, RegexBuilder};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The largest compiled pattern (`pane-backend.md` 4.8).
const PATTERN_BYTES: usize = 1_048_576;
/// How many patterns are compiled or tried at a time, in the whole process.
static PLACES: Semaphore = Semaphore::const_new(4);

/// A pattern that can be tried.
#[derive(Debug, Clone)]
pub struct Pattern(Arc<Regex>);

impl Pattern {
    /// Compiles it.
    ///
    /// # Errors
    /// Why it is none, in one line.
    pub async fn compile(text: String) -> Result<Self, String> {
        let compiled = away(move || {
            let mut builder = RegexBuilder::new(&text);
            builder.size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES).build()
        });
        match compiled.await {
            Some(Ok(regex)) => Ok(Self(Arc::new(regex))),
            Some(Err(regex::Error::CompiledTooBig(_))) => Err("the pattern is too large".to_owned()),
            // The error shows the pattern with a mark under it; the last line says what is wrong.
            Some(Err(error)) => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
                Err(format!("the pattern does not compile: {reason}"))
            }
            None => Err("the pattern could not be compiled".to_owned()),
        }
    }

    /// Whether it is somewhere in the text.
    pub async fn matches(&self, text: String) -> bool {
        let regex = Arc::clone(&self.0);
        away(move || regex.is_match(&text)).await.unwrap_or(false)
    }
}

/// Works on a thread for that; nothing comes of work that panicked.
async fn away<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let place = PLACES.acquire().await.ok()?;
    tokio::task::spawn_blocking(move || {
        let _place = place;
        work()
    })
    .await
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn patterns_match_explode_or_are_none() {
        let pattern = Pattern::compile(r"\$\s*$".to_owned()).await.expect("a pattern");
        assert!(pattern.matches("a\n$".to_owned()).await);
        assert!(!pattern.matches("a".to_owned()).await);
        let reason = Pattern::compile("(".to_owned()).await.expect_err("no pattern");
        assert!(reason.contains("unclosed group"), "{reason}");
        assert!(
            Pattern::compile("(x{1000}){1000}".to_owned()).await.expect_err("too large").contains("large")
        );
        let evil = Pattern::compile("(a*)*(a*)*b".to_owned()).await.expect("a pattern");
        assert!(!evil.matches("a".repeat(20_000)).await, "linear time");
    }
}
