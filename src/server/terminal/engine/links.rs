//! Hyperlinks (OSC 8): what the numbers in styles stand for.
//!
//! Invariants: equal links have one number, a number is never given out twice; both the links kept and
//! their bytes are bounded, and the oldest go first: their text then is no link any more.

use super::sanitize;
use super::terminal::Terminal;
use crate::protocol::frame::Link;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Links kept.
const LINKS: usize = 8_192;
/// Bytes of their texts.
const LINKS_BYTES: usize = 1_048_576;
/// The longest address: what other terminals take, too.
const URI_BYTES: usize = 2_083;
/// The longest id.
const ID_BYTES: usize = 250;

/// The links of a terminal.
#[derive(Debug, Default)]
pub(super) struct Links {
    kept: VecDeque<Arc<Link>>,
    numbers: HashMap<Arc<Link>, u32>,
    /// Numbers given out before the oldest one kept.
    gone: u32,
    bytes: usize,
}

impl Links {
    /// The number of a link; zero if there is none left.
    fn number(&mut self, link: Link) -> u32 {
        if let Some(number) = self.numbers.get(&link) {
            return *number;
        }
        let Some(number) =
            u32::try_from(self.kept.len()).ok().and_then(|kept| self.gone.checked_add(kept + 1))
        else {
            return 0;
        };
        self.bytes += size(&link);
        let link = Arc::new(link);
        self.kept.push_back(Arc::clone(&link));
        self.numbers.insert(link, number);
        while self.kept.len() > LINKS || self.bytes > LINKS_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.numbers.remove(&oldest);
            self.bytes -= size(&oldest);
            self.gone += 1;
        }
        number
    }

    /// The link of a number, if it is still kept.
    pub(super) fn get(&self, number: u32) -> Option<&Arc<Link>> {
        let index = number.checked_sub(self.gone)?.checked_sub(1)?;
        self.kept.get(index as usize)
    }
}

fn size(link: &Link) -> usize {
    size_of::<Link>() + link.uri.len() + link.id.len()
}

impl Terminal {
    /// OSC 8: parameters, then the address; without one the link ends.
    pub(super) fn hyperlink(&mut self, text: &[u8]) {
        let Some(at) = text.iter().position(|byte| *byte == b';') else { return };
        let (parameters, uri) = (&text[..at], &text[at + 1..]);
        let id = parameters.split(|byte| *byte == b':').find_map(|parameter| parameter.strip_prefix(b"id="));
        let number = match sanitize::uri(uri, URI_BYTES) {
            Some(uri) if !uri.is_empty() => {
                let id = sanitize::message(id.unwrap_or_default(), ID_BYTES);
                self.links.number(Link { id, uri })
            }
            _ => 0,
        };
        self.set_link(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(uri: &str) -> Link {
        Link { id: String::new(), uri: uri.to_owned() }
    }

    #[test]
    fn equal_links_share_a_number_and_the_oldest_go() {
        let mut links = Links::default();
        let first = links.number(link("a"));
        assert_eq!(links.number(link("a")), first);
        for number in 0..LINKS {
            links.number(link(&number.to_string()));
        }
        assert_eq!(links.get(first), None);
        assert_eq!(links.get(first + 1).map(|link| link.uri.as_str()), Some("0"));
        assert!(links.number(link("a")) > first, "a number stands for one link for ever");
    }

    #[test]
    fn long_links_are_bounded_by_their_bytes() {
        let mut links = Links::default();
        for number in 0..2_000 {
            links.number(link(&format!("{number}{}", "x".repeat(2_000))));
        }
        assert!(links.bytes <= LINKS_BYTES && links.numbers.len() == links.kept.len());
        assert!(links.kept.len() > 400);
    }
}
