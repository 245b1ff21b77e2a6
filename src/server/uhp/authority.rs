//! Who may do what: the owner everything, a delegated token what its scopes allow (`uhp.md` section 20).
//!
//! Invariants: tokens live in memory only, for a day at most; a token never gives more, nor lasts
//! longer, than the one that it was made with; a secret is told once and never logged or listed.

use super::table::{Access, Method};
use crate::protocol::limits::{TOKEN_TTL_S, TOKENS};
use crate::protocol::uhp::error::{ErrorCode, Failure};
use crate::server::exchange::{Conversation, Talk, Wire};
use std::fmt::Write as _;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// What a token can be for.
pub const SCOPES: &[&str] =
    &["read", "workspace", "agent", "terminal", "orchestration", "extensions", "admin", ALL];
/// Everything.
const ALL: &str = "all";
/// Every method that changes nothing and does not administer.
const READ: &str = "read";
/// What administers.
const ADMIN: &str = "admin";
/// The method that any token may call, to learn what it may do.
const HANDSHAKE: &str = "uhp.capabilities";
/// How every secret begins.
const PREFIX: &str = "luv_tok_";

/// Scopes that a token has.
pub type Scopes = Vec<&'static str>;

/// A delegated token.
#[derive(Debug)]
pub struct Grant {
    /// Its public name.
    pub id: String,
    /// What it is for.
    pub scopes: Scopes,
    /// When it expires, in seconds since 1970.
    pub expires_at: u64,
    expires: Instant,
    revoked: watch::Sender<bool>,
    /// The token that it was made with.
    parent: Option<Arc<Grant>>,
}

impl Grant {
    fn has(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| *own == scope || *own == ALL)
    }

    fn is_valid(&self) -> bool {
        let expired = self.expires <= Instant::now();
        !expired && !*self.revoked.borrow() && self.parent.as_deref().is_none_or(Self::is_valid)
    }

    /// Resolves when it is valid no longer. It expires no later than its parent.
    async fn ended(&self) {
        let mut revoked = self.revoked.subscribe();
        let parent = async {
            match &self.parent {
                Some(parent) => Box::pin(parent.ended()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = sleep_until(self.expires) => {}
            _ = revoked.wait_for(|revoked| *revoked) => {}
            () = parent => {}
        }
    }
}

/// On whose behalf a request is made.
#[derive(Debug, Clone)]
pub enum Authority {
    /// The local owner.
    Owner,
    /// The holder of a token.
    Token(Arc<Grant>),
}

impl Authority {
    /// Refuses a method that the token is not for, or any once it has ended.
    ///
    /// # Errors
    /// `forbidden`.
    pub fn check(&self, method: &Method) -> Result<(), Failure> {
        let Self::Token(grant) = self else { return Ok(()) };
        if !grant.is_valid() {
            return Err(not_valid());
        }
        let reads = method.access == Access::Read && method.scope != ADMIN && grant.has(READ);
        if reads || grant.has(method.scope) || method.name == HANDSHAKE {
            return Ok(());
        }
        Err(Failure::new(ErrorCode::Forbidden, format!("the token is not for `{}`", method.scope)))
    }

    /// Resolves when it has ended; the owner's never does.
    pub async fn ended(&self) {
        match self {
            Self::Owner => std::future::pending().await,
            Self::Token(grant) => grant.ended().await,
        }
    }

    /// The same conversation, over at the latest when the authority for it ends.
    pub fn limit(self, talk: Talk) -> Talk {
        match self {
            Self::Owner => talk,
            authority @ Self::Token(_) => Box::new(Limited { authority, talk }),
        }
    }

    fn has(&self, scope: &str) -> bool {
        match self {
            Self::Owner => true,
            Self::Token(grant) => grant.has(scope),
        }
    }
}

struct Limited {
    authority: Authority,
    talk: Talk,
}

impl Conversation for Limited {
    fn run<'a>(
        self: Box<Self>,
        wire: &'a mut Wire,
    ) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>> {
        let Self { authority, talk } = *self;
        Box::pin(async move {
            tokio::select! {
                biased;
                () = authority.ended() => Ok(()),
                talked = talk.run(wire) => talked,
            }
        })
    }
}

fn not_valid() -> Failure {
    Failure::new(ErrorCode::Forbidden, "the token is not valid")
}

/// The tokens of one server life.
#[derive(Debug, Default)]
pub struct Tokens {
    tokens: Mutex<Vec<(String, Arc<Grant>)>>,
}

impl Tokens {
    /// On whose behalf a request with that token, or without one, is made.
    ///
    /// # Errors
    /// `forbidden`.
    pub fn authority(&self, secret: Option<&str>) -> Result<Authority, Failure> {
        let Some(secret) = secret else { return Ok(Authority::Owner) };
        let tokens = self.valid();
        // Every secret is compared to its end: how long it takes tells nothing.
        let mut found = None;
        for (own, grant) in &*tokens {
            if same(own, secret) {
                found = Some(Arc::clone(grant));
            }
        }
        found.map(Authority::Token).ok_or_else(not_valid)
    }

