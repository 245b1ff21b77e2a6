//! The grammar of program status reports, OSC 7501 (`uhp.md` section 12.1).
//!
//! Invariant: a report is understood whole or not at all; nothing here remembers anything.

use crate::protocol::agent::BlockedKind;
use crate::protocol::base64;

/// The longest body that a sequence of 4,096 bytes can hold: without `ESC ] 7501 ;` and a BEL.
const BODY_BYTES: usize = 4_096 - 7 - 1;
const KEY_BYTES: usize = 16;
const ID_BYTES: usize = 128;
const ID_SEGMENTS: usize = 8;
const NAME_BYTES: usize = 32;
/// Encoded and decoded bytes of a title and of a message.
const TITLE_BYTES: (usize, usize) = (256, 192);
const MESSAGE_BYTES: (usize, usize) = (2_732, 2_048);

/// The state of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportState {
    /// Nothing to do.
    Idle,
    /// At work.
    Working,
    /// Waits for a person.
    Blocked,
    /// Finished.
    Done,
    /// Finished, and failed.
    Error,
}

impl ReportState {
    /// As it is reported.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Error => "error",
        }
    }

    /// Whether it is a result, which outlives its producer.
    #[must_use]
    pub const fn is_result(self) -> bool {
        matches!(self, Self::Done | Self::Error)
    }
}

/// What a program reports of one of its jobs. A field that a report leaves out is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Which job; `None` is the root.
    pub id: Option<String>,
    /// Its state.
    pub state: ReportState,
    /// What the program calls itself.
    pub app: Option<String>,
    /// What it waits for.
    pub kind: Option<BlockedKind>,
    /// Progress in percent.
    pub progress: Option<u8>,
    /// A title, raw.
    pub title: Option<String>,
    /// A message, raw.
    pub message: Option<String>,
}

/// One understood body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// Whether there is anybody who understands reports.
    Query,
    /// A record, complete.
    Update(Record),
    /// Removes a record and all below it; every record without an id.
    Clear(Option<String>),
}

/// What is reported with one key, so far.
#[derive(Default)]
struct Fields {
    state: Option<Option<ReportState>>,
    id: Option<String>,
    bad_id: bool,
    app: Option<String>,
    kind: Option<BlockedKind>,
    progress: Option<u8>,
    title: Option<String>,
    message: Option<String>,
}

/// Understands what stands between `7501;` and the end of the sequence; `None` for what is ignored.
#[must_use]
pub fn parse(body: &[u8]) -> Option<Report> {
    if body.len() > BODY_BYTES {
        return None;
    }
    if body == b"?" {
        return Some(Report::Query);
    }
    let mut fields = Fields::default();
    for pair in body.split(|byte| *byte == b':') {
        let Some(at) = pair.iter().position(|byte| *byte == b'=') else { continue };
        let (key, value) = (&pair[..at], &pair[at + 1..]);
        if (1..=KEY_BYTES).contains(&key.len()) {
            fields.take(key, value)?;
        }
    }
    fields.finish()
}

impl Fields {
    /// Takes a value in; `None` when it spoils the whole report.
    fn take(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        match key {
            b"state" => {
                if let Some(state) = state(value) {
                    self.state = Some(state);
                }
            }
            b"id" => match id(value) {
                Some(id) => self.id = Some(id),
                None => self.bad_id = true,
            },
            b"app" => self.app = name(value).or_else(|| self.app.take()),
            b"kind" => self.kind = kind(value).or(self.kind),
            b"progress" => self.progress = progress(value).or(self.progress),
            b"title" => self.title = Some(text(value, TITLE_BYTES)?),
            b"msg" => self.message = Some(text(value, MESSAGE_BYTES)?),
            _ => {}
        }
        Some(())
    }

    fn finish(self) -> Option<Report> {
        if self.bad_id && self.id.is_none() {
            return None;
        }
        let Some(state) = self.state? else { return Some(Report::Clear(self.id)) };
        Some(Report::Update(Record {
            id: self.id,
            state,
            app: self.app,
            kind: self.kind.filter(|_| state == ReportState::Blocked),
            progress: self.progress.filter(|_| state == ReportState::Working),
            title: self.title,
            message: self.message,
        }))
    }
}

/// A state; `Some(None)` is `clear`.
fn state(value: &[u8]) -> Option<Option<ReportState>> {
    Some(match value {
        b"idle" => Some(ReportState::Idle),
        b"working" => Some(ReportState::Working),
        b"blocked" => Some(ReportState::Blocked),
        b"done" => Some(ReportState::Done),
        b"error" => Some(ReportState::Error),
        b"clear" => None,
        _ => return None,
    })
}

fn kind(value: &[u8]) -> Option<BlockedKind> {
    match value {
        b"permission" => Some(BlockedKind::Permission),
        b"question" => Some(BlockedKind::Question),
        b"auth" => Some(BlockedKind::Auth),
        _ => None,
    }
}

fn progress(value: &[u8]) -> Option<u8> {
    let digits = (1..=3).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
    let number: u8 = std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()?;
    (number <= 100).then_some(number)
}

fn name(value: &[u8]) -> Option<String> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(byte);
    let fits = (1..=NAME_BYTES).contains(&value.len()) && value.iter().all(plain);
    fits.then(|| String::from_utf8_lossy(value).into_owned())
}

fn id(value: &[u8]) -> Option<String> {
    if value.len() > ID_BYTES {
        return None;
    }
    let segments: Option<Vec<String>> = value.split(|byte| *byte == b'/').map(name).collect();
    segments.filter(|segments| segments.len() <= ID_SEGMENTS).map(|segments| segments.join("/"))
}

