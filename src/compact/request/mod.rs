//! The requests to the host's model: the covered groups in one of three shapes, within the model's limit.
//!
//! - [`fork`]: the running request and one more message.
//! - [`full`]: the groups as messages.
//! - [`simple`]: the groups as text.
//! - [`clean`]: removes content that no model should see.
//! - [`fit`]: shortens results and arguments.

pub mod clean;
pub mod fit;
pub mod fork;
pub mod full;
pub mod simple;

use super::profile::{Profile, Summary};
use crate::history::draft::Draft;
use crate::history::group::Group;
use crate::history::record::Records;
use crate::message::{Message, Part, Role};

/// The scratch block comes before the summary and is about as long; some models are wordier in it.
pub const ANSWER_FACTOR: u64 = 3;

/// A profile's rules for requests that are not the running one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    pub temperature: f64,
    /// Arguments in the simple shape, in UTF-16 units.
    pub argument_units: usize,
    /// Tokens of one result in the simple shape, at most.
    pub result_cap: Option<u64>,
    /// Factor on the room of the full shape.
    pub full_headroom: f64,
}

impl Rule {
    /// Returns the rules of a profile, for requests of at most `limit` tokens.
    pub fn of(profile: &Profile, limit: u64) -> Rule {
        let Summary { temperature, argument_units, simple_results, full_headroom, .. } = profile.summary;
        let cap = profile.cap.of(limit);
        let result_cap = (cap < u64::MAX).then_some((cap as f64 * simple_results) as u64);
        Rule { temperature, argument_units, result_cap, full_headroom }
    }
}

/// Returns the groups to summarise: the entries of each, in order.
pub fn parts(groups: &[Group], is_covered: impl Fn(usize) -> bool) -> Vec<&[usize]> {
    let covered = |group: &&Group| !group.entries.is_empty() && group.entries.iter().all(|&at| is_covered(at));
    groups.iter().filter(covered).map(|group| group.entries.as_slice()).collect()
}

/// True if the covered groups begin with a summary of an earlier compaction.
pub fn begins_with_summary(draft: &Draft, parts: &[&[usize]], records: &Records) -> bool {
    let is_foreign = |at: usize| records.foreign().is_some_and(|foreign| foreign.id == draft.entries[at].message.id);
    let first = parts.first().and_then(|entries| entries.first());
    // The record of another system follows its environment turn.
    first.is_some_and(|&at| records.has(&draft.entries[at].message))
        || parts.iter().flat_map(|entries| entries.iter()).any(|&at| is_foreign(at))
}

/// Returns a message of one text that the host does not have.
fn said(id: &str, role: Role, text: &str) -> Message {
    Message { id: id.into(), role, name: None, parts: vec![Part::Text { text: text.into() }] }
}