    /// A new token and its secret.
    ///
    /// # Errors
    /// `forbidden` for a scope that `by` lacks, `limit_exceeded`, `internal`.
    pub fn create(
        &self,
        by: &Authority,
        scopes: Scopes,
        ttl_s: Option<u64>,
    ) -> Result<(String, Arc<Grant>), Failure> {
        if let Some(lacking) = scopes.iter().find(|scope| !by.has(scope)) {
            return Err(Failure::new(ErrorCode::Forbidden, format!("the token itself lacks `{lacking}`")));
        }
        let (id, secret) = random()?;
        let parent = match by {
            Authority::Owner => None,
            Authority::Token(grant) => Some(Arc::clone(grant)),
        };
        let now = Instant::now();
        let wanted = Duration::from_secs(ttl_s.unwrap_or(TOKEN_TTL_S));
        let lasts = parent.as_ref().map_or(wanted, |parent| wanted.min(parent.expires - now));
        let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let grant = Arc::new(Grant {
            id,
            scopes,
            expires_at: (today + lasts).as_secs(),
            expires: now + lasts,
            revoked: watch::Sender::new(false),
            parent,
        });
        let mut tokens = self.valid();
        if tokens.len() >= TOKENS {
            let message = format!("a server has at most {TOKENS} tokens");
            return Err(Failure::new(ErrorCode::LimitExceeded, message));
        }
        tokens.push((secret.clone(), Arc::clone(&grant)));
        Ok((secret, grant))
    }

    /// All tokens that are valid.
    pub fn list(&self) -> Vec<Arc<Grant>> {
        self.valid().iter().map(|(_, grant)| Arc::clone(grant)).collect()
    }

    /// Ends a token, and those that were made with it. Says whether there was one.
    pub fn revoke(&self, id: &str) -> bool {
        let tokens = self.valid();
        let Some((_, grant)) = tokens.iter().find(|(_, grant)| grant.id == id) else { return false };
        grant.revoked.send_replace(true);
        true
    }

    /// The list without what has ended.
    fn valid(&self) -> MutexGuard<'_, Vec<(String, Arc<Grant>)>> {
        // Every change is complete in itself, so a list that a panic left behind still holds.
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.retain(|(_, grant)| grant.is_valid());
        tokens
    }
}

/// A public name and a secret.
fn random() -> Result<(String, String), Failure> {
    let bytes = || {
        let bytes = crate::server::random_128();
        bytes.ok_or_else(|| Failure::new(ErrorCode::Internal, "the system gives no random numbers"))
    };
    Ok((hex(&bytes()?[..8]), format!("{PREFIX}{}{}", hex(&bytes()?), hex(&bytes()?))))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn same(own: &str, other: &str) -> bool {
    let differing = own.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    own.len() == other.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    fn code<T>(result: Result<T, Failure>) -> Option<ErrorCode> {
        result.err().map(|failure| failure.code)
    }

    fn allowed(authority: &Authority, method: &str) -> bool {
        authority.check(table::find(method).unwrap()).is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_for_its_scopes_until_it_ends() {
        let tokens = Tokens::default();
        let (secret, grant) = tokens.create(&Authority::Owner, vec!["read"], Some(10)).unwrap();
        assert!(secret.starts_with("luv_tok_") && secret.len() == 72);
        let holder = tokens.authority(Some(&secret)).unwrap();
        assert!(allowed(&holder, "workspace.list") && allowed(&holder, "uhp.capabilities"));
        assert!(!allowed(&holder, "workspace.new") && !allowed(&holder, "server.stop"));
        assert!(!allowed(&holder, "uhp.token.list"), "reading what administers needs `admin`");
        assert_eq!(tokens.list()[0].id, grant.id);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(code(tokens.authority(Some(&secret))), Some(ErrorCode::Forbidden));
        assert!(!allowed(&holder, "workspace.list"));
        assert!(tokens.list().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_grants_what_they_lack_nor_for_longer() {
        let tokens = Tokens::default();
        let (secret, _) = tokens.create(&Authority::Owner, vec!["read", "admin"], Some(60)).unwrap();
        let holder = tokens.authority(Some(&secret)).unwrap();
        for scope in ["workspace", "all"] {
            assert_eq!(
                code(tokens.create(&holder, vec![scope], None)),
                Some(ErrorCode::Forbidden),
                "{scope}"
            );
        }
        let (_, child) = tokens.create(&holder, vec!["read"], Some(3_600)).unwrap();
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(!child.is_valid());
        let (all, _) = tokens.create(&Authority::Owner, vec!["all"], None).unwrap();
        assert!(allowed(&tokens.authority(Some(&all)).unwrap(), "server.stop"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_revoked_token_takes_those_made_with_it_along() {
        let tokens = Tokens::default();
        let (secret, parent) = tokens.create(&Authority::Owner, vec!["admin"], None).unwrap();
        let holder = tokens.authority(Some(&secret)).unwrap();
        let (child, _) = tokens.create(&holder, vec!["admin"], None).unwrap();
        let heir = tokens.authority(Some(&child)).unwrap();
        assert!(!tokens.revoke("nobody") && tokens.revoke(&parent.id));
        tokio::time::timeout(Duration::from_secs(1), heir.ended()).await.expect("it has ended");
        assert_eq!(code(tokens.authority(Some(&child))), Some(ErrorCode::Forbidden));
        assert!(!tokens.revoke(&parent.id));
    }

    #[test]
    fn there_are_sixty_four_at_most() {
        let tokens = Tokens::default();
        for _ in 0..64 {
            tokens.create(&Authority::Owner, vec!["read"], None).unwrap();
        }
        let refused = tokens.create(&Authority::Owner, vec!["read"], None);
        assert_eq!(code(refused), Some(ErrorCode::LimitExceeded));
    }
}