/// Text in Base64, with or without padding.
fn text(value: &[u8], (encoded, decoded): (usize, usize)) -> Option<String> {
    if value.len() > encoded {
        return None;
    }
    let bytes = match value.last() {
        Some(b'=') => base64::decode(value)?,
        _ => base64::decode_digits(value)?,
    };
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= decoded)?;
    (!text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(body: &str) -> Option<Record> {
        match parse(body.as_bytes()) {
            Some(Report::Update(record)) => Some(record),
            _ => None,
        }
    }

    #[test]
    fn the_example_of_the_contract_is_understood() {
        let record =
            record("state=blocked:kind=permission:app=deploy:id=deploy/eu:msg=UHJvY2VlZD8=").unwrap();
        assert_eq!((record.state, record.kind), (ReportState::Blocked, Some(BlockedKind::Permission)));
        assert_eq!((record.app.as_deref(), record.id.as_deref()), (Some("deploy"), Some("deploy/eu")));
        assert_eq!((record.message.as_deref(), record.title), (Some("Proceed?"), None));
        assert_eq!(parse(b"?"), Some(Report::Query));
    }

    #[test]
    fn a_report_needs_a_known_state() {
        for bad in ["", "app=x", "state=", "state=Working", "state=busy:app=x", "state", "working", "??"] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(parse(b"state=clear"), Some(Report::Clear(None)));
        assert_eq!(parse(b"state=clear:id=a/b"), Some(Report::Clear(Some("a/b".into()))));
    }

    #[test]
    fn malformed_and_unknown_pairs_are_skipped_and_the_last_valid_one_counts() {
        let record = record("x:=y:later=1:a-key-longer-than-16-bytes=1:state=idle:state=working:state=nap:progress=3:progress=700").unwrap();
        assert_eq!((record.state, record.progress), (ReportState::Working, Some(3)));
        assert_eq!(record.app, None);
    }

    #[test]
    fn a_bad_id_spoils_the_report() {
        let long = format!("state=idle:id={}", vec!["a".repeat(32); 4].join("/"));
        for bad in [
            "state=idle:id=",
            "state=idle:id=a//b",
            "state=idle:id=/a",
            "state=idle:id=a b",
            &long,
            "state=idle:id=1/2/3/4/5/6/7/8/9",
            "state=clear:id=ä",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
        assert!(record("state=idle:id=1/2/3/4/5/6/7/8").is_some());
        assert!(record(&format!("state=idle:id={}", "a".repeat(32))).is_some());
        assert!(record(&format!("state=idle:id={}", "a".repeat(33))).is_none());
    }

    #[test]
    fn a_bad_app_kind_or_progress_counts_as_absent() {
        let record = record("state=blocked:app=my app:kind=maybe").unwrap();
        assert_eq!((record.app, record.kind), (None, None));
        for bad in ["101", "-1", "1.5", "", "0x1", "+5"] {
            assert_eq!(
                super::tests::record(&format!("state=working:progress={bad}")).unwrap().progress,
                None,
                "{bad}"
            );
        }
        assert_eq!(super::tests::record("state=working:progress=0").unwrap().progress, Some(0));
        assert_eq!(super::tests::record("state=working:progress=100").unwrap().progress, Some(100));
    }

    #[test]
    fn kind_and_progress_belong_to_their_states() {
        assert_eq!(record("state=working:kind=auth").unwrap().kind, None);
        assert_eq!(record("state=done:progress=5").unwrap().progress, None);
    }

    #[test]
    fn bad_text_spoils_the_report() {
        // "a\nb", bad UTF-8, foreign letters, a single digit, too long
        let long_title = format!("title={}", "YWFh".repeat(64) + "YQ");
        let too_many_bytes = format!("title={}", "YWFh".repeat(65));
        for bad in ["msg=YQpi", "title=/w", "msg=-_", "msg=Y", "msg=YQ=", &long_title, &too_many_bytes] {
            assert_eq!(record(&format!("state=idle:{bad}")), None, "{bad}");
        }
        assert_eq!(record("state=idle:msg=YQ").unwrap().message.as_deref(), Some("a"));
        assert_eq!(record("state=idle:msg=YQ==").unwrap().message.as_deref(), Some("a"));
        assert!(record(&format!("state=idle:title={}", "YWFh".repeat(64))).is_some());
        assert!(record(&format!("state=idle:msg={}", "YWFh".repeat(683))).is_none(), "2,049 bytes");
        assert!(record(&format!("state=idle:msg={}", "YWFh".repeat(682))).is_some(), "2,046 bytes");
    }

    #[test]
    fn an_oversized_report_is_ignored() {
        let body = |bytes: usize| format!("state=idle:{}", "x".repeat(bytes - 11));
        assert!(record(&body(BODY_BYTES)).is_some());
        assert!(record(&body(BODY_BYTES + 1)).is_none());
    }

    proptest! {
        #[test]
        fn no_body_harms(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&body);
        }

        #[test]
        fn what_is_understood_is_bounded(body in "(state|id|app|msg|title)=[a-zA-Z0-9/=:]{0,60}(:state=(idle|done))?") {
            if let Some(Report::Update(record)) = parse(body.as_bytes()) {
                prop_assert!(record.id.is_none_or(|id| id.len() <= 128));
                prop_assert!(record.title.is_none_or(|title| !title.chars().any(char::is_control)));
            }
        }
    }
}
