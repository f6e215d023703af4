//! What a request may have, what must stay, and in which order passes run.

use serde::{Deserialize, Serialize};

use super::class::Drop;
use super::cut::Cut;
use super::pictures::Picture;
use super::sentences::Sentences;
use crate::history::mend::Receiver;
use crate::history::record::Records;
use crate::map::{HashMap, HashSet};
use crate::validity::Provider;

/// One pass of pruning. Repair is not listed, because it always runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Pass {
    /// Cuts single results over a quarter of the limit; over three quarters if they are among the newest messages that
    /// fit together, and older ones are dropped next.
    Oversize,
    /// Drops turns before the newest request; of the last of them, its oldest rounds only.
    Turns,
    /// Drops rounds before the newest request.
    Rounds,
    /// Drops older requests with the rest of their turns.
    Requests,
    /// Drops rounds after the newest request.
    CurrentRounds,
    /// Cuts the remaining results to one common level.
    Results,
    /// Cuts long arguments of old calls.
    Arguments,
    /// Drops pictures and documents outside the newest round.
    Media,
}

impl Pass {
    /// Removes messages first, then shortens the remaining ones.
    pub const DROP: [Pass; 6] =
        [Pass::Oversize, Pass::Turns, Pass::CurrentRounds, Pass::Results, Pass::Arguments, Pass::Media];
    /// Shortens results before it removes messages.
    pub const SHRINK: [Pass; 6] =
        [Pass::Oversize, Pass::Results, Pass::Turns, Pass::CurrentRounds, Pass::Arguments, Pass::Media];

    pub(super) fn drops(self) -> Option<Drop> {
        match self {
            Pass::Turns => Some(Drop::OldTurn),
            Pass::Rounds => Some(Drop::OldRound),
            Pass::Requests => Some(Drop::OldRequest),
            Pass::CurrentRounds => Some(Drop::CurrentRound),
            Pass::Oversize | Pass::Results | Pass::Arguments | Pass::Media => None,
        }
    }
}

/// Media to remove even if the request fits, because the provider refused its size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DropMedia {
    #[default]
    None,
    /// Media outside the newest round and the newest request.
    Old,
    /// All media except those of the user in the newest request.
    All,
}

/// Limits of a request, and messages that must stay.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Maximum input tokens of the request, tool definitions included.
    #[serde(skip)]
    pub budget: u64,
    /// Tokens to leave free below the budget.
    #[serde(default)]
    pub headroom: u64,
    /// Ids of messages that must stay unchanged, with their whole group.
    #[serde(default)]
    pub keep: HashSet<String>,
    /// Puts older groups back that still fit whole, newest first. Off by default, because gaps in a history mislead
    /// models.
    #[serde(default)]
    pub backfill: bool,
    /// Passes in order; passes that are not named do not run. [`Pass::DROP`] if absent.
    pub order: Option<Vec<Pass>>,
    /// Priorities of messages by id; the default is 0. A pass removes the lowest priority first. A group has the
    /// highest priority of its messages.
    #[serde(default)]
    pub priorities: HashMap<String, f64>,
    /// Adds a line to the user's next message that says that messages were left out.
    #[serde(default)]
    pub note: bool,
    /// Adds sentences of removed messages.
    #[serde(skip)]
    pub sentences: Option<Sentences>,
    /// The cut of the previous request.
    pub previous: Option<Cut>,
    /// Minimum share of the limit by which a cut moves when it has to move. With 0.1, only one of many requests
    /// invalidates the provider's cache.
    #[serde(default)]
    pub cache_step_share: f64,
    #[serde(default)]
    pub drop_media: DropMedia,
    /// Pictures in results whose size is known.
    #[serde(default)]
    pub pictures: Vec<Picture>,
    /// Maximum bytes of pictures in the results of one turn; [`PICTURE_BYTES`] if absent.
    #[serde(rename = "maxImageBytes")]
    pub picture_bytes: Option<u64>,
    /// The provider in whose format the messages are written, if known. Some formats join neighbouring messages.
    #[serde(skip)]
    pub written: Option<Provider>,
    /// The receiver of the result. Without it only pairs and empty messages are repaired.
    #[serde(skip)]
    pub receiver: Option<Receiver>,
    /// Messages that are summaries of earlier compactions. They stay.
    #[serde(skip)]
    pub records: Records,
    /// Set if the provider signs thoughts: ids of messages whose thoughts cannot move.
    pub thinking: Option<HashSet<String>>,
}
