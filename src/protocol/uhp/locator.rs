//! Which terminal is meant, and the checks that stand before every use of it (`uhp.md` section 4).

use super::error::{ErrorCode, Failure};
use crate::protocol::ids::{PaneId, ServerGeneration, TerminalId};
use crate::protocol::params::{ParamError, Params, integer, object, text};
use serde_json::Value;

/// Server life, terminal and route, as a client knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locator {
    /// Which server life.
    pub generation: ServerGeneration,
    /// Which terminal.
    pub terminal: TerminalId,
    /// Its pane. Wider than a pane id: the grammar allows ten digits.
    pub pane: u64,
    /// The process that must be at its root.
    pub root: Option<ExpectedRoot>,
}

/// A guard against a reused process id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRoot {
    /// Process id.
    pub pid: u64,
    /// Mark of its start; `None` is not compared.
    pub start_marker: Option<String>,
}

/// What the server knows of the terminal that a locator names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// Its pane.
    pub pane: PaneId,
    /// Process id and start mark, once started.
    pub root: Option<(u32, Option<String>)>,
}

impl Locator {
    /// Reads the locator's fields, and leaves the others.
    pub fn read(params: &mut Params) -> Result<Self, ParamError> {
        Ok(Self {
            generation: params.required("server_generation", |value| id(&value))?,
            terminal: params.required("terminal_id", |value| id(&value))?,
            pane: params.required("pane_id", |value| pane(&value))?,
            root: params.optional("expected_root", object)?.map(ExpectedRoot::read).transpose()?,
        })
    }

    /// Whether it names this server life.
    pub fn check_generation(&self, present: ServerGeneration) -> Result<(), Failure> {
        if self.generation == present {
            return Ok(());
        }
        Err(Failure::new(ErrorCode::StaleServer, "the server has been restarted"))
    }

    /// Whether it still names that terminal. Asked after [`check_generation`](Self::check_generation).
    pub fn check(&self, present: Option<&Present>) -> Result<(), Failure> {
        let Some(present) = present else {
            return Err(Failure::new(ErrorCode::StaleTerminal, "no such terminal"));
        };
        if self.pane != u64::from(present.pane.0) {
            return Err(Failure::new(ErrorCode::StaleRoute, "the terminal is in another pane"));
        }
        let Some((pid, marker)) = &present.root else {
            return Err(Failure::new(ErrorCode::TerminalNotReady, "the terminal has not started yet"));
        };
        match &self.root {
            Some(expected) if !expected.matches(*pid, marker.as_deref()) => {
                Err(Failure::new(ErrorCode::ProcessMismatch, "the terminal's root process is another one"))
            }
            _ => Ok(()),
        }
    }
}

impl ExpectedRoot {
    fn read(mut params: Params) -> Result<Self, ParamError> {
        let root = Self {
            pid: params.required("pid", integer(1..=u64::from(u32::MAX)))?,
            start_marker: params.nullable("start_marker", text(0..=256))?,
        };
        params.finish()?;
        Ok(root)
    }

    fn matches(&self, pid: u32, marker: Option<&str>) -> bool {
        self.pid == u64::from(pid) && (self.start_marker.is_none() || self.start_marker.as_deref() == marker)
    }
}

fn id<T: std::str::FromStr>(value: &Value) -> Result<T, String> {
    let known = value.as_str().and_then(|text| text.parse().ok());
    known.ok_or_else(|| "expected 32 lowercase hexadecimal digits".to_owned())
}

/// `[1-9][0-9]{0,9}`
fn pane(value: &Value) -> Result<u64, String> {
    let digits = value.as_str().filter(|text| {
        (1..=10).contains(&text.len())
            && !text.starts_with('0')
            && text.bytes().all(|byte| byte.is_ascii_digit())
    });
    digits.and_then(|text| text.parse().ok()).ok_or_else(|| "expected a pane id, as in \"7\"".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const GENERATION: ServerGeneration = ServerGeneration([1; 16]);

    fn locator(change: impl FnOnce(&mut Value)) -> Result<Locator, ParamError> {
        let mut fields = json!({
            "server_generation": GENERATION.to_string(),
            "terminal_id": TerminalId([2; 16]).to_string(),
            "pane_id": "7",
        });
        change(&mut fields);
        let mut params = object(fields).unwrap();
        let locator = Locator::read(&mut params)?;
        params.finish().map(|()| locator)
    }

    fn expecting(root: &Value) -> Locator {
        locator(|fields| fields["expected_root"] = root.clone()).unwrap()
    }

    #[test]
    fn the_grammar_is_strict() {
        for bad in
            [json!(7), json!("0"), json!("07"), json!("7 "), json!(""), json!("12345678901"), json!(null)]
        {
            assert!(locator(|fields| fields["pane_id"] = bad.clone()).is_err(), "{bad}");
        }
        for bad in [json!("AB"), json!("F".repeat(32)), json!("g".repeat(32)), json!(null)] {
            assert!(locator(|fields| fields["terminal_id"] = bad.clone()).is_err(), "{bad}");
        }
        for bad in [
            json!(null),
            json!({}),
            json!({"pid": 0}),
            json!({"pid": 4_294_967_296_u64}),
            json!({"pid": 1, "more": 1}),
            json!({"pid": 1, "start_marker": "x".repeat(257)}),
        ] {
            assert!(locator(|fields| fields["expected_root"] = bad.clone()).is_err(), "{bad}");
        }
        assert_eq!(locator(|fields| fields["pane_id"] = json!("9999999999")).unwrap().pane, 9_999_999_999);
    }

    #[test]
    fn the_first_failed_check_decides() {
        let present = Present { pane: PaneId(7), root: Some((50, Some("linux:9".to_owned()))) };
        let code = |locator: &Locator, present: Option<&Present>| {
            locator.check(present).map_err(|failure| failure.code)
        };
        let plain = locator(|_| ()).unwrap();
        assert_eq!(code(&plain, Some(&present)), Ok(()));
        assert_eq!(code(&plain, None), Err(ErrorCode::StaleTerminal));
        let moved = Present { pane: PaneId(8), root: None };
        assert_eq!(code(&plain, Some(&moved)), Err(ErrorCode::StaleRoute));
        let starting = Present { root: None, ..present.clone() };
        assert_eq!(code(&plain, Some(&starting)), Err(ErrorCode::TerminalNotReady));
        assert_eq!(
            plain.check_generation(ServerGeneration([9; 16])).map_err(|failure| failure.code),
            Err(ErrorCode::StaleServer)
        );
        for good in [
            json!({"pid": 50}),
            json!({"pid": 50, "start_marker": null}),
            json!({"pid": 50, "start_marker": "linux:9"}),
        ] {
            assert_eq!(code(&expecting(&good), Some(&present)), Ok(()), "{good}");
        }
        for bad in [json!({"pid": 51}), json!({"pid": 50, "start_marker": "linux:8"})] {
            assert_eq!(code(&expecting(&bad), Some(&present)), Err(ErrorCode::ProcessMismatch), "{bad}");
        }
    }
}
