//! Edits: recorded changes of what the model gets to see, laid over a history that is never rewritten.
//!
//! A view is the history with its active edits applied in order. Compaction produces edits; undoing one is leaving it out.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::draft::{Change, Draft, Meter};
use super::pairs::repair;
use super::plan::Fate;
use super::rule::Rule;
use crate::message::Message;
use crate::tokens::Origin;

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The targets are represented by one summary message.
    #[default]
    ReplaceRange,
    /// The targets are not sent.
    Drop,
    /// The text of the targets is shortened in the middle.
    Truncate,
}

/// Who decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    #[default]
    Rule,
    Model,
    /// Somebody changed the text before it was applied.
    User,
}

/// One recorded change. Read back as well: a host keeps a compaction's edits until it applies them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Edit {
    /// `e<n>`, counting from 0 within one log.
    pub id: String,
    pub kind: Kind,
    /// Ids of the messages it hides or changes, in order.
    pub targets: Vec<String>,
    #[serde(deserialize_with = "super::rule::known")]
    pub rule: Rule,
    pub author: Author,
    /// Tokens of the targets as they stood.
    pub tokens_before: u64,
    /// Tokens of what stands for them.
    pub tokens_after: u64,
    /// The summary message of a `replace_range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Id of the message in front of which the summary stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// For `truncate`: the shortened texts, by part of each target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Replacement>,
}

/// One shortened part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    pub message: String,
    /// Index among the parts of the message as it stood.
    pub part: usize,
    pub text: String,
}

/// The view of a history under its edits. Repair comes first, so that edits apply to what could be sent.
pub fn view<'a>(
    messages: &'a [Message],
    counts: &[u64],
    edits: &[Edit],
    meter: Meter<'a>,
    origin: Origin,
) -> Draft<'a> {
    let mut draft = Draft::with_counts(messages, counts, meter, origin);
    repair(&mut draft);
    for edit in edits {
        apply(&mut draft, edit);
    }
    // What an edit left behind may be refused where the whole was not: an empty request beside a summary, say.
    repair(&mut draft);
    draft
}

/// Lays one more edit over a draft. Targets that are not there any more are passed over.
pub fn apply(draft: &mut Draft, edit: &Edit) {
    let index_of: HashMap<String, usize> =
        draft.entries.iter().enumerate().map(|(i, e)| (e.message.id.clone(), i)).collect();
    let targets: Vec<usize> = edit.targets.iter().filter_map(|id| index_of.get(id).copied()).collect();
    match edit.kind {
        Kind::ReplaceRange => {
            draft.drop_entries(&targets, Fate::Covered, edit.rule, "the summary stands for it");
            let place = edit.before.as_ref().and_then(|id| index_of.get(id)).or(targets.iter().min());
            if let (Some(&place), Some(message)) = (place, &edit.message) {
                draft.insert(place, message.clone(), edit.rule);
            }
        }
        Kind::Drop => draft.drop_entries(&targets, Fate::Dropped, edit.rule, "it did not fit the budget"),
        Kind::Truncate => {
            for &target in &targets {
                let id = draft.entries[target].message.id.clone();
                let mut part = 0;
                draft.edit_parts(target, edit.rule, "too long for the budget, shortened in the middle", |_| {
                    part += 1;
                    let found = edit.texts.iter().find(|t| t.message == id && t.part + 1 == part);
                    found.map_or(Change::Keep, |t| Change::Text(t.text.clone()))
                });
            }
        }
    }
}
