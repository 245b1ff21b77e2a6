//! Verbs of a noun that are put together only once a command line names the noun: all nouns together have
//! more than a hundred verbs, and most command lines name one.

use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};

/// The verbs `V` of a noun.
#[derive(Debug, Clone, Copy)]
pub struct Later<V>(pub V);

impl<V: FromArgMatches> FromArgMatches for Later<V> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        V::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        V::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches_mut(matches)
    }
}

impl<V: Subcommand> Subcommand for Later<V> {
    fn augment_subcommands(noun: Command) -> Command {
        noun.defer(|noun| with_its_own_words(noun, V::augment_subcommands))
    }

    fn augment_subcommands_for_update(noun: Command) -> Command {
        noun.defer(|noun| with_its_own_words(noun, V::augment_subcommands_for_update))
    }

    fn has_subcommand(name: &str) -> bool {
        V::has_subcommand(name)
    }
}

/// What help says of a noun is said by the noun, not by the type of its verbs.
fn with_its_own_words(noun: Command, put_together: fn(Command) -> Command) -> Command {
    let (about, long_about) = (noun.get_about().cloned(), noun.get_long_about().cloned());
    put_together(noun).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}
